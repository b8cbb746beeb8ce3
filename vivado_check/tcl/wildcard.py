# SPDX-License-Identifier: BSD-3-Clause
"""Patterns with ``*`` and ``?``, matched in time that does not grow with the number of stars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..record.commands import ToolError

_STAR, _ONE = "*", "?"
_LONGEST = 1 << 16  # of a pattern; no name is longer
# A star, any character, one of these ranges, or a character.
Token = str | tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Wildcard:
    """A pattern.

    Attributes:
        parts: Tokens between slashes if a star stops at one, else all of them as one part.
        levels: Whether a star passes a ``/``.
        nocase: Whether case counts for nothing; the pattern is in small letters then.
    """

    parts: tuple[tuple[tuple[str, Token], ...], ...]
    levels: bool
    nocase: bool

    def fullmatch(self, text: str) -> bool:
        """Tell whether all of a text matches."""
        text = text.lower() if self.nocase else text
        if self.levels:
            return _matches(self.parts[0], text)
        texts = text.split("/")
        return len(texts) == len(self.parts) and all(map(_matches, self.parts, texts))


def names_pattern(pattern: str, *, nocase: bool = False, levels: bool = True) -> Wildcard:
    """Read a pattern of Vivado's names, where only ``*`` and ``?`` mean more than themselves."""
    text = _bounded(pattern.lower() if nocase else pattern)
    parts = [text] if levels else text.split("/")
    tokens = (tuple((sign if sign in "*?" else "is", sign) for sign in part) for part in parts)
    return Wildcard(tuple(tokens), levels, nocase)


def glob_pattern(pattern: str) -> Wildcard:
    """Read a pattern of Tcl's ``string match``: ``*``, ``?``, ``[a-z]``, and a backslash before any."""
    _bounded(pattern)
    tokens: list[tuple[str, Token]] = []
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        at += 1
        if sign in "*?":
            tokens.append((sign, sign))
        elif sign == "[" and "]" in pattern[at:]:
            end = pattern.index("]", at)
            tokens.append(("of", _ranges(pattern[at:end])))
            at = end + 1
        elif sign == "\\" and at < len(pattern):
            tokens.append(("is", pattern[at]))
            at += 1
        else:
            tokens.append(("is", sign))
    return Wildcard((tuple(tokens),), levels=True, nocase=False)


def _bounded(pattern: str) -> str:
    if len(pattern) > _LONGEST:
        raise ToolError(f"a pattern of more than {_LONGEST >> 10} KB: {pattern[:60]}...", rule="sandbox")
    return pattern


def _ranges(inner: str) -> tuple[tuple[str, str], ...]:
    found = []
    at = 0
    while at < len(inner):
        if inner[at + 1 : at + 2] == "-" and at + 2 < len(inner):
            first, last = sorted((inner[at], inner[at + 2]))
            found.append((first, last))
            at += 3
        else:
            found.append((inner[at], inner[at]))
            at += 1
    return tuple(found)


def _fits(token: tuple[str, Token], letter: str) -> bool:
    kind, value = token
    if isinstance(value, tuple):
        return any(first <= letter <= last for first, last in value)
    return kind == _ONE or value == letter


def _matches(tokens: Sequence[tuple[str, Token]], text: str) -> bool:
    """Match; only the last star is ever retried, since the later one can take what an earlier one did not."""
    token = at = 0
    star = resume = -1
    while at < len(text):
        if token < len(tokens) and tokens[token][0] == _STAR:
            star, resume = token, at
            token += 1
        elif token < len(tokens) and _fits(tokens[token], text[at]):
            token, at = token + 1, at + 1
        elif star >= 0:
            resume += 1
            token, at = star + 1, resume
        else:
            return False
    return all(kind == _STAR for kind, _ in tokens[token:])
