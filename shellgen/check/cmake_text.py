# SPDX-License-Identifier: BSD-3-Clause
"""The commands of a list of CMake. Source: the CMake manual, cmake-language, Syntax."""

from __future__ import annotations

import re
from dataclasses import dataclass

OPENS = {"if": "endif", "foreach": "endforeach"}
_TOKEN = re.compile(
    r"(?P<space>[ \t\n;]+)|(?P<comment>\#[^\n]*)|(?P<quoted>\"(?:[^\"\\]|\\.)*\")|(?P<bracket>[()])"
    r"|(?P<bare>(?:\$\{[^\s()#\"]*|[^\s()#\"\\;]|\\.)+)",
    re.DOTALL,
)
_NAME = re.compile(r"[ \t]*([A-Za-z_]\w*)[ \t]*\(")
_GAP = re.compile(r"(?:\s|#[^\n]*(?:\n|$))+")


class NotReadError(Exception):
    """The list uses what is not read here."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line, self.text = line, text


class CMakeError(Exception):
    """CMake stops: in a line, 0 if none is at fault; ``meant`` if the list itself says so."""

    def __init__(self, line: int, text: str, *, meant: bool = False) -> None:
        super().__init__(text)
        self.line, self.text, self.meant = line, text, meant


@dataclass(frozen=True)
class Call:
    """A command with its arguments as they are written; quoted ones are marked."""

    line: int
    name: str
    words: tuple[tuple[str, bool], ...]


def names(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def end_of(listed: list[Call], at: int) -> int:
    """Return where a block that begins at a call ends."""
    open_: list[str] = []
    for index in range(at, len(listed)):
        name = listed[index].name
        if name in OPENS:
            open_.append(OPENS[name])
        elif name in OPENS.values():
            if name != open_.pop():
                raise CMakeError(listed[index].line, f"{name}() ends another block")
            if not open_:
                return index
    raise CMakeError(listed[at].line, f"{listed[at].name}() has no {OPENS[listed[at].name]}()")


def calls(text: str) -> list[Call]:
    """Return the commands of a list in order.

    Raises:
        CMakeError: It is none.
    """
    found: list[Call] = []
    at, line = 0, 1
    while at < len(text):
        gap = _GAP.match(text, at)
        if gap:
            line, at = line + gap[0].count("\n"), gap.end()
            continue
        head = _NAME.match(text, at)
        if head is None:
            raise CMakeError(line, "a command and its arguments are expected")
        words, end = _arguments(text, head.end(), line)
        name = head[1].lower()
        if name in (*OPENS.values(), "else", "elseif") and not _opened(found):
            raise CMakeError(line, f"{name}() has no beginning")
        found.append(Call(line, name, words))
        line, at = line + text.count("\n", at, end), end
    return found


def _opened(found: list[Call]) -> bool:
    return sum((one.name in OPENS) - (one.name in OPENS.values()) for one in found) > 0


def _arguments(text: str, at: int, line: int) -> tuple[tuple[tuple[str, bool], ...], int]:
    words: list[tuple[str, bool]] = []
    level = 1
    while token := _TOKEN.match(text, at):
        at = token.end()
        level += (token[0] == "(") - (token[0] == ")")
        if level == 0:
            return tuple(words), at
        if token["quoted"]:
            words.append((token[0][1:-1], True))
        elif token["bare"] or token["bracket"]:
            words.append((token[0], False))
    raise CMakeError(line, "a parenthesis or a quote is open")
