# SPDX-License-Identifier: BSD-3-Clause
"""A plan with replicas as the network that it computes: the reference has every partition once."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.model.partition import Endpoint
from shellgen.model.plan import Boundary, Plan

_BETWEEN = ("deal", "gather")


def without_replicas(plan: Plan) -> Plan:
    """Return the plan with the first replica of each partition only, and neither deals nor gathers.

    Streams of the host keep their names; one that goes to several replicas is that of the first. Every stream
    carries all frames. Nodes stay as they are.
    """
    if plan.epoch == 1:
        return plan
    kinds = {part.name: part.junction for part in plan.partitions}
    first = {part.name: part.copy_of or part.name for part in plan.partitions}
    kept = [part for part in plan.partitions if part.copy_of is None and part.junction not in _BETWEEN]
    names = {part.name for part in kept}
    into = {boundary.consumer.partition: boundary for boundary in plan.boundaries if boundary.consumer}
    places = tuple(range(plan.epoch))
    found: list[Boundary] = []
    for boundary in plan.boundaries:
        if boundary.consumer and boundary.consumer.partition not in names:
            continue
        origin = boundary
        while origin.producer and kinds[origin.producer.partition] in _BETWEEN:
            origin = into[origin.producer.partition]
        producer = origin.producer
        if producer and producer.partition not in names:
            if boundary.consumer is None and boundary is origin:
                continue  # the host's stream with another replica
            producer = Endpoint(partition=first[producer.partition], port=producer.port)
        named = origin if origin.producer is None else boundary
        ends = {"producer": producer, "consumer": boundary.consumer, "places": places}
        found.append(named.model_copy(update=ends))
    return plan.model_copy(update={"partitions": tuple(kept), "boundaries": tuple(found)})


@dataclass(frozen=True)
class Alike:
    """Streams that carry different frames of one stream of the network: one with each replica.

    Attributes:
        first: Index of that with the first replica.
        carriers: Index of that which carries each frame of an epoch.
    """

    first: int
    carriers: tuple[int, ...]


def alike(plan: Plan) -> list[Alike]:
    """Return, for each boundary between the host and a partition, itself and those beside it.

    A stream between two partitions stands alone, though its replicas have others.
    """
    first = {part.name: part.copy_of or part.name for part in plan.partitions}
    groups: dict[tuple[str, ...], list[int]] = {}
    keys = []
    for index, boundary in enumerate(plan.boundaries):
        ends = [end for end in (boundary.producer, boundary.consumer) if end]
        side = "sent" if boundary.producer is None else "received"
        key = (side, first[ends[0].partition], ends[0].port) if len(ends) == 1 else (boundary.name,)
        groups.setdefault(key, []).append(index)
        keys.append(key)
    copied = {part.name for part in plan.partitions if part.copy_of}
    made = {key: _alike(plan, indices, copied) for key, indices in groups.items()}
    return [made[key] for key in keys]


def _alike(plan: Plan, indices: list[int], copied: set[str]) -> Alike:
    turns = {turn: index for index in indices for turn in plan.boundaries[index].places}
    for index in indices:
        ends = (plan.boundaries[index].producer, plan.boundaries[index].consumer)
        if not any(end and end.partition in copied for end in ends):
            return Alike(index, tuple(turns.get(turn, index) for turn in range(plan.epoch)))
    return Alike(indices[0], tuple(turns.get(turn, indices[0]) for turn in range(plan.epoch)))
