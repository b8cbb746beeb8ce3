# SPDX-License-Identifier: BSD-3-Clause
"""Script that vnx_directed.py plays to one end of a boundary, round by round, and the packets seen."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field

from bench_report import Failed
from vnx_packets import ACK, HEAD, HEADER_BYTES, TERMS
from vnx_script import Entry, Said, beats

GAP = 8  # cycles between packets to one row, times the rows of its cage: an answer of each finds its turn
LATE = 64  # cycles by which a packet of a beat may wait for its turn, for each row
TURN = 64  # cycles until an answer has found its turn for certain, for each row
SLACK = 80  # cycles that answers and counters take anyway
# Polls until a partition has forwarded the contents of a buffer, and least cycles of each; all polls together
# take twice the planned time.
LOOKS, LEAST_LOOK, TWICE = 8, 2000, 2


@dataclass(frozen=True)
class End:
    """One end of a boundary in a core, as ``vnx_udp.json`` has it.

    Attributes:
        node: Of the core.
        attachment: Its cage.
        rows: Of the cage.
        row: Its own.
        block: Its registers in the memory map.
        stream: Number of its stream in the core.
        boundary: Which, by its index.
        slots: Packets in its buffer.
        hello_cycles: Of a sender, from one HELLO to the next; 0 of a receiver.
        timeout_cycles: Of a sender, until a PROBE.
        idle_cycles: Of a sender, until one when many were not followed by anything.
        reorder: Of a sender, packets that may come before one that was sent earlier.
        ack_every: Of a receiver, packets for an ACK; 0 of a sender.
        ack_cycles: Of a receiver, until an ACK that tells of fewer; 0 of a sender.
        frame_cycles: Planned cycles between two frames of the node's partitions.
        first_cycles: Planned cycles of a frame that finds the node's partitions empty, at most.
        numbered: Its frames keep the numbers that they come with; they are not counted from reset on.
        terms: What both ends must agree in, ``link`` too.
    """

    node: str
    attachment: str
    rows: int
    row: int
    block: str
    stream: int
    boundary: int
    slots: int
    hello_cycles: int
    timeout_cycles: int
    idle_cycles: int
    reorder: int
    ack_every: int
    ack_cycles: int
    frame_cycles: int
    first_cycles: int
    numbered: bool
    terms: Mapping[str, int]

    @property
    def full_bytes(self) -> int:
        """Bytes of a frame in a full packet."""
        return 64 * self.terms["packet_beats"] - HEADER_BYTES

    @property
    def pieces(self) -> int:
        """Packets of a frame."""
        return -(-self.terms["frame_bytes"] // self.full_bytes)

    @property
    def late(self) -> int:
        """Cycles by which a HELLO or PROBE may wait for its turn, for each row: full packets go before it."""
        return LATE + 2 * self.terms["packet_beats"]

    @property
    def answered(self) -> int:
        """Cycles until all that was said to it is answered, by ACKs that wait for more, too."""
        return self.ack_cycles + TURN * self.rows + SLACK

    @property
    def settled(self) -> int:
        """Cycles until it sends and counts nothing more while its partition is stalled."""
        return self.answered + 4 * self.rows * self.terms["packet_beats"]

    @property
    def look(self) -> int:
        """Cycles of a look at what a partition does: a few of them fill or empty a buffer."""
        packets = min(self.slots, self.pieces) + self.slots
        cycles = self.first_cycles + TWICE * packets * self.frame_cycles // self.pieces
        return max(LEAST_LOOK, cycles // LOOKS)

    def wrong(self, text: str) -> Failed:
        """Return what is wrong as an exception."""
        return Failed(f"{self.node}, {self.block}: {text}")


@dataclass
class Script:
    """Packets played to an end in one round.

    Attributes:
        end: Which.
        at: Cycle of the next packet.
        entries: So far.
        bad: Packets that vnx_check must find wrong.
        good: Packets that it must find right.
        astray: Packets to no row.
        longest: Beats of the longest.
        cycles: Until the round is over.
        control: What is written to the end's CONTROL before; None for nothing.
        frozen: The partition is stalled in this round: it neither sends nor accepts.
        phase: It is played when no end has a lower one any more. Ends of a cage share its pins, so what holds
            them up, or fills them, is not to meet what is judged by its time.
    """

    end: End
    at: int = 0
    entries: list[Entry] = field(default_factory=list)
    bad: int = 0
    good: int = 0
    astray: int = 0
    longest: int = 0
    cycles: int = 0
    control: int | None = None
    frozen: bool = False
    phase: int = 0

    def give(
        self,
        datagram: bytes,
        *,
        bad: bool = False,
        keep: int | None = None,
        dest: int | None = None,
        gap: int | None = None,
    ) -> None:
        """Add a packet.

        Args:
            datagram: The packet.
            bad: Its checksum, magic, version or TKEEP is wrong.
            keep: TKEEP of its last beat, if that is not what its length says.
            dest: TDEST, if not the end's row.
            gap: Cycles until the next packet; by default, until it has been answered.
        """
        row = self.end.row if dest is None else dest
        added = beats(self.at, row, datagram, keep)
        self.entries += added
        self.bad += bad
        self.good += not bad
        self.astray += not 0 <= row < self.end.rows
        self.longest = max(self.longest, len(added))
        self.at += len(added) + (GAP * self.end.rows if gap is None else gap - 1)

    def hold(self, cycles: int) -> None:
        """Delay the beats of the core by ``cycles`` from now on."""
        self.entries.append(Entry(self.at, hold=cycles))

    def block(self, cycles: int) -> None:
        """Delay the beats of the core by ``cycles`` from the start of the round."""
        self.entries.insert(0, Entry(0, hold=cycles))

    def rest(self, cycles: int) -> None:
        """Extend the round to ``cycles`` beyond its packets."""
        self.cycles = self.at + cycles


@dataclass(frozen=True)
class Seen:
    """Result of a round.

    Attributes:
        packets: What the end has sent since the registers of the round before were read; times count from the
            begin of this round, and are negative before.
        cycles: Of the round.
        registers: The end's when it was over.
        later: Packets that it has sent while they were read; they come again in the next round.
    """

    packets: tuple[Said, ...]
    cycles: int
    registers: Mapping[str, int]
    later: tuple[Said, ...]

    def of(self, kind: int) -> list[Said]:
        """Return the packets of a kind."""
        return [one for one in self.packets if one.fields["kind"] == kind]


Rounds = Generator[Script, Seen, dict[str, int]]
Part = Generator[Script, Seen, None]


def expect(end: End, said: Said, **wanted: int) -> None:
    """Compare all fields of a packet, those that are left out with 0; terms where they are given.

    Raises:
        Failed: A field has another value.
    """
    got = said.fields
    always = {"magic": got["magic"], "version": got["version"], "crc": got["crc"], "link": end.terms["link"]}
    names = (*HEAD, *(TERMS if "contract" in wanted else ()), *(("have",) if got["kind"] == ACK else ()))
    for name in names:
        value = wanted.get(name, always.get(name, 32 if name == "bytes" else 0))
        if got[name] != value:
            kind = f"a packet of kind {got['kind']}"
            raise end.wrong(f"{kind} has {got[name]:#x} for {name}, and {value:#x} would be right")


def registers(end: End, seen: Seen, why: str, **wanted: int) -> None:
    """Compare registers of an end with what they must be.

    Raises:
        Failed: One has another value.
    """
    for name, value in wanted.items():
        found = seen.registers[name]
        if found != value:
            raise end.wrong(f"{name.upper()} is {found:#x} {why}, and {value:#x} would be right")


@dataclass
class Total:
    """Packets of one kind since their counter was cleared.

    Attributes:
        end: Which sends them.
        name: Of the counter.
        kind: Of the packets.
        nak: Only those with this mark.
        sent: Certainly since then.
        unsure: In the moment in which it was cleared.
    """

    end: End
    name: str
    kind: int
    nak: bool = False
    sent: int = 0
    unsure: int = 0

    def look(self, seen: Seen, *, cleared: bool = False) -> None:
        """Add the packets of a round, in whose begin it was perhaps cleared, and compare.

        Raises:
            Failed: The register has counted others.
        """
        found = self._counted(seen.packets)
        if cleared:
            self.unsure = sum(one.at < 0 for one in found)
            self.sent = -self.unsure
        self.sent += len(found)
        late = len(self._counted(seen.later))
        got = seen.registers[self.name]
        if not self.sent <= got <= self.sent + self.unsure + late:
            raise self.end.wrong(f"{self.name.upper()} has counted {got}, and {self.sent} were sent")

    def _counted(self, packets: Sequence[Said]) -> list[Said]:
        of_kind = (said for said in packets if said.fields["kind"] == self.kind)
        return [said for said in of_kind if said.fields["nak"] or not self.nak]
