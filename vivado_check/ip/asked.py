# SPDX-License-Identifier: BSD-3-Clause
"""Parameters in the rules of a document: HDL parameters, and through them parameters of the user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .expression import ExpressionError, references
from .learned import Seen

Document = dict[str, Any]


def note_twins(document: Document, seen: Sequence[Seen]) -> None:
    """A program of the vendor may set one parameter when the user sets another (a clock and its pin).

    Where two parameters always agreed and varied, and the user sets one of them only, the other is not known.
    """
    wanted = asked(document)
    for name, entry in document["parameters"].items():
        key = name.lower()
        if key not in wanted or "rule" in entry:
            continue
        values = [one.values.get(key) for one in seen if key in one.values]
        if len(set(values)) < 2:
            continue
        twins = [
            other
            for other in sorted({key for one in seen for key in one.values} - {key})
            if [one.values.get(other) for one in seen if key in one.values] == values
        ]
        if twins:
            entry["twins"] = twins[:12]


def asked(document: Document) -> set[str]:
    """Return the user's parameters that conditions ask for, straight or through HDL parameters."""
    rules = [entry[3] for entry in document["ports"].values()]
    rules += [entry["if"] for entry in document["interfaces"].values()]
    rules += [entry["if"] for entry in (*document["blocks"], *document["spaces"].values())]
    found: set[str] = set()
    for kind, name in _references(rules):
        if kind == "p":
            found.add(name.lower())
        elif document["model"].get(name):
            found |= {other.lower() for way, other in _references([document["model"][name]]) if way == "p"}
    return found


def model_names(document: Document, known: Mapping[str, Any]) -> set[str]:
    """Return the HDL parameters that rules ask for, without those that are known."""
    rules: list[str | None] = []
    for entry in document["parameters"].values():
        rules += [entry.get("enabled"), entry.get("rule")]
    for port in document["ports"].values():
        rules += port[1:4]
    for entry in document["interfaces"].values():
        rules += [entry["if"], *entry["params"].values()]
    for entry in (*document["spaces"].values(), *document["blocks"]):
        rules += [entry["if"], entry["range"], entry.get("base")]
    rules += document["model"].values()
    found = {name for kind, name in _references(rules) if kind == "m"}
    lower = {name.lower() for name in known}
    return {name for name in found if name.lower() not in lower}


def _references(rules: Iterable[str | None]) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for rule in {rule for rule in rules if rule}:
        try:
            found |= references(rule)
        except ExpressionError:
            continue
    return found
