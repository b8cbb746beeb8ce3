# SPDX-License-Identifier: BSD-3-Clause
"""Interface of a platform: the board project around a node's core."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from shellgen.errors import Problem
from shellgen.model import (
    Artifact,
    Board,
    BoardUsage,
    Clock,
    Dock,
    HostWindow,
    MemoryPort,
    NodePlan,
    NodeSpec,
    Plan,
    RingPort,
    Script,
    Stage,
)
from shellgen.model.base import Frozen, NoOptions
from shellgen.model.plain import JsonObject
from shellgen.platforms.block_design import PlannedDesign
from shellgen.platforms.commands import Commands
from shellgen.platforms.host_side import HostSide
from shellgen.platforms.settings import ToolSettings


class Platform(ABC):
    """The way from a core to a bitstream on one family of boards; no code outside the class tests for a kind.

    Attributes:
        kind: The word after ``platform.`` in a board file.
        Facts: What it must know of a board: the table ``[platform.<kind>]`` of the board's file.
        Options: What cluster.toml can ask of it for a node: the table ``[node.options.<kind>]``. None of it
            changes the core, so it is not in the build id; what does is in `clocks` and `window`.
        host_link: Kind of the link that joins a core to its host.
        direct_bytes: Bytes of the host's window up to which memories have addresses of their own, unless
            cluster.toml says otherwise; more of them lie behind a bridge. None: no limit but the window.
        whole_window: Whether accesses anywhere in the host's window reach the core, which must then answer
            them all; elsewhere only those to its map do.
        around: What `usage` tells of, for the table of what fills a board.
        about: What it is, in a sentence; for `shellgen list platforms`, as the next one.
        needs: What it takes to build.
    """

    kind: ClassVar[str]
    Facts: ClassVar[type[Frozen]]
    Options: ClassVar[type[Frozen]] = NoOptions
    host_link: ClassVar[str]
    direct_bytes: ClassVar[int | None] = None
    whole_window: ClassVar[bool] = False
    around: ClassVar[str] = "DMA and interconnect"
    about: ClassVar[str] = ""
    needs: ClassVar[str] = ""

    @abstractmethod
    def window(self, board: Board) -> HostWindow:
        """Return where the host finds the core's registers."""

    def clocks(self, board: Board, node: NodeSpec) -> tuple[Clock, ...]:
        """Return the clocks of a core, that of its ports first; `check` says which cannot be had."""
        hz = board.clock_hz if node.clock_mhz is None else round(node.clock_mhz * 1e6)
        return (Clock(name="aclk", reset="aresetn", hz=hz),)

    def clock_near(self, hz: int) -> int:
        """Return the clock next to this one, and no faster, that cluster.toml can ask for."""
        return hz

    @abstractmethod
    def docks(self, board: Board) -> dict[str, Dock]:
        """Return what it offers to links, by the name of the contract."""

    def ring_port(self, board: Board) -> RingPort | None:  # noqa: ARG002 - a platform may have no memory
        """Return what it offers to a core that keeps streams in the memory of the board."""
        return None

    def host_ring_port(self, board: Board) -> RingPort | None:  # noqa: ARG002 - as above
        """Return the same of the memory of the machine that a board's server or host program runs on."""
        return None

    def spills(self, docks: frozenset[str], options: JsonObject) -> bool:  # noqa: ARG002 - most always do
        """Tell whether a stream may be kept in memory although cluster.toml does not ask for it.

        Args:
            docks: What the links of a node take.
            options: Of the node.
        """
        return True

    def memory_at(self, node: NodePlan, port: MemoryPort) -> str:  # noqa: ARG002 - most have one for all
        """Return the name of the memory behind a port of a core; ports at one memory share what it moves."""
        return "memory"

    @abstractmethod
    def check(self, plan: Plan, node: NodePlan) -> list[Problem]:
        """Return every reason why this node cannot be built on its board."""

    def advice(self, plan: Plan, node: NodePlan) -> list[str]:  # noqa: ARG002 - a platform may have none
        """Return a sentence for each decision about a checked node that costs more than one would guess."""
        return []

    @abstractmethod
    def artifacts(self, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
        """Return the board project.

        Args:
            plan: The whole plan.
            node: The node to build; `check` found nothing.
            files: The core and all its sources, relative to the node's folder, in the order in which
                a compiler must read them.
        """

    def stages(self, node: NodePlan) -> tuple[Stage, ...]:  # noqa: ARG002 - a platform may leave it to the user
        """Return the vendor builds that make the node's bitstream, in order, for `shellgen build`."""
        return ()

    def scripts(self, node: NodePlan) -> tuple[Script, ...]:  # noqa: ARG002 - a platform may write no Tcl
        """Return the scripts that Vivado is given, in order, for `shellgen check`."""
        return ()

    def designs(self, plan: Plan, node: NodePlan) -> tuple[PlannedDesign, ...]:  # noqa: ARG002 - as above
        """Return what the scripts make of block designs, for `shellgen check` to compare with."""
        return ()

    def commands(self, node: NodePlan) -> Commands:  # noqa: ARG002 - a platform may have no Makefile
        """Return what the node's Makefile runs, for `shellgen check`."""
        return Commands()

    def settings(self, node: NodePlan) -> ToolSettings:  # noqa: ARG002 - a platform may have none
        """Return what the scripts set in Vivado, for `shellgen check`."""
        return ToolSettings()

    def host_side(self, node: NodePlan) -> HostSide:  # noqa: ARG002 - a core may have registers only
        """Return what a host program works with beside the core's registers."""
        return HostSide()

    def usage(self, plan: Plan, node: NodePlan) -> BoardUsage:  # noqa: ARG002 - a platform may not know
        """Return the resources of the project around the core of a checked node."""
        return BoardUsage()

    def core_region(self, node: NodePlan) -> int:  # noqa: ARG002 - a platform may have none
        """Return the number of the region that the core takes room in, if its partitions are in several."""
        return 0
