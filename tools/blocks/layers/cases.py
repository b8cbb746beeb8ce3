# SPDX-License-Identifier: BSD-3-Clause
"""Reference models of the layers in numpy, on whole tensors: random inputs and the expected outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shellgen.model.element import ElementType
from shellgen.stitch.own_layers import Layer, Port

Tensor = NDArray[np.int64]


@dataclass(frozen=True)
class Case:
    """A layer, the words of each of its streams, and the cycles that all of it may take without stalls."""

    layer: Layer
    inputs: tuple[tuple[int, ...], ...]
    outputs: tuple[tuple[int, ...], ...]
    limit: int


def words(tensor: Tensor, lanes: int, kind: ElementType) -> tuple[int, ...]:
    """Fold a tensor, channels last, into words of `lanes` elements."""
    mask = (1 << kind.bits) - 1
    codes = (tensor + 1) // 2 if kind.name == "BIPOLAR" else tensor
    folded = codes.reshape(-1, lanes)
    return tuple(sum((int(v) & mask) << (i * kind.bits) for i, v in enumerate(row)) for row in folded)


def draw(rng: np.random.Generator, shape: Sequence[int], kind: ElementType) -> Tensor:
    """Return values of a type, its ends among them more often than chance has it."""
    values = rng.integers(kind.low, kind.high, size=shape, endpoint=True)
    ends = rng.integers(0, 8, size=shape)
    values = np.where(ends == 0, kind.low, np.where(ends == 1, kind.high, values))
    return np.where(values == 0, kind.high, values) if kind.name == "BIPOLAR" else values


def port(name: str, kind: str, lanes: int) -> Port:
    element = ElementType.parse(kind)
    return Port(name, -(-lanes * element.bits // 8) * 8, element)


def smallest(low: int, high: int) -> str:
    """Return the smallest integer type that holds a range."""
    if low >= 0:
        return f"UINT{max(1, int(high).bit_length())}"
    return f"INT{max(int(-low - 1).bit_length(), int(high).bit_length()) + 1}"


OPERATIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "AbsDiff": lambda a, b: abs(a - b),
    "Mul": np.multiply,
}


def elementwise(
    rng: np.random.Generator,
    op: str,
    types: tuple[str, str],
    shape: tuple[int, ...],
    pe: int,
    constant: tuple[int, ...] = (),
) -> Case:
    """Two streams; with `constant`, its shape, the right operand is one, and the left of a product."""
    left, right = (ElementType.parse(name) for name in types)
    a, b = draw(rng, shape, left), draw(rng, constant or shape, right)
    made = OPERATIONS[op](a, b)
    corners = [np.array([low, high]) for low, high in ((left.low, left.high), (right.low, right.high))]
    ends = OPERATIONS[op](corners[0][:, np.newaxis], corners[1])
    least = 0 if op == "AbsDiff" else int(ends.min())
    output = port("out0_V", smallest(least, int(ends.max())), pe)
    kind, swapped = f"Elementwise{op}", bool(constant) and op == "Mul"
    sides = ("rhs", "lhs") if swapped else ("lhs", "rhs")
    attributes = {
        "PE": pe,
        f"{sides[0]}_shape": list(shape),
        f"{sides[1]}_shape": list(constant or shape),
        "out_shape": list(shape),
        f"{sides[0]}_style": "input",
        f"{sides[1]}_style": "const" if constant else "input",
    }
    inputs = (port("in1_V" if swapped else "in0_V", types[0], pe), port("in1_V", types[1], pe))
    layer = Layer(
        f"{kind}_{pe}",
        kind,
        attributes,
        inputs[:1] if constant else inputs,
        (output,),
        tuple(int(v) for v in b.flatten()) if constant else (),
        right if constant else None,
    )
    streams = (words(a, pe, left),) if constant else (words(a, pe, left), words(b, pe, right))
    return Case(layer, streams, (words(made, pe, output.element),), len(streams[0]) + 8)


def duplicate(rng: np.random.Generator, kind: str, copies: int, shape: tuple[int, ...], pe: int) -> Case:
    element = ElementType.parse(kind)
    stream = words(draw(rng, shape, element), pe, element)
    outputs = tuple(port(f"out{i}_V", kind, pe) for i in range(copies))
    layer = Layer(
        f"DuplicateStreams_{copies}",
        "DuplicateStreams",
        {"PE": pe, "NumChannels": shape[-1]},
        (port("in0_V", kind, pe),),
        outputs,
    )
    return Case(layer, (stream,), (stream,) * copies, len(stream) + 8)


def concat(
    rng: np.random.Generator, types: Sequence[str], channels: Sequence[int], vectors: int, simd: int, out: str
) -> Case:
    parts = [
        draw(rng, (vectors, size), ElementType.parse(kind))
        for kind, size in zip(types, channels, strict=True)
    ]
    inputs = tuple(port(f"in{i}_V", kind, simd) for i, kind in enumerate(types))
    output = port("out0_V", out, simd)
    layer = Layer(
        f"StreamingConcat_{simd}_{len(types)}",
        "StreamingConcat",
        {"SIMD": simd, "ChannelsPerStream": list(channels)},
        inputs,
        (output,),
    )
    made = words(np.concatenate(parts, axis=-1), simd, output.element)
    streams = tuple(words(part, simd, given.element) for part, given in zip(parts, inputs, strict=True))
    return Case(layer, streams, (made,), len(made) + 8)


def split(rng: np.random.Generator, kind: str, channels: Sequence[int], vectors: int, simd: int) -> Case:
    element = ElementType.parse(kind)
    whole = draw(rng, (vectors, sum(channels)), element)
    parts = np.split(whole, np.cumsum(channels)[:-1], axis=-1)
    layer = Layer(
        f"StreamingSplit_{simd}",
        "StreamingSplit",
        {"SIMD": simd, "ChannelsPerStream": list(channels)},
        (port("in0_V", kind, simd),),
        tuple(port(f"out{i}_V", kind, simd) for i in range(len(channels))),
    )
    stream = words(whole, simd, element)
    return Case(layer, (stream,), tuple(words(part, simd, element) for part in parts), len(stream) + 8)


def pool(
    rng: np.random.Generator,
    function: str,
    kind: str,
    out: str,
    size: tuple[int, int],
    channels: int,
    pe: int,
) -> Case:
    element, output = ElementType.parse(kind), port("out0_V", out, pe)
    windows = size[0] * size[1]
    # As a depthwise window generator hands it out: (pixel, channel group, window, channel of the group).
    x = draw(rng, (5, channels // pe, windows, pe), element)
    if function == "MaxPool":
        made = x.max(axis=2)
    else:
        most = (2**element.bits - 1) * windows
        made = x.sum(axis=2) >> max(0, most.bit_length() - output.element.bits)
    layer = Layer(
        f"Pool_{function}_{kind}_{pe}",
        "Pool",
        {"PE": pe, "Channels": channels, "KernelSize": list(size), "Function": function},
        (port("in0_V", kind, pe),),
        (output,),
    )
    stream = words(x, pe, element)
    return Case(layer, (stream,), (words(made, pe, output.element),), len(stream) + 8)


def global_sum(rng: np.random.Generator, kind: str, size: tuple[int, int], channels: int, pe: int) -> Case:
    element = ElementType.parse(kind)
    x = draw(rng, (3, *size, channels), element)
    steps = size[0] * size[1]
    output = port("out0_V", smallest(steps * element.low, steps * element.high), pe)
    layer = Layer(
        f"GlobalAccPool_{kind}_{pe}",
        "GlobalAccPool",
        {"PE": pe, "NumChannels": channels, "numInputVectors": [1, *size]},
        (port("in0_V", kind, pe),),
        (output,),
    )
    stream = words(x, pe, element)
    return Case(layer, (stream,), (words(x.sum(axis=(1, 2)), pe, output.element),), len(stream) + 8)


def label_select(rng: np.random.Generator, kind: str, labels: int, k: int, pe: int) -> Case:
    element = ElementType.parse(kind)
    x = draw(rng, (9, labels), element)
    places = np.argsort(-x, axis=-1, kind="stable")[:, :k]
    out = "UINT8" if labels <= 256 else "UINT16"
    output = port("out0_V", out, 1)
    layer = Layer(
        f"LabelSelect_{labels}_{k}_{pe}",
        "LabelSelect",
        {"PE": pe, "Labels": labels, "K": k},
        (port("in0_V", kind, pe),),
        (output,),
    )
    return Case(
        layer, (words(x, pe, element),), (words(places, 1, output.element),), 9 * (labels + 1) + k + 8
    )


def upsample(
    rng: np.random.Generator, kind: str, size: tuple[int, int], scale: tuple[int, int], fold: tuple[int, int]
) -> Case:
    channels, simd = fold
    element = ElementType.parse(kind)
    x = draw(rng, (2, *size, channels), element)
    made = x.repeat(scale[0], axis=1).repeat(scale[1], axis=2)
    attributes = {
        "SIMD": simd,
        "NumChannels": channels,
        "HI": size[0],
        "WI": size[1],
        "HO": size[0] * scale[0],
        "WO": size[1] * scale[1],
    }
    layer = Layer(
        f"Upsample_{channels}_{simd}_{size[1]}",
        "UpsampleNearestNeighbour",
        attributes,
        (port("in0_V", kind, simd),),
        (port("out0_V", kind, simd),),
    )
    out = words(made, simd, element)
    return Case(layer, (words(x, simd, element),), (out,), len(out) + 16)


def every_case() -> list[Case]:
    """Return all that the bench runs; the same in every run."""
    rng = np.random.default_rng(8)
    return [
        elementwise(rng, "Add", ("INT4", "INT4"), (5, 4, 6), 3),
        elementwise(rng, "Add", ("UINT3", "INT6"), (20, 8), 8),
        elementwise(rng, "Add", ("UINT8", "UINT2"), (50, 1), 1),
        elementwise(rng, "Sub", ("UINT4", "UINT4"), (20, 4), 2),
        elementwise(rng, "AbsDiff", ("INT5", "INT3"), (20, 4), 2),
        elementwise(rng, "Mul", ("INT5", "UINT3"), (20, 4), 2),
        elementwise(rng, "Add", ("INT4", "INT9"), (20, 6), 2, (6,)),
        elementwise(rng, "Sub", ("INT4", "UINT5"), (20, 6), 3, (1, 6)),
        elementwise(rng, "Mul", ("UINT5", "INT4"), (20, 5), 1, (5,)),
        elementwise(rng, "Mul", ("INT3", "UINT7"), (30, 4), 4, (1,)),
        duplicate(rng, "INT5", 2, (30, 6), 3),
        duplicate(rng, "BIPOLAR", 5, (30, 8), 8),
        concat(rng, ("UINT4", "UINT4"), (6, 2), 11, 2, "UINT4"),
        concat(rng, ("INT3", "UINT4", "INT8"), (3, 6, 3), 11, 3, "INT8"),
        split(rng, "INT4", (2, 6, 4), 11, 2),
        split(rng, "BIPOLAR", (8, 8), 21, 8),
        pool(rng, "MaxPool", "UINT4", "UINT4", (2, 2), 6, 3),
        pool(rng, "MaxPool", "INT5", "INT5", (3, 3), 4, 1),
        pool(rng, "QuantAvgPool", "UINT4", "UINT4", (2, 2), 6, 2),
        pool(rng, "QuantAvgPool", "INT6", "INT6", (3, 3), 4, 2),
        pool(rng, "QuantAvgPool", "UINT2", "UINT8", (3, 3), 4, 4),
        pool(rng, "MaxPool", "UINT3", "UINT3", (1, 1), 4, 2),
        pool(rng, "MaxPool", "BIPOLAR", "BIPOLAR", (2, 2), 8, 4),
        global_sum(rng, "UINT4", (4, 5), 6, 2),
        global_sum(rng, "INT5", (3, 3), 4, 4),
        label_select(rng, "INT8", 10, 1, 1),
        label_select(rng, "UINT2", 10, 3, 5),
        label_select(rng, "INT4", 300, 5, 1),
        label_select(rng, "INT3", 4, 4, 2),
        upsample(rng, "UINT4", (3, 4), (2, 2), (6, 3)),
        upsample(rng, "INT3", (2, 24), (3, 2), (4, 1)),
        upsample(rng, "UINT2", (2, 3), (1, 4), (2, 2)),
    ]
