# SPDX-License-Identifier: BSD-3-Clause
"""One end for all consumers of a stream whose frames a program sends: it hands each frame to all of them.

A junction has made a stream for each consumer. Where the link's frames go through memory, one DMA reads a
frame once, and the server sends the same buffer to every consumer. A junction stays where a consumer is on
the producer's board or behind another kind of link, with an output for all others together.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from shellgen.links import link_registry
from shellgen.model import Endpoint, Partition
from shellgen.plan.draft import Draft, Route
from shellgen.plan.junction import with_outputs

Key = tuple[str, ...]


def share_ends(draft: Draft) -> Draft:
    """Give the streams of a junction that leave by such a link alike one output of it, or its producer's."""
    for part in [one for one in draft.partitions if one.junction == "broadcast"]:
        groups = _groups(draft, part)
        if len(groups) < len(part.outputs):
            draft = _merged(draft, part, groups)
    return draft


def _groups(draft: Draft, part: Partition) -> list[list[Route]]:
    """Return the routes of the outputs of a junction, those together that one end can serve."""
    made = {one.producer: one for one in draft.routes if one.producer}
    groups: dict[Key, list[Route]] = {}
    for port in part.outputs:
        route = made[Endpoint(partition=part.name, port=port.name)]
        copied = route.link is not None and link_registry()[route.link].copies
        options = json.dumps(route.options, sort_keys=True)
        key = (str(route.link), draft.packing(route), options) if copied else (port.name,)
        groups.setdefault(key, []).append(route)
    return list(groups.values())


def _merged(draft: Draft, part: Partition, groups: Sequence[Sequence[Route]]) -> Draft:
    """Return the draft with an output of a junction for each group; without it if there is nothing to do."""
    (into,) = (one for one in draft.routes if one.consumer and one.consumer.partition == part.name)
    alone = into.producer is not None and len(groups) == 1
    small = with_outputs(part, len(groups))
    ends = [into.producer] if alone else [_end(small, number) for number in range(len(groups))]
    new = {
        route.producer: replace(route, producer=end)
        for end, group in zip(ends, groups, strict=True)
        for route in group
    }
    routes = tuple(new.get(one.producer, one) for one in draft.routes if not (alone and one is into))
    kept = () if alone else (small,)
    nodes = tuple(replace(node, partitions=_swapped(node.partitions, part, kept)) for node in draft.nodes)
    partitions = _swapped(draft.partitions, part, kept)
    return replace(draft, routes=routes, nodes=nodes, partitions=partitions)


def _end(part: Partition, number: int) -> Endpoint:
    return Endpoint(partition=part.name, port=part.outputs[number].name)


def _swapped(parts: Sequence[Partition], old: Partition, new: tuple[Partition, ...]) -> tuple[Partition, ...]:
    return tuple(one for part in parts for one in (new if part.name == old.name else (part,)))
