# SPDX-License-Identifier: BSD-3-Clause
"""Resets: of the right polarity, and released in step with the clock of what they reset."""

from __future__ import annotations

from collections.abc import Iterator

from ..clocking import clocks_of_reset, same_domain, source
from ..graph import Graph, split_path
from ..ip.facts import RESET, IpInterface
from ..report import Message
from .base import Context, rule
from .walk import Wrong, cells_of, error, finding, inputs, ip_name

_PSR = "proc_sys_reset"


@rule("reset-polarity", scope="design", source="AR41001/SoC")
def reset_polarity(context: Context) -> Iterator[Message]:
    """Find resets that are active at the other level than what drives them."""
    graph = context.graph
    for path, signal, _ in inputs(graph, RESET):
        driver = graph.driver(path)
        there = graph.signal(driver) if driver else None
        if there is None or there.vlnv != RESET or _takes_any(graph, path):
            continue
        wanted, given = _polarity(path, signal), _polarity(driver or "", there)
        if wanted and given and wanted != given:
            yield error(
                context,
                "reset-polarity",
                path,
                Wrong(
                    f"it is {wanted}, and {driver}, which drives it, {given}",
                    "one polarity",
                    "connect it to a reset of its polarity",
                    "BD 41-238",
                ),
            )


def _polarity(pin: str, signal: IpInterface) -> str:
    """Return a polarity as it is said; the ARESETN of AXI is active low (Arm IHI 0022). Else empty."""
    low = "ACTIVE_LOW" if pin.lower().endswith("aresetn") else ""
    return signal.params.get("POLARITY", low)


def _takes_any(graph: Graph, pin: str) -> bool:
    """Return whether validation sets the polarity of a reset by what drives it."""
    cell, name = split_path(pin)
    found = graph.design.cells[cell]
    return ip_name(found) == _PSR and name == "ext_reset_in"


@rule("reset-domain", scope="design", source="PG164, Processor System Reset: one module for each clock")
def reset_domain(context: Context) -> Iterator[Message]:
    """Find resets that are released in step with another clock than that of what they reset."""
    graph = context.graph
    for path, driver, here in _resets(graph):
        clocks = clocks_of_reset(graph, driver)
        there = {found for clock in clocks if (found := source(graph, clock))}
        if there and not any(same_domain(graph, a, b) or _related(a, b) for a in here for b in there):
            yield finding(
                context,
                "reset-domain",
                path,
                Wrong(
                    f"{driver} belongs to the clock {' or '.join(sorted(there))}, "
                    f"and what it resets to {' or '.join(sorted(here))}",
                    "a reset of its own clock",
                    "connect it to a Processor System Reset on its clock",
                    "BD 41-1343",
                ),
            )


def _related(first: str, second: str) -> bool:
    """Return whether two clocks come from one Clocking Wizard: timing then covers the way between them."""
    return split_path(first)[0] == split_path(second)[0] and "clk_out" in first and "clk_out" in second


@rule("reset-asynchronous", scope="design", source="PG164, Processor System Reset")
def reset_asynchronous(context: Context) -> Iterator[Message]:
    """Find resets of clocked logic that come straight from the processing system or from a port."""
    graph = context.graph
    ready = {
        found
        for path, _ in cells_of(graph, _PSR)
        if (found := graph.source_of_clock(f"{path}/slowest_sync_clk"))
    }
    for path, driver, here in _resets(graph):
        cell, name = split_path(driver)
        # A port may belong to a clock that is a port, too: propagation notes that, and the script does not.
        port = cell == "/" and all(split_path(clock)[0] != "/" for clock in here)
        asynchronous = port or name.startswith(("FCLK_RESET", "pl_resetn"))
        if asynchronous and not clocks_of_reset(graph, driver):
            yield finding(
                context,
                "reset-asynchronous",
                path,
                Wrong(
                    f"{driver} is not in step with its clock",
                    f"a reset that is, for {' or '.join(sorted(here))}",
                    "connect it through a Processor System Reset on its clock",
                    "BD 41-1347" if here & ready else "BD 41-1348",
                ),
            )


def _resets(graph: Graph) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Yield each driven reset of a clock: its path, its driver, and the sources of its clocks."""
    for path, _, _ in inputs(graph, RESET):
        driver = graph.driver(path)
        if driver is None or path.count("/") == 1:
            continue
        sources = [source(graph, clock) for clock in clocks_of_reset(graph, path)]
        here = frozenset(found for found in sources if found)
        if here and None not in sources:
            yield path, driver, here


@rule(
    "reset-before-lock", scope="design", source="PG065, Clocking Wizard: locked; PG164: dcm_locked", ours=True
)
def reset_before_lock(context: Context) -> Iterator[Message]:
    """Find resets in a generated design that are released before their clock is stable."""
    graph = context.graph
    for path, _ in cells_of(graph, _PSR):
        clock = graph.source_of_clock(f"{path}/slowest_sync_clk")
        cell = split_path(clock)[0] if clock else ""
        locked = graph.port(f"{cell}/locked") if cell not in ("", "/") else None
        if locked and f"{cell}/locked" not in graph.ends(f"{path}/dcm_locked"):
            yield finding(
                context,
                "reset-before-lock",
                f"{path}/dcm_locked",
                Wrong(
                    f"{cell}/locked does not reach it, so it releases before the clock is stable",
                    f"{cell}/locked",
                    "connect them",
                ),
            )
