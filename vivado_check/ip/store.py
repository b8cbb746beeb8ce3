# SPDX-License-Identifier: BSD-3-Clause
"""Documents of facts as texts: one line for each parameter, port and interface, repeated rules only once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

Document = dict[str, Any]
# Tables in which an analyser has a thousand lines that differ in a number: `_numbered` writes one.
_NUMBERED = ("parameters", "ports")
_ALIKE = 8
_NUMBER = re.compile(r"(.*?)(\d+)(\D*)")
_TABLES = ("parameters", "model", "ports", "interfaces", "spaces")


def dump(document: Mapping[str, Any]) -> str:
    """Return a document as JSON; equal documents give equal texts."""
    packed, rules, choices = _pack(document)
    lines = []
    for key in ("vlnv", "complete", "whole", "releases", "named"):
        lines.append(f"{json.dumps(key)}: {json.dumps(document.get(key, []))}")
    lines.append(f'"sources": {_lines(document.get("sources", []))}')
    lines.append(f'"rules": {_lines(rules)}')
    lines.append(f'"choices": {_lines(choices)}')
    for key in _TABLES:
        folded = _numbered(packed[key]) if key in _NUMBERED else packed[key]
        entries = [f" {json.dumps(name)}: {_short(entry)}" for name, entry in folded.items()]
        lines.append(f"{json.dumps(key)}: {{\n" + ",\n".join(entries) + "\n}")
    for key in ("blocks", "seen"):
        lines.append(f"{json.dumps(key)}: {_lines(packed.get(key, []))}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def load(text: str) -> Document:
    """Return the document of a text that `dump` wrote."""
    document: Document = json.loads(text)
    rules, choices = document.pop("rules"), document.pop("choices")
    for key in _NUMBERED:
        document[key] = _counted(document[key])

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


def _numbered(table: Mapping[str, Any]) -> dict[str, Any]:
    """Write ``C_PROBE#_WIDTH`` for numbers that have the same entry, as ``{"#": [numbers, entry]}``."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name, entry in table.items():
        match = _NUMBER.fullmatch(name)
        if match:
            groups.setdefault((f"{match[1]}#{match[3]}", _short(entry)), []).append(match[2])
    folded: dict[str, Any] = {}
    for name, entry in table.items():
        match = _NUMBER.fullmatch(name)
        pattern = f"{match[1]}#{match[3]}" if match else ""
        numbers = groups.get((pattern, _short(entry)), [])
        if len(numbers) < _ALIKE:
            folded[name] = entry
        elif match and match[2] == numbers[0]:
            folded[f"{pattern}{'' if pattern not in folded else '@' + numbers[0]}"] = {
                "#": [_ranges(numbers), entry]
            }
    return folded


def _counted(table: Mapping[str, Any]) -> dict[str, Any]:
    """Undo `_numbered`, in the order of the names."""
    found = {}
    for name, entry in table.items():
        if isinstance(entry, dict) and "#" in entry:
            before, _, after = name.partition("@")[0].partition("#")
            ranges, one = entry["#"]
            for number in _numbers(ranges):
                found[f"{before}{number}{after}"] = dict(one) if isinstance(one, dict) else list(one)
        else:
            found[name] = entry
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


def _ranges(numbers: list[str]) -> str:
    """Return ``0-15,17``; numbers of one run have one width, or none has a zero in front."""
    runs: list[list[str]] = []
    for number in sorted(numbers, key=lambda text: (_form(text), int(text))):
        last = runs[-1][-1] if runs else ""
        if last and int(number) == int(last) + 1 and _form(last) == _form(number):
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _form(number: str) -> int:
    """Return the width of a number that has zeros in front."""
    return len(number) if number[0] == "0" and len(number) > 1 else 0


def _numbers(ranges: str) -> Iterator[str]:
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        for number in range(int(first), int(last or first) + 1):
            yield f"{number:0{_form(first)}d}"


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
