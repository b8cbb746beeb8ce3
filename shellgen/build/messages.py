# SPDX-License-Identifier: BSD-3-Clause
"""What lines of the logs of vendor tools mean, as far as their public form tells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

ESCAPE = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


class Weight(IntEnum):
    """How much an error tells about why a stage failed; the least is the most telling."""

    CAUSE = 0
    OURS = 1  # what our own scripts say: the cause, unless a tool has said why
    CONSEQUENCE = 2


@dataclass(frozen=True)
class Message:
    """What a line says.

    Attributes:
        kind: ``error``, ``critical``, ``warning`` or ``phase``.
        weight: Of an error, and of a warning that may be the cause of one.
        phase: What the tool begins with.
    """

    kind: str
    weight: Weight | None = None
    phase: str = ""


# What stands in a line that may be of interest; all others are passed over, and never looked at.
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
    # make: what a recipe came to, and what make itself objects to.
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
    # whatever the tool
    (re.compile(rb".*(?:No space left on device|[Qq]uota exceeded)"), Message("error", Weight.CAUSE)),
    (re.compile(rb"Abnormal program termination"), Message("error", Weight.CAUSE)),
    (re.compile(rb"Traceback \(most recent call last\)"), Message("error", Weight.CAUSE)),
    (re.compile(rb"    while executing"), Message("error", Weight.CAUSE)),
    # our scripts
    (re.compile(rb"(?:Makefile|[\w-]+\.tcl): "), Message("error", Weight.OURS)),
)
# What is begun: Vivado's runs and the tasks in them, the steps of v++, the share of CMake's make.
_PHASES = (
    re.compile(rb"(?:\[[^\]]*\] )?Launched (\w+)\.\.\."),
    re.compile(rb"\[[\d:]+\] Run \w+: Step (\w+): Started"),
    re.compile(rb"Starting (\w[\w ]{2,40}) Task$"),
    re.compile(rb"\[ *(\d+%)\] "),
)


def understand(line: bytes) -> Message | None:
    """Return what a line says, without its end; None if that counts for nothing."""
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


# What is said about an error on top of it, by what stands in it or how the tool ended.
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
    """Return what to do about an error, if it is one of those that have nothing to do with the design."""
    return next((said for pattern, said in _HINTS if pattern.search(text)), "")
