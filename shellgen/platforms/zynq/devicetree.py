# SPDX-License-Identifier: BSD-3-Clause
"""A Zynq node's DMAs for Linux's dmaengine: an overlay of the board's device tree.

Source: Linux, Documentation/devicetree/bindings: dma/xilinx/xilinx_dma.txt, interrupt-controller/xlnx,intc.
"""

from __future__ import annotations

from shellgen.model import Artifact, NodePlan, Plan
from shellgen.model.map_movers import MapDma, MapInterrupt, MapInterruptController
from shellgen.platforms.zynq.design import CORE
from shellgen.platforms.zynq.dma import wiring
from shellgen.platforms.zynq.facts import DMA_LENGTH_BITS
from shellgen.platforms.zynq.interrupts import processing_system
from shellgen.platforms.zynq.map import map_dmas
from shellgen.render import render


def device_tree(plan: Plan, node: NodePlan) -> Artifact | None:
    """Return the overlay of a node; None without interrupts, which dmaengine needs."""
    lines, system = wiring(node), processing_system(node)
    if not lines.pins:
        return None

    def cells(*numbers: int) -> str:
        """Return addresses and sizes in as many 32-bit cells as the board's device tree takes for each."""
        shifts = [32 * at for at in reversed(range(system.dt_cells))]
        return " ".join(f"{number >> shift & 0xFFFF_FFFF:#x}" for number in numbers for shift in shifts)

    text = render(
        "host/devicetree.dtso.j2",
        plan=plan,
        node=node,
        board=node.board,
        system=system,
        controller=lines.controller,
        dmas=map_dmas(node),
        paths=(*node.rx, *node.tx),
        core=CORE,
        core_bytes=max(4096, 1 << node.lite_addr_bits),
        length_bits=DMA_LENGTH_BITS,
        cells=cells,
        clocks=_clocks,
        spi=_spi,
    )
    return Artifact.text(f"{node.name}/linux/{node.name}.dtso", text)


def _spi(line: MapInterrupt | MapInterruptController) -> int:
    """Return what a device tree calls a shared interrupt: the first 32 IDs of the GIC are others."""
    return line.gic - 32


def _clocks(dma: MapDma) -> list[str]:
    """Return names of its clocks; all are the same one."""
    channels = [f"m_axi_{name}_aclk" for name in ("mm2s", "s2mm") if getattr(dma.channels, name)]
    return ["s_axi_lite_aclk", *channels, *(["m_axi_sg_aclk"] if dma.cyclic else [])]
