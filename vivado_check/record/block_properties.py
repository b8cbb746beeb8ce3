# SPDX-License-Identifier: BSD-3-Clause
"""Properties of the objects of a block design; get_property and set_property ask here first."""

from __future__ import annotations

from ..design import Cell, InterfacePin, Net, Pin, Segment, Setting
from .block_addresses import automatic_target, number
from .block_facts import component_name, config_of, frequency, ip_of, resolved
from .block_state import (
    Sheet,
    absolute,
    interface,
    net,
    rename,
    rename_pin,
    scalar,
    segment_path,
    sheet_of,
)
from .block_wiring import join_path, name_of, parent_of
from .session import Session

_DIRECTIONS = {"in": "I", "out": "O", "inout": "IO"}
Thing = Cell | Pin | InterfacePin | Net | Segment | str


def _sheet(session: Session) -> Sheet | None:
    return sheet_of(session, session.design) if session.design is not None else None


def _find(current: Sheet, path: str) -> Thing | None:
    """Return the object of a path: what a getter last gave it as, if there are several."""
    kind = current.kinds.get(path, "")
    segments = {segment_path(segment): segment for segment in current.design.segments}
    tried: dict[str, Thing | None] = {
        "cell": current.design.cells.get(path),
        "pin": scalar(current, path) or interface(current, path),
        "segment": segments.get(path),
    }
    if kind in ("net", "intf_net"):
        tried[kind] = net(current, path, interfaces=kind == "intf_net")
    found = tried.get(kind) or next((thing for thing in tried.values() if thing is not None), None)
    owner = current.design.cells.get(parent_of(path))
    if found is None and (kind or (owner is not None and owner.kind != "hier")):
        return path  # of an IP: a pin, an interface, a space, a segment
    return found


def get(session: Session, name: str, path: str) -> str | None:
    """Return a property of an object of the block design.

    Returns:
        Its value, empty if that is not known; None if there is no such object.
    """
    if path in session.recording.designs:
        return {"NAME": path, "CLASS": "bd_design"}.get(name.upper(), "")
    current = _sheet(session)
    if current is None or not path or path.startswith("-"):
        return None
    full = absolute(current, path)
    thing = _find(current, full)
    if thing is None:
        return None
    if isinstance(thing, Pin | InterfacePin | Cell) and name.upper().startswith("CONFIG."):
        return _config(session, thing, full, name[7:])
    value = _value(session, current, thing, full, name.upper())
    if value is None:
        session.not_modelled(full, f"the property {name} of {full} is not known")
    return value or ""


def _config(session: Session, thing: Cell | Pin | InterfacePin, path: str, name: str) -> str:
    found = thing.config.get(name) or next(
        (setting for key, setting in thing.config.items() if key.lower() == name.lower()), None
    )
    if found is not None:
        return found.value
    if isinstance(thing, Cell) and name.upper() == "COMPONENT_NAME" and session.design is not None:
        return component_name(session.design, thing)
    ip = ip_of(session, thing) if isinstance(thing, Cell) else None
    fact = ip.parameter(name, config_of(thing)) if ip is not None and isinstance(thing, Cell) else None
    if fact is not None and fact.default is not None:
        return fact.default
    session.not_modelled(path, f"CONFIG.{name} of {path} is not known")
    return ""


def _value(session: Session, current: Sheet, thing: Thing, path: str, name: str) -> str | None:
    """Return a property; None if it is not known."""
    if name in ("NAME", "PATH"):
        return path if name == "PATH" else name_of(path)
    top = parent_of(path) == "/"
    match thing:
        case Cell():
            return _of_cell(session, thing, name)
        case Pin():
            return _of_pin(thing, name, port=top)
        case InterfacePin():
            known = {"MODE": thing.mode, "VLNV": thing.vlnv, "CLASS": f"bd_intf_{'port' if top else 'pin'}"}
            value = known.get(name, _set(thing.properties, name))
        case Segment():
            value = _of_segment(thing, name)
        case Net():
            kind = "bd_intf_net" if current.wiring.is_interface(thing) else "bd_net"
            value = {"CLASS": kind}.get(name)
        case _ if name == "CONFIG.FREQ_HZ" and (hertz := frequency(session, path)) is not None:
            value = hertz
        case _:
            value = _of_fact(session, current, path, name)
    return value


def _set(properties: dict[str, Setting], name: str) -> str | None:
    found = properties.get(name)
    return found.value if found is not None else None


def _of_cell(session: Session, cell: Cell, name: str) -> str | None:
    known = {"CLASS": "bd_cell", "TYPE": cell.kind, "VLNV": cell.vlnv}
    if name == "VLNV" and cell.vlnv.count(":") < 3:
        ip = ip_of(session, cell)
        return ip.vlnv if ip is not None else None
    return known.get(name, _set(cell.properties, name))


def _of_pin(pin: Pin, name: str, *, port: bool) -> str | None:
    known = {"CLASS": "bd_port" if port else "bd_pin", "DIR": pin.direction, "TYPE": pin.type or "undef"}
    known |= {"LEFT": _text(pin.left), "RIGHT": _text(pin.right)}
    return known.get(name, _set(pin.properties, name))


def _text(value: int | None) -> str:
    return "" if value is None else str(value)


def _of_segment(segment: Segment, name: str) -> str | None:
    if name == "CLASS":
        return "bd_addr_seg"
    if name in ("OFFSET", "RANGE"):
        value = segment.offset if name == "OFFSET" else segment.range
        return f"{value:#018x}" if value is not None else None
    return None


def _of_fact(session: Session, current: Sheet, path: str, name: str) -> str | None:
    """Return a property of a pin, an interface or an own segment of an IP."""
    facts = resolved(session, current.design.cells.get(parent_of(path)))
    if facts is None:
        return None
    port, found = facts.ports.get(name_of(path)), facts.interfaces.get(name_of(path))
    if found is not None:
        known = {"CLASS": "bd_intf_pin", "MODE": found.mode.capitalize(), "VLNV": found.vlnv}
        if name.startswith("CONFIG."):
            return found.params.get(name.removeprefix("CONFIG."))
        return known.get(name)
    if port is not None:
        known = {"CLASS": "bd_pin", "DIR": _DIRECTIONS[port.direction]}
        known |= {"LEFT": _text(port.left), "RIGHT": _text(port.right)} if port.sized else {}
        return known.get(name)
    return None


def put(session: Session, name: str, value: str, path: str) -> bool:
    """Set a property of an object of the block design; return whether there is such an object."""
    current = _sheet(session)
    if path in session.recording.designs and (not current or _find(current, absolute(current, path)) is None):
        return True  # a comment, or another property of the whole design
    if current is None or not path:
        return False
    full = absolute(current, path)
    thing = _find(current, full)
    if thing is None and current.automatic and full != "/" and current.kinds.get(full):
        return True
    if thing is None or isinstance(thing, str):
        return thing is not None and _put_unmapped(session, current, full, name, value)
    if name.upper() == "NAME":
        _rename(current, thing, full, value)
    elif isinstance(thing, Segment):
        _put_segment(thing, name.upper(), value)
    elif not isinstance(thing, Net):
        config = name[:7].upper() == "CONFIG."
        table = thing.config if config else thing.properties
        table[name[7:] if config else name.upper()] = Setting(value, session.origin)
        if isinstance(thing, Pin) and name.upper() in ("LEFT", "RIGHT", "TYPE", "DIR"):
            _put_pin(thing, name.upper(), value)
    return True


def _put_pin(pin: Pin, name: str, value: str) -> None:
    if name in ("LEFT", "RIGHT"):
        setattr(pin, name.lower(), int(value) if value.lstrip("-").isdigit() else None)
    elif name == "TYPE":
        pin.type = value
    else:
        pin.direction = value.upper()


def _put_segment(segment: Segment, name: str, value: str) -> None:
    if name == "OFFSET":
        segment.offset = number(value)
    elif name == "RANGE":
        segment.range = number(value)


def _put_unmapped(session: Session, current: Sheet, path: str, name: str, value: str) -> bool:
    """Set a property of a pin or interface of an IP, or of a segment that Vivado has mapped by itself."""
    if name.upper() in ("OFFSET", "RANGE"):
        target = automatic_target(current, path)
        if target:
            found = Segment(parent_of(path), target, name_of(path), None, None, session.origin)
            current.design.segments.append(found)
            _put_segment(found, name.upper(), value)
            return True
        session.not_modelled(path, f"which segment {path} is, Vivado has chosen")
        return True
    cell = current.design.cells.get(parent_of(path))
    if cell is not None:
        cell.properties[f"{name_of(path)}/{name}"] = Setting(value, session.origin)
    return True


def _rename(current: Sheet, thing: Thing, path: str, value: str) -> None:
    new = join_path(parent_of(path), name_of(value))
    if isinstance(thing, Cell):
        rename(current, path, new)
    elif isinstance(thing, Segment):
        thing.name = name_of(value)
    elif isinstance(thing, Net):
        table = current.wiring.table(current.wiring.is_interface(thing))
        del table[thing.hier, thing.name]
        thing.name = name_of(value)
        table[thing.hier, thing.name] = thing
        current.wiring.automatic.discard(id(thing))
    elif not isinstance(thing, str):
        rename_pin(current, path, new)
    current.kinds[new] = current.kinds.get(path, "")


def names(session: Session, path: str) -> list[str] | None:
    """Return the properties that an object is known to have; None if there is no such object."""
    current = _sheet(session)
    thing = _find(current, absolute(current, path)) if current is not None and path else None
    if thing is None:
        return None
    found = ["CLASS", "NAME", "PATH"]
    if isinstance(thing, Cell | Pin | InterfacePin):
        found += [f"CONFIG.{name}" for name in thing.config] + list(thing.properties)
    return sorted(found)
