# SPDX-License-Identifier: BSD-3-Clause
"""A split: the search, checked with the plan of its partitions, whose shells may be larger than expected.

The search knows the slowest layer of each partition; here the words between the layers tell the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import inf

from shellgen.errors import InputError, PlanError
from shellgen.estimate import Estimate, estimate
from shellgen.model import Plan
from shellgen.progress import step
from shellgen.split.ask import room_of
from shellgen.split.boards import Desk
from shellgen.split.fill import fill
from shellgen.split.mock import mock_plan, nodes_of
from shellgen.split.placed import Placed
from shellgen.split.refuse import NoSplitError, refused
from shellgen.split.search import REPLICAS_BRING, fastest, for_rate, least_traffic
from shellgen.split.spaces import Space, figures, spaces_of
from shellgen.split.task import Found, Takes, Task, added

_ROUNDS = 8
_SETS = 3  # kinds of boards of which all sets are tried; of more, each kind alone
_TRIED = 32  # sets of fewer boards
_FEWER = (0.85, 0.7, 0.6, 0.5, 0.35, 0.25)  # parts of the boards that are tried where shells are large
_BETTER = 0.999  # times the period


@dataclass(frozen=True, eq=False)
class Split:
    """A split that fits, with its plan.

    Attributes:
        desk: Boards, layers and goal.
        task: What was searched.
        found: Partitions and foldings.
        placed: The same with their FIFOs and cycles.
        plan: Of the partitions, as if they were built.
        estimate: Rate by that plan.
        takes: Resources of each partition with shell and platform, as far as these are in its space.
        spaces: Space of each partition: its board, or the region of it where it is.
    """

    desk: Desk
    task: Task
    found: Found
    placed: tuple[Placed, ...]
    plan: Plan
    estimate: Estimate
    takes: tuple[Takes, ...]
    spaces: tuple[Space, ...]


def split(desk: Desk) -> Split:
    """Choose foldings and cuts.

    Raises:
        InputError: Nothing fits; a folding is illegal; the goal cannot be met.
        PlanError: The boards cannot be joined.
    """
    try:
        return _best(desk)
    except NoSplitError as error:
        raise refused(error, search, _rate) from None


def _rate(desk: Desk, counts: Sequence[int] | None) -> float | None:
    """Return the frames/s of the best split, also onto other numbers of boards; None if there is none."""
    try:
        return _best(desk.with_counts(counts) if counts else desk).estimate.frames_per_second
    except (InputError, PlanError):
        return None


def _best(desk: Desk) -> Split:
    """Choose foldings and cuts.

    Weights only lie in UltraRAM, into which the host must load them, where it brings more than a tenth of the
    rate, saves a board, or is the only way.
    """
    wanted = desk.wanted
    if not desk.has_ultra or wanted.ultra or wanted.folding is not None or wanted.goal != "fps":
        return _of_boards(desk)
    more = replace(desk, wanted=replace(wanted, ultra=True))
    plain, most = search(desk, desk.first), search(more, more.first)
    ultra = None
    if wanted.fps is None and plain and most and plain.seconds > REPLICAS_BRING * most.seconds:
        ultra = _or_none(more, _of_boards)
        # Without UltraRAM, nothing is faster than the slowest layer of the search.
        if ultra and ultra.estimate.frames_per_second * plain.seconds > REPLICAS_BRING:
            return ultra
    try:
        found = _of_boards(desk)
    except InputError as error:
        ultra = ultra or _or_none(more, _of_boards)
        if ultra:
            return ultra
        raise error from None
    if most and _gains(found, most.seconds, sum(part.replicas for part in most.parts)):
        ultra = ultra or _or_none(more, _of_boards)
    if ultra and _gains(found, 1 / ultra.estimate.frames_per_second, _boards(ultra)):
        return ultra
    return found


def _or_none(desk: Desk, choose: Callable[[Desk], Split]) -> Split | None:
    """Choose foldings and cuts; None if nothing fits."""
    try:
        return choose(desk)
    except (InputError, PlanError):
        return None


def _gains(found: Split, seconds: float, boards: int) -> bool:
    """Tell whether a period, or for a given rate the number of boards, is worth what it costs."""
    if found.desk.wanted.fps is not None:
        return boards < _boards(found)
    return 1 / seconds > REPLICAS_BRING * found.estimate.frames_per_second


def _of_boards(desk: Desk) -> Split:
    """Choose foldings and cuts.

    A board is taken to have the largest shell that it has in any place, and a stream that may pass a board by
    the slowest link; so some kinds of boards by themselves may be faster than all together.
    """
    found, wanted = _of_all(desk), desk.wanted
    if wanted.goal != "fps":
        return found
    kinds = range(len(desk.stock))
    sizes = kinds[:0:-1] if len(kinds) <= _SETS else kinds[1:2]
    for some in (some for size in sizes for some in combinations(kinds, size)):
        fewer = desk.with_counts([one.count if at in some else 0 for at, one in enumerate(desk.stock)])
        first = search(fewer, fewer.first)
        if first is None or not _better(found, first.seconds, sum(part.replicas for part in first.parts)):
            continue
        tried = _or_none(fewer, _of_all)
        if tried and _better(found, *_reached(tried)):
            found = tried
    return found


def _reached(found: Split) -> tuple[float, int]:
    """Return the period of a split by the plan, and its boards."""
    return 1 / found.estimate.frames_per_second, _boards(found)


def _better(found: Split, seconds: float, boards: int) -> bool:
    """Tell whether a period, or for a given rate the number of boards, is better."""
    if found.desk.wanted.fps is not None:
        return boards < _boards(found)
    return seconds * found.estimate.frames_per_second < _BETTER


def _of_all(desk: Desk) -> Split:
    """Choose foldings and cuts.

    A board between two others needs more room for its links; where that leaves too little for the layers,
    fewer boards may do.
    """
    try:
        return _roomier(desk, _chosen(desk))
    except InputError as error:
        numbers = [range(stock.count + 1) for stock in desk.stock]
        ranked = sorted(product(*numbers), key=lambda counts: (-sum(counts), counts))
        tried = ranked[1:-1][:_TRIED] if desk.wanted.goal == "fps" else []
        found = None
        for counts in tried:
            fewer = _with_fewer(desk, counts, found.estimate.limit.seconds if found else inf)
            if fewer is not None and (found is None or _better(found, *_reached(fewer))):
                found = fewer
            if found is not None and (len(desk.stock) == 1 or desk.wanted.fps is not None):
                break  # of boards that are alike, fewer are seldom faster
        if found is not None:
            return found
        raise error


def _roomier(desk: Desk, found: Split) -> Split:
    """Return the better one of a split and those onto fewer boards, where shells took much of the rate.

    Where one board needs more for its links, all of its kind are taken to need it; a cut with fewer boards
    may have no such board.
    """
    wanted, first = desk.wanted, search(desk, desk.first)
    if wanted.goal != "fps" or wanted.fps is not None or first is None:
        return found
    tried: set[tuple[int, ...]] = {tuple(stock.count for stock in desk.stock)}
    for part in _FEWER:
        if found.found.seconds <= REPLICAS_BRING * first.seconds:
            return found
        counts = tuple(round(stock.count * part) for stock in desk.stock)
        if counts in tried or not any(counts):
            continue
        tried.add(counts)
        fewer = _with_fewer(desk, counts, found.found.seconds)
        if fewer is not None and fewer.estimate.frames_per_second > found.estimate.frames_per_second:
            found = fewer
    return found


def _with_fewer(desk: Desk, counts: Sequence[int], seconds: float = inf) -> Split | None:
    """Return the split onto fewer boards; None if there is none, or none with a shorter period."""
    try:
        fewer = desk.with_counts(counts)
        first = search(fewer, fewer.first)
        return _chosen(fewer) if first and first.seconds < seconds else None
    except (InputError, PlanError):
        return None


def _chosen(desk: Desk) -> Split:
    """Choose, for boards of which all may be used.

    Replicas need room for what deals frames out and gathers them, and the port for each of them; so they are
    only taken if the plan has room for them, too, and the rate by the plan is still worth it.
    """
    alone = replace(desk, wanted=replace(desk.wanted, replicas=1))
    first = desk.first
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
    return found if _gains(without, 1 / found.estimate.frames_per_second, _boards(found)) else without


def _boards(split: Split) -> int:
    return sum(part.replicas for part in split.found.parts)


def _fitted(desk: Desk, task: Task) -> Split:
    """Return the best split, with room for the shells that follow from it; ``task`` is the first."""
    excess, task = desk.nothing, task.sharing(replace(task, floors={}))
    floors = task.floors  # of the first round; later ones have less room
    for number in range(_ROUNDS):
        layers, boards = len(task.layers), sum(kind.count for kind in task.kinds)
        step("splitting", f"{layers} layer{'s' * (layers != 1)} onto {boards} board{'s' * (boards != 1)}")
        # Most of the time goes into cycles, so what is too large already is seen without them.
        found, placed, plan = _planned(desk, task)
        takes, spaces = _filling(found, placed, plan)
        more = _excess(desk, found, (takes, spaces), excess, number)
        if more is None:
            placed = desk.placed(found, _left(desk, found, takes, spaces))
            plan = mock_plan(desk.network, placed, desk.wanted.where)
            takes, spaces = _filling(found, placed, plan)
            more = _excess(desk, found, (takes, spaces), excess, number)
            if more is None:
                return Split(desk, task, found, tuple(placed), plan, estimate(plan), takes, spaces)
        excess = more
        task = replace(desk.task(excess), floors=floors)
    raise NoSplitError(desk, task, shells=True)


def _planned(desk: Desk, task: Task) -> tuple[Found, list[Placed], Plan]:
    """Return the best split that can be planned: a board may have too few ports for so many replicas."""
    while True:
        found = search(desk, task)
        if found is None:
            raise NoSplitError(desk, task)
        placed = desk.placed(found)
        try:
            return found, placed, mock_plan(desk.network, placed, desk.wanted.where)
        except PlanError:
            most = max(part.replicas for part in found.parts)
            if most == 1:
                raise
            task = task.with_replicas(most - 1)


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


def _filling(
    found: Found, placed: Sequence[Placed], plan: Plan
) -> tuple[tuple[Takes, ...], tuple[Space, ...]]:
    """Return what partitions take of their spaces: layers, the FIFOs between them, and shells; the spaces."""
    spaces = _spaces(placed, plan)
    triples = zip(found.pieces, placed, spaces, strict=True)
    takes = tuple(added(one_.takes, figures(own.takes), space.shell) for one_, own, space in triples)
    return takes, spaces


def _left(desk: Desk, found: Found, takes: Sequence[Takes], spaces: Sequence[Space]) -> list[Takes]:
    """Return what may still be taken where each partition is."""
    left = []
    for piece, taken, space in zip(found.pieces, takes, spaces, strict=True):
        most = room_of(space.has, desk.stock[piece.kind].name, desk.wanted.limits)
        left.append(tuple(may - used for may, used in zip(most, taken, strict=True)))
    return left


def _spaces(placed: Sequence[Placed], plan: Plan) -> tuple[Space, ...]:
    """Return the space of each partition, with the largest shell of its replicas."""
    found = []
    regions: dict[int, set[int | None]] = {}
    for part in placed:
        regions.setdefault(part.node, set()).add(part.region)
    for number, part in enumerate(placed):
        spread = len(regions[part.node]) > 1
        copies = [spaces_of(plan, node, spread=spread)[part.region or 0] for node in nodes_of(plan, number)]
        shell = tuple(max(column) for column in zip(*(one_.shell for one_ in copies), strict=True))
        found.append(replace(copies[0], shell=shell))
    return tuple(found)


def _excess(
    desk: Desk,
    found: Found,
    filling: tuple[Sequence[Takes], Sequence[Space]],
    known: Sequence[Sequence[Takes]],
    number: int,
) -> list[list[Takes]] | None:
    """Return what shells take beyond what was expected, by kind of board and space; None if all fits.

    At least as much as this shell takes more; another cut may need a little more, so later steps get larger.
    """
    over, times = False, 1 << max(0, number - _ROUNDS // 2)
    beyond = [list(kind) for kind in known]
    for piece, taken, space in zip(found.pieces, *filling, strict=True):
        most = room_of(space.has, desk.stock[piece.kind].name, desk.wanted.limits)
        own, at = beyond[piece.kind], piece.region or 0
        expected = added(piece.takes, desk.around[piece.kind].spaces[at].shell)
        columns = zip(taken, most, expected, known[piece.kind][at], own[at], strict=True)
        own[at] = tuple(
            max(before, so_far + times * (need - may), need - told) if need > may else before
            for need, may, told, so_far, before in columns
        )
        over |= any(need > may for need, may in zip(taken, most, strict=True))
    return beyond if over else None
