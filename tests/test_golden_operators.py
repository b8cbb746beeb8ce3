# SPDX-License-Identifier: BSD-3-Clause
"""The executor, operator by operator: against finn-plus on random tensors, and against plain statements."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from waiting import PATIENCE

from shellgen import stitch
from shellgen.golden import NoGoldenError, execute
from shellgen.read.finn_onnx import FinnModel, load_model
from shellgen.stitch.environment import ensure_finn_env

DOMAIN = "finn.custom_op.fpgadataflow"
# What FINN called its operators before, or calls them by back end.
NAMES = {
    "MVAU": ("StreamingFCLayer_Batch", "MatrixVectorActivation", "MVAU_hls", "MVAU_rtl"),
    "VVAU": ("Vector_Vector_Activate_Batch", "VectorVectorActivation", "VVAU_hls"),
    "Thresholding": ("Thresholding_Batch", "Thresholding_hls"),
    "ConvolutionInputGenerator": ("ConvolutionInputGenerator1D", "ConvolutionInputGenerator_hls"),
    "FMPadding": ("FMPadding_Batch", "FMPadding_hls"),
    "Concat": ("StreamingConcat_hls",),
    "StreamingFIFO": ("StreamingFIFO",),
}


@pytest.mark.finn
@pytest.mark.xdist_group("stitch_finn")
def test_every_operator_computes_what_finn_computes(tmp_path: Path) -> None:
    script = Path(__file__).parent / "finn_operators.py"
    command = [str(ensure_finn_env()), str(script), str(tmp_path)]
    worker = {"PYTHONPATH": str(Path(stitch.__file__).parent), "FINN_BUILD_DIR": str(tmp_path)}
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE, env=os.environ | worker)
    seen: Counter[str] = Counter()
    for path in sorted(tmp_path.glob("*.onnx")):
        model, tensors = load_model(path), np.load(path.with_suffix(".npz"))
        (node,) = model.nodes
        wanted = {name: tensors[name].reshape(len(tensors[name]), -1) for name in node.outputs}
        given = {name: tensors[name].astype(np.int64) for name in model.inputs}
        for op_type in (node.op_type, *NAMES.get(node.op, ())):
            named = replace(model, nodes=(replace(node, op_type=op_type),))
            found = execute(named, given).outputs
            for name, values in wanted.items():
                assert np.array_equal(found[name], values), f"{path.name} as {op_type}: {name}"
        seen[node.op] += 1
    assert set(NAMES) < set(seen)
    assert len(seen) >= 27, sorted(seen)
    assert min(seen[op] for op in ("MVAU", "VVAU", "Thresholding", "ConvolutionInputGenerator")) >= 6


def graph(*nodes: tuple[str, dict[str, Any]], kind: str = "INT4", **constants: Any) -> FinnModel:
    """A chain of operators from ``in`` to ``out``; constants by ``<place of the node>_<input>``."""
    made, tensor = [], "in"
    for index, (op, attributes) in enumerate(nodes):
        own = [name for name in constants if name.startswith(f"p{index}_")]
        out = "out" if index == len(nodes) - 1 else f"t{index}"
        made.append(
            helper.make_node(op, [tensor, *own], [out], name=f"{op}_{index}", domain=DOMAIN, **attributes)
        )
        tensor = out
    held = [numpy_helper.from_array(np.asarray(v, np.float32), name) for name, v in constants.items()]
    source, result = (helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("in", "out"))
    model = helper.make_model(helper.make_graph(made, "chain", [source], [result], held))
    for name in ("in", *(f"t{index}" for index in range(len(nodes) - 1))):
        note = model.graph.quantization_annotation.add(tensor_name=name)
        note.quant_parameter_tensor_names.add(key="finn_datatype", value=kind)
    path = Path("graph.onnx")
    onnx.save(model, str(path))
    return load_model(path)


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def frames(*shape: int, low: int = -8, high: int = 7) -> Any:
    return np.random.default_rng(sum(shape)).integers(low, high, (3, *shape), endpoint=True)


def run(model: FinnModel, x: Any) -> Any:
    return execute(model, {"in": x}).outputs["out"]


def window(kernel: int, stride: int, channels: int, size: int, simd: int) -> tuple[str, dict[str, Any]]:
    pairs = {"ConvKernelDim": kernel, "IFMDim": size, "Stride": stride, "Dilation": 1}
    both = {name: [value, value] for name, value in pairs.items()}
    return "ConvolutionInputGenerator_rtl", both | {"IFMChannels": channels, "SIMD": simd, "depthwise": 1}


def patches(x: Any, kernel: int, stride: int) -> Iterator[tuple[int, int, Any]]:
    """Every place of the kernel, one after the other."""
    for row, column in product(
        range(0, x.shape[1] - kernel + 1, stride), range(0, x.shape[2] - kernel + 1, stride)
    ):
        yield row // stride, column // stride, x[:, row : row + kernel, column : column + kernel]


@pytest.mark.parametrize("simd", [1, 2, 3, 6])
def test_a_depthwise_convolution_is_the_same_at_any_folding(simd: int) -> None:
    x, w = frames(7, 7, 6), np.random.default_rng(1).integers(-4, 4, (6, 1, 3, 3))
    layer = {"PE": simd, "Dim": [3, 3], "Channels": 6, "Kernel": [3, 3], "noActivation": 1}
    kinds = {"inputDataType": "INT4", "weightDataType": "INT3", "outputDataType": "INT32"}
    found = run(graph(window(3, 2, 6, 7, simd), ("VVAU_rtl", layer | kinds), p1_w=w), x).reshape(3, 3, 3, 6)
    for row, column, patch in patches(x, 3, 2):
        wanted = sum(patch[:, i, j] * w[:, 0, i, j] for i, j in product(range(3), range(3)))
        assert np.array_equal(found[:, row, column], wanted)


@pytest.mark.parametrize("simd", [1, 2, 4])
def test_pooling_behind_a_window_is_the_same_at_any_folding(simd: int) -> None:
    x = frames(6, 6, 4)
    layer = {"PE": simd, "Channels": 4, "KernelSize": [2, 2], "Function": "MaxPool", "OutImgDims": [3, 3]}
    found = run(graph(window(2, 2, 4, 6, simd), ("Pool_Batch", layer)), x).reshape(3, 3, 3, 4)
    for row, column, patch in patches(x, 2, 2):
        assert np.array_equal(found[:, row, column], patch.max(axis=(1, 2)))


@pytest.mark.parametrize(
    ("size", "pool", "ceil"), [((6, 6), 2, 0), ((7, 1), 3, 0), ((7, 1), 3, 1), ((5, 7), 2, 1)]
)
def test_streaming_max_pool(size: tuple[int, int], pool: int, ceil: int) -> None:
    """The largest of each window; the last ones may be smaller with CeilMode, and are missing without."""
    x, across = frames(*size, 2), pool if size[1] > 1 else 1
    layer = {"ImgDim": list(size), "PoolDim": [pool, across], "NumChannels": 2, "CeilMode": ceil}
    found = run(graph(("StreamingMaxPool_Batch", layer)), x)
    rows, columns = [range(0, n if ceil else n - k + 1, k) for n, k in zip(size, (pool, across), strict=True)]
    wanted = [x[:, i : i + pool, j : j + across].max(axis=(1, 2)) for i, j in product(rows, columns)]
    assert np.array_equal(found.reshape(3, -1, 2), np.stack(wanted, axis=1))


def test_down_and_upsampling_of_older_releases() -> None:
    x = frames(5, 5, 3)
    down = {"ImgDim": 5, "Stride": 2, "NumChannels": 3, "SIMD": 3, "inputDataType": "INT4"}
    assert np.array_equal(run(graph(("DownSampler", down)), x), x[:, ::2, ::2].reshape(3, -1))
    line = frames(1, 7, 3)
    flat = down | {"ImgDim": 7, "is1D": 1, "Stride": 3}
    assert np.array_equal(run(graph(("DownSampler", flat)), line), line[:, :, ::3].reshape(3, -1))
    up = {"IFMDim": 5, "OFMDim": 10, "NumChannels": 3, "inputDataType": "INT4"}
    wanted = [[x[:, row // 2, column // 2] for column in range(10)] for row in range(10)]
    found = run(graph(("UpsampleNearestNeighbour_Batch", up)), x).reshape(3, 10, 10, 3)
    assert all(np.array_equal(found[:, i, j], wanted[i][j]) for i, j in product(range(10), range(10)))


def test_padding_of_older_releases_is_one_number() -> None:
    x = frames(2, 2, 1)
    for style, first in ((2, 2), (1, 1)):
        layer = {"ImgDim": 2, "Padding": 3, "PaddingStyle": style, "NumChannels": 1, "inputDataType": "INT4"}
        found = run(graph(("FMPadding_Batch", layer)), x).reshape(3, 5, 5, 1)
        assert np.array_equal(found[:, first : first + 2, first : first + 2], x)
        assert np.abs(found).sum() == np.abs(x).sum()


def test_sums_of_older_releases() -> None:
    x, y, v = frames(4, 3), frames(4, 3, low=-5), np.array([-2, 0, 3])
    for op, more, wanted in (
        ("AddStreams_hls", {}, x + y),
        ("StreamingEltwise_hls", {"eltwiseOp": "Sub"}, x - y),
        ("StreamingEltwise_hls", {"eltwiseOp": "AbsDiff"}, abs(x - y)),
    ):
        (node,) = (model := graph((op, more))).nodes
        joined = replace(model, nodes=(replace(node, inputs=("in", "other")),))
        found = execute(joined, {"in": x, "other": y}).outputs["out"]
        assert np.array_equal(found, wanted.reshape(3, -1))
    layer = {"NumChannels": 3, "PE": 1, "numInputVectors": [4], "outputDataType": "INT12"}
    for function, wanted in (("add", x + v), ("mul", x * v)):
        found = run(graph(("ChannelwiseOp_hls", layer | {"Func": function}), p0_v=v), x)
        assert np.array_equal(found, wanted.reshape(3, -1))


def test_comparisons_have_the_parameter_on_the_left() -> None:
    x, bounds = frames(4, 3), np.array([-2, 0, 3])
    layer = {"NumChannels": 3, "PE": 1, "numInputVectors": [4], "outputDataType": "BINARY"}
    for function, wanted in (("cmp_le", bounds <= x), ("cmp_ge", bounds >= x)):
        found = run(graph(("ChannelwiseOp_Batch", layer | {"Func": function}), p0_v=bounds.reshape(3, 1)), x)
        assert np.array_equal(found, wanted.reshape(3, -1))


def test_labels_of_equal_values_are_the_lowest() -> None:
    layer = {"Labels": 6, "K": 3, "PE": 1, "inputDataType": "UINT3", "outputDataType": "UINT8"}
    x = np.array([[1, 5, 5, 0, 5, 1], [0, 0, 2, 0, 0, 0], [7, 6, 5, 4, 3, 2]])
    assert run(graph(("LabelSelect", layer)), x).tolist() == [[1, 2, 4], [2, 0, 1], [0, 1, 2]]
    # The hardware of HLS never takes up the smallest value of its type.
    assert run(graph(("LabelSelect_hls", layer)), x).tolist() == [[1, 2, 4], [2, 0, 0], [0, 1, 2]]


def test_sums_are_exact_beyond_a_float() -> None:
    """INT24 times INT24, 64 of them: more than 53 bits."""
    rng = np.random.default_rng(3)
    x, w = rng.integers(-(1 << 23), 1 << 23, (2, 64)), rng.integers(-(1 << 23), 1 << 23, (64, 3))
    layer = {"MW": 64, "MH": 3, "PE": 1, "SIMD": 1, "noActivation": 1, "outputDataType": "INT56"}
    found = run(graph(("MVAU_hls", layer), p0_w=w), x)
    assert found.tolist() == [
        [sum(int(a) * int(b) for a, b in zip(row, column, strict=True)) for column in w.T] for row in x
    ]
    huge = graph(("MVAU_hls", layer), p0_w=w)
    with pytest.raises(NoGoldenError, match="sums beyond 62 bits"):
        run(huge, x << 16)


def test_weights_from_memory_come_word_by_word() -> None:
    """(MH/PE, MW/SIMD, PE, SIMD), through a FIFO, as mem_mode external has them."""
    w, x = np.random.default_rng(2).integers(-4, 4, (6, 4)), frames(6)
    layer = {"MW": 6, "MH": 4, "PE": 2, "SIMD": 3, "noActivation": 1, "mem_mode": "external"}
    model = graph(("MVAU_rtl", layer | {"outputDataType": "INT32"}), p0_w=w)
    wanted = run(model, x)
    assert np.array_equal(wanted, x @ w)
    (node,) = model.nodes
    queue = replace(node, op_type="StreamingFIFO_rtl", name="fifo", inputs=("words",), outputs=("p0_w",))
    streamed = replace(model, nodes=(queue, node), initialisers={})
    words = [w[3 * sf + k, 2 * nf + pe] for nf, sf, pe, k in product(range(2), range(2), range(2), range(3))]
    found = execute(streamed, {"in": x, "words": np.array([words])}).outputs["out"]
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize(
    ("op", "attributes", "constants", "found"),
    [
        ("Softmax_hls", {}, {}, "operator Softmax_hls is unknown"),
        (
            "MVAU_hls",
            {"MW": 6, "MH": 2, "noActivation": 1},
            {},
            "has parameters that are missing from the model",
        ),
        ("MVAU_hls", {"MW": 5, "MH": 2}, {"p0_w": np.ones((5, 2))}, "expects [-1, 5]"),
        ("MVAU_hls", {"MW": 6, "MH": 2}, {"p0_w": np.full((6, 2), 0.5)}, "that are not integers"),
        ("MVAU_hls", {"MW": 6, "MH": 2}, {"p0_w": np.ones((2, 6))}, "instead of (6, 2)"),
        ("Pool_hls", {"Channels": 3, "PE": 2, "KernelSize": [1, 2]}, {}, "3 channels, PE 2"),
        ("FMPadding_rtl", {"ImgDim": [2, 3], "NumChannels": 1}, {}, "does not state its padding"),
        (
            "ChannelwiseOp_hls",
            {"NumChannels": 6, "Func": "max"},
            {"p0_v": np.ones(6)},
            "unknown function max",
        ),
    ],
)
def test_what_cannot_be_executed_says_so(
    op: str, attributes: dict[str, Any], constants: dict[str, Any], found: str
) -> None:
    with pytest.raises(NoGoldenError) as error:
        run(graph((op, attributes), **constants), frames(6))
    assert found in str(error.value)


def test_parameters_beside_the_model_are_named() -> None:
    model = graph(("MVAU_hls", {"MW": 6, "MH": 2, "noActivation": 1}), p0_w=np.ones((6, 2)))
    model.initialisers["p0_w"].data_location = onnx.TensorProto.EXTERNAL
    with pytest.raises(NoGoldenError, match=r"in a file beside the model \(external data\)"):
        run(model, frames(6))


@pytest.mark.parametrize("outputs", [(), ("out", "other")])
def test_a_node_makes_as_many_outputs_as_it_has(outputs: tuple[str, ...]) -> None:
    layer = {"MW": 6, "MH": 2, "noActivation": 1, "outputDataType": "INT32"}
    model = graph(("MVAU_hls", layer), p0_w=np.ones((6, 2)))
    (node,) = model.nodes
    with pytest.raises(NoGoldenError, match=f"has {len(outputs)} outputs but computes 1"):
        run(replace(model, nodes=(replace(node, outputs=outputs),)), frames(6))


def test_a_value_beyond_its_stream_is_told() -> None:
    """The hardware's result is unknown: it may wrap, or have another type than the model says."""
    layer = {"MW": 6, "MH": 2, "noActivation": 1, "outputDataType": "INT4"}
    with pytest.raises(NoGoldenError, match="outside of INT4"):
        run(graph(("MVAU_hls", layer), p0_w=np.full((6, 2), 3)), frames(6))
    pad = {"ImgDim": [2, 3], "NumChannels": 1, "Padding": [1, 1, 1, 1], "inputDataType": "BIPOLAR"}
    with pytest.raises(NoGoldenError, match="outside of BIPOLAR"):
        run(graph(("FMPadding_rtl", pad)), np.where(frames(6) < 0, -1, 1))
