# SPDX-License-Identifier: BSD-3-Clause
"""``memory_map.json``: where the host finds every register and every weight."""

from __future__ import annotations

import json

from shellgen.model import Artifact, NodePlan, Plan, Window
from shellgen.resources import data_dir

SCHEMA = "shellgen-memory-map-1"


def emit_memory_maps(plan: Plan) -> tuple[Artifact, ...]:
    """Return one map for the cluster and one per node (the same record, so that a board needs only its own).

    Addresses are absolute as the node's host sees them; sizes are in bytes. Word ``i`` of a memory
    occupies ``lanes`` 32-bit registers from byte ``base + 4 * lanes * i``, least significant first.

    Source: design section 6; facts/finn_artefacts.md 6.5; ``ip/shell_status/registers.json``.
    """
    nodes = [_node(plan, node) for node in plan.nodes]
    maps = [Artifact.text("memory_map.json", _dump(plan, nodes))]
    maps.extend(
        Artifact.text(f"{node.name}/memory_map.json", _dump(plan, [entry]))
        for node, entry in zip(plan.nodes, nodes, strict=True)
    )
    return tuple(maps)


def _dump(plan: Plan, nodes: list[dict[str, object]]) -> str:
    return (
        json.dumps(
            {"schema": SCHEMA, "cluster": plan.name, "build_id": plan.build_id, "nodes": nodes}, indent=1
        )
        + "\n"
    )


def _node(plan: Plan, node: NodePlan) -> dict[str, object]:
    block = json.loads((data_dir("ip") / "shell_status" / "registers.json").read_text())
    fields = ("registers", "stream_stride", "stream_registers")
    return {
        "name": node.name,
        "board": node.board.name,
        "base": node.lite_base,
        "span": 1 << node.lite_addr_bits,
        "status": {
            "base": node.lite_base + node.windows[0].offset,
            **{field: block[field] for field in fields},
        },
        "streams": [
            *({"index": i, "direction": "rx", "boundary": path.boundary} for i, path in enumerate(node.rx)),
            *(
                {"index": len(node.rx) + i, "direction": "tx", "boundary": path.boundary}
                for i, path in enumerate(node.tx)
            ),
        ],
        "regions": [_region(plan, node, window) for window in node.windows if window.kind == "partition"],
    }


def _region(plan: Plan, node: NodePlan, window: Window) -> dict[str, object]:
    memory = window.memory
    return {
        "name": window.name,
        "node": node.name,
        "partition": window.partition,
        "interface": window.interface,
        "base": node.lite_base + window.offset,
        "size": window.size,
        "access": "direct",
        "build_id": plan.build_id,
        "memory": memory.model_dump(mode="json") if memory else None,
    }
