# SPDX-License-Identifier: BSD-3-Clause
"""A receiver beyond the wire, for a sender in a core: it answers, rightly or not (docs/vnx.md)."""

from __future__ import annotations

from collections.abc import Sequence

from vnx_end import LOOKS, Part, Rounds, Script, Seen, registers
from vnx_far_end import FarEnd
from vnx_packets import ACK, BEAT, HELLO, PROBE, REFUSE, RESTART, WELCOME, fields, flipped, sealed

REPLIES = (WELCOME, ACK, REFUSE, RESTART)
OPEN, REFUSED, WAITS_LIMIT, WAITS_ROOM = 1, 2, 8, 16  # of STATE
STRAYS = 16  # PROBEs in a row that are answered with ACKs of another session
CYCLES = 3000  # in which a packet waits for leave
HOLDS, FLOWS, RESTS = 1, 2, 3  # phases: VNx takes nothing, DATA flow, and none flow any more
GRANTED = 2  # packets that may be sent at first
REFUSALS = 4  # that are for it, apart from those that come too soon


class FarReceiver(FarEnd):
    """The rounds for one sender."""

    _resent = _naks = _refusals = 0

    def rounds(self) -> Rounds:
        """Play all; what it returns is what the report shows."""
        yield from self._greeted()
        yield from self._refused()
        yield from self._welcomed()
        self._phase = HOLDS
        yield from self._granted()
        sent = self._top
        self._phase = FLOWS
        yield from self._lost()
        yield from self._acknowledged()
        self._phase = RESTS
        if self._full and self._still:  # no PROBE is sent while DATA is
            yield from self._strayed()
        yield from self._cleared()
        return {"packets": sent + self._top, "frames": len(self.frames)}

    # ---- rounds
    def _greeted(self) -> Part:
        """It says HELLO, and nothing else."""
        script = Script(self.end)
        script.rest(self.end.hello_cycles + self.end.late * self.end.rows)
        seen = yield script
        if not seen.of(HELLO):
            raise self.end.wrong("it says no HELLO after a reset")
        self._tx = seen.of(HELLO)[0].fields["tx_epoch"]
        self._look(seen, opened=False)
        zeros = ("state", "refused", "slots", "frame", "lost_frames", "frames", "packets", "resent", "naks")
        more = ("probes", "sessions", "restarts", "refusals", "stale_replies", "bad_replies", "limit_cycles")
        named = {*zeros, *more} - ({"frame"} if self.end.numbered else set())
        registers(self.end, seen, "after a reset", epochs=self._tx, **dict.fromkeys(sorted(named), 0))

    def _refused(self) -> Part:
        """Refusals count, and the last one stays; what is not for it or is damaged changes nothing."""
        script = Script(self.end)
        script.give(self._refusal())
        right = self._reply(WELCOME)
        for bit in (*range(16), *range(16, 24), *(8 * 40 + k for k in range(8)), *range(32, 64)):
            script.give(flipped(right, bit), bad=True)
            self._bad += 1
        for bit in range(24):  # magic and version, under a right checksum
            script.give(sealed(flipped(right, bit)), bad=True)
            self._bad += 1
        for kind in {*range(16)} - {*REPLIES}:
            script.give(self._reply(kind))
            self._bad += 1
        for bit in range(16):
            script.give(self._reply(WELCOME, link=self.end.terms["link"] ^ 1 << bit))
            self._bad += 1
        script.give(sealed(right + bytes(BEAT)))  # of two beats
        script.give(sealed(right[:-1] + b"\0")[:-1])  # short of a byte
        script.give(right, bad=True, keep=(1 << BEAT) - 1 ^ 1 << 9)
        script.give(right, bad=True, keep=0)
        self._bad += 4
        for bit in range(16):
            script.give(self._reply(WELCOME, tx_epoch=self._tx ^ 1 << bit))
            script.give(self._refusal(tx_epoch=self._tx ^ 1 << bit))
        script.give(self._reply(ACK, rx_epoch=0))
        script.give(self._reply(RESTART, rx_epoch=0))
        self._stale += 34
        script.give(self._refusal(), gap=1)
        script.give(
            self._refusal()
        )  # too soon after the other, unless a packet for another row comes between
        self._stale += 1
        script.give(self._refusal(), gap=4)
        last = self._refusal(link=int(self._random.integers(0, 1 << 16)))
        script.give(last)
        script.rest(self.end.late)
        seen = yield script
        self._look(seen, opened=False)
        told = fields(last)
        peer = {f"peer_{name}": told[name] for name in ("frame_bytes", "element", "shape")}
        peer |= {
            "peer_link": told["link"] | told["packet_beats"] << 16,
            "peer_contract_low": told["contract"] % (1 << 32),
            "peer_contract_high": told["contract"] >> 32,
            "peer_stream": told["packing"] | told["role"] << 8 | told["slots"] << 16,
        }
        apart = self.end.rows > 1 and seen.registers["refusals"] == REFUSALS + 1
        self._refusals, self._stale = REFUSALS + apart, self._stale - apart
        counts = {"refusals": self._refusals, "stale_replies": self._stale, "bad_replies": self._bad}
        counts["sessions"] = 0
        registers(self.end, seen, "after refusals", state=REFUSED, refused=told["seq"], **peer, **counts)

    def _welcomed(self) -> Part:
        """A session opens with a PROBE; without leave no packet is sent, however long."""
        script = Script(self.end, control=0xFFFF_FFFE)  # CLEAR is bit 0
        script.rest(self.end.late)
        seen = yield script
        self._look(seen, opened=False)
        registers(
            self.end, seen, "and nobody has cleared it", refusals=self._refusals, stale_replies=self._stale
        )
        script = Script(self.end, control=1)
        script.rest(self.end.late)
        seen = yield script
        self._look(seen, opened=False, cleared=True)
        zeros = dict.fromkeys(("refused", "refusals", "stale_replies", "bad_replies", "limit_cycles"), 0)
        registers(self.end, seen, "after CLEAR", state=REFUSED, **zeros)
        self._stale = self._bad = 0
        script = Script(self.end)
        self._turn = self._newest = 0
        script.give(self._reply(WELCOME, frame=0))
        script.give(self._reply(WELCOME, rx_epoch=self._rx ^ 0xFFFF, frame=9))
        self._stale += 1
        # The stale one may answer the second PROBE where the time between two is short.
        script.rest(self.end.late)
        seen = yield script
        self._look(seen, opened=True)
        script = Script(self.end)
        script.rest(4 * self.end.timeout_cycles)
        seen = yield script
        self._look(seen, opened=True, steady=True)
        opened = {"sessions": 1, "stale_replies": self._stale, "epochs": self._tx | self._rx << 16}
        registers(self.end, seen, "in a session", **opened)
        if not seen.registers["state"] & OPEN or self._data(seen):
            raise self.end.wrong("it has no session that waits for leave when it was welcomed")
        yield from self._without_leave(seen)

    def _without_leave(self, seen: Seen) -> Part:
        """Packets are made and none is sent: what the registers say of that."""
        for _ in range(LOOKS):
            if seen.registers["slots"] % 512 >= self._enough:
                break
            script = Script(self.end)
            script.rest(self.end.look)
            seen = yield script
            self._look(seen, opened=True, steady=True)
        script = Script(self.end, frozen=True)
        script.rest(CYCLES)
        before = seen.registers
        seen = yield script
        self._look(seen, opened=True, steady=True)
        waited = seen.registers["limit_cycles"] - before["limit_cycles"]
        used = before["slots"] % 512
        none = not seen.registers["slots"] % 512
        if self._data(seen) or (used and waited < CYCLES) or (none and seen.registers["limit_cycles"]):
            raise self.end.wrong(f"LIMIT_CYCLES has counted {waited} of {CYCLES}, with {used} packets")
        state = seen.registers["state"] & (OPEN | WAITS_LIMIT)
        if used and (state != OPEN | WAITS_LIMIT or seen.registers["slots"] >> 16 < used):
            raise self.end.wrong(f"STATE is {state:#x}, and {used} packets wait for leave")
        full = seen.registers["room_cycles"] - before["room_cycles"]
        stalled = (seen.registers["stalls"] - before["stalls"]) % (1 << 32)
        if used == self.end.slots and (0 < full < CYCLES or full < CYCLES <= stalled):
            raise self.end.wrong("ROOM_CYCLES does not count each cycle in which the buffer is full")

    def _granted(self) -> Part:
        """Leave for some packets; stale ACKs change nothing; what is lost is sent again, once."""
        for _ in range(2):  # more PROBEs may have come while other ends had the rounds before
            script = self._script(frozen=True)
            # The PROBEs so far have come: with as many under way as may be, no packet would be sent.
            script.give(self._reply(ACK, frame=GRANTED, turn=self._newest))
            script.rest(2 * self.end.timeout_cycles + self.end.late * self.end.rows + 4 * self._stored)
            seen = yield script
            self._look(seen, opened=True)
            self._top = len(self._data(seen))
            used = seen.registers["slots"] % 512
            if self._top or not used:
                break
        if self._data(seen) != [*range(self._top)] or self._top > GRANTED:
            raise self.end.wrong(f"{self._top} packets are sent, with leave for {GRANTED}")
        if used and not self._top:
            raise self.end.wrong(f"it sends none of {used} packets, with leave for {GRANTED}")
        if used < self._top:
            raise self.end.wrong(f"{used} packets are in the buffer, and {self._top} are not acknowledged")
        if self._top and not seen.of(PROBE):
            raise self.end.wrong("it does not ask for packets that nobody acknowledges")
        yield from self._stale_replies()
        if not self._top:
            return
        yield from self._again((), times=1)
        if self._top > 1:
            yield from self._again((1,), times=2)
        yield from self._held()

    @property
    def _stored(self) -> int:
        """Beats between a row and the pins: ip vnx_seal, and of each row a packet."""
        return (4 + self.end.rows) * self.end.terms["packet_beats"] + 32

    def _stale_replies(self) -> Part:
        """ACKs of another session or to what was not sent, and turns that were not: nothing is sent again."""
        script = self._script(frozen=True)
        newest = {"turn": self._turn + (1 << 20), "have": (1 << 256) - 1}
        stale = [self._reply(ACK, tx_epoch=self._tx ^ 1 << bit, frame=9, **newest) for bit in range(16)]
        stale += [self._reply(ACK, rx_epoch=self._rx ^ 1 << bit, frame=9, **newest) for bit in range(16)]
        stale += [self._reply(RESTART, rx_epoch=self._rx ^ 1 << bit) for bit in range(16)]
        stale += [self._reply(ACK, seq=1 << bit, frame=99, **newest) for bit in range(GRANTED, 32)]
        stale += [self._reply(ACK, seq=GRANTED + 1, frame=99), self._reply(ACK, seq=0xFFFF_FFFF, frame=99)]
        stale += [self._reply(WELCOME, frame=99), self._refusal(rx_epoch=self._rx)]
        for index, reply in enumerate(stale):
            if index % 4 == 0:  # STRAYS invalid replies in a row would restart the sender
                script.give(self._reply(ACK, frame=1))  # a limit never falls
            script.give(reply)
        script.give(self._reply(ACK, frame=GRANTED, turn=self._turn + (1 << 20)), gap=1)  # never sent
        script.give(self._reply(ACK, frame=99))
        self._stale += len(stale) + 1
        script.rest(self.end.late)
        seen = yield script
        self._look(seen, opened=True)
        if numbers := self._data(seen):
            raise self.end.wrong(f"packets {numbers} are sent, and nobody has asked for them")
        told = {"packets": self._top, "resent": 0, "naks": 0, "stale_replies": self._stale}
        frames = self._top // self.end.pieces
        registers(self.end, seen, "after ACKs and stale ones", frames=frames, sessions=1, **told)

    def _again(self, had: Sequence[int], times: int) -> Part:
        """A PROBE has arrived, and some of those before it: the others go again, then twice each."""
        script = self._script(frozen=True)
        have = sum(1 << number for number in had)
        told = {"frame": GRANTED, "turn": self._newest, "have": have}
        script.give(self._reply(ACK, **told, nak=1))
        script.give(self._reply(ACK, **told))
        script.rest(2 * self.end.timeout_cycles + self.end.late * self.end.rows + 4 * self._stored)
        seen = yield script
        self._look(seen, opened=True)
        numbers = self._data(seen)
        missing = [number for number in range(self._top) if number not in had]
        if sorted(numbers) != sorted(missing * times):
            raise self.end.wrong(f"packets {numbers} are sent again of {self._top}; {[*had]} have come")
        self._resent += len(numbers)
        self._naks += 1
        told = {"packets": self._top, "resent": self._resent, "naks": self._naks}
        registers(self.end, seen, "after losses", sessions=1, **told)

    def _held(self) -> Part:
        """Leave for all, while VNx takes nothing for long: each goes once, twice what is lost again."""
        end = self.end
        held = 4 * end.late * end.rows + 8 * self._stored
        self._base = 1
        script = self._script(frozen=True)
        frame = 1 + int(self._random.integers(1 << 20, 1 << 30))
        script.give(self._reply(ACK, seq=1, frame=frame, turn=self._newest))
        script.hold(held)
        script.rest(held + 4 * end.rows * end.slots * self._beats + end.late)
        seen = yield script
        self._look(seen, opened=True)
        numbers = self._data(seen)
        new = [number for number in numbers if number >= self._top]
        again = [number for number in numbers if number < self._top]
        top = max([self._top, *(number + 1 for number in new)])
        # What was sent before the PROBE that has arrived is lost; what is sent now is not.
        if (
            new != [*range(self._top, top)]
            or not set(again) <= {*range(1, self._top)}
            or len(again) > 2 * len({*again})
        ):
            raise end.wrong(f"packets {numbers} are sent, and {self._top} is the next one")
        self._top = top
        self._resent += len(again)
        told = {"naks": self._naks, "packets": self._top, "resent": self._resent}
        registers(end, seen, "after it was held up", **told)

    def _lost(self) -> Part:
        """The receiver forgets the session: what it may not have got is named, and another session begins."""
        script = self._script(frozen=True)
        script.give(self._reply(RESTART))
        before = self._tx
        self._tx = (self._tx + 1) % (1 << 16)
        script.rest(self.end.late * self.end.rows)
        seen = yield script
        lost = seen.registers["lost_frames"]
        first, last = seen.registers["lost_first"], seen.registers["lost_last"]
        registers(self.end, seen, "after RESTART", restarts=1, epochs=self._tx)
        ours = [said for said in seen.packets if said.fields["tx_epoch"] == self._tx]
        if not any(said.fields["kind"] == HELLO for said in ours):
            raise self.end.wrong("it says no HELLO after RESTART")
        self._hellos.look(seen)
        self._probes.look(seen)
        at = self._base // self.end.pieces
        kept = self._numbers.get(at, first) if self.end.numbered else self._first + at
        unknown = self._top > self._base
        if unknown and (first != kept or lost != last - first + 1 or lost < 1):
            raise self.end.wrong(f"frames {first} to {last} are lost, {lost}; the first was {kept}")
        for said in seen.packets:
            if said.fields["tx_epoch"] not in (before, self._tx):
                raise self.end.wrong(f"a packet of session {said.fields['tx_epoch']}")
        self._first = last + 1 if lost else seen.registers["frame"]
        self._least = last + 1 if lost else self._least
        self._base = self._top = 0
        self._parts, self._numbers = {}, {}

    def _acknowledged(self) -> Part:
        """Another session, in which all is acknowledged until nothing comes any more."""
        self._rx = (self._rx + 1) % (1 << 16) or 1
        self._turn = self._newest = 0
        script = self._script()
        script.give(self._reply(WELCOME, frame=self.end.slots))
        script.rest(self.end.look)
        seen = yield script
        for look in range(LOOKS):
            if not self._followed(seen) and look:
                break
            self._base = self._top
            script = self._script()
            script.give(self._reply(ACK, seq=self._top, frame=self._top + self.end.slots, turn=self._newest))
            script.rest(self.end.look)
            seen = yield script
        else:
            self._still = not self._followed(seen)
        told = {"sessions": 2, "restarts": 1, "resent": seen.registers["resent"]}
        registers(self.end, seen, "in the second session", epochs=self._tx | self._rx << 16, **told)

    def _followed(self, seen: Seen) -> bool:
        """Judge packets, each of which follows the one before; return whether there were any."""
        self._look(seen, opened=True)
        numbers = self._data(seen)
        top = max([self._top, *(number + 1 for number in numbers)])
        if numbers != [*range(self._top, top)]:
            raise self.end.wrong(f"packets {numbers} are sent, and {self._top} is the next one")
        self._top = top
        return bool(numbers)

    def _strayed(self) -> Part:
        """If the ends disagree on the session, one restarts after STRAYS invalid replies, and not before."""
        for turns in (STRAYS - 1, 1):
            script = self._script(frozen=True)
            for _ in range(turns):
                script.at += self.end.timeout_cycles + self.end.late * self.end.rows
                script.give(self._reply(ACK, seq=(self._top + (1 << 20)) % (1 << 32)))
            script.rest(self.end.late * self.end.rows)
            before = self._tx
            if turns == 1:
                self._tx = (self._tx + 1) % (1 << 16)
            seen = yield script
            told = {"restarts": 1 + (turns == 1), "sessions": 2}
            registers(self.end, seen, f"after {turns} invalid ACKs in a row", **told)
            self._hellos.look(seen)
            self._probes.look(seen)
            if any(said.fields["tx_epoch"] not in (before, self._tx) for said in seen.packets):
                raise self.end.wrong("it restarts too early")

    def _cleared(self) -> Part:
        script = self._script(control=1)
        script.rest(self.end.late)
        seen = yield script
        self._hellos.look(seen, cleared=True)
        self._probes.look(seen, cleared=True)
        zeros = (
            "refused",
            "lost_frames",
            "lost_first",
            "lost_last",
            "resent",
            "naks",
            "sessions",
            "restarts",
        )
        registers(self.end, seen, "after CLEAR", **dict.fromkeys((*zeros, "refusals", "stale_replies"), 0))
