# SPDX-License-Identifier: BSD-3-Clause
"""The two ends of a boundary over VNx, as docs/vnx.md describes their sessions.

They know neither sockets nor clocks: datagrams and the time in seconds go in, datagrams and frames come out.
Standard library only, Python 3.8 or later.
"""

import os
from collections import deque
from itertools import islice

from shellgen_packet import (
    ACK,
    BEAT_BYTES,
    DATA,
    HEADER_BYTES,
    HELLO,
    NUMBERS,
    PROBE,
    REFUSALS,
    REFUSE,
    RESTART,
    WELCOME,
    Packet,
    after,
)

__all__ = ["Frame", "Receiver", "Sender"]

REORDER = 3  # what `Sender` assumes
STRANGE_ANSWERS = 16  # to PROBEs in a row, until the two ends do not mean the same session


class Sender:
    """The sending end: frames in by `offer`, each to arrive exactly once, or to be named in ``lost``.

    Args:
        terms: What the receiver must agree in.
        hello: Seconds from one HELLO to the next.
        timeout: Seconds of silence until the receiver is asked.
        epoch: Number of sessions before; random if left out, so that a program that starts again differs from
            its predecessor.
        reorder: Packets by which the network may change their order: fewer after one do not make it lost.

    Attributes:
        lost: Numbers of frames that may not have arrived, as the receiver lost the session.
        refused: Terms of a receiver that refused, those that differ; None if none did.
        counts: Packets and answers, by name.
    """

    def __init__(self, terms, hello=0.05, timeout=0.02, epoch=None, reorder=REORDER):
        self.terms, self.hello, self.timeout, self._reorder = terms, hello, timeout, reorder
        self.lost, self.refused = [], None
        self.counts = dict.fromkeys(
            ("sent", "resent", "probes", "hellos", "bad", "stale", "naks", "sessions"), 0
        )
        self.frame = 0  # number of the next frame
        self._offered = deque()  # frames, as pieces that have no packet yet
        self._epoch = int.from_bytes(os.urandom(2), "little") if epoch is None else epoch
        self._kept = deque()
        self._begin()

    def _begin(self):
        """Start a session: unacknowledged frames are lost, and so is a frame of which a part was sent."""
        lost = {packet.frame for packet in self._kept}
        if self._offered and self._offered[0][1]:
            lost.add(self._offered.popleft()[0])
        self.lost += sorted(lost)
        self._epoch = (self._epoch + 1) & 0xFFFF
        self._kept.clear()
        self._peer = None  # the receiver's half of the session
        self._acked = self._high = self._limit = 0
        self._turn, self._echoed = 1, 0  # of the next transmission; the newest that has arrived
        self._strange, self._asked, self._probe = 0, False, False
        self._due = 0.0

    @property
    def open(self):
        """True in a session."""
        return self._peer is not None

    @property
    def room(self):
        """True if a frame that is offered now is cut into packets at once, as far as there are slots."""
        return not self._offered

    @property
    def idle(self):
        """True if all that was offered is acknowledged, or named as lost."""
        return not self._offered and not self._kept

    def offer(self, frame):
        """Take a frame to be sent; return its number."""
        if len(frame) != self.terms.frame_bytes:
            raise ValueError(f"a frame has {self.terms.frame_bytes} bytes, this one has {len(frame)}")
        self._offered.append((self.frame, [], bytes(frame)))
        self.frame = (self.frame + 1) % NUMBERS
        return self._offered[-1][0]

    def take(self, datagram, now):
        """Take a datagram that came from the receiver."""
        packet = Packet.opened(datagram)
        if (
            packet is None
            or len(datagram) != BEAT_BYTES
            or packet.kind not in (WELCOME, ACK, REFUSE, RESTART)
        ):
            self.counts["bad"] += 1
            return
        if packet.kind == REFUSE and packet.tx_epoch == self._epoch and not self.open:
            self.refused = {
                name: packet.values[name] for name, bit in REFUSALS.items() if packet.seq >> bit & 1
            }
            return
        if packet.link != self.terms.link:
            self.counts["bad"] += 1
        elif packet.kind == WELCOME and packet.tx_epoch == self._epoch and not self.open:
            self._peer, self._limit, self._probe, self.refused = packet.rx_epoch, packet.frame, True, None
            self.counts["sessions"] += 1
        elif self.open and (packet.tx_epoch, packet.rx_epoch) == (self._epoch, self._peer):
            if packet.kind == ACK:
                self._acknowledge(packet, now)
            elif packet.kind == RESTART:
                self._begin()
        else:
            self.counts["stale"] += 1

    def _acknowledge(self, ack, now):
        asked, self._asked = self._asked, False
        freed = after(ack.seq, self._acked)
        if not 0 <= freed <= after(self._high, self._acked):
            self.counts["stale"] += 1
            self._strange += asked
            if self._strange == STRANGE_ANSWERS:
                self._begin()
            return
        self._strange = 0
        for _ in range(freed):
            self._kept.popleft()
        self._acked = ack.seq
        if ack.nak:
            self.counts["naks"] += 1
        if after(ack.frame, self._limit) > 0:
            self._limit = ack.frame
        if after(ack.turn, self._echoed) > 0 and after(self._turn, ack.turn) > 0:
            self._echoed = ack.turn
        for packet in self._sent():
            packet.had = packet.had or bool(ack.have >> packet.seq % self.terms.slots & 1)
        if freed:
            self._due = now + self.timeout

    def _sent(self):
        """Return the packets that were sent and are not acknowledged."""
        return islice(self._kept, after(self._high, self._acked))

    def _lost(self):
        """Return what is to be sent again: enough that was sent later has arrived.

        The receiver may still drop what is next in the order: only the number of an ACK says that it has it.
        """
        return [
            one
            for place, one in enumerate(self._sent())
            if (place == 0 or not one.had) and after(self._echoed, one.turn) > self._reorder
        ]

    def _transmit(self, packet):
        packet.values["turn"] = self._turn
        self._turn = (self._turn + 1) % NUMBERS
        return packet.sealed()

    def send(self, now, most=16):
        """Return the datagrams that are to leave now, no more than `most`."""
        if not self.open:
            if now < self._due:
                return []
            self._due = now + self.hello
            self.counts["hellos"] += 1
            told = {"bytes": self.terms.full_bytes, "tx_epoch": self._epoch}
            return [Packet(HELLO, terms=self.terms.values, **told).sealed(self.terms.packet_beats)]
        self._cut()
        out = []
        for packet in self._lost()[:most]:
            self.counts["resent"] += 1
            out.append(self._transmit(packet))
        made = (self._acked + len(self._kept)) % NUMBERS
        while len(out) < most and after(made, self._high) > 0 and after(self._limit, self._high) > 0:
            self.counts["sent"] += 1
            out.append(self._transmit(self._kept[after(self._high, self._acked)]))
            self._high = (self._high + 1) % NUMBERS
        if out:
            self._due = now + self.timeout
        elif self._probe or now >= self._due:
            self._probe, self._asked, self._due = False, True, now + self.timeout
            self.counts["probes"] += 1
            session = {"link": self.terms.link, "tx_epoch": self._epoch, "rx_epoch": self._peer}
            # It stands for as many as may be in another order: all older ones that are not had are lost.
            self._turn = (self._turn + self._reorder) % NUMBERS
            out.append(self._transmit(Packet(PROBE, bytes=HEADER_BYTES, seq=self._high, **session)))
        return out

    def _cut(self):
        """Make packets of frames as long as there are slots."""
        while self._offered and len(self._kept) < self.terms.slots:
            number, done, frame = self._offered[0]
            at = len(done)
            done.append(True)
            packet = Packet(
                DATA,
                frame[at * self.terms.full_bytes : (at + 1) * self.terms.full_bytes],
                link=self.terms.link,
                sof=int(at == 0),
                eof=int(at == self.terms.pieces - 1),
                seq=(self._acked + len(self._kept)) % NUMBERS,
                frame=number,
                tx_epoch=self._epoch,
                rx_epoch=self._peer,
            )
            packet.had = False  # by the receiver, which misses one before it
            self._kept.append(packet)
            if packet.eof:
                self._offered.popleft()


class Frame:
    """A frame that arrived: ``number``, by default since the sender's reset, ``data``, ``whole``, ``marked``.

    Where it is not whole, ``data`` ends in zeros; where it is marked, a card has lost what it is made of.
    """

    def __init__(self, number, data, whole, marked=False):
        self.number, self.data, self.whole, self.marked = number, data, whole, marked


class Receiver:
    """The receiving end: takes packets, hands out ``frames``.

    Args:
        terms: What the sender must agree in.
        depth: Frames that ``frames`` holds; take them from its left.
        ack_every: Packets for an ACK.
        ack_seconds: Longest delay of an ACK.
        epoch: As that of `Sender`.

    Attributes:
        frames: Frames in their order. Numbers that are missing are of frames that were lost, with a session.
        refused: Terms of a sender that was refused, those that differ; None if none was.
        counts: Packets and answers, by name.
    """

    def __init__(self, terms, depth=4, ack_every=4, ack_seconds=0.001, epoch=None):
        self.terms, self.depth = terms, depth
        self.ack_every, self.ack_seconds = ack_every, ack_seconds
        self.frames, self.refused = deque(), None
        names = ("taken", "gaps", "duplicates", "bad", "strangers", "sessions", "cut", "full")
        self.counts = dict.fromkeys(names, 0)
        self._epoch = int.from_bytes(os.urandom(2), "little") if epoch is None else epoch
        self._peer = self._candidate = None
        self._waiting, self._pieces = deque(), []
        self._ahead = {}  # packets that came before one that is missing, by number
        self._expected = self._freed = self._told = self._newest = self._turn = 0
        self._answers = {}
        self._news = None  # since when something has changed

    @property
    def open(self):
        """True in a session."""
        return self._peer is not None

    def take(self, datagram, now):
        """Take a datagram that came from the sender."""
        packet = Packet.opened(datagram)
        if packet is None or packet.kind not in (DATA, HELLO, PROBE) or not self._fits(packet, datagram):
            self.counts["bad"] += 1
            return
        self._hand_on(now)
        if packet.kind == HELLO:
            self._greet(packet)
            return
        fresh = (self._candidate, (self._epoch + 1) & 0xFFFF)
        if self._candidate is not None and (packet.tx_epoch, packet.rx_epoch) == fresh:
            if self._waiting:
                return
            self._enter(packet.turn)
        if (packet.tx_epoch, packet.rx_epoch) != (self._peer, self._epoch):
            self.counts["strangers"] += 1
            self._answer(RESTART, tx_epoch=packet.tx_epoch, rx_epoch=packet.rx_epoch)
            return
        if after(packet.turn, self._turn) > 0:
            self._turn = packet.turn
        if packet.kind == PROBE:
            self._acknowledge(packet.seq != self._expected)
        else:
            self._data(packet, now)

    def _fits(self, packet, datagram):
        if packet.kind == HELLO:
            # A sender with other terms may have other packets; one with these must show that full ones pass.
            as_long = len(datagram) == self.terms.packet_beats * BEAT_BYTES
            return len(datagram) % BEAT_BYTES == 0 and (as_long or self.terms.differences(packet.values))
        if packet.kind == PROBE:
            return len(datagram) == BEAT_BYTES and packet.link == self.terms.link
        size = self.terms.last_bytes if packet.eof else self.terms.full_bytes
        return len(packet.data) == size == packet.bytes and packet.link == self.terms.link

    def _greet(self, hello):
        differ = self.terms.differences(hello.values)
        if differ:
            self.refused = {name: hello.values[name] for name, bit in REFUSALS.items() if differ >> bit & 1}
            numbers = {"version": hello.version, "tx_epoch": hello.tx_epoch}  # a version that it takes
            self._answer(REFUSE, terms=self.terms.values, seq=differ, **numbers)
        elif not self._waiting:
            self._candidate, self.refused = hello.tx_epoch, None
            numbers = {"tx_epoch": hello.tx_epoch, "rx_epoch": (self._epoch + 1) & 0xFFFF}
            self._answer(WELCOME, frame=self.terms.slots, **numbers)

    def _enter(self, turn):
        """Take the session that was offered; a frame of the old one that was cut ends in zeros."""
        if self._pieces:
            self.counts["cut"] += 1
            number, have = self._pieces[0].frame, b"".join(piece.data for piece in self._pieces)
            self.frames.append(Frame(number, have.ljust(self.terms.frame_bytes, b"\0"), whole=False))
            self._pieces = []
        self._peer, self._candidate = self._candidate, None
        self._epoch = (self._epoch + 1) & 0xFFFF
        self._expected = self._freed = self._told = self._newest = 0
        self._turn = turn
        self._ahead.clear()
        self._answers.clear()
        self.counts["sessions"] += 1

    def _data(self, packet, now):
        ahead = after(packet.seq, self._expected)
        if ahead < 0 or packet.seq in self._ahead:
            self.counts["duplicates"] += 1
            return
        if ahead + len(self._waiting) >= self.terms.slots:
            self.counts["full"] += 1
            return
        self._ahead[packet.seq] = packet
        gap = after(packet.seq, self._newest) > 0
        if after(packet.seq, self._newest) >= 0:
            self._newest = (packet.seq + 1) % NUMBERS
        ends = False
        while self._expected in self._ahead:
            ends |= self._take_next(self._ahead.pop(self._expected))
        self._changed(now)
        self._hand_on(now)
        if gap:
            self.counts["gaps"] += 1
        if gap or ends:
            self._acknowledge(nak=gap)

    def _take_next(self, packet):
        """Take the packet that is next in the order; return whether it is the last of its frame."""
        place = self._expected_piece()
        if (packet.sof, packet.eof) != (place == 0, place == self.terms.pieces - 1):
            self.counts["bad"] += 1
            return False
        self.counts["taken"] += 1
        self._waiting.append(packet)
        self._expected = (self._expected + 1) % NUMBERS
        return bool(packet.eof)

    def _expected_piece(self):
        return (len(self._pieces) + len(self._waiting)) % self.terms.pieces

    def _changed(self, now):
        self._news = now if self._news is None else self._news
        if after(self._expected + self._freed + len(self._ahead), self._told) >= self.ack_every:
            self._acknowledge(nak=False)

    def _hand_on(self, now):
        """Move packets from the buffer into frames, as long as there is room for these."""
        while self._waiting and len(self.frames) < self.depth:
            packet = self._waiting.popleft()
            self._freed = (self._freed + 1) % NUMBERS
            self._pieces.append(packet)
            if packet.eof:
                data = b"".join(piece.data for piece in self._pieces)
                self.frames.append(Frame(packet.frame, data, whole=True, marked=bool(packet.taint)))
                self._pieces = []
            self._changed(now)

    def _acknowledge(self, nak):
        self._news, self._told = None, self._expected + self._freed + len(self._ahead)
        limit = (self._freed + self.terms.slots) % NUMBERS
        have = sum(1 << number % self.terms.slots for number in self._ahead)
        session = {"tx_epoch": self._peer, "rx_epoch": self._epoch, "turn": self._turn, "have": have}
        self._answer(ACK, nak=int(nak), seq=self._expected, frame=limit, **session)

    def _answer(self, kind, terms=None, **fields):
        """Set an answer; a newer one of a kind takes the place of one that has not left."""
        if kind == ACK and ACK in self._answers and not fields["nak"]:
            fields["nak"] = self._answers[ACK].nak if self._answers[ACK].seq == fields["seq"] else 0
        self._answers[kind] = Packet(
            kind, bytes=HEADER_BYTES, terms=terms or {"link": self.terms.link}, **fields
        )

    def send(self, now):
        """Return the datagrams that are to leave now."""
        self._hand_on(now)
        if self._news is not None and now - self._news >= self.ack_seconds:
            self._acknowledge(nak=False)
        out = [answer.sealed() for answer in self._answers.values()]
        self._answers.clear()
        return out
