# SPDX-License-Identifier: BSD-3-Clause
"""The block design around a Zynq node's core: one AXI DMA per pair of streams, one per weights stream."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.model import NodePlan, Plan
from shellgen.platforms.block_design import (
    BlockDesign,
    Bus,
    Cell,
    ExternalInterface,
    ExternalPort,
    Mapping,
    Wire,
)
from shellgen.platforms.docks import DesignNets, DesignPart
from shellgen.platforms.zynq.dma import Dma, dmas, memory_port, memory_windows, reaches_high, wiring
from shellgen.platforms.zynq.facts import DMA_LENGTH_BITS, DMA_STRIDE, facts_of
from shellgen.platforms.zynq.ila import ILA, ila_cell
from shellgen.platforms.zynq.interrupts import INTC, InterruptWiring, processing_system
from shellgen.platforms.zynq.ps import CELL as PS
from shellgen.platforms.zynq.ps import WIDE_ADDRESS_BITS, MemoryPort, ProcessingSystem

CORE = "core_0"
LITE = "lite_interconnect"
MEMORY = "memory_interconnect"
RESET = "proc_sys_reset_0"
COMPUTE_RESET = "proc_sys_reset_1"  # where partitions have a clock of their own
CLOCK_WIZARD = "clk_wiz_0"


@dataclass(frozen=True)
class _Parts:
    """Parts of the block design.

    Attributes:
        node: The node.
        system: Names of its PS.
        port: Where memory is reached.
        engines: The DMAs.
        lines: Their interrupts.
        double: Whether a layer wants a second clock of twice the frequency.
    """

    node: NodePlan
    system: ProcessingSystem
    port: MemoryPort
    engines: tuple[Dma, ...]
    lines: InterruptWiring
    double: bool

    @property
    def slaves(self) -> tuple[str, ...]:
        """Slaves on the register interconnect, in the order of its ports."""
        found = (f"{CORE}/s_axil", *(f"{dma.name}/S_AXI_LITE" for dma in self.engines))
        return (*found, f"{INTC}/s_axi") if self.lines.controller else found

    @property
    def masters(self) -> tuple[str, ...]:
        """Masters on the memory interconnect, in the order of its ports."""
        found = (f"{dma.name}/M_AXI_{name.upper()}" for dma in self.engines for name in dma.masters)
        return (*found, *(f"{CORE}/{port.name}" for port in self.node.memory_ports))

    @property
    def spaces(self) -> tuple[str, ...]:
        """Address spaces of these masters."""
        found = (f"{dma.name}/Data_{name.upper()}" for dma in self.engines for name in dma.masters)
        # Of what is packaged or refers to a module, Vivado names the space by the interface.
        return (*found, *(f"{CORE}/{port.name}" for port in self.node.memory_ports))

    @property
    def ddr(self) -> tuple[str, ...]:
        """Segments that they use, the low one first."""
        names = (self.port.low, self.port.high) if reaches_high(self.node) else (self.port.low,)
        return tuple(f"{PS}/{self.port.segments}/{name}" for name in names)


def design_nets(plan: Plan, node: NodePlan) -> DesignNets:
    """Return what docks of packages may connect to; the PS's clock runs before any PLL locks."""
    free = f"{PS}/{processing_system(node).clock}"
    double = any(plan.partition(name).clock2x for name in node.partitions)
    clock = f"{CLOCK_WIZARD}/clk_out1" if double and not node.apart else free
    resets = (f"{RESET}/peripheral_aresetn", f"{RESET}/peripheral_reset")
    return DesignNets(CORE, clock, free, node.clock_hz, *resets)


def port_wire(port: ExternalPort) -> Wire:
    """Return the net of an external port."""
    return Wire(port.name, (port.pin,)) if port.direction == "I" else Wire(port.pin, (port.name,))


def port_bus(port: ExternalInterface) -> Bus:
    """Return the connection of an external interface: beats come from a slave, and go to a master."""
    return Bus(port.interface, port.name) if port.mode == "Master" else Bus(port.name, port.interface)


def block_design(plan: Plan, node: NodePlan, docked: tuple[DesignPart, ...] = ()) -> BlockDesign:
    """Decide every cell, net, bus and address of a node.

    Both interconnects are axi_interconnect: on an XC7Z020 a smartconnect for the memory path alone takes
    7.4 % of the LUTs. They also turn the DMA's AXI4 into the AXI3 of PS7.
    """
    double = any(plan.partition(name).clock2x for name in node.partitions)
    port = memory_port(node)
    parts = _Parts(node, processing_system(node), port, dmas(node), wiring(node), double)
    ila, monitors = ila_cell(node, CORE) or (None, ())
    coherent = _coherence(port) if parts.masters else ()
    return BlockDesign(
        cells=(
            *_cells(parts),
            *parts.lines.cells,
            *(cell for cell, _ in coherent),
            *((ila,) if ila else ()),
            *(cell for part in docked for cell in part.cells),
        ),
        wires=(*_wires(parts, bool(ila)), *parts.lines.wires, *(w for part in docked for w in part.wires)),
        buses=(*_buses(parts), *(bus for part in docked for bus in part.buses)),
        monitors=monitors,
        overrides=tuple(wire for _, wire in coherent),
        mappings=(*_mappings(parts), *(one for part in docked for one in part.mappings)),
        modules=tuple(one for part in docked for one in part.modules),
        ports=tuple(one for part in docked for one in part.ports),
        interfaces=tuple(one for part in docked for one in part.interfaces),
        excluded=tuple((space, f"{PS}/{port.segments}/*", parts.ddr) for space in parts.spaces),
    )


def _coherence(port: MemoryPort) -> tuple[tuple[Cell, Wire], ...]:
    """Return what makes accesses through a port look into the caches; AXI DMA itself does not ask for it.

    Write-back and allocate for reads and writes; not secure, as all memory of a Linux is.

    Source: UG1085, APU coherent interfaces; AMD's answer record 69446.
    """
    if not port.cache:
        return ()
    values = (("coherent_cache", 4, 15, port.cache), ("coherent_prot", 3, 2, port.prot))
    return tuple(
        (
            Cell(name, "xlconstant", {"CONST_WIDTH": str(bits), "CONST_VAL": str(value)}),
            Wire(f"{name}/dout", tuple(f"{PS}/{pin}" for pin in pins)),
        )
        for name, bits, value, pins in values
    )


def _cells(parts: _Parts) -> tuple[Cell, ...]:
    wizard = {
        "PRIM_SOURCE": "No_buffer",
        "CLKOUT2_USED": "true",
        "USE_LOCKED": "true",
        "USE_RESET": "true",
        "RESET_TYPE": "ACTIVE_LOW",
    }
    memory = {"NUM_SI": str(len(parts.masters)), "NUM_MI": "1"}
    return (
        *((Cell(CLOCK_WIZARD, "clk_wiz", wizard),) if parts.double else ()),
        Cell(RESET, "proc_sys_reset"),
        *((Cell(COMPUTE_RESET, "proc_sys_reset"),) if parts.node.apart else ()),
        *(_dma_cell(parts.node, dma) for dma in parts.engines),
        Cell(LITE, "axi_interconnect", {"NUM_SI": "1", "NUM_MI": str(len(parts.slaves))}),
        *([Cell(MEMORY, "axi_interconnect", memory)] if parts.masters else ()),
    )


def _dma_cell(node: NodePlan, dma: Dma) -> Cell:
    """Return a DMA in direct register mode, or a cyclic one; only the channels that are on get widths.

    Direct register mode cannot repeat a buffer without the CPU. Scatter-gather can, with descriptors in a
    ring and the cyclic bit of DMACR, which software sets: there is no parameter for it.

    Source: PG021, Cyclic DMA Mode; docs/zynq.md.
    """
    memory_bits = str(facts_of(node).hp_data_bits)
    config = {
        "c_include_sg": str(int(dma.cyclic)),
        "c_sg_include_stscntrl_strm": "0",
        "c_sg_length_width": str(DMA_LENGTH_BITS),
        "c_include_mm2s": str(int(dma.rx is not None)),
        "c_include_s2mm": str(int(dma.tx is not None)),
    }
    if reaches_high(node):
        config["c_addr_width"] = str(WIDE_ADDRESS_BITS)
    owned: tuple[str, ...] = ()
    if dma.rx:
        config["c_m_axi_mm2s_data_width"] = memory_bits
        config["c_m_axis_mm2s_tdata_width"] = str(dma.rx.link_bits)
        config["c_mm2s_burst_size"] = "16"
    if dma.tx:
        # Vivado would take the widths from what is connected; what it takes too late stays at 32.
        owned = ("c_s_axis_s2mm_tdata_width", "c_m_axi_s2mm_data_width")
        config["c_m_axi_s2mm_data_width"] = memory_bits
        config["c_s_axis_s2mm_tdata_width"] = str(dma.tx.link_bits)
        config["c_s2mm_burst_size"] = "16"
    return Cell(dma.name, "axi_dma", config, owned)


def _wires(parts: _Parts, ila: bool) -> tuple[Wire, ...]:
    """Return clocks and resets. An axi_interconnect has a clock and a reset of its own at every port."""
    system, engines = parts.system, parts.engines
    dma_clocks = [
        f"{dma.name}/{pin}"
        for dma in engines
        for pin in ("s_axi_lite_aclk", *(f"m_axi_{master}_aclk" for master in dma.masters))
    ]
    # Without a DMA, as on a node between others, nothing reaches memory.
    memory = [f"{MEMORY}/M00", *(f"{MEMORY}/S{index:02}" for index in range(len(parts.masters)))]
    memory = memory if parts.masters else []
    ports = [f"{LITE}/S00", *(f"{LITE}/M{index:02}" for index in range(len(parts.slaves))), *memory]
    whole = [name for name in (LITE, MEMORY) if name == LITE or memory]
    clocked = [
        f"{PS}/{system.lite_clock}",
        *((f"{PS}/{parts.port.clock}",) if parts.masters else ()),
        f"{CORE}/{parts.node.clocks[0].name}",
        *dma_clocks,
        *(f"{name}/ACLK" for name in whole),
        *(f"{port}_ACLK" for port in ports),
        f"{RESET}/slowest_sync_clk",
        *((f"{INTC}/s_axi_aclk",) if parts.lines.controller else ()),
        *((f"{ILA}/clk",) if ila else ()),
    ]
    resets = [
        Wire(
            f"{RESET}/interconnect_aresetn",
            (*(f"{name}/ARESETN" for name in whole), *(f"{port}_ARESETN" for port in ports)),
        ),
        Wire(
            f"{RESET}/peripheral_aresetn",
            (
                f"{CORE}/{parts.node.clocks[0].reset}",
                *(f"{dma.name}/axi_resetn" for dma in engines),
                *((f"{INTC}/s_axi_aresetn",) if parts.lines.controller else ()),
                *((f"{ILA}/resetn",) if ila else ()),
            ),
        ),
    ]
    clock, reset = f"{PS}/{system.clock}", f"{PS}/{system.reset}"
    if parts.node.apart:
        return (Wire(clock, tuple(clocked)), *_compute_wires(parts, reset), *resets)
    if not parts.double:
        return (Wire(clock, tuple(clocked)), Wire(reset, (f"{RESET}/ext_reset_in",)), *resets)
    # Both clocks come from the wizard, so that no path between them crosses from one clock tree to another.
    return (
        Wire(clock, (f"{CLOCK_WIZARD}/clk_in1",)),
        Wire(f"{CLOCK_WIZARD}/clk_out1", tuple(clocked)),
        Wire(f"{CLOCK_WIZARD}/clk_out2", (f"{CORE}/aclk2x",)),
        Wire(f"{CLOCK_WIZARD}/locked", (f"{RESET}/dcm_locked",)),
        Wire(reset, (f"{CLOCK_WIZARD}/resetn", f"{RESET}/ext_reset_in")),
        *resets,
    )


def _compute_wires(parts: _Parts, reset: str) -> tuple[Wire, ...]:
    """Return what the partitions' own clock drives; a clock of twice its frequency follows it."""
    own, clock = parts.node.compute, f"{PS}/{parts.system.compute_clock}"
    resets, clocked = [f"{RESET}/ext_reset_in", f"{COMPUTE_RESET}/ext_reset_in"], (f"{CORE}/{own.name}",)
    here = Wire(f"{COMPUTE_RESET}/peripheral_aresetn", (f"{CORE}/{own.reset}",))
    if not parts.double:
        return (
            Wire(clock, (*clocked, f"{COMPUTE_RESET}/slowest_sync_clk")),
            Wire(reset, tuple(resets)),
            here,
        )
    return (
        Wire(clock, (f"{CLOCK_WIZARD}/clk_in1",)),
        Wire(f"{CLOCK_WIZARD}/clk_out1", (*clocked, f"{COMPUTE_RESET}/slowest_sync_clk")),
        Wire(f"{CLOCK_WIZARD}/clk_out2", (f"{CORE}/aclk2x",)),
        Wire(f"{CLOCK_WIZARD}/locked", (f"{COMPUTE_RESET}/dcm_locked",)),
        Wire(reset, (f"{CLOCK_WIZARD}/resetn", *resets)),
        here,
    )


def _buses(parts: _Parts) -> tuple[Bus, ...]:
    buses = [Bus(f"{PS}/{parts.system.lite}", f"{LITE}/S00_AXI")]
    buses += [Bus(f"{LITE}/M{index:02}_AXI", slave) for index, slave in enumerate(parts.slaves)]
    for dma in parts.engines:
        if dma.rx:
            buses.append(Bus(f"{dma.name}/M_AXIS_MM2S", f"{CORE}/{parts.node.pin(dma.rx).name}"))
        if dma.tx:
            buses.append(Bus(f"{CORE}/{parts.node.pin(dma.tx).name}", f"{dma.name}/S_AXIS_S2MM"))
    buses += [Bus(master, f"{MEMORY}/S{index:02}_AXI") for index, master in enumerate(parts.masters)]
    return (*buses, *([Bus(f"{MEMORY}/M00_AXI", f"{PS}/{parts.port.interface}")] if parts.masters else ()))


def _mappings(parts: _Parts) -> tuple[Mapping, ...]:
    data, node, controller = f"{PS}/Data", parts.node, parts.lines.controller
    found = [Mapping(data, f"{CORE}/s_axil/*", node.host.base, max(4096, 1 << node.lite_addr_bits))]
    found += [Mapping(data, f"{dma.name}/S_AXI_LITE/*", dma.address, DMA_STRIDE) for dma in parts.engines]
    if controller:
        found.append(Mapping(data, f"{INTC}/S_AXI/*", controller.base, controller.size))
    for space in parts.spaces:
        for segment, (base, size) in zip(parts.ddr, memory_windows(node), strict=True):
            found.append(Mapping(space, segment, base, size))
    return tuple(found)
