# SPDX-License-Identifier: BSD-3-Clause
"""Read back what `shellgen generate` wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shellgen.errors import InputError, Problem
from shellgen.formats.data import read_json
from shellgen.model.memory_map import MAP_SCHEMA, MemoryMap

_RENEW = "Generate the folder again"


def read_memory_map(out: Path) -> dict[str, Any]:
    """Return ``memory_map.json`` of an output folder.

    Raises:
        InputError: The folder has none, or it is not what this version writes.
    """
    path = out / "memory_map.json"
    if not path.is_file():
        remedy = "Run `shellgen generate cluster.toml -o <folder>` first and give that folder"
        raise InputError(Problem(str(path), "the file is missing", remedy))
    found: dict[str, Any] = read_json(path, str(path), _RENEW, _RENEW)
    version = found.get("schema_version") if isinstance(found, dict) else None
    if version != MAP_SCHEMA:
        said = f"it is {version!r}, and this shellgen reads {MAP_SCHEMA!r}" if version else "it is missing"
        raise InputError(Problem(f"{path}: schema_version", said, "Generate the folder again"))
    # What has a default may be left out.
    whole: dict[str, Any] = json.loads(MemoryMap.from_data(found, path).to_json())
    return whole
