# SPDX-License-Identifier: BSD-3-Clause
"""Alveo to Alveo: packets over AMD's 100G UDP stack, numbered, acknowledged and sent again (docs/vnx.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from shellgen.counted import counted
from shellgen.errors import PlanError, Problem
from shellgen.links.base import Link, Medium, Place, Reach, Shape, Site, Travel
from shellgen.links.figures import Figures
from shellgen.links.vnx_udp.bring_up import bring_up, units
from shellgen.links.vnx_udp.cost import vnx_usage
from shellgen.links.vnx_udp.facts import built, ends_of
from shellgen.links.vnx_udp.options import (
    BEAT_BYTES,
    HOST_OPTIONS,
    NODE_OPTIONS,
    STAND_INS,
    ProgramOptions,
    VnxOptions,
)
from shellgen.links.vnx_udp.parameters import parameters
from shellgen.links.vnx_udp.program import (
    is_program,
    over_program,
    program_media,
    told_to_programs,
    with_programs,
    wrong_for_program,
)
from shellgen.links.vnx_udp.window import (
    HELLO_CYCLES,
    MOST_SLOTS,
    STORES,
    WIRE_BYTES,
    buffers,
    longest_way,
    memory_of,
    under_way,
)
from shellgen.model import Attachment, Boundary, Claim, Dock, End, NodePlan, Pin, Plan, Step, Usage
from shellgen.model.attachment import Direction
from shellgen.model.base import Frozen
from shellgen.model.plain import JsonObject

ROWS = 16  # of one cage: outputs of ip/axis_arbiter
DEST_BITS = 16  # of the stack's TDEST
MOST_FRAME_BYTES = 1 << 30  # the blocks compute with it in Verilog's int, which has a sign
HEADER_BYTES = 32  # of a packet (docs/vnx.md)
UDP_BYTES = 42  # of Ethernet, IP and UDP, in the beats of the stack
ROUND_TRIP_NS = 1.5  # of each cycle of a sender's TIMEOUT_CYCLES
# Cycles of vnx_sender, axis_arbiter and vnx_seal, of vnx_check and vnx_receiver, as their sources say.
SENT, RECEIVED = 13, 9
# Of the model: 80 cycles of its switch, and the registers of stack and MAC (sim/links/vnx_udp).
BENCH_WIRE_NS, BENCH_CYCLES = 80 * 5.12, 8
ADDRESS_BITS = 7  # of the registers of ip/links/vnx_udp/vnx_sender and vnx_receiver


class VnxUdp(Link):
    """A row of the stack's socket table for each end; all rows of a cage share one pin each way."""

    kind: ClassVar[str] = "vnx_udp"
    dock: ClassVar[str] = "udp"
    Options: ClassVar[type[Frozen]] = VnxOptions
    reach: ClassVar[frozenset[Reach]] = frozenset({"nodes", "host"})
    numbers: ClassVar[bool] = True
    peer: ClassVar[str] = "VNx"
    program_files: ClassVar[tuple[str, ...]] = (
        "shellgen_packet.py",
        "shellgen_session.py",
        "shellgen_udp.py",
        "shellgen_vnx.py",
    )
    host_options: ClassVar[frozenset[str]] = HOST_OPTIONS
    stand_ins: ClassVar[Mapping[str, tuple[str, ...]]] = {"ip": STAND_INS}
    about: ClassVar[str] = (
        "between two cards, or a card and a program of a board or of the host: UDP through VNx, lossless by "
        "numbers and credits"
    )
    needs: ClassVar[str] = (
        "cards with a QSFP cage each, and VNx built for them; or one, and a board with Ethernet"
    )
    fault: ClassVar[str] = (
        "a core gave the stack what it cannot send: no row, over 256 beats, TLAST or TKEEP wrong"
    )
    silence: ClassVar[int] = 4 * HELLO_CYCLES
    parameters: ClassVar[Mapping[str, int]] = {
        "latency": 16,
        "toward": 32,
        "arp": 1,
        "loss": 16,
        "burst": 16,
        "burst_length": 8,
        "duplicate": 16,
        "reorder": 16,
        "truncate": 16,
        "corrupt": 16,
        "beat": 16,
        "mtu": 16,
    }
    pauses: ClassVar[Mapping[str, int]] = {"latency": 2}  # ns, which are fewer cycles, there and back
    directed_test: ClassVar[tuple[str, ...]] = (
        "vnx_directed.py",
        "vnx_cage.py",
        "vnx_end.py",
        "vnx_far_end.py",
        "vnx_far_receiver.py",
        "vnx_far_frames.py",
        "vnx_far_sender.py",
        "vnx_fresh.py",
        "vnx_packets.py",
        "vnx_script.py",
    )
    test_inputs: ClassVar[Mapping[str, int]] = {"alone": 1, "play": 1}
    counters: ClassVar[Mapping[str, tuple[str, str]]] = {
        "data sent": ("vnx_sender", "PACKETS"),
        "sent again": ("vnx_sender", "RESENT"),
        "data taken": ("vnx_receiver", "PACKETS"),
    }

    def shape(self, dock: Dock, word_bits: int, frame_bits: int) -> Shape:  # noqa: ARG002 - words do not matter
        """Fill beats as wide as the stack's."""
        return Shape.of(dock.bits, frame_bits)

    def check(self, boundary: Boundary, docks: tuple[Dock, ...]) -> list[Problem]:
        """Check that a frame can be numbered, and that its table has the options of such a stream only."""
        where, problems = f"stream {boundary.name}", []
        if boundary.frame_bytes > MOST_FRAME_BYTES:
            found = f"one frame is {boundary.frame_bytes} bytes; the link takes at most {MOST_FRAME_BYTES}"
            problems.append(Problem(where, found, "Cut the network where less crosses"))
        if boundary.packing == "dense" and boundary.frame_bits % boundary.elements_per_frame:
            found = f"a frame of {boundary.frame_bits} bits is no whole number of its "
            found += f"{boundary.elements_per_frame} elements"
            problems.append(Problem(where, found, "Correct the shape of the stream"))
        wrong = sorted(NODE_OPTIONS & boundary.options.keys())
        if wrong:
            verb = f"{'is an option' if len(wrong) == 1 else 'are options'} of a card, not of a stream"
            remedy = f"Move to [links.{self.kind}] or [node.options.{self.kind}]"
            problems.append(Problem(f"{where}: options", f"{', '.join(wrong)} {verb}", remedy))
        if boundary.carries_weights and len(docks) == 1:
            found = (
                f"{boundary.consumer} takes weights from memory again and again, and the program sends once"
            )
            remedy = "Remove kind: memory beside the board has them"
            problems.append(Problem(where, found, remedy))
        if "window" in boundary.options and len(docks) > 1 and not any(dock.software for dock in docks):
            found = "it limits a program, and both ends of the stream are in hardware"
            problems.append(Problem(f"{where}: options.window", found, "Remove it; see round_trip_ns"))
        return problems

    def attach(self, site: Site) -> tuple[Attachment, ...]:
        """Put all ends of a cage on one pin in each direction, each on a row of its own."""
        asked = tuple(one for one in site.options if isinstance(one, VnxOptions))
        problems = list(_site_problems(site, asked))
        if problems:
            raise PlanError(*problems)
        cages = [options.cage(end.direction) for end, options in zip(site.ends, asked, strict=True)]
        return tuple(_attachment(self, site, asked, cages, cage) for cage in sorted(set(cages)))

    def over_program(self, options: Frozen) -> Frozen:
        """Bound the packets under way: a card sends faster than the program's port takes them."""
        assert isinstance(options, VnxOptions)
        return ProgramOptions.of(options)

    def program_problems(self, site: Site) -> list[Problem]:
        """Check the address of a program and the packets that its port takes."""
        return list(wrong_for_program(self.kind, site))

    def silent_cycles(self, plan: Plan) -> int:
        """Add the time after which a card asks a program whether anything was lost."""
        found = (
            built(attachment, end).get("timeout_cycles", 0)
            for _, attachment, end in with_programs(plan, self.kind)
        )
        return self.silence + max(found, default=0)

    def sessions(self, plan: Plan) -> tuple[tuple[str, str, str], ...]:
        """Return the state of each end at a card whose other end is a program."""
        fields = {"in": "SESSION", "out": "OPEN"}
        return tuple(
            (node.name, f"{attachment.name}_{end.net}_state", fields[end.direction])
            for node, attachment, end in with_programs(plan, self.kind)
        )

    def programs(self, plan: Plan, node: NodePlan | None) -> Mapping[str, JsonObject]:
        """Return addresses and terms of the streams that end at a node's program, or at the host's."""
        found = ((one, attachment) for one in plan.nodes for attachment in one.attachments)
        parameters = {
            (one.name, end.boundary): built(attachment, end)
            for one, attachment in found
            if attachment.link == self.kind
            for end in attachment.ends
        }
        return told_to_programs(plan, node, self.kind, parameters)

    def packet_bytes(self, attachment: Attachment) -> int | None:
        """Return the payload of a full packet."""
        beats = attachment.detail["packet_beats"]
        return beats * BEAT_BYTES if isinstance(beats, int) else None

    def hands_on(self, boundary: Boundary, options: Frozen) -> int:
        """Return the bytes of a frame in a full packet."""
        assert isinstance(options, VnxOptions)
        whole = isinstance(options, ProgramOptions)  # a DMA moves whole frames to and from the program
        return boundary.frame_bytes if whole else min(boundary.frame_bytes, _payload(options))

    def holds(self, boundary: Boundary, options: Frozen) -> int:
        """Return what the receiver's slots hold."""
        assert isinstance(options, VnxOptions)
        return buffers(options) * min(boundary.frame_bytes, _payload(options))

    def media(self, at: Place, figures: Figures) -> tuple[Medium, ...]:
        """Return the share of cage and stack, and the time of credits; full packets, nothing sent again.

        A program at the other end is counted here, too: its board knows a link to its host only.
        """
        end, attachment, node = at.end, at.attachment, at.node
        if at.dock.line_bps is None:
            return ()
        payload = packet_payload(attachment)
        packets = -(-end.frame_bytes // payload)
        wire = end.frame_bytes + packets * (HEADER_BYTES + WIRE_BYTES)
        way = "into" if end.direction == "in" else "out of"
        source = f"{at.dock.line_bps / 1e9:g} Gb/s of the cage, no packet lost"
        seconds = wire * 8 / at.dock.line_bps
        cage = Medium(f"cage {attachment.slot} {way} {node.name}", seconds, source, network=True)
        whole, rest = divmod(end.frame_bytes, payload)
        cycles = whole * _stack_cycles(payload) + (_stack_cycles(rest) if rest else 0)
        source = f"1 + ceil((42 + P) / 64) cycles for a packet of P bytes at {node.clock_hz / 1e6:g} MHz"
        stack = Medium(f"stack of cage {attachment.slot} {way} {node.name}", cycles / node.clock_hz, source)
        program = program_media(attachment, end, packets, figures)
        return (cage, stack, *_credits(attachment, end, packets), *program)

    def latency(self, attachment: Attachment, end: End) -> int:
        """Return the cycles of the blocks behind a packet that has come; those for its beats are a way."""
        return RECEIVED if end.direction == "in" else SENT + (len(attachment.ends) > 1)

    def gathered(self, attachment: Attachment, end: End) -> int:
        """Return the bytes of a packet, which a sender keeps until it is whole."""
        return min(end.frame_bytes, packet_payload(attachment)) if end.direction == "out" else 0

    def travel(self, at: Place, figures: Figures, bench: Mapping[str, int] | None) -> Travel:
        """Return the way of a packet, which four more blocks and kernels store before they hand it on."""
        payload = min(at.end.frame_bytes, packet_payload(at.attachment))
        beats = -(-(HEADER_BYTES + payload) // BEAT_BYTES)
        near = far = at.node.clock_hz
        # The DMA of a board hands a frame to its program, or takes it, when it is whole.
        whole = at.end.frame_bytes if is_program(at.attachment, at.end) else 0
        own = 0  # of a program in the bench: blocks like those of a card, at the clock of its board
        if whole and bench is not None and at.far:
            far = at.far.clock_hz
            own = SENT + beats - 1 if at.end.direction == "in" else RECEIVED
        cycles = (STORES - 1) * (beats - 1) + (BENCH_CYCLES if bench is not None else 0)
        stored = cycles / 2 / near + (cycles / 2 + own) / far
        if bench is not None:
            wire = (BENCH_WIRE_NS + bench.get("vnx_udp.latency", 0)) * 1e-9
            return Travel(whole, stored + wire)
        name = "program_round_trip_ns" if whole else "round_trip_ns"
        return Travel(whole, stored + figures[name] * 0.5e-9, f"half of {name}")

    def usage(self, attachment: Attachment) -> Usage:
        """Return the cost of the blocks of a cage, buffers included."""
        return vnx_usage(attachment)

    def facts(self, plan: Plan) -> JsonObject:
        """Return all ends with what their blocks were built for."""
        return {"ends": [end for node in plan.nodes for end in ends_of(plan, node, self.kind)]}

    def bring_up(self, plan: Plan) -> tuple[Step, ...]:
        """Set up the stack of every cage, and see that all streams have found their receivers."""
        return bring_up(plan, self.kind)


def _payload(options: VnxOptions) -> int:
    """Return the bytes of a frame in a full packet."""
    return options.packet_beats * BEAT_BYTES - HEADER_BYTES


def _stack_cycles(payload: int) -> int:
    """Return the clocks of VNx's kernels for a packet that carries these bytes of a frame (docs/vitis.md)."""
    return 1 + -(-(UDP_BYTES + HEADER_BYTES + payload) // BEAT_BYTES)


def _credits(attachment: Attachment, end: End, packets: int) -> tuple[Medium, ...]:
    """Return the time of a sender that has sent all its packets and waits for their acknowledgement."""
    if end.direction == "in":
        return ()
    found = attachment.detail["ends"]
    assert isinstance(found, dict)
    parameters = found[str(end.stream)]["parameters"]
    slots, timeout = int(parameters["FLIGHT"]), int(parameters["TIMEOUT_CYCLES"])
    round_trip = timeout * ROUND_TRIP_NS / 1e9
    source = f"{counted(slots, 'packet')} under way for a round trip of at most "
    source += f"{round_trip * 1e9:,.0f} ns (round_trip_ns)"
    return (Medium(f"credits of {end.boundary}", packets / slots * round_trip, source, ring=True),)


def packet_payload(attachment: Attachment) -> int:
    """Return the bytes of a frame in a full packet."""
    beats = attachment.detail["packet_beats"]
    assert isinstance(beats, int)
    return beats * BEAT_BYTES - HEADER_BYTES


def _site_problems(site: Site, asked: tuple[VnxOptions, ...]) -> Iterator[Problem]:
    where = f"node {site.node}: options.{VnxUdp.kind}"
    cages = [options.cage(end.direction) for end, options in zip(site.ends, asked, strict=True)]
    for end, cage in zip(site.ends, cages, strict=True):
        if cage >= site.dock.ports:
            have = "one QSFP cage" if site.dock.ports == 1 else f"{site.dock.ports} QSFP cages"
            found = f"stream {end.boundary} asks for cage {cage}, and the card has {have}, from 0"
            yield Problem(f"{where}.qsfp", found, "Take another cage, or another card")
    for cage in sorted(set(cages)):
        rows, most = cages.count(cage), min(ROWS, *(options.sockets for options in asked))
        if rows > most:
            found = f"{rows} streams need a row each at cage {cage}, and the most is {most}"
            remedy = "Use the other cage for some, or put neighbouring partitions on one card"
            if most < min(rows, ROWS):
                remedy = f"Say sockets = {rows} if VNx is built so, or use the other cage for some"
            elif len({one.places for one in site.boundaries}) > 1:
                remedy = "Choose fewer replicas, or use the other cage for some"
            yield Problem(f"{where}.sockets", found, remedy)
    for options in dict.fromkeys(asked):
        if under_way(options) > MOST_SLOTS and not isinstance(options, ProgramOptions):
            found = f"{options.round_trip_ns} ns hold more than {MOST_SLOTS} packets of mtu {options.mtu}"
            remedy = (
                f"At this mtu {longest_way(options, MOST_SLOTS):,} ns are the most; a larger one allows more"
            )
            yield Problem(f"{where}.round_trip_ns", found, remedy)


def _attachment(
    link: VnxUdp, site: Site, asked: tuple[VnxOptions, ...], cages: list[int], cage: int
) -> Attachment:
    name = f"vnx{cage}"
    own = [
        row
        for row, one in zip(
            zip(site.ends, site.boundaries, site.peers, asked, strict=True), cages, strict=True
        )
        if one == cage
    ]
    ends = tuple(row[0] for row in own)
    claims = (
        Claim(name=name, addr_bits=6, block="vnx_port"),
        *(
            Claim(name=f"{name}_{end.net}", addr_bits=ADDRESS_BITS, block=_block(end.direction))
            for end in ends
        ),
    )
    id_bits = max(1, (len(ends) - 1).bit_length())  # of what ip/axis_arbiter calls m_axis_tid
    detail: JsonObject = {
        "cage": cage,
        "rows": len(ends),
        "id_bits": id_bits,
        "spare_bits": DEST_BITS - id_bits,
        "packet_beats": max(row[3].packet_beats for row in own),
        "ends": {
            str(end.stream): {
                "row": row,
                "parameters": parameters(end, boundary, options) | memory_of(site, options),
                **over_program(options, peer),
            }
            for row, (end, boundary, peer, options) in enumerate(own)
        },
    }
    return Attachment(
        name=name,
        link=link.kind,
        dock=link.dock,
        slot=cage,
        pins=(_pin(f"s_{name}", "nl2sk", site.dock), _pin(f"m_{name}", "sk2nl", site.dock)),
        ends=ends,
        claims=claims,
        units=units(cage, own[0][3].sockets),
        detail=detail,
    )


def _block(direction: str) -> str:
    return "vnx_receiver" if direction == "in" else "vnx_sender"


def _pin(name: str, role: str, dock: Dock) -> Pin:
    direction: Direction = "in" if role == "nl2sk" else "out"
    return Pin(name=name, role=role, direction=direction, tdata_bits=dock.bits, tdest_bits=DEST_BITS)
