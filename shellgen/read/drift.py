# SPDX-License-Identifier: BSD-3-Clause
"""Sliding window generators of HLS that drift: from the second frame on everything is wrong."""

from __future__ import annotations

import logging

from shellgen.read.finn_onnx import FinnModel, Node

_LOG = logging.getLogger("shellgen.read")


def warn_of_drift(model: FinnModel, partition: str) -> None:
    """Warn of window generators from HLS that leave words of a frame unread: these go to the next frame.

    The generator stops reading after a fixed number of cycles, and starts again with an empty buffer. Words
    that it has not read by then are taken for the beginning of the next frame, so from the second frame on
    everything has slipped. FINN's RTL generator reads all of them. The bench counts the words of every stream
    whatever this function finds.
    """
    for node in model.nodes:
        words = _words_unread(node)
        if words:
            _LOG.warning(
                "%s: layer %s leaves %s of its input unread, and FINN's HLS window generator takes it for "
                "the next frame: all frames but the first will be wrong. Pad or crop its input so that "
                "stride %d reaches the last row, or build it as ConvolutionInputGenerator_rtl",
                *(partition, node.name, _amount(node, words), _first(node, "Stride") or 1),
            )


def _words_unread(node: Node) -> int:
    """Return how many words of a frame an HLS window generator leaves; 0 where its loop is not known.

    Counted as its loop does it: the rows of one window, then a word in each turn while it is below the words
    of a stride and rows are left. With a kernel that is a multiple of the stride, rows are read in
    blocks of a stride, so that a rest that fills no block is never read. Otherwise single rows are read until
    the last one, as long as there are turns.

    Source: finn-hlslib, slidingwindow.h, ConvolutionInputGenerator and the same with _kernel_stride; FINN
    chooses by kernel and stride.
    """
    if node.op != "ConvolutionInputGenerator" or node.op_type.endswith("_rtl"):
        return 0
    rows, kernel, made = (_square(node, name) for name in ("IFMDim", "ConvKernelDim", "OFMDim"))
    stride, dilation = _square(node, "Stride", 1), _square(node, "Dilation", 1)
    if not rows or not kernel or not stride or dilation != 1 or rows < kernel:
        return 0
    made = made or (rows - kernel) // stride + 1
    folds = max(1, (node.integer("IFMChannels") or 1) // (node.integer("SIMD") or 1))
    row = rows * folds
    out, taken = made * kernel * kernel * folds, stride * row
    longest = max(out, taken)
    if kernel % stride:
        turns, most = (made - 1) * longest + max(out, made), rows * row
    else:
        turns, most = made * longest, rows // stride * taken
    period = longest - 1
    whole, rest = divmod(turns, period) if period else (0, 0)
    slots = whole * min(taken - 1, period) + min(rest, taken - 1)
    return rows * row - min(kernel * row + slots, most)


def _amount(node: Node, words: int) -> str:
    """Name words as rows, if they are whole ones."""
    rows = _square(node, "IFMDim") or 1
    row = rows * max(1, (node.integer("IFMChannels") or 1) // (node.integer("SIMD") or 1))
    return f"{words // row} of the {rows} rows" if words % row == 0 else f"{words} of the {rows * row} words"


def _square(node: Node, name: str, default: int | None = None) -> int | None:
    """Return an edge of a square; None if it is none, as these loops know only squares."""
    pair = node.integers(name)
    if pair and len(set(pair)) > 1:
        return None
    return _first(node, name) or default


def _first(node: Node, name: str) -> int | None:
    """Return the first of two dimensions; old models have one number for both."""
    pair = node.integers(name)
    return pair[0] if pair else node.integer(name)
