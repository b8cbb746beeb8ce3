# SPDX-License-Identifier: BSD-3-Clause
"""Commands that failed without a word: under `-quiet` or in a `catch`, as Vivado lets them."""

from __future__ import annotations

from collections.abc import Iterator

from ..design import Design
from ..ip.names import slip
from ..recording import Call, Recording
from ..report import Message, Verdict
from .base import Context, rule
from .flow import CHANGES

# Commands that are called for what may not be there, unless its name is a likely typo.
_OPTIONAL = ("set_property", "delete_bd_objs", "disconnect_bd_net", "disconnect_bd_intf_net")
_SHORTEST = 4  # letters; shorter names differ by one letter on purpose
_GETTERS = (
    "get_bd_cells",
    "get_bd_pins",
    "get_bd_intf_pins",
    "get_bd_ports",
    "get_bd_intf_ports",
    "get_bd_nets",
)


@rule("suppressed-error", scope="session", source="UG835, -quiet: errors inside the command are trapped")
def suppressed(context: Context) -> Iterator[Message]:
    """A command that builds a block design does so, or its error is seen."""
    recording = context.recording
    stopped = {one.origin for one in recording.messages if one.verdict is Verdict.ERROR}
    for place, call in enumerate(recording.calls):
        if not call.failed or call.origin in stopped or call.command not in (*CHANGES, "set_property"):
            continue
        name, meant = _meant(recording, place)
        found = f"{call.command} fails here, and the script hides the error"
        if meant:
            found = f"{found}: there is no {name}"
            yield _said(call, Verdict.FINDING, name, found, meant, "correct the name")
        elif call.command not in _OPTIONAL:
            remedy = "leave out -quiet or catch, or look first whether its objects exist"
            yield _said(call, Verdict.NOT_MODELLED, call.command, found, "", remedy)


def _said(call: Call, verdict: Verdict, where: str, found: str, expected: str, remedy: str) -> Message:  # noqa: PLR0913
    return Message("suppressed-error", verdict, call.origin, where, found, expected, remedy)


def _meant(recording: Recording, place: int) -> tuple[str, str]:
    """Return a name that a getter of this line did not find, and the object that it is a typo of."""
    call = recording.calls[place]
    for before in reversed(recording.calls[:place]):
        if before.origin != call.origin:
            break
        if before.command in _GETTERS and not before.answer:
            for name in before.words:
                for design in recording.designs.values() if not name.startswith("-") else ():
                    if meant := _near(name.strip("/"), design):
                        return name, meant
    return "", ""


def _near(name: str, design: Design) -> str:
    """Return the object of a design that a name is a likely typo of, empty if there is none."""
    root = design.cells["/"]
    cells = [path.strip("/") for path in design.cells if path != "/"]
    ports = [*root.pins, *root.interfaces]
    nets = [net for _, net in (*design.nets, *design.interface_nets)]
    cell, _, pin = name.rpartition("/")
    looked, known = (cell, set(cells)) if cell else (name, {*cells, *ports, *nets})
    if looked in known:
        return ""
    meant = next((one for one in sorted(known) if _typo(looked, one)), "")
    return f"{meant}/{pin}" if meant and cell else meant


def _typo(name: str, known: str) -> bool:
    """Return whether a letter is missing, added or swapped with another; `clk_n` is no typo of `clk_p`."""
    same = sorted(name.lower()) == sorted(known.lower())
    return len(name) >= _SHORTEST and (same or len(name) != len(known)) and slip(name, known)
