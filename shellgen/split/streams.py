# SPDX-License-Identifier: BSD-3-Clause
"""Words of the streams that wait for their readers as layers are taken onto a board, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from shellgen.split.task import Choice, Hop, Task, fits_words

# Elements of a word of each stream that is under way, in the order of the hops; 0 if it comes from elsewhere.
Open = tuple[int, ...]


class Streams:
    """The streams between layers that are under way behind each layer.

    Attributes:
        layers: Their number.
    """

    def __init__(self, task: Task) -> None:
        """Find the streams that each layer reads, and those that wait."""
        count = self.layers = len(task.layers)
        into: list[list[Hop]] = [[] for _ in range(count)]
        for hop in task.hops:
            if hop.producer >= 0 and hop.consumer < count:
                into[hop.consumer].append(hop)
        open_ = [
            [hop for row in into for hop in row if hop.producer <= at < hop.consumer] for at in range(count)
        ]
        self._count = [len(row) for row in open_]
        # By layer: places of the streams that it reads among those before it; whence each behind it comes.
        self._reads: list[list[tuple[int, Hop]]] = []
        self._from: list[list[tuple[bool, int]]] = []
        for at in range(count):
            places = {hop: place for place, hop in enumerate(open_[at - 1])} if at else {}
            self._reads.append([(places[hop], hop) for hop in into[at]])
            self._from.append(
                [(True, hop.output) if hop.producer == at else (False, places[hop]) for hop in open_[at]]
            )

        # Layers that are alike here have one number.
        numbers: dict[object, int] = {}
        self._alike = []
        for reads, whence in zip(self._reads, self._from, strict=True):
            shape = (tuple((place, hop.input, hop.same) for place, hop in reads), tuple(whence))
            self._alike.append(numbers.setdefault(shape, len(numbers)))

    def alike(self, at: int) -> int:
        """Return a number that is the same for layers with streams at the same places."""
        return self._alike[at]

    def none(self, start: int) -> Open:
        """Return the streams before the first layer of a board: all come from elsewhere."""
        return (0,) * (self._count[start - 1] if start else 0)

    def behind(self, at: int, words: Open, choice: Choice) -> Open | None:
        """Return the words that wait behind a layer; None if it cannot read those before it."""
        for place, hop in self._reads[at]:
            written = words[place]
            if written and not fits_words(written, choice.reads[hop.input], hop.same):
                return None
        return tuple(choice.writes[at_] if own else words[at_] for own, at_ in self._from[at])

    def moves(
        self, at: int, before: Sequence[Open], choices: Sequence[Choice]
    ) -> dict[Open, list[tuple[int, int]]]:
        """Return by the words behind a layer from which words, and with which folding, it gets there."""
        found: dict[Open, list[tuple[int, int]]] = {}
        for state, words in enumerate(before):
            for number, choice in enumerate(choices):
                behind = self.behind(at, words, choice)
                if behind is not None:
                    found.setdefault(behind, []).append((state, number))
        return found
