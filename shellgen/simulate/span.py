# SPDX-License-Identifier: BSD-3-Clause
"""Time span of a run in which waves are dumped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_CYCLES = re.compile(r"(\d{0,18}):(\d{0,18})")


@dataclass(frozen=True)
class Span:
    """A part of a run.

    Attributes:
        kind: ``window`` around what went wrong, ``all``, or ``cycles``.
        start: First cycle, counted from the start of the run that failed, or else of the first.
        end: Last one; 0 for all that follow.
    """

    kind: Literal["window", "all", "cycles"]
    start: int = 0
    end: int = 0


def parse_span(text: str) -> Span:
    """Read ``window``, ``all`` or ``START:END``.

    Raises:
        ValueError: The text has none of these forms.
    """
    if text == "window":
        return Span("window")
    if text == "all":
        return Span("all")
    match = _CYCLES.fullmatch(text)
    if match is None or not (match[1] or match[2]):
        raise ValueError("neither window, all nor START:END in cycles")
    start, end = int(match[1] or 0), int(match[2] or 0)
    if match[2] and end <= start:
        raise ValueError(f"cycle {end} does not come after cycle {start}")
    return Span("cycles", start, end)
