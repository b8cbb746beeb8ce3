# SPDX-License-Identifier: BSD-3-Clause
"""A correction to qonnx, for this process only."""

from __future__ import annotations

from typing import Any

from qonnx.transformation.general import SortGraph


def fix_qonnx() -> None:
    """Let sorting keep the order of layers that do not depend on each other."""
    SortGraph.apply = _sort


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
