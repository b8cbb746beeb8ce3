# SPDX-License-Identifier: BSD-3-Clause
"""Boards in a crate: a port for packets on each, and a host that makes accesses of 64 bits."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from shellgen.errors import Problem
from shellgen.model import Artifact, Board, Dock, HostWindow, NodePlan, Plan
from shellgen.model.base import Frozen
from shellgen.platforms import Platform
from shellgen.platforms.host_side import HostSide
from shellgen.render import render


class CrateFacts(Frozen):
    """Facts of a board in its crate.

    Attributes:
        base: Where the host sees the core.
        lane_bits: Width of the port.
    """

    base: int = Field(ge=0)
    lane_bits: int = Field(ge=8)


class Crate(Platform):
    """A list of sources, for whatever builds them."""

    kind: ClassVar[str] = "crate"
    Facts: ClassVar[type[Frozen]] = CrateFacts
    host_link: ClassVar[str] = "tcp_dma"
    about: ClassVar[str] = "boards in a crate: a list of sources"
    needs: ClassVar[str] = "a board file with [platform.crate]"

    def window(self, board: Board) -> HostWindow:
        """Return 64 KiB, in which a register takes 8 bytes."""
        return HostWindow(base=self._facts(board).base, bytes=0x1_0000, slot=8, bus="crate")

    def docks(self, board: Board) -> dict[str, Dock]:
        """Return one port, and as many DMAs as there are streams."""
        return {"lane": Dock(slots=16, bits=self._facts(board).lane_bits), "dma": Dock(bits=64)}

    def host_side(self, node: NodePlan) -> HostSide:  # noqa: ARG002 - the same for every board
        """Return the module that reaches a board through the backplane."""
        return HostSide(driver=("shellgen_bus_crate.py",))

    def check(self, plan: Plan, node: NodePlan) -> list[Problem]:  # noqa: ARG002 - the platform's interface
        """Accept everything."""
        return []

    def artifacts(self, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
        """Return the list."""
        text = render("platforms/crate/sources.f.j2", generator=plan.generator, node=node, files=files)
        return (Artifact.text(f"{node.name}/crate/sources.f", text),)

    def _facts(self, board: Board) -> CrateFacts:
        return board.facts(self.kind, CrateFacts)
