# SPDX-License-Identifier: BSD-3-Clause
"""Memory of boards for streams inside a core: what platforms offer, and the link that uses it."""

from __future__ import annotations

from shellgen.links import Link, link_registry
from shellgen.model import Buffer, RingPort
from shellgen.plan.draft import NodeDraft
from shellgen.platforms import platform_registry


def ring_port(node: NodeDraft, buffer: Buffer | None = "ddr") -> RingPort | None:
    """Return what a node's platform offers to a core with a ring in memory, of the board or of its host."""
    platform = platform_registry()[node.platform]
    return platform.host_ring_port(node.board) if buffer == "host" else platform.ring_port(node.board)


def spills(node: NodeDraft) -> bool:
    """Tell whether a node's platform keeps a stream there although cluster.toml does not ask for it."""
    docks = frozenset(one.dock for one in node.attachments)
    return platform_registry()[node.platform].spills(docks, node.options)


def memory_link() -> Link:
    """Return the link that keeps streams in the memory of a board."""
    return next(link for link in link_registry().values() if "memory" in link.reach)
