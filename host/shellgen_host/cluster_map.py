# SPDX-License-Identifier: BSD-3-Clause
"""The part of ``memory_map.json`` that a client needs: nodes, and the boundaries that it feeds or reads."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shellgen_host.crc32c import crc32c
from shellgen_host.errors import InputError
from shellgen_host.packing import Layout

SCHEMA = "shellgen-memory-map-5"


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
    """

    name: str
    number: int
    node: str
    tensor: str
    contract: int
    layout: Layout


@dataclass(frozen=True)
class ClusterMap:
    """A cluster as its client sees it.

    Attributes:
        cluster: Its name.
        nodes: Build id by node, in the order of cluster.toml.
        inputs: Boundaries that the client feeds.
        outputs: Boundaries that it reads.
        between: Of each boundary between two nodes: the one that sends and the one that takes.
    """

    cluster: str
    nodes: dict[str, int]
    inputs: tuple[Edge, ...]
    outputs: tuple[Edge, ...]
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
    inputs: list[Edge] = []
    outputs: list[Edge] = []
    ends: dict[str, dict[str, str]] = {}
    for node in found["nodes"]:
        for stream in node["streams"]:
            name = stream["boundary"]
            if not stream["host"]:
                ends.setdefault(name, {})[stream["direction"]] = node["name"]
                continue
            if stream["role"] != "data":
                continue
            edge = Edge(
                name=name,
                number=crc32c(name.encode()),
                node=node["name"],
                tensor=stream["tensor"] or name,
                contract=int(stream["contract"], 16),
                layout=Layout.of(stream),
            )
            (inputs if stream["direction"] == "rx" else outputs).append(edge)
    for edges in (inputs, outputs):
        names = [edge.tensor for edge in edges]
        if doubled := [edge.name for edge in edges if names.count(edge.tensor) > 1]:
            text = f"{' and '.join(doubled)} carry one tensor, because the host deals frames to replicas"
            raise InputError(
                f"memory_map.json: {text}; let a node deal them, by [host] through in cluster.toml"
            )
    return ClusterMap(
        cluster=found["cluster"],
        nodes={node["name"]: int(node["build_id"], 16) for node in found["nodes"]},
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        between={name: (end["tx"], end["rx"]) for name, end in ends.items()},
    )
