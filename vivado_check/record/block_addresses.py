# SPDX-License-Identifier: BSD-3-Clause
"""Commands that map segments of slaves into the address spaces of masters."""

from __future__ import annotations

import re

from ..design import Automation, Segment
from .block_state import Sheet, absolute, segment_path, sheet, words_of
from .block_wiring import name_of, parent_of
from .commands import Arguments, Command, ToolError
from .session import Session

_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40, "P": 50, "E": 60}
_LONGEST = 100  # characters of an address, with zeros before it
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F_]+|[0-9]+)\s*([KMGTPE]?)[Bb]?", re.IGNORECASE)


def number(text: str) -> int | None:
    """Return bytes: ``0x10000``, ``65536``, ``64K``; None if it is no number."""
    match = _NUMBER.fullmatch(text.strip()) if len(text) < _LONGEST else None
    if not match:
        return None
    base = 16 if match[1][:2].lower() == "0x" else 10
    return int(match[1].replace("_", ""), base) << _UNITS[match[2].upper()]


def _bytes(call: Arguments, option: str) -> int | None:
    text = call.options.get(option)
    if text is None:
        return None
    found = number(text)
    if found is None:
        raise ToolError(
            f"{option} of {call.command} is {text!r}",
            where=call.command,
            expected="a number of bytes, as 0x10000 or 64K",
            remedy="Correct the number",
        )
    return found


def default_name(segment: str) -> str:
    """Return the name that Vivado gives to a mapped segment: ``SEG_<cell>_<block>``."""
    return f"SEG_{name_of(parent_of(parent_of(segment))) or name_of(parent_of(segment))}_{name_of(segment)}"


def _free(current: Sheet, space: str, name: str) -> str:
    taken = {segment.name for segment in current.design.segments if segment.space == space}
    index, free = 0, name
    while free in taken:
        index += 1
        free = f"{name}_{index}"
    return free


def assign_bd_address(session: Session, call: Arguments) -> str:
    """Map segments: into a space at an address, or wherever Vivado likes."""
    current = sheet(session)
    paths = [absolute(current, word) for word in words_of(call.rest)]
    offset, size = _bytes(call, "-offset"), _bytes(call, "-range")
    spaces = [absolute(current, word) for word in words_of([call.options.get("-target_address_space", "")])]
    nowhere = call.has("-target_address_space") and not spaces
    if nowhere or (call.rest and not paths):
        raise ToolError(
            f"assign_bd_address is given nothing where {current.last_miss} is meant",
            where=current.last_miss,
            expected="a segment and a space",
            remedy="Correct the name",
        )
    mapped = [segment for segment in current.design.segments if segment_path(segment) in paths]
    for segment in mapped:  # mapped before, now elsewhere
        segment.offset = offset if offset is not None else segment.offset
        segment.range = size if size is not None else segment.range
    paths = [path for path in paths if path not in {segment_path(segment) for segment in mapped}]
    if not paths and mapped:
        return ""
    if not spaces or offset is None:
        config = {name: value for name, value in call.options.items() if name != "-quiet"}
        targets = paths or [""]
        current.design.automations += [
            Automation("assign_bd_address", config, path, call.origin) for path in targets
        ]
        return ""
    for space in spaces:
        for path in paths:
            _place(current, space, path, call.options.get("-with_name", ""), offset, size, call)
    return ""


def _place(  # noqa: PLR0913 - what a mapped segment is
    current: Sheet, space: str, path: str, name: str, offset: int | None, size: int | None, call: Arguments
) -> Segment:
    segments = current.design.segments
    segments[:] = [s for s in segments if not (s.space == space and s.segment == path and s.offset == offset)]
    name = _free(current, space, name or default_name(path))
    segments.append(Segment(space, path, name, offset, size, call.origin))
    return segments[-1]


def create_bd_addr_seg(session: Session, call: Arguments) -> str:
    """Map a segment under a name: ``create_bd_addr_seg -range -offset space segment name``."""
    current = sheet(session)
    words = words_of(call.rest)
    if len(words) < 3:
        raise ToolError(
            f"create_bd_addr_seg has {len(words)} of its three words"
            + (f", since {current.last_miss} is not there" if "" in call.rest else ""),
            where=current.last_miss,
            expected="a space, a segment of a slave and a name",
            remedy="Correct the names",
        )
    space, path = absolute(current, words[0]), absolute(current, words[1])
    found = _place(current, space, path, words[2], _bytes(call, "-offset"), _bytes(call, "-range"), call)
    current.kinds[segment_path(found)] = "segment"
    return segment_path(found)


def exclude_bd_addr_seg(session: Session, call: Arguments) -> str:
    """Take segments out of a map: mapped ones, or a slave's in a space."""
    current = sheet(session)
    spaces = [absolute(current, word) for word in words_of([call.options.get("-target_address_space", "")])]
    names = [absolute(current, word) for word in words_of(call.rest)]
    segments = current.design.segments
    for name in names:
        mapped = [s for s in segments if segment_path(s) == name or (s.segment == name and s.space in spaces)]
        for segment in mapped:
            segment.excluded = True
        for space in spaces if not mapped else ():
            found = _place(current, space, name, "", _bytes(call, "-offset"), _bytes(call, "-range"), call)
            found.excluded = True
        if not mapped and not spaces:
            _excluded_unmapped(session, current, name, call)
    return ""


def _excluded_unmapped(session: Session, current: Sheet, name: str, call: Arguments) -> None:
    """Exclude a segment that is mapped by Vivado, if at all; one of a slave is out of every space."""
    cell = current.design.cells.get(parent_of(parent_of(name)))
    if name_of(name).startswith("SEG_") and cell is not None:
        target = automatic_target(current, name)
        if target:
            found = _place(current, parent_of(name), target, name_of(name), None, None, call)
            found.excluded = True
            return
    session.not_modelled(name, f"{name} is not mapped by a command that tells where")


def automatic_target(current: Sheet, path: str) -> str:
    """Return the slave's segment that Vivado may have mapped under this path, empty if none fits."""
    for automation in current.design.automations:
        target = automation.target if automation.rule == "assign_bd_address" else ""
        if target and default_name(target) == name_of(path):
            return target
    return ""


def include_bd_addr_seg(session: Session, call: Arguments) -> str:
    """Bring excluded segments back."""
    current = sheet(session)
    names = {absolute(current, word) for word in words_of(call.rest)}
    for segment in current.design.segments:
        if segment_path(segment) in names or segment.segment in names:
            segment.excluded = False
    return ""


COMMANDS = {
    "assign_bd_address": Command(
        assign_bd_address,
        "-offset= -range= -target_address_space= -force -with_name= -external -combine_segments "
        "-import_from_file= -export_to_file= -export_gui_to_file= -dict= -boundary -master_boundary",
    ),
    "create_bd_addr_seg": Command(create_bd_addr_seg, "-range= -offset= -access="),
    "exclude_bd_addr_seg": Command(
        exclude_bd_addr_seg, "-target_address_space= -offset= -range= -with_name="
    ),
    "include_bd_addr_seg": Command(include_bd_addr_seg),
}
