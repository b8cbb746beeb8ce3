# SPDX-License-Identifier: BSD-3-Clause
"""Read back what `shellgen generate` wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shellgen.errors import InputError, Problem
from shellgen.formats.data import read_json
from shellgen.model import Plan
from shellgen.model.memory_map import MAP_SCHEMA, MemoryMap
from shellgen.model.names import is_file_name

_RENEW = "Generate the folder again"
_FIRST = "Run `shellgen generate cluster.toml -o <folder>` first and give that folder"


def read_memory_map(out: Path) -> dict[str, Any]:
    """Return ``memory_map.json`` of an output folder as plain data; errors as of `read_map`."""
    # What has a default may be left out.
    whole: dict[str, Any] = json.loads(read_map(out).to_json())
    return whole


def read_map(out: Path) -> MemoryMap:
    """Return ``memory_map.json`` of an output folder.

    Raises:
        InputError: The folder has none, or it is not what this version writes.
    """
    path = out / "memory_map.json"
    if not path.is_file():
        raise InputError(Problem(str(path), "the file is missing", _FIRST))
    found = read_json(path, str(path), _RENEW, _RENEW)
    version = found.get("schema_version") if isinstance(found, dict) else None
    if version != MAP_SCHEMA:
        said = f"it is {version!r}, and this shellgen reads {MAP_SCHEMA!r}" if version else "it is missing"
        raise InputError(Problem(f"{path}: schema_version", said, "Generate the folder again"))
    return MemoryMap.from_data(found, path)


def read_plan(out: Path) -> Plan:
    """Return ``plan.json`` of an output folder.

    Raises:
        InputError: The folder has none, or it is not what this version writes.
    """
    path = out / "plan.json"
    if not path.is_file():
        raise InputError(Problem(str(path), "the file is missing", _FIRST))
    found = read_json(path, str(path), _FIRST, _RENEW)
    version = found.get("schema_version") if isinstance(found, dict) else None
    known = Plan.model_fields["schema_version"].default
    if version != known:
        said = f"it is {version!r}, and this shellgen reads {known!r}" if version else "it is missing"
        raise InputError(Problem(f"{path}: schema_version", said, _RENEW))
    return Plan.from_data(found, path)


def read_manifest(out: Path) -> dict[str, str]:
    """Return path and sha256 of every generated file of an output folder.

    Raises:
        InputError: The folder has none, or it is not what this version writes.
    """
    path = out / "manifest.json"
    if not path.is_file():
        raise InputError(Problem(str(path), "the file is missing", _FIRST))
    found = read_json(path, str(path), _FIRST, _RENEW)
    if not isinstance(found, dict):
        raise InputError(Problem(str(path), "it is not a manifest of ours", _RENEW))
    files = {name: sha256 for name, sha256 in found.items() if isinstance(sha256, str)}
    if len(found) - len(files) > 1 or not all(map(is_file_name, "/".join(files).split("/"))):
        raise InputError(Problem(str(path), "it is not a manifest of ours", _RENEW))
    return files
