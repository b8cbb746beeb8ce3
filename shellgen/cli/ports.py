# SPDX-License-Identifier: BSD-3-Clause
"""The table that `generate` ends with: what is on each board, and what a host needs to talk to it."""

from __future__ import annotations

from typing import Any

from shellgen.model import End, NodePlan, Plan
from shellgen.table import Column, table

_KIB = 1024


def node_records(plan: Plan) -> list[dict[str, Any]]:
    """Return each node with its board, its registers and its link ports."""
    return [
        {
            "name": node.name,
            "board": node.board.name,
            "partitions": node.partitions,
            "clock_hz": node.clock_hz,
            "registers": {
                "base": node.lite_base,
                "bytes": 1 << node.lite_port_bits,
                "memories": len(node.memories),
            },
            "ports": [
                *(_port(plan, node, end, "producer_node") for end in node.rx),
                *(_port(plan, node, end, "consumer_node") for end in node.tx),
            ],
        }
        for node in plan.nodes
    ]


def port_table(plan: Plan, width: int | None = None) -> list[str]:
    """Return the same as a table: a row for each link port of each node."""
    columns = (
        Column("node"),
        Column("board", wrap=True),
        Column("port"),
        Column("bytes/frame", right=True),
        Column("other end", wrap=True),
        Column("registers", wrap=True),
    )
    rows: list[tuple[object, ...]] = []
    for node, record in zip(plan.nodes, node_records(plan), strict=True):
        first: tuple[object, ...] = (node.name, node.board.name)
        registers = _registers(node)
        for port in record["ports"]:
            frame = f"{port['frame_bytes']:,}" + (f" x {port['passes']:,}" if port["passes"] > 1 else "")
            rows.append((*first, port["name"], frame, port["peer"], registers))
            first, registers = ("", ""), ""
    return table(columns, rows, width)


def _port(plan: Plan, node: NodePlan, end: End, side: str) -> dict[str, Any]:
    boundary = plan.boundary(end.boundary)
    peer = getattr(boundary, side) or ("memory (weights)" if boundary.role == "weights" else "host")
    return {
        "name": node.pin(end).name,
        "boundary": boundary.name,
        "peer": peer,
        "frame_bytes": boundary.frame_bytes,
        "passes": boundary.passes,
        "role": boundary.role,
    }


def _registers(node: NodePlan) -> str:
    size = 1 << node.lite_port_bits
    text = f"{node.lite_base:#x}, {f'{size // _KIB} KiB' if size >= _KIB else f'{size} bytes'}"
    count = len(node.memories)
    return text + (f", {count} {'memories' if count > 1 else 'memory'}" if count else "")
