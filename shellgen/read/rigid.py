# SPDX-License-Identifier: BSD-3-Clause
"""Pipelines without a queue, whose stages stall together, and when their words leave them.

While the word at the end of such a pipeline waits for the next layer, no step enters it and nothing in it
moves on, so that the gaps between its words stay there.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Rigid:
    """A pipeline by its sequences of events.

    Attributes:
        steps: Number of the sequence of the steps that enter it.
        leave: Number of the sequence of the words that leave it.
        last: For each word of a frame, the step that completes it, counted from 0.
        stages: Cycles from a step to the end of the pipeline.
    """

    steps: int
    leave: int
    last: NDArray[np.int64]
    stages: int

    @cached_property
    def listed(self) -> list[int]:
        """The steps as Python's numbers."""
        return [int(one) for one in self.last]


class Pipeline:
    """When the words of a pipeline are at its end, and when they leave.

    `steps` and `leave` are the times of its sequences, `known` says how many times of a sequence there are.
    """

    def __init__(self, rigid: Rigid, times: Sequence[array[int]], known: Sequence[int], steps: int) -> None:
        """Prepare it; ``steps`` is the number of steps of a frame."""
        self._rigid, self._known, self._each = rigid, known, steps
        self._steps, self._leave = times[rigid.steps], times[rigid.leave]
        self._there: list[int] = []  # when each word is at the end
        self._past: dict[int, int] = {}  # by sequence: words that left before its last event

    def there(self, word: int) -> int | None:
        """Return the cycle in which a word is at the end; None, if its last step is not known.

        The words before it must have left, as far as it is known.
        """
        if word < len(self._there):
            return self._there[word]
        frame, place = divmod(word, len(self._rigid.listed))
        step = frame * self._each + self._rigid.listed[place]
        if step >= self._known[self._rigid.steps]:
            return None
        begun = self._steps[step]
        found = begun + self._rigid.stages
        for before in range(max(0, word - self._rigid.stages), word):
            if self._there[before] > begun:  # it was in the pipeline, which stalled
                found += self._leave[before] - self._there[before]
        self._there.append(found)
        return found

    def enter(self, sequence: int, cycle: int) -> int | None:
        """Return the first cycle from this one on in which a step enters; None, if that is not known yet."""
        word = self._past.get(sequence, 0)
        while True:
            if word < self._known[self._rigid.leave]:
                if self._leave[word] > cycle:
                    if self._there[word] > cycle:
                        break
                    cycle = self._leave[word]
                word += 1
                continue
            there = self.there(word)
            if there is None or there > cycle:
                break
            return None
        self._past[sequence] = word
        return cycle
