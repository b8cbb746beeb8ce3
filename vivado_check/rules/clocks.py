# SPDX-License-Identifier: BSD-3-Clause
"""Clocks of buses: that there is one, that both ends have the same, and that it is as fast as they say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..clocking import is_number, rate_of, same_domain
from ..graph import Graph, associated, pin_path, split_path
from ..ip.facts import AXIMM, AXIS, CLOCK
from ..report import Message
from .base import Context, rule
from .walk import UG994, Wrong, error, finding, inputs, interfaces, links, sources_of

_MISMATCH = "honording/ov7670_VDMA_VGA, issue 1"


@rule("bus-clock", scope="design", source="stnolting/neorv32, issue 825")
def bus_clock(context: Context) -> Iterator[Message]:
    """Find AXI interfaces of modules, and ports of a generated design, without an associated clock."""
    graph = context.graph
    for path, interface in interfaces(graph, AXIMM, AXIS):
        cell = graph.design.cells[split_path(path)[0]]
        ip = graph.ip(cell.path) if cell.kind == "module" else None
        # A clock that hangs on a macro may be the one that names it.
        judged = (ip is not None and ip.complete) or (cell.path == "/" and context.ours)
        if judged and interface.mode.lower() != "monitor" and graph.clock_of(path) is None:
            yield finding(
                context,
                "bus-clock",
                path,
                Wrong(
                    "no clock beside it names it in ASSOCIATED_BUSIF",
                    "one clock for each AXI interface",
                    "list it in ASSOCIATED_BUSIF of its clock",
                    "BD 41-967",
                ),
                cell.origin,
            )


@rule("clock-domains", scope="design", source=_MISMATCH)
def clock_domains(context: Context) -> Iterator[Message]:
    """Find buses whose two ends have different clocks."""
    graph = context.graph
    for path, _, other, _ in links(graph, AXIMM, AXIS):
        here, there = sources_of(graph, path), sources_of(graph, other)
        if not here or not there or any(same_domain(graph, a, b) for a in here for b in there):
            continue
        yield error(
            context,
            "clock-domains",
            other,
            Wrong(
                f"its clock is {_or(there)}, and that of its master {path} is {_or(here)}",
                "one clock at both ends",
                "connect the clock of one to that of the other, or put a clock converter between them",
                "BD 41-237",
            ),
        )


def _or(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))


@rule("monitor-clock", scope="design", source="PG261, System ILA")
def monitor_clock(context: Context) -> Iterator[Message]:
    """Find monitors that sample an interface with another clock than its own."""
    graph = context.graph
    for path, interface in interfaces(graph, AXIMM, AXIS):
        if interface.mode.lower() != "monitor":
            continue
        watched = [end for end in graph.bus_ends(path) if not graph.is_monitor(end)]
        cell = split_path(path)[0]
        clock = graph.clock_of(path) or pin_path(cell, "clk")
        own = graph.source_of_clock(clock)
        sources = frozenset[str]().union(*(sources_of(graph, end) for end in watched))
        if own and sources and not any(same_domain(graph, own, source) for source in sources):
            yield finding(
                context,
                "monitor-clock",
                path,
                Wrong(
                    f"it samples {watched[0]} with {own}, and that has the clock {_or(sources)}",
                    "the clock of what it looks at",
                    "give it that clock, or another monitor",
                ),
            )


@rule("clock-names", scope="design", source=UG994)
def clock_names(context: Context) -> Iterator[Message]:
    """Find ASSOCIATED_BUSIF and ASSOCIATED_RESET of modules and ports that name nothing."""
    graph = context.graph
    for path, cell in graph.design.cells.items():
        resolved = graph.resolved(path)
        if path == "/":
            buses, resets = set(cell.interfaces), set(cell.pins)
        elif cell.kind == "module" and resolved and resolved.complete:
            buses, resets = set(resolved.interfaces), set(resolved.ports) | set(resolved.interfaces)
        else:
            continue
        for name, signal in graph.signals(path).items():
            if signal.vlnv != CLOCK:
                continue
            for parameter, there in (("ASSOCIATED_BUSIF", buses), ("ASSOCIATED_RESET", resets)):
                known = {one.lower() for one in there}
                for listed in associated(signal, parameter):
                    if listed.lower() not in known:
                        yield _unnamed(context, pin_path(path, name), parameter, listed)


def _unnamed(context: Context, path: str, parameter: str, listed: str) -> Message:
    cell, name = split_path(path)
    pin = context.graph.design.cells["/"].pins.get(name) if cell == "/" else None
    setting = pin.config.get(parameter) if pin else None
    origin = setting.origin if setting else context.graph.design.cells[cell].origin
    return finding(
        context,
        "clock-names",
        path,
        Wrong(
            f"its {parameter} names {listed}, which does not exist",
            "names of its own interfaces and resets",
            "correct the name",
        ),
        origin,
    )


@rule("clock-rates", scope="design", source=_MISMATCH)
def clock_rates(context: Context) -> Iterator[Message]:
    """Find clocks and interfaces that say another frequency than their source has."""
    graph = context.graph
    for path, signal, _ in inputs(graph, CLOCK):
        source = graph.source_of_clock(path)
        said = _hertz(signal.params.get("FREQ_HZ", ""))
        module = graph.design.cells[split_path(path)[0]].kind == "module" or path.count("/") == 1
        if source and said and module and (wrong := _differs(graph, said, source)):
            yield error(context, "clock-rates", path, replace(wrong, vivado="BD 41-238"))
    for name, port in graph.design.cells["/"].interfaces.items():
        path = pin_path("/", name)
        said = _hertz(port.config["FREQ_HZ"].value) if "FREQ_HZ" in port.config else 0
        other = graph.peer(path)
        sources = sources_of(graph, path) or (sources_of(graph, other) if other else frozenset())
        if said and len(sources) == 1 and (wrong := _differs(graph, said, next(iter(sources)))):
            yield error(context, "clock-rates", path, wrong, port.config["FREQ_HZ"].origin)


def _hertz(text: str) -> int:
    return round(float(text)) if is_number(text) else 0


def _differs(graph: Graph, said: int, source: str) -> Wrong | None:
    rate = rate_of(graph, source)
    if rate is None or abs(said - rate.hertz) <= rate.slack:
        return None
    return Wrong(
        f"it says {said} Hz, and its clock {source} has {rate.hertz} Hz",
        "the frequency of its clock",
        "set FREQ_HZ to that of its clock, or leave it out",
        "BD 41-237",
    )
