# SPDX-License-Identifier: BSD-3-Clause
"""What a script keeps from the recorder: commands after an early end, and those that it replaces."""

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
    """What takes a message, and names files."""

    sandbox: Sandbox

    def note(self, message: Message) -> None:
        """Keep a message."""
        ...


class Hidden:
    """What the interpreter of one script tells of that."""

    COMMANDS = ("early", "redefined", "namesake")

    def __init__(self, session: _Noting) -> None:
        self.session = session
        self.told: set[str] = set()

    def call(self, command: str, words: Sequence[str], origin: Origin) -> None:
        """Take what the interpreter says.

        Args:
            command: ``early`` with a file, the line of its last command that was begun and the number of
                those that were not; ``redefined`` with a name; ``namesake`` with a name in a namespace.
            words: Of it.
            origin: Line under way.
        """
        if command == "early":
            self._early(*words)
        elif words[0] not in self.told:
            self.told.add(words[0])
            if command == "redefined":
                self._redefined(words[0], origin)
            else:
                self._namesake(words[0], origin)

    def _early(self, path: str, line: str, left: str) -> None:
        number = int(line) if line.isdecimal() and len(line) < 10 else 0  # it comes from the script's process
        what = "1 command of the file was" if left == "1" else f"{left} commands of the file were"
        self._note(
            ENDED_EARLY,
            Origin(self.session.sandbox.shown(Path(path)), number),
            f"the file is left here by return or exit, and {what} not run",
            "Give what lets the script go on (--tclargs, --env, --release), or remove what is never run",
        )

    def _redefined(self, name: str, origin: Origin) -> None:
        found = f"the script redefines or renames {name}, so what it does by that name is not known"
        self._note(REDEFINED, origin, found, "Give the procedure a name of its own", name)

    def _namesake(self, name: str, origin: Origin) -> None:
        found = f"{name} hides a command of Vivado from its namespace, so calls of it there are not checked"
        self._note("namesake-command", origin, found, "Give the procedure a name of its own", name)

    def _note(self, rule: str, origin: Origin, found: str, remedy: str, where: str = "") -> None:
        self.session.note(Message(rule, Verdict.NOT_MODELLED, origin, where, found, "", remedy))
