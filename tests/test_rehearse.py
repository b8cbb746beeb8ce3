# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen rehearse`: a cluster with its real server and client, and what it must find."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from branch_cluster import write_cluster
from external_cluster import write_build
from host_pair import PAIR, golden
from rehearsed import rehearsed
from test_joins import branches

from shellgen.api import generate
from shellgen.cli import main
from shellgen.errors import InputError, SimulationError
from shellgen.progress import listening
from shellgen.rehearse import node_program, run
from shellgen.rehearse.client import Client
from shellgen.rehearse.core_library import CoreSources, _named
from shellgen.rehearse.faults import Faults
from shellgen.rehearse.kept import Kept, kept, written
from shellgen.rehearse.run import RehearseOptions, rehearse
from shellgen.rehearse.script import Fault, Script
from shellgen.rehearse.table import Table, spans
from shellgen_host import Cluster

pytestmark = pytest.mark.xdist_group("rehearse")

CUT = "StreamingDataflowPartition_0_to_StreamingDataflowPartition_1"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return PAIR.generate(tmp_path_factory.mktemp("rehearsed"))


@pytest.fixture
def out(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "out"))


FAULTS = [
    (40, 'kill = "two"'),
    (60, f'cut = "{CUT}"'),
    (90, f'corrupt = "{CUT}"'),
    (120, f'reorder = "{CUT}"'),
    (150, f'delay = "{CUT}"\nseconds = 0.3'),
    (180, 'kill = "client"\naway = 0.1'),
    (220, 'restart = "client"'),
    (260, 'kill = "one"\naway = 0.2'),
    (260, 'restart = "one"'),  # which has just been started
    (261, 'restart = "two"'),
]


def test_every_kind_of_fault(out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every process and the connection break in every way: every frame once, right, in order."""
    script = tmp_path / "faults.toml"
    script.write_text("".join(f"[[fault]]\nframe = {frame}\n{what}\n" for frame, what in FAULTS))
    assert main(["rehearse", str(out), "--frames", "500", "--script", str(script), "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["passed"]
    assert (found["frames"], found["wrong"], found["missing"], found["disorder"]) == (500, [], {}, [])
    assert [fault["seen"] for fault in found["faults"]] == [True] * len(FAULTS)
    assert found["faults"][4]["pause_s"] >= 0.25  # a result may come while it is armed
    assert found["clients"] == 3
    assert 2 <= found["epochs"] <= 5
    assert found["nodes"]["two"]["copied"] == 0
    assert any("node two broke" in note for note in found["notes"])


def test_a_disk_that_is_full(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A node refuses an operator's file, keeps nothing of it, and takes it when there is room."""
    faults = [(5, 'fill = "two"'), (50, 'kill = "two"'), (60, 'fill = "two"'), (70, 'fill = "one"')]
    found = rehearsed(out, 300, faults, capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True] * 4
    assert found["epochs"] == 2, "a disk ends none"


def test_a_disk_that_takes_all(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The fault was never seen to act if the node keeps what it should refuse."""
    monkeypatch.setattr(resource, "prlimit", lambda *_: (0, 0))
    script = tmp_path / "faults.toml"
    script.write_text('[[fault]]\nframe = 3\nfill = "one"\n')
    assert main(["rehearse", str(out), "--script", str(script), "--quiet"]) == 1
    assert "frame 3: fill one: was never seen to act" in capsys.readouterr().out


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(20))
def test_recovery(made: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    """One to five faults at random frames: none wrong, twice or missing, and streaming goes on soon."""
    code = main(["rehearse", str(made), "--frames", "2000", "--seed", str(seed), "--json", "--quiet"])
    found = json.loads(capsys.readouterr().out)
    assert code == 0, found
    assert (found["wrong"], found["missing"], found["disorder"]) == ([], {}, [])
    # Within 2 s on a machine of its own; this one may have other tests to run.
    assert max(fault["pause_s"] for fault in found["faults"]) < 10, found


def test_the_table_of_a_run() -> None:
    """A line per node, what broke last, and rows at most some times per second."""
    shown: list[Sequence[str]] = []
    with listening(lambda *_: None, lambda lines, _: shown.append(lines)):
        table = Table(9)
        table.noted("node two broke")
        for done in range(5):
            table.show(done, {"one": {"received": 12, "made": 3, "waiting": 8, "unsent": 1}, "two": {}})
    assert len(shown) == 1
    head, one, two, rate, last = shown[0]
    assert head.split() == ["node", "received", "put", "out", "waiting", "unsent"]
    assert one.split() == ["one", "12", "3", "8", "1"]
    assert two.split() == ["two", "0", "0", "0", "0"]
    assert rate.endswith("frames/s; notes: 1")
    assert last == "last: node two broke"


def test_numbers_of_frames_as_text() -> None:
    assert spans([]) == ""
    assert spans([3, 5, 6, 7, 9]) == "3, 5-7, 9"
    assert spans(range(0, 50, 2)).endswith("36, 38, and 5 more places")


def test_a_fault_that_does_not_act(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No byte follows that could be altered: the run fails although all results are right."""
    came = Faults.came
    # The fourth result says nothing of the fifth frame, whose bytes may still be under way.
    monkeypatch.setattr(Faults, "came", lambda faults, results: came(faults, results - 1))
    script = tmp_path / "faults.toml"
    script.write_text(f'[[fault]]\nframe = 4\ncorrupt = "{CUT}"\n')
    assert main(["rehearse", str(out), "--script", str(script), "--quiet"]) == 1
    said = capsys.readouterr().out
    assert "5 of 5 frames are as in the golden vectors" in said
    assert f"frame 4: corrupt {CUT}: was never seen to act; all frames may have been through before" in said
    assert "give --frames 106 or more" in said


def test_a_client_that_stands_still(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run ends by its limit, and says how far the nodes are and where the client waits."""
    monkeypatch.setattr(Client, "open_gate", lambda *_: None)
    fault = Fault(frame=0, kill="one")
    monkeypatch.setattr(run, "random_script", lambda *_: Script(fault=(fault,)))
    found = rehearse(out, RehearseOptions(frames=150, seed=1, limit=3.0))
    assert not found.passed
    assert set(range(101, 150)) <= found.missing.keys()
    why = "no result came for 3 s; no node holds a frame that it does not put out"
    assert set(found.missing.values()) == {why}
    assert "batch.py" in found.notes[-1]


def test_a_wrong_result_is_found(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With golden vectors that are not those of the network."""
    path = sorted((out / "bench").glob("golden_*.npy"))[-1]
    values = np.load(path)
    values[1, ..., 0] ^= 1
    np.save(path, values)
    assert main(["rehearse", str(out), "--quiet"]) == 2
    assert "golden_2.npy: it is not as it was generated" in capsys.readouterr().err
    assert main(["rehearse", str(out), "--quiet", "--edited"]) == 1
    said = capsys.readouterr().out
    assert "4 of 5 frames are as in the golden vectors" in said
    element = "StreamingDataflowPartition_1_to_host, element 0"
    assert f"wrong: 1 frame, the first is 1: {element}: got {values[1].flat[0] ^ 1}" in said
    assert "edited files: bench/golden_2.npy" in said
    assert said.rstrip().endswith("FAIL")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[fault]]\nframe = 1\n", "this one has none of them"),
        (
            '[fault]\nframe = 1\nkill = "one"\n',
            "fault: it is a single table. Write [[fault]] in place of [fault]",
        ),
        (f'[[fault]]\nframe = 1\ncut = "{CUT}"\nseconds = 1\n', "seconds is for delay, and cut has no such"),
        (f'[[fault]]\nframe = 1\ncut = "{CUT}"\naway = 1\n', "away is for kill and restart, and cut has no"),
        (f'[[fault]]\nframe = 1\nkill = "one"\ncut = "{CUT}"\n', "(a boundary); this one has kill and cut"),
        (
            '[[fault]]\nframe = 1\nkill = "tow"\n',
            "faults.toml:3: fault[0].kill: there is no node 'tow'. Did",
        ),
        ('[[fault]]\nframe = 1\ncut = "host"\n', "no connection of the rehearsal carries 'host'"),
        ('[[fault]]\nframe = 5\nkill = "one"\n', "frame 5 never comes, since the rehearsal has 5 frames"),
        ('[[fault]]\nframe = 1\nkil = "one"\n', "fault[0].kil: this field is not known. Did you mean kill?"),
        ('[[fault]]\nframe = -1\nkill = "one"\n', "fault[0].frame: got -1"),
        ("[[fault]]\nframe = 1\nkill = 'one'\naway = 1e999\n", "faults.toml"),
        ('[[fault]]\nframe = 1\nfill = "client"\n', "fault[0].fill: there is no node 'client'"),
        ("[[fault", "is not TOML"),
    ],
)
def test_scripts_that_are_wrong(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    script = tmp_path / "faults.toml"
    script.write_text(text)
    assert main(["rehearse", str(made), "--script", str(script)]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len([line for line in err.splitlines() if line.startswith("shellgen: error")]) == 1


def test_folders_that_cannot_be_rehearsed(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["rehearse", str(tmp_path)]) == 2
    assert "bench.json: the file is missing" in capsys.readouterr().err
    assert main(["rehearse", str(out), "--frames", "0"]) == 2
    assert "--frames: got '0'; give a whole number from 1" in capsys.readouterr().err
    assert main(["rehearse", str(out), "--frames", "30", "--seed", "1"]) == 2
    assert "30 frames are too few to break something among them. Give --frames" in capsys.readouterr().err
    assert main(["rehearse", str(out), "--script", "faults.toml", "--seed", "1"]) == 2
    assert "rehearse: --seed: --script says what breaks. Give only one" in capsys.readouterr().err
    monkeypatch.setattr(node_program, "compiler_finds", lambda *_: False)
    assert main(["rehearse", str(out)]) == 2
    said = "libasio-dev is not installed. Run apt-get install libasio-dev nlohmann-json3-dev libssl-dev."
    assert said in capsys.readouterr().err
    bench = json.loads((out / "bench" / "bench.json").read_text())
    for boundary in bench["boundaries"]:
        boundary["golden"] = None
    (out / "bench" / "bench.json").write_text(json.dumps(bench))
    assert main(["rehearse", str(out), "--edited"]) == 2
    assert "there are no golden vectors of host_to_" in capsys.readouterr().err


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("node", "replicas"), [("one", "replicas = 2"), ("two", "replicas = 3\nshare = [2, 1, 1]")]
)
def test_the_client_deals_frames(
    tmp_path: Path, node: str, replicas: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It sends each replica its frames, or gathers theirs; the pattern begins again with each epoch."""
    spec = PAIR.write_inputs(tmp_path)
    spec.write_text(spec.read_text().replace(f'name = "{node}"', f'name = "{node}"\n{replicas}', 1))
    out = tmp_path / "out"
    generate(spec, out)
    script = tmp_path / "faults.toml"
    killed = f'"{node}_1"'
    script.write_text(f"[[fault]]\nframe = 41\nkill = {killed}\n[[fault]]\nframe = 150\nkill = {killed}\n")
    assert main(["rehearse", str(out), "--frames", "300", "--script", str(script), "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["passed"], found["epochs"]) == (True, 3)


LEFT, RIGHT = (
    f"StreamingDataflowPartition_0{name}_to_sum_0_s_axis_{n}" for n, name in enumerate(("", "_b1"))
)
AT_A_JOIN = [
    (40, 'kill = "n0"'),
    (80, 'kill = "n1"'),
    (120, f'cut = "{LEFT}"'),
    (150, f'corrupt = "{RIGHT}"'),
    (180, f'reorder = "{RIGHT}"'),
    (210, f'reorder = "{LEFT}"'),
    (240, 'kill = "n2"'),
    (280, 'kill = "n1"\naway = 0.3'),
    (281, 'restart = "n0"'),
]


@pytest.mark.sweep
def test_faults_beside_a_join(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The client sends one image to two boards, and a third one sums what they make: no branch is shifted."""
    branches(tmp_path, "sum", (6, 6))
    nodes = [(f"n{k}", "zedboard", f"[{k}]") for k in range(3)]
    links = '[[link]]\nfrom = "host"\nto = ["0", "1"]\n'
    links += '[[link]]\nfrom = ["0", "1"]\nto = "2"\njoin = "sum"\n'
    generate(write_cluster(tmp_path, ["b0", "b1", "head"], nodes, links), tmp_path / "out")
    found = rehearsed(tmp_path / "out", 400, AT_A_JOIN, capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True] * len(AT_A_JOIN)


@pytest.mark.sweep
def test_streams_in_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The node gives the rings of its core memory, in each epoch again, also after it was killed."""
    branches(tmp_path, "sum", (6, 6))
    links = '[[link]]\nfrom = "host"\nto = ["0", "1"]\nat = "n0"\n'
    links += '[[link]]\nfrom = ["0", "1"]\nto = "2"\njoin = "sum"\nbuffer = "ddr"\n'
    nodes = [("n0", "zedboard", "[0, 1, 2]")]
    generate(write_cluster(tmp_path, ["b0", "b1", "head"], nodes, links), tmp_path / "out")
    (node,) = json.loads((tmp_path / "out/memory_map.json").read_text())["nodes"]
    assert len(node["rings"]) == 2
    rehearsed(tmp_path / "out", 120, [(40, 'kill = "n0"'), (80, 'restart = "n0"')], capsys)


@pytest.mark.sweep
def test_external_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two streams of weights, repeated by DMAs with descriptors, whatever breaks; wrong weights are seen."""
    spec = write_build(tmp_path)
    spec.write_text(spec.read_text().replace('"zcu104"', '"kv260_som"'))  # addresses of 40 bits
    generate(spec, tmp_path / "out")
    cut = next(
        stream["boundary"]
        for stream in json.loads((tmp_path / "out" / "memory_map.json").read_text())["nodes"][1]["streams"]
        if stream["role"] == "data" and not stream["host"]
    )
    faults = [(20, 'kill = "zcu"'), (60, f'cut = "{cut}"'), (90, 'restart = "zed"'), (120, 'restart = "zcu"')]
    found = rehearsed(tmp_path / "out", 250, faults, capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True] * len(faults)
    path = next((tmp_path / "out" / "zcu" / "weights").glob("*.bin"))
    path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:])
    assert main(["rehearse", str(tmp_path / "out"), "--frames", "8", "--edited", "--quiet"]) == 1
    path.write_bytes(path.read_bytes()[1:])
    assert main(["rehearse", str(tmp_path / "out"), "--frames", "8", "--edited", "--quiet"]) == 2
    assert f"{path.name}: it has not the" in capsys.readouterr().err


def test_other_platforms_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cards = tuple((name, "u280", partitions) for name, _, partitions in PAIR.nodes)
    path = replace(PAIR, nodes=cards).write_inputs(tmp_path)
    path.write_text(path.read_text().replace('board = "u280"', 'board = "u280"\nplatform = "coyote"'))
    generate(path, tmp_path / "out")
    assert main(["rehearse", str(tmp_path / "out")]) == 2
    said = "it cannot be rehearsed: there is no model of Coyote v1. Use"  # which ACCL needs
    assert said in capsys.readouterr().err


def test_sources_in_a_folder_with_a_quote(tmp_path: Path) -> None:
    """A quote would end the file name in what Verilator's preprocessor writes."""
    folder, plain = tmp_path / 'a"b', tmp_path / "c.v"
    folder.mkdir()
    (folder / "d.v").write_text("module d; endmodule")
    found = _named(CoreSources("top", (plain, folder / "d.v"), (folder,)), tmp_path / "links")
    assert found.sources[0] == plain
    assert found.sources[1].read_text() == "module d; endmodule"
    assert (found.include_dirs[0] / "d.v").is_file()
    assert '"' not in f"{found.sources}{found.include_dirs}"


def test_nodes_that_are_kept(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For any client, until Ctrl-C, with the keys that orders need; their file goes with them."""
    hosts, keys = tmp_path / "hosts.toml", tmp_path / "keys"
    assert main(["host", "keys", str(out), "-o", str(keys), "--quiet"]) == 0
    right: list[bool] = []

    def use(_: Kept) -> NoReturn:
        assert main(["status", str(out), "--hosts", str(hosts)]) == 0
        for more in ([], ["--end"]):
            assert main(["drain", str(out), "--hosts", str(hosts), "--quiet", *more]) == 0
        x, y = golden(out)
        with Cluster(out, hosts) as cluster:
            right.append(np.array_equal(np.asarray(cluster.predict(x)).ravel(), y.ravel()))
        raise KeyboardInterrupt

    monkeypatch.setattr(Kept, "wait", use)
    words = ["rehearse", str(out), "--keep", str(hosts), "--quiet"]
    capsys.readouterr()
    assert main([*words, "--keys", str(keys)]) == 0
    assert right == [True]
    told = capsys.readouterr()
    assert told.out.splitlines()[-1] == "the nodes have ended"
    assert told.err.strip() == f"2 nodes run, {hosts} has their addresses; Ctrl-C ends them"
    assert not hosts.exists()
    assert main([*words, "--frames", "3"]) == 2
    assert "rehearse: --frames: --keep sends no frames" in capsys.readouterr().err
    assert main([*words, "--keys", str(tmp_path)]) == 2
    assert f"--keys: {tmp_path}: it has no folder operator. Give the folder that" in capsys.readouterr().err
    assert main(["rehearse", str(out), "--keys", str(keys)]) == 2
    assert "rehearse: --keys: without --keep nobody gives orders" in capsys.readouterr().err


def test_a_kept_node_that_ends(out: Path, tmp_path: Path) -> None:
    with kept(out) as found:
        os.kill(found.nodes["two"].pid, signal.SIGKILL)
        with pytest.raises(SimulationError, match=r"^node two: shellgen-node was ended by SIGKILL: "):
            found.wait()
    with kept(out) as found:
        os.kill(found.nodes["two"].pid, signal.SIGTERM)
        assert found.wait() == "two"  # in order, as by `shellgen stop`
    file = tmp_path / "hosts.toml"
    with written(file, "a"):
        with pytest.raises(InputError, match=r"it exists\. Give the name of a new file"), written(file, "b"):
            pass
        file.write_text("c")
    assert file.read_text() == "c", "what somebody else wrote stays"
    with pytest.raises(InputError, match="it cannot be written"), written(tmp_path / "none" / "file", "b"):
        pass
