# SPDX-License-Identifier: BSD-3-Clause
"""The DMAs of a Zynq node: which there are, where they are, what memory they reach, how they interrupt."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from shellgen.model import End, NodePlan
from shellgen.platforms.contract import Contract, PinRole
from shellgen.platforms.zynq.facts import DMA_STRIDE, MemoryPortName, facts_of, options_of
from shellgen.platforms.zynq.interrupts import InterruptWiring, interrupt_wiring, processing_system
from shellgen.platforms.zynq.ps import HIGH_DDR, MemoryPort

DOCK = "dma"
# Each pin gets a channel of its own, which its role names.
CONTRACT = Contract((PinRole("mm2s", "in"), PinRole("s2mm", "out")))


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
    rx: End | None
    tx: End | None

    @property
    def cyclic(self) -> bool:
        """Whether it repeats its buffer by itself, which takes descriptors in memory (scatter-gather)."""
        return self.rx is not None and self.rx.carries_weights

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the channels that are on."""
        return tuple(name for name, path in (("mm2s", self.rx), ("s2mm", self.tx)) if path)

    @property
    def interrupts(self) -> tuple[str, ...]:
        """Pins of its interrupts, in the order of the channels."""
        return tuple(f"{self.name}/{channel}_introut" for channel in self.channels)

    @property
    def masters(self) -> tuple[str, ...]:
        """Names of what reads or writes memory: the channels, and the engine that fetches descriptors."""
        return (*self.channels, "sg") if self.cyclic else self.channels


def dmas(node: NodePlan) -> tuple[Dma, ...]:
    """Return the AXI DMAs of a node, in the order of their registers.

    ``axi_dma_<k>`` serves the k-th of the dock's incoming streams of data and the k-th that leaves. A weights
    stream has a DMA of its own, since it never ends: ``axi_dma_weights_<k>`` serves the k-th that comes in.
    """
    base = facts_of(node).dma_base
    ends = [end for attachment in node.attachments if attachment.dock == DOCK for end in attachment.ends]
    into = [end for end in ends if end.direction == "in"]
    rx, tx = [end for end in into if not end.carries_weights], [end for end in ends if end.direction == "out"]
    pairs = [(f"axi_dma_{k}", *pair) for k, pair in enumerate(zip_longest(rx, tx))]
    weights = [(f"axi_dma_weights_{k}", end, None) for k, end in enumerate(into) if end.carries_weights]
    return tuple(
        Dma(name, base + at * DMA_STRIDE, *paths) for at, (name, *paths) in enumerate((*pairs, *weights))
    )


def wiring(node: NodePlan) -> InterruptWiring:
    """Return how the interrupts of a node's DMAs are connected; a controller's registers follow theirs."""
    engines = dmas(node)
    pins = tuple(pin for dma in engines for pin in dma.interrupts)
    return interrupt_wiring(node, pins, engines[-1].address + DMA_STRIDE if engines else 0)


def port_name(node: NodePlan) -> MemoryPortName:
    """Return what cluster.toml says, or else the board."""
    return options_of(node).memory_port or facts_of(node).memory_port


def memory_port(node: NodePlan) -> MemoryPort:
    """Return the port of the PS through which a checked node's DMAs reach memory."""
    return processing_system(node).ports[port_name(node)]


def reaches_high(node: NodePlan) -> bool:
    """Whether the DMAs of a node reach DDR from `HIGH_DDR` on."""
    return bool(facts_of(node).ddr_high_bytes and memory_port(node).high)


def memory_windows(node: NodePlan) -> tuple[tuple[int, int], ...]:
    """Return where the DMAs of a checked node reach DDR: first address and bytes, ascending."""
    facts = facts_of(node)
    low = (0, facts.ddr_bytes)
    return (low, (HIGH_DDR, facts.ddr_high_bytes)) if reaches_high(node) else (low,)
