# SPDX-License-Identifier: BSD-3-Clause
"""Small random tasks for `split`, and all their solutions, one after the other."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise, permutations, product
from math import inf

from shellgen.split.task import (
    Choice,
    Found,
    Hop,
    Kind,
    Links,
    Part,
    Rate,
    Takes,
    Task,
    added,
    measured,
    within,
)

WIDTHS = (1, 2, 3, 4, 6)


def choices(rng: random.Random, count: int) -> tuple[Choice, ...]:
    """Foldings as layers have them: the faster, the more they take, roughly."""
    found = []
    for number in range(count):
        reads, writes = rng.choice(WIDTHS), rng.choice(WIDTHS)
        lanes = reads * writes
        cycles = rng.choice((120, 180, 240)) * 4 // lanes + 1
        takes = (lanes * rng.randint(1, 9), rng.randint(0, 4) + lanes // 4, 0, lanes * rng.randint(0, 2))
        found.append(Choice(number, cycles, takes, (reads,), (writes,)))
    return tuple(found)


def kinds(rng: random.Random, layers: int, boards: int, most: int = 3) -> tuple[Kind, ...]:
    """One or two kinds of boards whose sum is the number of boards."""
    numbers = [boards] if rng.random() < 0.5 or boards < 2 else [1, boards - 1]
    shared = tuple(choices(rng, rng.randint(1, most)) for _ in range(layers))
    return tuple(
        Kind(
            f"k{index}",
            count,
            (rng.randint(20, 160), rng.randint(4, 20), 1, rng.randint(10, 60)),
            rng.choice((1.0, 2.0)),
            shared,
            *rng.choice(((float("inf"), float("inf")), (2.0, 3.0), (0.5, 0.5))),
        )
        for index, count in enumerate(numbers)
    )


def divided(rng: random.Random, task: Task) -> Task:
    """The same with boards that are filled region by region, all or one kind of two."""
    some = rng.randrange(len(task.kinds))
    made = [
        kind if at != some and rng.random() < 0.5 else replace(kind, regions=_regions(rng, kind.room))
        for at, kind in enumerate(task.kinds)
    ]
    return replace(task, kinds=tuple(made))


def _regions(rng: random.Random, room: Takes) -> tuple[Takes, ...]:
    """Two or three regions, which together have more than the board, so that often something fits."""
    first = tuple(rng.randint(one // 3, one) for one in room)
    others = [tuple(rng.randint(one // 3, one) for one in room) for _ in range(rng.randint(1, 2))]
    return (first, *(rng.choice((first, other)) for other in others))


def linked(rng: random.Random, task: Task) -> Task:
    """The same with rates by pairs of kinds, the host among them; a kind's own are its slowest."""
    some = range(len(task.kinds))
    rates = (0.3, 0.5, 2.0, 3.0, inf)

    def rate() -> Rate:
        return Rate(rng.choice(rates), rng.choice((0.0, 0.0, 20.0, 60.0)))

    into = tuple(tuple(rate() for _ in some) for _ in (*some, None))
    out_of = tuple(tuple(rate() for _ in (*some, None)) for _ in some)
    made = [
        replace(kind, into=min(row[at].bytes for row in into), out_of=min(one.bytes for one in out_of[at]))
        for at, kind in enumerate(task.kinds)
    ]
    return replace(task, kinds=tuple(made), links=Links(into, out_of))


def chain(rng: random.Random, layers: int, boards: int) -> Task:
    hops = tuple(
        Hop(at - 1, 0, at, 0, rng.randint(1, 200), same=rng.random() < 0.1 and 0 < at < layers)
        for at in range(layers + 1)
    )
    return Task(tuple(f"l{at}" for at in range(layers)), kinds(rng, layers, boards), hops)


def graph(rng: random.Random, layers: int, boards: int, most: int = 3) -> Task:
    """Layers with one or two streams in and out: branches that part, run side by side, and meet."""
    loose: list[tuple[int, int]] = [(-1, 0)]
    hops, reads, writes = [], [0] * layers, [0] * layers
    for at in range(layers):
        for _ in range(2 if len(loose) > 1 and rng.random() < 0.5 else 1):
            producer, output = loose.pop(rng.randrange(len(loose)))
            hops.append(Hop(producer, output, at, reads[at], rng.randint(1, 200)))
            reads[at] += 1
        for _ in range(2 if rng.random() < 0.4 else 1):
            loose.append((at, writes[at]))
            writes[at] += 1
    hops += [
        Hop(producer, output, layers, number, rng.randint(1, 200))
        for number, (producer, output) in enumerate(loose)
    ]
    wide = tuple(
        tuple(
            replace(
                one,
                reads=(one.reads[0], rng.choice(WIDTHS))[: reads[at]],
                writes=(one.writes[0], rng.choice(WIDTHS))[: writes[at]],
            )
            for one in choices(rng, rng.randint(1, most))
        )
        for at in range(layers)
    )
    boards_ = tuple(replace(kind, choices=wide) for kind in kinds(rng, layers, boards))
    return Task(tuple(f"l{at}" for at in range(layers)), boards_, tuple(hops))


def contiguous(task: Task) -> Iterator[tuple[tuple[int, ...], ...]]:
    """All cuts of the layers in network order, up to the number of boards."""
    count = len(task.layers)
    boards = sum(kind.count for kind in task.kinds)
    for marks in product((False, True), repeat=count - 1):
        if sum(marks) < boards:
            parts, current = [], [0]
            for at, mark in enumerate(marks, 1):
                if mark:
                    parts.append(tuple(current))
                    current = []
                current.append(at)
            yield (*parts, tuple(current)) if current else tuple(parts)


def brute_force(task: Task, *, all_boards: bool = False) -> list[Found]:
    """All splits whose partitions fit, each with every combination of foldings."""
    found = []
    stock = [number for number, kind in enumerate(task.kinds) for _ in range(kind.count)]
    for cut in contiguous(task):
        if all_boards and len(cut) != len(stock):
            continue
        for order in sorted(set(permutations(stock, len(cut)))):
            ways = [list(_foldings(task, kind, layers)) for kind, layers in zip(order, cut, strict=True)]
            for parts in product(*ways):
                found += [measured(task, replicated) for replicated in _replicated(task, parts)]
    return found


def boards_of(parts: tuple[Part, ...]) -> int:
    return sum(part.replicas for part in parts)


def _replicated(task: Task, parts: tuple[Part, ...]) -> Iterator[tuple[Part, ...]]:
    """The same partitions with every number of replicas that the boards are enough for."""
    for counts in product(range(1, task.replicas + 1), repeat=len(parts)):
        made = tuple(replace(part, replicas=count) for part, count in zip(parts, counts, strict=True))
        used = [boards_of(tuple(part for part in made if part.kind == k)) for k in range(len(task.kinds))]
        if all(count <= kind.count for count, kind in zip(used, task.kinds, strict=True)):
            yield made


def _foldings(task: Task, kind: int, layers: tuple[int, ...]) -> Iterator[Part]:
    board = task.kinds[kind]
    seen = set()
    for regions in _ways(len(board.rooms), len(layers)):
        where = [number for number, (_, count) in enumerate(regions) for _ in range(count)]
        slot = dict(zip(layers, where, strict=True))
        inner = [hop for hop in task.hops if slot.get(hop.producer, -1) == slot.get(hop.consumer, -2)]
        for chosen in product(*(board.choices[layer] for layer in layers)):
            of = dict(zip(layers, chosen, strict=True))
            part = Part(kind, layers, chosen, 1, regions if board.regions else ())
            if fits(task, part) and all(hop.joins(of[hop.producer], of[hop.consumer]) for hop in inner):
                key = part.cycles  # only the time of a partition counts for what follows
                if key not in seen:
                    seen.add(key)
                    yield part


def _ways(regions: int, layers: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """All cuts of layers onto regions, in every order: (region, number of layers)."""
    for used in range(1, min(regions, layers) + 1):
        for ends in combinations(range(1, layers), used - 1):
            counts = [b - a for a, b in pairwise((0, *ends, layers))]
            for order in permutations(range(regions), used):
                yield tuple(zip(order, counts, strict=True))


def fits(task: Task, part: Part) -> bool:
    """Whether what a part takes is there, in each of its regions."""
    rooms = task.kinds[part.kind].rooms
    pieces = Found((part,), 0, 0).pieces
    return all(within(piece.takes, rooms[piece.region or 0]) for piece in pieces)


def shortest_period(task: Task) -> float:
    """The shortest period of all cuts, orders of boards and foldings; infinite if nothing fits.

    Partitions do not depend on one another once the cuts are known, so each range of layers is folded in
    every way once.
    """
    count = len(task.layers)
    best: dict[tuple[int, int, int], float] = {}
    for kind in range(len(task.kinds)):
        for start in range(count):
            for end, seconds in _every_folding(task, kind, start, [], (0,) * len(task.kinds[kind].room)):
                key = (kind, start, end)
                best[key] = min(best.get(key, inf), seconds)
    stock = [number for number, kind in enumerate(task.kinds) for _ in range(kind.count)]
    shortest = inf
    for cut in contiguous(task):
        for order in sorted(set(permutations(stock, len(cut)))):
            parts = tuple(Part(kind, layers, ()) for kind, layers in zip(order, cut, strict=True))
            layers_take = [best.get((part.kind, part.layers[0], part.layers[-1] + 1), inf) for part in parts]
            shortest = min(shortest, max(measured(task, parts).seconds, *layers_take))
    return shortest


def _every_folding(
    task: Task, kind: int, start: int, chosen: list[Choice], takes: Takes
) -> Iterator[tuple[int, float]]:
    board, at = task.kinds[kind], start + len(chosen)
    if at == len(task.layers):
        return
    for choice in board.choices[at]:
        total = added(takes, choice.takes)
        of = {start + number: one for number, one in enumerate([*chosen, choice])}
        inner = [hop for hop in task.hops if hop.consumer == at and hop.producer in of]
        if within(total, board.room) and all(hop.joins(of[hop.producer], choice) for hop in inner):
            yield at + 1, max(board.seconds(one) for one in of.values())
            yield from _every_folding(task, kind, start, [*chosen, choice], total)
