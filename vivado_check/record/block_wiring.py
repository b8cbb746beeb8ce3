# SPDX-License-Identifier: BSD-3-Clause
"""Nets of a block design: joined, split and moved, without knowledge of what a pin is.

A pin of a hierarchy has two sides, so it may be on two nets: the one around the hierarchy and the one in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..design import Cell, Design, InterfacePin, Net, Pin
from ..report import Origin
from .commands import ToolError


def parent_of(path: str) -> str:
    """Return the path of the hierarchy that an object lies in, or of the cell that a pin belongs to."""
    return path.rpartition("/")[0] or "/"


def name_of(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]


def join_path(hier: str, name: str) -> str:
    """Return the path of something in a hierarchy."""
    return f"{hier.rstrip('/')}/{name}"


def inside(path: str, hier: str) -> bool:
    """Tell whether a path lies in a hierarchy, at any depth."""
    return path.startswith(hier.rstrip("/") + "/")


def automatic_name(member: str) -> str:
    """Return the name that Vivado gives to a net after the pin or port that it begins with."""
    owner = name_of(parent_of(member))
    return f"{owner}_{name_of(member)}" if owner else f"{name_of(member)}_1"


@dataclass
class Wiring:
    """The nets of one design, with an index of their members.

    Attributes:
        at: Net by member and by the hierarchy that the net lies in; of pins and of interfaces.
        automatic: Nets whose name nobody gave.
    """

    design: Design
    at: dict[str, dict[str, Net]] = field(default_factory=dict)
    automatic: set[int] = field(default_factory=set)

    def table(self, interface: bool) -> dict[tuple[str, str], Net]:
        """Return the nets of pins, or those of interfaces."""
        return self.design.interface_nets if interface else self.design.nets

    def sides(self, path: str) -> tuple[str, ...]:
        """Return the hierarchies in which a net of this pin may lie, the outer one first."""
        owner = parent_of(path)
        if owner == "/":
            return ("/",)
        cell = self.design.cells.get(owner)
        outer = parent_of(owner)
        return (outer, owner) if cell is not None and cell.kind == "hier" else (outer,)

    def level(self, members: Sequence[str], current: str, boundary: str = "") -> str | None:
        """Return the hierarchy in which these pins can be joined, None if they lie in several.

        Args:
            current: Current hierarchy; decides where two are possible.
            boundary: ``upper`` or ``lower``: which side of a hierarchy's pin is meant.
        """
        possible = [self.sides(member) for member in members]
        if boundary in ("upper", "lower"):
            one_sided = {sides[0 if boundary == "upper" else -1] for sides in possible}
            if len(one_sided) == 1:
                return one_sided.pop()
        common = set(possible[0]).intersection(*possible[1:])
        if current in common:
            return current
        return min(common, key=len) if common else None

    def connect(  # noqa: PLR0913 - what one connect_bd_net says
        self,
        members: Sequence[str],
        origin: Origin,
        *,
        interface: bool,
        current: str,
        name: str = "",
        boundary: str = "",
    ) -> Net:
        """Join pins into one net; nets that meet become one, and hierarchies in between get pins."""
        hier = self.level(members, current, boundary)
        if hier is None:
            hier = _common([parent_of(parent_of(member)) for member in members])
            members = self._raised(members, hier, origin, interface=interface)
        nets = self.table(interface)
        meeting = [net for member in members if (net := self.at.get(member, {}).get(hier))]
        named = nets.get((hier, name)) if name else None
        net = named or (meeting[0] if meeting else None)
        if net is None:
            net = Net(name or self._free(automatic_name(members[0]), hier, nets), hier)
            if not name:
                self.automatic.add(id(net))
            nets[hier, net.name] = net
        for other in meeting:
            if other is not net:
                self._merge(other, net, nets)
        for member in members:
            self.join(net, member, origin)
        return net

    def join(self, net: Net, member: str, origin: Origin) -> None:
        """Add one member to a net."""
        net.members.setdefault(member, origin)
        self.at.setdefault(member, {})[net.hier] = net

    def leave(self, net: Net, member: str) -> None:
        """Take one member out of a net; a net without members goes."""
        net.members.pop(member, None)
        self.at.get(member, {}).pop(net.hier, None)
        if not net.members:
            self.drop(net)

    def drop(self, net: Net) -> None:
        """Delete a net."""
        for member in tuple(net.members):
            self.at.get(member, {}).pop(net.hier, None)
        net.members.clear()
        for nets in (self.design.nets, self.design.interface_nets):
            if nets.get((net.hier, net.name)) is net:
                del nets[net.hier, net.name]

    def nets_of(self, path: str) -> list[Net]:
        """Return the nets that a pin is on, the outer one first."""
        found = self.at.get(path, {})
        return [found[side] for side in self.sides(path) if side in found]

    def is_interface(self, net: Net) -> bool:
        """Tell whether this is a net of interfaces."""
        return self.design.interface_nets.get((net.hier, net.name)) is net

    def _merge(self, other: Net, net: Net, nets: dict[tuple[str, str], Net]) -> None:
        for member, origin in other.members.items():
            self.join(net, member, origin)
        nets.pop((other.hier, other.name), None)

    @staticmethod
    def _free(name: str, hier: str, nets: dict[tuple[str, str], Net]) -> str:
        number, free = 0, name
        while (hier, free) in nets:
            number += 1
            free = f"{name}{number}"
        return free

    def _raised(self, members: Sequence[str], top: str, origin: Origin, *, interface: bool) -> list[str]:
        """Bring pins up to a hierarchy; those of one level are joined there and share the way."""
        levels: dict[str, list[str]] = {}
        for member in members:
            levels.setdefault(top if top in self.sides(member) else self.sides(member)[0], []).append(member)
        raised = levels.pop(top, [])
        for level, together in levels.items():
            if len(together) > 1:
                self.connect(together, origin, interface=interface, current=level)
            raised.append(self._climb(together[0], top, origin, interface=interface))
        return raised

    def _climb(self, member: str, top: str, origin: Origin, *, interface: bool) -> str:
        """Bring a pin up to a hierarchy, through new pins of those in between."""
        while top not in self.sides(member):
            hier = self.sides(member)[0]
            through = self._passage(member, hier, interface=interface)
            if through is None:
                cell = self.design.cells.get(hier)
                if cell is None or cell.kind != "hier":
                    found = f"{member} is in no hierarchy of the design"
                    raise ToolError(found, where=member, expected=f"a hierarchy {hier}", remedy="Create it")
                name = self._unused(cell, name_of(member))
                through = join_path(hier, name)
                if interface:
                    cell.interfaces[name] = InterfacePin(name, "", "", origin)
                else:
                    cell.pins[name] = Pin(name, "", origin)
                self.connect((member, through), origin, interface=interface, current=hier, boundary="lower")
            member = through
        return member

    def _passage(self, member: str, hier: str, *, interface: bool) -> str | None:
        """Return a pin of the hierarchy that a member is connected to already."""
        net = self.at.get(member, {}).get(hier)
        if net is None or interface:
            return None
        return next((other for other in net.members if parent_of(other) == hier), None)

    @staticmethod
    def _unused(cell: Cell | None, name: str) -> str:
        taken = {*cell.pins, *cell.interfaces} if cell is not None else set()
        number, free = 0, name
        while free in taken:
            number += 1
            free = f"{name}{number}"
        return free


def _common(paths: Iterable[str]) -> str:
    """Return the innermost hierarchy that holds all of these."""
    parts = [path.strip("/").split("/") if path != "/" else [] for path in paths]
    shared: list[str] = []
    for level in zip(*parts, strict=False):
        if len(set(level)) > 1:
            break
        shared.append(level[0])
    return "/" + "/".join(shared)
