# SPDX-License-Identifier: BSD-3-Clause
"""Need curve of a layer: the words of its input that it must have before each word of its output.

``need[k]`` is the count for output word k, counted from 0; it never falls. A layer of unknown kind is taken
to need the whole frame. `gap` is the least time from one output word to the next, in cycles.

Source: the operators' RTL and HLS in FINN (finn-rtllib, finn-hlslib) and their folding attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from shellgen.read.finn_onnx import Node

Words = NDArray[np.int64]
_OPERANDS = 2  # of a product of two streams
MOST_WORDS = 1 << 22  # of a stream in a frame; beyond that, a curve takes longer than it is worth


@dataclass(frozen=True)
class Need:
    """Need of a layer at its first input; other streams are alike, or have needs of their own.

    Attributes:
        words: Of the input in a frame.
        need: For each word of the first output.
        gap: Least cycles between output words.
        known: False where the whole frame is assumed.
        inputs: Words of each further input that each word of the output needs, where they are not the same.
        outputs: Words of the input that each word of a further output needs, where they are not the same.
    """

    words: int
    need: Words
    gap: int
    known: bool = True
    inputs: tuple[Words, ...] = ()
    outputs: tuple[Words, ...] = ()

    def at(self, index: int, out: int = 0) -> Words:
        """Return the need of an output at an input."""
        if out and self.outputs:
            return self.outputs[out - 1]
        return self.inputs[index - 1] if index and self.inputs else self.need


def need_of(node: Node, words: Sequence[int]) -> Need | None:
    """Return the need curve of a layer whose inputs have so many words; None if its output is not known."""
    known = _KNOWN.get(node.op)
    if known is None and node.op.startswith("Elementwise"):
        known = _same
    found = known(node, words[0]) if known else None
    if known is _matrix and found is not None and len(words) == _OPERANDS:
        found = _two_operands(node, found, words[1])
    elif node.op == "Concat":
        found = _concat(node, words)
    elif any(count != words[0] for count in words):
        return None
    if found is None or found.words != words[0] or not 0 < len(found.need) <= MOST_WORDS:
        return None
    return found


def _same(node: Node, words: int) -> Need:  # noqa: ARG001 - every layer is asked alike
    return Need(words, np.arange(1, words + 1), 1)


def _matrix(node: Node, words: int) -> Need | None:
    height, width = node.integer("MH"), node.integer("MW")
    pe, simd = node.integer("PE", 1), node.integer("SIMD", 1)
    if not height or not width or not pe or not simd or height % pe or width % simd:
        return None
    return _vectors(words, width // simd, height // pe)


def _two_operands(node: Node, first: Need, words: int) -> Need | None:
    """The second operand is a matrix in words of PE elements; each serves as many vectors as any other."""
    height, width, pe = node.integer("MH"), node.integer("MW"), node.integer("PE", 1)
    matrix = (height or 0) * (width or 0) // (pe or 1)
    if not matrix or words % matrix or len(first.need) % (words // matrix):
        return None
    each = len(first.need) // (words // matrix)
    return replace(first, inputs=(np.repeat(np.arange(matrix, words + 1, matrix), each),))


def _concat(node: Node, words: Sequence[int]) -> Need | None:
    """Put the channels of each stream before those of the next, pixel by pixel."""
    pixels = prod(node.integers("numInputVectors") or (1,))
    if not pixels or any(count % pixels for count in words):
        return None
    own = [count // pixels for count in words]
    pixel, place = np.divmod(np.arange(sum(words)), sum(own))
    first, *others = (
        pixel * count + np.clip(place + 1 - sum(own[:index]), 0, count) for index, count in enumerate(own)
    )
    return Need(words[0], first, 1, inputs=tuple(others))


def _split(node: Node, words: int) -> Need | None:
    """Give the channels of each pixel to one output after the other."""
    pixels = prod(node.integers("numInputVectors") or (1,))
    channels, simd = node.integers("ChannelsPerStream"), node.integer("SIMD", 1)
    if not channels or not simd or any(count % simd for count in channels):
        return None
    own = [count // simd for count in channels]
    if words != pixels * sum(own):
        return None
    before = np.arange(pixels)[:, None] * sum(own)
    first, *others = (
        (before + sum(own[:index]) + np.arange(1, count + 1)).reshape(-1) for index, count in enumerate(own)
    )
    return Need(words, first, 1, outputs=tuple(others))


def _upsample(node: Node, words: int) -> Need | None:
    """Rows and pixels are read once and kept to be repeated."""
    size, out = ([node.integer(name) or 0 for name in names] for names in (("HI", "WI"), ("HO", "WO")))
    if not all(size) or out[0] % size[0] or out[1] % size[1] or not all(out) or words % prod(size):
        return None
    folds, down, across = words // prod(size), out[0] // size[0], out[1] // size[1]
    row = size[1] * folds
    once = np.repeat(np.arange(1, row + 1).reshape(-1, 1, folds), across, axis=1).reshape(-1)
    once = np.maximum.accumulate(once)
    rows = np.vstack([once, np.full((down - 1, len(once)), row)]).reshape(-1)
    return Need(words, (np.arange(size[0])[:, None] * row + rows[None, :]).reshape(-1), 1)


def _shuffle(node: Node, words: int) -> Need | None:
    """A matrix is read when all of it is in."""
    shape = node.integers("transpose_in_shape") or node.integers("in_shape")
    simd = node.integer("SIMD", 1)
    matrix = prod(shape[-2:]) // simd if shape and simd else 0
    return _vectors(words, matrix, matrix, gap=1) if matrix else None


def _vectors(words: int, into: int, out: int, gap: int | None = None) -> Need | None:
    """Each ``into`` words give ``out`` words; they are read once and kept."""
    if words % into:
        return None
    need = np.repeat(np.arange(into, words + 1, into), out)
    return Need(words, need, gap or into)


def _depthwise(node: Node, words: int) -> Need | None:
    kernel, simd = node.integers("Kernel"), node.integer("SIMD", 1)
    if not kernel or not simd or prod(kernel) % simd:
        return None
    return _vectors(words, prod(kernel) // simd, 1)


def _pool(node: Node, words: int) -> Need | None:
    kernel = node.integers("KernelSize")
    return _vectors(words, prod(kernel), 1) if kernel else None


def _labels(node: Node, words: int) -> Need:
    return Need(words, np.full(max(1, node.integer("K") or 1), words), 1)


def _accumulated(node: Node, words: int) -> Need | None:
    channels, pe = node.integer("NumChannels"), node.integer("PE", 1)
    if not channels or not pe or channels % pe or words % (channels // pe):
        return None
    return Need(words, np.full(channels // pe, words), 1)


def _padding(node: Node, words: int) -> Need | None:
    dim, pad = node.integers("ImgDim"), node.integers("Padding")
    if dim is None or pad is None or len(dim) != 2 or len(pad) != 4 or words % prod(dim):
        return None
    folds = words // prod(dim)
    inside = np.zeros((dim[0] + pad[0] + pad[2], dim[1] + pad[1] + pad[3], folds), dtype=np.int64)
    inside[pad[0] : pad[0] + dim[0], pad[1] : pad[1] + dim[1]] = 1
    return Need(words, np.cumsum(inside), 1)


def _window(node: Node, words: int) -> Need | None:
    """The last word of a window is in before its first is out: so the generators of FINN begin."""
    names = ("IFMDim", "OFMDim", "ConvKernelDim", "Stride", "Dilation")
    pairs = [node.integers(name) for name in names]
    if any(len(pair or ()) != 2 for pair in pairs):
        return None
    size, out, kernel, stride, dilation = (pair for pair in pairs if pair)
    if words % prod(size):
        return None
    folds = words // prod(size)
    rows = np.arange(out[0]) * stride[0] + (kernel[0] - 1) * dilation[0]
    columns = np.arange(out[1]) * stride[1] + (kernel[1] - 1) * dilation[1]
    last = (rows[:, None] * size[1] + columns[None, :]).reshape(-1) + 1
    if last[-1] > prod(size):
        return None
    each = folds if node.integer("parallel_window") else folds * prod(kernel)
    return Need(words, np.repeat(last * folds, each), 1)


def _converter(node: Node, words: int) -> Need | None:
    into, out = node.integer("inWidth"), node.integer("outWidth")
    if not into or not out or words * into % out:
        return None
    count = words * into // out
    return Need(words, -(-np.arange(1, count + 1) * out // into), 1)


_KNOWN = {
    "StreamingFIFO": _same,
    "Thresholding": _same,
    "AddStreams": _same,
    "DuplicateStreams": _same,
    "ChannelwiseOp": _same,
    "StreamingEltwise": _same,
    "StreamingDataWidthConverter": _converter,
    "MVAU": _matrix,
    "VVAU": _depthwise,
    "Pool": _pool,
    "FMPadding": _padding,
    "InnerShuffle": _shuffle,
    "ConvolutionInputGenerator": _window,
    "UpsampleNearestNeighbour": _upsample,
    "Split": _split,
    "LabelSelect": _labels,
    "GlobalAccPool": _accumulated,
}
