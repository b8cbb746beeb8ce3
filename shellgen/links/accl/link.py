# SPDX-License-Identifier: BSD-3-Clause
"""Between two Coyote shells: one-sided puts of ACCL's engine, a frame each, through its kernel streams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shellgen import latencies
from shellgen.counted import counted
from shellgen.errors import PlanError, Problem
from shellgen.links.accl.bring_up import accl_bring_up, accl_values, ranks
from shellgen.links.accl.cost import accl_usage
from shellgen.links.accl.options import HOST_OPTIONS, AcclOptions
from shellgen.links.base import Link, Medium, Place, Reach, Shape, Site, Travel
from shellgen.links.figures import Figures
from shellgen.model import Attachment, Boundary, Claim, Dock, End, Pin, Plan, Step, Usage
from shellgen.model.attachment import Direction
from shellgen.model.base import Frozen
from shellgen.model.plain import JsonObject
from shellgen.registers import block_registers

BITS, DEST_BITS, WORD_BITS = 512, 8, 32
RANK_BITS = 16  # of ip/links/accl/accl_command
BEAT_BYTES = BITS // 8
# The engine's data mover counts with 23 bits and takes whole beats (dma_mover, cclo).
MOST_FRAME_BYTES = ((1 << 23) - 1) // BEAT_BYTES * BEAT_BYTES
# A mebibyte, 32 UltraRAMs; a frame above is sent as it comes, or not at all.
MOST_BUFFERED_BEATS = 1 << 14
LEAST_DEPTH = 4  # of ip/axis_frame_fifo
URAM_DEPTH = 4096  # beats, from which a buffer fills UltraRAM
AUTO, URAM = 0, 4  # STORE of ip/axis_frame_fifo
ENGINE, PORT = "cclo", "accl_port"  # whose registers they are
WORDS = 15  # of a command
COMMAND, RECEIVED = 18, 2  # cycles of ip/links/accl/accl_command, and of accl_demux and accl_frames
BENCH_WIRE_NS, BENCH_CYCLES = 80 * 5.12, 16  # of the model: its network, and engine (sim/links/accl)
MARKS = 2  # beats of a put beside its frame, with its number, of ip/links/accl/accl_number
NUMBERED, TOLD = 2, 2  # cycles of ip/links/accl/accl_number and of ip/links/accl/accl_told
MOST_SENT, MOST_RECEIVED = 16, 32  # of ip/links/accl/accl_command and ip/links/accl/accl_demux


class Accl(Link):
    """A put is a frame; the receiver counts beats, since TLAST ends what the network has made of it."""

    kind: ClassVar[str] = "accl"
    dock: ClassVar[str] = "cclo"
    Options: ClassVar[type[Frozen]] = AcclOptions
    host_options: ClassVar[frozenset[str]] = HOST_OPTIONS
    reach: ClassVar[frozenset[Reach]] = frozenset({"nodes"})
    isolates: ClassVar[bool] = False
    whole_frames: ClassVar[bool] = True
    together: ClassVar[bool] = True
    numbers: ClassVar[bool] = True
    peer: ClassVar[str] = "ACCL's engine"
    about: ClassVar[str] = "between Coyote shells: one-sided puts of ACCL's engine, over RDMA or TCP"
    needs: ClassVar[str] = "Coyote v1 with ACCL on both cards"
    lingers: ClassVar[bool] = True
    fault: ClassVar[str] = (
        "the engine got a command that it does not support, beats without a command, or a frame whose last "
        "beat is not padded with zeros"
    )
    parameters: ClassVar[Mapping[str, int]] = {
        "latency": 16,
        "buffer": 16,
        "segment": 16,
        "packet": 16,
        "slow": 8,
        "think": 16,
        "status": 16,
        "withhold": 16,
        "refuse": 16,
        "reject": 16,
        "host": 16,
    }
    # ns are fewer cycles; `slow` is the chance in 1/256 that one of 15 words waits another cycle.
    pauses: ClassVar[Mapping[str, int]] = {"latency": 1, "think": 1, "status": 1, "slow": 15}
    counters: ClassVar[Mapping[str, tuple[str, str]]] = {"of them refused": (PORT, "REFUSED_PUTS")}
    directed_test: ClassVar[tuple[str, ...]] = ("accl_directed.py", "accl_ports.py", "accl_session.py")
    test_inputs: ClassVar[Mapping[str, int]] = {"code": 16, "stray": 1, "torn": 1, "halt": 3}
    metered: ClassVar[Mapping[str, tuple[str, ...]]] = {
        PORT: (
            "PUTS",
            "REFUSED_PUTS",
            "COMMAND_WAITS",
            "STATUS_WAITS",
            "SENT_BEATS",
            "SENT_WAITS",
            "RECEIVED_BEATS",
            "RECEIVED_WAITS",
        )
    }

    def shape(self, dock: Dock, word_bits: int, frame_bits: int) -> Shape:  # noqa: ARG002 - words do not matter
        """Fill beats as wide as the engine's."""
        return Shape.of(BITS, frame_bits)

    def check(self, boundary: Boundary, docks: tuple[Dock, ...]) -> list[Problem]:
        """Check that one put carries a frame, and that a frame that is buffered has a memory."""
        where, problems = f"stream {boundary.name}", []
        for dock in docks:
            if dock.bits < BITS:
                found = f"the platform's engine has streams of {dock.bits} bits, and ACCL's has {BITS}"
                problems.append(Problem(where, found, "Correct the platform's dock"))
        if boundary.frame_bytes > MOST_FRAME_BYTES:
            found = f"one frame is {boundary.frame_bytes} bytes, and ACCL moves {MOST_FRAME_BYTES} at most"
            problems.append(Problem(where, found, "Cut the network where less crosses, or use dense packing"))
        return problems

    def attach(self, site: Site) -> tuple[Attachment, ...]:
        """Put all ends of a node on the one engine that it has."""
        asked = tuple(one for one in site.options if isinstance(one, AcclOptions))
        problems = _problems(site, asked)
        if problems:
            raise PlanError(*problems)
        sending = [end for end in site.ends if end.direction == "out"]
        receiving = [end for end in site.ends if end.direction == "in"]
        counts = (("N_OUT", len(sending)), ("N_IN", len(receiving)))
        return (
            Attachment(
                name=self.kind,
                link=self.kind,
                dock=self.dock,
                pins=_pins(bool(sending), bool(receiving)),
                ends=site.ends,
                claims=(
                    Claim(name=ENGINE, addr_bits=_addr_bits(ENGINE), block=ENGINE, offset=0, leaves=True),
                    Claim(name=self.kind, addr_bits=_addr_bits(PORT), block=PORT, counts=counts),
                ),
                detail=_detail(site, asked),
            ),
        )

    def media(self, at: Place, figures: Figures) -> tuple[Medium, ...]:
        """Return the share of the engine, which does one put after the other, and of the cage."""
        end, node = at.end, at.node
        beats = _put_beats(at.attachment, end)
        sent = beats * BEAT_BYTES
        pieces = -(-sent // int(figures["segment_bytes"]))
        found: tuple[Medium, ...] = ()
        if end.direction == "out":
            cycles = COMMAND + beats + pieces
            source = f"{counted(cycles, 'cycle')} and put_us for a put, one after the other"
            seconds = cycles / node.clock_hz + figures["put_us"] * 1e-6
            found = (Medium(f"engine of {node.name}", seconds, source),)
        if at.dock.line_bps is None:
            return found
        way = "into" if end.direction == "in" else "out of"
        wire = sent + pieces * (BEAT_BYTES + figures["packet_overhead"])
        source = f"{at.dock.line_bps / 1e9:g} Gb/s of the cage, with headers"
        seconds = wire * 8 / at.dock.line_bps
        return (*found, Medium(f"cage {way} {node.name}", seconds, source, network=True))

    def latency(self, attachment: Attachment, end: End) -> int:
        """Return the cycles of buffer, command and gate, or of what sorts the beats at the receiver."""
        told = _put_beats(attachment, end) > end.beats_per_frame
        if end.direction == "in":
            return RECEIVED + TOLD * told
        depth = _buffer(attachment, end)
        return COMMAND + latencies.REGISTER + NUMBERED * told + (latencies.frame_fifo(depth) if depth else 0)

    def gathered(self, attachment: Attachment, end: End) -> int:
        """Return the bytes of a frame that is buffered before its command; others come as they do."""
        return end.frame_bytes if _buffer(attachment, end) else 0

    def travel(self, at: Place, figures: Figures, bench: Mapping[str, int] | None) -> Travel:
        """Return the way through engine and network, which store a message."""
        most = int(figures["segment_bytes"])
        more = (_put_beats(at.attachment, at.end) - at.end.beats_per_frame) * BEAT_BYTES
        stored = -(-min(at.end.frame_bytes + more, most) // BEAT_BYTES) / at.node.clock_hz
        if bench is not None:
            wire = (BENCH_WIRE_NS + bench.get("accl.latency", 0)) * 1e-9
            cycles = BENCH_CYCLES + bench.get("accl.think", 0) + WORDS * bench.get("accl.slow", 0) / 256
            return Travel(0, stored + wire + cycles / at.node.clock_hz)
        seconds = stored + (figures["put_us"] + figures["network_us"]) * 1e-6
        together = 0 if self.gathered(at.attachment, at.end) else min(at.end.frame_bytes, most)
        return Travel(together, seconds, "put_us and network_us")

    def usage(self, attachment: Attachment) -> Usage:
        """Return the cost of the blocks of an engine, buffers included."""
        return accl_usage(attachment)

    def bring_up(self, plan: Plan) -> tuple[Step, ...]:
        """Tell every node whom it sends to, let all receive, and only then let them send."""
        return accl_bring_up(plan, self.kind)

    def values(self, plan: Plan) -> Mapping[str, int]:
        """Return where ACCL's driver puts what commands refer to, with its defaults."""
        return accl_values(plan, self.kind)

    def facts(self, plan: Plan) -> JsonObject:
        """Return by node its block in the map, the streams that leave and come, and whether one is direct."""
        nodes: JsonObject = {}
        for name, rank in ranks(plan, self.kind).items():
            ends = rank.attachment.ends
            beats = {end.boundary: _put_beats(rank.attachment, end) for end in ends}
            nodes[name] = {
                "block": self.kind,
                "out": [end.boundary for end in ends if end.direction == "out"],
                "in": [end.boundary for end in ends if end.direction == "in"],
                "direct": bool(rank.attachment.detail["counts"]) and not rank.attachment.detail["depths"],
                "beats": dict(beats),
                "numbered": [end.boundary for end in ends if beats[end.boundary] > end.beats_per_frame],
            }
        return {"nodes": nodes}


def _addr_bits(block: str) -> int:
    bits = block_registers(block).address_bits
    assert bits is not None
    return bits


def _problems(site: Site, asked: tuple[AcclOptions, ...]) -> list[Problem]:
    sending = sum(end.direction == "out" for end in site.ends)
    problems = [
        Problem(
            f"node {site.node}", f"{counted(count, 'stream')} {verb} over ACCL; {most} can", "Use more nodes"
        )
        for verb, count, most in (
            ("leave", sending, MOST_SENT),
            ("arrive", len(site.ends) - sending, MOST_RECEIVED),
        )
        if count > most
    ]
    for end, boundary, options in zip(site.ends, site.boundaries, asked, strict=True):
        if end.direction == "in":
            continue
        beats = end.beats_per_frame + MARKS * boundary.numbered
        where = f"stream {end.boundary}: options.mode"
        if options.mode == "direct" and sending > 1:
            found = f"direct, and node {site.node} sends {sending} streams over one engine"
            remedy = "Choose buffered: a put that waits for its frame would hold up the others"
            problems.append(Problem(where, found, remedy))
        told = " with its number" if boundary.numbered else ""
        if beats * BEAT_BYTES > MOST_FRAME_BYTES:
            found = f"one put is {beats * BEAT_BYTES} bytes{told}, and ACCL moves {MOST_FRAME_BYTES} at most"
            remedy = "Cut the network where less crosses, or use dense packing"
            problems.append(Problem(f"stream {end.boundary}", found, remedy))
        elif options.mode == "buffered" and beats > MOST_BUFFERED_BEATS:
            size = beats * BEAT_BYTES
            found = f"buffered, and a frame of {size} bytes{told} is above {MOST_BUFFERED_BEATS * BEAT_BYTES}"
            remedy = 'Choose mode = "direct" where the node sends one stream, or cut where less crosses'
            problems.append(Problem(where, found, remedy))
    return problems


def _pins(sends: bool, receives: bool) -> tuple[Pin, ...]:
    found = [_data("m_accl_data", "to_cclo", "out")] if sends else []
    if receives:
        found.append(_data("s_accl_data", "from_cclo", "in"))
    if sends:  # behind the data: the first pin of a direction is that of the ends
        found.append(Pin(name="m_accl_command", role="command", direction="out", tdata_bits=WORD_BITS))
        found.append(Pin(name="s_accl_status", role="status", direction="in", tdata_bits=WORD_BITS))
    return tuple(found)


def _data(name: str, role: str, direction: Direction) -> Pin:
    return Pin(name=name, role=role, direction=direction, tdata_bits=BITS, tdest_bits=DEST_BITS)


def _detail(site: Site, asked: tuple[AcclOptions, ...]) -> JsonObject:
    sending = [end for end in site.ends if end.direction == "out"]
    ways = len(sending)
    told = {
        str(end.stream): end.beats_per_frame + MARKS
        for end, boundary in zip(site.ends, site.boundaries, strict=True)
        if boundary.numbered
    }
    puts = {str(end.stream): end.beats_per_frame for end in site.ends} | told
    depths = {
        str(end.stream): _depth(puts[str(end.stream)])
        for end, options in zip(site.ends, asked, strict=True)
        if end.direction == "out" and options.mode == "buffered"
    }
    receiving = len(site.ends) - ways
    return {
        "rank_bits": RANK_BITS * max(ways, 1),
        "stream_bits": DEST_BITS * max(ways, 1),
        "ids_bits": DEST_BITS * max(receiving, 1),
        "counts": {str(end.stream): BITS // WORD_BITS * puts[str(end.stream)] for end in sending},
        "lows": {str(end.stream): DEST_BITS * way for way, end in enumerate(sending)},
        "id_bits": max(1, (ways - 1).bit_length()),
        "depths": dict(depths),
        "stores": {stream: URAM if depth >= URAM_DEPTH else AUTO for stream, depth in depths.items()},
        "level_bits": {stream: (depth + 2).bit_length() for stream, depth in depths.items()},
        # No core without numbers changes by this.
        **({"numbered": dict(told)} if told else {}),
    }


def _put_beats(attachment: Attachment, end: End) -> int:
    """Return the beats of a put: a frame, and what tells its number."""
    told = attachment.detail.get("numbered", {})
    assert isinstance(told, dict)
    beats = told.get(str(end.stream), end.beats_per_frame)
    assert isinstance(beats, int)
    return beats


def _buffer(attachment: Attachment, end: End) -> int:
    """Return the beats of the buffer of an end; 0 of one that has none."""
    depths = attachment.detail["depths"]
    assert isinstance(depths, dict)
    depth = depths.get(str(end.stream), 0)
    assert isinstance(depth, int)
    return depth


def _depth(beats: int) -> int:
    """Return the beats of a buffer: a put, up to a power of two."""
    return max(LEAST_DEPTH, 1 << (beats - 1).bit_length())
