# SPDX-License-Identifier: BSD-3-Clause
"""The protocol of host/: one table, both readers, and messages that are refused."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from shellgen_host import protocol, wire
from shellgen_host.crc32c import crc32c
from tools.host.protocol import TABLE, TableError, outputs, read_table


def test_what_is_generated_is_current() -> None:
    for path, text in outputs(read_table(TABLE.read_text())).items():
        assert path.read_text() == text, f"{path.name}: run `make protocol`"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('["spare", "u8", "0"],', "", "not at a multiple of 4"),
        ('"bytes184"', '"text184"', "there is no type text184"),
        ('["credits", "u32"', '["spare", "u32"', "twice"),
        ("BUSY = [9,", "BUSY = [8,", "twice"),
        ("type = 8", "type = 7", "twice"),
    ],
)
def test_a_table_that_contradicts_itself(old: str, new: str, said: str) -> None:
    text = TABLE.read_text()
    assert old in text
    with pytest.raises(TableError, match=said):
        read_table(text.replace(old, new))


def bitwise(data: bytes) -> int:
    """Divide as RFC 3720 defines it, bit by bit."""
    state = 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
    return state ^ 0xFFFFFFFF


def test_checksums() -> None:
    """The values of RFC 3720, appendix B.4, and every length around the change of method."""
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E
    data = np.random.default_rng(1).integers(0, 256, 4100, np.uint8).tobytes()
    for size in (0, 1, 3, 255, 256, 257, 258, 259, 511, 512, 513, 1024, 1027, 4100):
        assert crc32c(data[:size]) == bitwise(data[:size]), size
        assert crc32c(memoryview(data)[:size]) == bitwise(data[:size])


def read(data: bytes, frame_bytes: int = -1) -> wire.Message:
    async def all_of_it() -> wire.Message:
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        reader.feed_eof()
        return await wire.read(reader, frame_bytes)

    return asyncio.run(all_of_it())


def messages() -> list[wire.Message]:
    """One of each type, with another value in each field."""
    found = []
    for kind in protocol.TYPES:
        layout, names = protocol.FIELDS.get(kind, (None, ()))
        given = layout.unpack(bytes((7 + i) % 256 for i in range(layout.size))) if layout else ()
        values = dict(zip(names, given, strict=True))
        payload = b"frame" if kind == protocol.FRAME else b""
        found.append(wire.Message(kind, 0xA1B2C3D4, 5, 1 << 40, protocol.FLAG_ANSWER, values, payload))
    return found


@pytest.mark.parametrize("message", messages(), ids=lambda one: protocol.TYPES[one.type])
def test_a_message_comes_back(message: wire.Message) -> None:
    raw = wire.seal(message)
    assert read(raw, 5) == message
    assert raw[:4] == b"SHGH"
    assert int.from_bytes(raw[28:32], "little") == bitwise(raw[:28] + bytes(4) + raw[32:])


@pytest.mark.parametrize("message", messages(), ids=lambda one: protocol.TYPES[one.type])
def test_an_altered_message_is_refused(message: wire.Message) -> None:
    """Whichever bit it is."""
    raw = wire.seal(message)
    for at in range(len(raw)):
        wrong = bytearray(raw)
        wrong[at] ^= 1 << at % 8
        with pytest.raises((wire.WireError, EOFError)):
            read(bytes(wrong), 5)


def test_a_length_is_refused_before_anything_is_stored() -> None:
    """4 GiB are announced, and none of it is waited for."""
    head = protocol.HEADER.pack(protocol.MAGIC, protocol.VERSION, protocol.FRAME, 0, 1, 1, 0, 0xFFFFFFFF, 0)
    with pytest.raises(wire.WireError, match="with 4294967295 bytes is not permitted"):
        read(head, 5)
    with pytest.raises(wire.WireError, match="type 3 with 5 bytes is not permitted"):
        read(wire.sealed_frame(1, 1, 0, b"frame"))  # where no frame is permitted
    with pytest.raises(wire.WireError, match="does not speak the protocol"):
        read(b"GET / HTTP/1.1\r\nHost: zed0\r\n\r\n\r\n")


def test_text_from_elsewhere_is_printed_escaped() -> None:
    values = {"code": 1, "length": 9, "text": b"\x1b[2Jhello\xff and more"}
    assert wire.Message(protocol.FAULT, values=values).fault == "\\x1b[2Jhello"
