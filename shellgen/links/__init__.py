# SPDX-License-Identifier: BSD-3-Clause
"""The registry of link kinds. A new kind is one class, its templates, its blocks and its bench model."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import entry_points

from shellgen.links.base import Link, Shape, Site
from shellgen.links.tcp_dma import TcpDma

__all__ = ["Link", "Shape", "Site", "link_registry"]

_BUILT_IN: tuple[Link, ...] = (TcpDma(),)


@lru_cache(maxsize=1)
def link_registry() -> dict[str, Link]:
    """Return all link kinds by name: ours, then those of entry point group ``shellgen.links``."""
    links = {link.kind: link for link in _BUILT_IN}
    for entry in entry_points(group="shellgen.links"):
        link = entry.load()()
        if not isinstance(link, Link) or link.kind in links:
            raise TypeError(f"entry point {entry.name!r} ({entry.value}) is not a new kind of Link")
        links[link.kind] = link
    return links
