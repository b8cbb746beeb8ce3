# SPDX-License-Identifier: BSD-3-Clause
"""What each layer must do, said with numpy on whole tensors: random inputs and the outputs that belong."""

from __future__ import annotations

from collections.abc import Sequence
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


def eltwise(
    rng: np.random.Generator, kind: str, op: str, types: tuple[str, str], shape: tuple[int, ...], pe: int
) -> Case:
    a, b = (draw(rng, shape, ElementType.parse(name)) for name in types)
    made = {"Add": a + b, "Sub": a - b, "AbsDiff": abs(a - b)}[op]
    left, right = (ElementType.parse(name) for name in types)
    most = max(left.high - right.low, right.high - left.low)
    out = {
        "Add": smallest(left.low + right.low, left.high + right.high),
        "Sub": smallest(-most, most),
        "AbsDiff": smallest(0, most),
    }[op]
    inputs = port("in0_V", types[0], pe), port("in1_V", types[1], pe)
    output = port("out0_V", out, pe)
    attributes = {"PE": pe, "NumChannels": shape[-1], "eltwiseOp": op}
    layer = Layer(f"{kind}_{op}", kind, attributes, inputs, (output,))
    streams = words(a, pe, left), words(b, pe, right)
    return Case(layer, streams, (words(made, pe, output.element),), len(streams[0]) + 8)


def channelwise(
    rng: np.random.Generator, func: str, types: tuple[str, str], shape: tuple[int, ...], pe: int
) -> Case:
    data, constant = (ElementType.parse(name) for name in types)
    x, c = draw(rng, shape, data), draw(rng, shape[-1:], constant)
    ends = [
        f(u, v)
        for f in (np.add if func == "add" else np.multiply,)
        for u in (data.low, data.high)
        for v in (int(c.min()), int(c.max()))
    ]
    output = port("out0_V", smallest(int(min(ends)), int(max(ends))), pe)
    made = x + c if func == "add" else x * c
    layer = Layer(
        f"ChannelwiseOp_{func}_{pe}",
        "ChannelwiseOp",
        {"PE": pe, "NumChannels": shape[-1], "Func": func},
        (port("in0_V", types[0], pe),),
        (output,),
        tuple(int(v) for v in c),
        constant,
    )
    stream = words(x, pe, data)
    return Case(layer, (stream,), (words(made, pe, output.element),), len(stream) + 8)


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


def convert(rng: np.random.Generator, kind: str, given: int, wanted: int, channels: int) -> Case:
    element = ElementType.parse(kind)
    x = draw(rng, (7, channels), element)
    attributes = {"inWidth": given * element.bits, "outWidth": wanted * element.bits}
    layer = Layer(
        f"Converter_{given}_{wanted}",
        "StreamingDataWidthConverter",
        attributes,
        (port("in0_V", kind, given),),
        (port("out0_V", kind, wanted),),
    )
    streams = words(x, given, element), words(x, wanted, element)
    return Case(layer, (streams[0],), (streams[1],), max(map(len, streams)) + 8)


def deep_fifo(rng: np.random.Generator, kind: str, lanes: int, depth: int) -> Case:
    element = ElementType.parse(kind)
    stream = words(draw(rng, (90, lanes), element), lanes, element)
    attributes = {"depth": depth, "folded_shape": [1, 90, lanes]}
    ports = (port("in0_V", kind, lanes),), (port("out0_V", kind, lanes),)
    layer = Layer(f"StreamingFIFO_{depth}", "StreamingFIFO", attributes, *ports)
    return Case(layer, (stream,), (stream,), len(stream) + 8)


def every_case() -> list[Case]:
    """Return all that the bench runs; the same in every run."""
    rng = np.random.default_rng(8)
    return [
        eltwise(rng, "AddStreams", "Add", ("INT4", "INT4"), (5, 4, 6), 3),
        eltwise(rng, "AddStreams", "Add", ("UINT3", "INT6"), (20, 8), 8),
        eltwise(rng, "AddStreams", "Add", ("UINT8", "UINT2"), (50, 1), 1),
        eltwise(rng, "StreamingEltwise", "Sub", ("UINT4", "UINT4"), (20, 4), 2),
        eltwise(rng, "StreamingEltwise", "AbsDiff", ("INT5", "INT3"), (20, 4), 2),
        channelwise(rng, "add", ("INT4", "INT9"), (20, 6), 2),
        channelwise(rng, "mul", ("UINT5", "INT4"), (20, 5), 1),
        channelwise(rng, "mul", ("INT3", "UINT7"), (30, 4), 4),
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
        convert(rng, "UINT4", 3, 4, 12),
        convert(rng, "INT5", 6, 4, 12),
        convert(rng, "BIPOLAR", 5, 15, 30),
        deep_fifo(rng, "INT5", 3, 300),
    ]
