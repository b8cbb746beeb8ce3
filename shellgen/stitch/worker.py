# SPDX-License-Identifier: BSD-3-Clause
"""Run `finn_worker` in the FINN environment: a JSON job in, a JSON result out."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from shellgen.errors import InputError, Problem, ToolMissingError, one
from shellgen.progress import step
from shellgen.stitch.environment import VARIABLE

# Appended, not prepended: no module of shellgen may hide a module of the FINN environment.
_START = "import sys; sys.path.append(sys.argv[1]); from finn_worker.main import main; main(*sys.argv[2:])"
_LOG_LINES = 5
_LONGEST = 600  # characters of a message


def run_worker(python: Path, job: dict[str, Any]) -> dict[str, Any]:
    """Run one job and return its result; everything FINN prints goes to ``finn.log`` in the work folder.

    Where the worker is comes through a pipe of its own, a line for each step.

    Raises:
        InputError: What the worker found wrong with the user's files, or FINN stopped on them; the
            message then has the last lines of its log.
        ToolMissingError: The environment does not run.
    """
    work = Path(job["work"])
    (work / "job.json").write_text(json.dumps(job))
    log = work / "finn.log"
    command = [str(python), "-I", "-c", _START, str(Path(__file__).resolve().parent), str(work / "job.json")]
    step("starting FINN")
    try:
        _run(command, log)
    except OSError as error:
        raise _broken(python, str(error.strerror)) from None
    result_file = work / "result.json"
    if not result_file.is_file():
        raise _stopped(python, job, log.read_text(errors="replace"))
    result: dict[str, Any] = json.loads(result_file.read_text())
    if result.get("problems"):
        raise InputError(*(Problem(*entry) for entry in result["problems"]))
    return result


def _run(command: list[str], log: Path) -> None:
    """Run to the end and forward the steps; an abandoned worker, for example by Ctrl-C, is ended."""
    read, write = os.pipe()
    with os.fdopen(read, errors="replace") as steps:
        try:
            with log.open("w") as stream:
                process = subprocess.Popen(
                    [*command, str(write)], stdout=stream, stderr=subprocess.STDOUT, pass_fds=(write,)
                )
        finally:
            os.close(write)
        with process:
            try:
                for line in steps:
                    step(*line.rstrip("\n").split("\t", 1))
            except BaseException:
                process.kill()
                raise


def _stopped(python: Path, job: dict[str, Any], text: str) -> Exception:
    _, traced, tail = text.rpartition("Traceback (most recent call last):")
    lines = [line.rstrip() for line in tail.splitlines() if line.strip()]
    # The frames of a traceback are indented; what follows them is the message, however it is indented.
    begins = next((index for index, line in enumerate(lines) if not line[0].isspace()), 0)
    message = [line.strip() for line in lines[begins:]]
    joined = " ".join(message) if traced else " | ".join(message[-_LOG_LINES:])
    said = joined[:_LONGEST].rstrip(".") or "nothing"
    if message and message[-1].startswith(("ModuleNotFoundError", "ImportError")):
        return _broken(python, message[-1])
    remedy = "Check the data type annotations and the folding; FINN's own message is above"
    return one(InputError, job["name"], f"FINN stopped and said: {said}", remedy)


def _broken(python: Path, reason: str) -> Exception:
    folder = python.parents[1]
    remedy = f"Delete {folder} to reinstall it, or point {VARIABLE} to an environment with finn-plus"
    return one(ToolMissingError, str(folder), f"the FINN environment does not run: {reason}", remedy)
