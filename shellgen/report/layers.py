# SPDX-License-Identifier: BSD-3-Clause
"""Layered layout, first half: a column for each box by longest path, and the order in it by barycentre."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SWEEPS = 4


@dataclass(frozen=True)
class Box:
    """A box to place; boxes come in reading order."""

    key: str
    height: float


@dataclass(frozen=True)
class Wire:
    """A directed connection between two boxes, with the size of its label."""

    key: str
    source: str
    target: str
    label: tuple[float, float]


@dataclass(frozen=True)
class Layers:
    """Boxes in columns.

    Attributes:
        columns: Keys from top to bottom; ``<wire>@<column>`` where a wire passes through.
        column: Number of the column by key.
        chains: By wire the keys from source to target; of a wire against the flow just its two ends.
        against: Wires that close a loop.
    """

    columns: tuple[tuple[str, ...], ...]
    column: dict[str, int]
    chains: dict[str, tuple[str, ...]]
    against: frozenset[str]


def layered(boxes: Sequence[Box], wires: Sequence[Wire]) -> Layers:
    """Put each box one column behind the last of its predecessors."""
    order = {box.key: number for number, box in enumerate(boxes)}
    back = [wire for wire in wires if order[wire.target] <= order[wire.source]]
    after = _reachable(dict.fromkeys(wire.target for wire in back), wires)
    against = frozenset(wire.key for wire in back if wire.source in after[wire.target])
    forward = [wire for wire in wires if wire.key not in against]
    column = _columns(order, forward)
    chains: dict[str, tuple[str, ...]] = {wire.key: (wire.source, wire.target) for wire in wires}
    columns: list[list[str]] = [[] for _ in range(max(column.values(), default=-1) + 1)]
    for key, number in column.items():
        columns[number].append(key)
    for wire in forward:
        passed = range(column[wire.source] + 1, column[wire.target])
        through = [f"{wire.key}@{number}" for number in passed]
        for number, key in zip(passed, through, strict=True):
            columns[number].append(key)
            column[key] = number
        chains[wire.key] = (wire.source, *through, wire.target)
    _sort(columns, (chains[wire.key] for wire in forward))
    return Layers(tuple(map(tuple, columns)), column, chains, against)


def _reachable(keys: Iterable[str], wires: Sequence[Wire]) -> dict[str, set[str]]:
    """Return for each of these boxes all boxes that its wires lead to."""
    following = defaultdict(set)
    for wire in wires:
        following[wire.source].add(wire.target)
    found = {}
    for key in keys:
        seen: set[str] = set()
        pending = [key]
        while pending:
            new = following[pending.pop()] - seen
            seen |= new
            pending += new
        found[key] = seen
    return found


def _columns(order: dict[str, int], forward: Sequence[Wire]) -> dict[str, int]:
    before, after = defaultdict(list), defaultdict(list)
    for wire in forward:
        before[wire.target].append(wire.source)
        after[wire.source].append(wire.target)
    column: dict[str, int] = {}
    left = {key: len(before[key]) for key in order}
    ready = [key for key in order if not left[key]]
    while ready:
        key = ready.pop(0)
        column[key] = max((column[one] + 1 for one in before[key]), default=0)
        for one in after[key]:
            left[one] -= 1
            if not left[one]:
                ready.append(one)
    for key in order:  # a stream that enters in the middle starts beside its consumer
        if after[key] and not before[key]:
            column[key] = min(column[one] for one in after[key]) - 1
    first = min(column.values(), default=0)
    return {key: column[key] - first for key in order}


def _sort(columns: list[list[str]], chains: Iterable[tuple[str, ...]]) -> None:
    before, after = defaultdict(list), defaultdict(list)
    for chain in chains:
        for left, right in itertools.pairwise(chain):
            before[right].append(left)
            after[left].append(right)
    for _ in range(SWEEPS):
        for number in range(1, len(columns)):
            _by_mean(columns[number], columns[number - 1], before)
        for number in range(len(columns) - 2, -1, -1):
            _by_mean(columns[number], columns[number + 1], after)


def _by_mean(column: list[str], fixed: list[str], joined: dict[str, list[str]]) -> None:
    """Sort a column by the mean place of the neighbours in the fixed one, relative to its length."""
    place = {key: (number + 0.5) / len(fixed) for number, key in enumerate(fixed)}
    mean = {}
    for number, key in enumerate(column):
        near = [place[one] for one in joined[key]]
        mean[key] = sum(near) / len(near) if near else (number + 0.5) / len(column)
    column.sort(key=lambda key: mean[key])
