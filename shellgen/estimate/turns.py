# SPDX-License-Identifier: BSD-3-Clause
"""Replicas as the engine has them: one stage that a pattern of replicas serves, instead of one for each.

Deals and gathers take a beat in each cycle like the ports beside them, so they are no stages.
"""

from __future__ import annotations

from fractions import Fraction

from shellgen.model import Boundary, Endpoint, NodePlan, Partition, Plan

_BETWEEN = ("deal", "gather")
Pattern = tuple[int, ...]
_Ends = tuple[tuple[str, str] | None, ...]


class Turns:
    """The frames of an epoch, by the replica that has them."""

    def __init__(self, plan: Plan) -> None:
        self._epoch = plan.epoch
        self._first = {part.name: part.copy_of or part.name for part in plan.partitions}
        self._between = {part.name for part in plan.partitions if part.junction in _BETWEEN}
        self._kinds = {part.name: part.junction for part in plan.partitions}
        self._into: dict[str, Boundary] = {}
        self._from: dict[str, Boundary] = {}
        places: dict[str, set[int]] = {part.name: set() for part in plan.partitions}
        for one in plan.boundaries:
            for end, known in ((one.consumer, self._into), (one.producer, self._from)):
                if end:
                    known[end.partition] = one
                    places[end.partition] |= set(one.places)
        self._places = {
            node.name: set().union(*(places[name] for name in node.partitions)) for node in plan.nodes
        }
        self._owned = {node.name: node.partitions for node in plan.nodes}
        self._nodes = {name: number for number, name in enumerate(self._places)}
        self._home = {name: node.name for node in plan.nodes for name in node.partitions}
        self._alike: dict[_Ends, list[Boundary]] = {}
        for one in plan.boundaries:
            if not self._beside(one):
                self._alike.setdefault(self._ends(one), []).append(one)

    def counts(self, partition: Partition) -> bool:
        """Return whether a partition is a stage: of replicas, the first one is."""
        return partition.copy_of is None and partition.name not in self._between

    def heads(self, boundary: Boundary) -> bool:
        """Return whether a stream is the one of its replicas that stands for all."""
        return not self._beside(boundary) and self._alike[self._ends(boundary)][0] is boundary

    def _beside(self, boundary: Boundary) -> bool:
        """Return whether a stream joins a partition with its own deal or gather."""
        ends = (boundary.producer, boundary.consumer)
        return boundary.link is None and any(end.partition in self._between for end in ends if end)

    def alike(self, boundary: Boundary) -> tuple[Boundary, ...]:
        """Return the streams between the same partitions, one for each pair of replicas."""
        return tuple(self._alike.get(self._ends(boundary), (boundary,)))

    def stacks(self) -> dict[str, str]:
        """Return by node the first of the replicas that take frames in equal turns, which may be itself."""
        first: dict[tuple[frozenset[str], int], str] = {}
        found = {}
        for name, own in self._owned.items():
            parts = frozenset(self._first[one] for one in own if one not in self._between)
            alike = (parts, len(self._places[name])) if parts else (frozenset({name}), 0)
            found[name] = first.setdefault(alike, name)
        return found

    def joined(self, boundary: Boundary) -> Boundary:
        """Return a stream between the partitions that it joins, those of the first replicas."""
        made, taken = self._ends(boundary)
        ends = {
            "producer": made and Endpoint(partition=made[0], port=made[1]),
            "consumer": taken and Endpoint(partition=taken[0], port=taken[1]),
        }
        return boundary.model_copy(update=ends)

    def passed(self, boundary: Boundary) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the kinds of deals and gathers on the way to a stream and behind it."""
        before, after, made, taken = [], [], boundary, boundary
        while made.producer and made.producer.partition in self._between:
            before.append(str(self._kinds[made.producer.partition]))
            made = self._into[made.producer.partition]
        while taken.consumer and taken.consumer.partition in self._between:
            after.append(str(self._kinds[taken.consumer.partition]))
            taken = self._from[taken.consumer.partition]
        return tuple(before), tuple(after)

    def home(self, end: Endpoint) -> str:
        """Return the node of a partition."""
        return self._home[end.partition]

    def of_partition(self, partition: Partition) -> Pattern:
        """Return which replica takes each frame of an epoch."""
        found = [0] * self._epoch
        for name, first in self._first.items():
            if first == partition.name:
                for place in self._places[self._home[name]]:
                    found[place] = self._nodes[self._home[name]]
        return _plain(found)

    def of_side(self, boundary: Boundary, node: str) -> Pattern:
        """Return which replica of a node at the end of a stream serves each frame of an epoch."""
        if node not in (boundary.producer_node, boundary.consumer_node):
            return _plain([0] * self._epoch)  # the host, which has one program for all
        side = "producer_node" if boundary.producer_node == node else "consumer_node"
        found = [0] * self._epoch
        for one in self._alike[self._ends(boundary)]:
            for place in one.places:
                found[place] = self._nodes[getattr(one, side)]
        return _plain(found)

    def of_stream(self, boundary: Boundary) -> Pattern:
        """Return which stream carries each frame of an epoch."""
        found = [0] * self._epoch
        for number, one in enumerate(self._alike[self._ends(boundary)]):
            for place in one.places:
                found[place] = number
        return _plain(found)

    def share(self, node: NodePlan) -> Fraction:
        """Return the share of all frames that a node has."""
        return Fraction(len(self._places[node.name]), self._epoch)

    def _ends(self, boundary: Boundary) -> _Ends:
        made, taken = boundary, boundary
        while made.producer and made.producer.partition in self._between:
            made = self._into[made.producer.partition]
        while taken.consumer and taken.consumer.partition in self._between:
            taken = self._from[taken.consumer.partition]
        ends = (made.producer, taken.consumer)
        return tuple((self._first[end.partition], end.port) if end else None for end in ends)


def per_frame(plan: Plan, boundary: Boundary) -> Fraction:
    """Return the frames of a stream for a frame of the network: fewer than one where replicas share them."""
    return Fraction(boundary.per_epoch, plan.epoch)


def _plain(pattern: list[int]) -> Pattern:
    """Return a pattern; that of one replica is the usual one."""
    return tuple(pattern) if len(set(pattern)) > 1 else (0,)
