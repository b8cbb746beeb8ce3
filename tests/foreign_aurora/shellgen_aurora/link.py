# SPDX-License-Identifier: BSD-3-Clause
"""One stream in each direction over one lane of Aurora 64B/66B, a frame being a packet."""

from __future__ import annotations

from typing import ClassVar

from shellgen.errors import Problem
from shellgen.links import Link, Shape, Site
from shellgen.links.base import Reach
from shellgen.model import Attachment, Boundary, Dock, End, Pin


def _pin(end: End) -> str:
    return f"{'s' if end.direction == 'in' else 'm'}_aurora"


class Aurora(Link):
    """The dock has one lane: a stream may come in and another may leave."""

    kind: ClassVar[str] = "aurora"
    dock: ClassVar[str] = "aurora"
    reach: ClassVar[frozenset[Reach]] = frozenset({"nodes"})
    together: ClassVar[bool] = True
    peer: ClassVar[str] = "the lane"
    about: ClassVar[str] = "Aurora 64B/66B on one lane, with flow control"
    needs: ClassVar[str] = "a board file with a table docks.aurora"

    def shape(self, dock: Dock, word_bits: int, frame_bits: int) -> Shape:  # noqa: ARG002 - words do not matter
        """Fill beats as wide as the lane's user interface."""
        return Shape.of(dock.bits, frame_bits)

    def check(self, boundary: Boundary, docks: tuple[Dock, ...]) -> list[Problem]:  # noqa: ARG002 - all are alike
        """Accept everything."""
        return []

    def attach(self, site: Site) -> tuple[Attachment, ...]:
        """Give each end a pin of its own."""
        ends = tuple(end.model_copy(update={"counted": _pin(end)}) for end in site.ends)
        pins = tuple(
            Pin(
                name=_pin(end),
                role="rx" if end.direction == "in" else "tx",
                direction=end.direction,
                tdata_bits=site.dock.bits,
                stream=end.stream,
            )
            for end in ends
        )
        return (Attachment(name="aurora", link=self.kind, dock=self.dock, pins=pins, ends=ends),)
