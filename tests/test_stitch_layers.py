# SPDX-License-Identifier: BSD-3-Clause
"""Layers that FINN has as Vitis HLS only: a network of them, cut across skip edges, stitched and run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from cluster_bench import run
from layer_network import write_network

from shellgen.api import generate
from shellgen.stitch import PARENT, stitch_model

pytestmark = [pytest.mark.finn, pytest.mark.sweep, pytest.mark.xdist_group("stitch_finn")]
OURS = {
    "DuplicateStreams",
    "ElementwiseAdd",
    "ElementwiseMul",
    "ElementwiseSub",
    "GlobalAccPool",
    "LabelSelect",
    "Pool",
    "StreamingConcat",
    "StreamingSplit",
    "UpsampleNearestNeighbour",
}
# Neighbours differ in PE or SIMD nearly everywhere; one fork has a deep FIFO.
FOLDING = {
    "FMPadding_0": {"SIMD": 2},
    "ConvolutionInputGenerator_0": {"SIMD": 2},
    "Pool_0": {"PE": 2},
    "DuplicateStreams_0": {"PE": 3},
    "ElementwiseAdd_0": {"PE": 3},
    "Thresholding_0": {"PE": 2},
    "DuplicateStreams_1": {"PE": 3, "outFIFODepths": [300, 2]},
    "ElementwiseMul_0": {"PE": 2},
    "ElementwiseSub_0": {"PE": 6},
    "StreamingSplit_0": {"SIMD": 2},
    "StreamingConcat_0": {"SIMD": 1},
    "ConvolutionInputGenerator_1": {"SIMD": 3},
    "Pool_1": {"PE": 3},
    "UpsampleNearestNeighbour_0": {"SIMD": 2},
    "GlobalAccPool_0": {"PE": 3},
    "LabelSelect_0": {"PE": 2},
}
CLUSTER = """
build = "build/{parent}"

[[node]]
name = "zed0"
board = "zedboard"
partitions = [0, 2]

[[node]]
name = "zed1"
board = "zedboard"
partitions = [1]

[verify]
input = "build/input.npy"
output = "build/output.npy"
"""


def test_a_network_of_them_is_bit_exact_over_two_boards(tmp_path: Path) -> None:
    write_network(tmp_path / "model.onnx")
    np.save(tmp_path / "input.npy", np.random.default_rng(1).integers(0, 16, size=(8, 8, 8, 6)))
    config = {"part": "xc7z020clg484-1", "clk_ns": 10, "cut_before": ["FMPadding_0", "ElementwiseAdd_0"]}
    (tmp_path / "folding.json").write_text(json.dumps(config | {"folding": FOLDING}))
    names = stitch_model(
        tmp_path / "model.onnx", tmp_path / "folding.json", tmp_path / "build", tmp_path / "input.npy"
    )
    marked = set()
    for name in names:
        for node in onnx.load(tmp_path / "build" / name / f"{name}.onnx").graph.node:
            if node.doc_string.startswith("RTL of shellgen"):
                marked.add(node.op_type)
    assert marked == OURS
    (tmp_path / "cluster.toml").write_text(CLUSTER.format(parent=PARENT))
    generate(tmp_path / "cluster.toml", tmp_path / "out")
    report = run(tmp_path / "out", "verilator", frames=8, idle_limit=20_000)
    assert report["passed"], report["problem"]
    compared = {entry["name"]: entry["words"] for entry in report["stalled"]["verdicts"]}
    assert compared["golden"] >= 8 * 6
