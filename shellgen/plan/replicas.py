# SPDX-License-Identifier: BSD-3-Clause
"""``replicas`` of a [[node]]: several boards with the same partitions, which take frames in turn.

Frame i goes to the replica at place i of a fixed pattern. So two neighbouring stages meet pair by pair:
replica a of the one and b of the other share the frames that both patterns give them. A replica that sends to
several others gets a deal behind it, one that receives from several a gather in front of it (`ip/axis_deal`,
`ip/axis_gather`). The host needs neither: it has a stream with each replica.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import lcm

from shellgen.errors import PlanError, Problem
from shellgen.model import Endpoint, JunctionKind, Partition
from shellgen.model.cluster import NodeSpec
from shellgen.plan.draft import Draft, NodeDraft, Route
from shellgen.plan.joins import in_order
from shellgen.plan.junction import MOST_DEALT, MOST_TURNS, add_junction, placed_on

__all__ = ["expand_replicas", "turns"]

Pattern = tuple[int, ...]
_ALONE: Pattern = (0,)
_LONGEST = 65_536  # frames until all patterns begin together again
_SMALLER = "Choose share with smaller numbers, or counts with a smaller common multiple"


def turns(spec: NodeSpec) -> Pattern:
    """Return the replica of each frame in turn: evenly spread, as many of each as its share."""
    share = spec.share or (1,) * spec.replicas
    wanted = [
        (Fraction(2 * turn + 1, 2 * count), number)
        for number, count in enumerate(share)
        for turn in range(count)
    ]
    return tuple(number for _, number in sorted(wanted))


def expand_replicas(draft: Draft) -> Draft:
    """Turn each [[node]] with replicas into so many nodes, and its streams into those of the replicas.

    The first replica keeps the names of its partitions.

    Raises:
        PlanError: Names of replicas that are those of other nodes, too many streams or turns for a deal or a
            gather.
    """
    _check_shares(draft)
    patterns = {node.name: turns(draft.spec.node[node.entry]) for node in draft.nodes}
    patterns = {name: pattern for name, pattern in patterns.items() if len(set(pattern)) > 1}
    if not patterns:
        return draft
    if problems := _taken_names(draft, patterns):
        raise PlanError(*problems)
    stages = {node.name: node for node in draft.nodes}
    old, draft = draft, _copied(draft, patterns)
    for route in old.routes:
        near, far = (old.node_of(end) for end in (route.producer, route.consumer))
        ends = [node.name for node in (near, far) if node and node.name in patterns]
        if near and far and near.name == far.name and ends:
            draft = _inside(draft, route, len(set(patterns[near.name])))
        elif ends:
            made, taken = (patterns.get(node.name, _ALONE) if node else None for node in (near, far))
            draft = _Crossing(draft, route, made, taken, stages[ends[0]].entry).expanded()
    return in_order(draft)


def _check_shares(draft: Draft) -> None:
    """Refuse shares whose turns, alone or together, are too long to be written down."""
    together = 1
    for node in draft.nodes:
        spec = draft.spec.node[node.entry]
        turn = sum(spec.share) or spec.replicas
        together = lcm(together, turn)
        for length, what in ((turn, "a turn has"), (together, "the turns of all nodes together have")):
            if length > _LONGEST:
                where = f"{draft.where}: node[{node.entry}].{'share' if spec.share else 'replicas'}"
                raise PlanError(
                    Problem(where, f"{what} {length:,} frames, and {_LONGEST:,} is the most", _SMALLER)
                )


def _taken_names(draft: Draft, patterns: dict[str, Pattern]) -> list[Problem]:
    # Folders have these names, and on some file systems case does not count.
    problems = []
    seen = {node.name.lower(): node.name for node in draft.nodes if node.name not in patterns}
    for node in draft.nodes:
        for number in sorted(set(patterns.get(node.name, ()))):
            name = f"{node.name}_{number}"
            if name.lower() in seen:
                found = f"replica {number} of {node.name} is called {name}, as is one of {seen[name.lower()]}"
                where = f"{draft.where}: node[{node.entry}].name"
                problems.append(Problem(where, found, "Choose another name for one of them"))
            seen.setdefault(name.lower(), node.name)
    return problems


def copy_name(name: str, number: int) -> str:
    """Return the name of a partition on a replica."""
    return f"{name}_copy_{number}" if number else name


def _copied(draft: Draft, patterns: dict[str, Pattern]) -> Draft:
    """Copy nodes and partitions; routes follow."""
    epoch = lcm(*map(len, patterns.values()))
    nodes: list[NodeDraft] = []
    copies: dict[str, list[Partition]] = {}
    boards, platforms = dict(draft.boards), dict(draft.platforms)
    for node in draft.nodes:
        pattern = patterns.get(node.name)
        if pattern is None:
            nodes.append(node)
            continue
        for number in sorted(set(pattern)):
            name = f"{node.name}_{number}"
            parts = tuple(_copy(part, number) for part in node.partitions)
            for part, original in zip(parts, node.partitions, strict=True):
                copies.setdefault(original.name, []).append(part)
            places = tuple(at for at in range(epoch) if pattern[at % len(pattern)] == number)
            nodes.append(replace(node, name=name, partitions=parts, places=places))
            boards[name], platforms[name] = draft.boards[node.name], draft.platforms[node.name]
    partitions = tuple(one for part in draft.partitions for one in copies.get(part.name, [part]))
    return replace(
        draft,
        nodes=tuple(nodes),
        partitions=partitions,
        boards=boards,
        platforms=platforms,
        epoch=epoch,
    )


def _copy(part: Partition, number: int) -> Partition:
    if number == 0:
        return part
    return part.model_copy(update={"name": copy_name(part.name, number), "copy_of": part.name})


def _at(end: Endpoint | None, number: int) -> Endpoint | None:
    return end and Endpoint(partition=copy_name(end.partition, number), port=end.port)


def _inside(draft: Draft, route: Route, count: int) -> Draft:
    """Copy a stream inside a node."""
    copies = [
        replace(route, producer=_at(route.producer, k), consumer=_at(route.consumer, k)) for k in range(count)
    ]
    return _swapped(draft, route, copies)


def _swapped(draft: Draft, route: Route, new: list[Route]) -> Draft:
    routes = [one for old in draft.routes for one in (new if old is route else [old])]
    return replace(draft, routes=tuple(routes))


class _Crossing:
    """A stream between two stages of which one has replicas at least; the pattern of a host is None."""

    def __init__(
        self, draft: Draft, route: Route, near: Pattern | None, far: Pattern | None, entry: int
    ) -> None:
        self._draft, self._route = draft, route
        self._field = f"node[{entry}].replicas"
        self._shared = f"node[{entry}].share" if draft.spec.node[entry].share else ""
        # A host has a stream with each replica, so it neither deals nor gathers.
        a_of, b_of = near or far or _ALONE, far or near or _ALONE
        span = lcm(len(a_of), len(b_of))
        self._pairs = [(a_of[i % len(a_of)], b_of[i % len(b_of)]) for i in range(span)]
        self._first: dict[str, Partition] = {}

    def expanded(self) -> Draft:
        """Return the draft with a stream for each pair, and the deals and gathers at its ends."""
        near: list[Route] = []
        far: list[Route] = []
        made = {a: self._end("deal", a, near) for a in sorted({a for a, _ in self._pairs})}
        taken = {b: self._end("gather", b, far) for b in sorted({b for _, b in self._pairs})}
        routes = [
            replace(self._route, producer=made[a].get(b), consumer=taken[b].get(a))
            for a, b in dict.fromkeys(self._pairs)
        ]
        return _swapped(self._draft, self._route, [*near, *routes, *far])

    def _end(self, kind: JunctionKind, number: int, inside: list[Route]) -> dict[int, Endpoint]:
        """Return where the stream with each partner of a replica begins or ends; none for a host."""
        deals = kind == "deal"
        end = _at(self._route.producer if deals else self._route.consumer, number)
        if end is None:
            return {}
        own, other = (0, 1) if deals else (1, 0)
        order = [pair[other] for pair in self._pairs if pair[own] == number]
        partners = list(dict.fromkeys(order))
        if len(partners) == 1:
            return {partners[0]: end}
        pattern = _shortest(tuple(partners.index(one) for one in order))
        self._check(kind, len(partners), len(pattern))
        part = self._junction(kind, end, len(partners), pattern)
        side = "m" if deals else "s"
        near = Endpoint(partition=part.name, port="s_axis_0" if deals else "m_axis_0")
        inside.append(Route(*((end, near) if deals else (near, end)), where=self._route.where))
        return {one: Endpoint(partition=part.name, port=f"{side}_axis_{k}") for k, one in enumerate(partners)}

    def _check(self, kind: str, streams: int, length: int) -> None:
        for count, most, what in ((streams, MOST_DEALT, "streams"), (length, MOST_TURNS, "turns")):
            if count > most:
                share = what == "turns" and self._shared
                where = f"{self._draft.where}: {share or self._field}"
                found = f"a {kind} between replicas would have {count} {what}, and {most} is the most"
                remedy = "Choose fewer replicas"
                if what == "turns":
                    remedy = _SMALLER
                raise PlanError(Problem(where, found, remedy))

    def _junction(self, kind: JunctionKind, end: Endpoint, streams: int, pattern: Pattern) -> Partition:
        """Add a deal or gather to the node of a replica; it is a copy of the one at the first replica."""
        port, node = self._draft.port(end), self._draft.node_of(end)
        assert node is not None
        ports = ([port], [port] * streams) if kind == "deal" else ([port] * streams, [port])
        part = add_junction(self._draft, kind, *ports, self._field, pattern)
        first = self._first.setdefault(kind, part)
        if first is not part:
            part = part.model_copy(update={"copy_of": first.name})
            if pattern == first.pattern:
                part = part.model_copy(update={"top": first.top, "sources": first.sources})
        self._draft = placed_on(self._draft, part, node.name)
        return part


def _shortest(pattern: Pattern) -> Pattern:
    """Return the shortest pattern that repeats to this one."""
    lengths = (k for k in range(1, len(pattern) + 1) if len(pattern) % k == 0)
    return next(pattern[:k] for k in lengths if pattern[:k] * (len(pattern) // k) == pattern)
