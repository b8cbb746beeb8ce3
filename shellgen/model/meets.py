# SPDX-License-Identifier: BSD-3-Clause
"""Boards to reset where frames with numbers meet: one on each side of every such place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shellgen.model.plan import Boundary, Plan


def reset_nodes(plan: Plan) -> tuple[str, ...]:
    """Return the nodes, in the order of the plan; none where no frames have numbers.

    Behind a place is the node where streams meet, before it one that sends to that node: another than the
    one at which numbers begin, whose reset is the beginning of a new run, if there is one.
    """
    into: dict[str, list[Boundary]] = {}
    for boundary in plan.boundaries:
        if boundary.numbered and boundary.consumer:
            into.setdefault(boundary.consumer.partition, []).append(boundary)
    origins = {one.consumer_node for ones in into.values() for one in ones if one.producer is None}
    places = {part: node.name for node in plan.nodes for part in node.partitions}
    found: set[str] = set()
    for partition, streams in into.items():
        if len(streams) > 1:
            here = places[partition]
            senders = [name for one in streams for name in _before(one, here, into, places)]
            best = [name for name in senders if name not in origins] or senders
            found |= {here, *([] if found & set(best) else best[:1])}
    return tuple(node.name for node in plan.nodes if node.name in found)


def _before(
    stream: Boundary, here: str, into: Mapping[str, list[Boundary]], places: Mapping[str, str]
) -> Iterator[str]:
    """Yield the nodes that send to a node what a stream on it is made of."""
    left, seen = [stream], {stream.name}
    while left:
        one = left.pop()
        if one.producer is None:
            continue
        if places[one.producer.partition] != here:
            yield places[one.producer.partition]
            continue
        more = [each for each in into.get(one.producer.partition, []) if each.name not in seen]
        seen |= {each.name for each in more}
        left += more
