# SPDX-License-Identifier: BSD-3-Clause
"""The instance hierarchy with its parameters, as far as it follows from the tokens of a text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain

from shellgen.read.verilog import Verilog

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
    code, places = verilog.code, verilog.places
    start, end = verilog.spans[owner]
    found = [_between(places[module], start + 2, end - 2) for module in modules & places.keys()]
    for at in sorted(chain.from_iterable(found)):
        if code[at - 1] == ".":
            continue
        if code[at + 1] == "#" and code[at + 2] == "(":
            given = [tuple(part) for part in split(code, at + 3) if part]
            by_name = {part[1]: part[3:-1] for part in given if part[0] == "." and len(part) > 3}
            yield Instance(code[at], by_name, len(by_name) == len(given))
        elif verilog.tokens[at + 1].kind == "word" and code[at + 2] in {"(", "["}:
            yield Instance(code[at], {})


def default(verilog: Verilog, module: str, name: str) -> Words:
    """Return the tokens that a module gives a parameter of its own, or nothing."""
    start, end = verilog.spans[module]
    for at in _between(verilog.places.get(name, ()), start, end - 2):
        if verilog.code[at + 1] == "=" and verilog.code[at - 1] != ".":
            return tuple(next(split(verilog.code, at + 2)))
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
