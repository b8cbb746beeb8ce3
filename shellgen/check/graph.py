# SPDX-License-Identifier: BSD-3-Clause
"""Connections of a block design down to the pins of its IP, through hierarchies."""

from __future__ import annotations

from .design import Design
from .ip.facts import Catalogue, IpInterface, IpPort, Resolved


class Graph:
    """Who drives what.

    Paths are of pins of IP and of ports of the design; those of hierarchies are passed through.
    """

    def __init__(self, design: Design, catalogue: Catalogue, release: str) -> None:
        self.design = design
        self.catalogue = catalogue
        self.release = release

    def resolved(self, cell: str) -> Resolved | None:
        """Return a cell's pins and interfaces in its configuration, None if its IP is not known."""
        raise NotImplementedError

    def port(self, path: str) -> IpPort | None:
        """Return a pin (a port of the design as seen from inside: an input drives), None if not known."""
        raise NotImplementedError

    def interface(self, path: str) -> IpInterface | None:
        """Return an interface (one of the design as seen from inside: a Slave port is a master)."""
        raise NotImplementedError

    def driver(self, pin: str) -> str | None:
        """Return what drives a pin, None if nothing is known to."""
        raise NotImplementedError

    def loads(self, pin: str) -> tuple[str, ...]:
        """Return the other ends of a pin's net, in the order of the script."""
        raise NotImplementedError

    def peer(self, interface: str) -> str | None:
        """Return the other end of an interface's net, monitors left out."""
        raise NotImplementedError

    def clock_of(self, interface: str) -> str | None:
        """Return the pin that clocks an interface (ASSOCIATED_BUSIF), None if not known."""
        raise NotImplementedError

    def source_of_clock(self, pin: str) -> str | None:
        """Return where a clock comes from: the pin of an IP or a port that no IP only passes on."""
        raise NotImplementedError
