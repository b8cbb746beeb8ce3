# SPDX-License-Identifier: BSD-3-Clause
"""Corrections to qonnx, for this process only."""

from __future__ import annotations

from typing import Any

from qonnx.custom_op.general.maxpoolnhwc import MaxPoolNHWC
from qonnx.transformation.general import SortGraph


def fix_qonnx() -> None:
    """Let sorting keep the order of layers that do not depend on each other, and pools have any padding."""
    SortGraph.apply = _sort
    MaxPoolNHWC.make_shape_compatible_op = _pooled


def _pooled(self: Any, model: Any) -> Any:
    """Return an operator that makes as many pixels; the original refuses padding that differs by side."""
    frames, *sizes, channels = model.get_tensor_shape(self.onnx_node.input[0])
    kernel, strides, pads = (self.get_nodeattr(name) for name in ("kernel_shape", "strides", "pads"))
    made = [
        (size + pads[axis] + pads[2 + axis] - kernel[axis]) // strides[axis] + 1
        for axis, size in enumerate(sizes)
    ]
    return self.make_const_shape_op((frames, *made, channels))


def _sort(self: Any, model: Any) -> Any:
    """Sort nodes so that each follows what it reads, in their order otherwise.

    The original sorts by distance from the inputs, which mixes branches.
    """
    del self
    nodes = list(model.graph.node)
    maker = {tensor: index for index, node in enumerate(nodes) for tensor in node.output}
    order: list[int] = []
    placed: set[int] = set()
    for start in range(len(nodes)):
        waiting = [start]
        while waiting:
            index = waiting[-1]
            missing = [maker[t] for t in nodes[index].input if t in maker and maker[t] not in placed]
            if missing and index not in placed:
                waiting.extend(missing)
                continue
            waiting.pop()
            if index not in placed:
                placed.add(index)
                order.append(index)
    if order != list(range(len(nodes))):
        del model.graph.node[:]
        model.graph.node.extend(nodes[index] for index in order)
    return model, False
