# SPDX-License-Identifier: BSD-3-Clause
"""Exports of training frameworks go through FINN's streamlining, and what the host keeps is named."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

from shellgen.errors import InputError
from shellgen.read import read_network
from shellgen.stitch import PARENT, stitch_model

RESIDUAL = Path(__file__).parents[1] / "examples" / "residual"
sys.path.insert(0, str(RESIDUAL))
from qonnx_export import Export  # noqa: E402

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("stitch_finn")]


def stitched(model: Path, frames: np.ndarray) -> tuple[Path, list[str]]:
    """Stitch into ``build`` beside the model; returns it and the messages to the user."""
    folder = model.parent
    (folder / "folding.json").write_text(json.dumps({"part": "xc7z020clg484-1", "clk_ns": 10}))
    np.save(folder / "frames.npy", frames)
    said: list[str] = []
    stitch_model(model, folder / "folding.json", folder / "build", folder / "frames.npy", say=said.append)
    return folder / "build", said


def test_a_network_with_biases_and_batch_norm(tmp_path: Path) -> None:
    net = Export((1, 12))
    hidden = net.batch_norm(net.gemm(net.quant("global_in", 1 / 16, 5, signed=True), 12, 8), 8)
    out = net.op("Softmax", net.gemm(net.relu(hidden), 8, 4), axis=-1)
    model = net.save(out, (1, 4), tmp_path / "mlp.onnx")
    build, said = stitched(model, np.random.default_rng(0).normal(size=(5, 1, 12)))
    assert said == [
        "left to the host, before the first layer: MultiThreshold (MultiThreshold_0)",
        "left to the host, behind the last layer: Mul (Mul_0), Add (Add_0), Softmax (Softmax_0)",
        "no folding is given: PE and SIMD of all matrix layers are 1, and a frame takes 96 cycles in "
        "StreamingDataflowPartition_0_MVAU_rtl_0, which is 1,041,667 frames/s at 100 MHz",
    ]
    assert np.load(build / "input.npy").shape == (5, 1, 12)
    assert np.load(build / "input.npy").max() > 10, "the vectors are what crosses the ports: quantised"
    assert np.load(build / "output.npy").shape == (5, 1, 4)
    kinds = {
        side: [node.op_type for node in onnx.load(build / f"host_{side}.onnx").graph.node]
        for side in ("before", "after")
    }
    assert kinds == {"before": ["MultiThreshold"], "after": ["Mul", "Add", "Softmax"]}


@pytest.mark.sweep
def test_inputs_and_outputs_of_any_name_and_number(tmp_path: Path) -> None:
    """Two inputs that are no sum of each other, parameters listed as inputs too, an early second output."""
    net = Export((1, 12))
    sides = [
        net.quant(net.gemm(net.quant(name, 1 / 16, bits, signed=True), 12, 8), 1 / 4, 4, signed=True)
        for name, bits in (("pixels", 5), ("age", 3))
    ]
    inner = net.relu(net.op("Add", *sides), 0.31)  # no sum lies on a threshold
    early = net.gemm(inner, 8, 4)
    out = net.gemm(net.relu(net.gemm(inner, 8, 8)), 8, 4)
    path = net.save(out, (1, 4), tmp_path / "two.onnx")
    model = onnx.load(path)
    model.graph.output.append(onnx.helper.make_tensor_value_info(early, onnx.TensorProto.FLOAT, (1, 4)))
    model.graph.node.append(onnx.helper.make_node("Constant", [], ["scale"], value_float=0.25))
    model.graph.output.append(onnx.helper.make_tensor_value_info("scale", onnx.TensorProto.FLOAT, ()))
    (source,) = model.graph.input
    del model.graph.input[:]
    for name in ("pixels", "age"):
        value = onnx.ValueInfoProto.FromString(source.SerializeToString())
        value.name = name
        model.graph.input.append(value)
    for constant in model.graph.initializer:
        kind, shape = constant.data_type, list(constant.dims)
        model.graph.input.append(onnx.helper.make_tensor_value_info(constant.name, kind, shape))
    onnx.save(model, path)
    rng = np.random.default_rng(0)
    age, pixels = rng.normal(size=(5, 1, 12)) / 8, rng.normal(size=(5, 1, 12))
    np.savez(tmp_path / "frames.npz", age=age, pixels=pixels)
    said: list[str] = []
    given = {"part": "xc7z020clg484-1"}
    stitch_model(path, None, tmp_path / "build", tmp_path / "frames.npz", given=given, say=said.append)
    assert not [text for text in said if "differ" in text], "its own execution gives the same"
    assert not [text for text in said if "compared" in text], "the constant output does not prevent it"
    assert "left out, as they are the same for every frame: outputs scale" in said
    most = [int(np.abs(np.load(tmp_path / f"build/input_{index}.npy")).max()) for index in range(2)]
    assert most[0] > 4 >= most[1], "in the order of the model"
    ends = {
        name: [[value.name for value in side] for side in (graph.input, graph.output)]
        for name, graph in (
            (name, onnx.load(tmp_path / "build" / f"{name}.onnx").graph)
            for name in ("host_before", "dataflow_parent", "host_after")
        )
    }
    assert ends["host_before"][0] == ["pixels", "age"]
    assert ends["dataflow_parent"] == [ends["host_before"][1], ends["host_after"][0]]
    assert ends["host_after"][1] == [out, early], "the shorter way was first in the partition"
    found = read_network(tmp_path / "build").tensors
    assert list(found.values()) == [name for side in ends["dataflow_parent"] for name in side]
    assert [end.port for end in found] == ["s_axis_0", "s_axis_1", "m_axis_1", "m_axis_0"]


def test_convolutions_of_an_image_in_channels_first(tmp_path: Path) -> None:
    net = Export((1, 4, 8, 8))
    wide = net.conv(net.quant("global_in", 1, 4, signed=False), (4, 4), group=4)  # depthwise
    pointwise = net.conv(net.relu(net.batch_norm(wide, 4)), (4, 6), kernel=1)
    strided = net.conv(net.relu(pointwise), (6, 4), strides=[2, 2], group=2)
    flat = net.op("Flatten", net.relu(strided), axis=1)
    model = net.save(net.gemm(flat, 64, 3), (1, 3), tmp_path / "cnn.onnx")
    build, said = stitched(model, np.random.default_rng(0).uniform(0, 15, (2, 1, 4, 8, 8)))
    assert "MultiThreshold (MultiThreshold_0), Transpose (Transpose_0)" in said[1]
    assert np.load(build / "input.npy").shape == (2, 1, 8, 8, 4)
    child = onnx.load(build / "StreamingDataflowPartition_0" / "StreamingDataflowPartition_0.onnx")
    kinds = [node.op_type for node in child.graph.node]
    counted = ("ConvolutionInputGenerator_rtl", "VVAU", "MVAU_rtl")
    assert [kinds.count(kind) for kind in counted] == [2, 1, 3]
    assert "6 to 4 channels in 2 groups" in said[0], "nothing becomes dense in silence"
    assert "dense, with 2 times its weights" in said[0]
    assert (build / PARENT).is_file()


def test_what_the_export_lacks_is_said(tmp_path: Path) -> None:
    net = Export((2, 12))
    batch = net.save(net.gemm(net.relu("global_in"), 12, 8), (2, 8), tmp_path / "batch.onnx")
    with pytest.raises(InputError, match=r"input global_in: its first dimension is 2. Export the network"):
        stitched(batch, np.zeros((1, 2, 12)))
    net = Export((1, 4, 12, 12, 12))
    quantised = net.quant("global_in", 1, 4, signed=False)
    pooled = net.op("MaxPool", quantised, kernel_shape=[2] * 3, strides=[2] * 3)
    path = net.save(pooled, (1, 4, 6, 6, 6), tmp_path / "pool.onnx")
    with pytest.raises(InputError, match=r"MaxPool: its window has 3 dimensions, .*kernel of \[K, 1\]"):
        stitched(path, np.zeros((1, 1, 4, 12, 12, 12)))
    net = Export((1, 12))
    floats = net.op("MatMul", "global_in", net.constant(np.ones((12, 8))))
    floats = net.op("MatMul", net.op("Relu", floats), net.constant(np.ones((8, 8))))
    path = net.save(floats, (1, 8), tmp_path / "floats.onnx")
    model = onnx.load(path)
    next(node for node in model.graph.node if node.op_type == "MatMul").name = "first"
    onnx.save(model, path)
    with pytest.raises(
        InputError, match=r"node first: this MatMul and 1 more layer work on FLOAT32, and noth"
    ):
        stitched(path, np.zeros((1, 1, 12)))
    net = Export((1, 12))
    plain = net.save(net.relu(net.gemm("global_in", 12, 8)), (1, 8), tmp_path / "plain.onnx")
    with pytest.raises(InputError, match=r"input values of this MatMul .* are FLOAT32.*Put a Quant node"):
        stitched(plain, np.zeros((1, 1, 12)))
