# SPDX-License-Identifier: BSD-3-Clause
"""Joins between the partitions of a parent: plain Concat nodes along the channels, and Add nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shellgen.errors import Problem
from shellgen.model import Edge, Endpoint, JoinKind
from shellgen.read.finn_onnx import FinnModel, Node

_KINDS: dict[str, JoinKind] = {"Concat": "concat", "Add": "sum"}


@dataclass(frozen=True)
class _Joined:
    """The streams behind a tensor, in order, and the kinds of the nodes that join them."""

    streams: tuple[Endpoint, ...]
    kinds: frozenset[JoinKind] = frozenset()


def join_edges(
    parent: FinnModel,
    tensor: str,
    consumer: Endpoint,
    makers: Mapping[str, Endpoint],
    problems: list[Problem],
) -> list[Edge]:
    """Return an edge for each stream that is joined into a tensor; none if it is not a join of streams alone.

    A sum of three is two Add nodes, one behind the other, so nodes of one kind become one join.

    Args:
        parent: The partitioned model.
        tensor: What a partition takes.
        consumer: The port that takes it.
        makers: The port that makes a tensor.
        problems: Receives joins of both kinds, one behind the other.
    """
    nodes = {name: node for node in parent.nodes for name in node.outputs}
    found = _joined(parent, tensor, nodes, makers)
    if found is None or not found.kinds:
        return []
    if len(found.kinds) > 1:
        text = f"what {consumer} takes is a Concat of sums, or a sum of Concats"
        remedy = "Put one of the two into a partition"
        problems.append(Problem(f"{parent.path}: node {nodes[tensor].name}", text, remedy))
        return []
    (kind,) = found.kinds
    return [Edge(producer=end, consumer=consumer, join=kind) for end in found.streams]


def _joined(
    parent: FinnModel, tensor: str, nodes: Mapping[str, Node], makers: Mapping[str, Endpoint]
) -> _Joined | None:
    """Follow a tensor back; None if anything but partitions and joins is behind it."""
    if tensor in makers:
        return _Joined((makers[tensor],))
    node = nodes.get(tensor)
    if node is None or node.is_hardware or node.op_type not in _KINDS or not _along_channels(parent, node):
        return None
    parts = [_joined(parent, name, nodes, makers) for name in node.inputs]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    kinds = frozenset({_KINDS[node.op_type]}).union(*(part.kinds for part in known))
    return _Joined(tuple(end for part in known for end in part.streams), kinds)


def _along_channels(parent: FinnModel, node: Node) -> bool:
    """Whether a Concat joins the last dimension; an Add joins whole tensors in any case."""
    axis = node.integer("axis", 0)
    shapes = [parent.tensor(name).shape for name in (*node.outputs, *node.inputs)]
    sizes = {len(shape) for shape in shapes if shape}
    return node.op_type == "Add" or axis == -1 or sizes == {(axis or 0) + 1}
