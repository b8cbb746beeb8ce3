# SPDX-License-Identifier: BSD-3-Clause
"""The ports of a bench's top module, which are all that cocotb may touch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from shellgen.errors import Problem, SimulationError

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\(\*.*?\*\)", re.DOTALL)
_DIRECTION = re.compile(r"(?:^|\()\s*(input|output|inout)\b")
_RANGE = re.compile(r"\[[^\]]*\]")
_NAME = re.compile(r"([A-Za-z_]\w*)\s*$")


class Port(NamedTuple):
    """A port: cocotb may write all but outputs."""

    name: str
    is_output: bool


def read_ports(sources: Sequence[Path], top: str) -> tuple[Port, ...]:
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
            return _ports(match[1])
    raise SimulationError(
        Problem(
            top, "no source declares this module with its ports in the header", "Check the name of the top"
        )
    )


def _ports(header: str) -> tuple[Port, ...]:
    ports = []
    direction = ""  # parameters, if any, come before
    for item in header.split(","):
        text = _RANGE.sub(" ", item)
        if found := _DIRECTION.search(text):
            direction = found[1]
        match = _NAME.search(text)
        if direction and match:
            ports.append(Port(match[1], direction == "output"))
    return tuple(ports)
