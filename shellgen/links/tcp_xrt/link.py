# SPDX-License-Identifier: BSD-3-Clause
"""Board to card through both hosts: TCP between two programs, which move frames to and from their cores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shellgen.errors import PlanError, Problem
from shellgen.links.base import LINKS_FAULT, Link, Reach, Shape, Site
from shellgen.model import Attachment, Boundary, Dock

BYTE = 8


class TcpXrt(Link):
    """Programs are the ends at both boards: the cores have the links to their hosts, and nothing of this."""

    kind: ClassVar[str] = "tcp_xrt"
    dock: ClassVar[str] = "tcp"
    reach: ClassVar[frozenset[Reach]] = frozenset({"nodes"})
    by_programs: ClassVar[bool] = True
    whole_frames: ClassVar[bool] = True
    peer: ClassVar[str] = "a program"
    about: ClassVar[str] = (
        "between the programs of two boards or cards, which reach their cores by DMA, XRT or Coyote: TCP"
    )
    needs: ClassVar[str] = (
        "a Zynq board with Ethernet, an Alveo card with data movers, or one under Coyote, at each end"
    )
    fault: ClassVar[str] = "more came of a frame than it has"
    parameters: ClassVar[Mapping[str, int]] = {"latency": 16}
    pauses: ClassVar[Mapping[str, int]] = {"latency": 1}

    def shape(self, dock: Dock, word_bits: int, frame_bits: int) -> Shape:  # noqa: ARG002 - no core has its beats
        """Return the bytes of a frame, as the connection carries them."""
        return Shape.of(BYTE, frame_bits)

    def check(self, boundary: Boundary, docks: tuple[Dock, ...]) -> list[Problem]:  # noqa: ARG002 - TCP carries all
        """Return nothing: the links between cores and programs have the limits."""
        return []

    def program_problems(self, site: Site) -> list[Problem]:  # noqa: ARG002 - a command line has the addresses
        """Return nothing: the command lines of the programs have one another's addresses."""
        return []

    def attach(self, site: Site) -> tuple[Attachment, ...]:
        """Refuse: a platform that offers its dock in hardware is wrong."""
        found = f"dock {self.dock!r} is no program there"
        raise PlanError(Problem(f"node {site.node}", found, LINKS_FAULT))
