# SPDX-License-Identifier: BSD-3-Clause
"""Frames that the rings of each server hold."""

from __future__ import annotations

from shellgen.model.memory_map import MemoryMap
from shellgen_host.cluster_map import HOST

_LEAST, _MOST, _BYTES = 32, 1024, 256 << 10


def slots(frame_bytes: int) -> int:
    """Return how many such frames a ring holds, as ``slots_of`` in host/node/settings.cpp does."""
    return min(max(_BYTES // frame_bytes, _LEAST), _MOST)


def rings(found: MemoryMap) -> dict[str, int]:
    """Return the frames of the largest ring of each server."""
    sizes: dict[str, list[int]] = {}
    for node in found.nodes:
        for stream in node.streams:
            if stream.role == "data":
                sizes.setdefault(node.name, []).append(stream.frame_bytes)
                if stream.host and stream.program:
                    sizes.setdefault(HOST, []).append(stream.frame_bytes)
    return {name: slots(min(some)) for name, some in sizes.items()}
