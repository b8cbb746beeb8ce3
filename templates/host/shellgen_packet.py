# SPDX-License-Identifier: BSD-3-Clause
"""Packets of a boundary over VNx, as docs/vnx.md has them. Python 3.8 or later; with numpy it is faster."""

import struct

try:
    import numpy
except ImportError:
    numpy = None

__all__ = ["Packet", "Terms", "after", "checksum"]

# ---- packet, from packet.json
HEADER_BYTES = 32
MAGIC = 0x4753
VERSION = 0x03
DATA = 0
HELLO = 1
PROBE = 2
WELCOME = 8
ACK = 9
REFUSE = 10
RESTART = 11
FIELDS = {
    "magic": (0, 16),
    "version": (16, 8),
    "kind": (24, 4),
    "sof": (28, 1),
    "eof": (29, 1),
    "nak": (30, 1),
    "taint": (31, 1),
    "crc": (32, 32),
    "link": (64, 16),
    "bytes": (80, 16),
    "seq": (96, 32),
    "frame": (128, 32),
    "tx_epoch": (160, 16),
    "rx_epoch": (176, 16),
    "turn": (192, 32),
    "contract": (256, 64),
    "frame_bytes": (320, 32),
    "packet_beats": (352, 16),
    "packing": (368, 8),
    "role": (376, 8),
    "element": (384, 32),
    "shape": (416, 32),
    "slots": (448, 8),
    "have": (256, 256),
}
REFUSALS = {
    "link": 0,
    "contract": 1,
    "frame_bytes": 2,
    "packet_beats": 3,
    "packing": 4,
    "role": 5,
    "element": 6,
    "shape": 7,
    "slots": 8,
    "version": 9,
}

BEAT_BYTES = 64
MOST_BEATS = 256
SLOTS = (4, 8, 16, 32, 64, 128, 256)
NUMBERS = 1 << 32  # of packets, frames and transmissions, before they begin again


def _table():
    bytes_ = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)  # noqa: PLW2901 - a shift register
        bytes_.append(value)
    # Of two bytes at once: half as many steps.
    return [bytes_[bytes_[pair & 255] & 255 ^ pair >> 8] ^ bytes_[pair & 255] >> 8 for pair in range(65536)]


_PAIRS = _table()


class _Columns:
    """The CRC, which is linear, as a sum: a value for each byte at each distance from the end."""

    def __init__(self):
        self._first = numpy.array([_PAIRS[value << 8] for value in range(256)], numpy.uint32)
        self._rows = self._first.reshape(1, -1)

    def checksum(self, data):
        values = numpy.frombuffer(data, numpy.uint8).copy()
        if len(values) > len(self._rows):
            self._grow(len(values))
        values[:4] ^= 0xFF
        added = self._rows[numpy.arange(len(values) - 1, -1, -1), values]
        return int(numpy.bitwise_xor.reduce(added)) ^ 0xFFFFFFFF

    def _grow(self, size):
        rows = list(self._rows)
        while len(rows) < size:
            rows.append(rows[-1] >> numpy.uint32(8) ^ self._first[rows[-1] & numpy.uint32(255)])
        self._rows = numpy.array(rows)


def checksum(data):
    """Return the CRC-32C (RFC 3720) of an even number of bytes, 4 or more."""
    return _COLUMNS.checksum(data) if _COLUMNS else plain_checksum(data)


def plain_checksum(data):
    """Return the same without numpy."""
    value, table = 0xFFFFFFFF, _PAIRS
    for pair in struct.unpack(f"<{len(data) // 2}H", data):
        value = value >> 16 ^ table[(value ^ pair) & 0xFFFF]
    return value ^ 0xFFFFFFFF


_COLUMNS = _Columns() if numpy else None


def after(one, other):
    """Return how far a number is after another one; numbers wrap."""
    return (one - other + NUMBERS // 2) % NUMBERS - NUMBERS // 2


class Terms:
    """Terms on which both ends must agree; otherwise one refuses the other, by the name of the field.

    Args:
        link: Number of the boundary: the first 16 bits of the SHA-256 of its name.
        frame_bytes: Of a frame.
        packet_beats: Of a full packet, 64 bytes each.
        slots: Packets that either end keeps, a power of two.
        others: ``contract``, ``packing``, ``role``, ``element``, ``shape``; 0 if left out.
    """

    def __init__(self, link, frame_bytes, packet_beats=23, slots=32, **others):
        if not 2 <= packet_beats <= MOST_BEATS:
            raise ValueError(f"packet_beats is {packet_beats}; 2 to {MOST_BEATS} are possible")
        if frame_bytes < 1:
            raise ValueError(f"frame_bytes is {frame_bytes}; a frame has at least one")
        if slots not in SLOTS:
            raise ValueError(f"slots is {slots}; a power of two from {SLOTS[0]} to {SLOTS[-1]} is possible")
        given = {"link": link, "frame_bytes": frame_bytes, "packet_beats": packet_beats, **others}
        given.update({"slots": slots.bit_length() - 1, "version": VERSION})
        possible = [name for name in REFUSALS if name != "version"]
        unknown = sorted(others.keys() - set(possible))
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: the terms are {', '.join(possible)}")
        for name, value in given.items():
            if not 0 <= value < 1 << FIELDS[name][1]:
                raise ValueError(f"{name} is {value}; it has {FIELDS[name][1]} bits")
        self.values = {name: given.get(name, 0) for name in REFUSALS}
        self.link, self.frame_bytes, self.slots = link, frame_bytes, slots
        self.packet_beats, self.full_bytes = packet_beats, packet_beats * BEAT_BYTES - HEADER_BYTES
        self.pieces = -(-frame_bytes // self.full_bytes)
        self.last_bytes = frame_bytes - (self.pieces - 1) * self.full_bytes

    def differences(self, values):
        """Return the bits of REFUSE for the terms of somebody else."""
        return sum(1 << bit for name, bit in REFUSALS.items() if values[name] != self.values[name])


class Packet:
    """A packet: ``kind``, the other fields of its header as attributes, and ``data`` behind the header."""

    def __init__(self, kind, data=b"", terms=None, **fields):
        self.values = dict.fromkeys(FIELDS, 0)
        self.values.update(terms or {})
        self.values.update(magic=MAGIC, version=VERSION, kind=kind, bytes=len(data))
        self.values.update(fields)
        self.data = data

    def __getattr__(self, name):
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(name) from None

    def sealed(self, beats=1):
        """Return the datagram; with more beats each is like the first, so that it is as long as others."""
        self.values["crc"] = 0
        # The second half of HELLO, REFUSE and ACK lies behind the header, as DATA has its data.
        head = sum(self.values[name] << FIELDS[name][0] for name in self._names()).to_bytes(
            BEAT_BYTES, "little"
        )
        raw = bytearray(head[:HEADER_BYTES] + (self.data or head[HEADER_BYTES:]))
        raw *= beats
        raw[4:8] = checksum(_padded(raw)).to_bytes(4, "little")
        return bytes(raw)

    def _names(self):
        return [name for name, (bit, _) in FIELDS.items() if not self.data or bit < 8 * HEADER_BYTES]

    @classmethod
    def opened(cls, datagram):
        """Return the packet of a datagram, or None if it has another protocol or was altered on its way.

        A HELLO may have another version, so that it can be refused.
        """
        if not HEADER_BYTES < len(datagram) <= MOST_BEATS * BEAT_BYTES:
            return None
        head = int.from_bytes(datagram[:BEAT_BYTES], "little")
        made = cls.__new__(cls)
        made.values = {name: head >> bit & (1 << bits) - 1 for name, (bit, bits) in FIELDS.items()}
        made.data = bytes(datagram[HEADER_BYTES:])
        if made.magic != MAGIC or (made.version != VERSION and made.kind != HELLO):
            return None
        raw = bytearray(datagram)
        raw[4:8] = bytes(4)
        return made if checksum(_padded(raw)) == made.crc else None


def _padded(raw):
    return bytes(raw) + bytes(-len(raw) % BEAT_BYTES)
