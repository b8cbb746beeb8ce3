# SPDX-License-Identifier: BSD-3-Clause
"""Random networks for tests, in the form in which FINN gets its models."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from shellgen.model import ElementType
from shellgen.reference.annotate import annotate
from shellgen.reference.layers import THRESHOLD_DOMAIN, Integers


def synthetic_model(
    widths: Sequence[int],
    weight_type: str = "INT4",
    activation_type: str = "UINT4",
    seed: int = 0,
    vectors: int = 1,
) -> onnx.ModelProto:
    """Make a chain of MatMul and MultiThreshold with random integers; the last MatMul gives logits.

    Thresholds are sorted and spread over what random frames reach, so that every activation occurs.

    Args:
        widths: Features of the input, of each hidden layer and of the output; at least two.
        weight_type: QONNX type of all weights. INT types are narrow (no -2**(n-1)), as FINN needs them.
        activation_type: QONNX type of the input and of all hidden activations.
        seed: Same seed, same bytes.
        vectors: Vectors in a frame.
    """
    rng = np.random.default_rng(seed)
    nodes: list[onnx.NodeProto] = []
    constants: list[onnx.TensorProto] = []
    types = {"global_in": activation_type}
    frames = random_frames(activation_type, widths[0], 64, seed)
    tensor = "global_in"
    last = len(widths) - 2
    for index, (rows, columns) in enumerate(pairwise(widths)):
        name, product = f"weights_{index}", "global_out" if index == last else f"product_{index}"
        weights = _random(rng, weight_type, (rows, columns), narrow=True)
        constants.append(numpy_helper.from_array(weights.astype(np.float32), name))
        types[name] = weight_type
        nodes.append(helper.make_node("MatMul", [tensor, name], [product], name=f"MatMul_{index}"))
        tensor = product
        if index == last:
            break
        frames = frames @ weights
        thresholds, bias, scale = _thresholds(frames, ElementType.parse(activation_type))
        name, tensor = f"thresholds_{index}", f"activation_{index}"
        constants.append(numpy_helper.from_array(thresholds.astype(np.float32), name))
        types |= {name: "INT32", tensor: activation_type}
        node = helper.make_node(
            "MultiThreshold",
            [product, name],
            [tensor],
            name=f"MultiThreshold_{index}",
            domain=THRESHOLD_DOMAIN,
            out_dtype=activation_type,
            out_bias=float(bias),
            out_scale=float(scale),
        )
        nodes.append(node)
        frames = bias + scale * (thresholds[np.newaxis] <= frames[:, :, np.newaxis]).sum(axis=2)
    ends = ([1, vectors, widths[at]] if vectors > 1 else [1, widths[at]] for at in (0, -1))
    return _model(nodes, constants, types, *ends)


def random_frames(kind: str, features: int, frames: int, seed: int = 0) -> Integers:
    """Return (frames, features) random element values of a QONNX type."""
    return _random(np.random.default_rng(seed + 1), kind, (frames, features), narrow=False)


def _random(rng: np.random.Generator, kind: str, shape: tuple[int, int], *, narrow: bool) -> Integers:
    element = ElementType.parse(kind)
    if kind == "BIPOLAR":
        return 2 * rng.integers(0, 2, shape) - 1
    low = element.low + 1 if narrow and element.signed and element.bits > 1 else element.low
    return rng.integers(max(low, -element.high) if narrow else low, element.high, shape, endpoint=True)


def _thresholds(sums: Integers, kind: ElementType) -> tuple[Integers, int, int]:
    """Return (channels, steps) thresholds at the quantiles of what was seen, bias and scale."""
    steps = 1 if kind.name == "BIPOLAR" else kind.high - kind.low
    scale = 2 if kind.name == "BIPOLAR" else 1
    points = np.linspace(0, 1, steps + 2)[1:-1]
    return np.quantile(sums, points, axis=0).T.round().astype(np.int64), kind.low, scale


def _model(
    nodes: list[onnx.NodeProto],
    constants: list[onnx.TensorProto],
    types: dict[str, str],
    source: list[int],
    result: list[int],
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "synthetic",
        [helper.make_tensor_value_info("global_in", TensorProto.FLOAT, source)],
        [helper.make_tensor_value_info("global_out", TensorProto.FLOAT, result)],
        initializer=constants,
    )
    annotate(graph, types)
    opsets = [helper.make_opsetid("", 11), helper.make_opsetid(THRESHOLD_DOMAIN, 1)]
    return helper.make_model(graph, opset_imports=opsets, producer_name="shellgen", ir_version=8)
