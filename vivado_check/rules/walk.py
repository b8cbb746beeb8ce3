# SPDX-License-Identifier: BSD-3-Clause
"""Common parts of rules on connections: ways through the graph, and messages about findings there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..clocking import source
from ..design import Cell
from ..graph import Graph, pin_path
from ..ip.facts import CLOCK, IpInterface, IpPort, Resolved
from ..report import Message, Origin, Verdict
from .base import Context

UG994 = "UG994, Designing IP Subsystems Using IP Integrator"


def ip_name(cell: Cell) -> str:
    """Return the third part of a cell's VLNV."""
    return (cell.vlnv.split(":") + [""] * 3)[2]


def count_of(text: str) -> int | None:
    """Return a plain number of at most nine digits, None for any other text."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def known_cells(graph: Graph) -> Iterator[tuple[str, Resolved]]:
    """Yield the path of every cell whose IP is known, with its pins and interfaces."""
    for path in graph.design.cells:
        if path != "/" and (resolved := graph.resolved(path)):
            yield path, resolved


def cells_of(graph: Graph, *names: str) -> Iterator[tuple[str, Cell]]:
    """Yield the cells of these IP, whose facts need not be known."""
    for path, cell in graph.design.cells.items():
        if cell.kind in ("ip", "inline_hdl") and ip_name(cell) in names:
            yield path, cell


def inputs(graph: Graph, *kinds: str) -> Iterator[tuple[str, IpInterface, IpPort]]:
    """Yield every clock, reset or interrupt (by VLNV) that a cell or a port of the design takes."""
    for cell in graph.design.cells:
        resolved = graph.resolved(cell)
        for name, signal in graph.signals(cell).items():
            path = pin_path(cell, name)
            port = graph.port(path)
            doubtful = resolved is not None and not resolved.doubtful.isdisjoint((name, signal.name))
            if signal.vlnv in kinds and port and port.direction == "in" and not doubtful:
                yield path, signal, port


def interfaces(graph: Graph, *kinds: str) -> Iterator[tuple[str, IpInterface]]:
    """Yield every interface of these buses, of cells and of the design, but for doubtful ones."""
    for cell, resolved in known_cells(graph):
        for name, interface in resolved.interfaces.items():
            if interface.vlnv in kinds and name not in resolved.doubtful:
                yield pin_path(cell, name), interface
    for name in graph.design.cells["/"].interfaces:
        port = graph.interface(pin_path("/", name))
        if port and port.vlnv in kinds:
            yield pin_path("/", name), port


def links(graph: Graph, *kinds: str) -> Iterator[tuple[str, IpInterface, str, IpInterface]]:
    """Yield both ends of every bus that joins a master to a slave: path and interface of each."""
    for path, interface in interfaces(graph, *kinds):
        other = graph.peer(path) if interface.mode.lower() == "master" else None
        there = graph.interface(other) if other else None
        if other and there and there.vlnv == interface.vlnv and there.mode.lower() == "slave":
            yield path, interface, other, there


def clocks_of(graph: Graph, interface: str) -> tuple[str, ...]:
    """Return the pins one of which clocks an interface, empty if that is not known.

    A SmartConnect finds out which of its clocks each interface is on (PG247), so it may be any of them.
    """
    cell = interface.rpartition("/")[0]
    found = graph.design.cells.get(cell)
    if found and ip_name(found) == "smartconnect":
        return tuple(pin_path(cell, n) for n, s in graph.signals(cell).items() if s.vlnv == CLOCK)
    clock = graph.clock_of(interface)
    return (clock,) if clock else ()


def sources_of(graph: Graph, interface: str) -> frozenset[str]:
    """Return where the clock of an interface may come from, empty if that is not known."""
    found = [source(graph, clock) for clock in clocks_of(graph, interface)]
    return frozenset(one for one in found if one) if None not in found else frozenset()


@dataclass(frozen=True)
class Wrong:
    """A fault at a place; `vivado` is the identity of Vivado's own message."""

    found: str
    expected: str
    remedy: str
    vivado: str = ""


def error(context: Context, rule: str, where: str, wrong: Wrong, origin: Origin | None = None) -> Message:
    """Return a message that Vivado stops, at the line that connected a pin or made its cell."""
    return _message(context, (rule, Verdict.ERROR), where, wrong, origin)


def finding(context: Context, rule: str, where: str, wrong: Wrong, origin: Origin | None = None) -> Message:
    """Return a message that Vivado goes on and the hardware is wrong."""
    return _message(context, (rule, Verdict.FINDING), where, wrong, origin)


def not_modelled(
    context: Context, rule: str, where: str, wrong: Wrong, origin: Origin | None = None
) -> Message:
    """Return a message that we do not know."""
    return _message(context, (rule, Verdict.NOT_MODELLED), where, wrong, origin)


def _message(
    context: Context, kind: tuple[str, Verdict], where: str, wrong: Wrong, origin: Origin | None
) -> Message:
    line = origin or context.graph.joined(where)
    return Message(*kind, line, where, wrong.found, wrong.expected, wrong.remedy, wrong.vivado)
