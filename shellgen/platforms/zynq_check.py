# SPDX-License-Identifier: BSD-3-Clause
"""What a Zynq board cannot do for a node, found before anything is written."""

from __future__ import annotations

from shellgen.errors import Problem
from shellgen.model import NodePlan
from shellgen.model.board import DMA_STRIDE
from shellgen.platforms.ila import ila_ramb18
from shellgen.platforms.interrupts import processing_system
from shellgen.platforms.zynq_dma import dmas, port_name, wiring

# Masters that one crossbar of an axi_interconnect takes (PG059).
MAX_MEMORY_MASTERS = 16


def zynq_problems(node: NodePlan) -> list[Problem]:
    """Return every reason why this node cannot be built; its board has a ``[zynq]``."""
    where = f"node {node.name}"
    return [
        *_registers(node, where),
        *_streams(node, where),
        *_ports(node, where),
        *_memory(node),
        *_analyser(node, where),
    ]


def _registers(node: NodePlan, where: str) -> list[Problem]:
    """Core, DMAs and interrupt controller must lie side by side behind one master of the PS."""
    board, zynq, problems = node.board, node.board.zynq, []
    assert zynq is not None
    if node.lite_slot != 4:
        found = f"{node.lite_slot} bytes, and a core on {board.name} has a 32-bit AXI-Lite port"
        problems.append(Problem(f"{where}.lite.slot", found, "Leave it out"))
    size = 1 << node.lite_addr_bits
    if size > zynq.lite_bytes or node.lite_base % size:
        found = f"the core needs {size} bytes of registers at {node.lite_base:#x}; "
        found += f"{board.name} has {zynq.lite_bytes} at {zynq.lite_base:#x}"
        problems.append(Problem(f"{where}: address map", found, "Put fewer memories on this node"))
    system = processing_system(node)
    first, last = system.window
    end = zynq.dma_base + DMA_STRIDE * (len(dmas(node)) + bool(wiring(node).controller))
    for field, start, stop in (
        ("lite_base", zynq.lite_base, zynq.lite_base + zynq.lite_bytes),
        ("dma_base", zynq.dma_base, end),
    ):
        if start < first or stop > last:
            found = f"registers from {start:#x} to {stop:#x}; {system.lite} has {first:#x} to {last:#x}"
            problems.append(Problem(f"{board.where}: zynq.{field}", found, "Move them"))
    if zynq.dma_base % DMA_STRIDE:
        found = f"{zynq.dma_base:#x} is not a multiple of {DMA_STRIDE:#x}"
        problems.append(Problem(f"{board.where}: zynq.dma_base", found, "Move it"))
    if zynq.dma_base < zynq.lite_base + zynq.lite_bytes and zynq.lite_base < end:
        found = f"registers of the DMAs from {zynq.dma_base:#x} to {end:#x} lie in the core's window"
        problems.append(
            Problem(f"{board.where}: zynq.dma_base", found, "Move it, or make lite_bytes smaller")
        )
    return problems


def _streams(node: NodePlan, where: str) -> list[Problem]:
    assert node.board.zynq is not None
    paths, problems = (*node.rx, *node.tx), []
    fetching = sum(path.role == "weights" for path in paths)  # these DMAs read descriptors too
    if len(paths) + fetching > MAX_MEMORY_MASTERS:
        found = f"{len(paths)} streams enter or leave"
        found += f", {fetching} of them weights, which count twice" if fetching else ""
        found += f"; one memory port serves {MAX_MEMORY_MASTERS}"
        problems.append(Problem(f"{where}: streams", found, "Put neighbouring partitions on one node"))
    # A DMA stream is a power of two and never wider than its memory side.
    legal = [1 << power for power in range(3, 11) if 1 << power <= node.board.zynq.hp_data_bits]
    for path in paths:
        if path.link_bits not in legal:
            found = f"a link port of {path.link_bits} bits; AXI DMA takes {legal}"
            problems.append(Problem(f"{where}: stream {path.boundary}", found, "Choose another link"))
    return problems


def _ports(node: NodePlan, where: str) -> list[Problem]:
    """Return what the processing system of this family does not have."""
    system, problems = processing_system(node), []
    if port_name(node) not in system.ports:
        at = (
            f"{where}.vivado.memory_port"
            if node.vivado.memory_port
            else f"{node.board.where}: zynq.memory_port"
        )
        found = f"{port_name(node)}; {node.board.name} has {', '.join(system.ports)}"
        problems.append(Problem(at, found, "Choose one of these"))
    pins = sum(len(dma.interrupts) for dma in dmas(node))
    if node.vivado.interrupts == "direct" and pins > len(system.gic):
        found = f"{pins} interrupts; {node.board.name} has {len(system.gic)} lines at {system.irq}"
        problems.append(Problem(f"{where}.vivado.interrupts", found, 'Say "intc"'))
    return problems


def _memory(node: NodePlan) -> list[Problem]:
    """A segment is a power of two, and no larger than what the family has there."""
    assert node.board.zynq is not None
    zynq, system, problems = node.board.zynq, processing_system(node), []
    for field, size, most in (
        ("ddr_bytes", zynq.ddr_bytes, system.low_ddr),
        ("ddr_high_bytes", zynq.ddr_high_bytes, system.high_ddr),
    ):
        at = f"{node.board.where}: zynq.{field}"
        if size > most:
            has = f"{most:#x} bytes" if most else "no memory"
            problems.append(Problem(at, f"{size:#x}; the family has {has} there", "Correct it"))
        elif size & (size - 1):
            problems.append(Problem(at, f"{size:#x} is not a power of two", "Take the next smaller one"))
    return problems


def _analyser(node: NodePlan, where: str) -> list[Problem]:
    ramb18, have = ila_ramb18(node), node.board.resources.bram18
    if ramb18 <= have:
        return []
    found = f"{node.vivado.ila} samples of {len(node.rx) + len(node.tx)} streams take {ramb18} RAMB18; "
    return [Problem(f"{where}.vivado.ila", f"{found}{node.board.name} has {have}", "Keep fewer samples")]
