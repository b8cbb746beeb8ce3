# SPDX-License-Identifier: BSD-3-Clause
"""Commands that a script hides from the recorder: those after an early end, and replaced ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from ..report import Message, Origin, Verdict
from .sandbox import Sandbox

ENDED_EARLY, REDEFINED = "ended-early", "redefined-command"
# Rules whose messages say that less was looked at than the script does.
HIDING = (ENDED_EARLY, REDEFINED)


class _Noting(Protocol):
    """Takes messages, and names files."""

    sandbox: Sandbox

    def note(self, message: Message) -> None:
        """Keep a message."""
        ...


class Hidden:
    """Hidden commands, as the interpreter of one script reports them."""

    COMMANDS = ("early", "redefined", "namesake", "later", "unread", "abbreviated")

    def __init__(self, session: _Noting) -> None:
        self.session = session
        self.told: set[str] = set()

    def call(self, command: str, words: Sequence[str], origin: Origin) -> None:
        """Take what the interpreter says.

        Args:
            command: ``early`` with a file, the line of its last command that was begun and the number of
                those that were not; ``redefined`` with a name; ``namesake`` with a name in a namespace;
                ``abbreviated`` with a name and the command of Tcl that it begins;
                ``later`` with an error that a command of the event loop ends with; ``unread`` with a file and
                an encoding in which its commands cannot be followed.
            words: Of it.
            origin: Line under way.
        """
        if command == "early":
            self._early(*words)
        elif command == "later":
            self._later(words[0], origin)
        elif command == "unread":
            found = f"the file is read in the encoding {words[1]}, so its commands are not followed"
            origin = Origin(self.session.sandbox.shown(words[0]), 0)
            self._note(ENDED_EARLY, origin, found, "Write it as UTF-8")
        elif words[0] not in self.told:
            self.told.add(words[0])
            if command == "abbreviated":
                found = f"{words[0]} is taken for {words[1]}, as in Tcl's console; a batch may refuse it"
                self._note("abbreviated-command", origin, found, "Write the name out", words[0])
            elif command == "redefined":
                self._redefined(words[0], origin)
            else:
                self._namesake(words[0], origin)

    def _early(self, path: str, line: str, left: str) -> None:
        number = int(line) if line.isdecimal() and len(line) < 10 else 0  # it comes from the script's process
        what = "1 command of the file was" if left == "1" else f"{left} commands of the file were"
        self._note(
            ENDED_EARLY,
            Origin(self.session.sandbox.shown(Path(path)), number),
            f"the file is left here by return, exit or an error, and {what} not run",
            "Give what lets the script go on (--tclargs, --env, --release), or remove what is never run",
        )

    def _redefined(self, name: str, origin: Origin) -> None:
        found = f"the script redefines, renames or traces {name}, so what it does by that name is not known"
        self._note(REDEFINED, origin, found, "Give the procedure a name of its own", name)

    def _later(self, error: str, origin: Origin) -> None:
        found = " ".join(f"a command of the event loop ended with an error: {error}".split())[:500]
        remedy = "Vivado prints it and goes on; correct the script"
        self.session.note(Message("event-loop", Verdict.FINDING, origin, "", found, "", remedy))

    def _namesake(self, name: str, origin: Origin) -> None:
        found = f"{name} hides a command of Vivado from its namespace, so calls in it are not checked"
        self._note("namesake-command", origin, found, "Give the procedure a name of its own", name)

    def _note(self, rule: str, origin: Origin, found: str, remedy: str, where: str = "") -> None:
        self.session.note(Message(rule, Verdict.NOT_MODELLED, origin, where, found, "", remedy))
