# SPDX-License-Identifier: BSD-3-Clause
"""Commands that answer with address spaces, and with segments: a slave's own or mapped ones."""

from __future__ import annotations

from collections.abc import Iterator

from .block_facts import resolved
from .block_getters import OPTIONS, answer
from .block_state import absolute, interface, segment_path, sheet
from .block_wiring import inside, join_path, name_of, parent_of
from .commands import Arguments, Command
from .session import Session


def get_bd_addr_spaces(session: Session, call: Arguments) -> str:
    """Answer with address spaces of masters."""
    current = sheet(session)
    cells = current.design.cells

    def of_cell(path: str) -> list[str]:
        facts = resolved(session, cells[path])
        if facts is not None:
            return [join_path(path, name) for name in facts.spaces]
        if cells[path].kind not in ("hier",):
            session.not_modelled(path, f"the address spaces of {path} are not known")
        return []

    def paths(pattern: str) -> Iterator[str]:
        for path in cells:
            if path != "/":
                yield from of_cell(path)
        yield from (f"/{name}" for name in cells["/"].interfaces)

    def exists(path: str) -> bool:
        if interface(current, path) is not None:
            return True
        owner = cells.get(parent_of(path))
        return owner is not None and owner.kind != "hier"

    def related(owner: str) -> Iterator[str]:
        if owner in cells:
            yield from of_cell(owner)
            return
        facts = resolved(session, cells.get(parent_of(owner)))
        found = facts.interfaces.get(name_of(owner)) if facts else None
        if found and found.space:
            yield join_path(parent_of(owner), found.space)
        elif interface(current, owner) is not None:
            yield owner
        yield from (segment.space for segment in current.design.segments if segment.segment == owner)

    return answer(session, call, "space", paths, exists, related)


def get_bd_addr_segs(session: Session, call: Arguments) -> str:
    """Answer with segments: a slave's own, or those that are mapped into a space."""
    current = sheet(session)
    cells = current.design.cells
    segments = [s for s in current.design.segments if call.has("-excluded") is s.excluded]

    def of_cell(path: str, interface_name: str = "") -> list[str]:
        cell = cells.get(path)
        facts = resolved(session, cell)
        if facts is None:
            if cell is None or cell.kind == "hier" or not interface_name:
                return []
            session.not_modelled(path, f"the address blocks of {path}/{interface_name} are not known")
            guessed = name_of(call.rest[0]).strip("*?") if call.rest else ""
            return [join_path(path, f"{interface_name}/{guessed or 'Reg'}")]  # as HLS calls it
        memories = {name: entry.memory for name, entry in facts.interfaces.items()}
        wanted = memories.get(interface_name, interface_name)
        return [
            join_path(path, f"{block.memory}/{block.name}")
            for block in facts.blocks
            if not interface_name or block.memory == wanted
        ]

    def paths(pattern: str) -> Iterator[str]:
        yield from (segment_path(segment) for segment in segments)
        if call.has("-excluded"):
            return
        head = parent_of(absolute(current, pattern))
        for path in cells:
            yield from of_cell(path, name_of(head) if parent_of(head) == path else "")

    def exists(path: str) -> bool:
        if any(segment_path(segment) == path for segment in segments):
            return True
        owner = cells.get(parent_of(parent_of(path)))
        return interface(current, parent_of(path)) is not None or (
            owner is not None and owner.kind != "hier" and not call.has("-excluded")
        )

    def related(owner: str) -> Iterator[str]:
        yield from (segment_path(s) for s in segments if owner in (s.space, s.segment))
        if owner in cells:
            yield from of_cell(owner)
            yield from (segment_path(s) for s in segments if inside(s.space, owner))
        elif parent_of(owner) in cells:
            yield from of_cell(parent_of(owner), name_of(owner))

    return answer(session, call, "segment", paths, exists, related)


COMMANDS = {
    "get_bd_addr_spaces": Command(get_bd_addr_spaces, OPTIONS),
    "get_bd_addr_segs": Command(
        get_bd_addr_segs, OPTIONS + " -excluded -addressables -addressing -addressed -unaddressed"
    ),
}
