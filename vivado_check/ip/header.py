# SPDX-License-Identifier: BSD-3-Clause
"""The head of a Verilog module: its parameters and ports, with the attributes that Vivado reads (UG994).

Only the head is read, by its tokens: a generated core is one file among hundreds, and no syntax tree of the
whole is needed to know its ports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_SKIPPED = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_ATTRIBUTE = re.compile(r'(X_INTERFACE_\w+)\s*=\s*"([^"]*)"')
# The innermost text between two directives.
_CONDITIONAL = re.compile(r"`ifn?def\b(?:(?!`ifn?def\b|`endif\b).)*`endif\b", re.DOTALL)
_MARKS = re.compile(r'"(?:\\.|[^"\\])*"|[\[\](){},]')
_PARAMETER = re.compile(r"\s*(?:parameter\b)?[^=]*?(\w+)\s*=(?!=)\s*(.*)", re.DOTALL)
_PORT = re.compile(
    r"\s*(?:\b(input|output|inout)\b)?\s*(?:\b(?:wire|reg|logic|tri|var|signed|integer)\b\s*)*"
    r"(\[[^\]]*\])?\s*([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)?(?:=.*)?$",
    re.DOTALL,
)


@dataclass(frozen=True)
class Port:
    """A port as it is written: `range` is the text between its brackets, empty for a scalar."""

    name: str
    direction: str
    range: str
    attributes: Mapping[str, str]


@dataclass(frozen=True)
class Head:
    """The head of a module.

    Attributes:
        parameters: Texts of the defaults by name, in order.
        whole: Whether nothing in it was beyond this reader (conditional text, ports of a type).
    """

    name: str
    parameters: Mapping[str, str]
    ports: tuple[Port, ...]
    whole: bool


def read_head(text: str, module: str) -> Head | None:
    """Return the head of a module, None if the text does not have it or is no Verilog that can be read."""
    start = re.search(rf"^[ \t]*module\s+{re.escape(module)}\b", text, re.MULTILINE)
    if start is None:
        return None
    end = text.find("endmodule", start.end())
    body = _clean(text[start.end() : end if end >= 0 else len(text)])
    position, parameters = 0, ""
    if opened := re.match(r"\s*(?:import\s[^;]*;\s*)*#\s*\(", body):
        position = _closing(body, opened.end())
        parameters = body[opened.end() : position - 1]
    if not (opened := re.match(r"\s*\(", body[position:])):
        return None
    begin = position + opened.end()
    close = _closing(body, begin)
    ports = body[begin : close - 1]
    return _head(module, parameters, ports, body[close:])


def _head(module: str, parameters: str, ports: str, rest: str) -> Head:
    certain = _certain(ports)
    modern = re.search(r"\b(input|output|inout)\b", ports) is not None
    found = list(_ports(certain)) if modern else list(_old_ports(rest))
    pieces = [piece for piece in _pieces(certain) if piece.strip()]
    whole = "`" not in parameters + ports and len(pieces) == len(found)
    listed = parameters or ", ".join(re.findall(r"\bparameter\b([^;]*);", rest))
    return Head(module, dict(_parameters(listed)), tuple(found), whole)


def _certain(text: str) -> str:
    """Return a text without what hangs on a macro, which may be defined anywhere."""
    before = ""
    while before != text:
        before, text = text, _CONDITIONAL.sub(" ", text)
    return text


def _clean(text: str) -> str:
    """Return a text without comments; strings stay."""
    return _SKIPPED.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)


def _closing(text: str, position: int) -> int:
    """Return the position behind the bracket that closes the one before a position."""
    depth = 1
    for found in _MARKS.finditer(text, position):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return len(text) + 1


def _ports(text: str) -> Iterator[Port]:
    """Yield the ports of a list; one without a direction has that, and the width, of the one before."""
    direction, width = "", ""
    for piece in _pieces(text):
        attributes, _, rest = piece.rpartition("*)")
        found = _PORT.match(rest)
        if found is None:
            continue
        if found[1]:
            direction, width = found[1], ""
        width = found[2] or width
        if direction:
            yield Port(found[3], direction, width.strip("[]"), dict(_ATTRIBUTE.findall(attributes)))


def _old_ports(text: str) -> Iterator[Port]:
    """Yield the ports of a module that declares them in its body."""
    for statement in text.split(";"):
        begin = re.search(r"\b(?:input|output|inout)\b", statement)
        if begin and re.fullmatch(r"\s*(?:.*\*\))?\s*", statement[: begin.start()], re.DOTALL):
            yield from _ports(statement)


def _parameters(text: str) -> Iterator[tuple[str, str]]:
    """Yield parameters and the texts of their defaults."""
    for piece in _pieces(text):
        if found := _PARAMETER.match(piece):
            yield found[1], found[2].strip()


def _pieces(text: str) -> Iterator[str]:
    """Yield what lies between the commas that are in no bracket and no string."""
    depth, start = 0, 0
    for found in _MARKS.finditer(text):
        mark = found[0]
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        elif mark == "," and depth == 0:
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]
