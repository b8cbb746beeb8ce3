"""Small random tasks for `split`, and all their solutions, one after the other."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import permutations, product

from shellgen.split.task import Choice, Found, Hop, Kind, Part, Task, measured, within

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


def chain(rng: random.Random, layers: int, boards: int) -> Task:
    hops = tuple(
        Hop(at - 1, 0, at, 0, rng.randint(1, 200), same=rng.random() < 0.1 and 0 < at < layers)
        for at in range(layers + 1)
    )
    return Task(tuple(f"l{at}" for at in range(layers)), kinds(rng, layers, boards), hops)


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
            found += [measured(task, combination) for combination in product(*ways)]
    return found


def _foldings(task: Task, kind: int, layers: tuple[int, ...]) -> Iterator[Part]:
    board = task.kinds[kind]
    inner = [hop for hop in task.hops if hop.producer in layers and hop.consumer in layers]
    seen = set()
    for chosen in product(*(board.choices[layer] for layer in layers)):
        of = dict(zip(layers, chosen, strict=True))
        part = Part(kind, layers, chosen)
        if within(part.takes, board.room) and all(
            hop.joins(of[hop.producer], of[hop.consumer]) for hop in inner
        ):
            key = part.cycles  # only the time of a partition counts for what follows
            if key not in seen:
                seen.add(key)
                yield part
