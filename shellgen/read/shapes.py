# SPDX-License-Identifier: BSD-3-Clause
"""Data type, tensor shape and folding of a stream port, from the first or last node behind it.

FINN's operators answer these questions in Python; here the same answers come from their attributes, so
that FINN need not be installed.

Source: the operators of FINN 0.5 to 0.10 and finn-plus 1.3 to 1.6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

from shellgen.model import ElementType, StreamPort, StreamRole
from shellgen.read.external import PASSES_ON, WeightStream, stream_inputs, weight_stream
from shellgen.read.finn_onnx import FinnModel, Node, Tensor

Side = Literal["in", "out"]
# The attribute that says how many elements a word has, where both sides have the same.
_BY_PE = {"Thresholding", "ChannelwiseOp", "AddStreams", "DuplicateStreams", "GlobalAccPool", "Pool"}
_BY_PE |= {"StreamingEltwise", "ReplicateStream"}
_BY_SIMD = {"FMPadding", "FMPadding_Pixel", "UpsampleNearestNeighbour", "Concat", "Split", "DownSampler"}
# Operators that move elements without computing, so that the input's type is the output's.
_MOVES = {"DuplicateStreams", "FMPadding", "FMPadding_Pixel", "UpsampleNearestNeighbour", "Concat", "Split"}
_MOVES |= {"ConvolutionInputGenerator", "StreamingMaxPool", "DownSampler", "ReplicateStream"}


@dataclass(frozen=True)
class Shape:
    """The frame of a `StreamPort`, and its layer."""

    datatype: str
    normal: tuple[int, ...]
    folded: tuple[int, ...]
    role: StreamRole = "data"
    passes: int = 1
    layer: str = ""


class ShapeMismatchError(ValueError):
    """The ONNX describes another word than TDATA can be."""


class NotIntegerError(ValueError):
    """The elements are no integers."""


def stream_shape(model: FinnModel, port: StreamPort, index: int) -> Shape | None:
    """Return the shape of the ``index``-th stream on its side, or None if the model does not tell.

    Raises:
        ShapeMismatchError: A known operator's word, padded to bytes, is not as wide as TDATA.
        NotIntegerError: The elements are floats or fixed-point numbers.
    """
    tensors = stream_inputs(model) if port.direction == "in" else model.outputs
    if index >= len(tensors):
        return None
    tensor = model.tensor(tensors[index])
    weights = weight_stream(model, tensor.name) if port.direction == "in" else None
    for node in model.nodes:
        names = node.inputs if port.direction == "in" else node.outputs
        if tensor.name in names:
            at = names.index(tensor.name)
            layer = _layer(model, node, port.direction)
            try:
                found = _weights(weights, port) if weights else _shape(node, port, at, tensor)
            except NotIntegerError as error:
                does = "takes" if port.direction == "in" else "makes"
                raise NotIntegerError(f"{layer} {does} {error}, and links carry integers") from None
            return found and replace(found, layer=layer)
    return None


def _layer(model: FinnModel, node: Node, side: Side) -> str:
    """Name the layer at a port: the first node that does more than to hand words on."""
    found = node
    for _ in model.nodes:  # a loop of such nodes has no layer
        if found.op not in PASSES_ON:
            return found.name
        ends = found.outputs if side == "in" else found.inputs
        beyond = [
            other
            for other in model.nodes
            if ends and ends[0] in (other.inputs if side == "in" else other.outputs)
        ]
        if not beyond:
            break
        found = beyond[0]
    return node.name


def _weights(found: WeightStream, port: StreamPort) -> Shape:
    bits = ElementType.parse(found.datatype).bits * found.per_word
    if (bits + 7) // 8 * 8 != port.tdata_bits:
        raise ShapeMismatchError(
            f"its external weights have words of {found.per_word} {found.datatype}, {bits} bits, but TDATA "
            f"has {port.tdata_bits}"
        )
    normal = (found.words, found.per_word)
    return Shape(found.datatype, normal, (found.words, 1, found.per_word), "weights", found.passes)


def _shape(node: Node, port: StreamPort, index: int, tensor: Tensor) -> Shape | None:
    datatype = _datatype(node, port.direction, tensor)
    if datatype is None:
        return None
    bits = ElementType.parse(datatype).bits
    normal = _normal(node, port.direction, tensor)
    words = _elements_per_word(node, port.direction, bits)
    if node.op in {"MVAU", "VVAU"} and port.direction == "in" and index == 1:
        return None  # weights, and not as `weight_stream` knows them
    if words is None:
        words = only_fit(normal, bits, port.tdata_bits)
    if normal is None or words is None or words < 1 or normal[-1] % words:
        return None
    if (bits * words + 7) // 8 * 8 != port.tdata_bits:
        raise ShapeMismatchError(
            f"{node.op_type} {node.name} has words of {words} {datatype}, {bits * words} bits, but TDATA has "
            f"{port.tdata_bits}"
        )
    return Shape(datatype, normal, (*normal[:-1], normal[-1] // words, words))


def _datatype(node: Node, side: Side, tensor: Tensor) -> str | None:
    """The node's own attribute decides the hardware; the tensor's annotation may be older."""
    own = "inputDataType" if side == "in" else "outputDataType"
    names = [node.text(own), node.text("dataType"), tensor.datatype]
    if node.op in _MOVES:
        names.append(node.text("inputDataType"))
    for name in names:
        if name:
            try:
                return ElementType.parse(name).name
            except ValueError:
                raise NotIntegerError(name) from None
    return None


def _normal(node: Node, side: Side, tensor: Tensor) -> tuple[int, ...] | None:
    """The node's view of the tensor: an MVAU may take [1,2,2,64] as [1,256]."""
    folded = node.integers("folded_shape")
    if folded:
        return node.integers("normal_shape") or (*folded[:-2], folded[-2] * folded[-1])
    if node.op == "StreamingDataWidthConverter":
        end = "inShape" if side == "in" else "outShape"  # since finn-plus 1.6
        return node.integers(end) or node.integers("shape") or tensor.shape
    width = {"MVAU": {"in": "MW", "out": "MH"}}.get(node.op, {}).get(side)
    vectors, channels = node.integers("numInputVectors"), node.integer(width) if width else None
    if vectors and channels:
        return (*vectors, channels)
    if tensor.shape is None and vectors and node.op in _BY_PE - {"GlobalAccPool"}:
        channels = node.integer("NumChannels")
        return (*vectors, channels) if channels else None
    return tensor.shape


def _elements_per_word(node: Node, side: Side, bits: int) -> int | None:
    folded = node.integers("folded_shape")
    if folded:
        return folded[-1]
    special = _SPECIAL.get(node.op)
    if special:
        return special(node, side, bits)
    if node.op in _BY_PE or node.op.startswith("Elementwise"):
        return node.integer("PE")
    if node.op in _BY_SIMD:
        # Before FINN 0.10 these had no SIMD where all channels make one word.
        return node.integer("SIMD") or node.integer("NumChannels")
    return None


def _converter(node: Node, side: Side, bits: int) -> int | None:
    width = node.integer("inWidth" if side == "in" else "outWidth")
    return width // bits if width and width % bits == 0 else None


def _matrix(node: Node, side: Side, bits: int) -> int | None:  # noqa: ARG001 - one signature for all
    return node.integer("SIMD" if side == "in" else "PE")


def _depthwise(node: Node, side: Side, bits: int) -> int | None:  # noqa: ARG001
    pe, simd = node.integer("PE"), node.integer("SIMD", 1)
    return pe * simd if pe and simd and side == "in" else pe


def _window(node: Node, side: Side, bits: int) -> int | None:  # noqa: ARG001
    simd = node.integer("SIMD")
    kernel = node.integers("ConvKernelDim")
    parallel = side == "out" and node.integer("parallel_window", 0)
    return simd * prod(kernel) if simd and kernel and parallel else simd


def _max_pool(node: Node, side: Side, bits: int) -> int | None:  # noqa: ARG001
    """One-dimensional pooling folds by PE; in two dimensions a word has all channels."""
    image = node.integers("ImgDim") or ()
    return node.integer("PE") if len(image) == 2 and image[1] == 1 else node.integer("NumChannels")


def _labels(node: Node, side: Side, bits: int) -> int | None:  # noqa: ARG001
    return node.integer("PE") if side == "in" else 1


_SPECIAL: dict[str, Callable[[Node, Side, int], int | None]] = {
    "StreamingDataWidthConverter": _converter,
    "MVAU": _matrix,
    "VVAU": _depthwise,
    "ConvolutionInputGenerator": _window,
    "StreamingMaxPool": _max_pool,
    "LabelSelect": _labels,
}


def only_fit(normal: tuple[int, ...] | None, bits: int, tdata_bits: int) -> int | None:
    """Return the elements of a word where nothing but TDATA tells: if it leaves one possibility."""
    if normal is None:
        return None
    fits = [
        words
        for words in range(1, normal[-1] + 1)
        if normal[-1] % words == 0 and (words * bits + 7) // 8 * 8 == tdata_bits
    ]
    return fits[0] if len(fits) == 1 else None
