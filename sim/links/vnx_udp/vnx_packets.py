# SPDX-License-Identifier: BSD-3-Clause
"""Packets of a boundary over VNx as datagrams (docs/vnx.md); of the cores it shares only the numbers."""

from __future__ import annotations

from typing import Any

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

BEAT = 64  # bytes
# Those of every packet, and those that lie behind them, in HELLO and REFUSE only; in an ACK `have` does.
HEAD = {name: place for name, place in FIELDS.items() if place[0] < 8 * HEADER_BYTES}
TERMS = {name: place for name, place in FIELDS.items() if name not in (*HEAD, "have")}
_POLYNOMIAL = 0x82F63B78


def _table() -> list[int]:
    found = []
    for value in range(256):
        rest = value
        for _ in range(8):
            rest = rest >> 1 ^ (_POLYNOMIAL if rest & 1 else 0)
        found.append(rest)
    return found


_TABLE = _table()


def checksum(datagram: bytes) -> int:
    """Return the CRC-32C (RFC 3720) of a datagram; its own field and what fills the last beat are zeros."""
    value = 0xFFFFFFFF
    padded = datagram[:4] + bytes(4) + datagram[8:]
    for byte in padded.ljust(-(-len(padded) // BEAT) * BEAT, b"\0"):
        value = value >> 8 ^ _TABLE[(value ^ byte) & 0xFF]
    return value ^ 0xFFFFFFFF


def sealed(datagram: bytes) -> bytes:
    """Return a datagram with the checksum that it should have."""
    return datagram[:4] + checksum(datagram).to_bytes(4, "little") + datagram[8:]


def packet(kind: int, data: bytes = b"", /, **values: int) -> bytes:
    """Return a datagram: DATA with its piece of a frame, or one of a beat; fields that are left out are 0."""
    told = {
        "magic": MAGIC,
        "version": VERSION,
        "kind": kind,
        "bytes": len(data) or BEAT - HEADER_BYTES,
    } | values
    places = HEAD if data else FIELDS
    head = sum(value << places[name][0] for name, value in told.items())
    return sealed(
        head.to_bytes(BEAT, "little")[:HEADER_BYTES] + (data or head.to_bytes(BEAT, "little")[HEADER_BYTES:])
    )


def alike(datagram: bytes, beats: int) -> bytes:
    """Return a packet of ``beats`` beats like the one of a datagram, as a HELLO is: full packets pass."""
    return sealed((datagram[:4] + bytes(4) + datagram[8:BEAT]) * beats)


def fields(datagram: bytes) -> dict[str, int]:
    """Return the fields of a datagram; those behind the header too, whatever lies there."""
    head = int.from_bytes(datagram[:BEAT], "little")
    return {name: head >> bit & ((1 << bits) - 1) for name, (bit, bits) in FIELDS.items()}


def flipped(datagram: bytes, *bits: int) -> bytes:
    """Return a datagram with some bits inverted, and not sealed again."""
    value = int.from_bytes(datagram, "little")
    for bit in bits:
        value ^= 1 << bit
    return value.to_bytes(len(datagram), "little")


def littered(datagram: bytes, random: Any) -> bytes:
    """Return a packet of one beat with noise in what nobody looks at, sealed again."""
    ends = [bit + bits for name, (bit, bits) in FIELDS.items() if name in HEAD]
    unused = [*range(max(ends) // 8, HEADER_BYTES)]
    kind = fields(datagram)["kind"]
    if kind in (HELLO, REFUSE):
        unused += range(max(bit + bits for bit, bits in TERMS.values()) // 8, BEAT)
    elif kind != ACK:
        unused += range(HEADER_BYTES, BEAT)
    noisy = bytearray(datagram)
    for at in unused:
        noisy[at] = int(random.integers(0, 256))
    return sealed(bytes(noisy))
