# SPDX-License-Identifier: BSD-3-Clause
"""The table of a run that goes on: what each node has moved, and the last note."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from shellgen.progress import rows, step

_SPANS = 20
_PAUSE = 0.2  # seconds between two tables
_COLUMNS = (("received", "received"), ("made", "put out"), ("waiting", "waiting"), ("unsent", "unsent"))


def spans(numbers: Iterable[int]) -> str:
    """Return ascending numbers as text, those that follow one another as FIRST-LAST; only the first spans."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    said = [str(first) if first == last else f"{first}-{last}" for first, last in found[:_SPANS]]
    return ", ".join([*said, f"and {len(found) - _SPANS} more places"] if len(found) > _SPANS else said)


class Table:
    """Shows the progress of a run.

    Args:
        count: Frames of the run.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._shown = 0.0
        self._since = time.monotonic()
        self._before = 0
        self._rate = 0.0
        self._notes = 0
        self._last = ""

    def noted(self, note: str) -> None:
        """Take a note of the client: what broke and was repaired, or who holds frames back."""
        self._notes += 1
        self._last = note

    def show(self, done: int, states: Mapping[str, Mapping[str, int]]) -> None:
        """Show how far the run is, at most some times per second.

        Args:
            done: Frames with an answer.
            states: Counters of each node, as it has reported them last.
        """
        step("frames", f"{done} of {self._count}")
        now = time.monotonic()
        if not states or now - self._shown < _PAUSE:
            return
        self._shown = now
        if now - self._since >= 1.0 or not self._rate:
            self._rate = (done - self._before) / max(now - self._since, 1e-3)
            self._since, self._before = now, done
        rows(self.lines(states))

    def lines(self, states: Mapping[str, Mapping[str, int]]) -> list[str]:
        """Return the table."""
        width = max([4, *map(len, states)])
        lines = [f"{'node':{width}}" + "".join(f"{title:>12}" for _, title in _COLUMNS)]
        lines += [
            f"{name:{width}}" + "".join(f"{state.get(key, 0):>12}" for key, _ in _COLUMNS)
            for name, state in states.items()
        ]
        lines.append(f"{self._rate:.1f} frames/s; notes: {self._notes}")
        return [*lines, f"last: {self._last}"] if self._last else lines
