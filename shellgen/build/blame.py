# SPDX-License-Identifier: BSD-3-Clause
"""The cause of a failed stage: the first error that is not a consequence of another."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shellgen.build.messages import Weight, hint
from shellgen.build.scan import Follower, Place, last_line, told
from shellgen.errors import printable
from shellgen.model import Stage
from shellgen.process.keeper import NOT_STARTED

_KILLED = 128
_LONGEST = 600


@dataclass(frozen=True)
class Failure:
    """The failure of a node's build.

    Attributes:
        node: The node.
        stage: The stage that failed.
        how: How the stage ended, in a few words.
        said: The first root cause; empty if the tools printed none.
        log: Log with the error, relative to the output folder; an absolute path if it is outside.
        line: Line number in that log.
        remedy: What to do, if the cause is not the design; empty otherwise.
    """

    node: str
    stage: str
    how: str
    said: str
    log: str
    line: int
    remedy: str


def blame(  # noqa: PLR0913 - all that is known of how it ended
    node: str,
    folder: Path,
    stage: Stage,
    code: int,
    timeout: float | None,
    places: Mapping[Weight, Place],
    log: Follower,
) -> Failure:
    """Return the failure of a stage.

    Args:
        node: The node.
        folder: Its folder.
        stage: The stage.
        code: Exit code of its command.
        timeout: Time limit in seconds that ended it; None if it ended by itself.
        places: Place of the first error of each weight.
        log: Output of the command, read to its end.
    """
    place = next((places[weight] for weight in Weight if weight in places), None)
    line, said = told(place) if place else (log.line, last_line(log.log, 0))
    where = place.log if place else log.log
    how = _how(folder, stage, code, timeout)
    remedy = hint(f"{said} {how}")
    if timeout is not None:
        remedy = "Give it more time with --timeout, or find out what it waits for"
    said = printable(said)
    said = said if len(said) <= _LONGEST else f"{said[:_LONGEST]} ..."
    shown = f"{node}/{where.relative_to(folder)}" if where.is_relative_to(folder) else str(where)
    return Failure(node, stage.name, how, said, shown, line, remedy)


def _how(folder: Path, stage: Stage, code: int, timeout: float | None) -> str:
    if timeout is not None:
        return f"it was still running after {timeout:g} s and was ended"
    if code == NOT_STARTED:
        return "its program was not found"
    if code == 0:
        lost = [name for name in stage.products if not (folder / name).is_file()]
        return f"it ended well, but there is no {(lost or stage.products)[0]}"
    if code < 0 or code > _KILLED:
        number = -code if code < 0 else code - _KILLED
        names = {one.value: one.name for one in signal.Signals}
        return "Killed" if number == signal.SIGKILL else f"ended by {names.get(number, f'signal {number}')}"
    return f"exit code {code}"
