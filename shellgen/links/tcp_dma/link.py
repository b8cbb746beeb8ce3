# SPDX-License-Identifier: BSD-3-Clause
"""Zynq to Zynq: PL -> AXI DMA -> PS -> TCP -> PS -> AXI DMA -> PL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shellgen import costs
from shellgen.errors import Problem
from shellgen.links.base import Link, Medium, Place, Shape, Site, Travel
from shellgen.links.figures import Figures
from shellgen.model import Attachment, Boundary, Dock, End, Pin, Plan, Usage
from shellgen.model.plain import JsonObject

# Narrower saves nothing: the DMA's memory side is 32 bits at least (PG021).
DMA_MIN_BITS = 32
MOST_FRAMES = (1 << 16) - 1  # what FRAMES_PER_TRANSFER holds
# Payload of a full TCP segment with timestamps at an MTU of 1500 bytes (RFC 9293, RFC 7323), and its bytes on
# the wire with headers, preamble and gap (IEEE 802.3).
SEGMENT_BYTES, WIRE_BYTES = 1448, 1538
BENCH_CYCLES = 2  # of the model, from a frame that has come to its first beat
BENCH_REARM = 4  # of the model, from a frame that has come until its DMA takes a beat of the next


class TcpDma(Link):
    """A DMA transfer is whole frames without gaps: LENGTH is their bytes, TLAST ends it (PG021)."""

    kind: ClassVar[str] = "tcp_dma"
    dock: ClassVar[str] = "dma"
    copies: ClassVar[bool] = True
    whole_frames: ClassVar[bool] = True
    rate_field: ClassVar[str] = "ethernet"
    peer: ClassVar[str] = "the DMA"
    about: ClassVar[str] = (
        "between two boards, or a board and its host: AXI DMA to DDR, TCP between the Arm cores"
    )
    needs: ClassVar[str] = "a Zynq processing system with Ethernet on both boards; an AXI DMA for each stream"
    fault: ClassVar[str] = (
        "a packet was not as long as S2MM was armed for (longer: DMAIntErr), "
        "a beat was changed or taken back before TREADY came, or its TLAST was unknown (X)"
    )
    parameters: ClassVar[Mapping[str, int]] = {"latency": 16, "rearm": 12}
    pauses: ClassVar[Mapping[str, int]] = {"latency": 1, "rearm": 1}
    directed_test: ClassVar[tuple[str, ...]] = ("tcp_directed.py", "tcp_fault.py")
    test_inputs: ClassVar[Mapping[str, int]] = {
        "wrong": 1,
        "wrong_at": 16,
        "wrong_kind": 3,
        "wrong_beat": 16,
        "wrong_allowed": 16,
    }

    def shape(self, dock: Dock, word_bits: int, frame_bits: int) -> Shape:
        """Take the smallest power of two that holds a word, within what the DMA takes.

        AXI DMA streams are 8 to 1024 bits wide, a power of two, and no wider than the memory side (PG021).
        """
        bits = min(dock.bits, max(DMA_MIN_BITS, 1 << (word_bits - 1).bit_length()))
        return Shape.of(bits, frame_bits)

    def attach(self, site: Site) -> tuple[Attachment, ...]:
        """Give each end a pin of its own: a DMA serves one stream in each direction."""
        ends = tuple(end.model_copy(update={"counted": _pin_name(end)}) for end in site.ends)
        pins = tuple(
            Pin(
                name=_pin_name(end),
                role="mm2s" if end.direction == "in" else "s2mm",
                direction=end.direction,
                tdata_bits=end.link_bits,
                stream=end.stream,
            )
            for end in ends
        )
        return (Attachment(name=self.kind, link=self.kind, dock=self.dock, pins=pins, ends=ends),)

    def slots(self, boundary: Boundary) -> int:
        """Return a slot for the data, and one for the descriptors of a DMA that repeats its buffer."""
        return 2 if boundary.carries_weights else 1

    def most_frames(self, boundary: Boundary, dock: Dock) -> int:
        """Return how many frames fit into what the DMA's length register holds."""
        fit = MOST_FRAMES if dock.transfer_bytes is None else dock.transfer_bytes // boundary.frame_bytes
        return max(1, min(MOST_FRAMES, fit))

    def check(self, boundary: Boundary, docks: tuple[Dock, ...]) -> list[Problem]:
        """Check that one frame fits the length register of the DMAs at its ends."""
        most = min((dock.transfer_bytes for dock in docks if dock.transfer_bytes is not None), default=None)
        if most is None or boundary.frame_bytes <= most:
            return []
        return [
            Problem(
                f"stream {boundary.name}: frame",
                f"one frame is {boundary.frame_bytes} bytes; the DMA length register holds {most}",
                "Cut the network where less crosses, or use dense packing",
            )
        ]

    def facts(self, plan: Plan) -> JsonObject:
        """Return the receivers of data, for wrong transfers."""
        index = {boundary.name: number for number, boundary in enumerate(plan.boundaries)}
        return {
            "receivers": [
                {
                    "boundary": index[end.boundary],
                    "node": node.name,
                    "stream": end.stream,
                    "bits": end.link_bits,
                    "most": end.most_frames,
                }
                for node in plan.nodes
                for attachment in node.attachments
                if attachment.link == self.kind
                for end in attachment.ends
                if end.direction == "in" and not end.carries_weights
            ]
        }

    def media(self, at: Place, figures: Figures) -> tuple[Medium, ...]:
        """Return the shares of the node's Ethernet, memory and memory port; weights come from its memory.

        All DMAs of a board are behind one memory port, with a channel for each direction. A frame for several
        consumers passes it once.
        """
        end, node = at.end, at.node.name
        way, channel = ("into", "mm2s") if end.direction == "in" else ("out of", "s2mm")
        used = figures[f"{channel}_percent"] / 100
        port = end.frame_bytes * 8 / (at.dock.bits * at.node.clock_hz * used)
        passes = 1 if end.carries_weights else figures["ddr_passes"] - at.copy
        memory = end.frame_bytes * passes / figures["ddr_bytes_per_s"]
        source = f"{at.dock.bits} bits at {at.node.clock_hz / 1e6:g} MHz, {used * 100:g} % of it (PG021)"
        read = Medium(f"memory port {way} the core of {node}", port, source)
        source = f"{figures['ddr_bytes_per_s'] / 1e9:g} GB/s, {passes:g} passes"
        found = (*(() if at.copy else (read,)), Medium(f"memory of {node}", memory, source))
        if at.dock.line_bps is None or end.carries_weights:
            return found
        seconds = end.frame_bytes * 8 * WIRE_BYTES / (SEGMENT_BYTES * at.dock.line_bps)
        source = f"{at.dock.line_bps / 1e9:g} Gb/s of the board, full TCP segments"
        return (*found, Medium(f"Ethernet {way} {node}", seconds, source, network=True))

    def travel(self, at: Place, figures: Figures, bench: Mapping[str, int] | None) -> Travel:
        """Return the latency of the DMAs: a frame is in memory before it goes on."""
        if bench is not None:  # sim/tcp_link.sv; the bench's host is a DMA without a memory
            cycles = 0 if at.host else BENCH_CYCLES + bench.get("tcp_dma.latency", 0)
            rest = 0 if at.host else BENCH_REARM + bench.get("tcp_dma.rearm", 0)
            return Travel(at.end.frame_bytes, cycles / at.node.clock_hz, rest=rest / at.node.clock_hz)
        names = ["mm2s_cycles"] if at.end.direction == "in" else ["s2mm_cycles"]
        names += [] if at.host else ["mm2s_cycles"]
        late = sum(figures[name] for name in names)
        return Travel(at.end.frame_bytes, late / at.node.clock_hz, "PG021, Performance")

    def usage(self, attachment: Attachment) -> Usage:
        """Return the cost of the framers."""
        total = Usage()
        for end in attachment.ends:
            if end.direction == "in":
                total += costs.frame_rx(end.link_bits, end.last_bytes, many=end.most_frames > 1)
            else:
                total += costs.frame_tx(end.link_bits, end.last_bytes, many=end.most_frames > 1)
        return total


def _pin_name(end: End) -> str:
    return f"{'s' if end.direction == 'in' else 'm'}_axis_{end.index}"
