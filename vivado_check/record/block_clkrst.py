# SPDX-License-Identifier: BSD-3-Clause
"""The automation of clocks and resets: a clock, and a reset in step with it, for a pin and what it talks to.

As real designs show it that were made by it: the clock joins the pin and the clock of the other end of
its interface; their resets hang on the `proc_sys_reset` of that clock, which is made if there is none.
"""

from __future__ import annotations

from ..design import Cell
from ..ip.facts import CLOCK, IpInterface
from .block_facts import frequency, resolved
from .block_state import Sheet, absolute
from .block_wiring import join_path, name_of, parent_of
from .commands import Arguments
from .session import Session

_RESET = "xilinx.com:ip:proc_sys_reset:5.0"
# The reset that a processing system gives with its clocks, and how Vivado shortens its name.
_RESETS = {"processing_system7": "FCLK_RESET0_N", "zynq_ultra_ps_e": "pl_resetn0"}
_SHORT = {"processing_system7_": "ps7_", "zynq_ultra_ps_e_": "ps8_"}


def connect_clock(
    session: Session, current: Sheet, config: dict[str, str], target: str, call: Arguments
) -> bool:
    """Join a pin with a clock; return whether all that comes with it is in the record."""
    source = absolute(current, config.get("Clk", "").partition(" (")[0].strip() or "Auto")
    cell = current.design.cells.get(parent_of(source))
    facts = resolved(session, cell)
    if cell is None or facts is None or name_of(source) not in facts.ports:
        return False
    pins = [target, *_other_ends(session, current, target)]
    for pin in pins:
        if not current.wiring.nets_of(pin):
            _join(current, source, pin, call)
    clocks = [_clock(session, current, pin) for pin in pins]
    resets = [
        join_path(parent_of(pin), name)
        for pin, clock in zip(pins, clocks, strict=True)
        for name in (clock.params.get("ASSOCIATED_RESET", "") if clock else "").split(":")
        if name
    ]
    open_resets = [pin for pin in resets if not current.wiring.nets_of(pin)]
    if open_resets:
        controller = _controller(session, current, source, cell, call)
        if controller is None:
            return False
        for pin in open_resets:
            _join(current, join_path(controller, "peripheral_aresetn"), pin, call)
    return all(clock is not None for clock in clocks)


def _join(current: Sheet, one: str, other: str, call: Arguments) -> None:
    current.wiring.connect((one, other), call.origin, interface=False, current="/")


def _clock(session: Session, current: Sheet, pin: str) -> IpInterface | None:
    """Return the clock interface of a pin, None if it is not known."""
    facts = resolved(session, current.design.cells.get(parent_of(pin)))
    return next(
        (
            entry
            for entry in (facts.interfaces.values() if facts else ())
            if entry.vlnv == CLOCK and entry.ports.get("CLK") == name_of(pin)
        ),
        None,
    )


def _other_ends(session: Session, current: Sheet, pin: str) -> list[str]:
    """Return the clocks, still open, of what the interfaces of this clock are connected to."""
    clock = _clock(session, current, pin)
    found = []
    for name in (clock.params.get("ASSOCIATED_BUSIF", "") if clock else "").split(":"):
        bus = join_path(parent_of(pin), name)
        ends = [end for net in current.wiring.nets_of(bus) for end in net.members if end != bus]
        found += [path for end in ends if (path := _clock_of(session, current, end))]
    return [path for path in found if not current.wiring.nets_of(path)]


def _clock_of(session: Session, current: Sheet, interface: str) -> str:
    """Return the clock of an interface, or the only one that its cell has; empty if that is not known."""
    facts = resolved(session, current.design.cells.get(parent_of(interface)))
    inputs = [
        entry
        for entry in (facts.interfaces.values() if facts else ())
        if entry.vlnv == CLOCK and entry.mode == "slave" and "CLK" in entry.ports
    ]
    named = [e for e in inputs if name_of(interface) in e.params.get("ASSOCIATED_BUSIF", "").split(":")]
    fitting = named or inputs
    return join_path(parent_of(interface), fitting[0].ports["CLK"]) if len(fitting) == 1 else ""


def _controller(session: Session, current: Sheet, source: str, cell: Cell, call: Arguments) -> str | None:
    """Return the reset controller of a clock; a new one for that of a processing system."""
    on_clock = {pin for net in current.wiring.nets_of(source) for pin in net.members}
    for other in current.design.cells.values():
        if ":proc_sys_reset:" in other.vlnv and f"{other.path}/slowest_sync_clk" in on_clock:
            return other.path
    reset = _RESETS.get(cell.vlnv.split(":")[2])
    hertz = frequency(session, source)
    if reset is None or not hertz:
        return None
    short = name_of(cell.path)
    for long, brief in _SHORT.items():
        short = short.replace(long, brief)
    path = f"/rst_{short}_{int(float(hertz)) // 1_000_000}M"
    if path in current.design.cells:
        return None
    current.design.cells[path] = Cell(path, "ip", call.origin, _RESET)
    _join(current, source, f"{path}/slowest_sync_clk", call)
    _join(current, join_path(cell.path, reset), f"{path}/ext_reset_in", call)
    return path
