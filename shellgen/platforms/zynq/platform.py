# SPDX-License-Identifier: BSD-3-Clause
"""Zynq-7000 and Zynq UltraScale+: the core beside the PS, its streams on AXI DMAs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import ClassVar

from shellgen.counted import counted
from shellgen.errors import Problem
from shellgen.model import (
    Artifact,
    Board,
    BoardUsage,
    Clock,
    Dock,
    HostWindow,
    NodePlan,
    NodeSpec,
    Plan,
    RingPort,
    Script,
    Stage,
)
from shellgen.model.base import Frozen
from shellgen.model.hooks import Moment
from shellgen.platforms.base import Platform
from shellgen.platforms.block_design import PlannedDesign
from shellgen.platforms.constraints import constraint_text
from shellgen.platforms.docks import DesignPart, Source, design_parts, dock_constraints, dock_problems
from shellgen.platforms.hooks import hook_script
from shellgen.platforms.host_side import HostSide
from shellgen.platforms.rings import map_rings
from shellgen.platforms.settings import Choice, ToolSettings
from shellgen.platforms.sources import HEADERS, extension
from shellgen.platforms.zynq.build import zynq_stages
from shellgen.platforms.zynq.check import zynq_problems
from shellgen.platforms.zynq.cost import zynq_usage
from shellgen.platforms.zynq.design import CORE, block_design, design_nets, port_bus, port_wire
from shellgen.platforms.zynq.devicetree import device_tree
from shellgen.platforms.zynq.dma import memory_windows, wiring
from shellgen.platforms.zynq.facts import (
    DMA_LENGTH_BITS,
    KIND,
    MAX_MEMORY_MASTERS,
    MOST_RINGS,
    ZynqFacts,
    ZynqOptions,
    facts_of,
    options_of,
)
from shellgen.platforms.zynq.map import map_dmas
from shellgen.platforms.zynq.messages import fatal_messages
from shellgen.platforms.zynq.ps import WIDE_ADDRESS_BITS
from shellgen.platforms.zynq.scripts import project_of, ps_cell
from shellgen.platforms.zynq.strategy import STRATEGIES
from shellgen.render import render

# What edalize calls a source; the block-design script adds the data files.
EDAM_TYPES = {
    "v": "verilogSource",
    "sv": "systemVerilogSource",
    "vh": "verilogSource",
    "svh": "verilogSource",
}
SCRIPTS = ("build.tcl", "bd.tcl", "messages.tcl", "export.tcl")
# Hooks of runs, and what such a process sources before the scripts of the user.
HOOKS: dict[Moment, str] = {"synthesis": "messages.tcl", "bitstream": ""}


class Zynq(Platform):
    """One Vivado project per node, made by Tcl or by edalize from the same block-design script."""

    kind: ClassVar[str] = KIND
    Facts: ClassVar[type[Frozen]] = ZynqFacts
    Options: ClassVar[type[Frozen]] = ZynqOptions
    host_link: ClassVar[str] = "tcp_dma"
    about: ClassVar[str] = (
        "Zynq-7000 and Zynq UltraScale+: a Vivado block design of the core, the processing system and a DMA "
        "for each stream, as Tcl and for edalize"
    )
    needs: ClassVar[str] = "a board file with [platform.zynq]; Vivado 2020.1 to 2024.2 for the bitstream"

    def window(self, board: Board) -> HostWindow:
        """Return the part of the PS's general-purpose master window that the core may take."""
        facts = board.facts(self.kind, ZynqFacts)
        return HostWindow(base=facts.lite_base, bytes=facts.lite_bytes, bus="devmem")

    def clocks(self, board: Board, node: NodeSpec) -> tuple[Clock, ...]:
        """Return the PS's first clock and, if asked for, its second one for the partitions."""
        clocks = super().clocks(board, node)
        if node.compute_mhz is None:
            return clocks
        hz = round(node.compute_mhz * 1e6)
        return (*clocks, Clock(name="compute_aclk", reset="compute_aresetn", hz=hz))

    def docks(self, board: Board) -> dict[str, Dock]:
        """Return AXI DMAs behind one memory port: a slot for each master of its interconnect.

        Ethernet is wired to the processing system, so that only its programs reach other stations by UDP.
        """
        facts = board.facts(self.kind, ZynqFacts)
        return dict(facts.kept("docks", lambda: _docks(facts)))

    def ring_port(self, board: Board) -> RingPort:
        """Return a master beside the DMAs; bursts of 16 beats, as the AXI3 of a PS7 has them (UG585)."""
        facts = board.facts(self.kind, ZynqFacts)
        wide = bool(facts.ddr_high_bytes)
        addr_bits = WIDE_ADDRESS_BITS if wide else 32
        left = facts.ddr_bytes // 2  # to the system of the PS goes the other half
        return RingPort(bits=facts.hp_data_bits, addr_bits=addr_bits, burst=16, ports=MOST_RINGS, bytes=left)

    def host_ring_port(self, board: Board) -> RingPort:
        """Return the same: the board's server runs on its own PS."""
        return self.ring_port(board)

    def check(self, plan: Plan, node: NodePlan) -> list[Problem]:  # noqa: ARG002 - other platforms need it
        """Check that the PS, the DMAs and the windows can serve the core."""
        return [*zynq_problems(node), *dock_problems(self, node)]

    def advice(self, plan: Plan, node: NodePlan) -> list[str]:
        """Return a note if other boards' streams need an Ethernet port that the board does not have."""
        facts = facts_of(node)
        ends = (end for one in node.attachments if one.dock == "dma" for end in one.ends)
        own = {name for end in ends for name in end.carries}
        crossing = sum(
            one.name in own and None not in (one.producer, one.consumer) for one in plan.boundaries
        )
        if not crossing or facts.ethernet_bps is not None:
            return []
        streams = counted(crossing, "stream")
        found = f"{streams} from and to other boards, and as Ethernet {node.board.name} has {facts.ethernet}"
        return [f"node {node.name}: {found}; its rate is not known"]

    def usage(self, plan: Plan, node: NodePlan) -> BoardUsage:  # noqa: ARG002 - other platforms need it
        """Return what DMAs and interconnects take, as others have measured them."""
        return BoardUsage(around=node.kept("zynq usage", lambda: zynq_usage(node)))

    def artifacts(self, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
        """Return the block-design script, what runs it, and the EDAM file for edalize."""
        folder = f"{node.name}/vivado"
        project = project_of(plan, node, files, *self._docked(plan, node))

        def script(template: str) -> str:
            return render(f"platforms/zynq/{template}.j2", **vars(project))

        scripts = tuple(Artifact.text(f"{folder}/{name}", script(name)) for name in SCRIPTS)
        names = Artifact.text(f"{folder}/registers.xml", script("registers.xml"))
        settings = Artifact.text(f"{folder}/bitstream.xdc", script("bitstream.xdc"))
        edam = Artifact.text(f"{folder}/{node.name}.eda.json", _edam(node, files))
        overlay = device_tree(plan, node)
        more = (*((settings,) if project.options.compress else ()), *((overlay,) if overlay else ()))
        timing = (Artifact(f"{folder}/{name}", constraint_text(name)) for name in project.constraints)
        docked = [*project.dock_sources, *project.dock_constraints]
        texts = (Artifact.text(f"{folder}/{source.name}", source.text) for source in docked)
        return (*scripts, names, edam, *more, *timing, *texts, *_hooks(plan, node, folder))

    def _docked(self, plan: Plan, node: NodePlan) -> tuple[tuple[DesignPart, ...], tuple[Source, ...]]:
        """Return what docks of packages add: to the block design, and as constraints."""
        return design_parts(self, node, design_nets(plan, node)), dock_constraints(self, node)

    def stages(self, node: NodePlan) -> tuple[Stage, ...]:
        """Return one run of Vivado."""
        return zynq_stages(node)

    def designs(self, plan: Plan, node: NodePlan) -> tuple[PlannedDesign, ...]:
        """Return the design around the core."""
        design = block_design(plan, node, self._docked(plan, node)[0])
        made = PlannedDesign(
            name="top",
            cells=(ps_cell(node), *design.cells),
            modules={CORE: f"{node.name}_core", **dict(design.modules)},
            ports={one.name: one.config for one in design.ports}
            | {one.name: one.config for one in design.interfaces},
            interfaces={one.name: (one.vlnv, one.mode) for one in design.interfaces},
            wires=(*design.wires, *design.overrides, *map(port_wire, design.ports)),
            buses=(*design.buses, *design.monitors, *map(port_bus, design.interfaces)),
            mappings=design.mappings,
        )
        return (made,)

    def settings(self, node: NodePlan) -> ToolSettings:
        """Return compression, strategy, and the messages at which `messages.tcl` stops."""
        compressed = r"(?m)^set_property\s+BITSTREAM\.GENERAL\.COMPRESS\s+(\w+)"
        options = options_of(node)
        return ToolSettings(
            choices=(Choice("vivado/bitstream.xdc", compressed, "TRUE"),) if options.compress else (),
            runs=STRATEGIES[options.strategy],
            raised=tuple(fatal_messages(node)),
        )

    def scripts(self, node: NodePlan) -> tuple[Script, ...]:  # noqa: ARG002 - the same for every node
        """Return the script that sources all others."""
        return (Script(file="vivado/build.tcl"),)

    def host_side(self, node: NodePlan) -> HostSide:
        """Return the AXI DMAs, and their interrupt controller unless lines are direct or not connected."""
        return HostSide(
            dma=map_dmas(node),
            interrupt_controller=wiring(node).controller,
            rings=map_rings(node, memory_windows(node)),
        )


def _docks(facts: ZynqFacts) -> dict[str, Dock]:
    most = (1 << DMA_LENGTH_BITS) - 1
    bits, line = facts.hp_data_bits, facts.ethernet_bps
    dma = Dock(slots=MAX_MEMORY_MASTERS, bits=bits, transfer_bytes=most, line_bps=line)
    if line is None:
        return {"dma": dma}
    udp = Dock(bits=bits, line_bps=line, software=True, mtu=facts.ethernet_mtu)
    return {"dma": dma, "udp": udp, "tcp": Dock(bits=bits, line_bps=line, software=True)}


def _hooks(plan: Plan, node: NodePlan, folder: str) -> Iterator[Artifact]:
    """Yield the hooks of the runs that source scripts of the user."""
    options = options_of(node)
    for moment, first in HOOKS.items():
        if options.at(moment):
            yield hook_script(plan, node, f"{folder}/before_{moment}.tcl", moment, options, first=first)


def _edam(node: NodePlan, files: tuple[str, ...]) -> str:
    """Describe the node for edalize's Vivado flow, with a folder beside the scripts as work root.

    RTL comes before the script that makes the block design, which refers to the core by its module; the
    top is the wrapper that the script makes (docs/zynq.md).
    """
    entries: list[dict[str, str | bool]] = []
    for name in files:
        entry: dict[str, str | bool] = {"name": f"../../{name}"}
        entry["file_type"] = EDAM_TYPES.get(extension(name), "user")
        if extension(name) in HEADERS:
            entry["is_include_file"] = True
        entries.append(entry)
    entries.append({"name": "../bd.tcl", "file_type": "tclSource"})
    export = [
        "vivado",
        "-mode",
        "batch",
        "-notrace",
        "-source",
        "../export.tcl",
        "-tclargs",
        f"{node.name}.xpr",
    ]
    edam = {
        "name": node.name,
        "toplevel": "top_wrapper",
        "files": entries,
        # Otherwise edalize sets None after our script, and no module reference resolves any more.
        "flow_options": {"part": node.board.part, "source_mgmt_mode": "All"},
        "hooks": {"post_build": [{"name": "export", "cmd": export}]},
    }
    return json.dumps(edam, indent=1) + "\n"
