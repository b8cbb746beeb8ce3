# SPDX-License-Identifier: BSD-3-Clause
"""A split: the search, checked with the plan of its partitions, whose shells may be larger than expected.

The search knows the slowest layer of each partition; here the words between the layers tell the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from shellgen.errors import InputError, PlanError, one
from shellgen.estimate import Estimate, estimate
from shellgen.model import Plan, Usage
from shellgen.progress import step
from shellgen.split.ask import room_of
from shellgen.split.boards import Desk
from shellgen.split.fill import fill
from shellgen.split.mock import mock_plan, nodes_of, shell_of
from shellgen.split.placed import Placed
from shellgen.split.refuse import refused
from shellgen.split.search import REPLICAS_BRING, fastest, for_rate, least_traffic
from shellgen.split.task import RESOURCES, Found, Takes, Task, added

_ROUNDS = 8


@dataclass(frozen=True)
class Split:
    """A split that fits, with its plan.

    Attributes:
        desk: Boards, layers and goal.
        task: What was searched.
        found: Partitions and foldings.
        placed: The same with their FIFOs and cycles.
        plan: Of the partitions, as if they were built.
        estimate: Rate by that plan.
        takes: Resources of each board: layers, shell and platform.
    """

    desk: Desk
    task: Task
    found: Found
    placed: tuple[Placed, ...]
    plan: Plan
    estimate: Estimate
    takes: tuple[Takes, ...]


def split(desk: Desk) -> Split:
    """Choose foldings and cuts.

    Replicas need room for what deals frames out and gathers them, and the port for each of them; so they are
    only taken if the plan has room for them, too, and the rate by the plan is still worth it.

    Raises:
        InputError: Nothing fits; a folding is illegal; the goal cannot be met.
        PlanError: The boards cannot be joined.
    """
    alone = replace(desk, wanted=replace(desk.wanted, replicas=1))
    first = desk.task()
    try:
        found = _fitted(desk, first)
    except (InputError, PlanError) as error:
        if desk.wanted.replicas == 1:
            raise
        try:
            return _fitted(alone, first.with_replicas(1))
        except (InputError, PlanError):
            raise error from None
    if all(part.replicas == 1 for part in found.found.parts):
        return found
    if desk.wanted.goal == "fps" and desk.wanted.fps is None:
        plain = search(alone, first.with_replicas(1))
        # By its slowest layer, which the plan without replicas cannot beat.
        if plain is None or found.estimate.frames_per_second * plain.seconds > REPLICAS_BRING:
            return found
    try:
        without = _fitted(alone, first.with_replicas(1))
    except (InputError, PlanError):  # only replicas reach the rate
        return found
    return found if _is_better(found, without) else without


def _is_better(found: Split, without: Split) -> bool:
    """Tell whether replicas are worth it."""
    if found.desk.wanted.fps is not None:
        return _boards(found) < _boards(without)
    return found.estimate.frames_per_second > REPLICAS_BRING * without.estimate.frames_per_second


def _boards(split: Split) -> int:
    return sum(part.replicas for part in split.found.parts)


def _fitted(desk: Desk, task: Task) -> Split:
    """Return the best split, with room for the shells that follow from it; ``task`` is the first."""
    excess = [(0,) * len(RESOURCES)] * len(desk.stock)
    for _ in range(_ROUNDS):
        step("splitting", f"{len(task.layers)} layers onto {sum(kind.count for kind in task.kinds)} boards")
        found, placed, plan = _planned(desk, task)
        takes = _takes(found, placed, plan)
        over = _excess(desk, found, takes)
        if not any(any(one_) for one_ in over):
            return Split(desk, task, found, placed, plan, estimate(plan), takes)
        excess = [added(*pair) for pair in zip(excess, over, strict=True)]
        task = desk.task(excess)
    where = f"{desk.wanted.where}: --boards"
    said = "the shells of these boards leave no room for the layers"
    raise one(InputError, where, said, "Add a board, or reserve less")


def _planned(desk: Desk, task: Task) -> tuple[Found, tuple[Placed, ...], Plan]:
    """Return the best split that can be planned: a board may have too few ports for so many replicas."""
    while True:
        found = search(desk, task)
        if found is None:
            raise refused(desk, task, search)
        placed = tuple(desk.placed(found))
        try:
            return found, placed, mock_plan(desk.network, placed, desk.wanted.where)
        except PlanError:
            most = max(part.replicas for part in found.parts)
            if most == 1:
                raise
            task = replace(task, replicas=most - 1)


def search(desk: Desk, task: Task) -> Found | None:
    """Return the best split for the goal; None if there is none."""
    wanted = desk.wanted
    if wanted.goal == "occupancy":
        return fill(task)
    if wanted.goal == "least-traffic":
        return least_traffic(task)
    if wanted.fps is not None:
        return for_rate(task, 1 / wanted.fps)
    return fastest(task)


def _takes(found: Found, placed: Sequence[Placed], plan: Plan) -> tuple[Takes, ...]:
    """Return what each board takes: layers, the FIFOs between them, shell and platform."""
    parts = enumerate(zip(found.parts, placed, strict=True))
    return tuple(
        added(part.takes, _figures(own.takes), _most(shell_of(node) for node in nodes_of(plan, number)))
        for number, (part, own) in parts
    )


def _most(shells: Iterable[Usage]) -> Takes:
    return tuple(max(column) for column in zip(*map(_figures, shells), strict=True))


def _figures(usage: Usage) -> Takes:
    return tuple(getattr(usage, name) for name in RESOURCES)


def _excess(desk: Desk, found: Found, takes: Sequence[Takes]) -> list[Takes]:
    """Return by how much each kind of board is too full."""
    over = [(0,) * len(RESOURCES)] * len(desk.stock)
    for part, taken in zip(found.parts, takes, strict=True):
        stock = desk.stock[part.kind]
        most = room_of(stock.board, stock.name, desk.wanted.limits)
        now = tuple(max(0, one_ - has) for one_, has in zip(taken, most, strict=True))
        over[part.kind] = tuple(map(max, over[part.kind], now))
    return over
