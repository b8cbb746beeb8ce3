# SPDX-License-Identifier: BSD-3-Clause
"""Messages: what Vivado only warns of, unless a rule makes an error of it."""

from __future__ import annotations

from collections import Counter

from .arguments import Arguments
from .project import ModelError

# Options and greatest number of other words, as of every command.
SET_MSG_CONFIG = ("-id= -severity= -new_severity=", 0)
GET_MSG_CONFIG = ("-id= -severity= -count", 0)
SEVERITIES = {"ERROR", "CRITICAL WARNING", "WARNING", "INFO", "STATUS"}
# Found as CRITICAL WARNING in public logs; after these Vivado goes on.
CRITICAL = {
    *("BD 41-1276", "BD 41-737", "BD 41-759", "BD 41-967", "BD 41-1347", "BD 41-1348", "BD 41-1356"),
    "Synth 8-4445",
}


class Messages:
    """Rules and counters of one process.

    Attributes:
        stops: Whether a command fails when a message of its own has become an error. No document promises
            it for every command, so scripts must not rely on it.
        lines: What was written to the log.
    """

    def __init__(self) -> None:
        self.stops = True
        self.lines: list[str] = []
        self._errors: set[str] = set()
        self._counts: Counter[str] = Counter()

    def configure(self, arguments: Arguments) -> str:
        identity, severity = arguments.need("-id", "-new_severity")
        if severity not in SEVERITIES:
            raise ModelError(f"[Common 17-69] set_msg_config: {severity} is no severity")
        (self._errors.add if severity == "ERROR" else self._errors.discard)(identity)
        return ""

    def count(self, arguments: Arguments) -> str:
        if not arguments.has("-count"):
            raise ModelError("[model] get_msg_config is modelled with -count only")
        return str(self._counts[arguments.need("-id")[0]])

    def critical(self, identity: str, text: str) -> None:
        """Report something that Vivado goes on after, unless a rule makes it an error.

        Raises:
            ModelError: A rule does, and the command fails.
        """
        assert identity in CRITICAL
        self._counts[identity] += 1
        severity = "ERROR" if identity in self._errors else "CRITICAL WARNING"
        self.lines.append(f"{severity}: [{identity}] {text}")
        if severity == "ERROR" and self.stops:
            raise ModelError(self.lines[-1].removeprefix("ERROR: "))
