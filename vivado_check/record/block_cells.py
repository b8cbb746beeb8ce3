# SPDX-License-Identifier: BSD-3-Clause
"""Commands that make block designs, cells, ports and pins, and those that delete, move and copy them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

from ..design import Automation, Cell, CellKind, Design, InterfacePin, Pin, Setting
from ..recording import File
from .block_state import (
    Sheet,
    absolute,
    cells_in,
    delete,
    first_and_rest,
    rename,
    sheet,
    words_of,
)
from .block_wiring import inside, join_path, name_of, parent_of
from .commands import Arguments, Command, ToolError
from .session import Session


# ---- designs -------------------------------------------------------------------------------------------
def create_bd_design(session: Session, call: Arguments) -> str:
    """Make a block design and open it."""
    name = call.first("name")
    if name in session.recording.designs:
        raise ToolError(
            f"a block design {name} is in the project already",
            where=name,
            expected="a name that is free",
            remedy="Choose another name, or open that design",
        )
    session.design = session.recording.designs[name] = Design(name, call.origin)
    add_file(session, name, call)
    return name


def add_file(session: Session, name: str, call: Arguments) -> None:
    """Let the project have the file that Vivado keeps a block design in."""
    project = session.project
    if project is None:
        return
    folder = call.options.get("-dir") or f"{project.folder}/{project.name}.srcs/sources_1/bd"
    path = session.sandbox.absolute(f"{folder}/{name}/{name}.bd", project.folder)
    session.sandbox.write(path, "{}\n")
    kept = session.sandbox.real(path)
    assert kept is not None
    project.files.append(File(kept, path, "sources_1", call.origin))


def current_bd_design(session: Session, call: Arguments) -> str:
    """Answer with the name of the open block design, or make one current."""
    wanted = words_of(call.rest)
    if wanted:
        session.design = _design(session, wanted[0])
    if session.design is None:
        sheet(session)  # which says that none is open
        return ""
    return session.design.name


def open_bd_design(session: Session, call: Arguments) -> str:
    """Open a block design by its file or its name; what somebody else has drawn is not read."""
    name = (words_of(call.rest) or [""])[0]
    path = session.path(name)
    made = Path(path).stem in session.recording.designs
    if name.endswith(".bd") and not made and session.sandbox.is_file(path):
        session.design = session.recording.designs[Path(path).stem] = Design(Path(path).stem, call.origin)
        session.design.automations.append(Automation("open_bd_design", {}, path, call.origin))
        sheet(session).automatic = True
        session.not_modelled(name, "a block design that no script has made is opened as an empty one")
    session.design = _design(session, name)
    return session.design.name


def close_bd_design(session: Session, call: Arguments) -> str:
    """Close a block design; its record stays."""
    wanted = words_of(call.rest)
    if not wanted or (session.design is not None and session.design.name == wanted[0]):
        session.design = None
    return ""


def get_bd_designs(session: Session, call: Arguments) -> str:
    """Answer with the block designs of the project."""
    wanted = words_of(call.rest)
    return " ".join(name for name in session.recording.designs if not wanted or name in wanted)


def _design(session: Session, name: str) -> Design:
    name = name_of(name).removesuffix(".bd")
    found = session.recording.designs.get(name)
    if found is None:
        raise ToolError(
            f"there is no block design {name or 'without a name'}",
            where=name,
            expected=f"one of {', '.join(session.recording.designs) or 'none'}",
            remedy="Create it first",
        )
    return found


def current_bd_instance(session: Session, call: Arguments) -> str:
    """Answer with the current hierarchy, or make one current."""
    current = sheet(session)
    wanted = words_of(call.rest)
    if wanted:
        path = absolute(current, wanted[0])
        cell = current.design.cells.get(path)
        if cell is None or cell.kind not in ("hier", "container"):
            raise ToolError(
                f"{wanted[0]} is no hierarchy",
                where=path,
                expected="/ or a cell of type hier",
                remedy="Create it",
            )
        current.instance = path
    elif call.rest:  # an empty name: what a getter did not find
        raise ToolError("current_bd_instance is given nothing", expected="a hierarchy", remedy=_miss(current))
    else:
        current.instance = "/"
    return current.instance


def _miss(current: Sheet) -> str:
    return f"Correct {current.last_miss}, which is not there" if current.last_miss else "Name it"


# ---- cells, ports, pins --------------------------------------------------------------------------------
def create_bd_cell(session: Session, call: Arguments) -> str:
    """Make a cell of an IP, a module, a hierarchy or another block design."""
    current = sheet(session)
    path = _new(current, call)
    kind = call.options.get("-type", "ip").lower()
    if kind not in get_args(CellKind):
        raise ToolError(
            f"-type of {path} is {kind}",
            where=path,
            expected=f"one of {', '.join(get_args(CellKind))}",
            remedy="Correct the type",
        )
    if kind == "hier" and call.has("-reference"):
        kind = "module"  # Vivado takes it for one, and FINN writes it so
    given = {"ip": "-vlnv", "inline_hdl": "-vlnv", "module": "-reference", "container": "-reference"}.get(
        kind
    )
    (value,) = call.need(given) if given else ("",)
    if given and not value.strip():
        raise ToolError(
            f"{given} of {path} is empty", where=path, expected="what the cell is", remedy="Name it"
        )
    named = {"vlnv": value} if given == "-vlnv" else {"reference": value}
    current.design.cells[path] = Cell(path, kind, call.origin, **named)  # type: ignore[arg-type]
    current.kinds[path] = "cell"
    return path


def _new(current: Sheet, call: Arguments) -> str:
    name = call.first("name")
    path = absolute(current, (words_of([name]) or [""])[0])
    owner = current.design.cells.get(parent_of(path))
    if owner is None or owner.kind != "hier":
        raise ToolError(
            f"{parent_of(path)} is no hierarchy of the design",
            where=path,
            expected="a cell of type hier that holds it",
            remedy="Create the hierarchy first",
        )
    taken = path in current.design.cells if call.command == "create_bd_cell" else False
    if taken or (name_of(path) in owner.pins and call.command in ("create_bd_pin", "create_bd_port")):
        raise ToolError(
            f"{path} is in the design already",
            where=path,
            expected="a name that is free",
            remedy="Choose another name",
        )
    return path


def create_bd_pin(session: Session, call: Arguments) -> str:
    """Make a pin of a hierarchy, or a port of the design."""
    current = sheet(session)
    path = _new(current, call)
    (direction,) = call.need("-dir")
    pin = Pin(name_of(path), direction.upper(), call.origin, call.options.get("-type", ""))
    pin.left, pin.right = _index(call, "-from"), _index(call, "-to")
    for option, name in (("-freq_hz", "FREQ_HZ"),):
        if call.has(option):
            pin.config[name] = Setting(call.options[option], call.origin)
    current.design.cells[parent_of(path)].pins[pin.name] = pin
    current.kinds[path] = "pin"
    return path


def _index(call: Arguments, option: str) -> int | None:
    text = call.options.get(option)
    try:
        return int(text) if text is not None else None
    except ValueError:
        raise ToolError(
            f"{option} of {call.command} is {text!r}",
            where=call.command,
            expected="an integer",
            remedy="Correct it",
        ) from None


def create_bd_intf_pin(session: Session, call: Arguments) -> str:
    """Make an interface of a hierarchy, or one of the design."""
    current = sheet(session)
    path = _new(current, call)
    mode, vlnv = call.need("-mode", "-vlnv")
    owner = current.design.cells[parent_of(path)]
    owner.interfaces[name_of(path)] = InterfacePin(name_of(path), mode, vlnv, call.origin)
    current.kinds[path] = "pin"
    return path


# ---- deleting, moving, copying -------------------------------------------------------------------------
def delete_bd_objs(session: Session, call: Arguments) -> str:
    """Delete cells, nets, ports, pins, mapped segments."""
    current = sheet(session)
    for word in words_of(call.rest):
        path = absolute(current, word)
        if path == "/" or (not delete(current, path, current.kinds.get(path, "")) and not current.automatic):
            raise ToolError(
                f"{word} is not in the design",
                where=path,
                expected="an object of it",
                remedy="Correct the name",
            )
    return ""


def group_bd_cells(session: Session, call: Arguments) -> str:
    """Make a hierarchy of cells."""
    current = sheet(session)
    name, cells = first_and_rest(call, "name")
    path = absolute(current, name)
    if path in current.design.cells:
        raise ToolError(f"there is a cell {path} already", where=path, remedy="Choose another name")
    current.design.cells[path] = Cell(path, "hier", call.origin)
    move(current, path, cells)
    return path


def move_bd_cells(session: Session, call: Arguments) -> str:
    """Move cells into another hierarchy."""
    current = sheet(session)
    target, cells = first_and_rest(call, "hierarchy")
    move(current, absolute(current, target), cells)
    return ""


def move(current: Sheet, target: str, words: list[str]) -> None:
    """Move cells; their nets are cut at the boundaries that come in between, which get pins.

    Raises:
        ToolError: A cell or the target is not there.
    """
    paths = [absolute(current, word) for word in words]
    if "/" in paths:
        raise ToolError("the top of the design cannot be moved", where="/")
    for needed in (*paths, target):
        if needed not in current.design.cells:
            raise ToolError(f"there is no cell {needed}", where=needed, expected="a cell", remedy="Create it")
    paths = [path for path in paths if parent_of(path) != target and path != target]
    held = []
    for interfaces in (False, True):
        for entry in list(current.wiring.table(interfaces).values()):
            touched = {parent_of(member) for member in entry.members} - {entry.hier}
            if touched.intersection(paths):
                held.append((dict(entry.members), entry.name, entry.hier, interfaces))
                current.wiring.drop(entry)
    for path in paths:
        new = join_path(target, name_of(path))
        rename(current, path, new)
        held = [
            ({_moved(member, path, new): origin for member, origin in members.items()}, name, hier, flag)
            for members, name, hier, flag in held
        ]
    for members, name, hier, interfaces in held:
        origin = next(iter(members.values()))
        current.wiring.connect(list(members), origin, interface=interfaces, current=hier, name=name)


def _moved(member: str, old: str, new: str) -> str:
    return new + member[len(old) :] if inside(member, old) else member


def copy_bd_objs(session: Session, call: Arguments) -> str:
    """Copy cells, with what is in them and the nets between them, into a hierarchy."""
    current = sheet(session)
    target, words = first_and_rest(call, "hierarchy")
    hier = absolute(current, target)
    copied: dict[str, str] = {}
    for word in words:
        path = absolute(current, word)
        if path not in current.design.cells:
            raise ToolError(f"there is no cell {path}", where=path, expected="a cell", remedy="Create it")
        new = _free_path(current, join_path(hier, name_of(path)))
        for cell in [current.design.cells[path], *cells_in(current, path, deep=True)]:
            copied[cell.path] = new + cell.path[len(path) :]
            current.design.cells[copied[cell.path]] = replace(
                cell,
                path=copied[cell.path],
                config=dict(cell.config),
                properties=dict(cell.properties),
                pins={name: replace(pin) for name, pin in cell.pins.items()},
                interfaces={name: replace(pin) for name, pin in cell.interfaces.items()},
            )
    for interfaces in (False, True):
        for entry in list(current.wiring.table(interfaces).values()):
            members = [
                join_path(copied[parent_of(m)], name_of(m)) for m in entry.members if parent_of(m) in copied
            ]
            if len(members) > 1:
                level = copied.get(entry.hier, hier)
                current.wiring.connect(members, call.origin, interface=interfaces, current=level)
    return " ".join(absolute(current, copied[absolute(current, word)]) for word in words)


def _free_path(current: Sheet, path: str) -> str:
    number, free = 0, path
    while free in current.design.cells:
        number += 1
        free = f"{path}{number}"
    return free


# ---- what ends a design --------------------------------------------------------------------------------
def validate_bd_design(session: Session, call: Arguments) -> str:
    """Note that the script validates its design."""
    for design in _designs(session, call):
        design.validated.append(call.origin)
    return ""


def save_bd_design(session: Session, call: Arguments) -> str:
    """Note that the script saves its design."""
    for design in _designs(session, call):
        design.saved.append(call.origin)
    return ""


def _designs(session: Session, call: Arguments) -> list[Design]:
    named = [_design(session, word) for word in words_of(call.rest)]
    return named or [sheet(session).design]


def nothing(session: Session, call: Arguments) -> str:
    """Change nothing that is recorded: layout, undo groups."""
    return ""


def can_resolve_reference(session: Session, call: Arguments) -> str:
    """Answer that a module can be a cell: whether its source is there, the rules on files say."""
    return str(len(words_of(call.rest)[:1]))


COMMANDS = {
    "create_bd_design": Command(create_bd_design, "-dir= -cell= -bdsource= -boundary_from_container="),
    "current_bd_design": Command(current_bd_design),
    "open_bd_design": Command(open_bd_design),
    "close_bd_design": Command(close_bd_design),
    "get_bd_designs": Command(get_bd_designs, "-filter= -regexp -nocase -of_objects="),
    "current_bd_instance": Command(current_bd_instance),
    "create_bd_cell": Command(create_bd_cell, "-type= -vlnv= -reference= -revision="),
    "create_bd_pin": Command(create_bd_pin, "-dir= -type= -from= -to="),
    "create_bd_port": Command(create_bd_pin, "-dir= -type= -from= -to= -freq_hz="),
    "create_bd_intf_pin": Command(create_bd_intf_pin, "-mode= -vlnv="),
    "create_bd_intf_port": Command(create_bd_intf_pin, "-mode= -vlnv="),
    "delete_bd_objs": Command(delete_bd_objs),
    "group_bd_cells": Command(group_bd_cells, "-prefix="),
    "move_bd_cells": Command(move_bd_cells, "-prefix="),
    "copy_bd_objs": Command(copy_bd_objs, "-prefix= -from_design="),
    "validate_bd_design": Command(validate_bd_design, "-force -include_pfm -design="),
    "save_bd_design": Command(save_bd_design),
    "save_bd_design_as": Command(nothing, "-dir= -ignore_comments"),
    "regenerate_bd_layout": Command(nothing, "-routing -hierarchy= -layout_file= -layout_string="),
    "startgroup": Command(nothing),
    "endgroup": Command(nothing),
    "can_resolve_reference": Command(can_resolve_reference, "-type="),
    "upgrade_bd_cells": Command(nothing),
    "update_module_reference": Command(nothing, "-force"),
}
