# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of a memory map that was read as plain data."""

from __future__ import annotations

from typing import Any


def block_of(node: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a block of a node."""
    found: dict[str, Any] = next(block for block in node["blocks"] if block["name"] == name)
    return found
