# SPDX-License-Identifier: BSD-3-Clause
"""Interrupts: as many as inputs, levels taken as levels, and none forgotten in a generated design."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..graph import Graph, split_path
from ..ip.constant import value_of
from ..report import Message
from .base import Context, rule
from .walk import Wrong, cells_of, count_of, finding, ip_name

# Interrupt inputs and how many lines each has: UG585, UG1085, PG099.
_INPUTS = {
    "processing_system7": (r"IRQ_F2P", 16),
    "zynq_ultra_ps_e": (r"pl_ps_irq\d", 8),
    "axi_intc": (r"intr", 32),
}
_MOST = 128  # inputs of a concatenation
_CONCATS = ("xlconcat", "ilconcat")


def _interrupt_inputs(graph: Graph) -> Iterator[tuple[str, str, int]]:
    """Yield every connected interrupt input: its path, what drives it, and its lines."""
    for path, cell in cells_of(graph, *_INPUTS):
        pattern, lines = _INPUTS[ip_name(cell)]
        resolved = graph.resolved(path)
        names = resolved.ports if resolved else ()
        for name in names:
            if re.fullmatch(pattern, name) and (driver := graph.driver(f"{path}/{name}")):
                yield f"{path}/{name}", driver, lines


def _inputs_of(graph: Graph, driver: str) -> list[str]:
    """Return the inputs of the concatenation that drives a pin, in order; none if it is no concatenation."""
    cell = graph.design.cells.get(split_path(driver)[0])
    if cell is None or ip_name(cell) not in _CONCATS:
        return []
    count = count_of(graph.config(cell.path).get("NUM_PORTS", "2")) or 0
    return [f"{cell.path}/In{index}" for index in range(min(count, _MOST))]


@rule("interrupt-count", scope="design", source="UG585, UG1085, PG099")
def interrupt_count(context: Context) -> Iterator[Message]:
    """Find more interrupts on an input than it has lines."""
    graph = context.graph
    for path, driver, lines in _interrupt_inputs(graph):
        port = graph.port(driver)
        bits = max(port.bits or 1 if port else 1, len(_inputs_of(graph, driver)))
        if bits > lines:
            yield finding(
                context,
                "interrupt-count",
                path,
                Wrong(
                    f"{driver} brings {bits} interrupts, and the input has {lines} lines",
                    f"at most {lines}",
                    "collect them with an AXI Interrupt Controller",
                ),
            )


@rule("interrupt-open", scope="design", source="UG585, UG1085, PG099", ours=True)
def interrupt_open(context: Context) -> Iterator[Message]:
    """Find interrupts that were forgotten in a generated design; elsewhere a line may be spare."""
    graph = context.graph
    for path, driver, _ in _interrupt_inputs(graph):
        for line in _inputs_of(graph, driver):
            if not graph.may_be_driven(line):
                yield _open(context, line, f"nothing drives it, so an interrupt of {path} never comes")
    for path, cell in cells_of(graph, *_INPUTS):
        resolved = graph.resolved(path)
        for name in resolved.ports if resolved else ():
            here = f"{path}/{name}"
            doubtful = resolved is not None and name in resolved.doubtful
            if (
                re.fullmatch(_INPUTS[ip_name(cell)][0], name)
                and not doubtful
                and not graph.may_be_driven(here)
            ):
                yield _open(context, here, "nothing drives it, so no interrupt ever comes")


def _open(context: Context, path: str, found: str) -> Message:
    return finding(
        context,
        "interrupt-open",
        path,
        Wrong(found, "an interrupt on each line", "connect it, or take the line away"),
    )


@rule("interrupt-edge", scope="design", source="PG099, AXI INTC: C_KIND_OF_INTR")
def interrupt_edge(context: Context) -> Iterator[Message]:
    """Find level interrupts that a controller takes for edges: of two in a row, the second would be lost."""
    graph = context.graph
    for path, cell in cells_of(graph, "axi_intc"):
        setting = next((s for name, s in cell.config.items() if name.upper() == "C_KIND_OF_INTR"), None)
        driver = graph.driver(f"{path}/intr")
        kinds = value_of(setting.value, {}) if setting else None
        if setting is None or driver is None or kinds is None:
            continue
        for index, line in enumerate(_inputs_of(graph, driver) or [f"{path}/intr"]):
            begin = graph.driver(line)
            signal = graph.signal(begin) if begin else None
            level = signal is not None and signal.params.get("SENSITIVITY", "").startswith("LEVEL")
            if kinds >> index & 1 and (level or (context.ours and begin)):
                yield finding(
                    context,
                    "interrupt-edge",
                    path,
                    Wrong(
                        f"it takes {begin}, which is a level, for an edge (C_KIND_OF_INTR {setting.value})",
                        "levels taken as levels",
                        f"clear bit {index} of C_KIND_OF_INTR",
                    ),
                    setting.origin,
                )
