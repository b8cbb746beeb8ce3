# SPDX-License-Identifier: BSD-3-Clause
"""Against the plan: the block design that was recorded is the one that the platform decided on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from shellgen.platforms import platform_registry
from shellgen.platforms.block_design import Cell as PlannedCell
from shellgen.platforms.block_design import PlannedDesign
from vivado_check.design import Cell, Setting
from vivado_check.report import Message, Origin, Verdict

from .base import Context, rule
from .free_settings import may_be
from .planned import RETURN, broken, differs, number, planned

RULE = "planned-design"
PARTS = f"{RULE}-parts"


@rule(RULE, scope="session", source="docs/design.md")
def made(context: Context) -> Iterator[Message]:
    """Every block design of the platform is made."""
    for wanted in _wanted(context):
        if wanted.name not in context.recording.designs and context.recording.ended == 0:
            remedy = f"create_bd_design {wanted.name}"
            yield broken(
                RULE, Origin(), wanted.name, "no script makes it", "a block design of this name", remedy
            )


@rule(PARTS, scope="design", source="docs/design.md")
def parts(context: Context) -> Iterator[Message]:
    """Cells, parameters, ports, nets, buses and addresses are those of the platform's own design."""
    assert context.design is not None
    for wanted in _wanted(context):
        if wanted.name != context.design.name:
            continue
        if not context.design.validated:  # stopped half way: what is there can be judged
            yield from _settings(context, wanted)
            continue
        moved = _moved(context.design.cells, wanted)
        for planned_path, path in moved.items():
            yield differs(
                PARTS, context.design.cells[path].origin, planned_path, f"it is {path}", planned_path, RETURN
            )
        wanted = _grouped(wanted, moved)  # noqa: PLW2901 - the same design, with cells where they are
        yield from _cells(context, wanted)
        yield from _ports(context, wanted)
        yield from _wires(context, wanted)
        yield from _buses(context, wanted)
        yield from _mappings(context, wanted)


def _wanted(context: Context) -> tuple[PlannedDesign, ...]:
    found = planned(context)
    if found is None:
        return ()
    return platform_registry()[found.node.platform].designs(found.plan, found.node)


def planned_cells(context: Context) -> frozenset[str]:
    """Return the names of all cells that the platform plans."""
    designs = _wanted(context)
    return frozenset(name for one in designs for name in (*(cell.name for cell in one.cells), *one.modules))


def _path(name: str) -> str:
    return f"/{name}"


def _moved(cells: Mapping[str, Cell], wanted: PlannedDesign) -> dict[str, str]:
    """Return where planned cells are that somebody has put into a hierarchy, by the path that was planned."""
    found = {}
    for name in (*(cell.name for cell in wanted.cells), *wanted.modules):
        if _path(name) not in cells:
            there = [
                path for path, cell in cells.items() if path.endswith(f"/{name}") and cell.kind != "hier"
            ]
            if len(there) == 1 and _in_hierarchy(there[0], cells):
                found[_path(name)] = there[0]
    return found


def _in_hierarchy(path: str, cells: Mapping[str, Cell]) -> bool:
    parent = path.rpartition("/")[0]
    return not parent or (parent in cells and cells[parent].kind == "hier" and _in_hierarchy(parent, cells))


def _grouped(wanted: PlannedDesign, moved: Mapping[str, str]) -> PlannedDesign:
    """Return a planned design with cells where they are."""

    def there(name: str) -> str:
        cell, slash, rest = name.partition("/")
        return moved.get(_path(cell), _path(cell)).removeprefix("/") + slash + rest

    return replace(
        wanted,
        cells=tuple(replace(cell, name=there(cell.name)) for cell in wanted.cells),
        modules={there(name): module for name, module in wanted.modules.items()},
        wires=tuple(
            replace(wire, source=there(wire.source), sinks=tuple(map(there, wire.sinks)))
            for wire in wanted.wires
        ),
        buses=tuple(replace(bus, master=there(bus.master), slave=there(bus.slave)) for bus in wanted.buses),
        mappings=tuple(
            replace(one, space=there(one.space), segment=there(one.segment)) for one in wanted.mappings
        ),
    )


def _differs(origin: Origin, where: str, found: str, expected: str, remedy: str = "") -> Message:
    told = remedy or "Write it as `shellgen generate` does, or change cluster.toml"
    return broken(PARTS, origin, where, found, expected, told)


# ---- cells ----------------------------------------------------------------------------------------------
def _cells(context: Context, wanted: PlannedDesign) -> Iterator[Message]:
    assert context.design is not None
    cells = context.design.cells
    for planned_cell in wanted.cells:
        cell = cells.get(_path(planned_cell.name))
        if cell is None:
            origin = context.design.origin
            yield _differs(origin, _path(planned_cell.name), "there is no such cell", f"IP {planned_cell.ip}")
            continue
        if planned_cell.ip not in (":".join(cell.vlnv.split(":")[:3]), "".join(cell.vlnv.split(":")[2:3])):
            yield _differs(cell.origin, cell.path, f"it is {cell.vlnv or cell.kind}", f"IP {planned_cell.ip}")
    for name, module in wanted.modules.items():
        cell = cells.get(_path(name))
        if cell is None or cell.reference != module:
            found = f"it is {cell.reference or cell.vlnv}" if cell else "there is no such cell"
            yield _differs(
                cell.origin if cell else context.design.origin, _path(name), found, f"module {module}"
            )
    yield from _settings(context, wanted)
    known = {_path(cell.name) for cell in wanted.cells} | {_path(name) for name in wanted.modules}
    for path, cell in cells.items():
        if cell.kind != "hier" and path not in known and not _inside(path, cells):
            expected = f"one of {', '.join(sorted(known))}"
            yield differs(PARTS, cell.origin, path, "it is not in the plan", expected, RETURN)


def _settings(context: Context, wanted: PlannedDesign) -> Iterator[Message]:
    """Yield parameters of cells that are there and have not what was planned."""
    assert context.design is not None
    for planned_cell in wanted.cells:
        cell = context.design.cells.get(_path(planned_cell.name))
        if cell and (cell.config or context.design.validated):
            for message, name, value in _config(cell.path, cell.config, cell.origin, _asked(planned_cell)):
                free = name and may_be(planned_cell.ip, name, value, message.expected)
                yield replace(message, verdict=Verdict.DIFFERS) if free else message


def _inside(path: str, cells: Mapping[str, Cell]) -> bool:
    """Tell whether a cell lies in another that is no hierarchy: Vivado's own, of which nothing is planned."""
    parent = path.rpartition("/")[0]
    return parent in cells and cells[parent].kind != "hier"


def _asked(cell: PlannedCell) -> dict[str, str]:
    return cell.config | {f"{name}.VALUE_SRC": "USER" for name in cell.owned}


def _config(
    where: str, config: Mapping[str, Setting], origin: Origin, wanted: Mapping[str, str]
) -> Iterator[tuple[Message, str, str]]:
    """Yield parameters that are not set, or to another value, with both; others may be set besides."""
    found = {name.lower(): setting for name, setting in config.items()}
    for name, value in wanted.items():
        setting, of = found.get(name.lower()), f"{where}: CONFIG.{name}"
        if setting is None:
            yield _differs(origin, of, "it is not set", value, f"set CONFIG.{name} to {value}"), "", ""
        elif not _equal(setting.value, value):
            told = f"it is {setting.value}", value, f"set CONFIG.{name} to {value}"
            yield _differs(setting.origin, of, *told), name, setting.value


def _equal(found: str, wanted: str) -> bool:
    if found == wanted:
        return True
    values = number(found), number(wanted)
    if None not in values:
        return values[0] == values[1]
    try:
        return float(found) == float(wanted)
    except ValueError:
        return found.strip().lower() == wanted.strip().lower()


def _ports(context: Context, wanted: PlannedDesign) -> Iterator[Message]:
    assert context.design is not None
    top = context.design.cells["/"]
    for name, config in wanted.ports.items():
        port = top.pins.get(name) or top.interfaces.get(name)
        if port is None:
            yield _differs(context.design.origin, _path(name), "there is no such port", "a port of this name")
        else:
            for message, _, _ in _config(_path(name), port.config, port.origin, config):
                yield message
    for name, (vlnv, mode) in wanted.interfaces.items():
        interface = top.interfaces.get(name)
        if interface and (interface.vlnv, interface.mode) != (vlnv, mode):
            found = f"it is a {interface.mode} of {interface.vlnv}"
            yield _differs(interface.origin, _path(name), found, f"a {mode} of {vlnv}")


# ---- connections ----------------------------------------------------------------------------------------
def _wires(context: Context, wanted: PlannedDesign) -> Iterator[Message]:
    graph = context.graph
    together: dict[str, list[str]] = {}
    for wire in wanted.wires:
        together.setdefault(_path(wire.source), []).extend(map(_path, wire.sinks))
    planned_sinks = {sink for sinks in together.values() for sink in sinks}
    known = {_path(cell.name) for cell in wanted.cells} | {_path(name) for name in wanted.modules}
    for source, sinks in together.items():
        for sink in sinks:
            if source not in graph.ends(sink):
                others = [end for end in graph.ends(sink) if end != sink]
                found = f"it is connected to {', '.join(others)}" if others else "nothing drives it"
                yield _differs(_joined(context, sink), sink, found, source, f"connect it to {source}")
        for end in graph.ends(source):
            if end == source or end in sinks:
                continue
            told = _joined(context, end), end, f"{source} drives it"
            if end in planned_sinks:
                yield _differs(*told, "another source, or none")
            elif end.rpartition("/")[0] in known:
                yield differs(PARTS, *told, "nothing that drives it", RETURN)


def _buses(context: Context, wanted: PlannedDesign) -> Iterator[Message]:
    graph = context.graph
    together: dict[str, list[str]] = {}
    for bus in wanted.buses:
        together.setdefault(_path(bus.master), []).append(_path(bus.slave))
    # A monitor joins the net of what it looks at, from either end.
    for master, slaves in together.items():
        ends = graph.bus_ends(master)
        for slave in slaves:
            if slave not in ends:
                others = [end for end in graph.bus_ends(slave) if end != slave]
                found = f"it is connected to {', '.join(others)}" if others else "nothing is connected to it"
                yield _differs(_joined(context, slave), slave, found, master, f"connect it to {master}")


def _joined(context: Context, path: str) -> Origin:
    assert context.design is not None
    cell = path.rpartition("/")[0] or "/"
    return context.graph.joined(path) if cell in context.design.cells else context.design.origin


# ---- addresses ------------------------------------------------------------------------------------------
def _mappings(context: Context, wanted: PlannedDesign) -> Iterator[Message]:
    assert context.design is not None
    for mapping in wanted.mappings:
        slave = _path(mapping.segment).removesuffix("*").lower()
        found = [
            one
            for one in context.design.segments
            if one.space == _path(mapping.space)
            and one.segment.lower().startswith(slave)
            and not one.excluded
        ]
        expected = f"0x{mapping.offset:X} and 0x{mapping.size:X} bytes in {mapping.space}"
        if not found:
            yield _differs(context.design.origin, _path(mapping.segment), "it has no address", expected)
        for one in found:
            told = (one.offset, one.range)
            if None not in told and told != (mapping.offset, mapping.size):
                text = f"it is at 0x{one.offset:X}, 0x{one.range:X} bytes"
                yield _differs(one.origin, one.segment, text, expected)
