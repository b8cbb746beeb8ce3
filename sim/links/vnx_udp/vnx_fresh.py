# SPDX-License-Identifier: BSD-3-Clause
"""Ends of vnx_directed.py that are reset while packets come in every cycle, and what they are then."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vnx_end import End, Rounds, Script, Seen, Total, expect, registers
from vnx_far_frames import FrameSender
from vnx_far_receiver import OPEN, FarReceiver
from vnx_far_sender import OFFERED, SESSION
from vnx_packets import ACK, DATA, HELLO, PROBE, REFUSE, RESTART, WELCOME, flipped
from vnx_script import Said

FLOOD = 192  # packets
# The first one only where frames are counted: those with numbers may have any.
HELLO_ZEROS = (
    *("frame", "state", "slots", "refused", "lost_frames", "lost_first", "lost_last", "frames", "packets"),
    *("resent", "naks", "probes", "sessions", "restarts", "refusals", "stale_replies", "bad_replies"),
    *("limit_cycles", "room_cycles"),
)
ZEROS = ("state", "refused", "most_slots", "frames", "cut_frames", "sessions", "packets", "gaps", "hellos")
# What CONTROL.CLEAR leaves, and the pin does not.
PIN_ZEROS = (
    *("epochs", "first_frame", "last_frame", "last_cut", "peer_link", "peer_contract_low", "peer_stream"),
    *("peer_contract_high", "peer_frame_bytes", "peer_element", "peer_shape"),
)


class ResetReceiver(FarReceiver):
    """A receiver beyond the wire of a sender that is reset."""

    def flood(self, quiet: int) -> Script:
        """Return replies of all kinds, back to back, after ``quiet`` cycles."""
        script = Script(self.end, at=quiet)
        kinds: list[Callable[[], bytes]] = [
            lambda: self._reply(ACK, seq=self._top, frame=self._top + self.end.slots, nak=1),
            lambda: self._reply(ACK, seq=self._top + (1 << 20)),  # nothing leaves the buffer
            lambda: self._reply(WELCOME, rx_epoch=self._rx, frame=self.end.slots),
            self._refusal,
            lambda: self._reply(PROBE),
        ]
        for _ in range(FLOOD):
            one = kinds[int(self._random.integers(0, len(kinds)))]()
            bad = self._random.random() < 0.25
            script.give(flipped(one, 40) if bad else one, bad=bad, gap=1)
        script.rest(0)
        return script

    def flooded(self, packets: Sequence[Said]) -> None:
        """Judge what it has sent until and after a reset by CONTROL: all packets are whole and its own."""
        _whole(self.end, packets)
        sent: dict[tuple[int, ...], bytes] = {}
        for said in packets:
            got = said.fields
            if got["kind"] == DATA:
                number = (got["tx_epoch"], got["rx_epoch"], got["seq"])
                # But for the number of the transmission, and with it the checksum.
                rest = said.datagram[:4] + said.datagram[8:24] + said.datagram[28:]
                if sent.setdefault(number, rest) != rest:
                    raise self.end.wrong(f"packet {got['seq']} is another one around a reset by CONTROL")

    def fresh(self, *, pin: bool, late: bool) -> Rounds:
        """The core restarts under the next number, with the state of a reset, perhaps ``late``."""
        self._tx = (self._tx + 1) % (1 << 16)
        self._base = self._top = self._first = self._turn = self._least = 0
        self._waits = set()
        self._parts, self._numbers = {}, {}
        self._hellos, self._probes = Total(self.end, "hellos", HELLO), Total(self.end, "probes", PROBE)
        script = Script(self.end)
        script.rest(self.end.late * self.end.rows + (self.end.hello_cycles if late else 0))
        seen = yield script
        self._look(seen, opened=False, cleared=not pin)
        if not seen.of(HELLO):
            raise self.end.wrong("it says no HELLO after a reset")
        zeros = dict.fromkeys(HELLO_ZEROS[self.end.numbered :], 0)
        registers(self.end, seen, "after a reset", epochs=self._tx, **zeros)
        script = Script(self.end)
        script.give(self._reply(WELCOME, frame=self.end.slots))
        script.rest(self.end.late * self.end.rows)
        seen = yield script
        self._look(seen, opened=True)
        self._data(seen)
        if not seen.of(PROBE) or not seen.registers["state"] & OPEN:
            raise self.end.wrong("it has no session when it was welcomed after a reset")
        told = {"sessions": 1, "stale_replies": 0, "bad_replies": 0, "resent": 0}
        registers(self.end, seen, "after a reset", epochs=self._tx | self._rx << 16, **told)
        return {}


class ResetSender(FrameSender):
    """A sender beyond the wire of a receiver that is reset."""

    def flood(self, quiet: int) -> Script:
        """Return packets of a session and of none, back to back, after ``quiet`` cycles."""
        script = Script(self.end, at=quiet)
        frame = self._frame()
        for turn in range(FLOOD):
            chance = self._random.random()
            if chance < 0.4:
                one = self._piece(turn, frame, turn % self.end.pieces, self._taken + turn)
            elif chance < 0.6:
                one = self._packet(PROBE, seq=turn)
            elif chance < 0.8:
                one = self._packet(HELLO, tx_epoch=turn, role=self.end.terms["role"] ^ turn % 2)
            else:
                one = self._packet(PROBE, tx_epoch=turn)
            bad = self._random.random() < 0.25
            script.give(flipped(one, 40) if bad else one, bad=bad, gap=1)
        script.rest(0)
        return script

    def flooded(self, packets: Sequence[Said]) -> None:
        """Judge what it has sent until and after a reset by CONTROL: all packets are whole."""
        _whole(self.end, packets)

    def fresh(self, *, pin: bool, late: bool) -> Rounds:
        """It knows no session, and is as it should be after a reset, however ``late``."""
        del late
        self._counts.clear()
        self._acks, self._naks = Total(self.end, "acks", ACK), Total(self.end, "naks", ACK, nak=True)
        self._restarts = Total(self.end, "restarts", RESTART)
        script = Script(self.end)
        script.rest(self.end.answered)
        seen = yield script
        self._quiet(seen)
        self._look(seen, cleared=not pin)
        zeros = dict.fromkeys((*ZEROS, *(PIN_ZEROS if pin else ())), 0)
        registers(self.end, seen, "after a reset", **zeros)
        frame = self._frame()
        script = Script(self.end)
        script.give(self._packet(PROBE))
        script.give(self._piece(0, frame, 0, 0))
        script.give(self._packet(HELLO, role=self.end.terms["role"] ^ 1))
        script.give(self._packet(HELLO))
        self._counts.update(wrong_session=2, hellos=2)
        script.rest(self.end.answered)
        seen = yield script
        self._look(seen)
        kinds = [said.fields["kind"] for said in seen.packets]
        if kinds != [RESTART, RESTART, REFUSE, WELCOME]:
            raise self.end.wrong(f"after a reset it answers by kinds {kinds} what belongs to no session")
        for said in seen.packets[:2]:
            expect(self.end, said, kind=RESTART, tx_epoch=self._tx, rx_epoch=self._rx)
        self._rx = seen.packets[3].fields["rx_epoch"]
        session = {"tx_epoch": self._tx, "rx_epoch": self._rx}
        expect(self.end, seen.packets[3], kind=WELCOME, frame=self.end.slots, **session)
        registers(self.end, seen, "after a reset", state=OFFERED)
        script = Script(self.end)
        script.give(self._piece(0, frame, 0, 0))
        script.rest(self.end.answered)
        self._counts.update(packets=1, sessions=1)
        seen = yield script
        self._look(seen)
        self._taken = self._acked(Seen(seen.packets, 0, {}, ()), 1, 0)[0]
        if self._taken != 1 or not seen.registers["state"] & SESSION:
            raise self.end.wrong("after a reset it does not take the first packet of a session")
        registers(self.end, seen, "after a reset", epochs=self._tx | self._rx << 16, first_frame=0)
        rest = range(1, min(self.end.pieces, self.end.slots))
        script = Script(self.end)
        for piece in rest:
            script.give(self._piece(0, frame, piece, piece))
        script.rest(self.end.answered)
        self._counts.update(packets=len(rest))
        seen = yield script
        self._look(seen)
        return {}


def _whole(end: End, packets: Sequence[Said]) -> None:
    torn = next((said.wrong for said in packets if said.wrong), "")
    if torn:
        raise end.wrong(f"around a reset by CONTROL: {torn}")
