# SPDX-License-Identifier: BSD-3-Clause
"""Drivers of a pin: exactly one, of the same kind and of the same width."""

from __future__ import annotations

from collections.abc import Iterator

from ..graph import Graph, pin_path, split_path
from ..ip.facts import CLOCK, INTERRUPT, RESET
from ..report import Message, Origin
from .base import Context, rule
from .walk import UG994, Wrong, error, finding, inputs, ip_name, known_cells

_STUCK = "nothing drives this reset, so it is tied to 0 and never released"
_KINDS = {CLOCK: "clock", RESET: "reset", INTERRUPT: "interrupt"}
# Sources that are no clock and no reset whatever they are called.
_CONSTANTS = ("xlconstant", "ilconstant")


@rule("clock-not-driven", scope="design", source="Time-Appliances-Project/Time-Card, issue 81")
def clock_not_driven(context: Context) -> Iterator[Message]:
    """Find clocks of known IP that nothing can drive."""
    graph = context.graph
    for path, _, _ in inputs(graph, CLOCK):
        cell = split_path(path)[0]
        if cell != "/" and not graph.may_be_driven(path) and not _by_board(graph, cell):
            yield error(
                context,
                "clock-not-driven",
                path,
                Wrong(
                    "nothing drives this clock",
                    "a clock",
                    "connect it, or switch off what needs it",
                    "BD 41-758",
                ),
            )


def _by_board(graph: Graph, cell: str) -> bool:
    """Return whether the card decides which pins a cell has, such as a differential clock."""
    resolved = graph.resolved(cell)
    chosen = any(
        name.endswith("BOARD_INTERFACE") and value != "Custom" for name, value in graph.config(cell).items()
    )
    return chosen and resolved is not None and not resolved.complete


@rule("reset-not-driven", scope="design", source=UG994)
def reset_not_driven(context: Context) -> Iterator[Message]:
    """Find resets that nothing drives and that have no default: they are tied to 0.

    In a generated design, also those with a default: they never reset anything.
    """
    graph = context.graph
    for path, signal, port in inputs(graph, RESET):
        resolved = graph.resolved(split_path(path)[0])
        if (
            resolved
            and resolved.complete
            and (port.default is None or _always(context, path))
            and signal.params.get("POLARITY") != "ACTIVE_HIGH"
            and not graph.may_be_driven(path)
        ):
            yield finding(
                context,
                "reset-not-driven",
                path,
                Wrong(
                    _STUCK if port.default is None else "nothing drives this reset",
                    "a reset of its clock",
                    "connect it to the reset that belongs to its clock",
                    "BD 41-759" if port.default is None else "",
                ),
            )


def _always(context: Context, pin: str) -> bool:
    """Return whether a reset is always used: all in a generated design but spare ones of a reset module."""
    cell = context.graph.design.cells[split_path(pin)[0]]
    return context.ours and ip_name(cell) != "proc_sys_reset"


@rule("several-drivers", scope="design", source="ghdl/ghdl, issue 1307")
def several_drivers(context: Context) -> Iterator[Message]:
    """Find nets that more than one output drives."""
    graph = context.graph
    for group in graph.pins.groups():
        drivers = graph.drivers(group[0])
        # Whether a line joins them that named something we do not know is open.
        if len(drivers) > 1 and not {graph.joined(pin) for pin in group} & context.recording.doubts:
            yield error(
                context,
                "several-drivers",
                drivers[-1],
                Wrong(
                    f"{' and '.join(drivers)} drive one net",
                    "one driver",
                    "disconnect all but one of them",
                    "DRC MDRV-1",
                ),
                _latest(graph, drivers),
            )


def _latest(graph: Graph, pins: tuple[str, ...]) -> Origin:
    return max(graph.joined(pin) for pin in pins)


@rule("driver-kind", scope="design", source=UG994)
def driver_kind(context: Context) -> Iterator[Message]:
    """Find clocks and resets that something else drives: a clock a reset, a constant a clock."""
    graph = context.graph
    for path, signal, _ in inputs(graph, CLOCK, RESET):
        driver = graph.driver(path)
        if driver is None:
            continue
        kind = graph.signal(driver)
        constant = _is_constant(graph, driver)
        wrong = kind is not None and kind.vlnv != signal.vlnv
        if wrong or (constant and signal.vlnv == CLOCK):
            what = "constant" if constant or kind is None else _KINDS[kind.vlnv]
            tell = error if constant else finding
            yield tell(
                context,
                "driver-kind",
                path,
                Wrong(
                    f"{driver} is a {what} and drives a {_KINDS[signal.vlnv]}",
                    f"a {_KINDS[signal.vlnv]}",
                    "connect it to what it is made for",
                    "BD 41-758" if constant else "BD 41-1731",
                ),
            )


def _is_constant(graph: Graph, pin: str) -> bool:
    cell = graph.design.cells.get(split_path(pin)[0])
    return cell is not None and cell.path != "/" and ip_name(cell) in _CONSTANTS


# Of an input that is narrower, and one that is wider: logs until Vivado 2019.2, and from 2020.2 on.
_MISMATCH = (("BD 41-235", "BD 41-2384"), ("BD 41-1228", "BD 41-2383"))


@rule("width-mismatch", scope="design", source="rohithsaradhy/Trenz_24ChannelDDMTD: BD 41-1228")
def width_mismatch(context: Context) -> Iterator[Message]:
    """Find inputs wider than what drives them; in a generated design narrower ones too.

    Elsewhere taking the lower bits of a vector may be meant, and Vivado only warns of it.
    """
    graph = context.graph
    for group in graph.pins.groups():
        driver = graph.driver(group[0])
        source = graph.port(driver) if driver else None
        if driver is None or source is None or source.bits is None:
            continue
        for path in graph.loads(driver):
            port = graph.port(path)
            if port is None or port.direction != "in" or port.bits in (None, source.bits):
                continue
            wider = port.bits is not None and port.bits > source.bits
            if wider or context.ours:
                found = f"it has {port.bits} bits, and {driver}, which drives it, {source.bits}"
                remedy = "give both one width, or cut and join vectors where it is meant"
                vivado = _MISMATCH[wider][context.release >= "2020.2"]
                yield finding(context, "width-mismatch", path, Wrong(found, "as many", remedy, vivado))


@rule("input-not-driven", scope="design", source="nestoreo/Audio-streaming-zybo: BD 41-759")
def input_not_driven(context: Context) -> Iterator[Message]:
    """Find inputs of modules that nothing drives: they are tied to 0."""
    graph = context.graph
    for cell, resolved in known_cells(graph):
        if graph.design.cells[cell].kind != "module" or not resolved.complete:
            continue
        buses = {port for one in resolved.interfaces.values() for port in one.ports.values()}
        for name, port in resolved.ports.items():
            path = pin_path(cell, name)
            if port.direction == "in" and name not in buses and not graph.may_be_driven(path):
                wrong = Wrong("nothing drives it, so it is tied to 0", "a driver", "connect it", "BD 41-759")
                yield finding(context, "input-not-driven", path, wrong)
