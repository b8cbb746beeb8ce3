# SPDX-License-Identifier: BSD-3-Clause
"""Why there is no split, and what would be enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from shellgen.errors import InputError, Problem
from shellgen.split.ask import MOST_BOARDS, room_of
from shellgen.split.boards import Desk
from shellgen.split.task import RESOURCES, WORDS, Choice, Found, Takes, Task, within

Search = Callable[[Desk, Task], Found | None]
Rate = Callable[[Desk, Sequence[int] | None], float | None]

_NEXT = 3  # numbers of boards that are tried one by one where the search says that they are enough
_LARGE = 4  # times that number, tried last


class NoSplitError(InputError):
    """Boards onto which the network cannot be split; why, and what would do, is only found out if asked.

    Attributes:
        desk: The boards.
        task: What was searched last, with the room that was left then.
        shells: Whether there was a split, but no room for the shells that it needs.
    """

    def __init__(self, desk: Desk, task: Task, *, shells: bool = False) -> None:
        """Keep what was searched."""
        self.desk, self.task, self.shells = desk, task, shells
        super().__init__(Problem(f"{desk.wanted.where}: --boards", _does_not_fit(desk), ""))


def _does_not_fit(desk: Desk) -> str:
    how = "at any folding" if desk.wanted.folding is None else "with this folding"
    return f"the network does not fit {boards_text(desk.stock_counts)} {how}"


def refused(found: NoSplitError, search: Search, rate: Rate) -> InputError:
    """Return the reason: a layer that fits nowhere, too few boards, or a rate that they cannot keep.

    Args:
        found: What was searched.
        search: Returns a split by the layers alone.
        rate: Returns the frames/s of a desk, or of one with other numbers of boards, by the plan with shells;
            None if they are not enough.
    """
    desk, task = found.desk, found.task
    where = f"{desk.wanted.where}: --boards"
    large = [
        problem for layer in range(len(task.layers)) if (problem := _too_large(desk, task, layer, where))
    ]
    if large:
        return InputError(*(_full(desk, where) or large))
    boards = boards_text(desk.stock_counts)
    if desk.wanted.fps is not None:
        nearest = rate(replace(desk, wanted=replace(desk.wanted, fps=None)), None)
        more = _enough(desk, task, search, rate)
        remedy = [f"{nearest:,.1f} frames/s is the nearest"] if nearest else []
        remedy += [f"take {boards_text(more)}"] if more else []
        said = f"{desk.wanted.fps:g} frames/s are more than {boards} can do"
        text = "; or ".join(remedy) or "No number of these boards is enough"
        return InputError(Problem(f"{desk.wanted.where}: --fps", said, text[0].upper() + text[1:]))
    fastest = replace(desk, wanted=replace(desk.wanted, goal="fps"))
    if desk.wanted.goal == "least-traffic" and rate(fastest, None):
        said = f"the layers cannot be cut onto all of {boards}"
        return InputError(Problem(where, said, "Name fewer boards"))
    more = _enough(desk, task, search, rate)
    said = "the shells of these boards leave no room for the layers" if found.shells else _does_not_fit(desk)
    remedy_text = f"Take {boards_text(more)}" if more else "Take larger boards, or reserve less"
    return InputError(Problem(where, said, remedy_text))


def _full(desk: Desk, where: str) -> list[Problem]:
    """Return what shells take beyond the limits, if they do on all boards: then no layer fits any."""
    found = []
    for stock, about in zip(desk.stock, desk.around, strict=True):
        limits = [room_of(space.has, stock.name, desk.wanted.limits) for space in about.spaces]
        over = [
            [WORDS[name], shell, most]
            for space, own in zip(about.spaces, limits, strict=True)
            for name, has, shell, most in zip(RESOURCES, space.has, space.shell, own, strict=True)
            if has and shell > most
        ]
        if len(over) < len(about.spaces):
            return []
        name, shell, most = over[0]
        said = f"the shell of a {stock.name} needs {shell:,} {name}, and the limits allow {most:,} in all"
        found.append(Problem(where, said, "Reserve less, or take a larger board"))
    return found


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


def _enough(desk: Desk, task: Task, search: Search, rate: Rate) -> list[tuple[str, int]]:
    """Return the smallest set with more boards of one kind that is enough; empty if none is."""
    found: list[tuple[int, int]] = []
    for number, kind in enumerate(task.kinds):
        others = sum(one.count for one in task.kinds) - kind.count
        low, high = kind.count + 1, MOST_BOARDS - others
        if high < low or search(desk, _with(task, number, high)) is None:
            continue
        last = high
        while low < high:
            middle = (low + high) // 2
            if search(desk, _with(task, number, middle)) is not None:
                high = middle
            else:
                low = middle + 1
        count = _least(low, last, partial(_reaches, desk, task, rate, number))
        found += [(count - kind.count, number)] if count else []
    if not found:
        return []
    more, number = min(found)
    return [(kind.name, kind.count + more * (index == number)) for index, kind in enumerate(task.kinds)]


def _reaches(desk: Desk, task: Task, rate: Rate, number: int, count: int) -> bool:
    return rate(desk, _counts(task, number, count)) is not None


def _least(low: int, high: int, enough: Callable[[int], bool]) -> int | None:
    """Return the least number that is enough; the search says ``low``, and shells may ask for more.

    The first few are tried one by one, then one large number, and if that is enough, those in between: each
    takes as long as a split, so a refusal must not try them all.
    """
    first = range(low, min(low + _NEXT, high + 1))
    if (found := next((count for count in first if enough(count)), None)) or high in first:
        return found
    before, count = first[-1], min(high, _LARGE * low)
    if not enough(count):
        return None
    while count - before > 1:
        middle = (before + count) // 2
        if enough(middle):
            count = middle
        else:
            before = middle
    return count


def _counts(task: Task, number: int, count: int) -> tuple[int, ...]:
    return tuple(count if index == number else kind.count for index, kind in enumerate(task.kinds))


def _with(task: Task, number: int, count: int) -> Task:
    return task.with_counts(_counts(task, number, count))


def boards_text(counts: list[tuple[str, int]]) -> str:
    """Return ``2 zedboard and 1 pynq-z1``."""
    return " and ".join(f"{count} {name}" for name, count in counts)
