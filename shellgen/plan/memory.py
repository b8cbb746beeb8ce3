# SPDX-License-Identifier: BSD-3-Clause
"""Memory of boards for streams inside a core: what platforms offer, and the link that uses it."""

from __future__ import annotations

from shellgen.links import Link, link_registry
from shellgen.model import RingPort
from shellgen.plan.draft import NodeDraft
from shellgen.platforms import platform_registry


def ring_port(node: NodeDraft) -> RingPort | None:
    """Return what a node's platform offers to a core with a ring in memory."""
    return platform_registry()[node.platform].ring_port(node.board)


def memory_link() -> Link:
    """Return the link that keeps streams in the memory of a board."""
    return next(link for link in link_registry().values() if "memory" in link.reach)
