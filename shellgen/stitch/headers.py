# SPDX-License-Identifier: BSD-3-Clause
"""Port names of the plain Verilog wrappers that FINN generates around each layer."""

from __future__ import annotations

import re

_NOISE = re.compile(r"//[^\n]*|/\*.*?\*/|\(\*.*?\*\)", re.DOTALL)
_PORT = re.compile(r"\b(input|output)\b[^,;()]*?([A-Za-z_]\w*)\s*(?=,|$)")


def port_directions(text: str, module: str) -> dict[str, str]:
    """Return ``input`` or ``output`` by port name, in order, of a module with an ANSI header.

    Raises:
        KeyError: The text does not define the module.
    """
    clean = _NOISE.sub(" ", text)
    match = re.search(rf"\bmodule\s+{re.escape(module)}\b", clean)
    if match is None:
        raise KeyError(module)
    header = clean[match.end() : clean.index(";", match.end())]
    ports = _last_parenthesis(header)
    flat = re.sub(r"\[[^\]]*\]|\([^()]*\)", " ", ports)
    return {name: direction for direction, name in _PORT.findall(flat)}


def _last_parenthesis(header: str) -> str:
    """Return what stands between the outermost parentheses that close last: the port list."""
    end = header.rindex(")")
    depth = 0
    for index in range(end, -1, -1):
        depth += {")": 1, "(": -1}.get(header[index], 0)
        if depth == 0:
            return header[index + 1 : end]
    raise AssertionError("unbalanced parentheses in generated Verilog")
