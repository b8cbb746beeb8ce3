# SPDX-License-Identifier: BSD-3-Clause
"""The address map of a block design: which segments each address space reaches, and where they are.

An address space belongs to a master; what it reaches is found by following its interfaces over buses and
through whatever hands accesses on (an interconnect: a slave without a memory map, masters without a space) to
slaves with a memory map. Paths are Vivado's: ``/cell/Space``, ``/cell/map/Block``; a port of the design is a
space (``/S_AXI``) or has the one segment ``/M_AXI/Reg``.

Source: UG994, Creating a Memory Map; IEEE 1685-2009, 5.9 Memory maps and 5.8 Address spaces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from .design import Segment
from .graph import Graph, split_path
from .ip.facts import AXIMM, AddressBlock, IpInterface
from .report import Origin

# What is before it hands an access to what is behind it.
_MASTERS = {"master", "mirroredslave"}
_PASSES = {"slave": "master", "mirroredmaster": "mirroredslave"}
KILO, MEGA = 1 << 10, 1 << 20


@dataclass(frozen=True)
class Target:
    """A segment that a space reaches.

    Attributes:
        sure: Whether it is there; in this configuration it may be switched off.
        path: Of the segment.
        block: What the facts say of it.
        interface: Slave interface that it lies behind.
        masters: Interfaces of the space through which it is reached.
    """

    path: str
    block: AddressBlock
    interface: str
    masters: tuple[str, ...]
    sure: bool = True


@dataclass(frozen=True)
class Reach:
    """Segments that a space reaches.

    Attributes:
        targets: By path.
        lost: The interfaces behind which nothing is known.
    """

    targets: dict[str, Target]
    lost: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Return whether nothing on the way is unknown, so that nothing else is reached."""
        return not self.lost


@dataclass(frozen=True)
class Space:
    """An address space.

    Attributes:
        masters: Interfaces that issue its addresses.
        bytes: Its size, None if not known.
        origin: Of the cell or the port.
    """

    path: str
    masters: tuple[str, ...]
    bytes: int | None
    origin: Origin


@dataclass(frozen=True)
class Placed:
    """A segment at its place; ``segment.offset`` and ``segment.range`` are known.

    Attributes:
        target: None if the space does not reach it.
    """

    segment: Segment
    offset: int
    range: int
    target: Target | None

    @property
    def last(self) -> int:
        """Return its last byte."""
        return self.offset + self.range - 1


class AddressMap:
    """All spaces of a design, what they reach, and what the script placed or excluded."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.design = graph.design
        self._reached: dict[str, Reach] = {}

    # ---- spaces -----------------------------------------------------------------------------------------
    @cached_property
    def spaces(self) -> dict[str, Space]:
        """All spaces that are known, by path, in the order of their cells."""
        found = {space.path: space for cell in self.design.cells for space in self._spaces_of(cell)}
        for port in self.design.cells["/"].interfaces.values():
            here = self.graph.interface(f"/{port.name}")
            if here and here.vlnv == AXIMM and here.mode.lower() == "master":
                bits = here.params.get("ADDR_WIDTH", "")
                size = 1 << int(bits) if bits.isdecimal() else None
                found[f"/{port.name}"] = Space(f"/{port.name}", (f"/{port.name}",), size, port.origin)
        return found

    def _spaces_of(self, cell: str) -> Iterator[Space]:
        resolved = self.graph.resolved(cell)
        for name, size in resolved.spaces.items() if resolved else ():
            masters = tuple(
                f"{cell}/{interface.name}"
                for interface in resolved.interfaces.values()  # type: ignore[union-attr]
                if interface.space == name and interface.mode.lower() in _MASTERS
            )
            yield Space(f"{cell}/{name}", masters, size, self.design.cells[cell].origin)

    def knows_spaces_of(self, path: str) -> bool:
        """Return whether all spaces of the cell are known to which a space's path leads."""
        cell, _ = split_path(path)
        resolved = self.graph.resolved(cell) if cell != "/" else None
        return resolved is not None and resolved.complete and not resolved.doubtful

    # ---- reach ------------------------------------------------------------------------------------------
    def reach(self, space: Space) -> Reach:
        """Return every segment that a space reaches."""
        if space.path not in self._reached:
            self._reached[space.path] = self._walk(space)
        return self._reached[space.path]

    def _walk(self, space: Space) -> Reach:
        targets: dict[str, Target] = {}
        lost: dict[str, None] = {}
        for master in space.masters:
            seen: set[str] = set()
            todo = [master]
            while todo:
                here = todo.pop()
                slave = self.graph.peer(here)
                if slave is None:
                    lost.update(dict.fromkeys(self._unclear(here)))
                elif slave not in seen:
                    seen.add(slave)
                    found, further = self._behind(slave)
                    if found is None:
                        lost[slave] = None
                    for target in found or ():
                        before = targets.get(target.path)
                        masters = (*before.masters, master) if before else (master,)
                        targets[target.path] = replace(target, masters=masters)
                    todo += further
        return Reach(targets, tuple(lost))

    def _unclear(self, interface: str) -> tuple[str, ...]:
        """Return the ends of a net of more than two, of which it is not known which one is the slave."""
        return tuple(end for end in self.graph.bus_ends(interface) if end != interface)

    def _behind(self, slave: str) -> tuple[tuple[Target, ...] | None, list[str]]:
        """Return the segments of a slave (None: not known) and the masters that hand its accesses on."""
        cell, name = split_path(slave)
        if cell == "/":
            return (Target(f"{slave}/Reg", AddressBlock(name, "Reg", 0, None), slave, ()),), []
        resolved = self.graph.resolved(cell)
        interface = resolved.interfaces.get(name) if resolved else None
        if resolved is None or interface is None:
            return None, []
        # Some IP do not say which map is a slave's, and call them alike.
        memory = interface.memory or (name if any(one.memory == name for one in resolved.blocks) else "")
        further = self._onward(cell, replace(interface, memory=memory))
        found = tuple(
            Target(
                f"{cell}/{block.memory}/{block.name}",
                block,
                slave,
                (),
                f"{block.memory}/{block.name}" not in resolved.doubtful,
            )
            for block in resolved.blocks
            if block.memory == memory
        )
        silent = not found and not further
        if silent and (memory or not resolved.complete or name in resolved.doubtful):
            return None, []
        return found, further

    def _onward(self, cell: str, slave: IpInterface) -> list[str]:
        resolved = self.graph.resolved(cell)
        assert resolved is not None
        if slave.bridges:
            return [f"{cell}/{name}" for name in slave.bridges]
        wanted = _PASSES.get(slave.mode.lower())
        if slave.memory or wanted is None:
            return []
        return [
            f"{cell}/{interface.name}"
            for interface in resolved.interfaces.values()
            if interface.mode.lower() == wanted and interface.vlnv == slave.vlnv and not interface.space
        ]

    # ---- what the script said ---------------------------------------------------------------------------
    @cached_property
    def placed(self) -> dict[str, tuple[Placed, ...]]:
        """Segments at an offset, by space, ascending; also those that Vivado can only place so."""
        found: dict[str, list[Placed]] = {}
        for segment in (*self.design.segments, *self._left()):
            if segment.excluded:
                continue
            space = self.spaces.get(segment.space)
            target = self.reach(space).targets.get(segment.segment) if space else None
            offset, size = segment.offset, segment.range
            if (offset is None or size is None) and space and target:
                offset, size = self.forced(space, target) or (None, None)
            if offset is not None and size is not None:
                found.setdefault(segment.space, []).append(Placed(segment, offset, size, target))
        return {space: tuple(sorted(all_, key=lambda one: one.offset)) for space, all_ in found.items()}

    def _left(self) -> Iterator[Segment]:
        """Yield segments that Vivado assigns by itself on request of the script."""
        for origin in self.left_to_vivado[:1]:
            for space in self.spaces.values():
                said = self.said(space.path)
                for target in self.reach(space).targets.values():
                    if target.path not in said and target.sure:
                        yield Segment(space.path, target.path, "", None, None, origin)

    def windows(self, space: Space, target: Target) -> list[tuple[int, int]]:
        """Return what the masters that reach a segment can issue; empty if that of any is not known."""
        found: list[tuple[int, int]] = []
        for master in target.masters:
            interface = self.graph.interface(master)
            if interface and interface.apertures:
                found += interface.apertures
            elif space.bytes is not None:
                found.append((0, space.bytes))
            else:
                return []
        return sorted(set(found))

    def forced(self, space: Space, target: Target) -> tuple[int, int] | None:
        """Return where Vivado places a segment by itself, None if it has a choice, or cannot.

        Memory behind a processing system is at one address for all. Where registers go by themselves no
        document tells, and public designs disagree: AXI DMA is at 0x4040_0000 in nine of those tried, and at
        0x41e0_0000 in one.
        """
        block = target.block
        if not block.absolute or block.usage != "memory" or block.base is None or block.range is None:
            return None
        end = block.base + block.range
        fits = any(base <= block.base and end <= base + n for base, n in self.windows(space, target))
        return (block.base, block.range) if fits else None

    def said(self, space: str) -> set[str]:
        """Return the segments of a space that the script placed, left to Vivado by name, or excluded."""
        return {segment.segment for segment in self.design.segments if segment.space == space}

    @cached_property
    def left_to_vivado(self) -> tuple[Origin, ...]:
        """Lines that have Vivado assign whatever is left."""
        rules = ("assign_bd_address", "xilinx.com:bd_rule:axi4")
        return tuple(one.origin for one in self.design.automations if one.rule in rules)


def amount(value: int) -> str:
    """Return bytes as people say them: ``64K``, ``0x1800``."""
    for unit, size in (("G", 1 << 30), ("M", MEGA), ("K", KILO)):
        if value and value % size == 0:
            return f"{value // size}{unit}"
    return f"{value:#x}"
