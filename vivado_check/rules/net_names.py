# SPDX-License-Identifier: BSD-3-Clause
"""Names that a script uses and an IP does not have."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from ..graph import pin_path, split_path
from ..ip.facts import Resolved
from ..ip.names import slip
from ..report import Message
from .base import Context, rule
from .walk import Wrong, error, not_modelled

_REMEDY = "correct the name, or the CONFIG that switches it on"


@rule("unknown-ip", scope="design", source="our own: nothing is known of what cannot be looked up")
def unknown_ip(context: Context) -> Iterator[Message]:
    """Count the cells that nothing can be said of, once each."""
    for path, cell in context.graph.design.cells.items():
        if cell.kind == "hier" or context.graph.resolved(path):
            continue
        what = {"module": f"the module {cell.reference}", "container": "a block design container"}
        yield not_modelled(
            context,
            "unknown-ip",
            path,
            Wrong(
                f"no facts of {what.get(cell.kind, cell.vlnv)}",
                "facts of the IP",
                "give --learn its component.xml, a project or a .hwh that has it",
            ),
            cell.origin,
        )


@rule("interface-vlnv", scope="design", source="UG835, create_bd_intf_port: vendor:library:name:version")
def interface_vlnv(context: Context) -> Iterator[Message]:
    """Find interfaces of hierarchies and of the design that are declared to be of no bus."""
    for path, cell in context.graph.design.cells.items():
        for name, interface in cell.interfaces.items():
            if interface.vlnv and len(interface.vlnv.split(":")) != 4:
                found = f"it is declared as {interface.vlnv}, which is no VLNV"
                wrong = Wrong(found, "vendor:library:name:version of a bus", "correct its -vlnv")
                yield error(context, "interface-vlnv", pin_path(path, name), wrong, interface.origin)


@rule("unknown-pin", scope="design", source="pavel-demin/red-pitaya-notes, issue 1079")
def unknown_pin(context: Context) -> Iterator[Message]:
    """Find pins that an IP does not have in its configuration."""
    yield from _unknown(context, "unknown-pin", list(context.graph.pins.origins), "pin", "BD 41-701")


@rule("unknown-interface", scope="design", source="apache/tvm, issue 7726")
def unknown_interface(context: Context) -> Iterator[Message]:
    """Find interfaces that an IP does not have in its configuration."""
    members = list(context.graph.buses.origins)
    yield from _unknown(context, "unknown-interface", members, "interface", "")


def _unknown(context: Context, name: str, paths: list[str], what: str, vivado: str) -> Iterator[Message]:
    graph = context.graph
    for path in paths:
        cell, short = split_path(path)
        resolved = graph.resolved(cell) if cell != "/" else None
        if resolved is None or short in resolved.ports or short in resolved.interfaces:
            continue
        ip = graph.design.cells[cell].vlnv or cell
        if resolved.complete and short not in resolved.doubtful and _denied(short, resolved):
            found = f"{ip} has no {what} {short} in this configuration"
            wrong = Wrong(found, f"one that it has{_like(short, resolved, what)}", _REMEDY, vivado)
            yield error(context, name, path, wrong)
        else:
            found = f"no public project shows whether {ip} has {short} in this configuration"
            yield not_modelled(context, name, path, Wrong(found, f"a known {what}", _REMEDY))


def _denied(name: str, resolved: Resolved) -> bool:
    """Tell whether a pin is surely not there: facts from public projects are no complete list.

    It is not if the list is the IP's own, if the script's own settings switch it off, or if the name differs
    from a known one by a typo. Members of numbered families differ in digits, which are no typo.
    """
    if resolved.closed or name in resolved.denied:
        return True
    names = {*resolved.ports, *resolved.interfaces, *resolved.known}
    return name not in names and any(slip(name, known) for known in names)


def _like(name: str, resolved: Resolved, what: str) -> str:
    names = resolved.interfaces if what == "interface" else resolved.ports
    lower = {known.lower(): known for known in names}
    near = get_close_matches(name.lower(), lower, 2, 0.75)
    return f", such as {' or '.join(lower[one] for one in near)}" if near else ""
