# SPDX-License-Identifier: BSD-3-Clause
"""Scripts as lines, statements and words: all that a mistake is drawn from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

# What a mistake can hit: a name, path, number, version or pattern, in whatever language.
WORD = re.compile(r"[A-Za-z0-9_$][A-Za-z0-9_$./:*%+-]*[A-Za-z0-9_*%]|[A-Za-z0-9_]")
# In settings of v++, colons and dots join what is named.
PART = re.compile(r"[A-Za-z0-9_\[\]]+")
COMMENT = re.compile(r"\s*(#|//|<!--|\*|/\*)")
# What is only read by people: a wrong word in it changes no hardware.
PROSE = re.compile(
    r"""\s*((puts|error|fail|shellgen::fail|set warning|echo)\b|\$\(error|message\().*["')]"""
    r"""|.*NAME="DESCRIPTION\""""
)
SHELL = re.compile(r"\t\s*(@|rm |mkdir |mv |if |fi\b|for |done\b|echo |exit |\{ |\}|\[ )")
LONGEST = 8  # lines of a statement; more is a procedure, and nobody forgets one


@dataclass(frozen=True)
class Word:
    """A word at its place."""

    line: int
    start: int
    text: str


@dataclass(frozen=True)
class Script:
    """A file that a vendor's tool reads.

    Attributes:
        name: Relative to the output folder.
        text: All of it.
    """

    name: str
    text: str

    @property
    def suffix(self) -> str:
        """Return what tells the language: the ending, or the whole name."""
        last = self.name.rsplit("/", 1)[-1]
        return last.rsplit(".", 1)[-1] if "." in last else last

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Return the lines without their ends."""
        return tuple(self.text.split("\n"))

    @cached_property
    def live(self) -> tuple[int, ...]:
        """Return the numbers, from 0, of lines that are neither empty, comments nor the shell of a recipe."""
        return tuple(
            k
            for k, line in enumerate(self.lines)
            if line.strip()
            and not COMMENT.match(line)
            and not (self.suffix == "Makefile" and SHELL.match(line))
        )

    @cached_property
    def told(self) -> tuple[int, ...]:
        """Return those lines that a tool reads, and not only people."""
        return tuple(k for k in self.live if not PROSE.match(self.lines[k]))

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Return all words that a tool reads."""
        word = PART if self.suffix == "cfg" else WORD
        found = ((k, match) for k in self.told for match in word.finditer(self.lines[k]))
        return tuple(Word(k, match.start(), match[0]) for k, match in found)

    @cached_property
    def statements(self) -> tuple[range, ...]:
        """Return the lines of each statement: what opens a bracket reaches to where it is closed."""
        found = (self._statement(k) for k in self.live)
        return tuple(lines for lines in found if lines and len(lines) <= LONGEST)

    def _statement(self, first: int) -> range | None:
        depth, last = 0, first
        if self.lines[first].lstrip()[:1] in ("}", "]", ")"):
            return None
        item = first > 0 and self.lines[first - 1].endswith("\\")
        while True:
            line = self.lines[last]
            depth += _depth(line)
            if depth < 0:
                return None
            goes_on = line.endswith("\\") and not item
            if not depth and not goes_on:
                return range(first, last + 1)
            last += 1
            if last == len(self.lines):
                return None

    def replaced(self, lines: range, new: tuple[str, ...]) -> str:
        """Return the text with these lines instead of some."""
        return "\n".join((*self.lines[: lines.start], *new, *self.lines[lines.stop :]))


def _depth(line: str) -> int:
    return sum(line.count(one) for one in "{[(") - sum(line.count(one) for one in "}])")
