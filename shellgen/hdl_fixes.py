# SPDX-License-Identifier: BSD-3-Clause
"""Fixes of FINN's RTL that standards and simulators require; none of them changes the hardware's behaviour.

One list for whatever reads or writes such RTL: `shellgen.read` fixes every build, `shellgen.stitch` what it
packages. Because nothing changes in hardware, Vivado gets the same files. A change of behaviour has no place
here. A text that lacks the passage is left alone: other versions of FINN have other faults.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_LEAF_LOADS = re.compile(
    r"[ \t]*typedef int unsigned  leaf_load_t\[.*?endfunction : init_leaf_loads\n", re.DOTALL
)
_WATCHDOG = re.compile(r"([ \t]*if\(1\) begin : blkRecoveryWatch\n.*?end : blkRecoveryWatch\n)", re.DOTALL)


def _hoist_constant_function(text: str) -> str:
    match = _LEAF_LOADS.search(text)
    before = "\tlocalparam int unsigned  L = $clog2(N);"
    if match is None or before not in text:
        return text
    without = text[: match.start()] + text[match.end() :]
    return without.replace(before, match[0] + before, 1)


def _pack_struct(text: str) -> str:
    return re.sub(r"typedef struct (?=\{[^}]*\}\s*abits_t)", "typedef struct packed ", text)


def _pack_captures(text: str) -> str:
    return text.replace("typedef struct {", "typedef struct packed {")


def _name_of_parameter(text: str) -> str:
    return text.replace("FIFO_CORE '%s'\", FIFO_CORE)", "FIFO_CORE '%s'\", fifo_core)")


def _no_watchdog(text: str) -> str:
    return _WATCHDOG.sub(r"`ifndef VERILATOR\n\1`endif\n", text, count=1)


@dataclass(frozen=True)
class Fix:
    """A change to the files of one name.

    Attributes:
        name: Pattern of the whole file name.
        change: Text to text.
        reason: What is wrong, and why the hardware stays the same.
    """

    name: str
    change: Callable[[str], str]
    reason: str


FIXES = (
    Fix(
        r"add_multi\.sv",
        _hoist_constant_function,
        "a constant function is declared in a generate block (IEEE 1800-2017 13.4.3); only its place changes",
    ),
    Fix(
        r"fifo\.sv",
        _pack_struct,
        "Verilator evaluates no constant function over an unpacked struct; packed, its members stay",
    ),
    Fix(
        r"axilite\.sv|memstream\.sv",
        _pack_captures,
        "Verilator declares an unpacked struct once per module that shares it; packed, its members stay",
    ),
    Fix(
        r".*StreamingFIFO.*\.v",
        _name_of_parameter,
        "the message of a branch that is never taken names a parameter that does not exist",
    ),
    Fix(
        r"mvu\.sv",
        _no_watchdog,
        "a delay that only simulated DSP primitives need is hidden from Verilator; Vivado sees it as before",
    ),
)


def fixed(name: str, text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text of a source file with its fixes, and their reasons.

    Args:
        name: File name, without folder.
        text: Its content.
    """
    reasons = []
    plain = text.replace("\r\n", "\n")  # a build that has been on Windows has the same faults
    for fix in FIXES:
        if re.fullmatch(fix.name, name):
            new = fix.change(plain)
            if new != plain:
                reasons.append(fix.reason)
            plain = new
    if not reasons:
        return text, ()
    return plain.replace("\n", "\r\n") if "\r\n" in text else plain, tuple(reasons)
