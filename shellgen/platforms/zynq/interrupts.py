# SPDX-License-Identifier: BSD-3-Clause
"""Routes of the DMA interrupts of a Zynq node to the processor.

Either through an AXI interrupt controller, since PYNQ finds no other pins (pynqmetadata,
interrupt_pins_view.py); or each on its own line, since Linux probes an AXI interrupt controller at boot and
not with an overlay. Both use xlconcat and not the inline one of Vivado 2024.2, which PYNQ cannot trace.
"""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.model import NodePlan
from shellgen.model.map_movers import MapInterrupt, MapInterruptController
from shellgen.platforms.block_design import Cell, Wire
from shellgen.platforms.zynq.facts import DMA_STRIDE, facts_of, options_of
from shellgen.platforms.zynq.ps import CELL as PS
from shellgen.platforms.zynq.ps import PROCESSING_SYSTEMS, ProcessingSystem

INTC = "axi_intc_0"
CONCAT = "xlconcat_0"


@dataclass(frozen=True)
class InterruptWiring:
    """Interrupt wiring of one node.

    Attributes:
        pins: Interrupt outputs, ``cell/pin``, by the number of their line; empty if none is connected.
        controller: The AXI interrupt controller, or None.
        gic: Interrupt ID at the GIC of each pin.
        ps_pin: Where they arrive at the processing system.
    """

    pins: tuple[str, ...]
    controller: MapInterruptController | None
    gic: tuple[int, ...]
    ps_pin: str

    @property
    def cells(self) -> tuple[Cell, ...]:
        """IP that they need."""
        if not self.pins:
            return ()
        concat = Cell(CONCAT, "xlconcat", {"NUM_PORTS": str(len(self.pins))})
        if self.controller is None:
            return (concat,)
        # The first takes `irq` out of a bus that only MicroBlaze has. And DMAs hold their line until they are
        # answered, which not every release of the concatenation tells the controller.
        config = {"C_IRQ_CONNECTION": "1", "C_KIND_OF_INTR": "0x00000000"}
        return concat, Cell(INTC, "axi_intc", config, owned=("C_KIND_OF_INTR",))

    @property
    def wires(self) -> tuple[Wire, ...]:
        """Nets from the DMAs to the processing system."""
        if not self.pins:
            return ()
        lines = tuple(Wire(pin, (f"{CONCAT}/In{line}",)) for line, pin in enumerate(self.pins))
        if self.controller is None:
            return (*lines, Wire(f"{CONCAT}/dout", (self.ps_pin,)))
        return (*lines, Wire(f"{CONCAT}/dout", (f"{INTC}/intr",)), Wire(f"{INTC}/irq", (self.ps_pin,)))

    def of(self, pin: str) -> MapInterrupt | None:
        """Return where a pin's interrupt arrives, or None."""
        if pin not in self.pins:
            return None
        line = self.pins.index(pin)
        name = self.controller.name if self.controller else None
        return MapInterrupt(controller=name, input=line, gic=self.gic[line])


def interrupt_wiring(node: NodePlan, pins: tuple[str, ...], address: int) -> InterruptWiring:
    """Return how these pins are wired on a node that has lines enough for them.

    Args:
        node: The node, which says which way.
        pins: Interrupt outputs of its DMAs.
        address: First free address for registers.
    """
    system = processing_system(node)
    way = options_of(node).interrupts
    if way == "none" or not pins:
        return InterruptWiring((), None, (), "")
    if way == "direct":
        return InterruptWiring(pins, None, system.gic[: len(pins)], f"{PS}/{system.irq}")
    found = MapInterruptController(
        name=INTC, base=address, size=DMA_STRIDE, inputs=len(pins), gic=system.gic[0]
    )
    return InterruptWiring(pins, found, system.gic[:1] * len(pins), f"{PS}/{system.irq}")


def processing_system(node: NodePlan) -> ProcessingSystem:
    """Return the PS of a node."""
    return PROCESSING_SYSTEMS[facts_of(node).family]
