# SPDX-License-Identifier: BSD-3-Clause
"""Streams inside a board that are kept in its memory: a FIFO behind an AXI4 master each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shellgen import costs
from shellgen.errors import Problem
from shellgen.links.base import Link, Medium, Reach, Shape, Site
from shellgen.links.figures import Figures
from shellgen.model import Attachment, Boundary, Claim, Dock, MemoryPort, Pin, Ring, Usage
from shellgen.model.plain import JsonObject
from shellgen.registers import block_registers

PORT = "ddr_ring_port"
# Of a request: the address, then 4 bits of the stream and one for its kind; of a completion the latter two.
REQUEST_BITS, COMPLETION_BITS, DEST_BITS = 64, 8, 4
OPEN = (
    16  # requests of a ring under way in each direction, which covers 1024 cycles of latency in bursts of 64
)
_BARE = {"tkeep": False, "tlast": False}


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
        "a board whose core can reach memory: that of a Zynq's PS, of an Alveo card, or of its PC"
    )
    fault: ClassVar[str] = (
        "a master broke a rule of AXI4 or of requests, left its ring, or read what was not yet written"
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
        requests = any(port.dest is not None for port in ports)
        detail: JsonObject = {"base_bits": 64 * len(ports), "level_bits": 32 * len(ports)}
        if requests:
            detail |= _request(ports, rings[0].burst)
        return (
            Attachment(
                name=self.kind,
                link=self.kind,
                dock=self.dock,
                pins=_pins(ports) if requests else (),
                ends=(),
                claims=(claim,),
                detail=detail,
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
        rings = len(attachment.memories)
        requests = costs.ring_requests(rings) if attachment.pins else Usage()
        return costs.ddr_ring_port(rings) + requests


def _request(ports: tuple[MemoryPort, ...], burst: int) -> JsonObject:
    """Return what a request is for the templates: the bits of its word, and how many there may be."""
    key, host = ports[0].addr_bits, ports[0].addr_bits + DEST_BITS
    return {
        "burst": burst,
        "open": OPEN,
        "dest_low": key,
        "host_bit": host,
        "spare_low": host + 1,
        "spare_bits": REQUEST_BITS - host - 1,
        "latency": max(port.latency for port in ports),
    }


def _pins(ports: tuple[MemoryPort, ...]) -> tuple[Pin, ...]:
    """Return the queues that rings share, and the streams of each; the roles are those of the queues."""
    queues = (
        Pin(name="m_axis_write_request", role="sq_wr", direction="out", tdata_bits=REQUEST_BITS, **_BARE),
        Pin(name="m_axis_read_request", role="sq_rd", direction="out", tdata_bits=REQUEST_BITS, **_BARE),
        Pin(
            name="s_axis_write_completion", role="cq_wr", direction="in", tdata_bits=COMPLETION_BITS, **_BARE
        ),
    )
    streams = (
        pin
        for number, port in enumerate(ports)
        for pin in (
            Pin(name=f"m_axis_ring_{number}", role="send", direction="out", tdata_bits=port.data_bits),
            Pin(
                name=f"s_axis_ring_{number}",
                role="recv",
                direction="in",
                tdata_bits=port.data_bits,
                tkeep=False,
            ),
        )
    )
    return (*queues, *streams)
