# SPDX-License-Identifier: BSD-3-Clause
"""Streams inside a board that are kept in its memory: a FIFO behind an AXI4 master each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shellgen import costs
from shellgen.errors import Problem
from shellgen.links.base import Link, Medium, Reach, Shape, Site
from shellgen.links.figures import Figures
from shellgen.model import Attachment, Boundary, Claim, Dock, Ring, Usage
from shellgen.registers import block_registers

PORT = "ddr_ring_port"


class DdrRing(Link):
    """The registers of a node's rings, and the memories in the bench; the FIFOs are in ``ring.v.j2``.

    The host gives each ring its memory when it begins to use the core (``shellgen_ring.py``): it may have
    another address each time, so this is no step of the bring-up.
    """

    kind: ClassVar[str] = "ddr_ring"
    dock: ClassVar[str] = "memory"
    reach: ClassVar[frozenset[Reach]] = frozenset({"memory"})
    peer: ClassVar[str] = "the board's memory"
    about: ClassVar[str] = (
        "streams inside a board that are kept in its memory or its host's: "
        'buffer = "ddr" or "host" of a [[link]]'
    )
    needs: ClassVar[str] = (
        "a board whose core can reach memory by AXI4: that of a Zynq's PS, of an Alveo card, or of its PC"
    )
    fault: ClassVar[str] = (
        "a master broke a rule of AXI4, left its ring, or read what memory had not acknowledged as written"
    )
    counters: ClassVar[Mapping[str, tuple[str, str]]] = {"bursts to memory": (PORT, "SPILLED")}

    def shape(self, dock: Dock, word_bits: int, frame_bits: int) -> Shape:  # noqa: ARG002 - one width for all
        """Fill beats of the memory's port."""
        return Shape.of(dock.bits, frame_bits)

    def check(self, boundary: Boundary, docks: tuple[Dock, ...]) -> list[Problem]:  # noqa: ARG002 - it has none
        """Return nothing: no boundary is carried between nodes."""
        return []

    def attach(self, site: Site) -> tuple[Attachment, ...]:  # noqa: ARG002 - see `keep`
        """Return nothing: it has no ends."""
        return ()

    def keep(self, rings: tuple[Ring, ...]) -> tuple[Attachment, ...]:
        """Return one attachment with the registers of all rings of a node."""
        bits = block_registers(PORT).address_bits
        assert bits is not None
        claim = Claim(name=self.kind, addr_bits=bits, block=PORT, counts=(("N", len(rings)),))
        ports = tuple(ring.port for ring in rings)
        return (
            Attachment(
                name=self.kind,
                link=self.kind,
                dock=self.dock,
                pins=(),
                ends=(),
                claims=(claim,),
                detail={"base_bits": 64 * len(ports), "level_bits": 32 * len(ports)},
                memories=ports,
            ),
        )

    def ring_media(self, memory: str, ring: Ring, figures: Figures) -> tuple[Medium, ...]:
        """Return its share of the memory, which others may use, too: each beat is written and read."""
        count = figures["ddr_passes"] * ring.beats * ring.port.data_bits // 8
        rate = ring.bytes_per_s or figures["ddr_bytes_per_s"]
        source = f"{rate / 1e9:g} GB/s, {figures['ddr_passes']:g} passes of a ring"
        return (Medium(memory, count / rate, source),)

    def usage(self, attachment: Attachment) -> Usage:
        """Return the cost of the registers; the FIFOs are those of streams."""
        return costs.ddr_ring_port(len(attachment.memories))
