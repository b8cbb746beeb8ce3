# SPDX-License-Identifier: BSD-3-Clause
"""Variables of the script templates of a Zynq node's project."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.model import Board, NodePlan, Plan
from shellgen.model.memory_map import MapRegister
from shellgen.platforms.block_design import BlockDesign, Cell
from shellgen.platforms.constraints import constraints
from shellgen.platforms.docks import DesignPart, Source
from shellgen.platforms.sources import Sources, sort_sources
from shellgen.platforms.zynq.design import CLOCK_WIZARD, CORE, block_design
from shellgen.platforms.zynq.dma import dmas, memory_port, reaches_high, wiring
from shellgen.platforms.zynq.facts import (
    ZynqFacts,
    ZynqOptions,
    facts_of,
    options_of,
)
from shellgen.platforms.zynq.interrupts import processing_system
from shellgen.platforms.zynq.messages import fatal_messages
from shellgen.platforms.zynq.packaged import PackagedPartition, packaged_partitions
from shellgen.platforms.zynq.ps import CELL as PS
from shellgen.platforms.zynq.ps import ProcessingSystem
from shellgen.platforms.zynq.strategy import STRATEGIES
from shellgen.registers import map_block


@dataclass(frozen=True)
class AskedClock:
    """A clock of the PS.

    Attributes:
        pin: Of the PS.
        about: What runs on it.
        field: What asks for its frequency in cluster.toml.
        hz: That frequency.
    """

    pin: str
    about: str
    field: str
    hz: int

    @property
    def tolerance_hz(self) -> int:
        """Permitted deviation of the PS clock."""
        return self.hz // 10


@dataclass(frozen=True)
class Project:
    """The answers that the scripts of a project need.

    Attributes:
        plan: For what made it.
        node: The node.
        board: Its board.
        facts: What the board says of its PS.
        options: What the user asks of Vivado.
        system: The PS.
        ps: Its cell.
        core: Cell of the core.
        clocks: The clocks of the PS.
        doubled: That of which a wizard makes one of twice the frequency.
        constraints: Timing of the crossings between clocks: files beside the scripts.
        design: Cells, wires, buses and addresses of the block design.
        wizard: Cell of the clock wizard, where there is one.
        strategy: Properties of the runs: run, name, value.
        messages: Messages that must not be there, by their ID, and what each means.
        packaged: Partitions that may be in the catalogue already.
        registers: The core's own: name, offset, and what it is.
        lost: Layers whose weights are lost.
        double_clock: Whether there is a clock of twice the frequency.
        sources: The files, by their file types in Vivado.
    """

    plan: Plan
    node: NodePlan
    board: Board
    facts: ZynqFacts
    options: ZynqOptions
    system: ProcessingSystem
    ps: Cell
    core: str
    clocks: list[AskedClock]
    doubled: str
    constraints: list[str]
    design: BlockDesign
    wizard: str
    strategy: tuple[tuple[str, str, str], ...]
    messages: dict[str, str]
    packaged: tuple[PackagedPartition, ...]
    registers: tuple[tuple[str, int, MapRegister], ...]
    lost: list[str]
    double_clock: bool
    sources: Sources
    dock_sources: list[Source]
    dock_constraints: list[Source]


def project_of(
    plan: Plan,
    node: NodePlan,
    files: tuple[str, ...],
    parts: tuple[DesignPart, ...] = (),
    more: tuple[Source, ...] = (),
) -> Project:
    """Decide all that the scripts need, for a project of these files."""
    system, options = processing_system(node), options_of(node)
    return Project(
        plan=plan,
        node=node,
        board=node.board,
        facts=facts_of(node),
        options=options,
        system=system,
        ps=ps_cell(node),
        core=CORE,
        clocks=_clocks(node),
        doubled=system.compute_clock if node.apart else system.clock,
        constraints=constraints(files),
        design=block_design(plan, node, parts),
        dock_sources=[source for part in parts for source in part.sources],
        dock_constraints=list(more),
        wizard=CLOCK_WIZARD,
        strategy=STRATEGIES[options.strategy],
        messages=fatal_messages(node),
        packaged=packaged_partitions(plan, node),
        registers=_named_registers(node),
        lost=[layer for name in node.partitions for layer in plan.partition(name).lost_weights],
        double_clock=any(plan.partition(name).clock2x for name in node.partitions),
        sources=sort_sources(files),
    )


def _clocks(node: NodePlan) -> list[AskedClock]:
    system = processing_system(node)
    clocks = [AskedClock(system.clock, "clock", "clock_mhz", node.clock_hz)]
    if node.apart:
        about = "clock of the partitions"
        clocks.append(AskedClock(system.compute_clock, about, "compute_mhz", node.compute.hz))
    return clocks


def ps_cell(node: NodePlan) -> Cell:
    """Return the cell of the PS with all its parameters."""
    system, irq = processing_system(node), bool(wiring(node).pins)
    own = facts_of(node).ps_config
    clocks = [clock.hz for clock in node.clocks]
    port = memory_port(node) if dmas(node) or node.memory_ports else None
    high = port is not None and reaches_high(node)
    return Cell(PS, system.ip, system.settings(clocks, port, irq, high, own))


def _named_registers(node: NodePlan) -> tuple[tuple[str, int, MapRegister], ...]:
    """Return name, offset and meaning of the core's own registers; of several alike, k is ``<name>_<k>``."""
    status = map_block(node, node.status)
    return tuple(
        (name, status.base - node.lite_base + offset, register)
        for register in status.registers
        for name, offset in register.elements
    )
