# SPDX-License-Identifier: BSD-3-Clause
"""The words of a Verilog text in all branches of its ``ifdef`` at once.

A syntax tree has one branch (`vivado_check.syntax`) and no layout; these serve where expressions are compared
or followed from module to module whatever is defined.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

# Vivado writes attributes whose strings hold raw newlines, so nothing here may go line by line.
_TOKEN = re.compile(
    r"""\s*(?:(?P<word>[`$]?[A-Za-z_][A-Za-z0-9_$]*|\\\S+)
    |(?P<skip>//[^\r\n]*|/\*.*?\*/|\(\*(?!\s*\))(?:"(?:[^"\\]|\\.)*"|[^"])*?\*\))
    |(?P<number>[0-9][0-9_]*(?:\s*'[sS]?[bodhBODH]\s*[0-9a-fA-F_xXzZ?]+)?|'[sS]?[bodhBODH]\s*[0-9a-fA-F_xXzZ?]+)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<symbol>::|\S))""",
    re.DOTALL | re.VERBOSE,
)
# What a tool has encrypted (IEEE 1735) is no code: base64, whose words would mean nothing.
_PROTECTED = re.compile(
    r"`pragma\s+protect\s+begin_protected\b.*?(?:`pragma\s+protect\s+end_protected\b|\Z)"
    r"|`protected\b.*?(?:`endprotected\b|\Z)",
    re.DOTALL,
)
_SKIP = "skip"


class Token(NamedTuple):
    """One word of code; comments and attributes are no tokens.

    Attributes:
        kind: ``string``, ``number``, ``word`` or ``symbol``.
        text: As written, quotes included.
        start: Offset of its first character.
        end: Offset after its last.
    """

    kind: str
    text: str
    start: int
    end: int


class Words:
    """The words of one text.

    Attributes:
        tokens: All of them, in order.
    """

    def __init__(self, text: str) -> None:
        self.tokens = tokens_of(text)

    @cached_property
    def code(self) -> tuple[str, ...]:
        """Texts of all tokens."""
        return tuple(token.text for token in self.tokens)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Indices of each word, in order: a question is about a few, and there are thousands."""
        found: dict[str, list[int]] = {}
        for at, word in enumerate(self.code):
            found.setdefault(word, []).append(at)
        return found


def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the code tokens of a text in order."""
    if "protected" in text:
        text = _PROTECTED.sub(lambda found: " " * len(found[0]), text)
    make = tuple.__new__  # a named tuple's own constructor is slower, and there are many
    return tuple(
        [
            make(Token, (kind, match[kind], match.start(kind), match.end()))
            for match in _TOKEN.finditer(text)
            if (kind := match.lastgroup or _SKIP) != _SKIP
        ]
    )
