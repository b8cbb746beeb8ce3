# SPDX-License-Identifier: BSD-3-Clause
"""Word by word execution of partitions and streams, which shares no code with the planner of depths.

A partition takes a word only if its next step needs it, and makes the step only if each output has sent all
that the steps before allow. A stream inside a board holds so many words; a link forwards whole chunks, and
makes room for a chunk when all of it is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random


@dataclass
class Stream:
    """A stream: words of a frame at both ends, words of a chunk (0 inside a board), and room in words."""

    made: int
    taken: int
    chunk: int = 0
    room: int | None = None  # None: outside the graph
    endless: bool = False  # it comes from outside
    sent: int = 0
    got: int = 0  # in words of the consumer over links, else of the producer

    @property
    def unit(self) -> int:
        """Words of a frame in which ``got`` counts."""
        return self.taken if self.chunk or self.endless else self.made

    def takes(self) -> bool:
        return self.room is None or self.sent - self._freed() < self.room

    def _freed(self) -> int:
        if not self.chunk:
            return self.got
        frame, rest = divmod(self.got, self.taken)
        whole = 0
        for end in [*range(self.chunk, self.made, self.chunk), self.made]:
            if end * self.taken > rest * self.made:
                break
            whole = end
        return frame * self.made + whole

    def there(self) -> int:
        """Words that the consumer can have taken by now."""
        if self.endless:
            return self.got + 1
        if not self.chunk:
            return self.sent
        frame, rest = divmod(self.sent, self.made)
        return frame * self.taken + rest // self.chunk * self.chunk * self.taken // self.made


@dataclass
class Part:
    """A partition: words of each input that each step needs, and steps that each word of an output needs."""

    inputs: Mapping[int, Stream]
    outputs: Mapping[int, Stream]
    takes: Mapping[int, Sequence[int]]
    gives: Mapping[int, Sequence[int]]
    steps: int
    frames: int
    made: int = 0

    def _wanted(self, one: int) -> int:
        """Words of an input that the next step needs."""
        frame, rest = divmod(self.made, self.steps)
        return frame * self.inputs[one].unit + self.takes[one][rest]

    def _allowed(self, out: int) -> bool:
        """Whether the steps so far allow the next word of an output."""
        stream = self.outputs[out]
        frame, rest = divmod(stream.sent, stream.made)
        return frame * self.steps + self.gives[out][rest] <= self.made

    def step(self) -> bool:
        moved = False
        for one, stream in self.inputs.items():
            if stream.got < min(stream.there(), self._wanted(one)):
                stream.got += 1
                moved = True
        for out, stream in self.outputs.items():
            if stream.sent < self.frames * stream.made and stream.takes() and self._allowed(out):
                stream.sent += 1
                moved = True
        if all(self._wanted(one) <= stream.got for one, stream in self.inputs.items()) and not any(
            self._allowed(out) for out in self.outputs
        ):
            self.made += 1
            moved = True
        return moved

    @property
    def done(self) -> bool:
        return all(stream.sent >= self.frames * stream.made for stream in self.outputs.values())


def delivers(parts: Sequence[Part], random: Random | None = None) -> bool:
    """Run until nothing moves, in a hostile order with a ``random``; return whether all is delivered."""
    order = list(parts)
    while True:
        if random:
            random.shuffle(order)
        moved = False
        for part in order:
            turns = random.choice((0, 1, 1, 2, 1000)) if random else 1000
            while turns and part.step():
                turns -= 1
                moved = True
        # A part whose turn never came may still be able to move.
        if not moved and not any(part.step() for part in order):
            return all(part.done for part in parts)
