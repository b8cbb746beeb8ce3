# SPDX-License-Identifier: BSD-3-Clause
"""Commands that join pins and interfaces, and those that bring them out of the design."""

from __future__ import annotations

from ..design import InterfacePin, Pin
from .block_facts import resolved
from .block_state import Sheet, absolute, first_and_rest, net, sheet, words_of
from .block_wiring import join_path, name_of, parent_of
from .commands import Arguments, Command, ToolError
from .session import Session

_OPPOSITE = {"master": "Slave", "slave": "Master"}


def connect_bd_net(session: Session, call: Arguments) -> str:
    """Join pins and ports into a net."""
    return _connect(session, call, "-net", "pin", interface=False)


def connect_bd_intf_net(session: Session, call: Arguments) -> str:
    """Join interfaces into a net."""
    return _connect(session, call, "-intf_net", "interface", interface=True)


def _connect(session: Session, call: Arguments, option: str, what: str, *, interface: bool) -> str:
    current = sheet(session)
    members = list(dict.fromkeys(absolute(current, word) for word in words_of(call.rest)))
    name = (words_of([call.options[option]]) or [""])[0] if call.has(option) else ""
    level = parent_of(absolute(current, name)) if "/" in name else current.instance
    known = net(current, join_path(level, name_of(name)), interfaces=interface) if name else None
    if len(members) < 2 and (known is None and not (name and members)):
        missing = [word for word in call.rest if not word.strip()]
        raise ToolError(
            f"{call.command} has {len(members)} {what}{'s' * (len(members) != 1)}"
            + (f", since {current.last_miss} is not there" if missing and current.last_miss else ""),
            where=members[0] if members else current.last_miss,
            expected=f"two {what}s at least",
            remedy=f"Correct the name of the {what}",
            vivado="" if interface else "BD 41-701",
            rule="too-few-pins",
        )
    found = current.wiring.connect(
        members,
        call.origin,
        interface=interface,
        current=level,
        name=known.name if known else name_of(name),
        boundary=call.options.get("-boundary_type", ""),
    )
    path = join_path(found.hier, found.name)
    current.kinds[path] = "intf_net" if interface else "net"
    return path


def disconnect_bd_net(session: Session, call: Arguments) -> str:
    """Take pins out of a net."""
    return _disconnect(session, call, interface=False)


def disconnect_bd_intf_net(session: Session, call: Arguments) -> str:
    """Take interfaces out of a net."""
    return _disconnect(session, call, interface=True)


def _disconnect(session: Session, call: Arguments, *, interface: bool) -> str:
    current = sheet(session)
    name, pins = first_and_rest(call, "net")
    found = net(current, absolute(current, name), interfaces=interface)
    if found is None:
        raise ToolError(
            f"there is no net {name}",
            where=absolute(current, name),
            expected="a net",
            remedy="Correct the name",
        )
    for pin in pins or list(found.members):
        current.wiring.leave(found, absolute(current, pin))
    return ""


def make_bd_pins_external(session: Session, call: Arguments) -> str:
    """Make a port for each pin, and join them."""
    return _external(session, call, interface=False)


def make_bd_intf_pins_external(session: Session, call: Arguments) -> str:
    """Make an interface port for each interface, and join them."""
    return _external(session, call, interface=True)


def _external(session: Session, call: Arguments, *, interface: bool) -> str:
    current = sheet(session)
    ports = []
    for word in words_of(call.rest):
        path = absolute(current, word)
        cells = current.design.cells
        found = [path] if path not in cells else _open_pins(session, current, path, interface=interface)
        ports += [external(session, current, pin, call, interface=interface) for pin in found]
    return " ".join(ports)


def external(session: Session, current: Sheet, pin: str, call: Arguments, *, interface: bool) -> str:
    """Make a port of the design for a pin, and join them; the direction is the pin's, if it is known."""
    top = current.design.cells["/"]
    taken = {*top.pins, *top.interfaces}
    name = call.options.get("-name", "") or _numbered(name_of(pin), taken)
    if interface:
        mode, vlnv = interface_of(session, current, pin)
        top.interfaces[name] = InterfacePin(name, mode, vlnv, call.origin)
    else:
        top.pins[name] = _port(session, current, pin, name, call)
    current.wiring.connect((f"/{name}", pin), call.origin, interface=interface, current="/")
    current.kinds[f"/{name}"] = "pin"
    return f"/{name}"


def _numbered(name: str, taken: set[str]) -> str:
    number = 0
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def interface_of(session: Session, current: Sheet, path: str) -> tuple[str, str]:
    """Return mode and VLNV of an interface of a cell, empty where they are not known."""
    cell = current.design.cells.get(parent_of(path))
    if cell is not None and name_of(path) in cell.interfaces:
        pin = cell.interfaces[name_of(path)]
        return pin.mode, pin.vlnv
    facts = resolved(session, cell)
    fact = facts.interfaces.get(name_of(path)) if facts else None
    return (fact.mode.capitalize(), fact.vlnv) if fact else ("", "")


def _port(session: Session, current: Sheet, path: str, name: str, call: Arguments) -> Pin:
    cell = current.design.cells.get(parent_of(path))
    if cell is not None and name_of(path) in cell.pins:
        pin = cell.pins[name_of(path)]
        return Pin(name, pin.direction, call.origin, pin.type, pin.left, pin.right)
    facts = resolved(session, cell)
    fact = facts.ports.get(name_of(path)) if facts else None
    if fact is None:
        return Pin(name, "", call.origin)
    direction = {"in": "I", "out": "O", "inout": "IO"}[fact.direction]
    return Pin(name, direction, call.origin, "", fact.left, fact.right)


def _open_pins(session: Session, current: Sheet, path: str, *, interface: bool) -> list[str]:
    """Return the pins of a cell that nothing is connected to: what making a cell external brings out."""
    cell = current.design.cells[path]
    facts = resolved(session, cell)
    if facts is not None:
        names = list(facts.interfaces if interface else facts.ports)
    else:
        names = list(cell.interfaces if interface else cell.pins)
        if cell.kind != "hier":
            session.not_modelled(path, f"which pins {call_name(interface)} brings out of {path} is not known")
    return [join_path(path, name) for name in names if not current.wiring.nets_of(join_path(path, name))]


def call_name(interface: bool) -> str:
    """Return the command that brings pins out."""
    return "make_bd_intf_pins_external" if interface else "make_bd_pins_external"


COMMANDS = {
    "connect_bd_net": Command(connect_bd_net, "-net= -boundary_type="),
    "connect_bd_intf_net": Command(connect_bd_intf_net, "-intf_net= -boundary_type= -auto_save"),
    "disconnect_bd_net": Command(disconnect_bd_net, "-boundary_type="),
    "disconnect_bd_intf_net": Command(disconnect_bd_intf_net, "-boundary_type="),
    "make_bd_pins_external": Command(make_bd_pins_external, "-name="),
    "make_bd_intf_pins_external": Command(make_bd_intf_pins_external, "-name="),
}
