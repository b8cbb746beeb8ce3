# SPDX-License-Identifier: BSD-3-Clause
"""Filters of the getters (UG835, -filter): ``NAME =~ *aclk && (DIR == I || TYPE != clk)``."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from ..tcl.wildcard import names_pattern

_DEEPEST = 50
Lookup = Callable[[str], str]
Test = Callable[[Lookup], bool]

_TOKEN = re.compile(
    r"""\s*(?: (?P<sign>\|\||&&|[()]|==|!=|=~|!~|<=|>=|<|>|!)
    | "(?P<quoted>(?:[^"\\]|\\.)*)" | \{(?P<braced>[^{}]*)\}
    | (?P<word>(?:[^\s()&|=!<>"{}]|[!=](?![=~]))+) )""",
    re.VERBOSE,
)


class FilterError(ValueError):
    """Text that is no filter expression."""


@lru_cache(maxsize=256)
def parse(expression: str) -> Test:
    """Read an expression.

    Returns:
        A test of one object, given a function from names of its properties to values.

    Raises:
        FilterError: It is none.
    """
    tokens: list[tuple[str, str]] = []
    position = 0
    text = expression.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if not match or match.end() == position:
            raise FilterError(f"filter {expression!r} cannot be read at {text[position:]!r}")
        kind = match.lastgroup or ""
        tokens.append(("sign" if kind == "sign" else "word", match[kind]))
        position = match.end()
    parser = _Parser(expression, tokens)
    test = parser.either()
    if parser.tokens:
        raise FilterError(f"filter {expression!r} has more than one expression")
    return test


class _Parser:
    def __init__(self, text: str, tokens: list[tuple[str, str]]) -> None:
        self.text = text
        self.tokens = tokens
        self.depth = 0

    def next(self, *signs: str) -> str | None:
        if self.tokens and self.tokens[0][0] == "sign" and self.tokens[0][1] in signs:
            return self.tokens.pop(0)[1]
        return None

    def either(self) -> Test:
        tests = [self.both()]
        while self.next("||"):
            tests.append(self.both())
        return tests[0] if len(tests) == 1 else lambda lookup: any(test(lookup) for test in tests)

    def both(self) -> Test:
        tests = [self.one()]
        while self.next("&&"):
            tests.append(self.one())
        return tests[0] if len(tests) == 1 else lambda lookup: all(test(lookup) for test in tests)

    def one(self) -> Test:
        self.depth += 1
        try:
            return self._one()
        finally:
            self.depth -= 1

    def _one(self) -> Test:
        if self.depth > _DEEPEST:
            raise FilterError(f"filter {self.text[:60]!r}... is nested too deeply")
        if self.next("!"):
            inner = self.one()
            return lambda lookup: not inner(lookup)
        if self.next("("):
            test = self.either()
            if not self.next(")"):
                raise FilterError(f"filter {self.text!r} lacks a closing parenthesis")
            return test
        name = self.word()
        sign = self.next("==", "!=", "=~", "!~", "<=", ">=", "<", ">")
        return _comparison(name, sign, self.word()) if sign else lambda lookup: lookup(name) not in ("", "0")

    def word(self) -> str:
        if not self.tokens or self.tokens[0][0] != "word":
            raise FilterError(f"filter {self.text!r} lacks a property or a value")
        return self.tokens.pop(0)[1]


def _comparison(name: str, sign: str, value: str) -> Test:
    if sign in ("=~", "!~"):
        pattern = names_pattern(value)
        return lambda lookup: pattern.fullmatch(lookup(name)) is (sign == "=~")
    if sign in ("==", "!="):
        return lambda lookup: (lookup(name) == value) is (sign == "==")
    return lambda lookup: _ordered(lookup(name), sign, value)


def _ordered(left: str, sign: str, right: str) -> bool:
    try:
        one, other = float(left), float(right)
    except ValueError:
        return False
    return {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[sign]
