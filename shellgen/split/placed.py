# SPDX-License-Identifier: BSD-3-Clause
"""Layers on a board, each with its folding, and the ports of the partition that they will be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shellgen.model import Board, Edge, Endpoint, Pace, StreamPort, Usage
from shellgen.model.flow import Flow
from shellgen.model.folding import Folding, SplitLayer, SplitNetwork, SplitStream


@dataclass(frozen=True)
class Placed:
    """Layers on a board.

    Attributes:
        board: The board.
        layers: In network order, each with its folding.
        depths: Words of the FIFOs in front of layers, by layer and input, where they are deeper than most.
        takes: Resources of these FIFOs.
        flows: From each input to each output.
        pace: Cycles from frame to frame; None where a layer is of an unknown kind.
        replicas: Boards that take the frames in turn.
        node: Number of its board among those of the split.
        region: Number of the region of the board that it is in; None on a board without regions.
    """

    board: Board
    layers: tuple[tuple[SplitLayer, Folding], ...]
    depths: Mapping[tuple[str, int], int] = field(default_factory=dict)
    takes: Usage = field(default_factory=Usage)
    flows: tuple[Flow, ...] = ()
    pace: Pace | None = None
    replicas: int = 1
    node: int = 0
    region: int | None = None


def partition_name(number: int) -> str:
    """Return the name that `stitch` gives a partition."""
    return f"StreamingDataflowPartition_{number}"


def crossing(
    network: SplitNetwork, placed: Sequence[Placed]
) -> tuple[list[tuple[StreamPort, ...]], list[Edge]]:
    """Return the ports of each partition, inputs first, and the streams between partitions."""
    home = {layer.name: number for number, part in enumerate(placed) for layer, _ in part.layers}
    chosen = {layer.name: folding for part in placed for layer, folding in part.layers}
    ports: list[list[StreamPort]] = [[] for _ in placed]
    edges = []
    for stream in network.streams:
        source, target = home.get(stream.producer), home.get(stream.consumer)
        if source == target:
            continue
        ends = []
        if source is not None:
            lanes = chosen[stream.producer].writes[stream.output]
            ends.append(add_port(ports[source], source, "out", stream, lanes))
        if target is not None:
            lanes = chosen[stream.consumer].reads[stream.input]
            ends.append(add_port(ports[target], target, "in", stream, lanes))
        if source is not None and target is not None:
            edges.append(Edge(producer=ends[0], consumer=ends[1]))
    return [tuple(sorted(own, key=lambda port: port.direction)) for own in ports], edges


def add_port(ports: list[StreamPort], number: int, way: str, stream: SplitStream, lanes: int) -> Endpoint:
    """Add the port of a partition at which a stream crosses its edge."""
    count = sum(port.direction == way for port in ports)
    name = f"{'s' if way == 'in' else 'm'}_axis_{count}"
    *outer, inner = stream.shape
    port = StreamPort(
        name=name,
        direction="in" if way == "in" else "out",
        tdata_bits=(lanes * stream.bits + 7) // 8 * 8,
        ports={signal: f"{name}_{signal.lower()}" for signal in ("TDATA", "TVALID", "TREADY")},
        datatype=stream.datatype,
        normal_shape=stream.shape,
        folded_shape=(*outer, inner // lanes, lanes),
    )
    ports.append(port)
    return Endpoint(partition=partition_name(number), port=name)
