# SPDX-License-Identifier: BSD-3-Clause
"""Scanner of growing logs: counts messages, tracks the phase, and records the places of errors.

A log may have hundreds of megabytes. It is read once, in pieces, and only the place of an error is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from shellgen.build.messages import ESCAPE, SPARKS, Message, Weight, understand

_PIECE = 4 << 20
_LONGEST_LINE = 1 << 16  # longer lines are no messages
_CONTEXT = 4096
_KNOWN = 256
_TRACEBACK, _EXECUTING, _CMAKE = b"Traceback (", b"    while executing", b"CMake Error"


@dataclass
class Counts:
    """Messages so far.

    Attributes:
        errors: Number of errors.
        critical: Number of critical warnings.
        warnings: Number of other warnings.
        phase: Current phase of the tool.
    """

    errors: int = 0
    critical: int = 0
    warnings: int = 0
    phase: str = ""

    def add(self, message: Message) -> None:
        """Count a message."""
        self.errors += message.kind == "error"
        self.critical += message.kind == "critical"
        self.warnings += message.kind == "warning"
        self.phase = message.phase or self.phase


@dataclass(frozen=True)
class Place:
    """Place of an error: log, byte and line, from 1."""

    log: Path
    byte: int
    line: int


@dataclass
class Follower:
    """Incremental reader of one log.

    Attributes:
        log: The file; it need not exist yet.
        first: Place of the first error of each weight.
    """

    log: Path
    byte: int = 0
    line: int = 1
    first: dict[Weight, Place] = field(default_factory=dict)
    _before: bytes = b""  # the bytes just before: if they have changed, the log has been restarted

    def skip(self) -> None:
        """Start at the current end: earlier text and its errors belong to an earlier stage."""
        while self._next() is not None:
            pass
        self.first.clear()

    def read(self, counts: Counts, *, to_end: bool) -> bool:
        """Read a piece, or everything available; return whether there was anything new."""
        news = False
        while (piece := self._next()) is not None:
            begin, line, text = piece
            news = True
            for place, number, words in _sparks(text):
                message = understand(words)
                if message is None:
                    continue
                counts.add(message)
                if message.weight is not None:
                    self.first.setdefault(message.weight, Place(self.log, begin + place, line + number))
            if not to_end:
                break
        return news

    def _next(self) -> tuple[int, int, bytes] | None:
        """Return the next complete lines with their byte and line numbers; None if there are none yet."""
        try:
            with self.log.open("rb") as log:
                log.seek(self.byte - len(self._before))
                if log.read(len(self._before)) != self._before:
                    self.byte, self.line, self.first = 0, 1, {}
                log.seek(self.byte)
                text = log.read(_PIECE)
        except OSError:
            return None
        end = text.rfind(b"\n") + 1
        if not end:
            if len(text) < _LONGEST_LINE:
                return None
            end = len(text)
        begin, line = self.byte, self.line
        self._before = text[max(0, end - _KNOWN) : end]
        self.byte += end
        self.line += text.count(b"\n", 0, end)
        return begin, line, text[:end]


def _sparks(text: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the relevant lines: their place, the preceding lines, and their meaning."""
    begins: set[int] = set()
    for spark in SPARKS:  # plain searches, which are faster than one regular expression for all
        at = text.find(spark)
        while at >= 0:
            begins.add(text.rfind(b"\n", 0, at) + 1)
            end = text.find(b"\n", at)
            at = text.find(spark, end) if end >= 0 else -1
    counted = lines = 0
    for begin in sorted(begins):
        lines += text.count(b"\n", counted, begin)
        counted = begin
        end = text.find(b"\n", begin, begin + _LONGEST_LINE)
        yield begin, lines, text[begin : end if end >= 0 else begin + _LONGEST_LINE]


def told(place: Place) -> tuple[int, str]:
    """Return the text of an error in one line, and the number of the line that contains it.

    CMake prints the message in separate lines below, Python at the end of a traceback, and Tcl before the
    failed command.
    """
    with suppress(OSError), place.log.open("rb") as log:
        log.seek(max(0, place.byte - _CONTEXT))
        before = log.read(place.byte - log.tell()).splitlines()
        lines = [ESCAPE.sub(b"", line) for line in log.read(_CONTEXT).splitlines()] or [b""]
        number, text = place.line, lines[0]
        if text.startswith(_EXECUTING) and before:
            number, text = number - 1, before[-1]
        elif text.startswith(_TRACEBACK):
            offset = next((k for k, line in enumerate(lines[1:], 1) if not line.startswith(b" ")), 0)
            number, text = number + offset, lines[offset]
        elif text.startswith(_CMAKE) or text.rstrip().endswith(b":"):
            text = b" ".join([text, *_paragraph(lines[1:])])
        return number, " ".join(text.decode(errors="replace").split())
    return place.line, ""


def _paragraph(lines: list[bytes]) -> Iterable[bytes]:
    found: list[bytes] = []
    for line in lines:
        if line.strip():
            found.append(line.strip())
        elif found:
            break
    return found[:4]


def last_line(log: Path, begin: int) -> str:
    """Return the last nonempty line after a byte."""
    with suppress(OSError), log.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(begin, size - _CONTEXT))
        lines = [ESCAPE.sub(b"", line).strip() for line in file.read().splitlines()]
        return next((line.decode(errors="replace") for line in reversed(lines) if line), "")
    return ""
