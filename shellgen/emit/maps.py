# SPDX-License-Identifier: BSD-3-Clause
"""Files of the memory map: ``memory_map.json``, ``.h``, ``.rdl``, a schema."""

from __future__ import annotations

import json
from functools import lru_cache

from shellgen.emit.bring_up import of_node
from shellgen.emit.map_header import memory_header
from shellgen.emit.map_rdl import memory_rdl
from shellgen.emit.memory_map import memory_map
from shellgen.errors import InputError, Problem
from shellgen.model import Artifact, Plan
from shellgen.model.memory_map import MemoryMap


def emit_memory_maps(plan: Plan) -> tuple[Artifact, ...]:
    """Return the maps of the cluster and, in the same format, of each node: a board only needs its own.

    Addresses are absolute host addresses of the node, or are behind the node's bridge; sizes are in bytes.
    Word ``i`` of a memory occupies ``lanes`` 32-bit registers, least significant first, from byte
    ``base + slot_bytes * lanes * i``, or behind a bridge ``base + 4 * lanes * i``.

    Raises:
        InputError: Python runs without docstrings, which are the descriptions of the schema.

    Source: docs/design-core.md, control plane; docs/finn-builds.md; ``registers.json`` of the blocks.
    """
    if not MemoryMap.__doc__:
        found = "Python removes docstrings, from which memory_map.schema.json is made"
        raise InputError(Problem("PYTHONOPTIMIZE", found, "Unset it, and do not run python -OO"))
    whole = memory_map(plan)
    artifacts = [Artifact.text("memory_map.schema.json", _schema()), *_forms("", plan, whole)]
    for node in whole.nodes:
        bring_up = of_node(whole.bring_up, node.name) if whole.bring_up else None
        own = whole.model_copy(update={"nodes": (node,), "bring_up": bring_up})
        artifacts.extend(_forms(f"{node.name}/", plan, own))
    return tuple(artifacts)


@lru_cache(maxsize=1)
def _schema() -> str:
    return json.dumps(MemoryMap.model_json_schema(), indent=1, sort_keys=True) + "\n"


def _forms(folder: str, plan: Plan, found: MemoryMap) -> list[Artifact]:
    texts = {
        "json": found.to_json(),
        "h": memory_header(plan, found),
        "rdl": memory_rdl(plan, found),
    }
    return [Artifact.text(f"{folder}memory_map.{form}", text) for form, text in texts.items()]
