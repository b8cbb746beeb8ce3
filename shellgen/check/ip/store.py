# SPDX-License-Identifier: BSD-3-Clause
"""Documents of facts as texts: one line for each parameter, port and interface, repeated rules only once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Document = dict[str, Any]
_TABLES = ("parameters", "model", "ports", "interfaces", "spaces")


def dump(document: Mapping[str, Any]) -> str:
    """Return a document as JSON; equal documents give equal texts."""
    packed, rules, choices = _pack(document)
    lines = []
    for key in ("vlnv", "complete", "whole", "releases"):
        lines.append(f"{json.dumps(key)}: {json.dumps(document.get(key, []))}")
    lines.append(f'"sources": {_lines(document.get("sources", []))}')
    lines.append(f'"rules": {_lines(rules)}')
    lines.append(f'"choices": {_lines(choices)}')
    for key in _TABLES:
        entries = [f" {json.dumps(name)}: {_short(entry)}" for name, entry in packed[key].items()]
        lines.append(f"{json.dumps(key)}: {{\n" + ",\n".join(entries) + "\n}")
    for key in ("blocks", "seen"):
        lines.append(f"{json.dumps(key)}: {_lines(packed.get(key, []))}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def load(text: str) -> Document:
    """Return the document of a text that `dump` wrote."""
    document: Document = json.loads(text)
    rules, choices = document.pop("rules"), document.pop("choices")

    def rule(value: Any) -> Any:
        return rules[value] if isinstance(value, int) else value

    for entry in document["parameters"].values():
        if "choices" in entry:
            entry["choices"] = choices[entry["choices"]]
        for key in ("enabled", "rule"):
            if key in entry:
                entry[key] = rule(entry[key])
    document["model"] = {name: rule(value) for name, value in document["model"].items()}
    document["ports"] = {
        name: [entry[0], *(rule(value) for value in entry[1:4]), entry[4]]
        for name, entry in document["ports"].items()
    }
    for entry in document["interfaces"].values():
        entry["if"] = rule(entry["if"])
        entry["params"] = {name: rule(value) for name, value in entry["params"].items()}
        entry["ports"] = _spread(entry["ports"])
    for entry in (*document["spaces"].values(), *document["blocks"]):
        for key in ("if", "base", "range"):
            if key in entry:
                entry[key] = rule(entry[key])
    return document


def _pack(document: Mapping[str, Any]) -> tuple[Document, list[str], list[list[str]]]:
    """Return a document whose rules longer than a few characters are numbers."""
    rules: dict[str, int] = {}
    choices: dict[str, int] = {}

    def rule(value: str | None) -> str | int | None:
        return value if value is None or len(value) <= 4 else rules.setdefault(value, len(rules))

    packed: Document = {"seen": document.get("seen", [])}
    packed["parameters"] = {}
    for name, entry in document["parameters"].items():
        copy = dict(entry)
        if "choices" in copy:
            copy["choices"] = choices.setdefault(json.dumps(copy["choices"]), len(choices))
        packed["parameters"][name] = copy | {
            key: rule(copy[key]) for key in ("enabled", "rule") if key in copy
        }
    packed["model"] = {name: rule(value) for name, value in document["model"].items()}
    packed["ports"] = {
        name: [entry[0], *(rule(value) for value in entry[1:4]), entry[4]]
        for name, entry in document["ports"].items()
    }
    packed["interfaces"] = {
        name: entry
        | {
            "if": rule(entry["if"]),
            "params": {key: rule(value) for key, value in entry["params"].items()},
            "ports": _fold(entry["ports"]),
        }
        for name, entry in document["interfaces"].items()
    }
    packed["spaces"] = {
        name: entry | {"if": rule(entry["if"]), "range": rule(entry["range"])}
        for name, entry in document["spaces"].items()
    }
    packed["blocks"] = [
        entry | {key: rule(entry[key]) for key in ("if", "base", "range")} for entry in document["blocks"]
    ]
    return packed, list(rules), [json.loads(key) for key in choices]


def _fold(ports: Mapping[str, str]) -> Any:
    """Return ``[prefix, case, names]`` where the physical names follow from the logical ones."""
    for case in ("lower", "upper"):
        heads = {
            port[: -len(name)] if port.endswith(getattr(name, case)()) else None
            for name, port in ports.items()
        }
        if len(heads) == 1 and None not in heads and len(ports) > 1:
            return [heads.pop(), case, " ".join(ports)]
    return dict(ports)


def _spread(folded: Any) -> dict[str, str]:
    if isinstance(folded, dict):
        return folded
    head, case, names = folded
    return {name: head + (name.lower() if case == "lower" else name.upper()) for name in names.split()}


def _lines(entries: Any) -> str:
    return "[\n" + ",\n".join(f" {_short(entry)}" for entry in entries) + "\n]" if entries else "[]"


def _short(entry: Any) -> str:
    return json.dumps(entry, separators=(",", ":"), ensure_ascii=True)
