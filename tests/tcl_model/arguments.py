# SPDX-License-Identifier: BSD-3-Clause
"""Words of a Tcl command: lists, options, filters."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .project import ModelError

_WORD = re.compile(r"((?:[^\s\\]|\\.)+)", re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_BARE = re.compile(r"[^\s{}\"\\\[\]$;]+")


def join_list(items: list[str]) -> str:
    """Write a Tcl list."""
    return " ".join(item if _BARE.fullmatch(item) else _escaped(item) for item in items)


def _escaped(item: str) -> str:
    return re.sub(r"([\s{}\"\\\[\]$;])", r"\\\1", item) or "{}"


def split_list(text: str) -> list[str]:
    """Read a Tcl list: bare words and quotes with backslashes, braces."""
    items: list[str] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
        elif text[position] == "{":
            item, position = _braced(text, position)
            items.append(item)
        else:
            quoted = text[position] == '"'
            match = (_QUOTED if quoted else _WORD).match(text, position)
            if not match:
                raise ModelError("unmatched open quote in list")
            items.append(re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL))
            position = match.end()
    return items


def _braced(text: str, start: int) -> tuple[str, int]:
    depth, position = 0, start
    while position < len(text):
        if text[position] == "\\":
            position += 1
        else:
            depth += {"{": 1, "}": -1}.get(text[position], 0)
            if depth == 0:
                return text[start + 1 : position], position + 1
        position += 1
    raise ModelError("unmatched open brace in list")


@dataclass(frozen=True)
class Arguments:
    """Options and the rest of a command."""

    command: str
    options: dict[str, str]
    rest: list[str]

    def need(self, *names: str) -> list[str]:
        missing = [name for name in names if name not in self.options]
        if missing:
            raise ModelError(f"[Common 17-163] {self.command}: missing {', '.join(missing)}")
        return [self.options[name] for name in names]

    def has(self, name: str) -> bool:
        return name in self.options


def parse(command: str, words: list[str], known: str, most: int) -> Arguments:
    """Parse options; ``known`` is as in ``-quiet -filter=``, where ``=`` takes a value."""
    takes_value = {word.rstrip("="): word.endswith("=") for word in known.split()}
    options: dict[str, str] = {}
    rest: list[str] = []
    queue = list(words)
    while queue:
        word = queue.pop(0)
        if not re.match(r"-[a-z]", word):
            rest.append(word)
        elif word not in takes_value:
            raise ModelError(f"[Common 17-170] Unknown option '{word}' of {command}")
        elif not takes_value[word]:
            options[word] = ""
        elif not queue:
            raise ModelError(f"[Common 17-163] {command}: no value for {word}")
        else:
            options[word] = queue.pop(0)
    if len(rest) > most:
        raise ModelError(f"[Common 17-165] Too many positional options of {command}: {rest}")
    return Arguments(command, options, rest)
