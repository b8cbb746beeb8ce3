# SPDX-License-Identifier: BSD-3-Clause
"""Loads of partitions and streams: the part of the estimate that limits each, and its share of the time."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from shellgen.estimate import Estimate, Server
from shellgen.model import NodePlan, Plan
from shellgen.platforms.places import media_of

NEARLY = 0.8
Level = Literal["limit", "high", "low", "unknown"]


@dataclass(frozen=True)
class Load:
    """Load of a partition or a stream.

    Attributes:
        server: Part of the estimate that takes longest; None if nothing is known.
        share: Of the limit's time; None if unknown.
        level: For the colour.
        words: For the text: never the colour alone.
    """

    server: Server | None
    share: float | None
    level: Level
    words: str


class Loads:
    """Loads of a plan by its estimate."""

    def __init__(self, plan: Plan, found: Estimate) -> None:
        self._limit = found.servers[0] if found.servers else None
        self._by_name = {server.name: server for server in found.servers}
        self._streams: dict[str, list[str]] = defaultdict(list)
        for node in plan.nodes:
            for boundary, name in _names(node):
                self._streams[boundary].append(name)

    def partition(self, node: str, name: str) -> Load:
        """Return the load of a partition."""
        return self._load([f"{name} on {node}"])

    def boundary(self, name: str) -> Load:
        """Return the largest load that a stream meets: at ports, pins or media."""
        return self._load(self._streams[name])

    def item_of(self, plan: Plan) -> dict[str, str]:
        """Return for each part of the estimate the partition or the first stream that it belongs to."""
        found = {name: boundary for boundary, names in self._streams.items() for name in reversed(names)}
        on = {f"{name} on {node.name}": name for node in plan.nodes for name in node.partitions}
        return {name: owner for name, owner in (found | on).items() if name in self._by_name}

    def of_server(self, server: Server) -> Load:
        """Return the load of one part of the estimate."""
        limit = self._limit.seconds if self._limit else math.nan
        share = server.seconds / limit if limit else math.nan
        if not math.isfinite(share):
            return Load(server, None, "unknown", "load unknown")
        if server is self._limit:
            return Load(server, share, "limit", "100 %, the limit")
        text = f"{share * 100:.0f} %" if share >= 0.01 else "under 1 %"
        if share < NEARLY:
            return Load(server, share, "low", f"{text} load")
        return Load(server, share, "high", f"{text}, {'at' if text == '100 %' else 'near'} the limit")

    def _load(self, names: Iterable[str]) -> Load:
        there = [self._by_name[name] for name in names if name in self._by_name]
        if not there:
            return Load(None, None, "unknown", "load unknown")
        loads = [self.of_server(one) for one in there]
        return max(loads, key=lambda load: -1.0 if load.share is None else load.share)


def _names(node: NodePlan) -> Iterator[tuple[str, str]]:
    """Yield boundary and name of each part that serves it, as `shellgen.estimate` names them."""
    for end in node.ends:
        for boundary in end.carries:
            yield boundary, f"port {end.port} on {node.name}"
    for inner in node.inner:
        yield inner.boundary, f"stream {inner.boundary} on {node.name}"
    for place, media in media_of(node, None):
        yield place.end.boundary, f"{place.attachment.pin(place.end).name} of {node.name}"
        for medium in media:
            yield place.end.boundary, medium.name
