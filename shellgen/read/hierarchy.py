# SPDX-License-Identifier: BSD-3-Clause
"""The instance hierarchy with its parameters, as far as it follows from the words of a text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain

from shellgen.read.verilog import Verilog
from shellgen.read.words import is_name

Words = tuple[str, ...]


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        module: Module that is instantiated.
        settings: Tokens that each parameter is given by name.
        named: Whether all parameters are given by name.
    """

    module: str
    settings: dict[str, Words]
    named: bool = True


def instances(verilog: Verilog, owner: str, modules: Set[str]) -> Iterator[Instance]:
    """Yield the instances of these modules in one module of a text."""
    words = verilog.words_in(owner)
    code, places = words.code, words.places
    found = [_between(places[module], 2, len(code) - 2) for module in modules & places.keys()]
    for at in sorted(chain.from_iterable(found)):
        if code[at - 1] == ".":
            continue
        if code[at + 1] == "#" and code[at + 2] == "(":
            given = [tuple(part) for part in split(code, at + 3) if part]
            by_name = {part[1]: part[3:-1] for part in given if part[0] == "." and len(part) > 3}
            yield Instance(code[at], by_name, len(by_name) == len(given))
        elif is_name(code[at + 1]) and code[at + 2] in {"(", "["}:
            yield Instance(code[at], {})


def default(verilog: Verilog, module: str, name: str) -> Words:
    """Return the tokens that a module gives a parameter of its own, or nothing."""
    words = verilog.words_in(module)
    for at in _between(words.places.get(name, ()), 0, len(words.code) - 2):
        if words.code[at + 1] == "=" and words.code[at - 1] != ".":
            return tuple(next(split(words.code, at + 2)))
    return ()


def _between(places: Sequence[int], start: int, end: int) -> Sequence[int]:
    return places[bisect_left(places, start) : bisect_left(places, end)]


def split(code: Words, start: int) -> Iterator[list[str]]:
    """Yield the tokens between the commas of a list whose opening bracket stands before ``start``."""
    depth = 0
    part: list[str] = []
    for word in code[start:]:
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(word, 0)
        if depth < 0 or word == ";":
            break
        if word == "," and not depth:
            yield part
            part = []
        else:
            part.append(word)
    yield part
