# SPDX-License-Identifier: BSD-3-Clause
"""Read back what `shellgen generate` wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shellgen.errors import InputError, Problem


def read_memory_map(out: Path) -> dict[str, Any]:
    """Return ``memory_map.json`` of an output folder.

    Raises:
        InputError: The folder has none, or it is not JSON.
    """
    path = out / "memory_map.json"
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except OSError:
        remedy = "Run `shellgen generate cluster.toml -o <folder>` first and give that folder"
        raise InputError(Problem(str(path), "the file is missing", remedy)) from None
    except ValueError:
        raise InputError(Problem(str(path), "it is not JSON", "Generate the folder again")) from None
    if not isinstance(found, dict) or not isinstance(found.get("nodes"), list):
        raise InputError(Problem(f"{path}: nodes", "it is missing", "Generate the folder again"))
    return found
