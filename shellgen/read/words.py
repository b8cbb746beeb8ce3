# SPDX-License-Identifier: BSD-3-Clause
"""The words of a Verilog text in all branches of its ``ifdef`` at once.

A syntax tree has one branch (`vivado_check.syntax`) and no layout; these serve where expressions are compared
or followed from module to module whatever is defined.
"""

from __future__ import annotations

import re
from functools import cached_property

# Vivado writes attributes whose strings hold raw newlines, so nothing here may go line by line. The group has
# what is a word: comments and attributes are none.
_WORD = re.compile(
    r"""\s*(?://[^\r\n]*|/\*.*?\*/|\(\*(?!\s*\))(?:"(?:[^"\\]|\\.)*"|[^"])*?\*\)
    |([`$]?[A-Za-z_][A-Za-z0-9_$]*|\\\S+
    |[0-9][0-9_]*(?:\s*'[sS]?[bodhBODH]\s*[0-9a-fA-F_xXzZ?]+)?|'[sS]?[bodhBODH]\s*[0-9a-fA-F_xXzZ?]+
    |"(?:[^"\\]|\\.)*"
    |::|\S))""",
    re.DOTALL | re.VERBOSE,
)
_NAME = re.compile(r"[`$]?[A-Za-z_]|\\.")
# What a tool has encrypted (IEEE 1735) is no code: base64, whose words would mean nothing.
_PROTECTED = re.compile(
    r"`pragma\s+protect\s+begin_protected\b.*?(?:`pragma\s+protect\s+end_protected\b|\Z)"
    r"|`protected\b.*?(?:`endprotected\b|\Z)",
    re.DOTALL,
)


class Words:
    """The words of one text: names, numbers, strings with their quotes, and symbols.

    Attributes:
        code: All of them, in order.
    """

    def __init__(self, text: str) -> None:
        if "protected" in text:
            text = _PROTECTED.sub(lambda found: " " * len(found[0]), text)
        self._text = text
        self.code = tuple(word for word in _WORD.findall(text) if word)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Offset of the first character of each; few texts are asked for them."""
        return tuple(match.start(1) for match in _WORD.finditer(self._text) if match[1])

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Indices of each word, in order: a question is about a few, and there are thousands."""
        found: dict[str, list[int]] = {}
        for at, word in enumerate(self.code):
            found.setdefault(word, []).append(at)
        return found


def is_name(word: str) -> bool:
    """Whether a word is a name, a keyword or a directive."""
    return bool(_NAME.match(word))
