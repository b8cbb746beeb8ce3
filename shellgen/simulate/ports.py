# SPDX-License-Identifier: BSD-3-Clause
"""The port names of a bench's top module, which are all that cocotb may touch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from shellgen.errors import Problem, SimulationError

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\(\*.*?\*\)", re.DOTALL)
_FIRST = re.compile(r"(?:^|\()\s*(?:input|output|inout)\b")
_RANGE = re.compile(r"\[[^\]]*\]")
_NAME = re.compile(r"([A-Za-z_]\w*)\s*$")


def port_names(sources: Sequence[Path], top: str) -> tuple[str, ...]:
    """Return the ports of ``top`` in order.

    Reads an ANSI header (``module top (input wire a, b, output wire c);``), the only kind we generate.

    Raises:
        SimulationError: No source declares ``top`` with such a header.
    """
    header = re.compile(rf"\bmodule\s+{re.escape(top)}\b(.*?)\)\s*;", re.DOTALL)
    for source in sources:
        text = source.read_text(errors="replace")
        if top not in text:
            continue
        match = header.search(_COMMENT.sub(" ", text))
        if match:
            return _names(match[1])
    raise SimulationError(
        Problem(
            top, "no source declares this module with its ports in the header", "Check the name of the top"
        )
    )


def _names(header: str) -> tuple[str, ...]:
    names = []
    in_ports = False  # parameters, if any, come before
    for item in header.split(","):
        text = _RANGE.sub(" ", item)
        in_ports = in_ports or _FIRST.search(text) is not None
        match = _NAME.search(text)
        if in_ports and match:
            names.append(match[1])
    return tuple(names)
