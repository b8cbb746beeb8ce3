# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command's work in a confined process, which returns answer, errors and progress as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shellgen.cli.command import Answer
from shellgen.progress import listening, step

if TYPE_CHECKING:
    from vivado_check.apart import Step


def confined(work: Callable[[], Answer], readable: Iterable[Path], nodes: int = 1) -> Answer:
    """Return the answer of a check that runs in a process with restricted read access and no write access.

    Args:
        work: Function that returns the answer.
        readable: Paths that the user has named.
        nodes: Number of nodes, for the time limit.

    Raises:
        ShellgenError: As `work`; likewise OSError.
    """
    from shellgen.check.run import load
    from vivado_check.apart import apart
    from vivado_check.text import LOOP, UNCHECKED

    def answered(tell: Step) -> dict[str, Any]:
        with listening(tell):
            return asdict(work())

    done = apart(answered, readable, step, nodes, load)
    if done.stopped:
        text = f"the check was stopped: {done.stopped}\n  {LOOP}"
        return Answer(text, {"stopped": done.stopped}, UNCHECKED)
    answer = done.answer
    text, data = str(answer["text"]), {**answer["data"], "not_confined_by": [*done.lacks]}
    if done.lacks:
        text += f"\nconfined without {' and '.join(done.lacks)}, which this system does not give"
    return Answer(text, data, int(answer["code"]), tuple(map(str, answer["asides"])))
