# SPDX-License-Identifier: BSD-3-Clause
"""From layers and boards to the task of the search: foldings by part, and the room that the shell leaves."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

from shellgen.errors import InputError, PlanError
from shellgen.errors import one as one_problem
from shellgen.model import Board
from shellgen.model.folding import Folding, SplitNetwork
from shellgen.split.ask import Wanted, kept_foldings, room_of
from shellgen.split.costs import ULTRA, counted
from shellgen.split.mock import WORD, Around, around
from shellgen.split.pace import Known, flowing, paced
from shellgen.split.placed import Placed
from shellgen.split.spaces import Space
from shellgen.split.task import RESOURCES, Choice, Found, Hop, Kind, Links, Rate, Takes, Task, added

_OPTION = re.compile(r"[:.] ?(options\..+)$")  # of a node, however the place is named


@dataclass(frozen=True)
class Stock:
    """Boards that are alike.

    Attributes:
        name: As the user named them.
        board: Their file.
        count: How many there are.
    """

    name: str
    board: Board
    count: int


@dataclass(frozen=True)
class Pair:
    """Rates of two boards in a row.

    Attributes:
        from_host: From the host to the first.
        out_of: Of what the first sends to the second.
        into: Of what the second receives from it.
        to_host: From the second to the host.
    """

    from_host: Rate
    out_of: Rate
    into: Rate
    to_host: Rate

    @classmethod
    def of(cls, large: Sequence[Around], small: Sequence[Around]) -> Pair:
        """Return the rates by those of large frames, and of frames of one word."""
        (first, second), (quick, late) = large, small
        return cls(
            Rate(first.into, WORD / quick.into),
            Rate(first.out_of, WORD / quick.out_of),
            Rate(second.into, WORD / late.into),
            Rate(second.out_of, WORD / late.out_of),
        )


Pairs = dict[tuple[str, str], Pair]


@dataclass(frozen=True)
class Desk:
    """Boards and networks: what all searches of a command have in common.

    Attributes:
        stock: Kinds of boards.
        networks: By part; the same layers, with the costs on this part.
        around: Shell, platform and rates of each kind.
        wanted: The goal.
        known: Cycles of partitions that were followed.
        pairs: Rates of two boards in a row, by their names.
    """

    stock: tuple[Stock, ...]
    networks: Mapping[str, SplitNetwork]
    around: tuple[Around, ...]
    wanted: Wanted
    known: Known = field(default_factory=Known, compare=False, repr=False)
    pairs: Pairs = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, stock: Sequence[Stock], networks: Mapping[str, SplitNetwork], wanted: Wanted) -> Desk:
        """Return the desk, with what surrounds layers on each kind of board.

        Raises:
            InputError: Two of the boards need options of a node to be joined.
            PlanError: No link joins two of the boards.
        """
        told = wanted.measured
        ultra = {one.board.part for one in stock if one.board.resources.uram}
        found = {
            part: counted(one, told.by_folding(one) if told else None, ultra=part in ultra)
            for part, one in networks.items()
        }
        pairs: Pairs = {}
        return cls(tuple(stock), found, _worst(stock, wanted.where, pairs), wanted, pairs=pairs)

    @property
    def network(self) -> SplitNetwork:
        """The layers and streams, which are the same for all boards."""
        return self.networks[self.stock[0].board.part]

    @property
    def stock_counts(self) -> list[tuple[str, int]]:
        """Names and numbers of the boards."""
        return [(one.name, one.count) for one in self.stock]

    def task(self, excess: Sequence[Sequence[Takes]] | None = None) -> Task:
        """Return the task; ``excess`` is what shells took beyond what was expected, by kind and space.

        Raises:
            InputError: A given folding is not legal.
        """
        more = excess or self.nothing
        pairs = zip(self.stock, self.around, more, strict=True)
        kinds = tuple(self._kind(stock, about, extra) for stock, about, extra in pairs)
        network = self.network
        place = {layer.name: number for number, layer in enumerate(network.layers)}
        hops = tuple(
            Hop(
                place.get(stream.producer, -1),
                stream.output,
                place.get(stream.consumer, len(place)),
                stream.input,
                stream.frame_bytes,
                stream.same,
            )
            for stream in network.streams
        )
        return Task(tuple(place), kinds, hops, self.wanted.replicas, self._links)

    @cached_property
    def _links(self) -> Links | None:
        """Rates by pairs of kinds, if they differ from pair to pair."""
        if len(self.stock) == 1:
            return None
        names = [one.name for one in self.stock]
        alone = [self.pairs[name, name] for name in names]
        into = [tuple(self.pairs[before, name].into for name in names) for before in names]
        into.append(tuple(pair.from_host for pair in alone))
        out_of = [
            (*(self.pairs[name, behind].out_of for behind in names), pair.to_host)
            for name, pair in zip(names, alone, strict=True)
        ]
        if all(len(set(rates)) == 1 for rates in (*zip(*into, strict=True), *out_of)):
            return None
        return Links(tuple(into), tuple(out_of))

    @cached_property
    def first(self) -> Task:
        """The task with shells as expected; its tables are kept from search to search."""
        return self.task()

    @property
    def nothing(self) -> list[list[Takes]]:
        """No resources, by kind of board and space."""
        return [[(0,) * len(RESOURCES) for _ in about.spaces] for about in self.around]

    def _kind(self, stock: Stock, about: Around, extra: Sequence[Takes]) -> Kind:
        network = self.networks[stock.board.part]
        left = self.wanted.folding
        kept = kept_foldings(network, left, self.wanted.where) if left is not None else None
        choices = []
        made: dict[int, tuple[Choice, ...]] = {}  # layers that are alike have the same foldings
        for layer in network.layers:
            if kept:
                choices.append(_choices(layer.foldings, kept[layer.name].__contains__))
                continue
            if id(layer.foldings) not in made:
                made[id(layer.foldings)] = _choices(layer.foldings, self._may)
            choices.append(made[id(layer.foldings)])
        rooms = []
        for space, more in zip(about.spaces, extra, strict=True):
            most = room_of(space.has, stock.name, self.wanted.limits)
            columns = zip(most, space.shell, more, strict=True)
            rooms.append(tuple(max(0, may - own - beyond) for may, own, beyond in columns))
        names = tuple(space.name for space in about.spaces)
        divided = (tuple(rooms), names) if any(names) else ()
        rates = (about.hz, tuple(choices), about.into, about.out_of)
        return Kind(stock.name, stock.count, added(*rooms), *rates, *divided)

    def _may(self, folding: Folding) -> bool:
        return not folding.avoid and (self.wanted.ultra or folding.attributes.get("ram_style") != ULTRA)

    @property
    def has_ultra(self) -> bool:
        """Whether a board has UltraRAM."""
        return any(one.board.resources.uram for one in self.stock)

    def placed(self, found: Found, left: Sequence[Takes] | None = None) -> list[Placed]:
        """Return the partitions of a split with boards, layers, and the FIFOs that keep them fast.

        Args:
            found: The split.
            left: Resources that nothing else takes where each partition is; without them, partitions have no
                FIFOs and no cycles, only what a plan needs.
        """
        parts = []
        for part in found.pieces:
            stock = self.stock[part.kind]
            layers = self.networks[stock.board.part].layers
            pairs = zip(part.layers, part.choices, strict=True)
            parts.append(
                Placed(
                    stock.board,
                    tuple((layers[at], layers[at].foldings[one.number]) for at, one in pairs),
                    replicas=part.replicas,
                    node=part.board,
                    region=part.region,
                )
            )
        if left is None:
            return flowing(self.network, parts, self.known)
        return paced(self.network, parts, left, self.known)

    def with_counts(self, counts: Sequence[int]) -> Desk:
        """Return the same desk with other numbers of boards; 0 for none of a kind.

        Raises:
            PlanError: No link joins two of the boards.
        """
        pairs = zip(self.stock, counts, strict=True)
        stock = tuple(replace(stock, count=count) for stock, count in pairs if count)
        return replace(self, stock=stock, around=_worst(stock, self.wanted.where, self.pairs))


def _choices(foldings: Sequence[Folding], may: Callable[[Folding], bool]) -> tuple[Choice, ...]:
    return tuple(
        Choice(
            number,
            one.cycles,
            tuple(getattr(one.takes, name) for name in RESOURCES),
            one.reads,
            one.writes,
        )
        for number, one in enumerate(foldings)
        if may(one)
    )


def _worst(stock: Sequence[Stock], where: str, pairs: Pairs) -> tuple[Around, ...]:
    """Return what surrounds the layers on each kind of board at the most, on boards in a row."""
    boards = [one.board for one in stock for _ in range(one.count)]
    try:
        found = around(boards, where)
    except PlanError as error:
        asked = [told[1] for problem in error.problems if (told := _OPTION.search(problem.where))]
        if not asked:
            raise
        names = " and ".join(one.name for one in stock)
        said = f"{names} need {asked[0]} of a node to be joined, which is not chosen here"
        raise one_problem(
            InputError, f"{where}: --boards", said, "Name boards of one of these kinds, or cut with `stitch`"
        ) from None
    worst = []
    for one in stock:
        own = [about for about, board in zip(found, boards, strict=True) if board is one.board]
        worst.append(worst_of(own))
    return tuple(worst) if len(stock) == 1 else _slowest(stock, worst, where, pairs)


def _slowest(stock: Sequence[Stock], worst: Sequence[Around], where: str, pairs: Pairs) -> tuple[Around, ...]:
    """Return the same with the slowest rates behind and in front of boards of all kinds."""
    for before, behind in product(range(len(stock)), repeat=2):
        names = stock[before].name, stock[behind].name
        if names not in pairs:
            row, small = [stock[before].board, stock[behind].board], [worst[before], worst[behind]]
            large = small
            with suppress(PlanError):  # not in this order; if a split has it, its plan says why
                large, small = around(row, where), around(row, where, elements=WORD)
            pairs[names] = Pair.of(large, small)
    found = []
    for one, about in zip(stock, worst, strict=True):
        into = min(about.into, *(pairs[other.name, one.name].into.bytes for other in stock))
        out_of = min(about.out_of, *(pairs[one.name, other.name].out_of.bytes for other in stock))
        found.append(replace(about, into=into, out_of=out_of))
    return tuple(found)


def worst_of(own: Sequence[Around]) -> Around:
    """Return the largest shell and the slowest rates of boards that are alike."""
    return Around(
        max((about.spaces for about in own), key=_shells),
        min(about.hz for about in own),
        min(about.into for about in own),
        min(about.out_of for about in own),
    )


def _shells(spaces: tuple[Space, ...]) -> Takes:
    return added(*(space.shell for space in spaces))
