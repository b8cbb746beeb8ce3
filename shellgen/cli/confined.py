# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command's work in a confined process, which returns answer, errors and progress as text."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shellgen import errors
from shellgen.cli.command import UNCHECKED, Answer
from shellgen.errors import Problem, ShellgenError, StatedError
from shellgen.progress import listening, step

if TYPE_CHECKING:
    from vivado_check.confine.worker import Say

# Processor time: the slowest of 195 public scripts took 4 s; and for each node.
_SECONDS, _SECONDS_A_NODE = 60, 20
_WALL = 10  # factor for a machine under load


def confined(work: Callable[[], Answer], readable: Iterable[Path], nodes: int = 1) -> Answer:
    """Return the answer of a check that runs in a process with restricted read access and no write access.

    Args:
        work: Function that returns the answer.
        readable: Paths that the user has named.
        nodes: Number of nodes, for the time limit.

    Raises:
        ShellgenError: As `work`; likewise OSError.
    """
    from shellgen.check.run import start
    from vivado_check.confine.worker import Bounds, StoppedError, run

    seconds = _SECONDS + nodes * _SECONDS_A_NODE
    found: dict[str, Any] = {}

    def heard(line: bytes) -> None:
        said = json.loads(line)
        if "step" in said:
            step(*map(str, said["step"]))
        else:
            found.update(said)

    try:
        run(
            lambda say, lacks: _work(work, say, lacks),
            readable,
            Bounds(seconds, _WALL * seconds),
            start,
            heard,
        )
    except StoppedError as error:
        return _stopped(str(error))
    return _received(found)


def _work(work: Callable[[], Answer], say: Say, lacks: list[str]) -> None:
    from vivado_check.tcl.interpreter import lacking

    def send(said: dict[str, object]) -> None:
        say(json.dumps(said).encode())

    try:
        with listening(lambda phase, detail: send({"step": [phase, detail]})):
            answer = work()
        missing = sorted({*lacks, *lacking()})
        send({"answer": asdict(answer), "lacks": missing})
    except StatedError as error:
        send({"problems": [asdict(one) for one in error.problems], "kind": type(error).__name__})
    except MemoryError:
        send({"stopped": "it took more memory than any check"})
    except OSError as error:
        send({"refused": [error.errno, error.strerror or str(error), error.filename and str(error.filename)]})
    except Exception:  # an internal error: reported by the parent process
        send({"defect": traceback.format_exc()})


def _stopped(why: str) -> Answer:
    text = f"the check was stopped: {why}\n  Look for an endless loop or unbounded data in the files."
    return Answer(text, {"stopped": why}, UNCHECKED)


def _received(found: dict[str, Any]) -> Answer:
    if "problems" in found:
        kind = getattr(errors, str(found["kind"]), ShellgenError)
        if not (isinstance(kind, type) and issubclass(kind, StatedError)):
            kind = ShellgenError
        raise kind(*(Problem(**{key: str(text) for key, text in one.items()}) for one in found["problems"]))
    if "refused" in found:
        raise OSError(*found["refused"])
    if "defect" in found:
        raise RuntimeError(found["defect"])
    if "stopped" in found or "answer" not in found:
        return _stopped(str(found.get("stopped", "its process ended without an answer")))
    answer, lacks = found["answer"], [str(one) for one in found["lacks"]]
    text, data = str(answer["text"]), {**answer["data"], "not_confined_by": lacks}
    if lacks:
        text += f"\nconfined without {' and '.join(lacks)}, which this system does not give"
    return Answer(text, data, int(answer["code"]), tuple(map(str, answer["asides"])))
