# SPDX-License-Identifier: BSD-3-Clause
"""Read back what `shellgen generate` wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shellgen.disk.changes import settle
from shellgen.disk.manifest import GENERATE_FIRST, not_generated
from shellgen.errors import InputError, Problem
from shellgen.model import Plan
from shellgen.model.memory_map import MAP_SCHEMA, MemoryMap
from vivado_check.formats.data import read_json
from vivado_check.formats.files import StrPath

_RENEW = "Generate the folder again"


def read_memory_map(out: StrPath) -> dict[str, Any]:
    """Return ``memory_map.json`` of an output folder as plain data; errors as of `read_map`."""
    # What has a default may be left out.
    whole: dict[str, Any] = json.loads(read_map(out).to_json())
    return whole


def read_map(out: StrPath) -> MemoryMap:
    """Return ``memory_map.json`` of an output folder.

    Raises:
        InputError: The folder has none, or it is not what this version writes.
    """
    path = Path(out) / "memory_map.json"
    if not path.is_file():
        raise InputError(not_generated(Path(out), path))
    found = read_json(path, str(path), _RENEW, _RENEW)
    version = found.get("schema_version") if isinstance(found, dict) else None
    if version != MAP_SCHEMA:
        said = f"it is {version!r}, and this shellgen reads {MAP_SCHEMA!r}" if version else "it is missing"
        raise InputError(Problem(f"{path}: schema_version", said, "Generate the folder again"))
    return MemoryMap.from_data(found, path)


def read_plan(out: StrPath) -> Plan:
    """Return ``plan.json`` of an output folder.

    Raises:
        InputError: The folder has none, or it is not what this version writes.
    """
    path = Path(out) / "plan.json"
    if not path.is_file():
        raise InputError(not_generated(Path(out), path))
    found = read_json(path, str(path), GENERATE_FIRST, _RENEW)
    version = found.get("schema_version") if isinstance(found, dict) else None
    known = Plan.model_fields["schema_version"].default
    if version != known:
        said = f"it is {version!r}, and this shellgen reads {known!r}" if version else "it is missing"
        raise InputError(Problem(f"{path}: schema_version", said, _RENEW))
    try:
        plan = Plan.from_data(found, path)
    except InputError as error:
        raise error.advising(_RENEW) from None
    nodes = (
        node.model_copy(update={"board": node.board.read_from(f"{path}: nodes[{number}].board", _RENEW)})
        for number, node in enumerate(plan.nodes)
    )
    plan = plan.model_copy(update={"nodes": tuple(nodes)})
    if problems := [Problem(f"{path}: {field}", said, _RENEW) for field, said in _strangers(plan)]:
        raise InputError(*problems)
    return plan


def _strangers(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield each field with the name of a node or a partition that is not in the plan, which was edited."""
    nodes, parts = {node.name for node in plan.nodes}, {part.name for part in plan.partitions}
    for number, node in enumerate(plan.nodes):
        for name in node.partitions:
            if name not in parts:
                yield f"nodes[{number}].partitions", f"there is no partition {name}"
    for number, one in enumerate(plan.boundaries):
        for field in ("producer", "consumer"):
            end, name = getattr(one, field), getattr(one, f"{field}_node")
            if name is not None and name not in nodes:
                yield f"boundaries[{number}].{field}_node", f"there is no node {name}"
            if end is not None and end.partition not in parts:
                yield f"boundaries[{number}].{field}", f"there is no partition {end.partition}"


def settled_plan(out: StrPath) -> Plan:
    """Return the plan of an output folder, after an interrupted change of it was undone or completed.

    Raises:
        InputError: As of `read_plan`.
    """
    settle(Path(out))
    return read_plan(out)
