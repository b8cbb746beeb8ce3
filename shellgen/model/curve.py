# SPDX-License-Identifier: BSD-3-Clause
"""Need curves in plan.json: runs of equal rises, and repetitions of earlier runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shellgen.errors import InputError, Problem
from shellgen.model.base import Frozen

MOST_RUNS = 1 << 16  # of a curve; one with more is left out
MOST_CURVE_WORDS = 1 << 20
_LEAST_COPY = 3  # runs; a shorter repetition is not worth an entry


class Curve(Frozen):
    """Words of an input that each word of an output needs, in a frame.

    Attributes:
        steps: Each entry is ``(rise, words)``: the need of each of the next ``words`` output words is
            ``rise`` more than that of the word before; or ``(back, -runs)``: that many runs again, from
            ``back`` runs ago, as they come, so that ``back`` may be less than ``runs``.
    """

    steps: tuple[tuple[int, int], ...]

    def runs(self) -> Iterator[tuple[int, int]]:
        """Return the rise and the words of each run.

        Raises:
            InputError: An entry that repeats what does not exist, or too many runs.
        """
        found: list[tuple[int, int]] = []
        for rise, words in self.steps:
            if words >= 0:
                found.append((rise, words))
                continue
            if not 0 < rise <= len(found) or len(found) - words > MOST_RUNS:
                found_text = f"the entry ({rise}, {words}) repeats runs that are not there"
                raise InputError(Problem("plan.json: flows.curve", found_text, "Generate the folder again"))
            for _ in range(-words):
                found.append(found[-rise])
        return iter(found)

    @classmethod
    def of(cls, runs: Sequence[tuple[int, int]]) -> Curve | None:
        """Return the curve of some runs; None if there are too many."""
        if len(runs) > MOST_RUNS:
            return None
        steps: list[tuple[int, int]] = []
        seen: dict[tuple[tuple[int, int], ...], int] = {}
        at = 0
        while at < len(runs):
            key = tuple(runs[at : at + _LEAST_COPY])
            before = seen.get(key)
            count = 0
            if before is not None and len(key) == _LEAST_COPY:
                while at + count < len(runs) and runs[before + count] == runs[at + count]:
                    count += 1
            if before is None or count < _LEAST_COPY:
                steps.append(runs[at])
                count = 1
            else:
                steps.append((at - before, -count))
            for one in range(at, at + count):
                seen.setdefault(tuple(runs[one : one + _LEAST_COPY]), one)
            at += count
        return cls(steps=tuple(steps))
