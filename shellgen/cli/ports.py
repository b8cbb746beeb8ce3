# SPDX-License-Identifier: BSD-3-Clause
"""The table at the end of `generate`: contents of each board, and addresses for the host."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.model import End, NodePlan, Plan, StreamRole
from shellgen.model.replicas import without_replicas
from shellgen.table import Column, table

_KIB = 1024


@dataclass(frozen=True)
class PortRecord:
    """A link port of a node, with its stream and its other end."""

    name: str
    boundary: str
    peer: str
    frame_bytes: int
    passes: int
    role: StreamRole


@dataclass(frozen=True)
class RegisterRecord:
    """The address of a core's registers, and the number of memories behind them."""

    base: int
    bytes: int
    memories: int


@dataclass(frozen=True)
class NodeRecord:
    """A node with its board, its registers and its link ports."""

    name: str
    board: str
    partitions: tuple[str, ...]
    clock_hz: int
    registers: RegisterRecord
    ports: tuple[PortRecord, ...]


def node_records(plan: Plan) -> list[NodeRecord]:
    """Return the host's view of each node."""
    return [
        NodeRecord(
            name=node.name,
            board=node.board.name,
            partitions=node.partitions,
            clock_hz=node.clock_hz,
            registers=RegisterRecord(node.lite_base, 1 << node.lite_port_bits, len(node.memories)),
            ports=(
                *(_port(plan, node, end, "producer_node") for end in node.rx),
                *(_port(plan, node, end, "consumer_node") for end in node.tx),
            ),
        )
        for node in plan.nodes
    ]


def tensor_lines(plan: Plan) -> list[str]:
    """Return the ports of the model's inputs and outputs in its order, a line where there are several."""
    plan = without_replicas(plan)
    inputs = [one for one in plan.boundaries if one.producer is None and not one.carries_weights]
    outputs = [one for one in plan.boundaries if one.consumer is None]
    lines = []
    for side, streams in (("inputs", inputs), ("outputs", outputs)):
        if len(streams) > 1:
            ends = [f"{one.tensor or 'unnamed'} ({one.consumer or one.producer})" for one in streams]
            lines.append(f"{side} in the model's order: {', '.join(ends)}")
    return lines


def turn_table(plan: Plan, width: int | None = None) -> list[str]:
    """Return which frames each stream of a replica carries, as a table; nothing without replicas."""
    rows = [
        (
            one.producer_node or "host",
            one.consumer_node or "host",
            f"{', '.join(map(str, one.places))} of {plan.epoch}",
        )
        for one in plan.boundaries
        if one.link and len(one.places) < plan.epoch
    ]
    columns = (Column("from"), Column("to"), Column("frames of a turn", wrap=True))
    return ["", *table(columns, rows, width)] if rows else []


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
    for node in node_records(plan):
        first: tuple[object, ...] = (node.name, node.board)
        registers = _registers(node.registers)
        for port in node.ports:
            frame = f"{port.frame_bytes:,}" + (f" x {port.passes:,}" if port.passes > 1 else "")
            rows.append((*first, port.name, frame, port.peer, registers))
            first, registers = ("", ""), ""
    return table(columns, rows, width)


def _port(plan: Plan, node: NodePlan, end: End, side: str) -> PortRecord:
    boundary = plan.boundary(end.boundary)
    peers = [getattr(plan.boundary(name), side) for name in end.carries]
    peer = ", ".join(
        str(one or ("memory (weights)" if boundary.carries_weights else "host")) for one in peers
    )
    return PortRecord(
        node.pin(end).name, boundary.name, peer, boundary.frame_bytes, boundary.passes, boundary.role
    )


def _registers(found: RegisterRecord) -> str:
    size, count = found.bytes, found.memories
    text = f"{found.base:#x}, {f'{size // _KIB} KiB' if size >= _KIB else f'{size} bytes'}"
    return text + (f", {count} {'memories' if count > 1 else 'memory'}" if count else "")
