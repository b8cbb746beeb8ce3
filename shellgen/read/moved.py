# SPDX-License-Identifier: BSD-3-Clause
"""Facts of a text in which other strings stand, from those of the text before: it need not be parsed again.

Each partition's top names data files of its own, which get new names.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from vivado_check.syntax import Facts, Literal

_PLAIN = re.compile(r"[\w./-]*", re.ASCII)  # nothing that ends a string or has another meaning in one
# The content of a list of parameters, and one of them.
_Place = tuple[frozenset[tuple[str, str]], frozenset[tuple[str, int]], str]


def moved(facts: Facts, edits: Sequence[tuple[Literal, str]]) -> Facts | None:
    """Return the facts of a text after edits, or None if they do not follow from those before.

    Args:
        facts: Before.
        edits: Strings with what stands between the quotes now.
    """
    if not all(_PLAIN.fullmatch(text) for _, text in edits):
        return None
    new = {literal.start: text for literal, text in edits}
    values: dict[_Place, set[str | None]] = {}
    for one in (one for one in facts.literals if one.parameter in one.texts):
        values.setdefault(_place(one, one.parameter), set()).add(new.get(one.start))
    if any(len(found) > 1 for found in values.values()):
        return None  # two lists are alike, and only one of them is changed
    shift = _shifts((literal.start, literal.end, text) for literal, text in edits)

    def literal(one: Literal) -> Literal:
        texts = {}
        for name, before in one.texts.items():
            (now,) = values.get(_place(one, name), {None})
            texts[name] = before if now is None else now
        return one._replace(start=shift(one.start), end=shift(one.end), texts=texts)

    return facts._replace(
        units=tuple(one._replace(start=shift(one.start), end=shift(one.end)) for one in facts.units),
        uses=tuple(one._replace(start=shift(one.start), end=shift(one.end)) for one in facts.uses),
        literals=tuple(map(literal, facts.literals)),
        faults=tuple(one._replace(start=shift(one.start)) for one in facts.faults),
    )


def _place(literal: Literal, parameter: str) -> _Place:
    return frozenset(literal.texts.items()), frozenset(literal.numbers.items()), parameter


def _shifts(edits: Iterable[tuple[int, int, str]]) -> Callable[[int], int]:
    """Return a function from an offset before edits of strings to the one after; what is negative stays."""
    ordered = sorted(set(edits))
    ends = [end for _, end, _ in ordered]
    more = [0, *accumulate(len(text) + 2 - (end - start) for start, end, text in ordered)]
    return lambda offset: offset + more[bisect_right(ends, offset)]
