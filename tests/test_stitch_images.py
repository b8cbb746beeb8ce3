# SPDX-License-Identifier: BSD-3-Clause
"""Exports of the usual shapes of networks: ResNet, U-Net, split branches, signals of one dimension."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from shellgen import stitch
from shellgen.errors import InputError
from shellgen.read.host_models import host_models
from shellgen.stitch import stitch_model
from shellgen.stitch.environment import ensure_finn_env

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "residual"))
from qonnx_export import Export

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("stitch_finn")]

Made = tuple[Export, str, tuple[int, ...]]


def unit(net: Export, tensor: str, channels: tuple[int, int], kernel: int = 3, **changes: Any) -> str:
    """Convolution, normalisation, Relu."""
    return net.relu(net.batch_norm(net.conv(tensor, channels, kernel, **changes), channels[1]))


def bottleneck(net: Export, tensor: str, channels: int, skip: str) -> str:
    """A block of ResNet of three convolutions; ``skip`` is quantised like their sum."""
    inner = unit(net, unit(net, tensor, (channels, 4), 1), (4, 4))
    branch = net.quant(net.batch_norm(net.conv(inner, (4, 16), 1), 16), 0.5, 4, signed=True)
    return net.relu(net.op("Add", branch, net.quant(skip, 0.5, 4, signed=True)))


def resnet() -> Made:
    """A stem with a pool in front of a fork, a block with a projection, one with an identity."""
    net = Export((1, 3, 16, 16))
    x = unit(net, net.quant("global_in", 1 / 8, 4, signed=True), (3, 8), 7, strides=[2, 2])
    x = net.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    x = bottleneck(net, x, 8, net.batch_norm(net.conv(x, (8, 16), 1), 16))
    x = bottleneck(net, x, 16, x)
    return net, net.gemm(net.op("Flatten", net.op("GlobalAveragePool", x), axis=1), 16, 5), (1, 5)


def unet() -> Made:
    """Down, up by a Resize, and joined with what went in; a pool without pads."""
    net = Export((1, 2, 8, 8))
    x = net.relu(net.conv(net.quant("global_in", 1 / 8, 4, signed=True), (2, 4)))
    y = net.relu(net.conv(net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), (4, 8)))
    how: dict[str, Any] = {"nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}
    y = net.op("Resize", y, "", net.constant([1, 1, 2, 2]), mode="nearest", **how)
    z = net.relu(net.conv(net.op("Concat", x, y, axis=1), (12, 4)))
    return net, net.conv(z, (4, 2), 1), (1, 2, 8, 8)


def split() -> Made:
    """Half of the channels goes on, half is joined later."""
    net = Export((1, 4, 8, 8))
    x = net.relu(net.conv(net.quant("global_in", 1 / 8, 4, signed=True), (4, 8)))
    late = net.op("Split", x, net.constant([4, 4], np.int64), outputs=2, axis=1)
    early = net.relu(net.conv(late.replace("out1", "out0"), (4, 4)))
    z = net.relu(net.conv(net.op("Concat", early, late, axis=1), (8, 4)))
    return net, net.conv(z, (4, 2), 1), (1, 2, 8, 8)


def signal(kernel: int = 5, **end: Any) -> Made:
    """Convolutions over samples, as of radio and speech."""
    net = Export((1, 2, 32))
    x = net.quant("global_in", 1 / 8, 4, signed=True)
    for inputs, outputs in ((2, 8), (8, 8)):
        bias = net.constant(net.rng.normal(size=outputs) / 2)
        weights, pads = net.weights(outputs, inputs, kernel), [kernel // 2] * 2
        x = net.op("Conv", x, weights, bias, kernel_shape=[kernel], pads=pads)
        x = net.op("MaxPool", net.relu(net.batch_norm(x, outputs)), kernel_shape=[2], strides=[2])
    return net, net.gemm(net.op("Flatten", x, axis=1, **end), 64, 4), (1, 4)


@pytest.mark.parametrize(
    ("make", "shape", "kinds"),
    [
        pytest.param(
            *(resnet, (3, 16, 16)),
            {"Pool": 1, "DuplicateStreams": 2, "ElementwiseAdd": 2, "GlobalAccPool": 1},
            marks=pytest.mark.sweep,
        ),
        (unet, (2, 8, 8), {"Pool": 1, "UpsampleNearestNeighbour": 1, "StreamingConcat": 1}),
        pytest.param(
            *(split, (4, 8, 8)), {"StreamingSplit": 1, "StreamingConcat": 1}, marks=pytest.mark.sweep
        ),
        (signal, (2, 32), {"Pool": 2, "ConvolutionInputGenerator_rtl": 4}),
    ],
)
def test_a_network_of_the_usual_kind(
    tmp_path: Path, make: Callable[[], Made], shape: tuple[int, ...], kinds: dict[str, int]
) -> None:
    """FINN's layers and the export's own execution agree on random frames."""
    net, out, result = make()
    path = net.save(out, result, tmp_path / "model.onnx")
    np.save(tmp_path / "in.npy", np.random.default_rng(0).normal(size=(3, 1, *shape)))
    said: list[str] = []
    given = {"part": "xc7z020clg484-1"}
    stitch_model(path, None, tmp_path / "out", tmp_path / "in.npy", given=given, say=said.append)
    assert not [line for line in said if "differ" in line]
    (child,) = (tmp_path / "out").glob("*/*.onnx")
    found = [node.op_type for node in onnx.load(child).graph.node]
    assert {kind: found.count(kind) for kind in kinds} == kinds
    assert len(np.unique(np.load(tmp_path / "out" / "output.npy"))) > 5
    assert ends(tmp_path / "out") == [[1, *shape], [*result]], "as the export has them"


def ends(build: Path) -> list[list[int]]:
    """Return the shapes of the model's input and output in the host's parts."""
    parts = [onnx.load(build / f"host_{side}.onnx").graph for side in ("before", "after")]
    values = [parts[0].input[0], parts[1].output[0]]
    return [[size.dim_value for size in value.type.tensor_type.shape.dim] for value in values]


@pytest.mark.sweep
def test_a_signal_that_becomes_a_signal(tmp_path: Path) -> None:
    """The host's parts have the export's shapes, without the second dimension that FINN needs."""
    net = Export((1, 2, 8))
    x, pads = net.quant("global_in", 1 / 8, 4, signed=True), [0, 0]
    for shape in ((3, 2, 1), (2, 3, 1)):
        x = net.op("Conv", net.relu(x), net.weights(*shape), kernel_shape=[1], pads=pads)
    path = net.save(x, (1, 2, 8), tmp_path / "model.onnx")
    stitch_model(path, None, tmp_path / "out", given={"part": "xc7z020clg484-1"})
    assert ends(tmp_path / "out") == [[1, 2, 8]] * 2
    values = np.random.default_rng(0).normal(size=(1, 2, 8)).astype(np.float32)
    for part in map(onnx.load_from_string, host_models(tmp_path / "out").values()):
        inner = [size.dim_value for size in part.graph.input[0].type.tensor_type.shape.dim]
        found: Any
        (found,) = ReferenceEvaluator(part).run(None, {part.graph.input[0].name: values.reshape(inner)})
        assert found.size == values.size
    assert found.shape == (1, 2, 8)


def test_a_signal_with_an_operator_that_stitch_does_not_know(tmp_path: Path) -> None:
    net = Export((1, 2, 32))
    x = net.quant("global_in", 1 / 8, 4, signed=True)
    x = net.relu(net.op("Conv", x, net.weights(8, 2, 5), kernel_shape=[5], pads=[2, 2]))
    x = net.op("Flatten", net.op("Softmax", x, axis=1), axis=1)
    path = net.save(net.gemm(x, 256, 4), (1, 4), tmp_path / "model.onnx")
    found = r"node Softmax_0: this Softmax works on a signal of one dimension"
    with pytest.raises(InputError, match=found):
        stitch_model(path, None, tmp_path / "out", given={"part": "xc7z020clg484-1"})


@pytest.mark.sweep
def test_a_transpose_between_layers(tmp_path: Path) -> None:
    """Rows and columns exchanged, which takes memory for a frame."""
    net = Export((1, 2, 8, 8))
    x = net.relu(net.conv(net.quant("global_in", 1 / 8, 4, signed=True), (2, 4)))
    x = net.conv(net.op("Transpose", x, perm=[0, 1, 3, 2]), (4, 2))
    path = net.save(x, (1, 2, 8, 8), tmp_path / "model.onnx")
    np.save(tmp_path / "frames.npy", np.random.default_rng(5).normal(size=(3, 1, 2, 8, 8)))
    said: list[str] = []
    part = {"part": "xc7z020clg484-1"}
    stitch_model(path, None, tmp_path / "out", tmp_path / "frames.npy", given=part, say=said.append)
    assert not [line for line in said if "differ" in line]
    (child,) = (tmp_path / "out").glob("*/*.onnx")
    kinds = [node.op_type for node in onnx.load(child).graph.node]
    assert any(kind.startswith("InnerShuffle") for kind in kinds), kinds


@pytest.mark.sweep
def test_replaced_functions_of_finn_give_the_same(tmp_path: Path) -> None:
    """Lookups, weights beside the model, rounding, words of memories."""
    script = Path(__file__).parent / "finn_same.py"
    net, out, result = resnet()
    path = net.save(out, result, tmp_path / "model.onnx")
    environment = os.environ | {
        "PYTHONPATH": str(Path(stitch.__file__).parent),
        "FINN_BUILD_DIR": str(tmp_path),
    }
    command = [str(ensure_finn_env()), str(script), str(path), str(tmp_path)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    assert json.loads(ran.stdout) == []
