# SPDX-License-Identifier: BSD-3-Clause
"""Why there is no split, and what would be enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from shellgen.errors import InputError, Problem
from shellgen.split.ask import MOST_BOARDS
from shellgen.split.boards import Desk
from shellgen.split.task import RESOURCES, WORDS, Choice, Found, Takes, Task, within

Search = Callable[[Desk, Task], Found | None]


def refused(desk: Desk, task: Task, search: Search) -> InputError:
    """Return the reason: a layer that fits nowhere, too few boards, or a rate that they cannot keep."""
    where = f"{desk.wanted.where}: --boards"
    large = [
        problem for layer in range(len(task.layers)) if (problem := _too_large(desk, task, layer, where))
    ]
    if large:
        return InputError(*large)
    boards = boards_text(desk.stock_counts)
    if desk.wanted.fps is not None:
        slower = replace(desk, wanted=replace(desk.wanted, fps=None))
        nearest = search(slower, task)
        more = enough(desk, task, search)
        remedy = [f"{1 / nearest.seconds:,.1f} frames/s is the nearest"] if nearest else []
        remedy += [f"take {boards_text(more)}"] if more else []
        said = f"{desk.wanted.fps:g} frames/s are more than {boards} can do"
        text = "; or ".join(remedy) or "No number of these boards is enough"
        return InputError(Problem(f"{desk.wanted.where}: --fps", said, text[0].upper() + text[1:]))
    if desk.wanted.goal == "least-traffic" and search(
        replace(desk, wanted=replace(desk.wanted, goal="fps")), task
    ):
        said = f"the layers cannot be cut onto all of {boards}"
        return InputError(Problem(where, said, "Name fewer boards"))
    more = enough(desk, task, search)
    said = f"the network does not fit {boards} at any folding"
    if desk.wanted.folding is not None:
        said = f"the network does not fit {boards} with this folding"
    remedy_text = f"Take {boards_text(more)}" if more else "Take larger boards, or reserve less"
    return InputError(Problem(where, said, remedy_text))


def _too_large(desk: Desk, task: Task, layer: int, where: str) -> Problem | None:
    """Return what is missing for a layer that no board can take."""
    ways = [
        (kind, number, choice)
        for kind in task.kinds
        for number in range(len(kind.rooms))
        for choice in kind.choices[layer]
    ]
    if any(within(choice.takes, kind.rooms[number]) for kind, number, choice in ways):
        return None
    if not ways:
        return Problem(
            where, f"layer {task.layers[layer]} has no folding that can be built", "Move it to the host"
        )
    kind, number, choice = min(ways, key=lambda way: _worst(way[0].rooms[way[1]], way[2]))
    space = f"{kind.region_names[number]} of a {kind.name}" if kind.regions else f"a {kind.name}"
    missing = [
        f"{need:,} {WORDS[name]}, where {space} has {has:,} left for layers"
        for name, need, has in zip(RESOURCES, choice.takes, kind.rooms[number], strict=True)
        if need > has
    ]
    how = "at any folding" if desk.wanted.folding is None else "with this folding"
    said = f"layer {task.layers[layer]} fits no board {how}: it needs {' and '.join(missing)}"
    return Problem(where, said, "Take a larger board, or reserve less")


def _worst(room: Takes, choice: Choice) -> float:
    return max(need / max(has, 0.5) for need, has in zip(choice.takes, room, strict=True))


def enough(desk: Desk, task: Task, search: Search) -> list[tuple[str, int]]:
    """Return the smallest set with more boards of one kind that is enough; empty if none is."""
    found: list[tuple[int, int]] = []
    for number, kind in enumerate(task.kinds):
        others = sum(one.count for one in task.kinds) - kind.count
        low, high = kind.count + 1, MOST_BOARDS - others
        tried = _with(task, number, high)
        if high < low or search(desk, tried) is None:
            continue
        while low < high:
            middle = (low + high) // 2
            if search(desk, _with(task, number, middle)) is not None:
                high = middle
            else:
                low = middle + 1
        found.append((low - kind.count, number))
    if not found:
        return []
    more, number = min(found)
    return [(kind.name, kind.count + more * (index == number)) for index, kind in enumerate(task.kinds)]


def _with(task: Task, number: int, count: int) -> Task:
    return task.with_counts(
        tuple(count if index == number else kind.count for index, kind in enumerate(task.kinds))
    )


def boards_text(counts: list[tuple[str, int]]) -> str:
    """Return ``2 zedboard and 1 pynq-z1``."""
    return " and ".join(f"{count} {name}" for name, count in counts)
