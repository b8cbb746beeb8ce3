# SPDX-License-Identifier: BSD-3-Clause
"""The part of ``memory_map.json`` that a client needs: nodes, and the boundaries that it feeds or reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shellgen_host.crc32c import crc32c
from shellgen_host.errors import InputError
from shellgen_host.packing import Layout

SCHEMA = "shellgen-memory-map-6"


@dataclass(frozen=True)
class Edge:
    """A boundary between the client and a node.

    Attributes:
        name: Of the boundary.
        number: As messages carry it.
        node: Where it ends or begins.
        tensor: The model's name of it; that of the boundary if there is none.
        contract: Of the stream.
        layout: Of its frames.
        stream: Name of the first boundary with the same frames, or with those before and after these.
        places: Positions of the frames that cross here, within ``period`` frames from the first of an epoch.
        period: Frames after which they repeat.
    """

    name: str
    number: int
    node: str
    tensor: str
    contract: int
    layout: Layout
    stream: str
    places: tuple[int, ...] = (0,)
    period: int = 1

    def frame_of(self, index: int) -> int:
        """Return which frame of an epoch crosses here as number ``index``."""
        turns, place = divmod(index, len(self.places))
        return turns * self.period + self.places[place]


@dataclass(frozen=True)
class ClusterMap:
    """A cluster as its client sees it.

    Attributes:
        cluster: Its name.
        nodes: Build id by node, in the order of cluster.toml.
        inputs: What the client sends: of boundaries with the same stream, the first.
        outputs: What it receives, in the same way.
        sources: All boundaries that it feeds.
        sinks: All boundaries that it reads.
        between: Of each boundary between two nodes: the one that sends and the one that takes.
    """

    cluster: str
    nodes: dict[str, int]
    inputs: tuple[Edge, ...]
    outputs: tuple[Edge, ...]
    sources: tuple[Edge, ...]
    sinks: tuple[Edge, ...]
    between: dict[str, tuple[str, str]]


def read_map(out: str | Path) -> ClusterMap:
    """Return the cluster of a folder that ``shellgen generate`` wrote.

    Raises:
        InputError: It has no ``memory_map.json``, or one that this package does not read.
    """
    path = Path(out) / "memory_map.json"
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; give the folder that shellgen generate wrote") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: it is not JSON; generate the folder again") from None
    version = found.get("schema_version") if isinstance(found, dict) else None
    if version != SCHEMA:
        text = f"{path}: schema_version is {version!r}, and this package reads {SCHEMA!r}"
        raise InputError(f"{text}; generate the folder with the shellgen of this package")
    try:
        return _cluster(found)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: it is damaged ({error!r}); generate the folder again") from None


def _cluster(found: dict[str, Any]) -> ClusterMap:
    sources: list[Edge] = []
    sinks: list[Edge] = []
    ends: dict[str, dict[str, str]] = {}
    for node in found["nodes"]:
        for stream in _consumers(node["streams"]):
            name = stream["boundary"]
            if not stream["host"]:
                ends.setdefault(name, {})[stream["direction"]] = node["name"]
                continue
            if stream["role"] != "data":
                continue
            deal = stream.get("deal") or {"stream": name, "places": [0], "period": 1}
            edge = Edge(
                name=name,
                number=crc32c(name.encode()),
                node=node["name"],
                tensor=stream["tensor"] or deal["stream"],
                contract=int(stream["contract"], 16),
                layout=Layout.of(stream),
                stream=deal["stream"],
                places=tuple(deal["places"]),
                period=deal["period"],
            )
            (sources if stream["direction"] == "rx" else sinks).append(edge)
    sources = _forked(sources)
    inputs, outputs = _streams(sources), _streams(sinks)
    return ClusterMap(
        cluster=found["cluster"],
        nodes={node["name"]: int(node["build_id"], 16) for node in found["nodes"]},
        inputs=inputs,
        outputs=outputs,
        sources=tuple(sources),
        sinks=tuple(sinks),
        between={name: (end["tx"], end["rx"]) for name, end in ends.items()},
    )


def _consumers(streams: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield each stream, and another one for every further consumer of what leaves a node."""
    for stream in streams:
        yield stream
        for copy in stream["copies"]:
            yield stream | copy


def _forked(edges: list[Edge]) -> list[Edge]:
    """Let boundaries that carry one tensor in the same bytes be one stream: each gets every frame of it."""
    first: dict[str, Edge] = {}
    for edge in edges:
        first.setdefault(edge.tensor, edge)
    return [
        replace(edge, stream=one.stream) if edge.layout.same_bytes(one.layout) else edge
        for edge in edges
        for one in (first[edge.tensor],)
    ]


def _streams(edges: list[Edge]) -> tuple[Edge, ...]:
    """Return the first boundary of each stream, in order.

    Raises:
        InputError: Boundaries of a stream or of a tensor pack frames differently.
    """
    first: dict[str, Edge] = {}
    for edge in edges:
        one = first.setdefault(edge.stream, edge)
        if not edge.layout.same_bytes(one.layout):
            text = f"memory_map.json: {one.name} and {edge.name} carry one stream, but pack it differently"
            raise InputError(f"{text}; generate the folder again")
    names = [edge.tensor for edge in first.values()]
    if doubled := [edge.name for edge in first.values() if names.count(edge.tensor) > 1]:
        text = f"memory_map.json: {' and '.join(doubled)} carry one tensor, but pack it differently"
        remedy = 'give their [[link]] packing = "dense", or let one board take it and fork it there'
        raise InputError(f"{text}; {remedy}, in cluster.toml")
    return tuple(first.values())
