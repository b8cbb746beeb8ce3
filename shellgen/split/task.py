# SPDX-License-Identifier: BSD-3-Clause
"""The search's own records: layers with their foldings on each kind of board, and the parts of a split."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Takes = tuple[int, ...]
Bytes: TypeAlias = npt.NDArray[np.int64]
Seconds: TypeAlias = npt.NDArray[np.float64]
# Flip-flops are not among them: FINN estimates none, and a device has two for each LUT.
RESOURCES = ("lut", "bram18", "uram", "dsp")
WORDS = {"lut": "LUT", "bram18": "BRAM18", "uram": "URAM", "dsp": "DSP"}
SLACK = 1e-12  # relative; a rate that is met exactly is met


@dataclass(frozen=True)
class Choice:
    """A folding of one layer on one kind of board.

    Attributes:
        number: Its place among the foldings of the layer.
        cycles: Of a frame.
        takes: Resources, in the order of `RESOURCES`.
        reads: Elements of a word of each stream in.
        writes: Elements of a word of each stream out.
    """

    number: int
    cycles: int
    takes: Takes
    reads: tuple[int, ...]
    writes: tuple[int, ...]


@dataclass(frozen=True)
class Kind:
    """Boards that are alike.

    Attributes:
        name: Of the board.
        count: Boards of this kind.
        room: Resources for layers, limits and shell taken off.
        hz: Clock of the layers.
        choices: Foldings of each layer.
        into: Bytes a second that one board can receive.
        out_of: Bytes a second that one board can send.
        regions: Where parts of the board are filled by themselves, the room of each; a layer is in one of
            them, and ``room`` is their sum.
        region_names: As the vendor calls them.
    """

    name: str
    count: int
    room: Takes
    hz: float
    choices: tuple[tuple[Choice, ...], ...]
    into: float = inf
    out_of: float = inf
    regions: tuple[Takes, ...] = ()
    region_names: tuple[str, ...] = ()

    @property
    def rooms(self) -> tuple[Takes, ...]:
        """Rooms that are filled by themselves: those of the regions, or that of the whole board."""
        return self.regions or (self.room,)

    def seconds(self, choice: Choice) -> float:
        """Return the time of a frame in a layer."""
        return choice.cycles / self.hz


class Rate(NamedTuple):
    """The rate of a link.

    Attributes:
        bytes: A second.
        least: Seconds of a frame, however small: a packet may take as long as a full one.
    """

    bytes: float
    least: float = 0.0

    def seconds(self, near: Bytes, far: Seconds) -> Seconds:
        """Return the times of what crosses it, beside those of what comes from or goes elsewhere."""
        times: Seconds = np.maximum(near / self.bytes, self.least * (near > 0)) + far
        return times


@dataclass(frozen=True)
class Links:
    """Rates between neighbours where they depend on both kinds of boards; the last kind is the host.

    Attributes:
        into: Of what a board receives, by the kind before it and its own.
        out_of: Of what a board sends, by its own kind and the one behind it.
    """

    into: tuple[tuple[Rate, ...], ...]
    out_of: tuple[tuple[Rate, ...], ...]


@dataclass(frozen=True)
class Hop:
    """A stream: layers by number, -1 and the number of layers for the host before and behind the network."""

    producer: int
    output: int
    consumer: int
    input: int
    bytes: int
    same: bool = False

    def joins(self, before: Choice, after: Choice) -> bool:
        """Tell whether both layers can be neighbours on one board.

        FINN's width converter in RTL multiplies or divides the elements of a word by a whole number.
        """
        return fits_words(before.writes[self.output], after.reads[self.input], self.same)


def fits_words(written: int, read: int, same: bool) -> bool:
    """Tell whether words of so many elements can be converted."""
    return written == read if same else written % read == 0 or read % written == 0


@dataclass(frozen=True)
class Task:
    """Layers in network order, boards, and streams.

    Attributes:
        layers: Their names.
        kinds: Kinds of boards.
        hops: Streams.
        replicas: The most boards that may have the same layers and take the frames in turn.
        links: Rates by pairs of kinds; None where each kind's own rates tell all. Streams that may come
            from a board further away, or go there, count with the rates of the kind, its slowest.
        floors: Periods that are the shortest with as much room or more, by replicas and numbers of boards.
    """

    layers: tuple[str, ...]
    kinds: tuple[Kind, ...]
    hops: tuple[Hop, ...]
    replicas: int = 1
    links: Links | None = None
    floors: dict[tuple[int, ...], float] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def memo(self) -> dict[object, Any]:
        """Tables of layers and boards that a search keeps; tasks with other numbers of boards share them."""
        return {}

    @cached_property
    def reads(self) -> Bytes:
        """Bytes of a frame that layers a to b - 1 read from outside, by [a, b]."""
        found = self._none()
        for hop in self.hops:
            found[hop.producer + 1 : hop.consumer + 1, hop.consumer + 1 :] += hop.bytes
        return found

    @cached_property
    def sends(self) -> Bytes:
        """Bytes of a frame that layers a to b - 1 send to later layers, without those for the host."""
        found = self._none()
        for hop in self.hops:
            if hop.producer >= 0 and hop.consumer < len(self.layers):
                found[: hop.producer + 1, hop.producer + 1 : hop.consumer + 1] += hop.bytes
        return found

    @cached_property
    def sends_all(self) -> Bytes:
        """The same with those for the host."""
        found = self.sends.copy()
        for hop in self.hops:
            if hop.producer >= 0 and hop.consumer == len(self.layers):
                found[: hop.producer + 1, hop.producer + 1 :] += hop.bytes
        return found

    @cached_property
    def near_reads(self) -> Bytes:
        """Bytes of `reads` from the layer before the first, which is on the board before."""
        found = self._none()
        for hop in self.hops:
            found[hop.producer + 1, hop.consumer + 1 :] += hop.bytes
        return found

    @cached_property
    def near_sends(self) -> Bytes:
        """Bytes of `sends_all` to the layer behind the last, which is on the board behind."""
        found = self._none()
        for hop in self.hops:
            found[: hop.producer + 1, hop.consumer] += hop.bytes
        return found

    def receiving(self, kind: int, before: int) -> Seconds:
        """Return the time of what layers a to b - 1 read, by [a, b], behind a board of a kind or the host."""
        own = self.kinds[kind]
        if self.links is None:
            return self.reads / own.into
        far = (self.reads - self.near_reads) / own.into
        return self.links.into[before][kind].seconds(self.near_reads, far)

    def sending(self, kind: int, behind: int) -> Seconds:
        """Return the time of what they send, in front of a board of a kind or the host."""
        own = self.kinds[kind]
        if self.links is None:
            return self.sends_all / own.out_of
        far = (self.sends_all - self.near_sends) / own.out_of
        return self.links.out_of[kind][behind].seconds(self.near_sends, far)

    def _none(self) -> Bytes:
        return np.zeros((len(self.layers) + 1, len(self.layers) + 1), np.int64)

    def with_counts(self, counts: tuple[int, ...]) -> Task:
        """Return the same task with other numbers of boards."""
        pairs = zip(self.kinds, counts, strict=True)
        return self.sharing(replace(self, kinds=tuple(replace(kind, count=count) for kind, count in pairs)))

    def with_replicas(self, replicas: int) -> Task:
        """Return the same task with another limit of replicas."""
        return self if replicas == self.replicas else self.sharing(replace(self, replicas=replicas))

    def sharing(self, other: Task) -> Task:
        """Give another task with the same layers and rooms the tables of this one."""
        vars(other).update(memo=self.memo, reads=self.reads, sends=self.sends, sends_all=self.sends_all)
        vars(other).update(near_reads=self.near_reads, near_sends=self.near_sends)
        return other


@dataclass(frozen=True)
class Piece:
    """Layers that become one partition: all of a board, or those in one of its regions.

    Attributes:
        board: Number of the part whose board this is.
        kind: Number of the kind of board.
        region: Number of the region; None on a board without regions.
        layers: Numbers of the layers, in network order.
        choices: The folding of each.
        replicas: Boards with these layers, which take the frames in turn.
    """

    board: int
    kind: int
    region: int | None
    layers: tuple[int, ...]
    choices: tuple[Choice, ...]
    replicas: int

    @property
    def takes(self) -> Takes:
        """Resources of all layers, on each board."""
        return added(*(choice.takes for choice in self.choices))


@dataclass(frozen=True)
class Part:
    """Layers on their board.

    Attributes:
        kind: Number of the kind of board.
        layers: Numbers of the layers, in network order.
        choices: The folding of each.
        replicas: Boards with these layers, which take the frames in turn.
        regions: In network order, (number of a region of the board, number of its layers); none on a board
            that is filled as a whole.
    """

    kind: int
    layers: tuple[int, ...]
    choices: tuple[Choice, ...]
    replicas: int = 1
    regions: tuple[tuple[int, int], ...] = ()

    @property
    def takes(self) -> Takes:
        """Resources of all layers, on each board."""
        return added(*(choice.takes for choice in self.choices))

    @property
    def cycles(self) -> int:
        """Cycles of the slowest layer."""
        return max(choice.cycles for choice in self.choices)


@dataclass(frozen=True)
class Found:
    """A split.

    Attributes:
        parts: Boards, in network order.
        seconds: For a frame in the slowest layer or link.
        traffic: Bytes of a frame between boards.
        exact: Whether nothing better exists; False where the search had to leave something out.
    """

    parts: tuple[Part, ...]
    seconds: float
    traffic: int
    exact: bool = True

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The partitions, in network order."""
        found = []
        for number, part in enumerate(self.parts):
            at = 0
            whole: tuple[tuple[int | None, int], ...] = ((None, len(part.layers)),)
            for region, count in part.regions or whole:
                layers, choices = part.layers[at : at + count], part.choices[at : at + count]
                found.append(Piece(number, part.kind, region, layers, choices, part.replicas))
                at += count
        return tuple(found)


def added(*all_: Takes) -> Takes:
    """Return the sum."""
    return tuple(map(sum, zip(*all_, strict=True))) if all_ else (0,) * len(RESOURCES)


def within(takes: Takes, room: Takes) -> bool:
    """Tell whether every resource is there."""
    for one, has in zip(takes, room):  # noqa: B905, SIM110 - the innermost loop of the search
        if one > has:
            return False
    return True


def share(takes: Takes, room: Takes) -> float:
    """Return the sum of the shares of a board, by which foldings are compared."""
    return sum(one / max(has, 1) for one, has in zip(takes, room, strict=True))


def measured(task: Task, parts: tuple[Part, ...], *, exact: bool = True) -> Found:
    """Return a split with its time and its traffic, which follow from its boards."""
    times = [
        task.kinds[part.kind].seconds(choice) / part.replicas for part in parts for choice in part.choices
    ]
    where = {layer: number for number, part in enumerate(parts) for layer in part.layers}
    into, out_of = [0] * len(parts), [0] * len(parts)
    traffic = 0
    for hop in task.hops:
        source, target = where.get(hop.producer), where.get(hop.consumer)
        if source == target:
            continue
        traffic += hop.bytes if source is not None and target is not None else 0
        if source is not None:
            out_of[source] += hop.bytes
        if target is not None:
            into[target] += hop.bytes
    for number, part in enumerate(parts):
        if task.links is None:
            kind = task.kinds[part.kind]
            carried = [into[number] / kind.into, out_of[number] / kind.out_of]
        else:
            carried = _between(task, parts, number)
        times += [seconds / part.replicas for seconds in carried]
    return Found(parts, max(times), traffic, exact)


def _between(task: Task, parts: tuple[Part, ...], number: int) -> list[float]:
    """Return the times of what a board receives and sends, between its neighbours."""
    part, host = parts[number], len(task.kinds)
    assert part.layers == tuple(range(part.layers[0], part.layers[-1] + 1)), "rates by pairs are for ranges"
    ends = part.layers[0], part.layers[-1] + 1
    before = parts[number - 1].kind if number else host
    behind = parts[number + 1].kind if number + 1 < len(parts) else host
    return [
        float(task.receiving(part.kind, before)[ends]),
        float(task.sending(part.kind, behind)[ends]),
    ]
