# SPDX-License-Identifier: BSD-3-Clause
"""Classification of log lines of vendor tools, from their publicly documented forms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

ESCAPE = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


class Weight(IntEnum):
    """Rank of an error as the cause of a failed stage; the lowest is the most likely cause."""

    CAUSE = 0
    OURS = 1  # a message of the generated scripts: the cause, unless a tool has printed one
    CONSEQUENCE = 2


@dataclass(frozen=True)
class Message:
    """The meaning of a log line.

    Attributes:
        kind: ``error``, ``critical``, ``warning`` or ``phase``.
        weight: Rank of an error, or of a warning that may be the cause of one.
        phase: Phase that the tool starts.
    """

    kind: str
    weight: Weight | None = None
    phase: str = ""


# Texts of relevant lines; all other lines are skipped without further matching.
SPARKS = (
    *(b"rror", b"RROR", b"arning", b"ARNING", b"*** ", b"not found", b"ermission denied"),
    *(b"No space left", b"quota exceeded", b"Killed", b"Segmentation fault", b"Abnormal program"),
    *(b"Traceback", b"    while executing", b"undefined reference", b"Makefile: ", b".tcl: "),
    *(b"Launched ", b": Started", b"Starting ", b"%] "),
)
_VENDOR = re.compile(rb"(ERROR|CRITICAL WARNING|WARNING): (?:\[([\w+. -]+-\d+)\] )?(.*)")
# Vendors write the same words with capitals in one place and without in another.
_FOLLOWS = re.compile(
    rb"due to (?:earlier errors|failures in)|failed run(?:s|\(s\))?\b|\bsee\b.*\blog\b|run log file"
    rb"|failed to (?:finish|launch|complete|build kernel)|caught (?:tcl )?error"
    rb"|\brun '?[\w.]+'? failed|command failed: (?:synthesis|implementation) failed|synthesis failed"
    rb"|failed synthesizing module|failed to read verilog|\bv\+\+ failed|compile failed\b",
    re.IGNORECASE,
)
_LICENCE = re.compile(rb"licen[cs]e", re.IGNORECASE)
_DENIED = re.compile(rb"fail|not found|expired|denied|unable|cannot", re.IGNORECASE)
_OTHERS: tuple[tuple[re.Pattern[bytes], Message], ...] = (
    (re.compile(rb"CMake Error"), Message("error", Weight.CAUSE)),
    (re.compile(rb"CMake (?:Deprecation )?Warning"), Message("warning")),
    (re.compile(rb"-- Configuring incomplete, errors"), Message("error", Weight.CONSEQUENCE)),
    # make: the result of a recipe, and errors of make itself.
    (
        re.compile(rb"g?make(?:\[\d+\])?: \*\*\* (?:\[(?!.*\] (?:Terminated|Interrupt)$)|Waiting|Deleting)"),
        Message("error", Weight.CONSEQUENCE),
    ),
    (re.compile(rb"(?:g?make(?:\[\d+\])?|\S+:\d+): \*\*\* (?!\[)"), Message("error", Weight.CAUSE)),
    # compilers and linkers
    (re.compile(rb"collect2: error"), Message("error", Weight.CONSEQUENCE)),
    (re.compile(rb"[^:\n]+:\d+(?::\d+)?: (?:fatal )?error: "), Message("error", Weight.CAUSE)),
    (re.compile(rb"[^:\n]+:\d+(?::\d+)?: warning: "), Message("warning")),
    (re.compile(rb".*: undefined reference to "), Message("error", Weight.CAUSE)),
    # shells
    (re.compile(rb"(?:/\S+|\w*sh|make(?:\[\d+\])?): .*not found$"), Message("error", Weight.CAUSE)),
    (re.compile(rb"\S+: (?:line )?\d+: .*not found$"), Message("error", Weight.CAUSE)),
    (re.compile(rb"\S+: .*[Pp]ermission denied$"), Message("error", Weight.CAUSE)),
    (re.compile(rb"\S+: line \d+: +\d+ (?:Killed|Segmentation fault)"), Message("error", Weight.CAUSE)),
    # any tool
    (re.compile(rb".*(?:No space left on device|[Qq]uota exceeded)"), Message("error", Weight.CAUSE)),
    (re.compile(rb"Abnormal program termination"), Message("error", Weight.CAUSE)),
    (re.compile(rb"Traceback \(most recent call last\)"), Message("error", Weight.CAUSE)),
    (re.compile(rb"    while executing"), Message("error", Weight.CAUSE)),
    # generated scripts
    (re.compile(rb"(?:Makefile|[\w-]+\.tcl): "), Message("error", Weight.OURS)),
)
# Phases: Vivado's runs and their tasks, the steps of v++, the percentage of CMake's make.
_PHASES = (
    re.compile(rb"(?:\[[^\]]*\] )?Launched (\w+)\.\.\."),
    re.compile(rb"\[[\d:]+\] Run \w+: Step (\w+): Started"),
    re.compile(rb"Starting (\w[\w ]{2,40}) Task$"),
    re.compile(rb"\[ *(\d+%)\] "),
)


def understand(line: bytes) -> Message | None:
    """Return the meaning of a line without its newline; None if it is irrelevant."""
    line = ESCAPE.sub(b"", line).rstrip()
    if found := _VENDOR.match(line):
        return _vendor(found[1], found[3])
    for pattern in _PHASES:
        if found := pattern.match(line):
            return Message("phase", phase=found[1].decode())
    return next((message for pattern, message in _OTHERS if pattern.match(line)), None)


def _vendor(kind: bytes, text: bytes) -> Message:
    if kind != b"ERROR":
        denied = _LICENCE.search(text) and _DENIED.search(text)
        return Message("warning" if kind == b"WARNING" else "critical", Weight.OURS if denied else None)
    return Message("error", Weight.CONSEQUENCE if _FOLLOWS.search(text) else Weight.CAUSE)


# Hints for an error, by its text or by how the tool ended.
_HINTS = (
    (
        re.compile(r"licen[cs]e|bitstream generation is not permitted", re.IGNORECASE),
        "This is about a licence: check the vendor's licence manager and XILINXD_LICENSE_FILE",
    ),
    (
        re.compile(r"No space left on device|quota exceeded", re.IGNORECASE),
        "Make room on that disk",
    ),
    (
        re.compile(r"Cannot allocate memory|bad_alloc|out of memory|\bKilled\b", re.IGNORECASE),
        "The machine has run out of memory: let fewer builds run at once (--jobs, --memory)",
    ),
)


def hint(text: str) -> str:
    """Return the remedy for an error whose cause is not the design; empty for others."""
    return next((said for pattern, said in _HINTS if pattern.search(text)), "")
