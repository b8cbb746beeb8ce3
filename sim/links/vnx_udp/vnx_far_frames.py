# SPDX-License-Identifier: BSD-3-Clause
"""A peer that sends frames in a session, and the disturbances of these (docs/vnx.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from itertools import pairwise

from vnx_end import LEAST_LOOK, LOOKS, Part, Rounds, Script, Seen, registers
from vnx_far_sender import MOST_BEATS, FarSender
from vnx_packets import ACK, BEAT, HELLO, PROBE, WELCOME, fields
from vnx_script import Said

FIRST, FLOODED, CUT, RESUMED = 7, 100, 777, 800  # numbers of frames, which grow where they bring their own
SOON = 64  # cycles until an ACK that does not wait for more, for each row
AGAIN = 16  # cycles from an ACK to one that says the same, for each row
PROBES = 6  # behind packets that wait for the partition
MOST = 64  # packets of frames that are sent one by one


class FrameSender(FarSender):
    """The rounds for one receiver."""

    _stuck = False  # packets wait for one that has found no slot
    _flood_counts: dict[str, int] | None = None

    def rounds(self) -> Rounds:
        """Play all; what it returns is what the report shows."""
        yield from self._silent()
        yield from self._refused()
        yield from self._damaged()
        yield from self._welcomed()
        yield from self._sent()
        yield from self._flooded()
        yield from self._cut()
        yield from self._cleared()
        return {"packets": self._taken, "frames": len(self.handed), "cut_frames": self._cuts}

    def _sent(self) -> Part:
        """Frames, with packets missing, repeated or from another session between them."""
        most = min(self.end.slots, max(self.end.ack_every + 4, min(MOST, MOST_BEATS // self._beats)))
        frames = [self._frame() for _ in range(-(-most // self.end.pieces))]
        pieces = [(n, at) for n in range(len(frames)) for at in range(self.end.pieces)][:most]
        lead = min(self.end.ack_every, self.end.pieces)
        script = Script(self.end)
        for seq, (n, at) in enumerate(pieces[:lead]):
            script.give(self._piece(FIRST + n, frames[n], at, seq))
        script.rest(SOON * self.end.rows)
        seen = yield script
        if self._acked(seen, lead, 0)[0] != lead:
            raise self.end.wrong(f"it does not say soon that it has taken {lead} packets")
        self._counts["packets"] += lead
        self._look(seen)
        packets = seen.packets
        seen = yield self._mixed(frames, pieces, lead)
        packets += seen.packets
        self._unhurried(seen)
        self._look(seen)
        seen, more = yield from self._emptied(seen)
        packets += more
        taken, freed = self._acked(Seen(packets, 0, {}, ()), len(pieces), 0)
        empty = self._empty = not seen.registers["state"] >> 16
        if taken != len(pieces) or (empty and freed != taken):
            text = f"the last ACK says {taken} packets, {freed} slots; {len(pieces)} were to be taken"
            raise self.end.wrong(text)
        naks = [said.fields for said in packets if said.fields["kind"] == ACK and said.fields["nak"]]
        if len(naks) != bool(self._ahead):
            raise self.end.wrong("it has not asked once for what was missing")
        if any(not got["have"] for got in naks):
            raise self.end.wrong("it does not say which packets it has behind the one that is missing")
        self._ahead.clear()
        full = len(pieces) // self.end.pieces
        self.handed += frames[:full]
        if over := len(pieces) % self.end.pieces:
            self._begun = FIRST + full, frames[full][: over * self.end.full_bytes]
        if empty and full:
            told = {"first_frame": FIRST, "last_frame": FIRST + full - 1}
            registers(self.end, seen, "after frames", sessions=1, **told)
            self._frames(seen, full)
        self._taken = len(pieces)

    def _emptied(self, seen: Seen) -> Generator[Script, Seen, tuple[Seen, tuple[Said, ...]]]:
        """Wait until the partition has taken what is in the buffer, or longer than that takes by the plan.

        Returns:
            What was seen at last, and all packets that came meanwhile.
        """
        packets: tuple[Said, ...] = ()
        for _ in range(LOOKS):
            if not seen.registers["state"] >> 16:
                break
            script = Script(self.end)
            script.rest(self.end.look)
            seen = yield script
            packets += seen.packets
            self._look(seen)
            self._unhurried(seen)  # times count from the begin of a round
        return seen, packets

    def _mixed(self, frames: Sequence[bytes], pieces: Sequence[tuple[int, int]], lead: int) -> Script:
        """Return the packets from ``lead`` on, and between them some that are not to be taken."""
        script = Script(self.end)
        for seq, (n, at) in list(enumerate(pieces))[lead:]:
            whole = (FIRST + n, frames[n], at)
            right = self._piece(*whole, seq)
            if seq == lead:
                for mark in ("sof", "eof"):
                    script.give(self._piece(*whole, seq, **{mark: 1 - fields(right)[mark]}))
                    self._counts["bad_length"] += 1
            if seq == lead + 1:
                ahead = [other for other in (seq + 2, seq + 1) if other < len(pieces)]
                for other in ahead:  # kept, and acknowledged by slot
                    m, place = pieces[other]
                    script.give(self._piece(FIRST + m, frames[m], place, other))
                self._ahead.update(ahead)
                self._counts["gaps"] += bool(ahead)
                script.give(self._piece(*whole, seq + (1 << 30)))
                self._counts["no_slot"] += 1
            script.give(right)
            self._counts["packets" if seq not in self._ahead else "duplicates"] += 1
            if seq in (lead, lead + 2):
                for back in (seq, seq - (1 << 30)):
                    script.give(self._piece(*whole, back % (1 << 32)))
                    self._counts["duplicates"] += 1
        self._counts["packets"] += len(self._ahead)
        script.rest(self.end.answered)
        return script

    def _frames(self, seen: Seen, count: int) -> None:
        """Compare FRAMES; the last two beats may still wait for the partition, behind the buffer."""
        found, waits = seen.registers["frames"], 2 if self.end.terms["frame_bytes"] <= BEAT else 1
        if not count - waits <= found <= count:
            raise self.end.wrong(f"FRAMES is {found:#x}, and {count} frames were sent")

    def _flooded(self) -> Part:
        """More packets than slots, at once: those without a place are not taken, and all others are."""
        if self._begun or not self._empty:
            return
        pieces, count = self.end.pieces, self.end.slots + 8
        frames = [self._frame() for _ in range(-(-count // pieces))]
        script = Script(self.end)
        for n in range(count):
            at, piece = divmod(n, pieces)
            script.give(self._piece(FLOODED + at, frames[at], piece, self._taken + n), gap=1)
        for _ in range(PROBES):  # an ACK that is asked for is not one of those that wait for slots
            script.at += int(self._random.integers(AGAIN, SOON)) * self.end.rows
            script.give(self._packet(PROBE, seq=(self._taken + count) % (1 << 32)))
        script.rest(self.end.answered + LEAST_LOOK)
        seen = yield script
        given, before = count, self._counts["packets"]
        self._ahead = {*range(self._taken, self._taken + count)}
        last, _ = self._acked(seen, self._taken + count, self._taken)
        self._unhurried(seen, PROBES)
        most = seen.registers["most_slots"]
        if last - self._taken < self.end.slots or not 1 <= most <= self.end.slots:
            raise self.end.wrong(
                f"{last - self._taken} of {count} packets are taken, with {self.end.slots} slots;"
                f" MOST_SLOTS is {most}"
            )
        for look in range(LOOKS + 1):  # what had no slot comes again, and what had one, too
            taken = seen.registers["packets"] - before
            self._counted(seen, before, given)
            if taken == count or look == LOOKS:  # all of it is counted, though a partition may stall
                break
            script = Script(self.end)
            for n in range(taken, count):
                at, piece = divmod(n, pieces)
                script.give(self._piece(FLOODED + at, frames[at], piece, self._taken + n), gap=1)
            given += count - taken
            script.rest(self.end.look)
            seen = yield script
            self._acked(seen, self._taken + count, self._taken)
        self._ahead.clear()
        self._stuck = taken < count
        full = taken // pieces
        self.handed += frames[:full]
        if over := taken % pieces:
            self._begun = FLOODED + full, frames[full][: over * self.end.full_bytes]
        self._taken += taken

    def _counted(self, seen: Seen, before: int, given: int) -> None:
        """Judge counters of packets that had a slot or none: each is in one of them, or kept out of order."""
        names = ("packets", "no_slot", "duplicates", "gaps")
        got = {name: seen.registers[name] for name in names}
        old = self._flood_counts = self._flood_counts or {name: self._counts[name] for name in names}
        new = {name: got[name] - old[name] for name in names}
        lost = given - new["packets"] - new["no_slot"] - new["duplicates"]
        if not 0 <= lost < self.end.slots or min(new.values()) < 0 or got["packets"] < before:
            raise self.end.wrong(f"of {given} packets it has counted {new}")
        self._counts = Counter({**self._counts, **got})
        self._look(seen)

    def _unhurried(self, seen: Seen, asked: int = 0) -> None:
        """Look for ACKs that tell of fewer slots than they must wait for, but those that were asked for."""
        acks, fresh = seen.of(ACK), True
        for before, said in pairwise(acks):
            same = before.fields["seq"] == said.fields["seq"]
            freed, apart = said.fields["frame"] - before.fields["frame"], said.at - before.at
            # Right behind the ACK of a packet, another one may say the same.
            twice = fresh and apart < AGAIN * self.end.rows
            waits = freed < self.end.ack_every and apart < self.end.ack_cycles - SOON * self.end.rows
            hurried = same and waits and not (twice or said.fields["nak"])
            asked -= hurried
            if asked < 0:
                raise self.end.wrong(
                    f"an ACK tells of {freed} slots after {apart} cycles; it is to wait for"
                    f" {self.end.ack_every} slots or {self.end.ack_cycles} cycles"
                )
            fresh = not same

    def _cut(self) -> Part:
        """A session that ends in mid-frame: the rest of the frame is zeros, and a flag is set.

        Another session is welcome when the buffer is empty. A partition that is slower than the plan knows
        may never come to that here; then the report says that no frame was cut.
        """
        if self.end.pieces == 1 or self._stuck:
            return
        script = Script(self.end)
        script.rest(self.end.answered)
        seen = yield script
        self._look(seen)
        seen, _ = yield from self._emptied(seen)
        if not (self._begun or seen.registers["state"] >> 16):
            frame = self._frame()
            script = Script(self.end)
            script.give(self._piece(CUT, frame, 0, self._taken))
            self._counts["packets"] += 1
            self._begun = CUT, frame[: self.end.full_bytes]
            script.rest(self.end.answered)
            seen = yield script
            self._look(seen)
            seen, _ = yield from self._emptied(seen)
        if not self._begun or seen.registers["state"] >> 16:
            return
        number, data = self._begun
        self._tx = (self._tx + 1) % (1 << 16)
        self._rx = (self._rx + 1) % (1 << 16)
        script = Script(self.end)
        script.give(self._packet(HELLO))
        script.give(self._packet(PROBE))
        script.rest(LEAST_LOOK)
        seen = yield script
        if not seen.of(WELCOME):
            raise self.end.wrong("its buffer is empty, and it does not welcome another session")
        self._cuts += 1
        self._counts["hellos"] += 1
        self._counts["sessions"] += 1
        self._look(seen)
        told = {"cut_frames": 1, "last_cut": number, "short": 1}
        registers(self.end, seen, "after a session that was cut", **told)
        self._frames(seen, len(self.handed) + 1)
        self.handed.append(data.ljust(self.end.terms["frame_bytes"], b"\0"))
        yield from self._resumed()

    def _resumed(self) -> Part:
        """The session behind one that was cut: ACKs still wait for enough packets, or the end of a frame."""
        pieces, every = self.end.pieces, self.end.ack_every
        count = min(2 * pieces, self.end.slots)
        frames = [self._frame(), self._frame()]
        script = Script(self.end)
        for seq in range(count):
            at, piece = divmod(seq, pieces)
            script.give(self._piece(RESUMED + at, frames[at], piece, seq))
        script.rest(self.end.answered)
        seen = yield script
        self._counts["packets"] += count
        self._look(seen)
        if self._acked(seen, count, 0)[0] != count:
            raise self.end.wrong(f"it does not take all {count} packets behind a session that was cut")
        self.handed += frames[: count // pieces]
        told, freed, at = 0, self.end.slots, 0
        for said in seen.of(ACK):
            seq, frame = said.fields["seq"], said.fields["frame"]
            few = 0 < seq - told < every and frame - freed < every
            if seq % pieces and few and said.at - at < self.end.ack_cycles - SOON * self.end.rows:
                raise self.end.wrong(f"an ACK acknowledges packet {seq}, and the last one {told}")
            told, freed, at = seq, frame, said.at

    def _cleared(self) -> Part:
        script = Script(self.end, control=0xFFFF_FFFE)
        script.rest(self.end.answered)
        seen = yield script
        self._look(seen)
        script = Script(self.end, control=1)
        script.rest(self.end.answered)
        self._counts.clear()
        seen = yield script
        self._look(seen, cleared=True)
        registers(self.end, seen, "after CLEAR", refused=0, cut_frames=0)
