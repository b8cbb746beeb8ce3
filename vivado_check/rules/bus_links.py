# SPDX-License-Identifier: BSD-3-Clause
"""Permitted interface connections: of one bus, a master and a slave, each once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches

from ..graph import bus_type, split_path
from ..ip.facts import AXIMM, AXIS
from ..ip.module import LOGICAL
from ..report import Message, Verdict
from .base import Context, rule
from .walk import UG994, Wrong, error, finding, interfaces

_PAIRS = {"master": "slave", "slave": "master", "mirroredmaster": "master", "mirroredslave": "slave"}


@rule("bus-kinds", scope="design", source=UG994)
def bus_kinds(context: Context) -> Iterator[Message]:
    """Find interfaces of different buses on one net."""
    graph = context.graph
    for group in graph.buses.groups():
        known = [(path, found) for path in group if (found := graph.interface(path))]
        for path, found in known[1:]:
            if bus_type(found.vlnv) != bus_type(known[0][1].vlnv):
                yield error(
                    context,
                    "bus-kinds",
                    path,
                    Wrong(
                        f"it is {found.vlnv}, and {known[0][0]} is {known[0][1].vlnv}",
                        "one bus at both ends",
                        "connect interfaces of one bus, or put a converter between them",
                    ),
                )


@rule("bus-modes", scope="design", source="NetFPGA/P4-NetFPGA-public, issue 37")
def bus_modes(context: Context) -> Iterator[Message]:
    """Find two masters, or two slaves, on one net."""
    graph = context.graph
    for group in graph.buses.groups():
        known = {path: found.mode.lower() for path in group if (found := graph.interface(path))}
        ends = {path: mode for path, mode in known.items() if mode in _PAIRS}
        if len(ends) == 2 and len(set(ends.values())) == 1:
            first, second = ends
            yield error(
                context,
                "bus-modes",
                second,
                Wrong(
                    f"it and {first} are both {ends[second]}",
                    "a master and a slave",
                    "connect a master to a slave",
                    "BD 41-171",
                ),
            )


@rule("bus-twice", scope="design", source=UG994)
def bus_twice(context: Context) -> Iterator[Message]:
    """Find interfaces with more than one connection; monitors may look at one that has its own."""
    graph = context.graph
    for group in graph.buses.groups():
        ends = [
            path
            for path in graph.bus_ends(group[0])
            if (found := graph.interface(path)) and found.mode.lower() in _PAIRS
        ]
        if len(ends) > 2:
            yield error(
                context,
                "bus-twice",
                ends[-1],
                Wrong(
                    f"{', '.join(ends)} are on one net",
                    "two ends",
                    "connect each interface once, and use an interconnect or a broadcaster to share one",
                ),
            )


@rule("bus-not-connected", scope="design", source=UG994, ours=True)
def bus_not_connected(context: Context) -> Iterator[Message]:
    """Find AXI interfaces that lead nowhere, in a generated design, which uses every one.

    Others may leave spare ones open, which Vivado accepts.
    """
    graph = context.graph
    if graph.open:
        return
    planned = context.expectation.buses.get(graph.design.name)
    for path, interface in interfaces(graph, AXIMM, AXIS):
        if path not in graph.buses.origins and interface.mode.lower() != "monitor":
            wrong = Wrong(
                "it is not connected",
                "a connection, or a configuration without it",
                "connect it, or switch it off",
            )
            told = finding(context, "bus-not-connected", path, wrong)
            # A port that somebody has switched on besides, and that waits for a master, is allowed.
            spare = planned is not None and "/".join(path.split("/")[-2:]) not in planned
            idle = spare and interface.mode.lower() == "slave"
            yield replace(told, verdict=Verdict.DIFFERS) if idle else told


@rule("boundary-modes", scope="design", source=UG994)
def boundary_modes(context: Context) -> Iterator[Message]:
    """Find interfaces of a hierarchy that were declared with the mode of the other side."""
    graph = context.graph
    for net in graph.design.interface_nets.values():
        inner = [
            (path, declared)
            for path in net.members
            if path.rpartition("/")[0] == net.hier != "/"
            and (declared := graph.design.cells[net.hier].interfaces.get(path.rpartition("/")[2]))
        ]
        for path, declared in inner:
            others = [found for p in net.members if p != path and (found := graph.interface(p))]
            modes = {other.mode.lower() for other in others} & {"master", "slave"}
            if len(modes) == 1 and declared.mode.lower() in ("master", "slave") and len(inner) == 1:
                mode = modes.pop()
                if declared.mode.lower() != mode:
                    yield error(
                        context,
                        "boundary-modes",
                        path,
                        Wrong(
                            f"it is declared as {declared.mode}, and leads to a {mode} inside",
                            f"{mode.capitalize()}, as inside",
                            "declare the pin with the mode of what it leads to",
                            "BD 41-171",
                        ),
                        declared.origin,
                    )


@rule("boundary-directions", scope="design", source=UG994)
def boundary_directions(context: Context) -> Iterator[Message]:
    """Find pins of a hierarchy that are declared as inputs, and driven from inside."""
    graph = context.graph
    for net in graph.design.nets.values():
        if net.hier == "/" or net.hier not in graph.design.cells:
            continue
        pins = graph.design.cells[net.hier].pins
        driver = next(
            (path for path in net.members if (port := graph.port(path)) and port.direction == "out"), None
        )
        for path in net.members if driver else ():
            cell, name = split_path(path)
            if cell == net.hier and name in pins and pins[name].direction == "I":
                wrong = Wrong(
                    f"it is declared as an input, and {driver} drives it from inside",
                    "an output",
                    "declare it with -dir O, or connect what is meant",
                )
                yield finding(context, "boundary-directions", path, wrong, pins[name].origin)


@rule("bus-signals", scope="design", source=UG994)
def bus_signals(context: Context) -> Iterator[Message]:
    """Find ports of a module that are attributed to a signal that their bus does not have: they stay open."""
    graph = context.graph
    for path, interface in interfaces(graph, AXIMM, AXIS):
        cell = graph.design.cells[split_path(path)[0]]
        if cell.kind != "module":
            continue
        for logical in sorted(set(interface.ports) - LOGICAL[interface.vlnv]):
            near = get_close_matches(logical, sorted(LOGICAL[interface.vlnv]), 1)
            wrong = Wrong(
                f"its port {interface.ports[logical]} is said to be {logical}, which the bus does not have",
                f"a signal of the bus{f', such as {near[0]}' if near else ''}",
                "correct X_INTERFACE_INFO in the module",
            )
            yield finding(context, "bus-signals", path, wrong, cell.origin)
