# SPDX-License-Identifier: BSD-3-Clause
"""Sources of clocks and resets: their frequency, and which of them belong together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from .graph import Graph, associated, pin_path, split_path
from .ip.facts import CLOCK

# Where a generator is asked for the frequency of an output, by the output's name; the PS gives what its PLLs
# can (PG082, PG201), so that what it really gives is known only where a script repeats it.
_REQUESTS = {
    r"FCLK_CLK(\d)": ("PCW_ACT_FPGA{}_PERIPHERAL_FREQMHZ", "PCW_FPGA{}_PERIPHERAL_FREQMHZ"),
    r"pl_clk(\d)": (
        "PSU__CRL_APB__PL{}_REF_CTRL__ACT_FREQMHZ",
        "PSU__CRL_APB__PL{}_REF_CTRL__FREQMHZ",
    ),
    r"clk_out(\d)": ("", "CLKOUT{}_REQUESTED_OUT_FREQ"),
}


@dataclass(frozen=True)
class Rate:
    """A frequency in Hz, and how far from it the real one may be."""

    hertz: int
    slack: int


def rate_of(graph: Graph, source: str) -> Rate | None:
    """Return how fast a clock's source is, None if that is not known."""
    cell, name = split_path(source)
    if cell == "/":
        pin = graph.design.cells["/"].pins.get(name)
        said = pin.config.get("FREQ_HZ") if pin else None
        return Rate(round(float(said.value)), 0) if said and is_number(said.value) else None
    config = graph.config(cell)
    for pattern, (actual, asked) in _REQUESTS.items():
        if found := re.fullmatch(pattern, name):
            for key, part in ((actual.format(found[1]), 100), (asked.format(found[1]), 10)):
                if is_number(text := config.get(key, "")):
                    hertz = round(float(text) * 1e6)
                    return Rate(hertz, hertz // part)
    return None


# What the PLL behind the clocks of a processing system runs at (UG585, UG1085), in Hz.
_PLLS = {"FCLK_CLK": 1_000_000_000, "pl_clk": 999_990_010}


def given_hertz(graph: Graph, pin: str) -> int | None:
    """Return the FREQ_HZ that Vivado shows at a clock output, None if that is not known.

    A processing system gives the whole division of its PLL, by two divisors of 6 bits, that is nearest to
    what it is asked for; others are taken to give just that.
    """
    rate = rate_of(graph, pin)
    pll = next((hertz for name, hertz in _PLLS.items() if split_path(pin)[1].startswith(name)), None)
    if rate is None or pll is None:
        return rate.hertz if rate else None
    return min((pll // divisor for divisor in _divisors()), key=lambda hertz: abs(hertz - rate.hertz))


@cache
def _divisors() -> tuple[int, ...]:
    return tuple(sorted({first * second for first in range(1, 64) for second in range(1, 64)}))


def is_number(text: str) -> bool:
    """Return whether a text is a number that a frequency may be."""
    return re.fullmatch(r"[0-9]{1,15}(\.[0-9]*)?([eE][+]?[0-9]{1,2})?", text) is not None


def same_domain(graph: Graph, first: str, second: str) -> bool:
    """Return whether two sources are one clock, or may be.

    Outputs of one IP other than a processing system may be one domain: those of a Clocking Wizard are, and
    differ at most in frequency.
    """
    if first == second:
        return True
    cell = split_path(first)[0]
    if cell == "/" or cell != split_path(second)[0]:
        return False
    if any(re.fullmatch(r"FCLK_CLK\d|pl_clk\d", split_path(pin)[1]) for pin in (first, second)):
        return False
    rates = rate_of(graph, first), rate_of(graph, second)
    return None in rates or rates[0] == rates[1]


def clocks_of_reset(graph: Graph, pin: str) -> tuple[str, ...]:
    """Return the clock pins of its own cell that a reset is associated with (ASSOCIATED_RESET)."""
    cell, name = split_path(pin)
    signal = graph.signal(pin)
    names = {name.lower(), *((signal.name.lower(),) if signal else ())}
    return tuple(
        pin_path(cell, clock)
        for clock, found in graph.signals(cell).items()
        if found.vlnv == CLOCK and names & {one.lower() for one in associated(found, "ASSOCIATED_RESET")}
    )


def source(graph: Graph, clock: str) -> str | None:
    """Return where a clock comes from; a port through which one enters the design is its own source."""
    port = graph.port(clock)
    inside = split_path(clock)[0] == "/" and (port is None or port.direction == "out")
    return clock if inside else graph.source_of_clock(clock)
