# SPDX-License-Identifier: BSD-3-Clause
"""A split in words: a row for each board, what limits the rate, and what would raise it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from shellgen.counted import counted
from shellgen.errors import InputError, PlanError
from shellgen.estimate.figures import period_of
from shellgen.split.ask import MOST_BOARDS, room_of
from shellgen.split.costs import ULTRA
from shellgen.split.mock import node_names, nodes_of, nodes_with, stand_ins
from shellgen.split.placed import partition_name
from shellgen.split.run import Split, search
from shellgen.split.run import split as choose
from shellgen.split.task import RESOURCES, WORDS, Choice, Takes, added, share

_ORDINALS = (
    "",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)
_SEVERAL = 3  # more boards than one that are tried
_WORTH = 1.01  # times the rate; less is not worth a sentence


@dataclass(frozen=True)
class Row:
    """A partition of a split on its board.

    Attributes:
        node: Its name in cluster.toml.
        board: As the user named it.
        region: Region of the board that the partition is in; empty on a board without regions.
        replicas: Boards that take the frames in turn; figures are those of each.
        first: Its first layer.
        last: Its last layer.
        count: Layers.
        cycles: From frame to frame: of the slowest layer, or more where layers wait for one another.
        fps: That the partition can do, on all its boards.
        shares: Of the device or the region, by resource; None where it has none.
        sends: Bytes of a frame to other partitions or the host.
    """

    node: str
    board: str
    region: str
    replicas: int
    first: str
    last: str
    count: int
    cycles: int
    fps: float
    shares: dict[str, float | None]
    sends: int


def rows(split: Split) -> list[Row]:
    """Return a row for each partition, in network order."""
    found = []
    names = node_names([split.desk.stock[part.kind].board for part in split.found.parts])
    for number, part in enumerate(split.found.pieces):
        stock, kind = split.desk.stock[part.kind], split.task.kinds[part.kind]
        shares = {
            name: taken / whole if whole else None
            for name, taken, whole in zip(
                RESOURCES, split.takes[number], split.spaces[number].has, strict=True
            )
        }
        own = set(part.layers)
        sends = sum(hop.bytes for hop in split.task.hops if hop.producer in own and hop.consumer not in own)
        found.append(
            Row(
                names[part.board],
                stock.name,
                split.spaces[number].name if part.region is not None else "",
                part.replicas,
                split.task.layers[part.layers[0]],
                split.task.layers[part.layers[-1]],
                len(part.layers),
                cycles := _cycles(split, number),
                part.replicas * kind.hz / cycles,
                shares,
                sends,
            )
        )
    return found


def sentences(split: Split) -> list[str]:
    """Return the rate, the limit, what would raise it, and what another board of each kind would do."""
    return list(_sentences(split))


@lru_cache(maxsize=1)
def _sentences(split: Split) -> tuple[str, ...]:
    """Return them once for the files and the terminal: each kind of board is another search."""
    limit = split.estimate.limit
    lines = split.estimate.sentences()
    if not split.found.exact:
        lines.append("not all combinations of foldings were tried: a better split may exist")
    slowest = max(range(len(split.found.pieces)), key=lambda number: _seconds(split, number))
    if _seconds(split, slowest) >= 0.999 * limit.seconds:
        lines.append(_limit(split, slowest))
    return (*lines, *_loaded(split), *_one_more(split), *_stand_ins(split))


def _stand_ins(split: Split) -> list[str]:
    """Name the options that the user has to say."""
    return [
        f"{nodes_of(split.plan, own[0])[0].name} needs options.{option}, which only you know: "
        f"{json.dumps(value)} in cluster.toml stands for yours"
        for own in nodes_with(split.placed)
        for option, value in stand_ins(split.plan, own[0])
    ]


def in_ultra(split: Split) -> list[str]:
    """Return the layers whose weights lie in UltraRAM."""
    placed = [pair for part in split.placed for pair in part.layers]
    return [layer.name for layer, folding in placed if folding.attributes.get("ram_style") == ULTRA]


def _loaded(split: Split) -> list[str]:
    """Say that the weights of some layers lie in UltraRAM."""
    names = in_ultra(split)
    kept = f"the weights of {', '.join(names)} are in UltraRAM, which the host loads after each configuration"
    return [kept] if names else []


def _seconds(split: Split, number: int) -> float:
    part = split.found.pieces[number]
    return _cycles(split, number) / split.task.kinds[part.kind].hz / part.replicas


def _cycles(split: Split, number: int) -> int:
    return period_of(split.plan, split.plan.partition(partition_name(number)))


def _limit(split: Split, number: int) -> str:
    """Say how full the slowest board is, and what its slowest layer lacks."""
    part = split.found.pieces[number]
    kind = split.task.kinds[part.kind]
    row = rows(split)[number]
    choice = max(part.choices, key=lambda one: one.cycles)
    layer = split.task.layers[part.layers[part.choices.index(choice)]]
    head = f"partition {number} on {_on(row)} is the slowest: its layer {layer}"
    faster = [
        one for one in kind.choices[part.layers[part.choices.index(choice)]] if one.cycles < choice.cycles
    ]
    if split.desk.wanted.folding is not None:
        return f"{head} has {counted(choice.cycles, 'cycle')} with the folding that is kept"
    if not faster:
        return f"{head} has no faster legal folding than {counted(choice.cycles, 'cycle')}"
    room = kind.rooms[part.region or 0]
    half = [one for one in faster if one.cycles <= choice.cycles / 2]
    better = min(half or faster, key=lambda one: (share(_more(one, choice), room), one.cycles))
    texts = [
        f"{count:,} more {WORDS[name]}"
        for name, count in zip(RESOURCES, _more(better, choice), strict=True)
        if count > 0
    ]
    does = "could halve its cycles" if half else f"could go down to {counted(better.cycles, 'cycle')}"
    text = f"{head} {does} with {' and '.join(texts) or 'other words at its ports'}"
    return text + _others(split, number, better.cycles)


def _others(split: Split, number: int, cycles: int) -> str:
    """Say how many more layers of a partition need a faster folding to be as fast, and what is short."""
    part = split.found.pieces[number]
    kind = split.task.kinds[part.kind]
    slow = [
        (layer, one, [faster for faster in kind.choices[layer] if faster.cycles <= cycles])
        for layer, one in zip(part.layers, part.choices, strict=True)
        if one.cycles > cycles
    ]
    limit = next((layer for layer, _, faster in slow if not faster), None)
    if limit is not None:
        return f", but {split.task.layers[limit]} has no folding as fast"
    room = kind.rooms[part.region or 0]
    each = [
        min((_more(new, one) for new in faster), key=lambda more: share(more, room))
        for _, one, faster in slow
    ]
    also = f", and so must {len(slow) - 1} other{'s' * (len(slow) > 2)}" if len(slow) > 1 else ""
    return also + _short(split, number, dict(zip(RESOURCES, added(*each), strict=True)))


def _short(split: Split, number: int, missing: Mapping[str, int]) -> str:
    """Say which of some more resources a partition's board has not left within its limits."""
    space, taken = split.spaces[number], split.takes[number]
    name = split.desk.stock[split.found.pieces[number].kind].name
    columns = zip(
        RESOURCES, taken, room_of(space.has, name, split.desk.wanted.limits), space.has, strict=True
    )
    short = [
        f"{WORDS[name]} ({100 * used / has:.0f} % taken, at most {100 * most / has:.0f} %)"
        for name, used, most, has in columns
        if has and missing[name] and used + missing[name] > most
    ]
    return f"; short of {' and '.join(short)}" if short else ""


def _on(row: Row) -> str:
    where = f"{row.region} of " if row.region else ""
    return where + (row.node if row.replicas == 1 else f"the {row.replicas} boards of {row.node}")


def _more(one: Choice, other: Choice) -> Takes:
    return tuple(max(0, a - b) for a, b in zip(one.takes, other.takes, strict=True))


def _by_plan(split: Split, counts: tuple[int, ...]) -> float:
    """Return the gain by the plan with other numbers of boards; 1 if they leave no room for the layers."""
    try:
        more = choose(split.desk.with_counts(counts))
    except (InputError, PlanError):
        return 1.0
    return split.estimate.limit.seconds / more.estimate.limit.seconds


def _gain(split: Split, counts: tuple[int, ...]) -> float:
    """Return the gain with other numbers of boards, by the plan if the slowest layers are faster."""
    if sum(counts) > MOST_BOARDS:
        return 1.0
    found = search(split.desk, split.task.with_counts(counts))
    gain = split.found.seconds / found.seconds if found else 1.0
    return _by_plan(split, counts) if gain > _WORTH else gain


def _one_more(split: Split) -> list[str]:
    """Say what another board of each kind would do for the rate."""
    wanted = split.desk.wanted
    if wanted.goal != "fps" or wanted.fps is not None:
        return []
    lines = []
    for number, kind in enumerate(split.task.kinds):
        counts = tuple(one.count + (index == number) for index, one in enumerate(split.task.kinds))
        gain = _gain(split, counts)
        if gain > _WORTH:
            nth = _ORDINALS[kind.count + 1] if kind.count + 1 < len(_ORDINALS) else f"{kind.count + 1}th"
            lines.append(f"a {nth} {kind.name} would give {_times(gain)}")
        elif sum(counts) <= MOST_BOARDS:
            lines.append(f"another {kind.name} would not raise the rate{_several_more(split, number)}")
    return lines


def _several_more(split: Split, number: int) -> str:
    """Say how many more boards of a kind, up to twice as many, raise the rate if one does not."""
    for more in range(2, min(split.task.kinds[number].count, _SEVERAL) + 2):
        gain = _gain(
            split, tuple(one.count + more * (at == number) for at, one in enumerate(split.task.kinds))
        )
        if gain > _WORTH:
            return f", {more} more would give {_times(gain)}"
    return ""


def _times(gain: float) -> str:
    return f"{gain:,.0f}x" if gain >= 10 else f"{gain:.2g}x"
