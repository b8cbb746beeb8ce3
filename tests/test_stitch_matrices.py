# SPDX-License-Identifier: BSD-3-Clause
"""Matrix units that FINN has as Vitis HLS only: of one bit, of more than 8, depthwise."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from binary_export import BinaryExport, cnv, depthwise, frames, mlp, pooled_head
from cluster_bench import run
from layer_network import FINN, Network

from shellgen.api import generate
from shellgen.errors import InputError
from shellgen.read import read_network
from shellgen.stitch import PARENT, stitch_model

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("stitch_finn")]
PART = "xc7z020clg484-1"
CLUSTER = """
build = "build/{parent}"

[[node]]
name = "zed0"
board = "zedboard"
partitions = [0]

[[node]]
name = "zed1"
board = "zedboard"
partitions = [1]

[verify]
input = "build/input.npy"
output = "build/output.npy"
"""


def stitched(model: Path, vectors: Any, **config: Any) -> tuple[list[Path], list[str]]:
    """Stitch into ``build`` beside the model; returns the models of the partitions and what was said."""
    folder = model.parent
    (folder / "folding.json").write_text(json.dumps({"part": PART, "clk_ns": 10, **config}))
    np.save(folder / "frames.npy", vectors)
    said: list[str] = []
    names = stitch_model(
        model, folder / "folding.json", folder / "build", folder / "frames.npy", say=said.append
    )
    return [folder / "build" / name / f"{name}.onnx" for name in names], said


def ours(child: Path) -> list[dict[str, int]]:
    """Return the parameters of each `layer_dot` of a partition, in network order."""
    names = [node.name for node in onnx.load(child).graph.node if "layer_dot" in node.doc_string]
    texts = [(child.parent / f"stitched_ip/ip/src/shellgen_{name}.v").read_text() for name in names]
    units = [text[text.index("shellgen_layer_dot #(") :] for text in texts]
    return [{key: int(value) for key, value in re.findall(r"\.(\w+)\((\d+)\),?\n", unit)} for unit in units]


def test_an_export_of_one_bit(tmp_path: Path) -> None:
    model = mlp(tmp_path / "model.onnx", 1, (12, 8, 6, 5), first_bits=9)
    folding = {
        "MVAU_0": {"SIMD": 3, "PE": 4, "mem_mode": "internal_embedded"},
        "MVAU_1": {"SIMD": 8, "PE": 2, "runtime_writeable_weights": 1},
    }
    (child,), said = stitched(model, frames((1, 12), 40, -4, 4), folding=folding)
    assert not [line for line in said if "differ" in line], (
        "the export's own execution and FINN's layers agree"
    )
    assert "a memory in front of the layer, since only HLS embeds them: MVAU_0" in said[-1]
    kinds = [[unit[key] for key in ("A_W", "A_KIND", "W_W", "W_KIND", "OWN")] for unit in ours(child)]
    # The last one has no thresholds that a count could move to.
    assert kinds == [[9, 1, 1, 2, 0], [1, 2, 1, 2, 0], [1, 2, 2, 1, 0]]
    (partition,) = read_network(tmp_path / "build" / PARENT, ()).partitions
    (port,) = [port for port in partition.axilite if port.memory and port.memory.kind == "weights"]
    assert port.memory is not None
    assert port.memory.layer.endswith("MVAU_1")


@pytest.mark.sweep
def test_what_finn_made_for_its_hls(tmp_path: Path) -> None:
    """XNOR mode and thresholds inside, as FINN's own flow has them; the answer is numpy's."""
    rng = np.random.default_rng(4)
    net = Network()
    x = net.tensor("x", (1, 12), "BINARY")
    weights, steps = rng.integers(0, 2, (12, 6)), np.sort(rng.integers(0, 13, (6, 3)))
    net.node(
        "MVAU_hls",
        [x, net.constant("w", weights, "BINARY"), net.constant("t", steps, "UINT4")],
        [net.tensor("y", (1, 6), "UINT2")],
        f"{FINN}.hls",
        backend="fpgadataflow",
        MW=12,
        MH=6,
        SIMD=4,
        PE=2,
        binaryXnorMode=1,
        noActivation=0,
        inputDataType="BINARY",
        weightDataType="BINARY",
        outputDataType="UINT2",
        accDataType="UINT4",
        numInputVectors=[1],
    )
    net.save(tmp_path / "model.onnx", x, "y")
    given = rng.integers(0, 2, (30, 1, 12))
    (child,), _ = stitched(tmp_path / "model.onnx", given)
    counts = (given.reshape(30, 12, 1) == weights).sum(axis=1)
    expected = (counts[:, :, None] >= steps).sum(axis=2)
    assert np.array_equal(np.load(tmp_path / "build" / "output.npy").reshape(30, 6), expected)
    (unit,) = ours(child)
    assert [unit[key] for key in ("SIMD", "PE", "STEPS", "A_KIND", "W_KIND")] == [4, 2, 3, 2, 2]


@pytest.mark.sweep
def test_what_one_bit_cannot_be(tmp_path: Path) -> None:
    net = BinaryExport((1, 4, 6, 6), 1)
    x = net.binary_conv(net.bipolar("global_in"), (4, 4), pad=1)
    padded = net.save(x, (1, 4, 6, 6), tmp_path / "padded.onnx")
    with pytest.raises(InputError, match=r"pads an image of BIPOLAR values with 0.*Use INT2 activations"):
        stitched(padded, frames((1, 4, 6, 6), 2))
    model = depthwise(tmp_path / "wise.onnx", 4)
    folding = {"VVAU_0": {"SIMD": 3, "PE": 4}}
    with pytest.raises(InputError, match=r"one pixel of a window at a time, and SIMD is 3. Set SIMD to 1"):
        stitched(model, frames((1, 4, 8, 8), 1, 0, 15), folding=folding)


def unsigned(path: Path) -> tuple[int, ...]:
    """Write two matrices for FINN's RTL: one without negative weights, one with a single 1 in each column."""
    net, weights = Network(), np.zeros((8, 6))
    weights[:5] = np.arange(30).reshape(5, 6) % 4
    source = net.tensor("x", (1, 8), "UINT4")
    net.node("MatMul", [source, net.constant("some", weights, "INT4")], [net.tensor("sums", (1, 6), "INT10")])
    steps = net.constant("steps", np.arange(6).reshape(6, 1) + np.arange(2, 47, 3), "INT10")
    made = net.tensor("y", (1, 6), "UINT4")
    net.node("MultiThreshold", ["sums", steps], [made], "qonnx.custom_op.general", out_dtype="UINT4")
    one = np.eye(6, 5) * np.array([1, -1, 1, -1, 1])
    net.node("MatMul", [made, net.constant("single", one, "INT4")], [net.tensor("few", (1, 5), "INT10")])
    steps = net.constant("more", np.tile(np.arange(-14, 16, 2), (5, 1)), "INT10")
    net.tensor("z", (1, 5), "UINT4")
    net.node("MultiThreshold", ["few", steps], ["z"], "qonnx.custom_op.general", out_dtype="UINT4")
    net.save(path, source, "z", onnx.TensorProto.FLOAT)
    return (1, 8)


@pytest.mark.sweep
def test_what_finns_rtl_takes_after_types_are_minimised(tmp_path: Path) -> None:
    """Weights for which it has a sign, and no fewer bits in a sum than in a product."""
    values = np.round(frames(unsigned(tmp_path / "model.onnx"), 4, 0, 15))
    children, _ = stitched(tmp_path / "model.onnx", values)
    nodes = [node for child in children for node in onnx.load(child).graph.node if node.op_type == "MVAU_rtl"]
    names = ("weightDataType", "accDataType", "outputDataType")
    types = [
        {entry.name: entry.s.decode() for entry in node.attribute if entry.name in names} for node in nodes
    ]
    assert [entry["weightDataType"] for entry in types] == ["INT3", "INT2"]
    assert [entry["accDataType"] for entry in types] == ["UINT8", "INT6"]
    assert all(entry["accDataType"] == entry["outputDataType"] for entry in types)


WIDE = {"ConvolutionInputGenerator_0": {"SIMD": 3}, "MVAU_0": {"SIMD": 3, "PE": 8}, "Pool_0": {"PE": 8}}
WIDE |= {f"ConvolutionInputGenerator_{index}": {"SIMD": 8} for index in (1, 2, 3)}
WIDE |= {"MVAU_1": {"SIMD": 8, "PE": 8}, "MVAU_2": {"SIMD": 8, "PE": 4}}
APART = {"ConvolutionInputGenerator_0": {"SIMD": 2}, "VVAU_0": {"PE": 2}}
APART |= {"ConvolutionInputGenerator_1": {"SIMD": 3}, "VVAU_1": {"PE": 3, "runtime_writeable_weights": 1}}
FOLDED = {"MVAU_0": {"SIMD": 16, "PE": 4}, "MVAU_1": {"SIMD": 8, "PE": 2}, "MVAU_2": {"SIMD": 2, "PE": 5}}
SMALL = (((8, 8), (16,)), (16, 4))


@pytest.mark.sweep
@pytest.mark.parametrize(
    "name", ["mlp1", "mlp2", "cnv1", "cnv2", "head", "depthwise4", "depthwise1", "unsigned"]
)
def test_they_are_bit_exact_over_two_boards(name: str, tmp_path: Path) -> None:
    bits, path = int(name[-1]) if name[-1].isdigit() else 4, tmp_path / "model.onnx"
    shape: tuple[int, ...] = (1, 48)
    low, high = -1.0, 1.0
    folding: dict[str, Any] = FOLDED
    if name.startswith("mlp"):
        mlp(path, bits, (48, 16, 16, 10))
        cut = "MVAU_1"
    elif name.startswith("cnv"):
        cnv(path, bits, 12, *SMALL)
        shape, cut, folding = (1, 3, 12, 12), "MVAU_2", WIDE
    elif name == "head":
        pooled_head(path, 7)
        shape, low, high, cut, folding = (1, 4, 7, 7), 0, 15, "GlobalAccPool_0", {}
    elif name == "unsigned":
        shape, low, high, cut, folding = unsigned(path), 0, 15, "MVAU_1", {}
    else:
        depthwise(path, bits)
        shape, low, high, cut, folding = (1, 4, 8, 8), 0, 15, "MVAU_0", APART
    values = frames(shape, 6, low, high)
    values = np.round(values) if name == "unsigned" else values
    children, said = stitched(path, values, folding=folding, cut_before=[cut])
    assert not [line for line in said if "differ" in line]
    assert any(map(ours, children)) is (name != "unsigned")
    (tmp_path / "cluster.toml").write_text(CLUSTER.format(parent=PARENT))
    generate(tmp_path / "cluster.toml", tmp_path / "out")
    report = run(tmp_path / "out", "verilator", seconds=900, frames=6, idle_limit=20_000)
    assert report["passed"], report["problem"]
    assert {entry["name"] for entry in report["stalled"]["verdicts"]} >= {"golden", "monolith"}


# ---- the field's standard examples, with their sizes and folding ------------------------------------------
CNV_PE, CNV_SIMD = (16, 32, 16, 16, 4, 1, 1, 1, 5), (3, 32, 32, 32, 32, 32, 4, 8, 1)


@pytest.mark.sweep
@pytest.mark.parametrize("bits", [1, 2])
@pytest.mark.parametrize("name", ["tfc", "lfc", "cnv"])
def test_the_standard_examples_stitch(name: str, bits: int, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    if name == "cnv":
        cnv(path, bits, 32, ((64, 64), (128, 128), (256, 256)), (512, 512, 10))
        shape: tuple[int, ...] = (1, 3, 32, 32)
        folding = {f"MVAU_{i}": {"PE": CNV_PE[i], "SIMD": CNV_SIMD[i]} for i in range(9)}
        units = 9
    else:
        width = 64 if name == "tfc" else 1024
        mlp(path, bits, (784, width, width, width, 10))
        shape, units = (1, 784), 4
        folding = {"MVAU_0": {"SIMD": 49, "PE": 16}, "MVAU_3": {"SIMD": 8, "PE": 10}}
        folding |= {f"MVAU_{i}": {"SIMD": 8, "PE": 8} for i in (1, 2)}
    (child,), said = stitched(path, frames(shape, 2), folding=folding)
    assert len(ours(child)) == units
    assert not [line for line in said if "differ" in line]
