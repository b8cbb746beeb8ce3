# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen weights` against FINN's own run-time weight files, for a real FINN build, byte for byte."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from shellgen.api import load, weights
from shellgen.stitch import stitch_model
from shellgen.stitch.environment import ensure_finn_env

DIGITS = Path(__file__).parents[1] / "examples" / "digits"
pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("stitch_finn")]

# What FINN's make_driver does for every node with run-time writeable weights.
FINN_WRITES = """
import sys
from pathlib import Path
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
CLUSTER = """
build = "build/dataflow_parent.onnx"
[[node]]
name = "zed"
board = "zedboard"
partitions = [0, 1]
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A FINN build of the digits example in two partitions, cluster.toml, and FINN's own weight files."""
    root = tmp_path_factory.mktemp("weights")
    config = json.loads((DIGITS / "folding_2.json").read_text())
    config["folding"] |= WIDE
    (root / "folding.json").write_text(json.dumps(config))
    stitch_model(DIGITS / "digits.onnx", root / "folding.json", root / "build")
    (root / "cluster.toml").write_text(CLUSTER)
    (root / "finn").mkdir()
    children = [str(path) for path in sorted(root.glob("build/*/*.onnx"))]
    command = [str(ensure_finn_env()), "-c", FINN_WRITES, str(root / "finn"), *children]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-2000:]
    return root


def numbers(path: Path) -> list[int]:
    return [int(line, 16) for line in path.read_text().split()]


def test_the_words_are_those_that_finn_writes(made: Path) -> None:
    count, silent = weights(made / "cluster.toml", made / "ours")
    assert (count, silent) == (11, [])
    ours = {path.name: numbers(path) for path in (made / "ours" / "zed").glob("*.dat")}
    finn = {path.name: numbers(path) for path in (made / "finn").glob("*.dat")}
    assert ours.keys() == finn.keys()
    differing = [name for name in ours if ours[name] != finn[name]]
    assert not differing
    assert sum(len(values) for values in ours.values()) > 3000


def test_every_kind_of_memory_is_among_them(made: Path) -> None:
    plan, network, _ = load(made / "cluster.toml")
    memories = [window.memory for window in plan.nodes[0].memories if window.memory]
    assert {memory.kind for memory in memories} == {"weights", "thresholds"}
    assert max(memory.lanes for memory in memories) >= 4
    assert any(-(-memory.word_bits // 32) < memory.lanes for memory in memories)
    assert any(memory.group_used < memory.group_rows for memory in memories)
    assert len(network.registers) == len(memories) == 11
