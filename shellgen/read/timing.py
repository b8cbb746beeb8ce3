# SPDX-License-Identifier: BSD-3-Clause
"""Timing facts of a model: cycles of a frame, and sliding window generators that drift."""

from __future__ import annotations

import logging
from math import prod

from shellgen.read.finn_onnx import FinnModel, Node

_LOG = logging.getLogger("shellgen.read")


def frame_cycles(model: FinnModel) -> int | None:
    """Return the sum of a frame's cycles over all layers; None if unknown.

    FINN's own estimate of each layer where it has left one (AnnotateCycles), else what folding makes of a
    matrix.
    """
    return sum(_cycles(node) for node in model.nodes) or None


def _cycles(node: Node) -> int:
    told = node.integer("cycles_estimate") or node.integer("rtlsim_cycles")
    if told:
        return told
    height, width = node.integer("MH"), node.integer("MW")
    if not height or not width:
        return 0
    vectors = prod(node.integers("numInputVectors") or (1,))
    return vectors * height * width // ((node.integer("PE") or 1) * (node.integer("SIMD") or 1))


def warn_of_drift(model: FinnModel, partition: str) -> None:
    """Warn of window generators from HLS that leave rows of a frame unread: these go to the next frame.

    The generator stops reading when the last window is out. Rows that the stride never reaches are then taken
    for the beginning of the next frame, so from the second frame on everything has slipped. FINN's RTL
    generator reads them to the end.
    """
    for node in model.nodes:
        if node.op != "ConvolutionInputGenerator" or node.op_type.endswith("_rtl"):
            continue
        sizes = [_rows(node, name) for name in ("IFMDim", "ConvKernelDim", "Stride", "Dilation")]
        rows, kernel, stride, dilation = sizes[0], sizes[1], sizes[2] or 1, sizes[3] or 1
        if rows is None or kernel is None:
            continue
        reach = (kernel - 1) * dilation + 1
        unread = (rows - reach) % stride
        if rows > reach and unread:
            _LOG.warning(
                "%s: layer %s leaves %d of its %d input rows unread, and FINN's HLS window generator takes "
                "them for the next frame: all frames but the first will be wrong. Pad or crop its input so "
                "that stride %d reaches the last row, or build it as ConvolutionInputGenerator_rtl",
                *(partition, node.name, unread, rows, stride),
            )


def _rows(node: Node, name: str) -> int | None:
    """Return the first of two dimensions; old models have one number for both."""
    pair = node.integers(name)
    return pair[0] if pair else node.integer(name)
