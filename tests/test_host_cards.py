# SPDX-License-Identifier: BSD-3-Clause
"""shellgen-node and cards: xrt_board.cpp, coyote_board.cpp over headers of those names, simulated cores."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cluster_bench import Chain
from host_library import library, use_library
from host_pair import golden, started
from rehearsed import recovered, rehearsed
from test_host_library import Nothing
from test_mover_host import CARD

from shellgen.api import generate
from shellgen.cache import default_cache_dir
from shellgen.read.output import read_map
from shellgen.rehearse.kept import compiled
from shellgen.rehearse.processes import NodeFiles
from shellgen.resources import data_dir
from shellgen.simulate.description import read_generated
from shellgen_host import Cluster, HostError, Hosts, Operator
from shellgen_host.keys import make_keys
from shellgen_host.native import NativeNode
from shellgen_host.native_library import VARIABLE
from shellgen_host.security import load

pytestmark = pytest.mark.xdist_group("rehearse")

# A board, a card behind XRT and one that runs Coyote; their hosts join them.
MIXED = Chain(
    widths=(40, 6, 10, 12),
    activations="UINT3",
    folds=((3, 5, 3), (5, 3, 5), (4, 5, 4)),
    cuts=(0, 1, 2),
    nodes=(("zed", "zedboard", (0,)), ("card", "u280", (1,)), ("shell", "u280", (2,))),
)
LINK = '[[link]]\nfrom = "{}"\nto = "{}"\nkind = "tcp_xrt"\n'
CUT = "StreamingDataflowPartition_{}_to_StreamingDataflowPartition_{}"
NODE = data_dir("host") / "node"


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mixed")
    path = MIXED.write_inputs(folder)
    text = path.read_text().replace('name = "shell"', 'name = "shell"\nplatform = "coyote"')
    path.write_text(text + LINK.format(0, 1) + LINK.format(1, 2))
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
        (30, 'kill = "card"'),
        (60, f'cut = "{CUT.format(0, 1)}"'),
        (90, f'corrupt = "{CUT.format(1, 2)}"'),
        (120, 'restart = "shell"'),
        (150, 'kill = "client"'),
        (180, 'restart = "card"\naway = 0.2'),
        (200, 'kill = "zed"'),
        (210, f'reorder = "{CUT.format(1, 2)}"'),
        (230, 'kill = "shell"'),
    ]
    found = rehearsed(mixed, 400, faults, capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True] * len(faults)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(5))
def test_frames_with_padding(tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    """One card: 75 bytes in two beats and 120 bytes out of two, whatever breaks."""
    out = CARD.generate(tmp_path)
    recovered(out, 200, seed, capsys)


@pytest.mark.sweep
def test_frames_by_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A card without a server: one run after another, and one that finds another card's bitstream."""
    out = CARD.generate(tmp_path)
    for file in made_files(out, tmp_path)["card"].data:
        shutil.copy(file, tmp_path)
    before = os.environ.get(VARIABLE)
    use_library(library("core"))
    monkeypatch.chdir(tmp_path)
    x, y = (np.load(tmp_path / f"{name}.npy") for name in ("in", "out"))
    xclbin = tmp_path / "card" / "card.xclbin"
    with NativeNode(out / "memory_map.json", "card", xclbin=xclbin) as node:
        (name,) = (one.name for one in node.streams if one.enters)
        for count in (len(x), 1, 3):
            ran = node.run({name: x[:count]})
            ((left, packed),) = ran.outputs.items()
            got = node.layout([one.name for one in node.streams].index(left)).unpack(packed)
            assert np.array_equal(got.reshape(count, -1), y[:count].reshape(count, -1))
            assert ran.batch == 1
        with pytest.raises(HostError, match="batch 2: node card takes 1 to 1 frames in a transfer"):
            node.run({name: x}, batch=2)
    with NativeNode(out / "memory_map.json", "card", bus=Nothing()) as node:
        said = "kernels of a card move its frames, which own_registers cannot start"
        with pytest.raises(HostError, match=said):
            node.run({name: x})
    other = tmp_path / "other.xclbin"
    other.write_text(xclbin.read_text().replace("core card_kernel", "core other_kernel"))
    with pytest.raises(HostError, match="card_kernel"):
        NativeNode(out / "memory_map.json", "card", xclbin=other)
    use_library(before)


@pytest.mark.sweep
def test_bitstreams_by_order(mixed: Path, tmp_path: Path) -> None:
    """A card takes no frame without a bitstream; then it is loaded while frames are under way."""
    make_keys(tmp_path / "keys", "mixed", [name for name, _, _ in MIXED.nodes])
    files = made_files(mixed, tmp_path)
    (tmp_path / "bits").mkdir()
    shutil.copy(tmp_path / "card" / "card.xclbin", tmp_path / "bits")
    files["card"] = replace(files["card"], core=("--device", "0"))

    def options(name: str) -> tuple[str, ...]:
        (tmp_path / f"store_{name}").mkdir()
        return ("--keys", str(tmp_path / "keys" / name), "--store", str(tmp_path / f"store_{name}"))

    x, y = golden(mixed)
    with started(mixed, files, tmp_path / "nodes", options) as running:
        hosts = Hosts(running.hosts)
        hosts.tls = load(tmp_path / "keys" / "operator", False)
        with pytest.raises(HostError, match="card: no bitstream is loaded"):
            Cluster(mixed, hosts, patience=0.2)
        operator = Operator(mixed, hosts)
        assert operator.program(tmp_path / "bits", nodes=["card"]) == ["card"]
        with Cluster(mixed, hosts) as cluster:
            loading = threading.Thread(
                target=lambda: [cluster.program(tmp_path / "bits", nodes=["card"]) for _ in range(3)]
            )
            loading.start()
            count = 0
            while loading.is_alive() or count < 3:
                got = np.asarray(cluster.predict(np.concatenate([x] * 10)))
                assert np.array_equal(got.reshape(10, -1), y.reshape(1, -1).repeat(10, 0))
                count += 1
            assert cluster.epochs >= 4
            (tmp_path / "bits" / "card.xclbin").write_bytes(b"xclbin2\0 of somebody else")
            with pytest.raises(HostError, match=r"card: .*the bitstream is not taken: .*Invalid argument"):
                operator.program(tmp_path / "bits", nodes=["card"])


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("node", "words", "said"),
    [
        ("card", ("--model", "none"), "node card is a card: give its --device"),
        ("zed", ("--device", "0"), "--device: node zed is no card"),
        ("card", ("--device", "7", "--xclbin", "{card}"), "--device 7: Could not open device"),
        ("card", ("--device", "0", "--xclbin", "{map}"), "memory_map.json: load_xclbin: failed to load"),
        ("card", ("--device", "0", "--xclbin", "{other}"), "card_kernel:{core_0}: No such kernel"),
        ("card", ("--device", "0"), "--xclbin: it is missing; give the bitstream of the card, or --store"),
        ("card", ("--xclbin", "{card}", "--model", "none"), "--xclbin: it is for a card; give its --device"),
        ("shell", ("--device", "1"), "--device 1, vFPGA 0: ERROR: cThread instance could not be obtained"),
        (
            "shell",
            ("--device", "0"),
            "vFPGA 0: failed to load the card: Invalid argument; is Coyote's driver",
        ),
        ("shell", ("--device", "0000:65:00.1"), "'0000:65:00.1' is no number of a card that runs Coyote"),
        (
            "shell",
            ("--device", "0", "--xclbin", "{card}"),
            "--xclbin: node shell is in a card that runs Coyote",
        ),
    ],
)
def test_a_start_that_is_wrong(
    mixed: Path, tmp_path: Path, node: str, words: tuple[str, ...], said: str
) -> None:
    files = made_files(mixed, tmp_path)
    xclbin = tmp_path / "card" / "card.xclbin"
    (tmp_path / "other").write_text(xclbin.read_text().replace("core card_kernel", "core other_kernel"))
    given = {"{card}": xclbin, "{other}": tmp_path / "other", "{map}": mixed / "memory_map.json"}
    command = ["--map", "{map}", "--node", node, "--listen", "127.0.0.1:0", *words]
    ran = subprocess.run(
        [str(files[node].program), *(str(given.get(word, word)) for word in command)],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 2, ran.stderr
    assert said in " ".join(ran.stderr.split())
    assert ran.stderr.count("\n") == 1


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("option", "said", "function"),
    [
        ("-DSHELLGEN_XRT=ON", "XRT_INCLUDE", "xrt"),
        ("-DCYT_DIR=/none", "give a checkout", "coyote"),
    ],
)
def test_a_program_without(tmp_path: Path, option: str, said: str, function: str) -> None:
    """CMake refuses what it cannot compile in, and a program without it says so."""
    ran = subprocess.run(
        ["cmake", "-S", str(NODE), "-B", str(tmp_path / "build"), option],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode != 0
    assert said in " ".join(ran.stderr.split())
    source, program = tmp_path / "main.cpp", tmp_path / "without"
    source.write_text(
        f'#include "{function}_board.h"\n#include <iostream>\n'
        "int main() {\n    shellgen::NodeSettings node;\n"
        f"    try {{\n        shellgen::{function}_board({{}}, node);\n"
        "    } catch (const shellgen::InputError &error) {\n        std::cout << error.what();\n    }\n}\n"
    )
    sources = [str(source), str(NODE / f"{function}_none.cpp")]
    subprocess.run(["g++", "-std=c++17", f"-I{NODE}", *sources, "-o", str(program)], check=True)
    told = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    assert "and this program was compiled without; " in told
