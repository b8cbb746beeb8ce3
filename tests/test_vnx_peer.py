# SPDX-License-Identifier: BSD-3-Clause
"""A host as an end over VNx: two of them, over real UDP sockets and through a network with every fault."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from host_module import host_module
from vnx_proxy import Faults, Proxy, free_address
from waiting import PATIENCE

vnx, made, session = (host_module(f"shellgen_{name}") for name in ("vnx", "packet", "session"))
FRAME_BYTES = 4000  # two full packets and a part
LINK = 0x1234
QUIET = Faults()
EVERY = Faults(loss=0.01, double=0.01, delay=0.01, cut=0.01, alter=0.01)


def terms(**changes: int) -> Any:
    return vnx.Terms(**{"link": LINK, "frame_bytes": FRAME_BYTES, "contract": 7, **changes})


def sender(**changes: int) -> Any:
    return vnx.Sender(terms(**changes), hello=0.002, timeout=0.002)


def content(number: int, size: int = FRAME_BYTES) -> bytes:
    return random.Random(number).randbytes(size)


class Pair:
    """A sender and a receiver, each behind a port, and a proxy between them."""

    def __init__(
        self, faults: Faults = QUIET, seed: int = 1, sending: Any = None, receiving: Any = None
    ) -> None:
        self.proxy = Proxy(faults, seed)
        self.sender, self.receiver = sending or sender(), receiving or vnx.Receiver(terms())
        self.places = free_address(), free_address()
        self.proxy.ends = self.places
        self.ports = [
            vnx.Port(end, place, self.proxy.address)
            for end, place in zip((self.sender, self.receiver), self.places, strict=True)
        ]
        self.ports.append(self.proxy)
        self.got: list[Any] = []

    def again(self, which: int, end: Any) -> None:
        """Let a program end and another one begin in its place."""
        self.ports[which].close()
        self.ports[which] = vnx.Port(end, self.places[which], self.proxy.address)
        self.sender, self.receiver = (port.end for port in self.ports[:2])

    def serve(self, done: Callable[[], bool], seconds: float = PATIENCE) -> bool:
        """Run, taking frames, until something is done."""

        def look() -> bool:
            while self.receiver.frames:
                self.got.append(self.receiver.frames.popleft())
            return done()

        return bool(vnx.serve(self.ports, look, seconds))

    def send(self, count: int, first: int = 0) -> None:
        """Send frames, and let them arrive."""
        left = iter(range(first, first + count))

        def done() -> bool:
            while self.sender.room:
                if (number := next(left, None)) is None:
                    return bool(self.sender.idle)
                self.sender.offer(content(number, self.sender.terms.frame_bytes))
            return False

        assert self.serve(done), (self.sender.counts, self.receiver.counts)

    def close(self) -> None:
        for one in self.ports:
            one.close()


@pytest.fixture
def pairs() -> Iterator[Callable[..., Pair]]:
    opened: list[Pair] = []

    def make(*args: Any, **options: Any) -> Pair:
        opened.append(Pair(*args, **options))
        return opened[-1]

    yield make
    for pair in opened:
        pair.close()


def test_checksum_is_that_of_rfc_3720() -> None:
    examples = {
        bytes(32): 0x8A9136AA,
        b"\xff" * 32: 0x62A8AB43,
        bytes(range(32)): 0x46DD794E,
        bytes(range(31, -1, -1)): 0x113FDB5C,
    }
    for data, value in examples.items():
        assert made.checksum(data) == made.plain_checksum(data) == value
    for size in (64, 66, 1472, 16_384, 4):
        assert made.checksum(content(size, size)) == made.plain_checksum(content(size, size)), size


@pytest.mark.parametrize("size", [1, 31, 32, 33, 95, 96, 1439, 1440])
def test_a_packet_is_read_as_it_was_written(size: int) -> None:
    data = content(size, size)
    raw = made.Packet(made.DATA, data, link=LINK, seq=7, frame=9, sof=1, tx_epoch=3, rx_epoch=4).sealed()
    assert len(raw) == 32 + size
    back = made.Packet.opened(raw)
    assert (back.kind, back.link, back.bytes, back.seq, back.frame) == (made.DATA, LINK, size, 7, 9)
    assert (back.sof, back.eof, back.nak, back.tx_epoch, back.rx_epoch) == (1, 0, 0, 3, 4)
    assert back.data == data


def test_no_packet_with_one_wrong_bit_is_read() -> None:
    raw = made.Packet(made.DATA, content(1, 40), link=LINK).sealed()
    for bit in range(8 * len(raw)):
        changed = bytearray(raw)
        changed[bit // 8] ^= 1 << bit % 8
        assert made.Packet.opened(bytes(changed)) is None, bit
    for length in range(len(raw)):
        assert made.Packet.opened(raw[:length]) is None, length


def test_frames_cross(pairs: Callable[..., Pair]) -> None:
    pair = pairs()
    pair.send(100)
    assert [(frame.number, frame.data, frame.whole) for frame in pair.got] == [
        (number, content(number), True) for number in range(100)
    ]
    assert pair.sender.counts["resent"] == 0
    assert pair.sender.counts["sent"] == pair.receiver.counts["taken"] == 300


@pytest.mark.parametrize(
    ("count", "faults"),
    [
        (100, Faults(loss=0.1)),
        (100, Faults(double=0.3)),
        (100, Faults(delay=0.1)),
        (100, Faults(cut=0.1)),
        (100, Faults(alter=0.1)),
        pytest.param(300, EVERY, id="all"),
        pytest.param(3400, EVERY, id="all-long", marks=pytest.mark.sweep),  # 10,000 packets and more
    ],
)
def test_every_frame_crosses_a_bad_network(pairs: Callable[..., Pair], count: int, faults: Faults) -> None:
    pair = pairs(faults, seed=3)
    pair.send(count)
    assert pair.proxy.struck > count // 20
    assert [(frame.number, frame.data, frame.whole) for frame in pair.got] == [
        (number, content(number), True) for number in range(count)
    ]
    assert pair.sender.counts["sessions"] == 1
    assert not pair.sender.lost


@pytest.mark.parametrize(("size", "beats"), [(1, 2), (96, 2), (97, 2), (20_000, 256), (1440, 23)])
def test_frames_of_any_size(pairs: Callable[..., Pair], size: int, beats: int) -> None:
    given = {"frame_bytes": size, "packet_beats": beats}
    pair = pairs(Faults(loss=0.02), 1, sender(**given), vnx.Receiver(terms(**given)))
    pair.send(20)
    assert [frame.data for frame in pair.got] == [content(number, size) for number in range(20)]


def test_a_frame_larger_than_all_buffers(pairs: Callable[..., Pair]) -> None:
    given = {"frame_bytes": 100_000, "slots": 4}
    small = vnx.Sender(terms(**given), hello=0.002, timeout=0.002)
    pair = pairs(Faults(loss=0.02), 1, small, vnx.Receiver(terms(**given), depth=1))
    pair.send(5)
    assert [frame.data for frame in pair.got] == [content(number, 100_000) for number in range(5)]


def test_a_receiver_that_nobody_empties_loses_nothing(pairs: Callable[..., Pair]) -> None:
    """Credits: the sender sends no more than there are slots, asks now and then, and goes on later."""
    pair = pairs()
    for number in range(100):
        pair.sender.offer(content(number))
    most = 32 + 3 * pair.receiver.depth
    assert vnx.serve(pair.ports, lambda: pair.receiver.counts["taken"] == most, PATIENCE)
    asked = pair.sender.counts["probes"]
    assert vnx.serve(pair.ports, lambda: pair.sender.counts["probes"] > asked + 3, PATIENCE)
    assert (pair.receiver.counts["taken"], pair.receiver.counts["full"]) == (most, 0)
    assert len(pair.receiver.frames) == pair.receiver.depth
    assert pair.serve(lambda: bool(pair.sender.idle))
    assert [frame.data for frame in pair.got] == [content(number) for number in range(100)]


@pytest.mark.parametrize(
    ("name", "value"),
    [("contract", 8), ("frame_bytes", 4001), ("packet_beats", 22), ("packing", 1), ("role", 1), ("link", 9)],
)
def test_other_terms_are_refused_by_name(pairs: Callable[..., Pair], name: str, value: int) -> None:
    pair = pairs(Faults(), 1, sender(**{name: value}))
    pair.sender.offer(content(0, pair.sender.terms.frame_bytes))
    assert pair.serve(lambda: bool(pair.sender.refused and pair.receiver.refused))
    assert pair.sender.refused == {name: pair.receiver.terms.values[name]}
    assert pair.receiver.refused == {name: value}
    assert not pair.sender.open
    assert not pair.got


def test_an_end_of_version_1_is_refused_by_name_in_its_own_version() -> None:
    """It drops packets of another version, so the answer has its own."""
    receiver = vnx.Receiver(terms())
    hello = made.Packet(made.HELLO, terms=terms().values, tx_epoch=5)
    hello.values.update(version=1, bytes=made.HEADER_BYTES)
    receiver.take(hello.sealed(), 0.0)
    (datagram,) = receiver.send(0.0)
    numbers = [int.from_bytes(datagram[at : at + size], "little") for at, size in ((2, 1), (12, 4), (20, 2))]
    assert (datagram[3] & 15, *numbers) == (made.REFUSE, 1, 1 << made.REFUSALS["version"], 5)
    assert receiver.refused == {"version": 1}
    assert not receiver.open


def test_a_receiver_that_begins_again(pairs: Callable[..., Pair]) -> None:
    """Packets under way are named, and none is silently missing, duplicated or altered."""
    pair = pairs(EVERY, seed=5)
    given = iter(range(150))
    restarts = [30, 75]
    ends: list[int] = []  # how many frames had come when a receiver ended

    def done() -> bool:
        while pair.sender.room:
            if (number := next(given, None)) is None:
                return bool(pair.sender.idle)
            pair.sender.offer(content(number))
        if restarts and pair.got and pair.got[-1].number >= restarts[0]:
            restarts.pop(0)
            ends.append(len(pair.got))
            pair.again(1, vnx.Receiver(terms()))
        return False

    assert pair.serve(done), (pair.sender.counts, pair.receiver.counts)
    assert pair.sender.counts["sessions"] == 3
    numbers = [frame.number for frame in pair.got]
    assert numbers == sorted(set(numbers))
    assert all(frame.whole and frame.data == content(frame.number) for frame in pair.got)
    # Frames that a receiver had acknowledged and not forwarded ended with it.
    inside = {number for end in ends for number in range(numbers[end - 1] + 1, numbers[end])}
    missing = set(range(150)) - set(numbers)
    assert missing
    assert missing <= inside
    assert set(pair.sender.lost) <= inside | set(numbers)


def test_a_sender_that_begins_again(pairs: Callable[..., Pair]) -> None:
    """A frame of which a part had come ends in zeros and is flagged; the new session begins at frame 0."""
    pair = pairs(Faults(loss=0.02), 2, sender(frame_bytes=100_000), vnx.Receiver(terms(frame_bytes=100_000)))
    pair.sender.offer(content(0, 100_000))
    assert pair.serve(lambda: pair.receiver.counts["taken"] >= 10)
    pair.again(0, sender(frame_bytes=100_000))
    pair.send(3)
    cut, *whole = pair.got
    assert (cut.number, cut.whole, len(cut.data)) == (0, False, 100_000)
    have = len(cut.data.rstrip(b"\0"))
    assert cut.data[:have] == content(0, 100_000)[:have]
    assert 10 * 1440 - 8 <= have < 100_000
    assert [(frame.number, frame.data) for frame in whole] == [(n, content(n, 100_000)) for n in range(3)]


def test_numbers_begin_again_after_32_bits(pairs: Callable[..., Pair]) -> None:
    pair = pairs(Faults(loss=0.05), 4)
    pair.sender.frame = made.NUMBERS - 10
    assert pair.serve(lambda: bool(pair.sender.open and pair.receiver.open))
    start = made.NUMBERS - 7
    ahead = {"_acked": start, "_next": start, "_high": start, "_limit": (start + 32) % made.NUMBERS}
    pair.sender.__dict__.update(ahead)
    pair.receiver.__dict__.update({"_expected": start, "_freed": start, "_told": 2 * start, "_before": start})
    pair.send(30)
    assert [frame.number for frame in pair.got] == [(made.NUMBERS - 10 + n) % made.NUMBERS for n in range(30)]
    assert [frame.data for frame in pair.got] == [content(n) for n in range(30)]


def test_noise_changes_nothing(pairs: Callable[..., Pair]) -> None:
    """Datagrams of any bytes, and right packets of other kinds, links and sessions."""
    pair = pairs()
    pair.send(5)
    chance = random.Random(1)
    kinds = list(range(16))
    for number in range(2000):
        raw = chance.randbytes(chance.randrange(200))
        if number % 2:
            fields = {name: chance.getrandbits(made.FIELDS[name][1]) for name in ("seq", "frame", "link")}
            if number % 4 == 1:
                fields |= {"link": LINK, "tx_epoch": 1, "rx_epoch": chance.getrandbits(16)}
            raw = made.Packet(chance.choice(kinds), bytes=32, **fields).sealed()
        pair.sender.take(raw, 0.0)
        pair.receiver.take(raw, 0.0)
    pair.receiver.send(0.0)
    pair.send(20, 5)
    assert [(frame.number, frame.data) for frame in pair.got] == [(n, content(n)) for n in range(25)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"frame_bytes": 0}, "frame_bytes is 0"),
        ({"packet_beats": 1}, "packet_beats is 1; 2 to 256 are possible"),
        ({"packet_beats": 257}, "packet_beats is 257"),
        ({"link": 1 << 16}, "link is 65536; it has 16 bits"),
        ({"colour": 1}, "colour: the terms are link, contract"),
    ],
)
def test_terms_that_cannot_be_are_refused(given: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        terms(**given)
    with pytest.raises(ValueError, match="a frame has 4000 bytes, this one has 3"):
        sender().offer(b"abc")
