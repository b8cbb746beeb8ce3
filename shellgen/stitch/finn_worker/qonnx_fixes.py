# SPDX-License-Identifier: BSD-3-Clause
"""Corrections to qonnx 0.4, which is older than what FINN 1.3 was written for; for this process only."""

from __future__ import annotations

from typing import Any

from qonnx.custom_op.general.multithreshold import MultiThreshold
from qonnx.transformation.general import SortGraph

_LAYOUTS = {"NCHW", "NHWC", "NC", "NCW", "NWC", ""}


def fix_qonnx() -> None:
    """Let MultiThreshold have every layout that FINN gives it, and let sorting lose no layer."""
    known = MultiThreshold.get_nodeattr_types

    def with_layouts(self: Any) -> Any:
        return {**known(self), "data_layout": ("s", False, "NCHW", _LAYOUTS)}

    MultiThreshold.get_nodeattr_types = with_layouts
    SortGraph.apply = _sort


def _sort(self: Any, model: Any) -> Any:
    """Sort nodes so that each follows what it reads, in their order otherwise.

    The original drops nodes that neither feed a node nor are fed by one: a partition may hold such layers,
    parts of branches that meet elsewhere.
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
