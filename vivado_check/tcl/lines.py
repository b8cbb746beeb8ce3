# SPDX-License-Identifier: BSD-3-Clause
"""Messages between a process of a script and the other end: lines of words in base64."""

from __future__ import annotations

import binascii
import select
import time
from dataclasses import dataclass

from ..confine.start import ScriptProcess
from .patience import Patience
from .trace import StopError

_LONGEST = 64 << 20  # characters of one call


@dataclass(frozen=True)
class Limits:
    """Limits on resources of a script.

    Attributes:
        seconds: Of its own processor time.
        whole: Seconds in all, with those that its questions take to answer.
        silence: Seconds without any call and without processor time, as of a script that waits.
        memory: Bytes.
        calls: Commands of the tool, prints among them.
        printed: Characters.
        said: Characters of all words that are handed to commands of the tool.
    """

    seconds: float = 20.0
    whole: float = 300.0
    silence: float = 20.0
    memory: int = 1 << 30
    calls: int = 100_000
    printed: int = 4 << 20
    said: int = 32 << 20


class Lines:
    """Lines from a process that may stay silent or never end one."""

    def __init__(self, process: ScriptProcess, limits: Limits) -> None:
        self.process = process
        self.limits = limits
        self.buffer = bytearray()
        self.begun = 0  # where to look for the end of a line

    def read(self) -> bytes | None:
        """Return the next line, None at the end.

        Raises:
            StopError: There is none in time.
        """
        # Longer than the interpreter's own, which says every second that it waits.
        patience = Patience(self.limits.silence + 3, time.monotonic())
        while True:
            end = self.buffer.find(b"\n", self.begun)
            if end >= 0:
                line = bytes(self.buffer[:end])
                del self.buffer[: end + 1]
                self.begun = 0
                return line
            self.begun = len(self.buffer)
            if self.begun > _LONGEST:
                raise StopError("it hands over a text without end")
            if not select.select([self.process.channel], [], [], 0.5)[0]:
                self._wait(patience)
                continue
            got = self.process.channel.recv(1 << 16)
            if not got:
                return None
            self.buffer += got

    def _wait(self, patience: Patience) -> None:
        used = self.process.seconds()
        if used > self.limits.seconds + 2:  # one command of Tcl, which the interpreter's limit cannot end
            raise StopError(f"it did not come to its end in {self.limits.seconds:g} s")
        if patience.over(time.monotonic(), used):
            raise StopError(f"it has waited for {self.limits.silence:g} s")


def decode(word: bytes) -> str:
    """Return the text of a word as it came over the channel."""
    try:
        return binascii.a2b_base64(word[1:]).decode(errors="replace")
    except binascii.Error:
        raise StopError("it hands over what is no text") from None


def encode(text: str) -> bytes:
    """Return a text as it goes over the channel."""
    return b"=" + binascii.b2a_base64(text.encode(errors="replace"))
