# SPDX-License-Identifier: BSD-3-Clause
"""A recorded design beside the real one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from vivado_check.design import Design, Net
from vivado_check.record.block_wiring import name_of, parent_of

from .hwh import Range
from .real import HIERARCHY, Mapped, Real, path_in


@dataclass
class Difference:
    """Comparison of one kind of object: how many are equal, and which are not.

    Attributes:
        unsaid: How many the script leaves to Vivado, so that they cannot be compared.
    """

    kind: str
    equal: int = 0
    wrong: list[str] = field(default_factory=list)
    unsaid: int = 0


def recorded(design: Design) -> Real:
    """Return a recorded design in the terms of a real one."""
    found = Real()
    for path, cell in design.cells.items():
        if cell.kind == "hier":
            for pin in cell.pins.values():
                left, right = ("" if index is None else str(index) for index in (pin.left, pin.right))
                found.ports[path_in(path, pin.name)] = (pin.direction, left, right)
            for bus in cell.interfaces.values():
                found.interfaces[path_in(path, bus.name)] = (bus.mode, bus.vlnv)
            if path != "/":
                found.cells[path] = HIERARCHY
            continue
        module = f"xilinx.com:module_ref:{cell.reference}" if cell.kind == "module" else ""
        found.cells[path] = cell.vlnv or module
        found.config[path] = {
            name.upper(): setting.value
            for name, setting in cell.config.items()
            if not name.upper().endswith(".VALUE_SRC")
        }
    found.nets = _nets(design.nets.values())
    found.interface_nets = _nets(design.interface_nets.values())
    found.segments = {Mapped(s.space, s.segment, s.offset, s.range, s.excluded) for s in design.segments}
    return found


def _nets(nets: Iterable[Net]) -> set[tuple[str, frozenset[str]]]:
    return {(net.hier, frozenset(net.members)) for net in nets}


def compare(design: Design, real: Real) -> list[Difference]:
    """Return how a recorded design differs from the real one, kind by kind."""
    ours = recorded(design)
    return [
        _tables("cells", ours.cells, real.cells, _same_vlnv),
        _config(ours, real),
        _tables("ports", ours.ports, real.ports, _same_port),
        _tables("interfaces", ours.interfaces, real.interfaces, _same_interface),
        _sets("nets", ours.nets, real.nets),
        _sets("interface nets", ours.interface_nets, real.interface_nets),
        _segments(design, ours.segments, real.segments),
    ]


def _tables(kind: str, ours: dict, theirs: dict, same) -> Difference:  # type: ignore[no-untyped-def, type-arg]
    found = Difference(kind)
    for path in sorted(ours.keys() | theirs.keys()):
        if path not in theirs or path not in ours:
            found.wrong.append(f"{path} is only {'recorded' if path in ours else 'real'}")
        elif same(ours[path], theirs[path]):
            found.equal += 1
        else:
            found.wrong.append(f"{path} is {ours[path]}, really {theirs[path]}")
    return found


def _same_vlnv(ours: str, theirs: str) -> bool:
    if not theirs:
        return ours != HIERARCHY
    if ":module_ref:" in ours:  # of whatever vendor the project has
        return ours.split(":")[1:3] == theirs.split(":")[1:3]
    ours = ours.removesuffix(":*")
    return ours == theirs or (ours.count(":") == 2 and theirs.startswith(f"{ours}:"))


def _same_port(ours: tuple[str, str, str], theirs: tuple[str, str, str]) -> bool:
    # A port that only facts can give a direction or a width has none.
    return all(
        one in ("", other) or {one, other} == {"0", ""} for one, other in zip(ours, theirs, strict=True)
    )


def _same_interface(ours: tuple[str, str], theirs: tuple[str, str]) -> bool:
    modes = {name.lower().replace("mirrored", "") for name in (ours[0], theirs[0])}
    return (not ours[0] or len(modes) == 1 or "system" in modes) and ours[1] in ("", theirs[1])


def _config(ours: Real, real: Real) -> Difference:
    """Compare what the script sets with what the cell has; Vivado drops what is a default anyway."""
    found = Difference("parameters")
    for path, config in ours.config.items():
        for name, value in config.items():
            theirs = real.config.get(path, {}).get(name)
            if theirs is None:
                found.unsaid += 1
            elif _same_value(value, theirs):
                found.equal += 1
            else:
                found.wrong.append(f"{path} has {name} {value!r}, really {theirs!r}")
    return found


def _same_value(ours: str, theirs: str) -> bool:
    one, other = ("".join(text.split()).lower() for text in (ours, theirs))
    if one == other:
        return True
    try:
        return float(one) == float(other) or int(one, 0) == int(other, 0)
    except ValueError:
        return False


def _sets(kind: str, ours: set, theirs: set) -> Difference:  # type: ignore[type-arg]
    found = Difference(kind, equal=len(ours & theirs))
    for side, nets in (("recorded", ours - theirs), ("real", theirs - ours)):
        found.wrong += [f"{hier}: {' '.join(sorted(net))} is only {side}" for hier, net in nets]
    found.wrong.sort()
    return found


def _segments(design: Design, ours: set[Mapped], theirs: set[Mapped]) -> Difference:
    """Compare the address maps; of an excluded segment only that it is, since no address of it counts."""
    found = Difference("segments")
    left = {(s.space, s.segment, s.excluded): s for s in theirs}
    automatic = any(a.rule == "assign_bd_address" for a in design.automations)
    for segment in sorted(ours, key=str):
        real = left.pop((segment.space, segment.segment, segment.excluded), None)
        same = real is not None and (
            segment.excluded
            or (segment.offset in (None, real.offset) and segment.range in (None, real.range))
        )
        if same:
            found.equal += 1
        else:
            found.wrong.append(f"{segment} is recorded, {real or 'nothing'} is real")
    if automatic:
        found.unsaid += len(left)
    else:
        found.wrong += [f"{segment} is only real" for segment in sorted(left.values(), key=str)]
    return found


def compare_ranges(design: Design, ranges: set[Range]) -> Difference:
    """Return how the recorded map differs from the ranges of a handoff, for the masters that it lists."""
    found = Difference("ranges")
    masters = {entry[0] for entry in ranges}
    ours = {
        (parent_of(s.space), _slave(s.segment), name_of(s.segment), s.offset, s.offset + s.range - 1)
        for s in design.segments
        if s.offset is not None and s.range is not None and not s.excluded
    }
    ours = {entry for entry in ours if entry[0] in masters}
    found.equal = len(ours & ranges)
    if any(a.rule == "assign_bd_address" for a in design.automations):
        found.unsaid = len(ranges - ours)
    else:
        found.wrong += [f"{entry} is only in the handoff" for entry in sorted(ranges - ours)]
    found.wrong += [f"{entry} is only recorded" for entry in sorted(ours - ranges)]
    return found


def _slave(segment: str) -> str:
    owner = parent_of(parent_of(segment))
    return owner if owner != "/" else parent_of(segment)
