# SPDX-License-Identifier: BSD-3-Clause
"""Words of a Verilog text, exact enough to find, compare and rename what it defines and uses."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import NamedTuple

# Vivado writes attributes whose strings hold raw newlines, so nothing here may go line by line.
_TOKEN = re.compile(
    r"""\s*(?:(?P<word>[`$]?[A-Za-z_][A-Za-z0-9_$]*|\\\S+)
    |(?P<skip>//[^\n]*|/\*.*?\*/|\(\*(?!\s*\))(?:"(?:[^"\\]|\\.)*"|[^"])*?\*\))
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
_KINDS = {index: name for name, index in _TOKEN.groupindex.items()}
_SKIP = _TOKEN.groupindex["skip"]
_DEFINES = {"module", "macromodule", "package", "interface", "program", "primitive"}
_ENDS = {"endmodule", "endpackage", "endinterface", "endprogram", "endprimitive"}
_LIFETIME = {"automatic", "static"}
# What ends or begins a block, with a label after it or not; and all that an instantiation can follow.
_BLOCKS = {"begin", "end", "endcase", "endclocking", "endfunction", "endgenerate", "endspecify", "endtask"}
_STARTS = _BLOCKS | _ENDS | {"", ";", "generate", ":", ")", "else"}
# Words that can follow an operand, so that `name word` is not an instantiation.
_OPERATORS = {"or", "and", "iff", "inside", "dist", "matches", "with", "else", "begin", "end", "if"}


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


class Verilog:
    """One Verilog or SystemVerilog text.

    Attributes:
        text: The whole text.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def protected(self) -> bool:
        """Whether a part of it is encrypted."""
        return "protected" in self.text and bool(_PROTECTED.search(self.text))

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Code tokens in order."""
        text = _PROTECTED.sub(lambda found: " " * len(found[0]), self.text) if self.protected else self.text
        make = tuple.__new__  # a named tuple's own constructor is slower, and there are many
        return tuple(
            make(Token, (_KINDS[group], match[group], *match.span(group)))
            for match in _TOKEN.finditer(text)
            if (group := match.lastindex or _SKIP) != _SKIP
        )

    @cached_property
    def strings(self) -> tuple[int, ...]:
        """Indices of the string tokens."""
        return tuple(index for index, token in enumerate(self.tokens) if token.kind == "string")

    @cached_property
    def code(self) -> tuple[str, ...]:
        """Texts of all tokens: equal for two files that differ in layout, comments or attributes only."""
        return tuple(token.text for token in self.tokens)

    @cached_property
    def spans(self) -> dict[str, tuple[int, int]]:
        """Token range of every module, package, interface, program and primitive, by name."""
        found: dict[str, tuple[int, int]] = {}
        start, name = 0, None
        for index, word in enumerate(self.code):
            if name is None and word in _DEFINES:
                start, name = index, self._defined_at(index)
            elif name is not None and word in _ENDS:
                found[name] = (start, index + 1)
                name = None
        if name is not None and self.protected:  # its end is among what is encrypted
            found[name] = (start, len(self.code))
        return found

    def _defined_at(self, index: int) -> str | None:
        """Return the name if a definition starts here; ``virtual interface x`` defines nothing."""
        if index and self.code[index - 1] in {"virtual", "extern"}:
            return None
        at = index + 1
        while at < len(self.code) and self.code[at] in _LIFETIME:
            at += 1
        return self.code[at] if at < len(self.code) and self.tokens[at].kind == "word" else None

    @cached_property
    def defined(self) -> frozenset[str]:
        """Names that this text defines."""
        return frozenset(self.spans)

    def body(self, name: str) -> tuple[str, ...]:
        """Return the token texts of one definition."""
        start, end = self.spans[name]
        return self.code[start:end]

    @cached_property
    def packages(self) -> frozenset[str]:
        """Names of the packages that this text defines."""
        return frozenset(name for name, (start, _) in self.spans.items() if self.code[start] == "package")

    @cached_property
    def used(self) -> frozenset[str]:
        """Words in the place of a module or package name, whoever defines them."""
        words = enumerate(self.tokens)
        return frozenset(
            token.text for index, token in words if token.kind == "word" and self._is_unit_name(index)
        )

    def _is_unit_name(self, index: int) -> bool:
        token = self.tokens[index]
        if token.kind != "word" or token.text[0] in "`$":
            return False
        code = self.code
        before = code[index - 1] if index else ""
        after = code[index + 1] if index + 1 < len(code) else ""
        if before in _DEFINES | _LIFETIME | {"import"} or (before == ":" and code[index - 2] in _ENDS):
            return True
        if after == "::":
            return True
        if before == "." or token.text in _OPERATORS or before == "`":
            return False
        # An instantiation or an interface port: `name #(`, `name u_x (`, `name.modport x`.
        next_is_name = index + 1 < len(code) and self.tokens[index + 1].kind == "word"
        starts = before in _STARTS or (index > 2 and code[index - 2] == ":" and code[index - 3] in _BLOCKS)
        return (after == "#" and starts) or (
            next_is_name and after not in _OPERATORS and after[0] not in "`$"
        )

    @cached_property
    def includes(self) -> tuple[Token, ...]:
        """The string tokens of all ``include`` directives."""
        if "`include" not in self.text:
            return ()
        pairs = zip(self.tokens, self.tokens[1:], strict=False)
        return tuple(name for word, name in pairs if word.text == "`include" and name.kind == "string")

    def renamed(self, names: dict[str, str], headers: dict[str, str]) -> str:
        """Return the text with definitions, uses and included headers renamed; all else is untouched."""
        edits = []
        for index, token in enumerate(self.tokens):
            if token.text in names and self._is_unit_name(index):
                edits.append((token, names[token.text]))
        for token in self.includes:
            name = token.text[1:-1].rsplit("/", 1)[-1]
            if name in headers:
                edits.append((token, f'"{headers[name]}"'))
        return self.edited(edits)

    def edited(self, edits: list[tuple[Token, str]]) -> str:
        """Return the text with each of these tokens replaced."""
        text = self.text
        for token, new in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
            text = text[: token.start] + new + text[token.end :]
        return text

    def line(self, token: Token) -> int:
        """Return the line number of a token, from 1."""
        return self.text.count("\n", 0, token.start) + 1


@lru_cache(maxsize=2048)
def lex(text: str) -> Verilog:
    """Return a text's words; each text is taken apart once, whoever asks for it again."""
    return Verilog(text)


def without_attributes(text: str) -> str:
    """Blank out comments and attributes, keeping every newline."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match.lastgroup != "skip" else "\n" * match[0].count("\n") + " "

    return _TOKEN.sub(blank, text)
