# SPDX-License-Identifier: BSD-3-Clause
"""Columns of the table of parts, on the terminal and in report.html."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shellgen.estimate.servers import Server

UNDER_A_PERCENT = 0.01
LOAD = "load"


@dataclass(frozen=True)
class PartColumn:
    """A column.

    Attributes:
        title: Above it.
        text: Of a part, given the time of the limit.
        number: Whether it is set to the right.
    """

    title: str
    text: Callable[[Server, float], str]
    number: bool = False


def _load(part: Server, limit: float) -> str:
    load = part.seconds / limit
    return f"{load * 100:.0f} %" if load >= UNDER_A_PERCENT else "< 1 %"


PARTS = (
    PartColumn("part", lambda part, _: part.name),
    PartColumn("us/frame", lambda part, _: f"{part.seconds * 1e6:,.3f}", number=True),
    PartColumn(LOAD, _load, number=True),
    PartColumn("what takes it", lambda part, _: part.detail),
    PartColumn("by", lambda part, _: part.source),
)
