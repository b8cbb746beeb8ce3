# SPDX-License-Identifier: BSD-3-Clause
"""The registry of link kinds. A new kind is one class, its templates, its blocks and its bench model."""

from __future__ import annotations

from functools import lru_cache

from shellgen.errors import Problem
from shellgen.links.accl import Accl
from shellgen.links.base import LINKS_FAULT, Link, Shape, Site
from shellgen.links.coyote_stream import CoyoteStream
from shellgen.links.ddr_ring import DdrRing
from shellgen.links.tcp_dma import TcpDma
from shellgen.links.tcp_xrt import TcpXrt
from shellgen.links.vitis_mover import VitisMover
from shellgen.links.vnx_udp import VnxUdp
from shellgen.plugins import Found, find_plugins

__all__ = ["LINKS_FAULT", "Link", "Shape", "Site", "broken_links", "link_registry"]


@lru_cache(maxsize=1)
def _found() -> Found[Link]:
    ours = (TcpDma(), VitisMover(), VnxUdp(), CoyoteStream(), Accl(), DdrRing(), TcpXrt())
    return find_plugins("shellgen.links", Link, ours)  # type: ignore[type-abstract]


def link_registry() -> dict[str, Link]:
    """Return all link kinds by name: ours, then those of entry point group ``shellgen.links``."""
    return _found().kinds


def broken_links() -> tuple[Problem, ...]:
    """Return why links of that group are left out."""
    return _found().broken
