# SPDX-License-Identifier: BSD-3-Clause
"""Share of a session that was checked: a check that saw nothing finds nothing, and proves nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from .record.session import all_commands
from .recording import Call, Recording
from .report import Message
from .tcl.hidden import HIDING

# Commands of Tcl, which the recorder writes down as well. Source: tcl.tk, changes of Tcl 8.6.
NEWER = frozenset({"coroutine", "lmap", "tailcall", "throw", "try", "yield", "yieldto", "zlib"})
# What only asks or shows: a script of such commands builds nothing that could be judged.
_ASKS = re.compile(
    r"(ipx::|ipgui::)?(get|list|report|current|find|version|can_resolve|start_gui|stop_gui|startgroup|endgroup"
    r"|regenerate_bd_layout|common::send|send_msg|\w*dashboard_gadget)\w*"
)
# What only makes a place to build in; a project without anything in it cannot be wrong.
_PREPARES = re.compile(
    r"(create|open|close|save|validate)_(project|project_as|bd_design)|set_(param|part|msg_config)"
    r"|update_(ip_catalog|compile_order)|assign_bd_address|create_fileset"
)


class Result(Enum):
    """Result of a check.

    Attributes:
        RIGHT: The scripts ran to their end, and nothing is wrong with what is modelled of them.
        WRONG: There is an error or a finding.
        UNCHECKED: Nothing is known to be wrong, but too little was looked at to say that it is right.
    """

    RIGHT = "right"
    WRONG = "wrong"
    UNCHECKED = "not checked"


@dataclass(frozen=True)
class Coverage:
    """Known share of a session's commands and cells.

    Attributes:
        ended: Whether the scripts ran to their end.
        scripts: Whether there was a script at all.
        commands: Calls that build or change something and were modelled.
        judged: How many of them do more than prepare a project or an empty block design.
        unknown: Names of such commands that were not modelled, in order, one for each call.
        cells: Cells of block designs, without hierarchies.
        unknown_cells: How many of them nothing is known of.
        planned: Whether a plan tells which cells there are and how they are connected: then those of which no
            facts are at hand, as ACCL's kernels before they are built, are checked all the same.
        hidden: Parts of the scripts that were not run, or not as Vivado's commands; each with its line.
    """

    ended: bool
    scripts: bool = True
    commands: int = 0
    judged: int = 0
    unknown: tuple[str, ...] = ()
    cells: int = 0
    unknown_cells: int = 0
    planned: bool = False
    hidden: tuple[str, ...] = ()

    @property
    def gap(self) -> str:
        """Return why no verdict can be given, empty if one can."""
        return next(self._gaps(), "")

    def _gaps(self) -> Iterator[str]:
        if not self.scripts:
            yield "the platform has no script that could be run"
        if not self.ended:
            yield "the script was not run to its end"
        if self.hidden:
            yield "; ".join(self.hidden)
        if self.commands and len(self.unknown) > self.commands:
            names = ", ".join(list(dict.fromkeys(self.unknown))[:3])
            yield f"{len(self.unknown)} commands are not modelled ({names}...), and only {self.commands} are"
        if not self.judged:
            yield "no command that builds anything was modelled"
        if not self.planned and 2 * self.unknown_cells > self.cells:
            yield f"{self.unknown_cells} of {self.cells} cells are of IP that nothing is known of"


def builds(command: str) -> bool:
    """Tell whether a command builds or changes something."""
    return command not in NEWER and not _ASKS.fullmatch(command)


def built_by(recording: Recording) -> list[Call]:
    """Return the calls of scripts that build or change something; not what the session opened by itself."""
    return [call for call in recording.calls if call.origin.file and builds(call.command)]


def coverage_of(
    recording: Recording, messages: Sequence[Message], *, scripts: bool = True, planned: bool = False
) -> Coverage:
    """Return what of a session was known.

    Args:
        recording: The session.
        messages: What was said of it.
        scripts: Whether it had a script to run.
        planned: Whether it is held against a plan.
    """
    built = [call for call in built_by(recording) if not call.failed]
    known = [call for call in built if call.command in all_commands()]
    cells = [cell for one in recording.designs.values() for cell in one.cells.values() if cell.kind != "hier"]
    hidden = [f"{one.origin}: {one.found}" for one in messages if one.rule in HIDING]
    nothing_known = {(one.origin, one.where) for one in messages if one.rule == "unknown-ip"}
    return Coverage(
        ended=recording.ended == 0,
        scripts=scripts,
        commands=len(known),
        judged=sum(not _PREPARES.fullmatch(call.command) for call in known),
        unknown=tuple(call.command for call in built if call.command not in all_commands()),
        cells=len(cells),
        unknown_cells=len(nothing_known),
        planned=planned,
        hidden=tuple(hidden),
    )
