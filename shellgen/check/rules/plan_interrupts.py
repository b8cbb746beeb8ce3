# SPDX-License-Identifier: BSD-3-Clause
"""Against the plan: each interrupt arrives where memory_map.json says that programs wait for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shellgen.model.map_movers import MapInterrupt
from vivado_check.design import Cell
from vivado_check.graph import split_path
from vivado_check.report import Message

from .base import Context, rule
from .planned import (
    Planned,
    Registers,
    asked,
    broken,
    channels,
    engines,
    in_design,
    number,
    registers_of,
    unclear,
)

# Interrupt IDs of the GIC by the input of the processing system. Source: UG585, Interrupts; UG1085, System
# Interrupts; PYNQ counts them alike.
GIC = {
    "IRQ_F2P": (*range(61, 69), *range(84, 92)),
    "pl_ps_irq0": tuple(range(121, 129)),
    "pl_ps_irq1": tuple(range(136, 144)),
}
# Inputs and output of what puts lines side by side, the first lowest. Source: PG041, Concat.
_CONCAT = {"xlconcat": (r"In(\d+)", "IN{}_WIDTH", "dout"), "ilconcat": (r"In(\d+)", "IN{}_WIDTH", "dout")}


@dataclass(frozen=True)
class Arrival:
    """Destination of an interrupt line: a pin of a cell, and the bit number."""

    cell: str
    pin: str
    bit: int


def arrivals(context: Context, pin: str, bit: int = 0, depth: int = 0) -> Iterator[Arrival]:
    """Yield every place that a line goes to, through concatenations."""
    for load in context.graph.loads(pin) if depth < 8 else ():
        cell, name = split_path(load)
        found = context.addresses.design.cells.get(cell)
        ip = found.vlnv.split(":")[2] if found and found.vlnv.count(":") >= 2 else ""
        if found is None or ip not in _CONCAT:
            yield Arrival(cell, name, bit)
            continue
        pattern, width, output = _CONCAT[ip]
        match = re.fullmatch(pattern, name)
        if match:
            below = sum(_width(found, width.format(index)) for index in range(int(match[1])))
            yield from arrivals(context, f"{cell}/{output}", bit + below, depth + 1)


def _width(cell: Cell, name: str) -> int:
    found = asked(cell, name)
    return (number(found.value) if found else None) or 1


@rule("plan-interrupts", scope="design", source="docs/zynq.md; UG585 and UG1085, interrupts; PG099")
def interrupts(context: Context) -> Iterator[Message]:
    """The interrupt of each channel of a DMA arrives at the input that the map names."""
    found = in_design(context)
    if found is None:
        return
    wanted, core = found
    here = registers_of(context, core)
    for one in engines(context):
        for name, channel in channels(one.dma):
            if channel.interrupt:
                yield from _line(context, wanted, here, f"{one.cell.path}/{name}_introut", channel.interrupt)
    controller = wanted.map.interrupt_controller
    at = here.cell_at(controller.base) if controller and here else None
    if controller and at:
        yield from _to_gic(context, f"{at}/irq", controller.gic, controller.name)


def _line(
    context: Context, wanted: Planned, here: Registers | None, pin: str, asked_for: MapInterrupt
) -> Iterator[Message]:
    controller = wanted.map.interrupt_controller
    if asked_for.controller is None or controller is None:
        yield from _to_gic(context, pin, asked_for.gic, pin)
        return
    at = here.cell_at(controller.base) if here else None
    if at is None:
        return  # the controller has no address, which is a finding of its own
    arrived = list(arrivals(context, pin))
    if any((one.cell, one.pin.lower(), one.bit) == (at, "intr", asked_for.input) for one in arrived):
        return
    yield broken(
        "plan-interrupts",
        context.graph.joined(pin),
        pin,
        f"it arrives at {_shown(arrived)}",
        f"bit {asked_for.input} of {at}/intr, as in memory_map.json",
        "connect it to that input of the concatenation: programs would wait for another",
    )


def _to_gic(context: Context, pin: str, gic: int, who: str) -> Iterator[Message]:
    arrived = list(arrivals(context, pin))
    reached = [GIC[one.pin][one.bit] for one in arrived if one.bit < len(GIC.get(one.pin, ()))]
    if gic in reached:
        return
    if not reached and any(context.graph.resolved(one.cell) is None for one in arrived):
        yield unclear(
            "plan-interrupts",
            context.graph.joined(pin),
            pin,
            f"it goes to {_shown(arrived)}",
            f"interrupt {gic}",
        )
        return
    yield broken(
        "plan-interrupts",
        context.graph.joined(pin),
        pin,
        f"it arrives at {_shown(arrived)}" + (f", which is interrupt {reached[0]}" if reached else ""),
        f"interrupt {gic} of the GIC for {who}, as in memory_map.json",
        "connect it to that input of the processing system",
    )


def _shown(arrived: list[Arrival]) -> str:
    return ", ".join(f"bit {one.bit} of {one.cell}/{one.pin}" for one in arrived) or "nothing"


@rule("plan-interrupt-order", scope="design", source="UG585, Interrupts; docs/zynq.md")
def order(context: Context) -> Iterator[Message]:
    """The first line of a PS7 is the lowest interrupt, as the map counts them."""
    found = in_design(context)
    every = [channel for dma in found[0].map.dma for _, channel in channels(dma)] if found else []
    if not any(channel.interrupt for channel in every):
        return
    for cell in context.addresses.design.cells.values():
        mode = asked(cell, "PCW_IRQ_F2P_MODE")
        if mode and mode.value.strip().upper() != "DIRECT":
            yield broken(
                "plan-interrupt-order",
                mode.origin,
                f"{cell.path} PCW_IRQ_F2P_MODE",
                mode.value,
                "DIRECT: memory_map.json counts interrupts from bit 0 up",
                "set CONFIG.PCW_IRQ_F2P_MODE to DIRECT",
            )
