# SPDX-License-Identifier: BSD-3-Clause
"""Against the plan: how fast the clocks of the core are, and that the double one is double and in phase."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shellgen.model import Clock
from vivado_check.design import Cell
from vivado_check.graph import split_path
from vivado_check.report import Message, Origin

from .base import Context, rule
from .planned import DOUBLE_CLOCK, broken, in_design, setting, unclear

# By the name of an IP: its clock outputs, and the parameter that asks for the frequency of one, in MHz.
# Source: their IP-XACT, and UG585 and UG1085 for what the parameters set.
_MAKERS = {
    "processing_system7": (r"FCLK_CLK(\d)", "PCW_FPGA{}_PERIPHERAL_FREQMHZ"),
    "zynq_ultra_ps_e": (r"pl_clk(\d)", "PSU__CRL_APB__PL{}_REF_CTRL__FREQMHZ"),
    "clk_wiz": (r"clk_out(\d)", "CLKOUT{}_REQUESTED_OUT_FREQ"),
}
_PHASES = {"clk_wiz": "CLKOUT{}_REQUESTED_PHASE"}
# A processing system is asked for the plan's frequency; what is made of its clock, for what it really gives.
_ASKED, _MADE = 1e-3, 0.1


@dataclass(frozen=True)
class _Source:
    """The output that a clock comes from: its cell, the IP's name, its number, what it is asked for."""

    pin: str
    cell: Cell
    ip: str
    number: str
    hz: float | None
    origin: Origin
    parameter: str


def _source(context: Context, pin: str) -> _Source | None:
    source = context.graph.source_of_clock(pin) or _named(context, pin)
    cell = context.addresses.design.cells.get(split_path(source)[0]) if source else None
    ip = cell.vlnv.split(":")[2] if cell and cell.vlnv.count(":") >= 2 else ""
    if source is None or cell is None or ip not in _MAKERS:
        return None
    pattern, parameter = _MAKERS[ip]
    match = re.fullmatch(pattern, split_path(source)[1])
    if match is None:
        return None
    name = parameter.format(match[1])
    found = setting(context, cell, name)
    hz = _megahertz(found.value) if found else None
    return _Source(source, cell, ip, match[1], hz, found.origin if found else cell.origin, name)


def _named(context: Context, pin: str) -> str | None:
    """Return the one end of a net that is a clock output by its name, where facts do not tell."""
    found = []
    for end in context.graph.ends(pin):
        cell = context.addresses.design.cells.get(split_path(end)[0])
        maker = _MAKERS.get(cell.vlnv.split(":")[2]) if cell and cell.vlnv.count(":") >= 2 else None
        if maker and re.fullmatch(maker[0], split_path(end)[1]):
            found.append(end)
    return found[0] if len(found) == 1 else None


def _megahertz(text: str) -> float | None:
    try:
        return float(text) * 1e6
    except ValueError:
        return None


@rule("plan-clock", scope="design", source="docs/zynq.md; UG585 and UG1085, clocks of the PL")
def clocks(context: Context) -> Iterator[Message]:
    """Every clock of the core is asked to be as fast as the plan says."""
    found = in_design(context)
    if found is None:
        return
    wanted, core = found
    for clock in wanted.node.clocks:
        pin = f"{core.path}/{clock.name}"
        source = _source(context, pin)
        expected = f"{_shown(clock.hz)}, as in plan.json"
        if source is None or source.hz is None:
            if context.graph.may_be_driven(pin):
                made = source.pin if source else context.graph.source_of_clock(pin)
                yield unclear("plan-clock", context.graph.joined(pin), pin, f"it comes from {made}", expected)
            continue
        yield from _rate(clock, pin, source, expected)


def _rate(clock: Clock, pin: str, source: _Source, expected: str) -> Iterator[Message]:
    assert source.hz is not None
    limit = _MADE if source.ip in _PHASES else _ASKED
    if abs(source.hz - clock.hz) > limit * clock.hz:
        yield broken(
            "plan-clock",
            source.origin,
            pin,
            f"{source.pin} is asked for {_shown(source.hz)}",
            expected,
            f"set CONFIG.{source.parameter} of {source.cell.path}, or connect another clock",
        )


def _shown(hz: float) -> str:
    return f"{hz / 1e6:.6f}".rstrip("0").rstrip(".") + " MHz"


@rule("plan-double-clock", scope="design", source="docs/zynq.md; PG065, Clock Manager and phase alignment")
def double(context: Context) -> Iterator[Message]:
    """The clock of double-pumped layers is twice that of the partitions, from one clock manager, in phase."""
    found = in_design(context)
    if found is None or not found[0].double:
        return
    wanted, core = found
    slow_pin, fast_pin = f"{core.path}/{wanted.node.compute.name}", f"{core.path}/{DOUBLE_CLOCK}"
    slow, fast = _source(context, slow_pin), _source(context, fast_pin)
    line = context.graph.joined(fast_pin)
    expected = f"twice the clock of {slow_pin}, from the same clock manager"
    made = context.graph.source_of_clock(fast_pin)
    if made is None and not context.graph.may_be_driven(fast_pin):
        yield _not_double(line, fast_pin, "nothing drives it", expected)
    elif slow is None or fast is None:
        yield unclear("plan-double-clock", line, fast_pin, f"it comes from {made}", expected)
    elif slow.cell.path != fast.cell.path or fast.ip not in _PHASES:
        yield _not_double(
            line,
            fast_pin,
            f"it comes from {fast.pin}, and the other from {slow.pin}, with no fixed phase",
            expected,
        )
    elif slow.hz is None or fast.hz is None:
        yield unclear("plan-double-clock", line, fast_pin, f"the rate of {fast.pin} is not known", expected)
    else:
        if abs(fast.hz / slow.hz - 2) > _ASKED:
            shown = f"{fast.pin} is asked for {_shown(fast.hz)}, {slow.pin} for {_shown(slow.hz)}"
            yield _not_double(fast.origin, fast_pin, shown, expected)
        yield from _phases(context, fast_pin, (slow, fast))


def _phases(context: Context, pin: str, sources: tuple[_Source, ...]) -> Iterator[Message]:
    for source in sources:
        found = setting(context, source.cell, _PHASES[source.ip].format(source.number))
        if found and _megahertz(found.value):
            yield _not_double(found.origin, pin, f"{source.pin} has a phase of {found.value} degrees", "none")


def _not_double(origin: Origin, pin: str, found: str, expected: str) -> Message:
    remedy = "take both clocks from one clk_wiz, the second at twice the frequency of the first"
    return broken("plan-double-clock", origin, pin, found, expected, remedy)
