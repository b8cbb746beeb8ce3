# SPDX-License-Identifier: BSD-3-Clause
"""Models that FINN's own flow left behind: layers of older releases, parents with a part for the host."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from layer_network import FINN, Network
from onnx import helper, numpy_helper

from shellgen.errors import InputError
from shellgen.stitch import PARENT, stitch_model

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("stitch_finn")]


def test_layers_of_older_releases(tmp_path: Path) -> None:
    """A sum, a Vivado FIFO and a product by channel, as finn-plus 1.3 writes them, folded by those names."""
    domain, shape = FINN, [1, 4]
    common: dict[str, Any] = {"NumChannels": 4, "PE": 1, "numInputVectors": [1], "backend": "fpgadataflow"}
    fifo: dict[str, Any] = {
        "depth": 300,
        "folded_shape": [1, 4, 1],
        "normal_shape": shape,
        "dataType": "INT5",
    }
    types: dict[str, Any] = {"inputDataType": "INT5", "paramDataType": "INT4", "outputDataType": "INT9"}
    nodes = [
        helper.make_node(
            "AddStreams_hls",
            ["a", "b"],
            ["s"],
            "AddStreams_hls_0",
            domain=f"{domain}.hls",
            **common,
            inputDataTypes=["INT4"] * 2,
        ),
        helper.make_node(
            "StreamingFIFO_rtl",
            ["s"],
            ["t"],
            "StreamingFIFO_rtl_0",
            domain=f"{domain}.rtl",
            backend="fpgadataflow",
            impl_style="vivado",
            **fifo,
        ),
        helper.make_node(
            "ChannelwiseOp_hls",
            ["t", "v"],
            ["y"],
            "ChannelwiseOp_hls_0",
            domain=f"{domain}.hls",
            Func="mul",
            **common,
            **types,
        ),
    ]
    names = {"a": "INT4", "b": "INT4", "s": "INT5", "t": "INT5", "v": "INT4", "y": "INT9"}
    factors = np.array([-7, 2, 0, 5], np.float32)
    values = {name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name in "absty"}
    graph = helper.make_graph(
        nodes,
        "old",
        [values["a"], values["b"]],
        [values["y"]],
        [numpy_helper.from_array(factors, "v")],
        value_info=[values["s"], values["t"]],
    )
    for name, kind in names.items():
        note = graph.quantization_annotation.add(tensor_name=name)
        note.quant_parameter_tensor_names.add(key="finn_datatype", value=kind)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)]), tmp_path / "old.onnx")
    a, b = np.random.default_rng(2).integers(-8, 8, (2, 5, 4))
    np.savez(tmp_path / "in.npz", a=a, b=b)
    layers = {"AddStreams_0": {"PE": 2}, "ChannelwiseOp_0": {"PE": 4}}
    (tmp_path / "folding.json").write_text(json.dumps({"part": "xc7z020clg484-1", "folding": layers}))
    given = (tmp_path / "folding.json", tmp_path / "out", tmp_path / "in.npz")
    (name,) = stitch_model(tmp_path / "old.onnx", *given)
    child = onnx.load(tmp_path / "out" / name / f"{name}.onnx")
    folded = {
        node.op_type: {entry.name: entry.i for entry in node.attribute}.get("PE") for node in child.graph.node
    }
    assert (folded["ElementwiseAdd"], folded["ElementwiseMul"]) == (2, 4)
    got = np.load(tmp_path / "out" / "output.npy").reshape(5, 4)
    assert np.array_equal(got, (a + b) * factors.astype(int))
    depths = [entry.i for node in child.graph.node for entry in node.attribute if entry.name == "depth"]
    assert 300 in depths


def write_parent(folder: Path, weights: np.ndarray, steps: np.ndarray) -> Path:
    """Write a parent that keeps scaling for the host, and its child where an older FINN puts it.

    The child pools 4x4 pixels of 4 channels, and multiplies with thresholds inside the matrix unit.
    """
    child = Network()
    x = child.tensor("x", (1, 4, 4, 4), "UINT3")
    pooled = child.tensor("pooled", (1, 2, 2, 4), "UINT3")
    child.node(
        "StreamingMaxPool_Batch",
        [x],
        [pooled],
        FINN,
        name="StreamingMaxPool_Batch_0",
        backend="fpgadataflow",
        ImgDim=[4, 4],
        PoolDim=[2, 2],
        NumChannels=4,
        PE=2,
        CeilMode=0,
        dataType="UINT3",
    )
    child.node(
        "MVAU",
        [pooled, child.constant("w", weights, "INT3"), child.constant("t", steps, "INT8")],
        [child.tensor("y", (1, 2, 2, 3), "UINT2")],
        FINN,
        name="MVAU_0",
        backend="fpgadataflow",
        MW=4,
        MH=3,
        SIMD=2,
        PE=3,
        noActivation=0,
        inputDataType="UINT3",
        weightDataType="INT3",
        outputDataType="UINT2",
        accDataType="INT8",
        numInputVectors=[1, 2, 2],
    )
    path = "run/intermediate_models/supported_op_partitions/partition_0.onnx"
    (folder / "supported_op_partitions").mkdir()
    child.save(folder / "supported_op_partitions" / "partition_0.onnx", x, "y")
    parent = Network()
    image = parent.tensor("pixels", (1, 4, 4, 4), "FLOAT32")
    parent.node("MatMul", [image, parent.constant("mix", np.eye(4), "FLOAT32")], ["mixed"])
    parent.tensor("mixed", (1, 4, 4, 4), "FLOAT32")
    levels = parent.constant("levels", np.arange(7)[np.newaxis] + 0.5, "FLOAT32")
    cut = parent.tensor("cut", (1, 4, 4, 4), "UINT3")
    general = "qonnx.custom_op.general"
    parent.node("MultiThreshold", ["mixed", levels], [cut], general, out_dtype="UINT3", data_layout="NHWC")
    made = parent.tensor("made", (1, 2, 2, 3), "UINT2")
    parent.node("StreamingDataflowPartition", [cut], [made], FINN, name="GenericPartition_0", model=path)
    parent.node("Mul", [made, parent.constant("scale", np.array(0.25), "FLOAT32")], ["scores"])
    parent.tensor("scores", (1, 2, 2, 3), "FLOAT32")
    parent.save(folder / "dataflow_parent.onnx", image, "scores")
    model = onnx.load(folder / "dataflow_parent.onnx")
    model.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    onnx.save(model, folder / "dataflow_parent.onnx")
    return folder / "dataflow_parent.onnx"


@pytest.mark.sweep
def test_a_parent_that_keeps_a_part_for_the_host(tmp_path: Path) -> None:
    """A matrix of floats in front of the layers that FINN chose is no layer of shellgen."""
    rng = np.random.default_rng(5)
    weights, steps = rng.integers(-3, 4, (4, 3)), np.sort(rng.integers(-9, 10, (3, 3)))
    parent = write_parent(tmp_path, weights, steps)
    pixels = rng.uniform(0, 8, (6, 1, 4, 4, 4))
    np.save(tmp_path / "in.npy", pixels)
    said: list[str] = []
    given = {"part": "xc7z020clg484-1"}
    stitch_model(parent, None, tmp_path / "out", tmp_path / "in.npy", given=given, say=said.append)
    assert said == [
        "left to the host, before the first layer: MatMul (MatMul_0), MultiThreshold (MultiThreshold_0)",
        "left to the host, behind the last layer: Mul (Mul_0)",
    ]
    sent = np.load(tmp_path / "out" / "input.npy").reshape(6, 4, 4, 4)
    assert np.array_equal(sent, np.clip(np.floor(pixels.astype(np.float32) + 0.5), 0, 7).reshape(6, 4, 4, 4))
    pooled = sent.reshape(6, 2, 2, 2, 2, 4).max(axis=(2, 4))
    expected = ((pooled @ weights)[..., None] >= steps).sum(axis=-1)
    assert np.array_equal(np.load(tmp_path / "out" / "output.npy").reshape(6, 2, 2, 3), expected)
    graphs = [
        onnx.load(tmp_path / "out" / name).graph for name in ("host_before.onnx", PARENT, "host_after.onnx")
    ]
    ends = [[value.name for value in (*graph.input, *graph.output)] for graph in graphs]
    assert ends == [["pixels", "cut"], ["cut", "made"], ["made", "scores"]]


def test_an_exception_of_finn_names_step_and_layer(tmp_path: Path) -> None:
    net = Network()
    x = net.tensor("x", (1, 12), "INT4")
    net.node(
        "MVAU",
        [x, net.constant("w", np.ones((12, 6)), "INT4")],
        [net.tensor("y", (1, 6), "INT8")],
        FINN,
        name="MVAU_7",
        backend="fpgadataflow",
        MW=12,
        MH=5,  # its weights have 6 columns
        SIMD=1,
        PE=1,
        noActivation=1,
        inputDataType="INT4",
        weightDataType="INT4",
        outputDataType="INT8",
        numInputVectors=[1],
    )
    net.save(tmp_path / "model.onnx", x, "y")
    with pytest.raises(InputError) as error:
        stitch_model(tmp_path / "model.onnx", None, tmp_path / "out", given={"part": "xc7z020clg484-1"})
    (problem,) = error.value.problems
    assert str(problem).startswith(
        f"{tmp_path}/model.onnx: node StreamingDataflowPartition_0_MVAU_rtl_0: FINN's step PrepareIP stops "
        "at this MVAU_rtl: AssertionError: Weights matrix doesn't have expected shape (mw, mh). Check"
    )


@pytest.mark.sweep
def test_layers_of_nobody(tmp_path: Path) -> None:
    net = Network()
    x = net.tensor("x", (1, 4, 4, 2), "UINT4")
    y = net.tensor("y", (1, 2, 2, 2), "UINT4")
    attributes = {"ImgDim": [4, 4], "PoolDim": [2, 2], "NumChannels": 2, "CeilMode": 1, "dataType": "UINT4"}
    net.node(
        "StreamingMaxPool_hls", [x], [y], f"{FINN}.hls", name="pool", backend="fpgadataflow", **attributes
    )
    net.save(tmp_path / "model.onnx", x, "y")
    with pytest.raises(
        InputError, match=r"node pool: finn-plus 1.6 has no layer StreamingMaxPool_hls. Start from"
    ):
        stitch_model(tmp_path / "model.onnx", None, tmp_path / "out", given={"part": "xc7z020clg484-1"})


@pytest.mark.sweep
def test_a_network_that_nobody_folded(tmp_path: Path) -> None:
    digits = Path(__file__).parents[1] / "examples" / "digits" / "digits.onnx"
    said: list[str] = []
    stitch_model(
        digits, None, tmp_path / "out", given={"part": "xc7z020clg484-1", "clk_ns": 5}, say=said.append
    )
    assert said == [
        "no folding is given: PE and SIMD of all matrix layers are 1, and a frame takes 1,536 cycles in "
        "StreamingDataflowPartition_0_MVAU_rtl_0, which is 130,208 frames/s at 200 MHz"
    ]
