# SPDX-License-Identifier: BSD-3-Clause
"""The expressions of IP-XACT (XPath 1.0 and Vivado's additions to it), with "not known" as a value.

A file says ``spirit:decode(id('MODELPARAM_VALUE.C_SG'))``; `compact` makes that ``m:C_SG``, and ``p:`` of a
PARAM_VALUE. Both forms are read. Source: IEEE 1685-2009, XPath expressions; the additions (``&&``, ``?:``,
``==``, ``<<``, ``**``) are in the files that Vivado writes.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

Atom = int | float | str | bool
DEEPEST = 60
LONGEST = 20_000

_REFERENCE = re.compile(r"id\(\s*(['\"]?)(MODELPARAM|PARAM)_VALUE\.([\w.]+)\1\s*\)")
_DECODED = re.compile(r"spirit:{1,2}decode\(\s*([mp]:[\w.]+)\s*\)")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+|\d+\.\d+|\d+)|(?P<text>\"[^\"]*\"|'[^']*')"
    r"|(?P<name>\$?[A-Za-z_][\w.]*(?::{1,2}[\w.]+)*)|(?P<sign>&&|\|\||==|!=|<=|>=|<<|>>|\*\*|[-+*/?:()<>=!,]))"
)
_LEVELS: tuple[dict[str, str], ...] = (  # those that bind less first
    {"or": "or", "||": "or"},
    {"and": "and", "&&": "and"},
    {"=": "=", "==": "=", "!=": "!="},
    {"<": "<", ">": ">", "<=": "<=", ">=": ">="},
    {"<<": "<<", ">>": ">>"},
    {"+": "+", "-": "-"},
    {"*": "*", "div": "div", "/": "/", "mod": "mod"},
    {"**": "**"},
)
_BINARY = {sign: (which, kind) for which, level in enumerate(_LEVELS) for sign, kind in level.items()}
_HEXADECIMAL = re.compile(r"-?0[xX][0-9a-fA-F]+")


class UnknownError(Exception):
    """The value depends on something that is not known."""


class ExpressionError(ValueError):
    """It is not written in this language."""


def compact(text: str) -> str:
    """Return the same expression with short references."""
    short = _REFERENCE.sub(lambda match: f"{'m' if match[2] == 'MODELPARAM' else 'p'}:{match[3]}", text)
    return " ".join(_DECODED.sub(r"\1", short).split())


@dataclass(frozen=True)
class Node:
    """A node of the tree: an operator or function with its arguments; ``ref`` and ``const`` are leaves."""

    kind: str
    value: Atom = ""
    parts: tuple[Node, ...] = ()


@lru_cache(maxsize=20_000)
def parse(text: str) -> Node:
    """Return the tree of an expression.

    Raises:
        ExpressionError: It is longer or deeper than any real one, or has a word that is not known.
    """
    if len(text) > LONGEST:
        raise ExpressionError(f"it has more than {LONGEST} characters")
    reader = _Reader(_tokens(compact(text)))
    tree = reader.choice(0)
    if reader.peek():
        raise ExpressionError(f"{reader.peek()!r} is not expected")
    return tree


def evaluate(text: str, lookup: Callable[[str, str], str | None]) -> Atom:
    """Return the value of an expression.

    Args:
        text: The expression, compact or as the file has it.
        lookup: Value of a parameter, of ``m`` (of the HDL) or ``p`` (of the user); None if it is not known.

    Raises:
        UnknownError: It depends on what is not known, or is not in the language.
    """
    try:
        return _value(parse(text), lookup)
    except ExpressionError as error:
        raise UnknownError(str(error)) from None
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        raise UnknownError(str(error)) from None


def references(text: str) -> set[tuple[str, str]]:
    """Return the parameters that an expression asks for, as (``m`` or ``p``, name)."""
    found, queue = set(), [parse(text)]
    while queue:
        node = queue.pop()
        queue += node.parts
        if node.kind == "ref":
            kind, _, name = str(node.value).partition(":")
            found.add((kind, name))
    return found


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            raise ExpressionError(f"{text[at : at + 10]!r} is not expected")
        found.append((str(match.lastgroup), match[match.lastgroup or 0]))
        at = match.end()
    return found


class _Reader:
    """Recursive descent; of operators by how they bind."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> tuple[str, str]:
        if self.at >= len(self.tokens) or (expected and self.peek() != expected):
            raise ExpressionError(f"{expected or 'more'!r} is missing")
        self.at += 1
        return self.tokens[self.at - 1]

    def choice(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise ExpressionError(f"it is nested more than {DEEPEST} deep")
        test = self.level(0, depth)
        if self.peek() != "?":
            return test
        self.take("?")
        yes = self.choice(depth + 1)
        self.take(":")
        return Node("?", "", (test, yes, self.choice(depth + 1)))

    def level(self, least: int, depth: int) -> Node:
        """Read operators of this level, and of those that bind more."""
        left = self.unary(depth)
        while (found := _BINARY.get(self.peek())) and found[0] >= least and self.tokens[self.at][0] != "text":
            self.take()
            left = Node(found[1], "", (left, self.level(found[0] + 1, depth)))
        return left

    def unary(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise ExpressionError(f"it is nested more than {DEEPEST} deep")
        if self.peek() in ("-", "!", "+"):
            sign = self.take()[1]
            return Node({"-": "negative", "!": "not", "+": "number"}[sign], "", (self.unary(depth + 1),))
        kind, word = self.take()
        if word == "(" and kind == "sign":
            inner = self.choice(depth + 1)
            self.take(")")
            return inner
        if kind == "name":
            return self.name(word, depth)
        if kind == "sign":
            raise ExpressionError(f"{word!r} is not expected")
        if kind == "text":
            return Node("const", word[1:-1])
        return Node("const", int(word, 0) if word[:2] in ("0x", "0X") else _number(word))

    def name(self, word: str, depth: int) -> Node:
        if self.peek() == "(" and not word.startswith(("m:", "p:")):
            return self.call(word, depth)
        if word.startswith(("m:", "p:")):
            return Node("ref", word)
        if word == "not":
            return Node("not", "", (self.unary(depth + 1),))
        if word in ("true", "false"):
            return Node("const", word == "true")
        if word == "unknown":  # ours, as is ``agree(...)``
            return Node("unknown")
        raise ExpressionError(f"{word!r} is not known")

    def call(self, word: str, depth: int) -> Node:
        self.take("(")
        parts = []
        while self.peek() != ")":
            parts.append(self.choice(depth + 1))
            if self.peek() != ")":
                self.take(",")
        self.take(")")
        while self.tokens[self.at : self.at + 2] == [
            ("sign", "("),
            ("sign", ")"),
        ]:  # ``true()()`` in mig's files
            self.at += 2
        name = word.rpartition(":")[2]
        if name in ("id", "decode") and len(parts) == 1:
            return parts[0]
        if name not in _FUNCTIONS or len(parts) not in _FUNCTIONS[name][0]:
            raise ExpressionError(f"{word!r} is not known with {len(parts)} arguments")
        return Node(name, "", tuple(parts))


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def number(atom: Atom) -> int | float:
    """Return an atom as a number; ``true`` is 1. Raises UnknownError if it is none."""
    if isinstance(atom, str):
        word = atom.strip().replace("_", "")
        if word.isdecimal():
            return int(word)
        if word.lower() in ("true", "false"):
            return int(word.lower() == "true")
        try:
            return int(word, 0) if _HEXADECIMAL.fullmatch(word) else _number(word)
        except ValueError:
            raise UnknownError(f"{atom!r} is no number") from None
    return int(atom) if isinstance(atom, bool) else atom


def truth(atom: Atom) -> bool:
    """Return whether an atom is true: a number but 0, or the word."""
    return number(atom) != 0


def _equal(left: Atom, right: Atom) -> bool:
    try:
        return number(left) == number(right)
    except UnknownError:
        return str(left).strip('"').lower() == str(right).strip('"').lower()


def _whole(value: float) -> int | float:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _power(base: float, exponent: float) -> int | float:
    if abs(exponent) > 256 or abs(base) > 1 << 64:
        raise UnknownError("a power beyond any address")
    return _whole(base**exponent)


def _shift(value: float, by: float) -> int:
    if not 0 <= by <= 256:
        raise UnknownError("a shift beyond any address")
    return int(value) << int(by)


def _substring(text: Atom, start: Atom, length: Atom | None = None) -> str:
    first = int(number(start)) - 1
    last = None if length is None else max(first + int(number(length)), 0)
    return str(text)[max(first, 0) : last]


_NUMERIC: Mapping[str, Callable[..., int | float | bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: int(a / b),
    "div": lambda a, b: _whole(a / b),
    "mod": math.fmod,
    "**": _power,
    "<<": _shift,
    ">>": lambda a, b: int(a) >> int(b),
    "negative": operator.neg,
    "number": _whole,
    "pow": _power,
    "floor": math.floor,
    "ceil": math.ceil,
    "ceiling": math.ceil,
    "round": lambda a: math.floor(a + 0.5),
    "log": lambda base, value=None: (
        math.log(base) if value is None else _whole(round(math.log(value, base), 9))
    ),
    "log2": lambda value: _whole(math.log2(value)),
    "max": max,
    "min": min,
}
_TEXTUAL: Mapping[str, Callable[..., Atom]] = {
    "concat": lambda *parts: "".join(str(part) for part in parts),
    "contains": lambda text, part: str(part) in str(text),
    "starts-with": lambda text, part: str(text).startswith(str(part)),
    "substring": _substring,
    "string-length": lambda text: len(str(text)),
    "string": str,
}
# How many arguments a function may have.
_FUNCTIONS: Mapping[str, tuple[tuple[int, ...], str]] = {
    **dict.fromkeys(("pow", "max", "min", "contains"), ((2,), "")),
    **dict.fromkeys(("floor", "ceil", "ceiling", "round", "number", "not", "string", "log2"), ((1,), "")),
    "log": ((1, 2), ""),
    "substring": ((2, 3), ""),
    "concat": (tuple(range(1, 20)), ""),
    "agree": (tuple(range(2, 20)), ""),
    "true": ((0,), ""),
    "false": ((0,), ""),
}


def _value(node: Node, lookup: Callable[[str, str], str | None]) -> Atom:  # noqa: PLR0911 - one per kind of node
    if node.kind == "const":
        return node.value
    if node.kind == "ref":
        kind, _, name = str(node.value).partition(":")
        found = lookup(kind, name)
        if found is None:
            raise UnknownError(name)
        return found
    if node.kind == "unknown":
        raise UnknownError("a value that no file had")
    if node.kind in ("and", "or"):
        return _logic(node, lookup)
    if node.kind == "?":
        return _value(node.parts[1 if truth(_value(node.parts[0], lookup)) else 2], lookup)
    if node.kind in ("true", "false"):
        return node.kind == "true"
    parts = [_value(part, lookup) for part in node.parts]
    if node.kind == "not":
        return not truth(parts[0])
    if node.kind == "agree":
        if not all(_equal(parts[0], part) for part in parts):
            raise UnknownError("rules that disagree")
        return parts[0]
    if node.kind in ("=", "!="):
        return _equal(*parts) == (node.kind == "=")
    if node.kind in _TEXTUAL:
        return _TEXTUAL[node.kind](*parts)
    return _NUMERIC[node.kind](*(number(part) for part in parts))


def _logic(node: Node, lookup: Callable[[str, str], str | None]) -> bool:
    """One side that decides is enough, even if the other is not known."""
    deciding, unknown = node.kind == "or", None
    for part in node.parts:
        try:
            if truth(_value(part, lookup)) is deciding:
                return deciding
        except UnknownError as error:
            unknown = error
    if unknown:
        raise unknown
    return not deciding
