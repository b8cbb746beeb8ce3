# SPDX-License-Identifier: BSD-3-Clause
"""Commands that answer with objects of a block design.

A pin of a cell that is no hierarchy is there whenever it is named in full: whether the IP has it, facts say
later. A wildcard is answered from facts, else from what the script has used so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..design import Cell, Net
from ..tcl.arguments import join_list
from ..tcl.regexp import matching
from ..tcl.wildcard import names_pattern
from . import block_properties
from .block_facts import resolved
from .block_state import (
    Sheet,
    absolute,
    cells_in,
    interface,
    net,
    scalar,
    sheet,
    words_of,
)
from .block_wiring import join_path, name_of, parent_of
from .commands import Arguments, Command, ToolError
from .filters import FilterError, parse
from .session import Session

Paths = Callable[[str], Iterable[str]]
Exists = Callable[[str], bool]
OPTIONS = "-filter= -of_objects= -regexp -nocase -hierarchical"


def answer(  # noqa: PLR0913 - what a getter is made of
    session: Session, call: Arguments, kind: str, paths: Paths, exists: Exists, related: Paths
) -> str:
    """Answer with paths.

    Args:
        kind: What these objects are.
        paths: All that can be named at or below a hierarchy.
        exists: Whether a full path is one.
        related: Those that belong to another object.
    """
    current = sheet(session)
    if call.has("-of_objects"):
        objects = [absolute(current, word) for word in words_of([call.options["-of_objects"]])]
        found = list(dict.fromkeys(path for owner in objects for path in related(owner)))
        patterns = words_of(call.rest)
        if patterns:
            tests = [_matcher(current, pattern, call) for pattern in patterns]
            found = [path for path in found if any(test(path) for test in tests)]
    else:
        found = _named(session, current, call, paths, exists)
    if call.has("-filter"):
        found = _filtered(session, call, found)
    for path in found:
        current.kinds[path] = kind
    if not found:
        current.last_miss = " ".join(call.rest) or call.options.get("-filter", call.command)
    return join_list(found)


def _named(session: Session, current: Sheet, call: Arguments, paths: Paths, exists: Exists) -> list[str]:
    patterns = words_of(call.rest)
    if not patterns and any(call.rest):
        return []
    if not patterns:
        patterns = ["*"] if not call.rest else []
    found: dict[str, None] = {}
    for pattern in patterns:
        if call.has("-regexp"):
            found.update(dict.fromkeys(_expressed(pattern, list(paths(pattern)), call)))
            continue
        if any(sign in pattern for sign in "*?") or call.has("-hierarchical"):
            test = _matcher(current, pattern, call)
            found.update(dict.fromkeys(path for path in paths(pattern) if test(path)))
            continue
        path = absolute(current, pattern)
        if exists(path):
            found[path] = None
        elif current.automatic and _may_be_added(current, path):
            session.not_modelled(path, f"{path} is not in the record; an automation may have added it")
            found[path] = None
    return list(found)


def _expressed(pattern: str, paths: list[str], call: Arguments) -> list[str]:
    """Return the paths that a regular expression matches, with or without the slash that they begin with."""
    names = [name for path in paths for name in (path, path.lstrip("/"))]
    found = set(matching(pattern, names, nocase=call.has("-nocase")))
    return [path for path in paths if {path, path.lstrip("/")} & found]


def _may_be_added(current: Sheet, path: str) -> bool:
    """Tell whether an automation may have made this: not in a hierarchy or a cell that the script made."""
    owner = current.design.cells.get(parent_of(path))
    return owner is None or owner.path == "/"


def _matcher(current: Sheet, pattern: str, call: Arguments) -> Callable[[str], bool]:
    nocase = call.has("-nocase")
    if call.has("-hierarchical"):
        expression = names_pattern(pattern.lstrip("/"), nocase=nocase)
        return lambda path: bool(
            expression.fullmatch(name_of(path))
            or expression.fullmatch(path.lstrip("/"))
            or ("/" in pattern and expression.fullmatch(f"{name_of(parent_of(path))}/{name_of(path)}"))
        )
    expression = names_pattern(absolute(current, pattern), nocase=nocase, levels=False)
    return lambda path: bool(expression.fullmatch(path))


def _filtered(session: Session, call: Arguments, found: list[str]) -> list[str]:
    try:
        test = parse(call.options["-filter"])
    except FilterError as error:
        raise ToolError(
            str(error), where=call.command, expected="an expression", remedy="Correct it"
        ) from None

    def lookup(path: str) -> Callable[[str], str]:
        return lambda name: block_properties.get(session, name, path) or ""

    return [path for path in found if test(lookup(path))]


# ---- cells ---------------------------------------------------------------------------------------------
def get_bd_cells(session: Session, call: Arguments) -> str:
    """Answer with cells."""
    current = sheet(session)
    cells = current.design.cells

    def paths(pattern: str) -> Iterator[str]:
        deep = call.has("-hierarchical") or "/" in pattern or call.has("-regexp")
        hier = "/" if pattern.startswith("/") else current.instance
        return (cell.path for cell in cells_in(current, hier, deep=deep))

    def related(owner: str) -> Iterator[str]:
        members = [m for entry in _nets_at(current, owner) for m in entry.members]
        for member in members or [owner]:
            if parent_of(member) != "/" and parent_of(member) in cells:
                yield parent_of(member)

    return answer(session, call, "cell", paths, lambda path: path in cells, related)


# ---- pins and ports ------------------------------------------------------------------------------------
def get_bd_pins(session: Session, call: Arguments) -> str:
    """Answer with pins of cells."""
    return _pins(session, call, interfaces=False)


def get_bd_intf_pins(session: Session, call: Arguments) -> str:
    """Answer with interfaces of cells."""
    return _pins(session, call, interfaces=True)


def _pins(session: Session, call: Arguments, *, interfaces: bool) -> str:
    current = sheet(session)

    def paths(pattern: str) -> Iterator[str]:
        for path in current.design.cells:
            if path != "/" and (path == current.instance or _wanted(current, pattern, path, call)):
                yield from (join_path(path, name) for name in pin_names(session, current, path, interfaces))

    def exists(path: str) -> bool:
        owner = current.design.cells.get(parent_of(path))
        if owner is None or owner.path == "/":
            return False
        if owner.kind == "hier":
            declared = (interface if interfaces else scalar)(current, path) is not None
            return declared or (not interfaces and _of_an_interface(owner, name_of(path)))
        return True

    def related(owner: str) -> Iterator[str]:
        if owner in current.design.cells and current.kinds.get(owner, "cell") == "cell":
            yield from (join_path(owner, name) for name in pin_names(session, current, owner, interfaces))
        elif not interfaces and (found := _ports_of_interface(session, current, owner)) is not None:
            yield from found
        else:
            yield from (m for e in _nets_at(current, owner) for m in e.members if parent_of(m) != "/")

    return answer(session, call, "pin", paths, exists, related)


def _of_an_interface(hierarchy: Cell, name: str) -> bool:
    """Tell whether a pin is one that an interface of the hierarchy stands for (``GPIO_tri_o``)."""
    return any(name.startswith(f"{declared}_") for declared in hierarchy.interfaces)


def _wanted(current: Sheet, pattern: str, cell: str, call: Arguments) -> bool:
    if call.has("-hierarchical") or call.has("-regexp"):
        return True
    head = parent_of(absolute(current, pattern))
    return names_pattern(head, levels=False).fullmatch(cell)


def pin_names(session: Session, current: Sheet, cell: str, interfaces: bool) -> list[str]:
    """Return the pins or interfaces of a cell: declared, by facts, and those that the script has used."""
    found = current.design.cells[cell]
    if found.kind == "hier":
        return list(found.interfaces if interfaces else found.pins)
    facts = resolved(session, found)
    names = dict.fromkeys((facts.interfaces if interfaces else facts.ports) if facts else ())
    if facts is None:
        what = "interfaces" if interfaces else "pins"
        session.not_modelled(cell, f"which {what} {cell} has is not known, only those that the script uses")
    for entry in current.wiring.table(interfaces).values():
        names.update(dict.fromkeys(name_of(m) for m in entry.members if parent_of(m) == cell))
    return list(names)


def _ports_of_interface(session: Session, current: Sheet, path: str) -> list[str] | None:
    cell = current.design.cells.get(parent_of(path))
    facts = resolved(session, cell)
    found = facts.interfaces.get(name_of(path)) if facts else None
    return [join_path(parent_of(path), port) for port in found.ports.values()] if found else None


def get_bd_ports(session: Session, call: Arguments) -> str:
    """Answer with ports of the design."""
    return _ports(session, call, interfaces=False)


def get_bd_intf_ports(session: Session, call: Arguments) -> str:
    """Answer with interface ports of the design."""
    return _ports(session, call, interfaces=True)


def _ports(session: Session, call: Arguments, *, interfaces: bool) -> str:
    current = sheet(session)
    top = current.design.cells["/"]
    names = top.interfaces if interfaces else top.pins
    relative = [word for word in words_of(call.rest) if word.lstrip("/") == word]
    if relative and current.instance != "/":  # a public design can only be right if it finds none
        found = f"whether {relative[0]} names a port from within {current.instance} is not known"
        session.not_modelled(relative[0], found)

    def related(owner: str) -> Iterator[str]:
        yield from (m for e in _nets_at(current, owner) for m in e.members if m.lstrip("/") in names)

    return answer(
        session,
        Arguments(call.command, call.options, [_rooted(word) for word in call.rest], call.origin),
        "pin",
        lambda pattern: (f"/{name}" for name in names),  # noqa: ARG005 - all are at the top
        lambda path: path.lstrip("/") in names,
        related,
    )


def _rooted(words: str) -> str:
    """Return names of ports as paths: they lie at the top, wherever the current hierarchy is."""
    return join_list([word if word.startswith("/") else f"/{word}" for word in words_of([words])])


# ---- nets ----------------------------------------------------------------------------------------------
def get_bd_nets(session: Session, call: Arguments) -> str:
    """Answer with nets of pins."""
    return _nets(session, call, interfaces=False)


def get_bd_intf_nets(session: Session, call: Arguments) -> str:
    """Answer with nets of interfaces."""
    return _nets(session, call, interfaces=True)


def _nets(session: Session, call: Arguments, *, interfaces: bool) -> str:
    current = sheet(session)
    table = current.wiring.table(interfaces)
    boundary = call.options.get("-boundary_type", "both")

    def paths(pattern: str) -> Iterator[str]:
        deep = call.has("-hierarchical") or call.has("-regexp") or "/" in pattern
        return (join_path(e.hier, e.name) for e in table.values() if deep or e.hier == current.instance)

    def exists(path: str) -> bool:
        return net(current, path, interfaces=interfaces) is not None

    def related(owner: str) -> Iterator[str]:
        if owner in current.design.cells:
            found = [e for e in table.values() if any(parent_of(m) == owner for m in e.members)]
        else:
            found = [e for e in current.wiring.nets_of(owner) if table.get((e.hier, e.name)) is e]
            sides = current.wiring.sides(owner)
            if boundary != "both" and len(sides) > 1:
                side = sides[0 if boundary == "upper" else 1]
                found = [entry for entry in found if entry.hier == side]
        yield from (join_path(entry.hier, entry.name) for entry in found)

    found = answer(session, call, "intf_net" if interfaces else "net", paths, exists, related)
    named = [net(current, path, interfaces=interfaces) for path in words_of([found])]
    return join_list([join_path(entry.hier, entry.name) for entry in named if entry is not None])


def _nets_at(current: Sheet, path: str) -> list[Net]:
    """Return the net of this path, or the nets of this pin."""
    kind = current.kinds.get(path, "")
    found = net(current, path, interfaces=kind == "intf_net") if kind in ("net", "intf_net") else None
    if found is None:
        nets = current.wiring.nets_of(path)
        if nets:
            return nets
        found = net(current, path)
    return [found] if found is not None else []


COMMANDS = {
    "get_bd_cells": Command(get_bd_cells, OPTIONS),
    "get_bd_pins": Command(get_bd_pins, OPTIONS),
    "get_bd_intf_pins": Command(get_bd_intf_pins, OPTIONS),
    "get_bd_ports": Command(get_bd_ports, OPTIONS),
    "get_bd_intf_ports": Command(get_bd_intf_ports, OPTIONS),
    "get_bd_nets": Command(get_bd_nets, OPTIONS + " -boundary_type= -top_net_of_hierarchical_group"),
    "get_bd_intf_nets": Command(get_bd_intf_nets, OPTIONS + " -boundary_type="),
}
