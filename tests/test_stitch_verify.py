# SPDX-License-Identifier: BSD-3-Clause
"""`stitch` compares an export with what it becomes: a wrong step is found, and quantisers are right."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from export_evaluator import answer
from onnx import helper

from shellgen import stitch
from shellgen.errors import InputError
from shellgen.stitch import stitch_model
from shellgen.stitch.environment import ensure_finn_env

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "residual"))
from qonnx_export import Export

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("stitch_finn")]
PART = {"part": "xc7z020clg484-1"}


def rounded(net: Export, tensor: str, mode: str, bits: int = 4, *, signed: bool = False) -> str:
    inputs = [tensor, *(net.constant(value) for value in (0.5, 0, bits))]
    how: dict[str, Any] = {"signed": int(signed), "narrow": 0, "rounding_mode": mode}
    return net.op("Quant", *inputs, domain="onnx.brevitas", **how)


def test_a_step_that_changes_values_is_named(tmp_path: Path) -> None:
    """Thresholds of one layer are moved by two steps, in the middle of streamlining."""
    net = Export((1, 12))
    hidden = net.relu(net.batch_norm(net.gemm(net.quant("global_in", 1 / 16, 5, signed=True), 12, 8), 8))
    model = net.save(net.gemm(hidden, 8, 4), (1, 4), tmp_path / "model.onnx")
    script = Path(__file__).parent / "finn_wrong.py"
    environment = os.environ | {"PYTHONPATH": str(Path(stitch.__file__).parent)}
    command = [str(ensure_finn_env()), str(script), str(model)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    ((where, found, _),) = json.loads(ran.stdout.splitlines()[-1])
    quantiser = hidden.removesuffix("_out0")
    assert where == f"model.onnx: node {quantiser}"
    assert found.startswith("the step MoveThresholds changes what it computes: ")
    assert found.endswith(" of 8 values differ, by up to 2 steps")


@pytest.mark.sweep
def test_quantisers_of_other_kinds(tmp_path: Path) -> None:
    """A Relu with two quantisers, one of them rounds down; a signed one behind a Relu; a bias behind a Quant.

    Both branches get scales that differ, so that a mistake in either is seen.
    """
    net = Export((1, 2, 6, 6))
    image = net.quant("global_in", 1 / 8, 4, signed=True)
    bias = net.quant(net.constant(net.rng.normal(size=4)), 1 / 64, 8, signed=True)
    both = net.op("Relu", net.op("Conv", image, net.weights(4, 2, 1, 1), bias, kernel_shape=[1, 1]))
    near = net.quant(net.conv(net.quant(both, 0.25, 4, signed=False), (4, 4)), 0.5, 4, signed=True)
    far = net.quant(net.conv(rounded(net, both, "FLOOR"), (4, 4)), 0.5, 4, signed=True)
    last = rounded(net, net.op("Relu", net.op("Add", near, far)), "ROUND", signed=True)
    model = net.save(net.conv(last, (4, 2), 1), (1, 2, 6, 6), tmp_path / "model.onnx")
    np.save(tmp_path / "frames.npy", np.random.default_rng(0).normal(size=(3, 1, 2, 6, 6)))
    said: list[str] = []
    stitch_model(model, None, tmp_path / "out", tmp_path / "frames.npy", given=PART, say=said.append)
    assert not [line for line in said if "differ" in line or "compared" in line]
    assert len(np.unique(np.load(tmp_path / "out" / "output.npy"))) > 5


def shifted(net: Export, tensor: str, scale: float, zero: int, mode: str = "ROUND") -> str:
    """An unsigned Quant of four bits with a zero point."""
    inputs = [tensor, *(net.constant(value) for value in (scale, zero, 4))]
    how: dict[str, Any] = {"signed": 0, "narrow": 0, "rounding_mode": mode}
    return net.op("Quant", *inputs, domain="onnx.brevitas", **how)


@pytest.mark.sweep
def test_what_finn_does_not_take(tmp_path: Path) -> None:
    """Zero points, weights of two layers, functions other than Relu, padding of signed values and by ONNX.

    All constants are nodes, as PyTorch exports them.
    """
    net = Export((1, 2, 9, 9))
    image = shifted(net, "global_in", 1 / 8, 7)
    values = shifted(net, net.constant(net.rng.normal(size=(4, 2, 3, 3))), 0.25, 5)
    x = net.op("Conv", image, values, kernel_shape=[3, 3], auto_pad="SAME_UPPER")
    slopes = net.constant(np.array([0.25, 0, 1, 0.5]).reshape(4, 1, 1))
    x = net.quant(net.op("PRelu", net.batch_norm(x, 4), slopes), 0.25, 4, signed=True)
    x = net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
    x = net.op("MaxPool", x, kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
    shared = net.weights(4, 4, 3, 3)
    for function in ("Tanh", "Relu"):
        y = net.op("Conv", x, shared, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        x = shifted(net, net.op(function, y), 0.13, 6 if function == "Tanh" else 2, "FLOOR")
    sign = net.op("BipolarQuant", net.conv(x, (4, 4), 1), net.constant(0.5), domain="onnx.brevitas")
    last = net.quant(net.op("Sigmoid", net.conv(sign, (4, 4), 1)), 1 / 16, 4, signed=False)
    x = net.op("Flatten", net.quant(net.conv(last, (4, 2), 1), 0.25, 4, signed=True), axis=1)
    bias = net.quant(net.constant(net.rng.normal(size=4)), 1 / 8, 8, signed=True)  # a Linear of PyTorch
    x = net.relu(net.op("Add", net.op("MatMul", x, net.weights(50, 4)), bias))
    model = net.model(net.gemm(x, 4, 3), (1, 3))
    constants = [
        helper.make_node("Constant", [], [tensor.name], value=tensor) for tensor in model.graph.initializer
    ]
    nodes = [*constants, *model.graph.node]
    del model.graph.node[:], model.graph.initializer[:]
    model.graph.node.extend(nodes)
    onnx.save(model, tmp_path / "model.onnx")
    said: list[str] = []
    stitch_model(tmp_path / "model.onnx", None, tmp_path / "out", given=PART, say=said.append)
    assert not [line for line in said if "differ" in line or "compared" in line]


def operators(net: Export) -> str:
    """One of a later opset, one of another domain."""
    x = net.op("HardSwish", net.conv(net.quant("global_in", 0.5, 4, signed=True), (2, 2)))
    return net.conv(net.op("QuickGelu", x, domain="com.microsoft"), (2, 2))


def moving(net: Export) -> str:
    """A scale that follows the values, and a layer that FINN has as Vitis HLS only."""
    x = net.conv(net.quant("global_in", 0.5, 4, signed=True), (2, 2))
    x = net.op("Quant", x, net.op("ReduceMax", x, keepdims=0), net.constant(0), net.constant(4), **MODE)
    return net.op("ConvTranspose", x, net.weights(2, 2, 3, 3), kernel_shape=[3, 3], pads=[1, 1, 1, 1])


def pools(net: Export) -> str:
    """One of sums, which may be negative, with padding; one with dilations."""
    x = net.conv(net.quant("global_in", 0.5, 4, signed=True), (2, 2))
    x = net.op("MaxPool", x, kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
    x = net.op("MaxPool", net.relu(x), kernel_shape=[2, 2], strides=[1, 1], dilations=[2, 2])
    return net.conv(x, (2, 2), pads=[2, 2, 2, 2])


def shapeless(net: Export) -> str:
    """Channels that only the values of a constant tell."""
    x = net.relu(net.conv(net.quant("global_in", 0.5, 4, signed=True), (2, 3)))
    x = net.op("Compress", x, net.constant([True, False, True], bool), axis=1)
    return net.conv(x, (2, 2))


def falling(net: Export) -> str:
    """A function that no thresholds replace, between two layers."""
    x = net.op("Gelu", net.conv(net.quant("global_in", 0.5, 4, signed=True), (2, 2)))
    return net.conv(net.quant(x, 0.25, 4, signed=True), (2, 2))


def scales(net: Export) -> str:
    """One for each channel, in front of a layer that adds up channels."""
    x = net.conv(net.quant("global_in", 0.5, 4, signed=True), (2, 2))
    return net.conv(net.quant(x, np.array([0.25, 0.3]).reshape(1, 2, 1, 1), 4, signed=True), (2, 2), 1)


MODE: dict[str, Any] = {"domain": "onnx.brevitas", "signed": 1, "narrow": 0, "rounding_mode": "ROUND"}
REFUSED: dict[Any, tuple[int, list[str]]] = {
    operators: (
        13,
        [
            r"node HardSwish_\d+: ONNX has HardSwish since opset 14, and the model declares opset 13\. ",
            r"node QuickGelu_\d+: it is QuickGelu of com.microsoft, which neither ONNX nor QONNX has\. ",
        ],
    ),
    moving: (
        13,
        [
            r"node ConvTranspose_\d+: FINN has a transposed convolution in Vitis HLS only .* Resize",
            r"node Quant_\d+: its scale, zero point or width is no constant .* Export it with constant ones",
        ],
    ),
    pools: (
        13,
        [
            r"node MaxPool_0: FINN's step InferConvInpGen pads this MaxPool with zeros, .* Put a Quant node",
            r"node MaxPool_1: FINN's step InferPool makes no window with dilations .* Export it without",
        ],
    ),
    shapeless: (13, [r"node Compress_0: the shape of what this Compress makes .* Export the network"]),
    falling: (20, [r"node Gelu_0: .* no hardware layer of this Gelu, and no thresholds .* \(Relu, Clip"]),
    scales: (13, [r"node MatMul_1: .* cannot move the scale in Mul_0 past it\. Give .* one scale"]),
}

# Of the sweep: the default run has one of each kind.
SLOW = (scales, shapeless, pools, falling)


@pytest.mark.parametrize(
    "make",
    [pytest.param(make, marks=[pytest.mark.sweep] * (make in SLOW)) for make in REFUSED],
)
def test_layer_step_and_remedy(make: Any, tmp_path: Path) -> None:
    """No exception of FINN is the message."""
    opset, wanted = REFUSED[make]
    net = Export((1, 2, 8, 8))
    model = net.model(make(net), (1, 2, 8, 8))
    model.opset_import[0].version = opset
    onnx.save(model, tmp_path / "model.onnx")
    with pytest.raises(InputError) as found:
        stitch_model(tmp_path / "model.onnx", None, tmp_path / "out", given=PART)
    lines = str(found.value).splitlines()
    assert len(lines) == len(wanted), lines
    for line, pattern in zip(lines, wanted, strict=True):
        assert re.search(pattern, line), line
        assert "Error" not in line


@pytest.mark.sweep
def test_networks_side_by_side(tmp_path: Path) -> None:
    """Their inputs come in another order in the partition; FINN's executor mixed them up."""
    net = Export((1, 12))
    first = net.gemm(net.relu(net.gemm(net.quant("in_0", 0.27, 5, signed=True), 12, 8)), 8, 4)
    x = net.relu(net.gemm(net.quant("in_1", 0.27, 3, signed=True), 12, 7))
    second = net.gemm(net.relu(net.gemm(x, 7, 6), 1.09, 2), 6, 4)
    one = net.constant(1.0)
    x = net.gemm(net.op("BipolarQuant", "in_2", one, domain="onnx.brevitas"), 12, 8)
    third = net.gemm(net.op("BipolarQuant", x, one, domain="onnx.brevitas"), 8, 4)
    model = net.model(first, (1, 4))
    for name in (second, third):
        model.graph.output.append(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, (1, 4)))
    del model.graph.input[:]
    inputs = [helper.make_tensor_value_info(f"in_{i}", onnx.TensorProto.FLOAT, (1, 12)) for i in range(3)]
    model.graph.input.extend(inputs)
    onnx.save(model, tmp_path / "model.onnx")
    said: list[str] = []
    stitch_model(tmp_path / "model.onnx", None, tmp_path / "out", given=PART, say=said.append)
    assert not [line for line in said if "differ" in line or "compared" in line]


def test_sums_between_two_results_go_to_the_even_one(tmp_path: Path) -> None:
    """Scales are powers of two, so many sums are ties: behind a Relu, with a sign, with a zero point."""
    net = Export((1, 12))
    inner = [net.rng.integers(-7, 8, shape) * 0.25 for shape in ((12, 10), (10, 9), (9, 8), (8, 4))]
    weights = [net.quant(net.constant(one), 0.25, 4, signed=True, narrow=True) for one in inner]
    first = net.op("MatMul", net.quant("global_in", 0.5, 4, signed=True), weights[0])
    second = net.op("MatMul", net.relu(first, 1.0), weights[1])
    third = net.op("MatMul", net.quant(second, 2.0, 4, signed=True), weights[2])
    last = net.op("MatMul", shifted(net, third, 2.0, 3), weights[3])
    model = net.save(last, (1, 4), tmp_path / "model.onnx")
    frames = net.rng.integers(-8, 8, (400, 12)).astype(np.float32) * 0.5
    np.save(tmp_path / "in.npy", frames)
    ties: list[float] = []
    x = frames @ inner[0]
    for after, (scale, low, high, zero) in zip(
        inner[1:], ((1.0, 0, 15, 0), (2.0, -8, 7, 0), (2.0, 0, 15, 3)), strict=True
    ):
        exact = (np.maximum(x, 0) if len(ties) == 0 else x) / scale + zero
        ties.append(float(np.mean((exact % 1 == 0.5) & (exact > low) & (exact < high))))
        x = (np.clip(np.round(exact), low, high) - zero) * scale @ after
    assert min(ties) > 0.01
    said: list[str] = []
    stitch_model(model, None, tmp_path / "out", tmp_path / "in.npy", given=PART, say=said.append)
    assert not [line for line in said if "differ" in line or "compared" in line]
    np.testing.assert_array_equal(answer(tmp_path / "out").reshape(x.shape), x.astype(np.float32))


@pytest.mark.sweep
def test_rounding_that_thresholds_do_not_do(tmp_path: Path) -> None:
    net = Export((1, 12))
    up = rounded(net, net.gemm(net.quant("global_in", 1 / 16, 5, signed=True), 12, 8), "CEIL")
    model = net.save(net.gemm(up, 8, 4), (1, 4), tmp_path / "model.onnx")
    with pytest.raises(
        InputError, match=r"node Quant_\d+: it rounds by CEIL, and thresholds .* ROUND or FLOOR"
    ):
        stitch_model(model, None, tmp_path / "out", given=PART)
