# SPDX-License-Identifier: BSD-3-Clause
"""The registers of our own blocks, from the ``registers.json`` beside each."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from shellgen.model.memory_map import MapRegister
from shellgen.resources import data_dir


@cache
def block_registers(block: str) -> dict[str, Any]:
    """Return the file of a block, with ``registers`` and ``stream_registers`` as tuples of records."""
    found: dict[str, Any] = json.loads((data_dir("ip") / block / "registers.json").read_text())
    for field in ("registers", "stream_registers"):
        found[field] = tuple(MapRegister(**entry) for entry in found.get(field, ()))
    return found
