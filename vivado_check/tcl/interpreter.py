# SPDX-License-Identifier: BSD-3-Clause
"""Run a script in a confined process with Tcl, and answer what it asks of the tool and of files."""

from __future__ import annotations

import math
import re
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import Protocol

from vivado_check.errors import Problem, ToolMissingError

from ..confine import start
from ..confine.start import HostError, ScriptProcess
from ..confine.tcl_library import NoTclError
from ..record.commands import ToolError
from ..report import Message, Origin, Verdict
from .arguments import join_list
from .files import FileCommands
from .hidden import Hidden
from .lines import Limits, Lines, decode, encode
from .memory import QuotaError
from .patience import Patience
from .reference import reference
from .sandbox import OutsideError, Sandbox
from .trace import StopError, line_of

_DRIVER = Path(__file__).with_name("driver.tcl")
# What is wrong whatever was answered before.
_BY_ITSELF = ("unknown-command", "unknown-option")
_MOST_MARKS = 500_000  # commands of a file
_NO_MEMORY = re.compile(r"out of memory|unable to (re)?alloc")
_NO_MORE = "nothing after this line was checked"
# Of open files: bounded by their bytes, and one by one by ten times what may be called.
_TRAFFIC = ("read", "write", "seek", "close")


class Answering(Protocol):
    """Executes the commands of a script: a session, or the process of a run."""

    sandbox: Sandbox
    folder: str
    doubts: set[Origin]
    empty: bool

    def names(self) -> Sequence[str]:
        """Return the commands that exist, so that a script finds them."""
        ...

    def environment(self) -> dict[str, str]:
        """Return what the script finds in ``env``."""
        ...

    def call(self, command: str, words: list[str], origin: Origin) -> str:
        """Answer a command, or raise a ToolError."""
        ...

    def newer(self, command: str, words: list[str], origin: Origin) -> None:
        """Note the use of a command of a Tcl later than 8.5."""
        ...

    def note(self, message: Message) -> None:
        """Keep what the front end has to say."""
        ...

    def print(self, text: str) -> None:
        """Keep what the script prints."""
        ...


@dataclass
class Outcome:
    """End of a script.

    Attributes:
        code: Exit code; 1 after an error that nobody caught, None if it was stopped.
        error: What Tcl said then.
        trace: ``errorInfo``.
        message: The error, or why it was stopped.
        refused: Whether it went on without something that the sandbox has refused.
        texts: Files that it has read but not sourced.
    """

    code: int | None = None
    printed: list[str] = field(default_factory=list)
    error: str = ""
    trace: str = ""
    message: Message | None = None
    refused: bool = False
    texts: tuple[str, ...] = ()

    @property
    def stopped(self) -> bool:
        """Tell whether the sandbox ended the script."""
        return self.code is None


def run_script(
    script: Path,
    session: Answering,
    *arguments: str,
    cwd: Path | None = None,
    limits: Limits | None = None,
) -> Outcome:
    """Run a script as ``vivado -mode batch -source <script> -tclargs <arguments>`` would.

    Args:
        script: Inside the sandbox of the session.
        session: Answers, and takes what there is to say.
        arguments: Of the script.
        cwd: Where it runs; its own folder if None.
        limits: What it may use up.

    Raises:
        ToolMissingError: There is no library of Tcl.
    """
    session.folder = session.sandbox.absolute(cwd or script.parent)
    return _Run(script, session, arguments, limits or Limits()).result()


def start_tcl() -> None:
    """Have the process ready in which scripts run; it takes a while to load Tcl."""
    start.start(_DRIVER)


def lacking() -> list[str]:
    """Return what the kernel does not give to confine a script; empty if it gives all."""
    return start.lacking(_DRIVER)


def process(limits: Limits) -> ScriptProcess:
    """Return a process that will ask what to do.

    Raises:
        ToolMissingError: There is no library of Tcl.
    """
    try:
        return start.run(_DRIVER, {"seconds": math.ceil(limits.seconds), "memory": limits.memory})
    except NoTclError:
        missing = "there is no library of Tcl 8.6, and scripts are checked by running them"
        remedy = "Install it, for instance with apt-get install tcl"
        raise ToolMissingError(Problem("check", missing, remedy)) from None
    except HostError as error:
        remedy = "Look for limits on processes and memory, and try again"
        raise ToolMissingError(Problem("check", str(error), remedy)) from None


class _Run:
    """One script under way."""

    def __init__(self, script: Path, session: Answering, arguments: Sequence[str], limits: Limits) -> None:
        self.session = session
        self.script = session.sandbox.absolute(script)
        self.arguments = arguments
        self.limits = limits
        self.outcome = Outcome()
        self.files = FileCommands(session)
        self.hidden = Hidden(session)
        self.origin = Origin(session.sandbox.shown(script), 0)
        self.blocked: dict[str, Message] = {}
        self.calls = self.moved = self.printed = self.said = 0
        self.begun = time.monotonic()
        self.patience = Patience(limits.silence, self.begun)
        self.over = ""  # why the interpreter must end the script
        self.shown: dict[str, str] = {}
        self.process = process(limits)

    def result(self) -> Outcome:
        """Answer until the script ends, or end it."""
        try:
            self._serve()
        except StopError as stop:
            self._stop(stop)
        else:
            self._tell_caught()
        finally:
            self.process.end()
            self.files.handles.close_all()
        sourced = {self.script, *self.files.sourced}
        self.outcome.texts = tuple(path for path in self.files.handles.looked_at if path not in sourced)
        return self.outcome

    def _serve(self) -> None:
        lines = Lines(self.process, self.limits)
        while self.outcome.code is None:
            line = lines.read()
            if line is None:
                raise self._died()
            answer = self._answer([decode(word) for word in line.split()])
            try:
                self.process.channel.sendall(answer)
            except OSError:
                raise self._died() from None

    def _died(self) -> StopError:
        """Return why the interpreter has ended without a word; where is known by its last command only."""
        code = self.process.wait()
        after = f"after the command at {self.origin}" if self.origin.line else "before its first command"
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return StopError(f"it did not come to its end in {self.limits.seconds:g} s")
        return StopError(f"{after} it needs more memory than a build script does")

    def _answer(self, words: list[str]) -> bytes:
        file, line, who, command, *rest = words
        if command != "tick":
            self.patience.heard(time.monotonic())
        if file:
            self.origin = Origin(self._named(file), int(line))
        moved = who == "tcl" and command in _TRAFFIC
        self.moved += moved
        self.calls += not moved
        if time.monotonic() - self.begun > self.limits.whole:
            raise StopError(f"it did not come to its end in {self.limits.whole:g} s, with what it asked for")
        if self.calls > self.limits.calls or self.moved > 10 * self.limits.calls:
            raise StopError(f"it has called more than {self.limits.calls} commands")
        try:
            return b"ok " + encode(self._call(who, command, rest))
        except ToolError as error:
            message = error.message(self.origin)
            self.blocked[str(error)] = message
            return b"error " + encode(str(error))
        finally:
            if command != "tick":  # an answer that took long is no silence of the script
                self.patience.heard(time.monotonic())

    def _named(self, file: str) -> str:
        if file not in self.shown:
            self.shown[file] = self.session.sandbox.shown(file)
        return self.shown[file]

    def _call(self, who: str, command: str, words: list[str]) -> str:
        if who != "tcl":
            return self._tool(command, words)
        if command == "start":
            given = {
                "script": self.script,
                "argv": join_list(self.arguments),
                "commands": join_list(self.session.names()),
                "reference": join_list(sorted(reference())),
                "env": join_list([part for pair in self.session.environment().items() for part in pair]),
            }
            return join_list([part for pair in given.items() for part in pair])
        if command == "print":
            self._print(words[0])
        elif command == "exit":
            self.outcome.code = _number(words[0])
        elif command == "failed":
            self._failed(words[0], words[1])
        elif command == "newer":
            self.session.newer(words[0], words[1:], self.origin)
        elif command == "tick":
            return self._tick()
        elif command == "marks":
            if len(words[0]) > len(str(_MOST_MARKS)) or int(words[0]) > _MOST_MARKS:
                raise StopError(f"it sources a file of more than {_MOST_MARKS} commands")
            return join_list(token_hex(8) for _ in range(int(words[0])))
        elif command in self.hidden.COMMANDS:
            self.hidden.call(command, words, self.origin)
        else:
            return self.files.call(command, words)
        return ""

    def _tool(self, command: str, words: list[str]) -> str:
        self.said += len(command) + sum(map(len, words))
        if self.said > self.limits.said:
            raise StopError(f"it has handed over more than {self.limits.said >> 20} MB to commands")
        try:
            return self.session.call(command, words, self.origin)
        except QuotaError as error:
            raise StopError(str(error)) from None
        except OutsideError as error:
            remedy = "Name a folder that holds all that the script reads with --root"
            raise ToolError(str(error), rule="sandbox", remedy=remedy) from None
        except OSError as error:
            raise ToolError(f"{command}: {error.strerror or error}", where=command) from None

    def _tick(self) -> str:
        """Tell whether a script may go on that has been running for another second."""
        used = self.process.seconds()
        if used > self.limits.seconds:
            self.over = f"it did not come to its end in {self.limits.seconds:g} s"
        elif self.patience.over(time.monotonic(), used):
            self.over = f"it has waited for {self.limits.silence:g} s"
        return "stop" if self.over else "more"

    def _print(self, text: str) -> None:
        self.printed += len(text)
        if self.printed > self.limits.printed:
            raise StopError(f"it has printed more than {self.limits.printed >> 20} MB")
        self.outcome.printed.append(text.removesuffix("\n"))
        self.session.print(text.removesuffix("\n"))

    def _failed(self, error: str, trace: str) -> None:
        scripts = [self.script, *self.files.sourced]
        origin = line_of(trace, self.session.sandbox, scripts) or self.origin
        if error == "time limit exceeded" and not self.over:  # of an interpreter that the script has made
            self.over = "an interpreter of its own did not come to its end"
        if not self.over and _NO_MEMORY.search(error):
            self.over = "it needs more memory than a build script does"
        if self.over:
            raise StopError(self.over, origin=origin)
        known = self.blocked.get(error)
        self.outcome.code, self.outcome.error, self.outcome.trace = 1, error, trace
        if known is None:
            text = _one_line(error.replace(str(self.session.sandbox.overlay), ""))
            known = Message("tcl", Verdict.ERROR, origin, "", text, "", _remedy(error))
        if known.rule == "sandbox" or self._refused(error):  # by us: Vivado runs programs and reads files
            known = replace(known, verdict=Verdict.NOT_MODELLED, remedy=f"{known.remedy}; {_NO_MORE}")
        itself = known.rule in _BY_ITSELF or error.startswith("missing close-")
        # An object that was not known is asked of its kind, its pins... in lines after it.
        doubtful = origin in self.session.doubts or (self.session.empty and known.rule == "tcl")
        if known.verdict is Verdict.ERROR and doubtful and not itself:
            # It follows from an unknown value that was returned.
            remedy = f"Give the facts of the IP with --learn; {_NO_MORE}"
            known = replace(known, verdict=Verdict.NOT_MODELLED, remedy=remedy)
        if error.startswith("can't find package "):
            remedy = f"Vivado may have it; {_NO_MORE}"
            known = replace(known, verdict=Verdict.NOT_MODELLED, remedy=remedy)
        self.outcome.message = known
        self.session.note(known)

    def _refused(self, text: str) -> bool:
        """Tell whether a text repeats what the sandbox has refused, as a script that catches it may."""
        return any(one.rule == "sandbox" and said in text for said, one in self.blocked.items())

    def _tell_caught(self) -> None:
        """Note what the sandbox refused where the script went on without it, and caught typos."""
        for text, message in self.blocked.items():
            if self.outcome.error in (text, message.found):
                continue
            if message.rule == "sandbox":
                self.outcome.refused = True
                self.session.note(replace(message, verdict=Verdict.NOT_MODELLED))
            elif message.rule in _BY_ITSELF:
                self.session.note(replace(message, verdict=Verdict.FINDING))

    def _stop(self, stop: StopError) -> None:
        origin = stop.origin or self.origin
        found = f"the script was stopped: {stop}"
        remedy = "Look for a loop, or for data without end, at this line or after it"
        message = Message("sandbox", Verdict.NOT_MODELLED, origin, "", found, "", remedy)
        self.outcome.code, self.outcome.message, self.outcome.error = None, message, found
        self.session.note(message)


def _number(text: str) -> int:
    return int(text) if text.lstrip("-").isdigit() else 1


def _one_line(text: str) -> str:
    return " ".join(text.split())[:500]


def _remedy(error: str) -> str:
    if "::env(" in error or ("env(" in error and "no such" in error):
        return "Give it with --env NAME=VALUE"
    return "Correct the script"
