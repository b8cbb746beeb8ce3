# SPDX-License-Identifier: BSD-3-Clause
"""Progress output of builds: a line for each node, and a line for each event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from shellgen.build.outcome import Ran
from shellgen.progress import rows, step


class Told(Protocol):
    """The observable state of a node's build."""

    @property
    def name(self) -> str:
        """The node."""

    @property
    def ran(self) -> Sequence[Ran]:
        """Its stages."""


class Teller:
    """Reports the events since the last call."""

    def __init__(self) -> None:
        self._before: dict[tuple[str, str], str] = {}

    def tell(self, builds: Sequence[Told]) -> None:
        """Report the progress of the builds."""
        lines = _lines(builds)
        for build in builds:
            for ran in build.ran:
                key = (build.name, ran.stage)
                if self._before.setdefault(key, ran.result) != ran.result:
                    self._before[key] = ran.result
                    rows(lines, _news(build.name, ran))
        rows(lines)
        done = sum(ran.result in ("done", "before") for build in builds for ran in build.ran)
        step("building", f"{done} of {sum(len(build.ran) for build in builds)} stages done")


def _news(name: str, ran: Ran) -> str:
    if ran.result == "running":
        return f"{name} {ran.stage}: started"
    return f"{name} {ran.stage}: {ran.result} in {elapsed(ran.seconds)}, {_said(ran)}"


def _lines(builds: Sequence[Told]) -> list[str]:
    """Return a line for each node: its stage and phase."""
    cells = []
    for build in builds:
        ran = next((one for one in build.ran if one.result in ("running", "failed")), None)
        ran = ran or next((one for one in build.ran if one.result == "waiting"), build.ran[-1])
        what = ran.result if ran.result in ("done", "before", "failed") else ran.counts.phase
        what = what or ("" if ran.result == "running" else ran.result)
        cells.append((build.name, ran.stage, elapsed(ran.seconds), what, _said(ran)))
    widths = [max((len(row[column]) for row in cells), default=0) for column in range(4)]
    return [
        "  ".join(
            (
                row[0].ljust(widths[0]),
                row[1].ljust(widths[1]),
                row[2].rjust(widths[2]),
                row[3].ljust(widths[3]),
                row[4],
            )
        ).rstrip()
        for row in cells
    ]


def elapsed(seconds: float) -> str:
    """Return a duration as text: 0:05, 12:07, 3:15:00."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _said(ran: Ran) -> str:
    """Return the message counts as text: ``41 warnings, 2 critical``."""
    counts = ran.counts
    text = f"{counts.warnings} warning{'s' * (counts.warnings != 1)}"
    return f"{text}, {counts.critical} critical" if counts.critical else text
