# SPDX-License-Identifier: BSD-3-Clause
"""Boards filled one after the other, in the order given: the fewest bitstreams for a folding."""

from __future__ import annotations

from shellgen.split.task import Choice, Found, Kind, Part, Takes, Task, added, measured, share, within


def fill(task: Task) -> Found | None:
    """Follow the layers and begin a board where the next layer does not fit; None if boards run out.

    Where a layer may be folded in several ways, it takes the smallest share of its board.
    """
    stock = [number for number, kind in enumerate(task.kinds) for _ in range(kind.count)]
    parts: list[Part] = []
    at = 0
    for number in stock:
        part = _one_board(task, number, at)
        if part.layers:
            parts.append(part)
            at = part.layers[-1] + 1
        if at == len(task.layers):
            return measured(task, tuple(parts))
    return None


def _one_board(task: Task, number: int, start: int) -> Part:
    """Fill a board, its regions one after the other."""
    kind = task.kinds[number]
    chosen: dict[int, Choice] = {}
    regions: list[tuple[int, int]] = []
    for region, room in enumerate(kind.rooms):
        more = _one_room(task, kind, room, start + len(chosen))
        chosen |= more
        regions += [(region, len(more))] if more else []
    return Part(number, tuple(chosen), tuple(chosen.values()), regions=tuple(regions) if kind.regions else ())


def _one_room(task: Task, kind: Kind, room: Takes, start: int) -> dict[int, Choice]:
    chosen: dict[int, Choice] = {}
    for layer in range(start, len(task.layers)):
        taken = [one.takes for one in chosen.values()]
        fitting = [
            choice
            for choice in kind.choices[layer]
            if within(added(*taken, choice.takes), room)
            and all(
                hop.joins(chosen[hop.producer], choice)
                for hop in task.hops
                if hop.consumer == layer and hop.producer in chosen
            )
        ]
        if not fitting:
            break
        chosen[layer] = min(fitting, key=lambda one: (share(one.takes, room), one.number))
    return chosen
