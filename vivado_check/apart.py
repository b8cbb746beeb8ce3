# SPDX-License-Identifier: BSD-3-Clause
"""Runs a check in a confined process, which returns answer, errors and progress as text."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .confine.worker import Bounds, Say, StoppedError
from .confine.worker import run as run_confined
from .errors import Problem, StatedError, UserError
from .plugins import load_rules
from .run import start
from .tcl.interpreter import lacking

# Processor time: the slowest of 195 public scripts took 4 s; and for each design of a folder.
_SECONDS, _SECONDS_A_DESIGN = 60, 20
_WALL = 10  # factor for a machine under load
# Called with the current step, and its progress.
Step = Callable[[str, str], None]


@dataclass(frozen=True)
class Outcome:
    """The end of a check that was done apart.

    Attributes:
        answer: What it answered, as JSON has it; empty if it was stopped.
        lacks: What this system does not give to confine a process (``Landlock``).
        stopped: Why it was stopped, empty if it was not.
    """

    answer: Mapping[str, Any]
    lacks: tuple[str, ...] = ()
    stopped: str = ""


def apart(
    work: Callable[[Step], Mapping[str, Any]],
    readable: Iterable[Path],
    step: Step,
    designs: int = 1,
    load: Callable[[], object] = load_rules,
) -> Outcome:
    """Return the answer of a check that runs in a process with restricted read access and no write access.

    Args:
        work: Answers with what JSON can hold; gets what it tells its progress to.
        readable: Files and folders that the user has named.
        step: Called with the progress, in this process.
        designs: How many are checked, which take time.
        load: Loads the rules, which is done here: in the process, code of other packages could not be read.

    Raises:
        StatedError: As `work`; likewise OSError.
    """
    load()
    seconds = _SECONDS + designs * _SECONDS_A_DESIGN
    found: dict[str, Any] = {}

    def heard(line: bytes) -> None:
        said = json.loads(line)
        if "step" in said:
            step(*map(str, said["step"]))
        else:
            found.update(said)

    try:
        run_confined(
            lambda say, lacks: _work(work, say, lacks),
            readable,
            Bounds(seconds, _WALL * seconds),
            start,
            heard,
        )
    except StoppedError as error:
        return Outcome({}, stopped=str(error))
    return _received(found)


def _work(work: Callable[[Step], Mapping[str, Any]], say: Say, lacks: list[str]) -> None:
    sys.set_int_max_str_digits(0)  # a script may write any number; what takes too long is stopped

    def send(said: Mapping[str, object]) -> None:
        say(json.dumps(said).encode())

    try:
        answer = work(lambda phase, detail: send({"step": [phase, detail]}))
        send({"answer": answer, "lacks": sorted({*lacks, *lacking()})})
    except StatedError as error:
        send({"problems": [asdict(one) for one in error.problems], "kind": type(error).__name__})
    except MemoryError:
        send({"stopped": "it took more memory than any check"})
    except OSError as error:
        send({"refused": [error.errno, error.strerror or str(error), error.filename and str(error.filename)]})
    except Exception:  # an internal error: reported by the parent process
        send({"defect": traceback.format_exc()})


def _received(found: Mapping[str, Any]) -> Outcome:
    if "problems" in found:
        kinds = {kind.__name__: kind for kind in _kinds(StatedError)}
        kind = kinds.get(str(found["kind"]), UserError)
        raise kind(*(Problem(**{key: str(text) for key, text in one.items()}) for one in found["problems"]))
    if "refused" in found:
        raise OSError(*found["refused"])
    if "defect" in found:
        raise RuntimeError(found["defect"])
    if "stopped" in found or "answer" not in found:
        return Outcome({}, stopped=str(found.get("stopped", "its process ended without an answer")))
    return Outcome(found["answer"], tuple(str(one) for one in found["lacks"]))


def _kinds(kind: type[StatedError]) -> Iterator[type[StatedError]]:
    """Yield a kind of error and all that were made of it, whichever package they are from."""
    yield kind
    for one in kind.__subclasses__():
        yield from _kinds(one)
