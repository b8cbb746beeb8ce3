# SPDX-License-Identifier: BSD-3-Clause
"""Tcl lists as text."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SPECIAL = re.compile(r"[\\{}\"]")
_BARE = re.compile(r"[^\s{}\"\\\[\]$;#][^\s{}\"\\\[\]$;]*")
_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_WORD = re.compile(r"(?:[^ \t\n\r\f\v\\]|\\.)+", re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_BACKSLASH = re.compile(r"\\(\n[ \t]*|x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|[0-7]{1,3}|.)", re.DOTALL)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class ListError(ValueError):
    """Text that is no Tcl list, with what Tcl says of it."""


def join_list(items: Iterable[str]) -> str:
    """Write a Tcl list."""
    return " ".join(item if _BARE.fullmatch(item) else _quoted(item) for item in items)


def _quoted(item: str) -> str:
    """Write one element: in braces if they balance, else with backslashes."""
    if not item.endswith("\\") and "\\\n" not in item and _balanced(item):
        return f"{{{item}}}"
    named = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f", "\v": "\\v"}
    return re.sub(r"[\s{}\"\\\[\]$;#]", lambda match: named.get(match[0], f"\\{match[0]}"), item)


def _balanced(text: str) -> bool:
    depth = 0
    for match in _BRACE.finditer(text):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth < 0:
            return False
    return depth == 0


def split_list(text: str) -> list[str]:
    """Read a Tcl list: bare words and quotes with backslashes, braces.

    Raises:
        ListError: It is none.
    """
    if not _SPECIAL.search(text):
        return text.split()
    items: list[str] = []
    position = 0
    while position < len(text):
        space = _SPACE.match(text, position)
        if space:
            position = space.end()
            continue
        item, position = _element(text, position)
        items.append(item)
        if position < len(text) and not text[position].isspace():
            kind = "braces" if text[position - 1] == "}" else "quotes"
            raise ListError(f"list element in {kind} followed by {text[position:].split(maxsplit=1)[0]!r}")
    return items


def _element(text: str, position: int) -> tuple[str, int]:
    if text[position] == "{":
        return _braced(text, position)
    if text[position] == '"':
        match = _QUOTED.match(text, position)
        if not match:
            raise ListError("unmatched open quote in list")
        return _unescaped(match[1]), match.end()
    match = _WORD.match(text, position)
    if not match:  # a backslash at the very end
        return "\\", len(text)
    return _unescaped(match[0]), match.end()


def _braced(text: str, start: int) -> tuple[str, int]:
    depth = 0
    for match in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return text[start + 1 : match.start()], match.end()
    raise ListError("unmatched open brace in list")


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    plain = _BACKSLASH.sub(lambda match: _escape(match[1]), text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # halves of one character


def _escape(found: str) -> str:
    if found[0] == "\n":
        return " "
    if found[0] in "xu" and len(found) > 1:
        return chr(int(found[1:], 16))
    if found[0] in "01234567":
        return chr(int(found, 8))
    return _LETTERS.get(found, found)
