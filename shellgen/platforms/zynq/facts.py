# SPDX-License-Identifier: BSD-3-Clause
"""Facts of a board in its board file, and options in cluster.toml, for the Zynq platform."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import (
    Field,
    NonNegativeInt,
    PositiveInt,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from shellgen.model import NodePlan
from shellgen.model.base import Frozen
from shellgen.model.hooks import HookOptions
from shellgen.model.names import Line, Parameter, Word
from shellgen.model.plain import JsonObject
from shellgen.platforms.messages import DesignMessage

KIND = "zynq"

# c_sg_length_width of AXI DMA 7.1 is 8..26 bits; the widest costs a few flops and limits a transfer to
# 2**26 - 1 bytes (PG021).
DMA_LENGTH_BITS = 26
# Vivado gives the registers of an AXI DMA 64 KiB (docs/zynq.md).
DMA_STRIDE = 0x1_0000
# Masters that one crossbar of an axi_interconnect takes (PG059).
MAX_MEMORY_MASTERS = 16
ETHERNET_MTU = 1500  # bytes of an IP packet without jumbo frames (IEEE 802.3)
MOST_RINGS = 8  # of ip/links/ddr_ring/ddr_ring_port

MemoryPortName = Literal["HP0", "HP1", "HP2", "HP3", "HPC0", "HPC1"]


class ZynqFacts(Frozen):
    """``[platform.zynq]``: the processing system of a Zynq-7000 or Zynq UltraScale+ board.

    Attributes:
        family: ``zynq_7000`` (PS7) or ``zynq_us`` (PSU).
        hp_data_bits: Width of an HP port: 64 on PS7, 128 on PSU.
        ddr_bytes: PS DDR that the DMA can reach (low region), a power of two.
        ddr_high_bytes: PS DDR from 0x8_0000_0000 on, a power of two; 0 if there is none.
        memory_port: Port of the PS through which the DMAs reach it, unless cluster.toml says another.
        lite_base: First address, in the general-purpose master window, of the core.
        lite_bytes: Size of the part of that window that the core may take.
        dma_base: Address of the registers of ``axi_dma_0``; the others follow, `DMA_STRIDE` bytes each.
        ps_config: Settings of the PS cell beyond the board preset, without the ``CONFIG.`` prefix.
        ip_preset: Preset that the PS IP itself knows, for a Vivado without this board's files; or empty.
        ethernet: What the TCP link runs over: its rate first (``1 Gb/s``) where a port is wired.
        ethernet_mtu: Largest IP packet of that port, in bytes.
        docks: Facts of docks that packages bring (`shellgen.platforms.docks`), by dock.
    """

    family: Literal["zynq_7000", "zynq_us"]
    hp_data_bits: Literal[64, 128]
    ddr_bytes: PositiveInt
    ddr_high_bytes: NonNegativeInt = 0
    memory_port: MemoryPortName = "HP0"
    lite_base: NonNegativeInt
    lite_bytes: PositiveInt
    dma_base: NonNegativeInt
    ps_config: dict[Parameter, Line] = Field(default_factory=dict)
    ip_preset: Line = ""
    ethernet: Line
    ethernet_mtu: PositiveInt = ETHERNET_MTU
    docks: dict[Word, JsonObject] = Field(default_factory=dict)

    @property
    def ethernet_bps(self) -> int | None:
        """Line rate of the Ethernet port; None where none is wired."""
        found = re.match(r"(\d+(?:\.\d+)?) ?([GM])b/s\b", self.ethernet)
        return round(float(found[1]) * {"G": 1e9, "M": 1e6}[found[2]]) if found else None

    @model_serializer(mode="wrap")
    def _without_usual(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        """Leave out the docks of packages where there are none, and the usual MTU: neither changes a plan."""
        found: dict[str, object] = handler(self)
        usual = {"docks": not self.docks, "ethernet_mtu": self.ethernet_mtu == ETHERNET_MTU}
        return {name: value for name, value in found.items() if not usual.get(name)}


Strategy = Literal["default", "performance", "area"]
Interrupts = Literal["intc", "direct", "none"]


class ZynqOptions(HookOptions):
    """``[node.options.zynq]``: how Vivado builds a node. Nothing here changes what the core computes.

    Attributes:
        strategy: What the runs optimise for; ``performance`` takes the settings of FINN's own Zynq builds.
        ila: Samples that a logic analyser keeps of every stream that enters or leaves the core; 0: none.
        compress: Make the bitstream smaller, so that it loads faster.
        accept: Messages about the block design that are not to stop the build, such as those that the preset
            of a board causes.
        interrupts: How those of the DMAs reach the processor: ``intc`` by an AXI interrupt controller, which
            PYNQ needs; ``direct`` each by a line of its own; ``none``.
        memory_port: Port of the processing system through which the DMAs reach memory; HPC ports look into
            the processor's caches. The board's, if left out.

    ``tcl`` and ``constraints`` are those of `HookOptions`.
    """

    strategy: Strategy = "default"
    ila: Literal[0, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072] = 0
    compress: bool = True
    accept: tuple[DesignMessage, ...] = ()
    interrupts: Interrupts = "intc"
    memory_port: MemoryPortName | None = None


def facts_of(node: NodePlan) -> ZynqFacts:
    """Return the facts of a node's board, under the kind of the platform that builds it."""
    return node.board.facts(node.platform, ZynqFacts)


def options_of(node: NodePlan) -> ZynqOptions:
    """Return what cluster.toml asks for on a node of this platform."""
    where = f"node {node.name}", f"options.{node.platform}"
    return node.kept("zynq options", lambda: ZynqOptions.from_data(node.options, *where))
