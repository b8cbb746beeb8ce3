# SPDX-License-Identifier: BSD-3-Clause
"""Resources of Vivado's IP around a Zynq core: an estimate from published synthesis reports.

Source: reports on an XC7Z020. AXI DMA 7.1, S2MM alone, 32 bits, no scatter-gather: 990 LUT, 1,309 FF, one
RAMB36 (Aratoud/Axi_DMA_Zynq 16e565a, Vivado 2019.1); both channels with scatter-gather: 2,078 LUT, 3,525 FF,
two RAMB36 (absolutezero2730/AXI_DMA_FIFO 20b8b2e, 2018.3). axi_interconnect from AXI3 to two AXI4-Lite
slaves: 508 LUT, 631 FF, of which its protocol converter takes 384 and 510; proc_sys_reset: 17 and 33
(shakeelakram00/F2Opt aa4d1c1c, post_synth_resources.xml, 2022.2). The memory side is scaled from these.
No report lists an axi_intc by itself: its figure is general knowledge.
"""

from __future__ import annotations

from shellgen.model import NodePlan, Usage
from shellgen.platforms.zynq.dma import Dma, dmas, wiring
from shellgen.platforms.zynq.facts import facts_of, options_of
from shellgen.platforms.zynq.ila import ila_ramb18

_RESET = Usage(lut=17, ff=33)
_CONVERTER = Usage(lut=384, ff=510)
_SLAVE = Usage(lut=62, ff=61)
_MASTER = Usage(lut=250, ff=300)
_DESCRIPTORS = Usage(lut=400, ff=900)
_INTERRUPTS = Usage(lut=100, ff=150)
_ANALYSER = Usage(lut=1500, ff=2500)


def zynq_usage(node: NodePlan) -> Usage:
    """Return what a node's DMAs, interconnects, reset, interrupt controller and logic analyser take."""
    bits, engines = facts_of(node).hp_data_bits, dmas(node)
    total = _RESET + _CONVERTER + _SLAVE + _CONVERTER
    total += _INTERRUPTS + _SLAVE if wiring(node).controller else Usage()
    for dma in engines:
        total += _SLAVE + _dma(dma, bits)
        for _ in dma.masters:
            total += _MASTER
    for _ in node.memory_ports:
        total += _MASTER
    return total + (_ANALYSER + Usage(bram18=ila_ramb18(node)) if options_of(node).ila else Usage())


def _dma(dma: Dma, bits: int) -> Usage:
    """Return what a DMA takes: each channel stores a burst of memory words, 36 bits wide in a RAMB36."""
    wider = bits - 32
    channel = Usage(lut=990 + 4 * wider, ff=1309 + 10 * wider, bram18=2 * -(-bits // 64))
    total = _DESCRIPTORS if dma.cyclic else Usage()
    for _ in dma.channels:
        total += channel
    return total
