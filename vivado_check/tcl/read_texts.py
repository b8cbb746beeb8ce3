# SPDX-License-Identifier: BSD-3-Clause
"""Scripts that are read as text: what is evaluated of them has no file, so an early end leaves no trace.

A command behind a `return` counts as run if the session has a call of it with the same plain words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_LEAVES = re.compile(r"(?<![\w:$-])(?:return|exit|quit|error|break|continue)\b(?!-)")
_DEFINES = ("proc", "namespace", "oo::class")
_PLAIN = re.compile(r"[\w./:+-]+")
_BRACES = re.compile(r"\\.|[{}]")
LARGEST = 1 << 20


@dataclass(frozen=True)
class _Command:
    """A command of a text that stands at the start of a line, outside of braces."""

    line: int
    text: str

    @property
    def name(self) -> str:
        return self.text.split(maxsplit=1)[0] if self.text.split() else ""

    @property
    def words(self) -> set[str]:
        """Return the words that stand for themselves."""
        return {word for word in self.text.split()[1:] if _PLAIN.fullmatch(word)}


def _commands(text: str) -> Iterator[_Command]:
    begun: list[str] = []
    first = depth = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not begun and line.lstrip()[:1] in ("", "#"):
            continue
        if not begun:
            first = number
        begun.append(line)
        depth += sum({"{": 1, "}": -1}.get(found[0], 0) for found in _BRACES.finditer(line))
        if depth <= 0 and not line.endswith("\\"):
            yield _Command(first, "\n".join(begun))
            begun, depth = [], 0


def left(
    text: str, calls: Mapping[str, Sequence[Collection[str]]], builds: Iterable[str]
) -> tuple[int, int] | None:
    """Return the line where a text may end early and the number of commands behind it that never ran.

    Args:
        text: Of a script.
        calls: Words of all calls of a session, by command.
        builds: Commands that count.
    """
    known = frozenset(builds)
    ends: int | None = None
    lost = 0
    for one in _commands(text[:LARGEST]):
        if ends is not None and one.name in known and one.words:
            if any(one.words <= set(words) for words in calls.get(one.name, ())):
                return None
            lost += 1
        elif ends is None and not one.name.startswith(_DEFINES) and _LEAVES.search(one.text):
            ends = one.line
    return (ends, lost) if ends is not None and lost else None
