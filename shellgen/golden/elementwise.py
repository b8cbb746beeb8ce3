# SPDX-License-Identifier: BSD-3-Clause
"""Operators on single elements and on whole streams: sums, comparisons, joins, copies, labels.

Source: `execute_node` of finn-plus 1.3.0 and 1.6.1; LabelSelect and ChannelwiseOp as in FINN's HLS library.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

import numpy as np

from shellgen.golden.layer import LIMIT, Integers, Layer, magnitude

_PAIRS: dict[str, Callable[[Integers, Integers], Integers]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "AbsDiff": lambda left, right: np.abs(left - right),
    "Max": np.maximum,
    "Mul": np.multiply,
    "And": np.logical_and,
    "Or": np.logical_or,
    "Xor": np.logical_xor,
    "Equal": np.equal,
    "Less": np.less,
    "LessOrEqual": np.less_equal,
    "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal,
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
}


def passes(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """FIFOs, width converters, reshapes, markers: the elements in their order; copies for several outputs."""
    return inputs[:1] * len(layer.node.outputs)


def add_streams(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """AddStreams: the sum of all inputs."""
    first, *others = _alike(layer, inputs)
    for other in others:
        first = first + other
    return [first]


def eltwise(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """StreamingEltwise: sum, difference or distance of two streams."""
    a, b = _alike(layer, inputs)
    function = layer.node.text("eltwiseOp")
    if function == "Add":
        return [a + b]
    if function not in ("Sub", "AbsDiff"):
        raise layer.refuse(f"has the unknown function {function}")
    return [np.abs(a - b) if function == "AbsDiff" else a - b]


def _alike(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    if len({values.size for values in inputs}) != 1 or len(inputs) < 2:
        raise layer.refuse("joins streams of different length")
    return [values.reshape(len(values), -1).astype(np.int64) for values in inputs]


def elementwise(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """ElementwiseAdd and its family: two operands, each a stream or a constant, broadcast to each other."""
    function = _PAIRS.get(layer.node.op.removeprefix("Elementwise"))
    if function is None:
        raise layer.refuse("is unknown")
    given = iter(inputs)
    operands = []
    rank = max(len(layer.node.integers(f"{side}_shape") or (1,)) for side in ("lhs", "rhs"))
    for index, side in enumerate(("lhs", "rhs")):
        shape = layer.node.integers(f"{side}_shape") or (1,)
        inside = (
            layer.node.text(f"{side}_style") == "const"
            or layer.node.inputs[index] in layer.model.initialisers
        )
        values = layer.whole(index)[np.newaxis] if inside else next(given)
        aligned = (1,) * (rank - len(shape)) + tuple(shape)
        operands.append(layer.frames(values, *aligned).astype(np.int64))
    if magnitude(operands[0]) * magnitude(operands[1]) >= LIMIT:
        raise layer.refuse("has results beyond 62 bits")
    return [np.asarray(function(*operands), np.int64)]


def concat(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """StreamingConcat: the channels of all inputs side by side."""
    sizes = _channels(layer, len(inputs))
    parts = [layer.frames(x, -1, size) for x, size in zip(inputs, sizes, strict=True)]
    if len({part.shape[1] for part in parts}) != 1:
        raise layer.refuse("joins streams of different length")
    return [np.concatenate(parts, axis=2)]


def split(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """StreamingSplit: some channels for each output."""
    sizes = _channels(layer, len(layer.node.outputs))
    x = layer.frames(inputs[0], -1, sum(sizes))
    return np.split(x, list(accumulate(sizes))[:-1], axis=2)


def _channels(layer: Layer, streams: int) -> tuple[int, ...]:
    sizes = layer.node.integers("ChannelsPerStream") or layer.node.integers("ElemsPerStream")
    if sizes is None or len(sizes) != streams:
        raise layer.refuse(f"does not state the channels of its {streams} streams")
    return sizes


def channelwise(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """ChannelwiseOp: one parameter per channel; in a comparison it is the left operand."""
    channels, function = layer.size("NumChannels"), layer.node.text("Func") or "cmp_le"
    x = layer.frames(inputs[0], -1, channels).astype(np.int64)
    parameters = layer.whole(1).reshape(-1)
    if len(parameters) not in (1, channels):
        raise layer.refuse(f"has {len(parameters)} parameters for {channels} channels")
    if magnitude(x) * magnitude(parameters) >= LIMIT:
        raise layer.refuse("has results beyond 62 bits")
    if function == "add":
        return [x + parameters]
    if function == "mul":
        return [x * parameters]
    if function not in ("cmp_le", "cmp_ge"):
        raise layer.refuse(f"has the unknown function {function}")
    found = parameters <= x if function == "cmp_le" else parameters >= x
    return [found.astype(np.int64)]


def labels(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """LabelSelect: the K largest values' indices, the largest first; equal values: the lowest index first.

    HLS starts with K times the smallest value of the type and label 0, and replaces them by larger values.
    """
    x = layer.frames(inputs[0], -1, layer.size("Labels")).astype(np.int64)
    order = np.argsort(-x, axis=2, kind="stable")[..., : layer.size("K", 1)]
    element = layer.node.element("inputDataType")
    if layer.by_hls and element is not None:
        order = np.where(np.take_along_axis(x, order, axis=2) > element.low, order, 0)
    return [order]


def lookup(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """Lookup: a row of the table for every index."""
    table = layer.whole(1)
    if table.shape != (layer.size("NumEmbeddings"), layer.size("EmbeddingDim")):
        raise layer.refuse(f"has a table of {table.shape}")
    if inputs[0].min() < 0 or inputs[0].max() >= len(table):
        raise layer.refuse(f"needs a row beyond its {len(table)}")
    return [table[inputs[0]]]
