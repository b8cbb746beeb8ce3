# SPDX-License-Identifier: BSD-3-Clause
"""Modules without a body: header and ports of those that our files instantiate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_IGNORED = re.compile(
    r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|\(\*(?!\s*\))(?:"(?:[^"\\]|\\.)*"|[^"])*?\*\)', re.DOTALL
)
_MODULE = re.compile(r"\b(?:macro)?module\s+(?:automatic\s+|static\s+)?(\w+)(.*?)\bendmodule\b", re.DOTALL)
_DECLARED = re.compile(r"\b(?:input|output|inout|parameter)\b[^;]*;")
_HEADER = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^";])*;')
_WORD = re.compile(r"\w+")


def stubs(sources: Sequence[Path], users: Sequence[Path]) -> dict[str, str]:
    """Return the modules of ``sources`` that ``users`` name, without their bodies, by name.

    Args:
        sources: Third-party Verilog.
        users: Generated Verilog that instantiates them.
    """
    words: set[str] = set()
    for user in users:
        words.update(_WORD.findall(user.read_text(errors="replace")))
    found: dict[str, str] = {}
    for source in sources:
        text = source.read_text(errors="replace")
        if words.isdisjoint(_WORD.findall(text)):
            continue
        for name, rest in _MODULE.findall(_IGNORED.sub(_kept, text)):
            if name in words:
                found.setdefault(name, _stub(name, rest))
    return found


def _kept(match: re.Match[str]) -> str:
    """Drop comments and attributes; strings stay, since a default can be one."""
    return match[0] if match[0].startswith('"') else " "


def _stub(name: str, rest: str) -> str:
    match = _HEADER.match(rest)
    header, body = (match[0], rest[match.end() :]) if match else (rest, "")
    ports = header if re.search(r"\b(?:input|output|inout)\b", header) else ""
    declared = "" if ports else "\n".join(_DECLARED.findall(body))
    return f"module {name}{header}\n{declared}\nendmodule\n"
