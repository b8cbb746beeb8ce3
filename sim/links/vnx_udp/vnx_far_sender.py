# SPDX-License-Identifier: BSD-3-Clause
"""A sender beyond the wire, for a receiver in a core: it sends, rightly or not (docs/vnx.md)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from vnx_end import End, Part, Script, Seen, Total, expect, registers
from vnx_packets import (
    ACK,
    BEAT,
    DATA,
    FIELDS,
    HEADER_BYTES,
    HELLO,
    PROBE,
    REFUSALS,
    REFUSE,
    RESTART,
    TERMS,
    VERSION,
    WELCOME,
    alike,
    flipped,
    littered,
    packet,
    sealed,
)

SESSION, OFFERED = 1, 2  # of STATE
MOST_BEATS, SHORT = 256, 4
ROUNDS = 8  # in which HELLOs are sent again whose refusal never left
Asked = tuple[
    bytes, tuple[int, int, int]
]  # a HELLO, and of its refusal: tx_epoch, terms that differ, version
BITS = {name: bits for name, (_, bits) in TERMS.items()} | {"link": 16, "version": 8}


class FarSender:
    """The rounds for one receiver until it has a session."""

    def __init__(self, end: End, random: Any) -> None:
        self.end = end
        self.handed: list[bytes] = []  # frames that the partition must get, in order
        self._random = random
        self._tx, self._rx = int(random.integers(1, 1 << 16)), 0
        self._turn = int(random.integers(0, 1 << 32))  # of the newest transmission; others come late
        self._ahead: set[int] = set()  # packets that came before one that is missing
        self._counts: Counter[str] = Counter()
        self._empty, self._taken = True, 0
        self._cuts = 0  # sessions that ended in mid-frame
        self._begun: tuple[int, bytes] | None = None  # a frame of which the end was not sent
        self._acks = Total(end, "acks", ACK)
        self._naks = Total(end, "naks", ACK, nak=True)
        self._restarts = Total(end, "restarts", RESTART)

    # ---- packets
    def _packet(self, kind: int, **values: int) -> bytes:
        told = {
            "link": self.end.terms["link"],
            "tx_epoch": self._tx,
            "rx_epoch": self._rx,
            "turn": self._turn,
        }
        told |= values
        if kind == HELLO:
            told = {**self.end.terms, "tx_epoch": self._tx, "bytes": self.end.full_bytes} | values
        found = littered(packet(kind, **told), self._random)
        return alike(found, self.end.terms["packet_beats"]) if kind == HELLO else found

    def _piece(self, number: int, frame: bytes, at: int, seq: int, /, **values: int) -> bytes:
        """Return the packet with piece ``at`` of a frame of this number."""
        data = frame[at * self.end.full_bytes :][: self.end.full_bytes]
        told = {"sof": int(at == 0), "eof": int(at == self.end.pieces - 1), "seq": seq, "frame": number}
        session = {"link": self.end.terms["link"], "tx_epoch": self._tx, "rx_epoch": self._rx}
        return packet(DATA, data, **(told | session | {"turn": self._turn} | values))

    def _frame(self) -> bytes:
        return bytes(self._random.bytes(self.end.terms["frame_bytes"]))

    @property
    def _beats(self) -> int:
        """Beats of a packet."""
        return -(-(HEADER_BYTES + min(self.end.full_bytes, self.end.terms["frame_bytes"])) // BEAT)

    # ---- what it may say
    def _look(self, seen: Seen, *, cleared: bool = False) -> None:
        for said in seen.packets:
            if said.wrong:
                raise self.end.wrong(f"a packet of kind {said.fields['kind']}: {said.wrong}")
        self._acks.look(seen, cleared=cleared)
        self._naks.look(seen, cleared=cleared)
        self._restarts.look(seen, cleared=cleared)
        never = {"long": 0, "keep": 0}
        counted = {name: self._counts[name] for name in COUNTED}
        registers(self.end, seen, "by what was sent to it", **counted, **never)

    def _quiet(self, seen: Seen) -> None:
        if seen.packets:
            raise self.end.wrong(
                f"it answers with kind {seen.packets[0].fields['kind']} what is not to be answered"
            )

    # ---- rounds
    def _silent(self) -> Part:
        script = Script(self.end)
        script.rest(self.end.answered)
        seen = yield script
        self._quiet(seen)
        self._look(seen)
        zeros = (
            "state",
            "epochs",
            "refused",
            "most_slots",
            "frames",
            "cut_frames",
            "first_frame",
            "last_frame",
        )
        registers(self.end, seen, "after a reset", **dict.fromkeys(zeros, 0))

    def _refused(self) -> Part:
        """Each bit of each term counts; the answer says which term, and what this side was built for."""
        ours, asked = {**self.end.terms, "version": VERSION}, []
        for name, index in REFUSALS.items():
            for bit in range(BITS[name]):
                tx = int(self._random.integers(0, 1 << 16))
                value = {name: ours[name] ^ 1 << bit}
                # Who differs may send others: the length does not matter.
                beats = int(self._random.integers(1, SHORT))
                hello = alike(self._packet(HELLO, tx_epoch=tx, **value), beats)
                asked.append((hello, (tx, 1 << index, value.get("version", VERSION))))
        last = {
            name: ours[name] ^ int(self._random.integers(1, 1 << min(bits, 62)))
            for name, bits in BITS.items()
        }
        final = (self._packet(HELLO, **last), (self._tx, (1 << len(REFUSALS)) - 1, last["version"]))
        for _ in range(ROUNDS):
            script = Script(self.end)
            for hello, _ in (*asked, final):
                script.give(hello)
            self._counts["hellos"] += len(asked) + 1
            script.rest(self.end.answered)
            seen = yield script
            self._look(seen)
            asked = self._unanswered(seen, [*asked, final])
            if not asked:
                break
        else:
            raise self.end.wrong(f"{len(asked)} HELLOs are not refused, each sent {ROUNDS} times")
        peer = {f"peer_{name}": last[name] for name in ("frame_bytes", "element", "shape")}
        peer |= {
            "peer_link": last["link"] | last["packet_beats"] << 16,
            "peer_contract_low": last["contract"] % (1 << 32),
            "peer_contract_high": last["contract"] >> 32,
            "peer_stream": last["packing"] | last["role"] << 8 | last["slots"] << 16 | last["version"] << 24,
        }
        registers(
            self.end, seen, "after HELLOs with other terms", state=0, refused=(1 << len(REFUSALS)) - 1, **peer
        )

    def _unanswered(self, seen: Seen, asked: list[Asked]) -> list[Asked]:
        """Compare answers with what was asked, in order, and return what has none.

        Where a card has other packets to send, an answer waits, and that to the next HELLO takes its place
        (docs/vnx.md); the last one is always answered.
        """
        left = list(asked)
        without: list[Asked] = []
        for said in seen.packets:
            got = tuple(said.fields[name] for name in ("tx_epoch", "seq", "version"))
            while len(left) > 1 and left[0][1] != got:
                without.append(left.pop(0))
            if not left:
                raise self.end.wrong(f"{len(seen.packets)} answers to {len(asked)} HELLOs")
            tx, differs, version = left.pop(0)[1]
            told = {"tx_epoch": tx, "seq": differs, "version": version}
            expect(self.end, said, kind=REFUSE, **told, **self.end.terms)
        if left:
            raise self.end.wrong("the last of some HELLOs that are to be refused is not answered")
        return without

    def _damaged(self) -> Part:
        """Damaged, unknown, misrouted and sessionless packets are counted; only the last get a reply."""
        script, link = Script(self.end), self.end.terms["link"]
        hello = self._packet(HELLO)
        for bit in (*range(24), *range(32, 64), *range(64, 512, 13)):
            script.give(flipped(hello, bit), bad=True)
            self._counts["bad_checksum"] += 1
        for bit in range(24):  # the version of a HELLO is looked at later
            damaged = hello if bit < FIELDS["version"][0] else self._packet(PROBE)
            script.give(sealed(flipped(damaged, bit)), bad=True)
            self._counts["bad_checksum"] += 1
        for keep in ((1 << BEAT) - 2, (1 << BEAT) - 1 ^ 1 << 40, 0):
            script.give(hello, bad=True, keep=keep)
            self._counts["bad_checksum"] += 1
        script.give(sealed(hello + bytes(BEAT * MOST_BEATS)), bad=True)
        self._counts["bad_checksum"] += 1
        for kind in {*range(16)} - {DATA, HELLO, PROBE}:
            script.give(self._packet(kind))
            self._counts["wrong_kind"] += 1
        frame = self._frame()
        for bit in range(16):
            script.give(self._packet(PROBE, link=link ^ 1 << bit))
            script.give(self._piece(0, frame, 0, 0, link=link ^ 1 << bit))
            self._counts["wrong_link"] += 2
        full = self.end.terms["packet_beats"]
        for odd in (
            alike(hello, full + 1),
            alike(hello, full - 1),
            sealed(hello[:-1] + b"\0")[:-1],
            sealed(self._packet(PROBE) + b"\0"),
        ):
            script.give(odd)
            self._counts["bad_length"] += 1
        piece = self._piece(0, frame, 0, 0)
        for bit in range(16):
            script.give(sealed(flipped(piece, FIELDS["bytes"][0] + bit)))
            self._counts["bad_length"] += 1
        script.give(sealed(piece + b"\0"))
        script.give(sealed(piece[:-1]) if len(piece) > HEADER_BYTES + 1 else sealed(piece + bytes(2)))
        self._counts["bad_length"] += 2
        bits = (*range(8), *range(8, 16))
        for row in {self.end.row ^ 1 << bit for bit in bits} - {*range(self.end.rows)}:
            script.give(hello, dest=row)
        script.rest(self.end.answered)
        seen = yield script
        self._quiet(seen)
        self._look(seen)
        script, wanted = Script(self.end), []
        for bit in range(16):
            for tx, rx in ((1 << bit, 0), (0, 1 << bit)):
                script.give(self._packet(PROBE, tx_epoch=tx, rx_epoch=rx))
                script.give(self._piece(0, frame, 0, 0, tx_epoch=rx, rx_epoch=tx))
                wanted += [(tx, rx), (rx, tx)]
        self._counts["wrong_session"] += len(wanted)
        script.rest(self.end.answered)
        seen = yield script
        self._look(seen)
        if len(seen.packets) != len(wanted):
            raise self.end.wrong(f"{len(seen.packets)} answers to {len(wanted)} packets of no session")
        for said, (tx, rx) in zip(seen.packets, wanted, strict=True):
            expect(self.end, said, kind=RESTART, tx_epoch=tx, rx_epoch=rx)

    def _welcomed(self) -> Part:
        """A HELLO is offered a session; a newer one has it instead; it begins with what is sent in it."""
        other = (self._tx + 1) % (1 << 16)
        script = Script(self.end)
        script.give(self._packet(HELLO, tx_epoch=other))
        script.give(self._packet(HELLO))
        self._counts["hellos"] += 2
        script.rest(self.end.answered)
        seen = yield script
        self._look(seen)
        if len(seen.packets) != 2:
            raise self.end.wrong(f"{len(seen.packets)} answers to two HELLOs that are right")
        self._rx = seen.packets[0].fields["rx_epoch"]
        for said, tx in zip(seen.packets, (other, self._tx), strict=True):
            expect(self.end, said, kind=WELCOME, tx_epoch=tx, rx_epoch=self._rx, frame=self.end.slots)
        registers(self.end, seen, "when a session is offered", state=OFFERED)
        script = Script(self.end)
        script.give(self._packet(PROBE, tx_epoch=other))  # no longer offered
        for bit in range(16):
            script.give(self._packet(PROBE, rx_epoch=self._rx ^ 1 << bit))
        self._counts["wrong_session"] += 17
        script.give(self._packet(PROBE))
        script.give(self._packet(PROBE, seq=5, turn=(self._turn - 3) % (1 << 32)))
        self._counts["sessions"] += 1
        script.rest(self.end.answered)
        seen = yield script
        self._look(seen)
        if [said.fields["kind"] for said in seen.packets] != [RESTART] * 17 + [ACK] * 2:
            raise self.end.wrong("it does not answer what opens a session, and what does not")
        for said, nak in zip(seen.packets[-2:], (0, 1), strict=True):
            self._ack(said, 0, 0, nak=nak)
        registers(self.end, seen, "in a session", state=SESSION, epochs=self._tx | self._rx << 16)

    def _ack(self, said: Any, taken: int, freed: int, nak: int = 0, have: int = 0) -> None:
        session = {"tx_epoch": self._tx, "rx_epoch": self._rx, "turn": self._turn}
        expect(
            self.end, said, kind=ACK, have=have, seq=taken, frame=freed + self.end.slots, nak=nak, **session
        )

    def _acked(self, seen: Seen, taken: int, before: int) -> tuple[int, int]:
        """Judge ACKs by what they may say at most; return what the last one has said of packets and slots."""
        last, freed = before, 0
        for said in seen.of(ACK):
            got = said.fields
            if not last <= got["seq"] <= taken or not freed <= got["frame"] - self.end.slots <= got["seq"]:
                raise self.end.wrong(
                    f"an ACK says {got['seq']}, {got['frame']}; {taken} packets were to be taken"
                )
            last, freed = got["seq"], got["frame"] - self.end.slots
            # Those ahead, and what has come and is not counted as taken yet.
            came = {*self._ahead, *range(last, taken)}
            numbers = [number for number in came if last <= number < got["frame"]]
            possible = sum(1 << number % self.end.slots for number in numbers)
            if got["have"] & ~possible:
                raise self.end.wrong(f"an ACK says that slots {got['have']:#x} are had, of {possible:#x}")
            self._ack(said, last, freed, nak=got["nak"], have=got["have"])
        return last, freed


COUNTED = (
    *("packets", "gaps", "duplicates", "bad_checksum", "bad_length", "wrong_kind", "wrong_link"),
    *("wrong_session", "no_slot", "hellos", "sessions"),
)
