# SPDX-License-Identifier: BSD-3-Clause
"""Run a script in tclsh, answering every Vivado command from the model."""

from __future__ import annotations

import base64
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from .project import ModelError

_DRIVER = Path(__file__).with_name("driver.tcl")


class Session(Protocol):
    """What answers the commands of a script: a Vivado session, or the process of a run."""

    folder: Path

    def call(self, command: str, words: list[str]) -> str: ...


@dataclass
class Outcome:
    """How the script ended: exit code (1 after a Tcl error), what it printed, the error."""

    code: int | None = None
    printed: list[str] = field(default_factory=list)
    error: str = ""
    trace: str = ""


def _decode(word: str) -> str:
    return base64.b64decode(word[1:]).decode()


def _encode(text: str) -> str:
    return "=" + base64.b64encode(text.encode()).decode()


def run_script(vivado: Session, script: Path, *arguments: str, cwd: Path | None = None) -> Outcome:
    """Run a script as ``vivado -mode batch -source <script> -tclargs <arguments>`` would."""
    outcome = Outcome()
    command = ["tclsh", str(_DRIVER), str(script), *arguments]
    with subprocess.Popen(
        command, cwd=cwd or script.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        vivado.folder = cwd or script.parent
        for line in process.stdout:
            words = [_decode(word) for word in line.split()]
            answer = _answer(vivado, outcome, words)
            process.stdin.write(answer + "\n")
            process.stdin.flush()
    if process.returncode or outcome.code is None:
        raise AssertionError(f"tclsh ended by itself (exit code {process.returncode})")
    return outcome


def _answer(vivado: Session, outcome: Outcome, words: list[str]) -> str:
    command, *arguments = words
    if command == "__print":
        outcome.printed.append(arguments[0])
    elif command == "__exit":
        outcome.code = int(arguments[0])
    elif command == "__failed":
        outcome.code, outcome.error, outcome.trace = 1, arguments[0], arguments[1]
    else:
        try:
            return f"ok {_encode(vivado.call(command, arguments))}"
        except ModelError as error:
            return f"error {_encode(str(error))}"
    return f"ok {_encode('')}"
