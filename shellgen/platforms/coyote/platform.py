# SPDX-License-Identifier: BSD-3-Clause
"""Alveo cards with Coyote: the core as the user logic of a vFPGA."""

from __future__ import annotations

from typing import Any, ClassVar

from shellgen.errors import Problem
from shellgen.model import (
    Artifact,
    Board,
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
from shellgen.model.base import Frozen
from shellgen.model.plain import JsonObject
from shellgen.platforms.base import Platform
from shellgen.platforms.block_design import PlannedDesign
from shellgen.platforms.commands import Commands
from shellgen.platforms.coyote.build import clone_stage, core_stage
from shellgen.platforms.coyote.check import coyote_advice, coyote_problems
from shellgen.platforms.coyote.core import core_artifacts
from shellgen.platforms.coyote.facts import (
    ADDRESS_BITS,
    CARD_LATENCY,
    CLOCK_HZ,
    HOST_BYTES_PER_S,
    HOST_LATENCY,
    KIND,
    LINE_BPS,
    MEMORY_BYTES_PER_S,
    MOST_RINGS,
    RING_BURST,
    RING_STAGE,
    SLOT_BYTES,
    STREAM_BITS,
    TRANSFER_BYTES,
    WINDOW_BYTES,
    CoyoteFacts,
    CoyoteOptions,
    facts_of,
)
from shellgen.platforms.coyote.map import map_banks, map_channels, map_vfpga
from shellgen.platforms.coyote.streams import DOCK, ENGINE
from shellgen.platforms.coyote.versions import version_of
from shellgen.platforms.host_side import HostSide
from shellgen.platforms.rings import map_rings
from shellgen.platforms.settings import ToolSettings

_RING: dict[str, Any] = {
    "bits": STREAM_BITS,
    "addr_bits": ADDRESS_BITS,
    "burst": RING_BURST,
    "stage": RING_STAGE,
    "ports": MOST_RINGS,
    "requests": True,
}


class Coyote(Platform):
    """One vFPGA per node. Host streams are Coyote's own; between nodes there is ACCL's engine, in v1."""

    kind: ClassVar[str] = KIND
    Facts: ClassVar[type[Frozen]] = CoyoteFacts
    Options: ClassVar[type[Frozen]] = CoyoteOptions
    host_link: ClassVar[str] = "coyote_stream"
    direct_bytes: ClassVar[int | None] = WINDOW_BYTES
    whole_window: ClassVar[bool] = True
    around: ClassVar[str] = "Coyote"
    about: ClassVar[str] = "Alveo cards: the core as user logic of ETH's Coyote, with ACCL between cards"
    needs: ClassVar[str] = "a board file with [platform.coyote]; Coyote, Vivado and Vitis HLS"

    def window(self, board: Board) -> HostWindow:  # noqa: ARG002 - the same on every card
        """Return the user's window of a vFPGA; the host's addresses begin at 0 in each of them."""
        return HostWindow(base=0, bytes=WINDOW_BYTES, slot=SLOT_BYTES, bus=KIND)

    def clocks(self, board: Board, node: NodeSpec) -> tuple[Clock, ...]:
        """Return Coyote's own clock, whatever the card has elsewhere, or what cluster.toml asks for."""
        return super().clocks(board.model_copy(update={"clock_hz": CLOCK_HZ}), node)

    def clock_near(self, hz: int) -> int:
        """Return whole MHz, in which Coyote counts."""
        return hz // 1_000_000 * 1_000_000

    def docks(self, board: Board) -> dict[str, Dock]:  # noqa: ARG002 - the same on every card
        """Return host streams, of which `check` knows how many a version has, ACCL's engine, the program."""
        return {
            DOCK: Dock(bits=STREAM_BITS, transfer_bytes=TRANSFER_BYTES),
            ENGINE: Dock(bits=STREAM_BITS, line_bps=LINE_BPS),
            "tcp": Dock(bits=STREAM_BITS, software=True),
        }

    def ring_port(self, board: Board) -> RingPort | None:
        """Return requests to the card's memory, which v2 has."""
        facts = board.facts(self.kind, CoyoteFacts)
        if "v2" not in facts.versions:
            return None
        return RingPort(**_RING, latency=CARD_LATENCY, bytes_per_s=MEMORY_BYTES_PER_S[facts.memory])

    def host_ring_port(self, board: Board) -> RingPort | None:
        """Return requests to the memory of the program of the host."""
        if "v2" not in board.facts(self.kind, CoyoteFacts).versions:
            return None
        return RingPort(**_RING, latency=HOST_LATENCY, bytes_per_s=HOST_BYTES_PER_S, host=True)

    def spills(self, docks: frozenset[str], options: JsonObject) -> bool:
        """Tell whether the node is one of v2."""
        return ENGINE not in docks and options.get("version") != "v1"

    def memory_at(self, node: NodePlan, port: MemoryPort) -> str:
        """Return the port of HBM that a ring has to itself, the DDR of all, or the host's memory."""
        if port.host:
            return "memory of the host"
        return f"HBM of {port.name}" if facts_of(node).memory == "HBM" else "DDR"

    def check(self, plan: Plan, node: NodePlan) -> list[Problem]:
        """Check that the version has what the core needs, and that the vFPGA exists."""
        return coyote_problems(plan, node)

    def advice(self, plan: Plan, node: NodePlan) -> list[str]:  # noqa: ARG002 - other platforms need it
        """Return what the clock will be instead of what was asked for."""
        return coyote_advice(node)

    def stages(self, node: NodePlan) -> tuple[Stage, ...]:
        """Return the targets of the Makefile: a look at the clone, the core, then Coyote around it."""
        stages = version_of(node).stages(node)
        return (clone_stage(stages[-1].settings), core_stage(), *stages)

    def scripts(self, node: NodePlan) -> tuple[Script, ...]:
        """Return the script that packages the core, and what runs in Coyote's project."""
        return (Script(file=f"{KIND}/package.tcl"), *version_of(node).scripts(node))

    def designs(self, plan: Plan, node: NodePlan) -> tuple[PlannedDesign, ...]:  # noqa: ARG002 - a hook of all platforms
        """Return what the version's scripts make."""
        return version_of(node).designs(node)

    def commands(self, node: NodePlan) -> Commands:
        """Return what the version's Makefile runs."""
        return version_of(node).commands(node)

    def settings(self, node: NodePlan) -> ToolSettings:
        """Return what the version's scripts set."""
        return version_of(node).settings(node)

    def host_side(self, node: NodePlan) -> HostSide:
        """Return the host streams that the core takes, its rings, the version of Coyote, and the vFPGA."""
        return HostSide(
            channels=map_channels(node), vfpga=map_vfpga(node), rings=map_rings(node, (), map_banks(node))
        )

    def artifacts(self, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
        """Return what packages the core, and the application around it."""
        return (*core_artifacts(plan, node, files), *version_of(node).artifacts(plan, node, files))
