# SPDX-License-Identifier: BSD-3-Clause
"""Our own block designs without their scripts: from the record that the template is given, for rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from small_design import Block, SmallCatalogue, SmallIp

from shellgen.check.rules.base import RULES, Context, all_rules
from shellgen.emit.memory_map import memory_map
from shellgen.model import NodePlan, Plan
from shellgen.model.memory_map import MemoryMap
from shellgen.platforms.block_design import BlockDesign
from shellgen.platforms.zynq.design import block_design
from shellgen.platforms.zynq.scripts import project_of
from vivado_check.design import Cell, Setting
from vivado_check.ip.facts import Ip, IpPort, Parameter
from vivado_check.report import Message

# Of AXI DMA and the concatenation; PG021 and PG041.
DEFAULTS = {
    "c_include_sg": "1",
    "c_sg_length_width": "14",
    "c_addr_width": "32",
    "c_m_axis_mm2s_tdata_width": "32",
}


@dataclass
class Judged:
    """A block design, and the plan that it is held against."""

    plan: Plan
    node: NodePlan
    block: Block
    map: MemoryMap

    def judge(self, *rules: str) -> list[Message]:
        """Return what these rules say, all against the plan if none is named."""
        known = [one.name for one in all_rules() if one.name.startswith("plan-")]
        context = self.context()
        return [message for name in rules or known for message in RULES[name].judge(context)]

    def context(self) -> Context:
        plain = self.block.context()
        return Context(
            plain.recording, plain.catalogue, plain.folder, plain.design, self.node.name, self.plan, self.map
        )

    def rules(self) -> set[str]:
        return {message.rule for message in self.judge()}

    def cell(self, name: str) -> Cell:
        return self.block.design.cells[f"/{name}"]

    def set(self, cell: str, **config: str) -> None:
        self.cell(cell).config.update(
            {name: Setting(value, self.block.next()) for name, value in config.items()}
        )

    def rewire(self, old: str, new: str) -> None:
        """Connect what was connected to one pin or interface to another."""
        for nets in (self.block.design.nets, self.block.design.interface_nets):
            for net in nets.values():
                net.members = {
                    f"/{new}" if one == f"/{old}" else one: line for one, line in net.members.items()
                }

    def swap(self, one: str, other: str) -> None:
        self.rewire(one, "swapped/swapped")
        self.rewire(other, one)
        self.rewire("swapped/swapped", other)


def judged(plan: Plan) -> Judged:
    """Return the block design of the first node as its record says."""
    node = plan.nodes[0]
    design = block_design(plan, node)
    directions = {wire.source: "out" for wire in design.wires}
    directions |= {sink: "in" for wire in design.wires for sink in wire.sinks}
    block = Block()
    config = project_of(plan, node, ()).ps.config
    _cells(block, node, design, config)
    block.catalogue = SmallCatalogue(_facts(block, directions))
    for wire in design.wires:
        block.wire(*(f"/{pin}" for pin in (wire.source, *wire.sinks)))
    for bus in design.buses:
        block.bus(f"/{bus.master}", f"/{bus.slave}")
    for one in design.mappings:
        block.place(f"/{one.space}", f"/{one.segment.replace('*', 'Reg')}", one.offset, one.size)
    made = Judged(plan, node, block, memory_map(plan))
    if "/clk_wiz_0" in block.design.cells:  # as the script sets it, from what the PS gives
        mhz = node.compute.hz / 1e6
        asked = {"CLKOUT1_REQUESTED_OUT_FREQ": f"{mhz}", "CLKOUT2_REQUESTED_OUT_FREQ": f"{2 * mhz}"}
        made.set("clk_wiz_0", **asked)
    return made


def _cells(block: Block, node: NodePlan, design: BlockDesign, config: Mapping[str, str]) -> None:
    names = {"zynq_7000": "processing_system7", "zynq_us": "zynq_ultra_ps_e"}
    family = node.board.platform["zynq"]["family"]
    block.cell("/zynq_ps", f"xilinx.com:ip:{names[str(family)]}:1.0", "ip", **config)
    block.cell("/core_0", f"{node.name}_core", "module")
    for cell in design.cells:
        block.cell(f"/{cell.name}", f"xilinx.com:ip:{cell.ip}:1.0", "ip", **cell.config)


def _facts(block: Block, directions: Mapping[str, str]) -> dict[str, Ip]:
    """Return facts of as much as the wires of a design tell; cells of one IP have the pins of all."""
    ports: dict[str, dict[str, IpPort]] = {}
    for path, direction in directions.items():
        cell, _, name = path.partition("/")
        found = block.design.cells[f"/{cell}"]
        vlnv = found.vlnv or f"xilinx.com:module_ref:{found.reference}:1.0"
        ports.setdefault(vlnv, {})[name] = IpPort(name, direction)  # type: ignore[arg-type]
    parameters = tuple(Parameter(name, default=value) for name, value in DEFAULTS.items())
    return {vlnv: SmallIp(vlnv, (), tuple(found.values()), parameters) for vlnv, found in ports.items()}
