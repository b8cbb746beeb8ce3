# SPDX-License-Identifier: BSD-3-Clause
"""Common properties of the instances of one IP: rules that hold in all of them, if no file has a rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .component import Component
from .expression import Atom, UnknownError, number

# So many instances tell a rule from chance; a value that never changed needs more to be taken for a constant.
ENOUGH = 4
CONSTANT = 8
ONE = "1"  # a family that begins with 1: ``clk_out1``
MOST_RULES = 4
_SET = ("user", "propagated", "ip_propagated", "user_prop", "auto", "auto_prop")
# Words in names that do not tell what of.
_EMPTY_WORDS = {"", "c", "has", "use", "using", "en", "enable", "include", "flag", "pin", "port"}


@dataclass(frozen=True)
class Seen:
    """One instance: its parameters, and which of them the user set."""

    values: Mapping[str, str]
    given: Mapping[str, str]

    @classmethod
    def of(cls, one: Component) -> Seen:
        """Return what an instance tells; names are in lower case, as Vivado compares them."""
        values = {name.lower(): fact.value.text for name, fact in one.parameters.items()}
        given = {name: fact.value.text for name, fact in one.parameters.items() if fact.value.source in _SET}
        return cls(values, given)


def rule_of(name: str, seen: Sequence[tuple[Seen, str]]) -> str | None:
    """Return an expression of the user's parameters that gives a value in all instances; None if none does.

    A parameter of the same name comes first, then one with which it agreed wherever it varied. Where
    several did, all of them have to agree again (`agree`): few instances prove little.

    Args:
        name: Of the value, as a hint.
        seen: Each instance with the value.
    """
    if not seen:
        return None
    key = name.lower()
    if all(key in one.values for one, _ in seen):
        same = _as(key, seen)
        if same is not None:
            return same
    texts = {text for _, text in seen}
    if len(texts) == 1:
        ways = {tuple(sorted(one.given.items())) for one, _ in seen}
        return _while_alike(key, seen, quote(next(iter(texts)))) if len(ways) >= CONSTANT else None
    if len(seen) < ENOUGH:
        return None
    shared = set.intersection(*(set(one.values) for one, _ in seen)) - {"component_name"}
    related = {other for other in shared if key.endswith(f"_{other}") or other.endswith(f"_{key}")}
    for few in (related, shared) if name else (shared,):
        found = [rule for other in sorted(few) if (rule := _as(other, seen)) is not None]
        plain = [rule for rule in found if "?" not in rule]
        found = plain or found
        if found:
            break
    if not found or len(found) > MOST_RULES:
        return None
    return found[0] if len(found) == 1 else f"agree({', '.join(found)})"


def _while_alike(key: str, seen: Sequence[tuple[Seen, str]], constant: str) -> str:
    """Return a constant; where a parameter called alike never varied either, only while that is as it was.

    ``C_HAS_OVERFLOW`` is 0 in all FIFOs whose ``Overflow_Flag`` is false, and nobody has shown another.
    """
    words = _words(key)
    for other in sorted(set.intersection(*(set(one.values) for one, _ in seen))):
        values = {one.values[other] for one, _ in seen}
        if words and _words(other) == words and len(values) == 1:
            return f"p:{other} = {quote(values.pop())} ? {constant} : unknown"
    return constant


def _words(name: str) -> set[str]:
    return set(name.lower().split("_")) - _EMPTY_WORDS


def _as(parameter: str, seen: Sequence[tuple[Seen, str]]) -> str | None:
    """Return ``p:x``, or a table of it, if it explains the value in every instance."""
    pairs = {(one.values[parameter], text) for one, text in seen}
    if all(_same(value, text) for value, text in pairs):
        return f"p:{parameter}"
    table = dict(pairs)
    if len(table) != len(pairs) or len(table) < 2 or len(set(table.values())) < 2:
        return None
    if len(table) > 4 or len(seen) < 2 * len(table):
        return None
    rule = "unknown"
    for value, text in sorted(table.items(), reverse=True):
        rule = f"p:{parameter} = {quote(value)} ? {quote(text)} : {rule}"
    return rule


def _same(one: str, other: str) -> bool:
    return one.lower() == other.lower() or (_number(one) is not None and _number(one) == _number(other))


def _number(text: str) -> Atom | None:
    try:
        return number(text)
    except UnknownError:
        return None


def quote(text: str) -> str:
    """Return a text as a constant of an expression."""
    if re.fullmatch(r"\d{1,18}", text) and (text == "0" or text[0] != "0"):
        return text
    mark = "'" if '"' in text else '"'
    return f"{mark}{text}{mark}"


def families(names: Iterable[Iterable[str]], seen: Sequence[Seen]) -> dict[str, tuple[str, str]]:
    """Return what exists as often as a parameter says: ``S00_AXI`` for NUM_SI, ``aclk1`` for NUM_CLKS.

    Args:
        names: Elements of each instance.
        seen: The instances, in the same order.

    Returns:
        By a pattern with ``#`` for the number: the parameter, and the form of the first element's number
        (empty: it has none, and `ONE`: it is 1).
    """
    counted: dict[tuple[str, str], list[tuple[int, Seen]]] = {}
    lists = [set(one) for one in names]
    patterns = {(pattern, width) for one in lists for name in one for pattern, _, width in _numbered(name)}
    for pattern, width in patterns:
        for first in (width, ""):
            key, counts = (pattern, first), []
            for one, elements in zip(seen, lists, strict=True):
                count = _count(elements, pattern, width, first)
                counts.append((count, one))
            counted.setdefault(key, []).extend(counts if all(count >= 0 for count, _ in counts) else ())
    found: dict[str, tuple[str, str]] = {}
    parameters = sorted({name for one in seen for name in one.values})
    for (pattern, first), counts in sorted(counted.items()):
        for parameter in parameters:
            given = {
                (count, _number(one.values[parameter])) for count, one in counts if parameter in one.values
            }
            if len(given) > 1 and all(count == value for count, value in given):
                bare = any(pattern.replace("#", "") in one for one in lists)
                found.setdefault(pattern, (parameter, first or ("" if bare else ONE)))
    return found


def member(name: str, found: Mapping[str, tuple[str, str]]) -> str | None:
    """Return the condition under which a member of a family is there, None if it is in none."""
    for pattern, index, width in _numbered(name):
        if pattern in found and found[pattern][1] in (width, "", ONE):
            return f"p:{found[pattern][0]} {'>=' if found[pattern][1] == ONE else '>'} {index}"
    for pattern, (parameter, first) in found.items():
        if not first and pattern.replace("#", "") == name:
            return f"p:{parameter} > 0"
    return None


def _numbered(name: str) -> list[tuple[str, int, str]]:
    return [
        (f"{name[: m.start()]}#{name[m.end() :]}", int(m[0]), "0" * len(m[0]))
        for m in re.finditer(r"\d+", name)
        if len(m[0]) <= 3
    ]


def _count(elements: set[str], pattern: str, width: str, first: str) -> int:
    """Return how many members there are, -1 if their numbers have a gap."""
    before, _, after = pattern.partition("#")
    indices = sorted(
        index
        for name in elements
        for known, index, form in _numbered(name)
        if known == pattern and form == width
    )
    if not first:
        bare = before + after in elements
        return len(indices) + bare if indices == list(range(1, len(indices) + 1)) else -1
    return len(indices) if indices == list(range(len(indices))) else -1
