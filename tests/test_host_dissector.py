# SPDX-License-Identifier: BSD-3-Clause
"""host/wireshark/shellgen.lua in tshark: what it shows of a real connection, in pieces of any size."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import struct
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from host_attacks import frames
from host_pair import (  # noqa: F401 - fixtures
    Running,
    files,
    golden,
    guarded,
    out,
)

from shellgen_host import Cluster, Hosts, protocol
from shellgen_host.wire import Message, read, seal

pytestmark = [pytest.mark.xdist_group("rehearse"), pytest.mark.sweep]

SCRIPT = Path(__file__).parents[1] / "host" / "wireshark" / "shellgen.lua"
Side = tuple[bool, bytes]  # whether the client sent it, and bytes


class Tap:
    """Stands before a node and records each connection."""

    def __init__(self, behind: tuple[str, int]) -> None:
        self.behind, self.connections = behind, []  # type: tuple[str, int], list[list[Side]]
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.address: tuple[str, int] = self._server.sockets[0].getsockname()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        record: list[Side] = []
        self.connections.append(record)
        far_reader, far_writer = await asyncio.open_connection(*self.behind)

        async def pump(ours: bool, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            while data := await source.read(4096):
                record.append((ours, data))
                sink.write(data)
            sink.close()

        await asyncio.gather(
            pump(True, reader, far_writer), pump(False, far_reader, writer), return_exceptions=True
        )

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()


def capture(path: Path, connections: list[list[Side]], draw: random.Random) -> None:
    """Write connections as a capture of TCP over IPv4, cut into segments anywhere."""
    data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 228)  # LINKTYPE_IPV4
    clock = 0
    for number, record in enumerate(connections):
        ends = ((b"\x0a\0\0\x01", 40000 + number), (b"\x0a\0\0\x02", 5000))
        sequence = [1000, 5000]

        def packet(ours: bool, flags: int, payload: bytes = b"") -> bytes:
            nonlocal clock
            (a, sport), (b, dport) = ends if ours else ends[::-1]  # noqa: B023 - called in this turn
            at = sequence[0 if ours else 1], sequence[1 if ours else 0]  # noqa: B023
            tcp = struct.pack(">HHIIBBHHH", sport, dport, *at, 0x50, flags, 65535, 0, 0) + payload
            whole = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, a, b) + tcp
            sequence[0 if ours else 1] += len(payload) + (flags & 2 > 0)  # noqa: B023
            clock += 1
            return struct.pack("<IIII", clock, 0, len(whole), len(whole)) + whole

        data += packet(True, 2) + packet(False, 0x12) + packet(True, 0x10)
        for ours, whole in record:
            piece = whole
            while piece:
                size = draw.choice((len(piece), draw.randint(1, 60)))
                data += packet(ours, 0x18, piece[:size])
                piece = piece[size:]
    path.write_bytes(data)


def shown(path: Path) -> list[dict[str, str]]:
    """Return the fields of each message that tshark shows."""
    tool = shutil.which("tshark")
    assert tool, "tshark is missing: apt-get install tshark"
    command = [
        tool,
        "-n",
        "-r",
        str(path),
        "-X",
        f"lua_script:{SCRIPT}",
        "-T",
        "json",
        "-J",
        "shellgen",
        "--no-duplicate-keys",
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert "Lua" not in ran.stderr.replace("Running as user", ""), ran.stderr
    found = []
    for packet in json.loads(ran.stdout):
        layer = packet["_source"]["layers"].get("shellgen", [])
        found += layer if isinstance(layer, list) else [layer]
    return found


def as_read(record: list[Side], ours: bool, frame_bytes: int) -> list[Message]:
    """Return the messages of one direction, as the client's reader sees them."""

    async def all_of_it() -> list[Message]:
        reader = asyncio.StreamReader()
        reader.feed_data(b"".join(data for side, data in record if side == ours))
        reader.feed_eof()
        found = []
        while not reader.at_eof():
            found.append(await read(reader, frame_bytes))
        return found

    return asyncio.run(all_of_it())


def number(text: str) -> int:
    return int(text, 0)


def test_a_real_connection(guarded: Running, tmp_path: Path) -> None:  # noqa: F811
    """Every field of every message is what the client's reader says."""
    x, y = golden(guarded.out)
    tap = Tap(guarded.hosts["two"])
    hosts = Hosts(guarded.hosts)
    hosts.token = guarded.hosts.token
    hosts["two"] = tap.address
    try:
        with Cluster(guarded.out, hosts) as cluster:
            assert np.array_equal(np.asarray(cluster.predict(x)).ravel(), y.ravel())
    finally:
        tap.close()
    frame_bytes = guarded.map.outputs[0].layout.frame_bytes
    assert len(tap.connections) == 2
    for index, record in enumerate(tap.connections):
        path = tmp_path / f"{index}.pcap"
        capture(path, [record], random.Random(index))
        wanted = as_read(record, True, frame_bytes) + as_read(record, False, frame_bytes)
        got = shown(path)
        assert sorted(map(key_of, got)) == sorted(map(key, wanted))
        assert len(got) > 3
        assert not any("wrong" in name or "other" in name for one in got for name in flat(one))


def key(message: Message) -> tuple[Any, ...]:
    values = {
        name: value.hex() if isinstance(value, bytes) else value for name, value in message.values.items()
    }
    return (
        message.type,
        message.edge,
        message.epoch,
        message.frame,
        message.flags,
        message.payload.hex(),
        str(sorted(values.items())),
    )


def flat(one: Any) -> dict[str, str]:
    """Return all fields, without the tree."""
    found: dict[str, str] = {}
    for name, value in one.items():
        for each in value if isinstance(value, list) else [value]:
            found |= flat(each) if isinstance(each, dict) else {name: each}
    return found


def key_of(one: dict[str, str]) -> tuple[Any, ...]:
    fields = {name.removeprefix("shellgen."): value for name, value in flat(one).items()}
    kind = number(fields["type"])
    _, names = protocol.FIELDS.get(kind, (None, ()))
    values: dict[str, Any] = {}
    for name in names:
        text = fields[f"{protocol.TYPES[kind].lower()}.{name}"]
        values[name] = (
            text.replace(":", "") if name in ("token", "key") else number(text) if name != "text" else text
        )
    payload = fields.get("payload", "").replace(":", "")
    head = (kind, *(number(fields[name]) for name in ("edge", "epoch", "frame", "flags")))
    return (*head, payload, str(sorted(values.items())))


def test_what_is_wrong_is_marked(tmp_path: Path, guarded: Running) -> None:  # noqa: F811
    """A checksum, a length, a version; and a connection of something else is left alone."""
    good = seal(Message(protocol.PING, epoch=3))
    altered = good[:40] + bytes([good[40] ^ 1]) + good[41:]
    head = (protocol.MAGIC, 9, protocol.BYE, 0, 0, 0, 0)
    records = [
        [(True, good + altered + good)],
        [(True, frames(guarded.cut, 3, 1, 2) + protocol.HEADER.pack(*head, 2, 0) + b"ab")],
        [(True, protocol.HEADER.pack(*head, 0xFFFFFFFF, 0))],
        [(True, b"GET / HTTP/1.1\r\nHost: shellgen\r\n\r\n")],
    ]
    path = tmp_path / "wrong.pcap"
    capture(path, records, random.Random(5))
    marks = [
        sorted(name for name in flat(one) if name.rpartition(".")[2] in ("wrong", "other"))
        for one in shown(path)
    ]
    all_of_them = ["shellgen.bytes.wrong", "shellgen.crc.wrong", "shellgen.version.other"]
    assert marks == [[], ["shellgen.crc.wrong"], [], [], [], all_of_them, ["shellgen.bytes.wrong"]]
