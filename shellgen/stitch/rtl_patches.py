# SPDX-License-Identifier: BSD-3-Clause
"""Corrections to FINN's RTL that standards and Verilator ask for; none changes what the hardware does.

Each entry is one file name and the change to it. A text that does not have the passage is left alone:
other versions of FINN have other faults. Source: facts/finn_artefacts.md 3 (finn-plus 1.3.0 and 1.6.1).
"""

from __future__ import annotations

import re
from collections.abc import Callable

_LEAF_LOADS = re.compile(
    r"[ \t]*typedef int unsigned  leaf_load_t\[.*?endfunction : init_leaf_loads\n", re.DOTALL
)
_WATCHDOG = re.compile(r"([ \t]*if\(1\) begin : blkRecoveryWatch\n.*?end : blkRecoveryWatch\n)", re.DOTALL)


def _hoist_constant_function(text: str) -> str:
    """IEEE 1800 13.4.3: a constant function may not be declared in a generate block."""
    match = _LEAF_LOADS.search(text)
    before = "\tlocalparam int unsigned  L = $clog2(N);"
    if match is None or before not in text:
        return text
    without = text[: match.start()] + text[match.end() :]
    return without.replace(before, match[0] + before, 1)


def _pack_struct(text: str) -> str:
    """Verilator runs no constant function over an unpacked struct."""
    return re.sub(r"typedef struct (?=\{[^}]*\}\s*abits_t)", "typedef struct packed ", text)


def _pack_captures(text: str) -> str:
    """Packed structs are vectors to Verilator; unpacked ones become C++ types that it declares twice."""
    return text.replace("typedef struct {", "typedef struct packed {")


def _name_of_parameter(text: str) -> str:
    """The branch that is never taken names a parameter that does not exist."""
    return text.replace("FIFO_CORE '%s'\", FIFO_CORE)", "FIFO_CORE '%s'\", fifo_core)")


def _no_watchdog(text: str) -> str:
    """The only delay in the library, a warning about DSP start-up; Verilator has no DSP, and runs faster."""
    return _WATCHDOG.sub(r"`ifndef VERILATOR\n\1`endif\n", text, count=1)


_PATCHES: tuple[tuple[str, Callable[[str], str]], ...] = (
    (r"add_multi\.sv", _hoist_constant_function),
    (r"fifo\.sv", _pack_struct),
    (r"axilite\.sv|memstream\.sv", _pack_captures),
    (r".*StreamingFIFO.*\.v", _name_of_parameter),
    (r"mvu\.sv", _no_watchdog),
)


def patched(name: str, text: str) -> str:
    """Return the text of an RTL file with its corrections."""
    for pattern, change in _PATCHES:
        if re.fullmatch(pattern, name):
            text = change(text)
    return text
