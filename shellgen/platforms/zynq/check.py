# SPDX-License-Identifier: BSD-3-Clause
"""Limits of a Zynq board that a plan may exceed, checked before any file is written."""

from __future__ import annotations

from shellgen.errors import Problem
from shellgen.model import NodePlan
from shellgen.platforms.zynq.dma import CONTRACT, DOCK, dmas, port_name, wiring
from shellgen.platforms.zynq.facts import DMA_STRIDE, MAX_MEMORY_MASTERS, facts_of, options_of
from shellgen.platforms.zynq.ila import ila_ramb18
from shellgen.platforms.zynq.interrupts import processing_system


def zynq_problems(node: NodePlan) -> list[Problem]:
    """Return every reason why this node cannot be built; on a Zynq board."""
    where = f"node {node.name}"
    return [
        *_registers(node, where),
        *_masters(node, where),
        *_streams(node, where),
        *_clocks(node, where),
        *_ports(node, where),
        *_memory(node),
        *_analyser(node, where),
        *CONTRACT.problems(DOCK, node),
    ]


def _registers(node: NodePlan, where: str) -> list[Problem]:
    """Core, DMAs and interrupt controller must lie side by side behind one master of the PS."""
    board, zynq, problems = node.board, facts_of(node), []
    size = 1 << node.lite_addr_bits
    if size > zynq.lite_bytes or node.host.base % size:
        found = f"the core needs {size} bytes of registers at {node.host.base:#x}; "
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
            problems.append(Problem(f"{board.where}: platform.{node.platform}.{field}", found, "Move them"))
    if zynq.dma_base % DMA_STRIDE:
        found = f"{zynq.dma_base:#x} is not a multiple of {DMA_STRIDE:#x}"
        problems.append(Problem(f"{board.where}: platform.{node.platform}.dma_base", found, "Move it"))
    if zynq.dma_base < zynq.lite_base + zynq.lite_bytes and zynq.lite_base < end:
        found = f"registers of the DMAs from {zynq.dma_base:#x} to {end:#x} lie in the core's window"
        problems.append(
            Problem(
                f"{board.where}: platform.{node.platform}.dma_base",
                found,
                "Move it, or make lite_bytes smaller",
            )
        )
    return problems


def _masters(node: NodePlan, where: str) -> list[Problem]:
    """Return windows that leave the core: the block design has nothing for them."""
    remedy = "Choose a link whose registers are in the core, or a board of another platform"
    return [
        Problem(
            f"{where}: link {attachment.link}",
            f"its window {claim.name} leaves the core as m_axil_{claim.name}, and nothing here takes it",
            remedy,
        )
        for attachment in node.attachments
        for claim in attachment.claims
        if claim.leaves
    ]


def _streams(node: NodePlan, where: str) -> list[Problem]:
    """Return link ports that no AXI DMA has: a power of two and never wider than its memory side (PG021)."""
    legal = [1 << power for power in range(3, 11) if 1 << power <= facts_of(node).hp_data_bits]
    return [
        Problem(
            f"{where}: stream {path.boundary}",
            f"a link port of {path.link_bits} bits; AXI DMA takes {legal}",
            "Choose another link",
        )
        for attachment in node.attachments
        for path in attachment.ends
        if attachment.dock == DOCK and path.link_bits not in legal
    ]


def _clocks(node: NodePlan, where: str) -> list[Problem]:
    """Return a clock for the partitions that the PS cannot give."""
    most = processing_system(node).most_hz
    if not node.apart or node.compute.hz <= most:
        return []
    found = f"{node.compute.hz / 1e6:g} MHz; the PS of {node.board.name} gives {most / 1e6:g} MHz at most"
    return [Problem(f"{where}.compute_mhz", found, "Choose a lower one")]


def _ports(node: NodePlan, where: str) -> list[Problem]:
    """Return what the processing system of this family does not have."""
    system, problems = processing_system(node), []
    if port_name(node) not in system.ports:
        at = (
            f"{where}.options.{node.platform}.memory_port"
            if options_of(node).memory_port
            else f"{node.board.where}: platform.{node.platform}.memory_port"
        )
        found = f"{port_name(node)}; {node.board.name} has {', '.join(system.ports)}"
        problems.append(Problem(at, found, "Choose one of these"))
    pins = sum(len(dma.interrupts) for dma in dmas(node))
    if node.memory_ports and not dmas(node):
        found = "a stream with buffer in memory, and no DMA: no program of the host would give it any"
        problems.append(Problem(where, found, 'Say buffer = "chip", or let a stream of the host enter here'))
    masters = sum(len(dma.masters) for dma in dmas(node)) + len(node.memory_ports)
    if masters > MAX_MEMORY_MASTERS:
        found = f"{masters} masters of memory: DMAs and streams with buffer in memory; "
        found += f"an interconnect has {MAX_MEMORY_MASTERS}"
        problems.append(Problem(where, found, "Put partitions on another node"))
    if options_of(node).interrupts == "direct" and pins > len(system.gic):
        found = f"{pins} interrupts; {node.board.name} has {len(system.gic)} lines at {system.irq}"
        problems.append(Problem(f"{where}.options.{node.platform}.interrupts", found, 'Say "intc"'))
    return problems


def _memory(node: NodePlan) -> list[Problem]:
    """A segment is a power of two, and no larger than what the family has there."""
    zynq, system, problems = facts_of(node), processing_system(node), []
    for field, size, most in (
        ("ddr_bytes", zynq.ddr_bytes, system.low_ddr),
        ("ddr_high_bytes", zynq.ddr_high_bytes, system.high_ddr),
    ):
        at = f"{node.board.where}: platform.{node.platform}.{field}"
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
    found = f"{options_of(node).ila} samples of {len(node.rx) + len(node.tx)} streams take {ramb18} RAMB18; "
    return [
        Problem(
            f"{where}.options.{node.platform}.ila",
            f"{found}{node.board.name} has {have}",
            "Keep fewer samples",
        )
    ]
