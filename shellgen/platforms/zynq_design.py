# SPDX-License-Identifier: BSD-3-Clause
"""The block design around a Zynq node's core: one AXI DMA per pair of streams, one per weights stream."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.model import LinkPath, NodePlan, Plan
from shellgen.model.board import DMA_LENGTH_BITS, DMA_STRIDE
from shellgen.platforms.block_design import BlockDesign, Bus, Cell, Mapping, Wire
from shellgen.platforms.ila import ILA, ila_cell
from shellgen.platforms.ps import CELL as PS
from shellgen.platforms.ps import PROCESSING_SYSTEMS, ProcessingSystem

CORE = "core_0"
LITE = "lite_interconnect"
MEMORY = "memory_interconnect"
RESET = "proc_sys_reset_0"
CLOCK_WIZARD = "clk_wiz_0"


@dataclass(frozen=True)
class Dma:
    """One AXI DMA.

    Attributes:
        name: Cell name, as PYNQ users expect it.
        address: First byte of its registers, as the PS sees it.
        rx: Path that its MM2S channel feeds, or None: the channel is switched off.
        tx: Path that its S2MM channel drains, or None.
    """

    name: str
    address: int
    rx: LinkPath | None
    tx: LinkPath | None

    @property
    def cyclic(self) -> bool:
        """Whether it repeats its buffer by itself, which takes descriptors in memory (scatter-gather)."""
        return self.rx is not None and self.rx.role == "weights"

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the channels that are on."""
        return tuple(name for name, path in (("mm2s", self.rx), ("s2mm", self.tx)) if path)

    @property
    def masters(self) -> tuple[str, ...]:
        """Names of what reads or writes memory: the channels, and the engine that fetches descriptors."""
        return (*self.channels, "sg") if self.cyclic else self.channels


def dmas(node: NodePlan) -> tuple[Dma, ...]:
    """Return the AXI DMAs of a node, in the order of their registers.

    ``axi_dma_<k>`` serves ``s_axis_<k>`` and ``m_axis_<k>``. A weights stream has a DMA of its own, since it
    never ends: ``axi_dma_weights_<k>`` serves ``s_axis_<k>``.
    """
    assert node.board.zynq is not None
    base = node.board.zynq.dma_base
    rx = {path.index: path for path in node.rx if path.role == "data"}
    tx = {path.index: path for path in node.tx}
    pairs = [(f"axi_dma_{k}", rx.get(k), tx.get(k)) for k in sorted(rx.keys() | tx.keys())]
    weights = [(f"axi_dma_weights_{path.index}", path, None) for path in node.rx if path.role == "weights"]
    return tuple(
        Dma(name, base + at * DMA_STRIDE, *paths) for at, (name, *paths) in enumerate((*pairs, *weights))
    )


def block_design(plan: Plan, node: NodePlan) -> BlockDesign:
    """Decide every cell, net, bus and address of a node.

    Both interconnects are axi_interconnect: on an XC7Z020 a smartconnect for the memory path alone takes
    7.4 % of the LUTs. They also turn the DMA's AXI4 into the AXI3 of PS7.
    """
    assert node.board.zynq is not None
    system = PROCESSING_SYSTEMS[node.board.zynq.family]
    engines = dmas(node)
    double = any(plan.partition(name).clock2x for name in node.partitions)
    ila, monitors = ila_cell(node, CORE) or (None, ())
    looked_at = ((f"{ILA}/clk",), (f"{ILA}/resetn",)) if ila else ((), ())
    return BlockDesign(
        cells=(*_cells(node, engines, double), *((ila,) if ila else ())),
        wires=_wires(system, engines, double, *looked_at),
        buses=_buses(system, engines),
        monitors=monitors,
        mappings=_mappings(node, system, engines),
        excluded=tuple(
            (f"{dma.name}/Data_{master.upper()}", f"{PS}/{system.memory_map}/*")
            for dma in engines
            for master in dma.masters
        ),
    )


def _cells(node: NodePlan, engines: tuple[Dma, ...], double: bool) -> tuple[Cell, ...]:
    masters = sum(len(dma.masters) for dma in engines)
    wizard = {
        "PRIM_SOURCE": "No_buffer",
        "CLKOUT2_USED": "true",
        "USE_LOCKED": "true",
        "USE_RESET": "true",
        "RESET_TYPE": "ACTIVE_LOW",
    }
    return (
        *((Cell(CLOCK_WIZARD, "clk_wiz", wizard),) if double else ()),
        Cell(RESET, "proc_sys_reset"),
        *(_dma_cell(node, dma) for dma in engines),
        Cell(LITE, "axi_interconnect", {"NUM_SI": "1", "NUM_MI": str(1 + len(engines))}),
        Cell(MEMORY, "axi_interconnect", {"NUM_SI": str(masters), "NUM_MI": "1"}),
    )


def _dma_cell(node: NodePlan, dma: Dma) -> Cell:
    """Return a DMA in direct register mode, or a cyclic one; only the channels that are on get widths.

    Direct register mode cannot repeat a buffer without the CPU. Scatter-gather can, with descriptors in a
    ring and the cyclic bit of DMACR, which software sets: there is no parameter for it.

    Source: PG021, Cyclic DMA Mode; docs/zynq.md.
    """
    assert node.board.zynq is not None
    memory_bits = str(node.board.zynq.hp_data_bits)
    config = {
        "c_include_sg": str(int(dma.cyclic)),
        "c_sg_include_stscntrl_strm": "0",
        "c_sg_length_width": str(DMA_LENGTH_BITS),
        "c_include_mm2s": str(int(dma.rx is not None)),
        "c_include_s2mm": str(int(dma.tx is not None)),
    }
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


def _wires(
    system: ProcessingSystem,
    engines: tuple[Dma, ...],
    double: bool,
    more_clocked: tuple[str, ...],
    more_reset: tuple[str, ...],
) -> tuple[Wire, ...]:
    """Return clocks and resets. An axi_interconnect has a clock and a reset of its own at every port."""
    dma_clocks = [
        f"{dma.name}/{pin}"
        for dma in engines
        for pin in ("s_axi_lite_aclk", *(f"m_axi_{master}_aclk" for master in dma.masters))
    ]
    ports = [f"{LITE}/S00", *(f"{LITE}/M{index:02}" for index in range(1 + len(engines))), f"{MEMORY}/M00"]
    ports += [f"{MEMORY}/S{index:02}" for index in range(sum(len(dma.masters) for dma in engines))]
    clocked = [
        f"{PS}/{system.lite_clock}",
        f"{PS}/{system.memory_clock}",
        f"{CORE}/aclk",
        *dma_clocks,
        f"{LITE}/ACLK",
        f"{MEMORY}/ACLK",
        *(f"{port}_ACLK" for port in ports),
        f"{RESET}/slowest_sync_clk",
        *more_clocked,
    ]
    resets = [
        Wire(
            f"{RESET}/interconnect_aresetn",
            (f"{LITE}/ARESETN", f"{MEMORY}/ARESETN", *(f"{port}_ARESETN" for port in ports)),
        ),
        Wire(
            f"{RESET}/peripheral_aresetn",
            (f"{CORE}/aresetn", *(f"{dma.name}/axi_resetn" for dma in engines), *more_reset),
        ),
    ]
    clock, reset = f"{PS}/{system.clock}", f"{PS}/{system.reset}"
    if not double:
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


def _buses(system: ProcessingSystem, engines: tuple[Dma, ...]) -> tuple[Bus, ...]:
    buses = [Bus(f"{PS}/{system.lite}", f"{LITE}/S00_AXI"), Bus(f"{LITE}/M00_AXI", f"{CORE}/s_axil")]
    for position, dma in enumerate(engines):
        buses.append(Bus(f"{LITE}/M{position + 1:02}_AXI", f"{dma.name}/S_AXI_LITE"))
        if dma.rx:
            buses.append(Bus(f"{dma.name}/M_AXIS_MM2S", f"{CORE}/s_axis_{dma.rx.index}"))
        if dma.tx:
            buses.append(Bus(f"{CORE}/m_axis_{dma.tx.index}", f"{dma.name}/S_AXIS_S2MM"))
    masters = [f"{dma.name}/M_AXI_{master.upper()}" for dma in engines for master in dma.masters]
    buses += [Bus(master, f"{MEMORY}/S{index:02}_AXI") for index, master in enumerate(masters)]
    return (*buses, Bus(f"{MEMORY}/M00_AXI", f"{PS}/{system.memory}"))


def _mappings(node: NodePlan, system: ProcessingSystem, engines: tuple[Dma, ...]) -> tuple[Mapping, ...]:
    assert node.board.zynq is not None
    core_bytes = max(4096, 1 << node.lite_addr_bits)
    registers = [Mapping(f"{PS}/Data", f"{CORE}/s_axil/*", node.lite_base, core_bytes)]
    memory = []
    for dma in engines:
        registers.append(Mapping(f"{PS}/Data", f"{dma.name}/S_AXI_LITE/*", dma.address, DMA_STRIDE))
        for master in dma.masters:
            segment = f"{PS}/{system.memory_map}/{system.ddr}"
            memory.append(Mapping(f"{dma.name}/Data_{master.upper()}", segment, 0, node.board.zynq.ddr_bytes))
    return (*registers, *memory)
