# SPDX-License-Identifier: BSD-3-Clause
"""An IP of a version that nobody's project had, from the versions before and after: what they have alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Document = dict[str, Any]


def between(vlnv: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Document:
    """Return what two versions have in common, as facts of one between them.

    Nothing that only one of them has is taken, and neither are the facts complete: a parameter or pin that is
    not among them is "not known".
    """
    return {
        "vlnv": vlnv,
        "complete": False,
        "whole": False,
        "releases": [],
        "named": _alike(before["named"], after["named"]),
        "parameters": {
            name: _alike(before["parameters"][name], entry)
            for name, entry in after["parameters"].items()
            if name in before["parameters"]
        },
        "model": _alike(before["model"], after["model"]),
        "ports": {
            name: [entry[0], *_same(before["ports"][name][1:], entry[1:])]
            for name, entry in after["ports"].items()
            if name in before["ports"] and before["ports"][name][0] == entry[0]
        },
        "interfaces": {
            name: _interface(before["interfaces"][name], entry)
            for name, entry in after["interfaces"].items()
            if name in before["interfaces"] and _kind(before["interfaces"][name]) == _kind(entry)
        },
        "spaces": {
            name: dict(zip(entry, _same([old.get(key) for key in entry], entry.values()), strict=True))
            | {"segments": _alike(old["segments"], entry["segments"])}
            for name, entry in after["spaces"].items()
            if (old := before["spaces"].get(name))
        },
        "blocks": [
            {key: value if old.get(key) == value else None for key, value in entry.items()}
            for entry in after["blocks"]
            if (old := _block(before, entry))
        ],
    }


def _alike(before: Mapping[str, Any], after: Mapping[str, Any]) -> Document:
    return {name: value for name, value in after.items() if name in before and before[name] == value}


def _same(before: Any, after: Any) -> list[Any]:
    """Return each value that is alike, None for the others."""
    return [new if new == old else None for old, new in zip(before, after, strict=True)]


def _kind(entry: Mapping[str, Any]) -> tuple[str, str]:
    return entry["mode"], entry["vlnv"]


def _interface(before: Mapping[str, Any], after: Mapping[str, Any]) -> Document:
    found = dict(after) | {key: _alike(before[key], after[key]) for key in ("params", "ports")}
    found["if"] = after["if"] if before["if"] == after["if"] else None
    return {key: value for key, value in found.items() if key in before or key == "if"}


def _block(before: Mapping[str, Any], entry: Mapping[str, Any]) -> Mapping[str, Any] | None:
    same = [
        old for old in before["blocks"] if (old["memory"], old["name"]) == (entry["memory"], entry["name"])
    ]
    return same[0] if same else None
