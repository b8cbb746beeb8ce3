# SPDX-License-Identifier: BSD-3-Clause
"""shellgen-node and cards behind XRT: xrt_board.cpp over headers like XRT's, with cores in simulators."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cluster_bench import Chain
from host_pair import golden, started
from rehearsed import rehearsed
from test_mover_host import CARD

from shellgen.api import generate
from shellgen.cache import default_cache_dir
from shellgen.cli import main
from shellgen.read.output import read_map
from shellgen.rehearse.kept import compiled
from shellgen.rehearse.processes import NodeFiles
from shellgen.resources import data_dir
from shellgen.simulate.description import read_generated
from shellgen_host import Cluster, HostError, Hosts, Operator
from shellgen_host.keys import make_keys
from shellgen_host.security import load

pytestmark = pytest.mark.xdist_group("rehearse")

# A board, then two cards; their hosts join them.
MIXED = Chain(
    widths=(40, 6, 10, 12),
    activations="UINT3",
    folds=((3, 5, 3), (5, 3, 5), (4, 5, 4)),
    cuts=(0, 1, 2),
    nodes=(("zed", "zedboard", (0,)), ("card0", "u280", (1,)), ("card1", "u280", (2,))),
)
LINK = '[[link]]\nfrom = "{}"\nto = "{}"\nkind = "tcp_xrt"\n'
CUT = "StreamingDataflowPartition_{}_to_StreamingDataflowPartition_{}"
NODE = data_dir("host") / "node"


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mixed")
    path = MIXED.write_inputs(folder)
    path.write_text(path.read_text() + LINK.format(0, 1) + LINK.format(1, 2))
    generate(path, folder / "out")
    return folder / "out"


def made_files(out: Path, folder: Path) -> dict[str, NodeFiles]:
    """Return what each node is started with."""
    bench, plan, _ = read_generated(out, False)
    made = compiled(out, bench, plan, read_map(out), default_cache_dir(), folder)
    return {
        name: NodeFiles(program, core, out / "memory_map.json", data, {})
        for name, (program, core, data) in made.items()
    }


@pytest.mark.sweep
def test_every_kind_of_fault(mixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Cards, board, client and connections break: every frame once, right, in order."""
    faults = [
        (30, 'kill = "card0"'),
        (60, f'cut = "{CUT.format(0, 1)}"'),
        (90, f'corrupt = "{CUT.format(1, 2)}"'),
        (120, 'restart = "card1"'),
        (150, 'kill = "client"'),
        (180, 'restart = "card0"\naway = 0.2'),
        (200, 'kill = "zed"'),
        (210, f'reorder = "{CUT.format(1, 2)}"'),
        (230, 'kill = "card1"'),
    ]
    found = rehearsed(mixed, 400, faults, capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True] * len(faults)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(5))
def test_frames_with_padding(tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    """One card: 75 bytes in two beats and 120 bytes out of two, whatever breaks."""
    out = CARD.generate(tmp_path)
    assert main(["rehearse", str(out), "--frames", "200", "--seed", str(seed), "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["frames"], found["wrong"], found["missing"], found["disorder"]) == (200, [], {}, [])


@pytest.mark.sweep
def test_bitstreams_by_order(mixed: Path, tmp_path: Path) -> None:
    """A card takes no frame without a bitstream; then it is loaded while frames are under way."""
    make_keys(tmp_path / "keys", "mixed", [name for name, _, _ in MIXED.nodes])
    files = made_files(mixed, tmp_path)
    (tmp_path / "bits").mkdir()
    shutil.copy(tmp_path / "card0" / "card0.xclbin", tmp_path / "bits")
    files["card0"] = replace(files["card0"], core=("--device", "0"))

    def options(name: str) -> tuple[str, ...]:
        (tmp_path / f"store_{name}").mkdir()
        return ("--keys", str(tmp_path / "keys" / name), "--store", str(tmp_path / f"store_{name}"))

    x, y = golden(mixed)
    with started(mixed, files, tmp_path, options) as running:
        hosts = Hosts(running.hosts)
        hosts.tls = load(tmp_path / "keys" / "operator", False)
        with pytest.raises(HostError, match="card0: no bitstream is loaded"):
            Cluster(mixed, hosts, patience=0.2)
        operator = Operator(mixed, hosts)
        assert operator.program(tmp_path / "bits", nodes=["card0"]) == ["card0"]
        with Cluster(mixed, hosts) as cluster:
            loading = threading.Thread(
                target=lambda: [cluster.program(tmp_path / "bits", nodes=["card0"]) for _ in range(3)]
            )
            loading.start()
            count = 0
            while loading.is_alive() or count < 3:
                got = np.asarray(cluster.predict(np.concatenate([x] * 10)))
                assert np.array_equal(got.reshape(10, -1), y.reshape(1, -1).repeat(10, 0))
                count += 1
            assert cluster.epochs >= 4
            (tmp_path / "bits" / "card0.xclbin").write_bytes(b"xclbin2\0 of somebody else")
            with pytest.raises(HostError, match=r"card0: .*the bitstream is not taken: .*Invalid argument"):
                operator.program(tmp_path / "bits", nodes=["card0"])


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "none"), "node card0 is a card: give its --device"),
        (("--device", "7", "--xclbin", "{card0}"), "--device 7: Could not open device"),
        (("--device", "0", "--xclbin", "{map}"), "memory_map.json: load_xclbin: failed to load the card"),
        (("--device", "0", "--xclbin", "{card1}"), "card1.xclbin: card0_kernel:{core_0}: No such kernel"),
        (("--device", "0"), "--xclbin: it is missing; give the bitstream of the card, or --store"),
        (("--xclbin", "{card0}", "--model", "none"), "--xclbin: it is for a card; give its --device, too"),
    ],
)
def test_a_start_that_is_wrong(mixed: Path, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    files = made_files(mixed, tmp_path)
    given = {f"{{{path.stem}}}": str(path) for path in tmp_path.glob("*/*.xclbin")}
    given["{map}"] = str(mixed / "memory_map.json")
    command = ["--map", "{map}", "--node", "card0", "--listen", "127.0.0.1:0", *words]
    ran = subprocess.run(
        [str(files["card0"].program), *(given.get(word, word) for word in command)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 2, ran.stderr
    assert said in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_without_xrt(tmp_path: Path) -> None:
    """CMake refuses what it cannot compile in, and a program without XRT says so."""
    ran = subprocess.run(
        ["cmake", "-S", str(NODE), "-B", str(tmp_path / "build"), "-DSHELLGEN_XRT=ON"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode != 0
    assert "XRT_INCLUDE" in ran.stderr
    main_file = tmp_path / "main.cpp"
    main_file.write_text(
        '#include "xrt_board.h"\n#include <iostream>\nint main() {\n'
        '    shellgen::NodeSettings node;\n    node.name = "card0";\n'
        "    try {\n        shellgen::xrt_board({}, node);\n"
        "    } catch (const shellgen::InputError &error) {\n        std::cout << error.what();\n    }\n}\n"
    )
    program = tmp_path / "without"
    subprocess.run(
        ["g++", "-std=c++17", f"-I{NODE}", str(main_file), str(NODE / "xrt_none.cpp"), "-o", str(program)],
        check=True,
    )
    said = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    assert said.startswith(
        "--device: node card0 is a card behind XRT, and this shellgen-node was compiled without;"
    )
