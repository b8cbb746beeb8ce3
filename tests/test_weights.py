# SPDX-License-Identifier: BSD-3-Clause
"""Weights of a real FINN build: the files are FINN's own byte for byte, and they load into FINN's own RTL."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from cluster_bench import run
from digit_images import DIGITS, held_out

from shellgen import stitch
from shellgen.api import generate, load, weights
from shellgen.read import read_network
from shellgen.stitch import stitch_model
from shellgen.stitch.environment import ensure_finn_env

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("stitch_finn")]

# What FINN's make_driver does for every node with run-time writeable weights.
FINN_WRITES = """
import sys
from pathlib import Path
from finn_worker.stand_ins import stand_in
stand_in()
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.custom_op.registry import getCustomOp
for child in sys.argv[2:]:
    model = ModelWrapper(child)
    index = 0
    for node in model.graph.node:
        instance = getCustomOp(node)
        known = "runtime_writeable_weights" in instance.get_nodeattr_types()
        if known and instance.get_nodeattr("runtime_writeable_weights") == 1:
            name = f"{Path(child).stem}_s_axilite_{index}.dat"
            values = model.get_initializer(node.input[1])
            instance.make_weight_file(values, "decoupled_runtime", f"{sys.argv[1]}/{name}")
            index += 1
"""

# Words of one register, of eight, and of three, which take four; channels that are no power of two.
WIDE = {
    "MVAU_0": {"SIMD": 16, "PE": 4},
    "Thresholding_0": {"PE": 4},
    "MVAU_1": {"SIMD": 8, "PE": 3},
    "Thresholding_1": {"PE": 3},
}
# The memories of the first board are reached through the plain tree, those of the second through the bridge.
CLUSTER = """
build = "build/dataflow_parent.onnx"
[[node]]
name = "plain"
board = "zedboard"
partitions = [0]
[[node]]
name = "bridged"
board = "zedboard"
partitions = [1]
lite = { access = "bridge" }
[verify]
input = "build/input.npy"
output = "build/output.npy"
"""
FRAMES = 8


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A FINN build of the digits example in two partitions, cluster.toml, and FINN's own weight files."""
    root = tmp_path_factory.mktemp("weights")
    config = json.loads((DIGITS / "folding_2.json").read_text())
    config["folding"] |= WIDE
    (root / "folding.json").write_text(json.dumps(config))
    np.save(root / "digits.npy", held_out()[-FRAMES:])
    stitch_model(DIGITS / "digits.onnx", root / "folding.json", root / "build", root / "digits.npy")
    (root / "cluster.toml").write_text(CLUSTER)
    (root / "finn").mkdir()
    children = [str(path) for path in sorted(root.glob("build/*/*.onnx"))]
    command = [str(ensure_finn_env()), "-c", FINN_WRITES, str(root / "finn"), *children]
    worker = {"PYTHONPATH": str(Path(stitch.__file__).parent), "FINN_BUILD_DIR": str(root)}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | worker)
    assert result.returncode == 0, result.stderr[-2000:]
    return root


def numbers(path: Path) -> list[int]:
    lines = path.read_text().splitlines()
    return [int(line, 16) for line in lines if not line.startswith("//")]


def test_the_words_are_those_that_finn_writes(made: Path) -> None:
    count, silent = weights(made / "cluster.toml", made / "ours")
    assert (count, silent) == (11, [])
    ours = {path.name: numbers(path) for path in (made / "ours").glob("*/*.dat")}
    finn = {path.name: numbers(path) for path in (made / "finn").glob("*.dat")}
    assert ours.keys() == finn.keys()
    differing = [name for name in ours if ours[name] != finn[name]]
    assert not differing
    assert sum(len(values) for values in ours.values()) > 3000


def test_every_kind_of_memory_is_among_them(made: Path) -> None:
    plan, network, _ = load(made / "cluster.toml")
    memories = [window.memory for node in plan.nodes for window in node.memories if window.memory]
    assert {memory.kind for memory in memories} == {"weights", "thresholds"}
    assert max(memory.lanes for memory in memories) >= 4
    assert any(-(-memory.word_bits // 32) < memory.lanes for memory in memories)
    assert any(memory.group_used < memory.group_rows for memory in memories)
    packed = [registers for pack in network.registers.values() if (registers := pack()) is not None]
    assert len(packed) == len(memories) == 11


def test_lost_memory_files_are_made_again(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "build", tmp_path / "build")
    before = read_network(tmp_path / "build/dataflow_parent.onnx")
    lost = list((tmp_path / "build").rglob("*.dat"))
    for path in lost:
        path.unlink()
    after = read_network(tmp_path / "build/dataflow_parent.onnx")
    assert len(lost) > 20
    assert after.partitions == before.partitions, "names and contents of all files"


@pytest.mark.recorded
def test_finn_rtl_classifies_after_the_load(made: Path, tmp_path: Path) -> None:
    """Noise in every memory, then the board's own loader: through the plain tree, and through the bridge.

    Before that the register test and the protocol checks: FINN's slaves are not alike, and some have no PROT.
    """
    plan, _ = generate(made / "cluster.toml", tmp_path / "out")
    weights(made / "cluster.toml", tmp_path / "weights")
    assert [node.bridge is not None for node in plan.nodes] == [False, True]
    options = {"control": False, "walk": True, "full_rate": False, "frames": FRAMES}
    report = run(tmp_path / "out", "verilator", weights=str(tmp_path / "weights"), **options)
    assert report["passed"], report["problem"]
    assert set(report["protocol"]) == {"plain", "bridged"}
    assert [(f["node"], f["memories"]) for f in report["loaded"]] == [("plain", 6), ("bridged", 5)]
    verdicts = {verdict["name"]: verdict for verdict in report["stalled"]["verdicts"]}
    assert verdicts["golden"]["words"] == (FRAMES + 1) * 10
    assert all(verdict["passed"] for verdict in verdicts.values())


@pytest.mark.sweep
def test_finn_rtl_with_one_wrong_weight_is_seen(made: Path, tmp_path: Path) -> None:
    generate(made / "cluster.toml", tmp_path / "out")
    weights(made / "cluster.toml", tmp_path / "weights")
    path = min((tmp_path / "weights" / "bridged").glob("*.dat"))
    lines = path.read_text().splitlines()
    lines[1] = f"{int(lines[1], 16) ^ 1:08x}"
    path.write_text("\n".join(lines) + "\n")
    options = {"control": False, "walk": False, "full_rate": False, "frames": FRAMES, "edited": True}
    report = run(tmp_path / "out", "verilator", weights=str(tmp_path / "weights"), **options)
    assert report["loaded"], "the loader loads what the file says"
    failing = {verdict["name"] for verdict in report["stalled"]["verdicts"] if not verdict["passed"]}
    assert failing == {"golden"}, "the monolith has got the same"
