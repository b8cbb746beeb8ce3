# SPDX-License-Identifier: BSD-3-Clause
"""Far end of a sender: state of its session, replies, and rules for the packets that arrive (docs/vnx.md)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Any

from vnx_end import End, Script, Seen, Total, expect
from vnx_packets import (
    BEAT,
    DATA,
    FIELDS,
    HEADER_BYTES,
    HELLO,
    PROBE,
    REFUSALS,
    REFUSE,
    alike,
    littered,
    packet,
)
from vnx_script import Said


class FarEnd:
    """Session and packets of a receiver beyond the wire; subclasses play the rounds."""

    def __init__(self, end: End, frames: int, random: Any, *, full: bool) -> None:
        """Look at a sender whose partition may make so many frames; at all, or at what is done soon."""
        self.end = end
        self._full = full
        self._enough = min(end.slots, frames * end.pieces)
        self.frames: dict[int, bytes] = {}  # whole ones, by number
        self._random = random
        self._tx, self._rx = 0, int(random.integers(1, 1 << 16))
        self._base, self._top, self._first = 0, 0, 0  # packets; the first frame of the session
        self._turn = 0  # of the last transmission
        self._newest = 0  # of the last one that is known of, the PROBEs behind it included
        self._waits: set[int] = set()  # what the time to the next PROBE may be, in cycles
        self._parts: dict[int, bytes] = {}
        self._numbers: dict[int, int] = {}  # of the frames of the session, if they bring their own
        self._least = 0  # number that the next new frame can have
        self._hellos = Total(end, "hellos", HELLO)
        self._probes = Total(end, "probes", PROBE)
        self._stale = self._bad = 0
        self._phase = 0
        self._still = True  # the partition has made all its frames

    @property
    def _beats(self) -> int:
        """Beats of a packet."""
        return -(-(HEADER_BYTES + min(self.end.full_bytes, self.end.terms["frame_bytes"])) // BEAT)

    def _script(self, *, control: int | None = None, frozen: bool = False) -> Script:
        return Script(self.end, control=control, frozen=frozen, phase=self._phase)

    # ---- replies
    def _reply(self, kind: int, **values: int) -> bytes:
        told = {"link": self.end.terms["link"], "tx_epoch": self._tx, "rx_epoch": self._rx} | values
        return littered(packet(kind, **told), self._random)

    def _refusal(self, **values: int) -> bytes:
        draw = {name: int(self._random.integers(0, 1 << 63)) for name in REFUSALS if name != "version"}
        theirs = {name: value % (1 << FIELDS[name][1]) for name, value in draw.items()}
        differs = {"seq": int(self._random.integers(1, 1 << len(REFUSALS)))}
        return self._reply(REFUSE, **(theirs | differs | {"rx_epoch": 0} | values))

    # ---- what it may say
    def _look(self, seen: Seen, *, opened: bool, cleared: bool = False, steady: bool = False) -> None:
        """Judge all packets but DATA, and the counters of those; ``steady`` if nothing changes meanwhile."""
        top = self._top
        kind, period = (PROBE, self.end.idle_cycles) if opened else (HELLO, self.end.hello_cycles)
        since = 0  # what a PROBE reported that none had before
        for said in seen.packets:
            if said.wrong:
                raise self.end.wrong(f"a packet of kind {said.fields['kind']}: {said.wrong}")
            found = said.fields["kind"]
            if found == HELLO:
                self._greets(said)
            elif found == PROBE:
                before = self._least
                told = self._marked(said)
                if self._least != before:
                    since, self._waits = said.at, set()
                session = {"tx_epoch": self._tx, "rx_epoch": self._rx}
                expect(self.end, said, kind=PROBE, seq=top, turn=self._follows(said), **session, **told)
            elif found == DATA:
                self._follows(said)
                if said.fields["seq"] >= top:
                    top = said.fields["seq"] + 1
                    self._grows(said)
            if found not in (HELLO, PROBE, DATA) or (found == DATA and not opened):
                raise self.end.wrong(f"a packet of kind {found} that was not to be sent")
        times = [said.at for said in seen.of(kind)]
        if steady:
            self._backs_off([at for at in times if at >= since], seen.registers["slots"] % 512 > 0)
        elif not opened:
            off = off_period(times, period, self.end.rows, self.end.late)
            if off:
                text = f"packets of kind {kind} come after {off[0]} cycles, and not after {period}"
                raise self.end.wrong(text)
        if len(times) < seen.cycles // (period + self.end.late * self.end.rows) and not seen.of(DATA):
            raise self.end.wrong(f"{len(times)} packets of kind {kind} in {seen.cycles} cycles of silence")
        self._hellos.look(seen, cleared=cleared)
        self._probes.look(seen, cleared=cleared)
        self._newest = self._turn + (1 + self.end.reorder) * probes_first(seen.later)

    def _greets(self, said: Said) -> None:
        """Judge a HELLO: as long as a full packet, all its beats alike."""
        beats = self.end.terms["packet_beats"]
        told = {"tx_epoch": self._tx, "bytes": self.end.full_bytes}
        expect(self.end, said, kind=HELLO, **told, **self.end.terms)
        if said.datagram != alike(said.datagram, beats):
            raise self.end.wrong(f"a HELLO of {said.beats} beats; it has {beats}, all like the first")

    def _follows(self, said: Said) -> int:
        """Return the number that a transmission must have; a PROBE has that of some more packets."""
        self._turn += 1 + self.end.reorder * (said.fields["kind"] == PROBE)
        if said.fields["turn"] != self._turn:
            raise self.end.wrong(f"a packet has turn {said.fields['turn']}, and {self._turn} is the next one")
        return self._turn

    def _backs_off(self, times: Sequence[int], waiting: bool) -> None:
        """Judge PROBEs while nothing happens: each comes after twice the time, up to the longest.

        Where streams share a port, the timer may start before the time is doubled or behind that. While
        packets are ``waiting`` for leave it is not doubled.
        """
        for cycles in (later - one for one, later in pairwise(times)):
            waits = self._waits or {cycles // 2, cycles}
            doubled = {wait: min(2 * wait, self.end.idle_cycles) for wait in waits}
            left = {more for wait, more in doubled.items() if self._near(cycles, wait, more)}
            left |= {wait for wait in waits if waiting and self._near(cycles, wait)}
            if not left or cycles < self.end.timeout_cycles - self.end.late:
                due = " or ".join(map(str, sorted({*waits, *doubled.values()})))
                raise self.end.wrong(f"a PROBE comes {cycles} cycles after the one before; {due} were due")
            self._waits = left

    def _near(self, cycles: int, *wanted: int) -> bool:
        return any(abs(cycles - want) <= 2 * self.end.late * self.end.rows for want in wanted)

    def _marked(self, said: Said) -> dict[str, int]:
        """Return what a PROBE may say of the next frame, if frames bring their numbers."""
        if not self.end.numbered or not said.fields["sof"]:
            return {}
        self._least = max(self._least, said.fields["frame"])
        return {"sof": 1, "frame": said.fields["frame"]}

    def _grows(self, said: Said) -> None:
        """Judge the number of a new packet: frames that have ended and PROBEs rule lower ones out."""
        found = said.fields["frame"]
        if self.end.numbered and found < self._least:
            raise self.end.wrong(f"number {found:#x} comes, and {self._least:#x} is the least that may come")
        self._least = found + said.fields["eof"]

    def _data(self, seen: Seen) -> list[int]:
        """Judge DATA and keep what it brings; return the numbers in their order."""
        numbers = []
        for said in seen.of(DATA):
            number = said.fields["seq"]
            if not self._base <= number < self._base + self.end.slots:
                raise self.end.wrong(f"packet {number} is sent, and {self._base} is not acknowledged")
            at, piece = divmod(number, self.end.pieces)
            last = piece == self.end.pieces - 1
            left = self.end.terms["frame_bytes"] - piece * self.end.full_bytes
            told = {"sof": int(piece == 0), "eof": int(last), "bytes": min(left, self.end.full_bytes)}
            told["turn"] = said.fields["turn"]
            session = {"tx_epoch": self._tx, "rx_epoch": self._rx}
            frame = (self._first + at) % (1 << 32)
            if self.end.numbered:
                frame = self._numbers.setdefault(at, said.fields["frame"])
                told["taint"] = said.fields["taint"] & last
            expect(self.end, said, kind=DATA, seq=number, frame=frame, **told, **session)
            data = said.datagram[HEADER_BYTES:]
            if self._parts.setdefault(number, data) != data:
                raise self.end.wrong(f"packet {number} is another one when it is sent again")
            numbers.append(number)
            parts = [self._parts.get(at * self.end.pieces + k) for k in range(self.end.pieces)]
            if all(part is not None for part in parts):
                self.frames[frame] = b"".join(part or b"" for part in parts)
        return numbers


def probes_first(packets: Sequence[Said]) -> int:
    """Return how many PROBEs come before any DATA.

    An ACK that leaves them out leaves them under way, and with FLIGHT turns under way no DATA is sent; where
    PROBEs come often, those that come while registers are read are so many.
    """
    return sum(1 for _ in takewhile(lambda said: said.fields["kind"] == PROBE, packets))


def off_period(times: Sequence[int], period: int, rows: int, late: int) -> list[int]:
    """Return the cycles between packets that do not come with their period.

    Each may wait ``late`` cycles for each of the rows, so the one before may have been late and this one not.
    """
    apart = [later - one for one, later in pairwise(times)]
    return [cycles for cycles in apart if not -late * (rows - 1) <= cycles - period <= late * rows]
