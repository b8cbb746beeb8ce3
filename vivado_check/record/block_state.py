# SPDX-License-Identifier: BSD-3-Clause
"""The current block design of a session: how its objects are named and found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from ..design import Cell, Design, InterfacePin, Net, Pin, Segment
from ..tcl.arguments import ListError, split_list
from .block_wiring import Wiring, inside, join_path, name_of, parent_of
from .commands import Arguments, ToolError
from .session import Session

DEEPEST = 40  # hierarchies in one another


@dataclass
class Sheet:
    """State of one block design beside the record.

    Attributes:
        wiring: Its nets.
        instance: Current hierarchy.
        kinds: What a getter last gave a path as, since a cell, a net and a port may share one.
        automatic: Whether something was added that only facts of IP could name.
        last_miss: What the last getter found nothing for.
    """

    design: Design
    wiring: Wiring
    instance: str = "/"
    kinds: dict[str, str] = field(default_factory=dict)
    automatic: bool = False
    last_miss: str = ""


@dataclass
class Sheets:
    """The block designs of a session, by name."""

    by_name: dict[str, Sheet] = field(default_factory=dict)


def sheet(session: Session) -> Sheet:
    """Return the current block design.

    Raises:
        ToolError: None is open.
    """
    if session.design is None:
        raise ToolError(
            "no block design is open",
            expected="an open block design",
            remedy="Call create_bd_design or open_bd_design first",
        )
    return sheet_of(session, session.design)


def sheet_of(session: Session, design: Design) -> Sheet:
    """Return what the session keeps of a block design."""
    sheets = session.state(Sheets).by_name
    found = sheets.get(design.name)
    if found is None or found.design is not design:
        found = sheets[design.name] = Sheet(design, Wiring(design))
    return found


def absolute(current: Sheet, name: str) -> str:
    """Return the full path of a name that may be relative to the current hierarchy."""
    if name == ".":
        return current.instance
    if name.count("/") > DEEPEST:
        raise ToolError(f"{name[:60]}... names a hierarchy of more than {DEEPEST} levels", where=name[:60])
    name = name.removeprefix("./")
    if not name.startswith("/"):
        return join_path(current.instance, name)
    return name.rstrip("/") or "/"


def first_and_rest(call: Arguments, what: str) -> tuple[str, list[str]]:
    """Return the first name of a call and those after it.

    Raises:
        ToolError: There is none.
    """
    call.first(what)
    name, *names = words_of(call.rest) or [""]
    return name, names


def words_of(texts: Iterable[str]) -> list[str]:
    """Return the names in arguments, each of which may be a list of them."""
    found: list[str] = []
    for text in texts:
        try:
            found += split_list(text)
        except ListError:
            found.append(text)
    return found


def scalar(current: Sheet, path: str) -> Pin | None:
    """Return a port of the design, or a pin of a hierarchy."""
    owner = current.design.cells.get(parent_of(path))
    return owner.pins.get(name_of(path)) if owner is not None and owner.kind == "hier" else None


def interface(current: Sheet, path: str) -> InterfacePin | None:
    """Return an interface port of the design, or an interface of a hierarchy."""
    owner = current.design.cells.get(parent_of(path))
    return owner.interfaces.get(name_of(path)) if owner is not None and owner.kind == "hier" else None


def net(current: Sheet, path: str, *, interfaces: bool | None = None) -> Net | None:
    """Return a net by its path; one that Vivado named, by any name that it may have chosen."""
    key = (parent_of(path), name_of(path))
    tables = [current.wiring.table(flag) for flag in (False, True) if interfaces in (None, flag)]
    for table in tables:
        if key in table:
            return table[key]
    for table in tables:
        for found in table.values():
            if found.hier == key[0] and id(found) in current.wiring.automatic:
                names = {f"{name_of(parent_of(member))}_{name_of(member)}" for member in found.members}
                names |= {
                    f"{name_of(member)}_1" for member in found.members if parent_of(member) == found.hier
                }
                if key[1] in names:
                    return found
    return None


def cells_in(current: Sheet, hier: str, *, deep: bool = False) -> Iterator[Cell]:
    """Yield the cells of a hierarchy, or those at any depth."""
    for path, cell in current.design.cells.items():
        if path != "/" and (inside(path, hier) if deep else parent_of(path) == hier):
            yield cell


def segment_path(segment: Segment) -> str:
    """Return the path of a mapped segment: the space's, and its name."""
    return join_path(segment.space, segment.name)


def rename(current: Sheet, old: str, new: str) -> None:
    """Give a cell, with all that is in it, another path."""
    design = current.design

    def moved(path: str) -> str:
        return new + path[len(old) :] if path == old or inside(path, old) else path

    design.cells = {moved(path): cell for path, cell in design.cells.items()}
    for path, cell in design.cells.items():
        cell.path = path
    for interfaces in (False, True):
        table = current.wiring.table(interfaces)
        nets = list(table.values())
        table.clear()
        for entry in nets:
            entry.hier = moved(entry.hier)
            entry.members = {moved(member): origin for member, origin in entry.members.items()}
            table[entry.hier, entry.name] = entry
    for segment in design.segments:
        segment.space, segment.segment = moved(segment.space), moved(segment.segment)
    reindex(current)


def rename_pin(current: Sheet, old: str, new: str) -> None:
    """Give a port, or a pin of a hierarchy, another name."""
    owner = current.design.cells[parent_of(old)]
    tables: tuple[dict[str, Pin] | dict[str, InterfacePin], ...] = (owner.pins, owner.interfaces)
    for table in tables:
        _rename_key(table, name_of(old), name_of(new))
    for entry in list(current.wiring.at.get(old, {}).values()):
        entry.members = {new if member == old else member: origin for member, origin in entry.members.items()}
    for segment in current.design.segments:
        segment.space = new if segment.space == old else segment.space
        if segment.segment == old or inside(segment.segment, old):
            segment.segment = new + segment.segment[len(old) :]
    reindex(current)


def _rename_key(table: dict[str, Pin] | dict[str, InterfacePin], old: str, new: str) -> None:
    entry = table.pop(old, None)
    if entry is not None:
        entry.name = new
        table[new] = entry  # type: ignore[assignment]


def reindex(current: Sheet) -> None:
    """Rebuild the index of members."""
    at = current.wiring.at
    at.clear()
    for interfaces in (False, True):
        for entry in current.wiring.table(interfaces).values():
            for member in entry.members:
                at.setdefault(member, {})[entry.hier] = entry


def delete(current: Sheet, path: str, kind: str = "") -> bool:
    """Delete a cell, a net, a port, a pin of a hierarchy or a mapped segment; tell whether there was one."""
    tries: dict[str, Callable[[], bool]] = {
        "cell": lambda: _delete_cell(current, path),
        "net": lambda: _delete_net(current, path, interfaces=False),
        "intf_net": lambda: _delete_net(current, path, interfaces=True),
        "pin": lambda: _delete_pin(current, path),
        "segment": lambda: _delete_segment(current, path),
    }
    order = sorted(tries, key=lambda name: name != kind)
    return any(tries[name]() for name in order)


def _delete_cell(current: Sheet, path: str) -> bool:
    if path == "/" or path not in current.design.cells:
        return False
    design = current.design
    gone = [other for other in design.cells if other == path or inside(other, path)]
    for other in gone:
        del design.cells[other]
    for interfaces in (False, True):
        for entry in list(current.wiring.table(interfaces).values()):
            if entry.hier in gone:
                current.wiring.drop(entry)
                continue
            for member in list(entry.members):
                if parent_of(member) == path:
                    current.wiring.leave(entry, member)
    design.segments[:] = [
        segment
        for segment in design.segments
        if not inside(segment.space, path) and not inside(segment.segment, path)
    ]
    return True


def _delete_net(current: Sheet, path: str, *, interfaces: bool) -> bool:
    found = net(current, path, interfaces=interfaces)
    if found is not None:
        current.wiring.drop(found)
    return found is not None


def _delete_pin(current: Sheet, path: str) -> bool:
    if scalar(current, path) is None and interface(current, path) is None:
        return False
    owner = current.design.cells[parent_of(path)]
    owner.pins.pop(name_of(path), None)
    owner.interfaces.pop(name_of(path), None)
    for entry in list(current.wiring.at.get(path, {}).values()):
        current.wiring.leave(entry, path)
    return True


def _delete_segment(current: Sheet, path: str) -> bool:
    segments = current.design.segments
    kept = [segment for segment in segments if segment_path(segment) != path]
    found = len(kept) < len(segments)
    segments[:] = kept
    return found
