# SPDX-License-Identifier: BSD-3-Clause
"""Attacks of strangers on a running shellgen-node, by name; AssertionError if it gives in."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from shellgen_host import protocol
from shellgen_host.cluster_map import Edge
from shellgen_host.edges import hello
from shellgen_host.wire import Message, WireError, read, seal, sealed_frame

CONTROL = {"low": protocol.VERSION, "high": protocol.VERSION, "role": protocol.ROLE_CONTROL}
# Bytes that a node may need for all its strangers: 64 connections, and what they were answered.
MOST_GROWTH = 2 << 20
HELLO_SECONDS = 5.0  # after which a node closes a connection without HELLO


def most_memory(pid: int) -> int:
    """Bytes of memory that a process has at most had so far."""
    status = Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])


@contextmanager
def little_memory(*pids: int) -> Iterator[None]:
    """Fail if what happens inside raises the memory of processes by more than a few connections need."""
    before = [most_memory(pid) for pid in pids]
    yield
    for pid, had in zip(pids, before, strict=True):
        assert most_memory(pid) - had < MOST_GROWTH


@dataclass(frozen=True)
class Victim:
    """A node under attack.

    Attributes:
        address: Where it listens.
        edge: A boundary whose frames enter it.
        epoch: Its epoch.
        token: What it was started with.
        pid: Its process.
    """

    address: tuple[str, int]
    edge: Edge
    epoch: int
    token: bytes
    pid: int

    def memory(self) -> int:
        """Bytes of memory that it has at most had so far."""
        return most_memory(self.pid)

    def has_grown_little(self, before: int) -> None:
        """It needs hardly more memory than before; AssertionError."""
        assert self.memory() - before < MOST_GROWTH


async def answer(victim: Victim, data: bytes, seconds: float = 20) -> Message | None:
    """Return the node's answer to bytes on a new connection; none if it closes the connection."""
    reader, writer = await asyncio.open_connection(*victim.address)
    try:
        writer.write(data)
        return await asyncio.wait_for(read(reader), seconds)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    finally:
        writer.transport.abort()


async def refused(victim: Victim, data: bytes, code: int) -> None:
    """The node answers with this fault."""
    got = await answer(victim, data)
    assert got is not None
    assert got.type == protocol.FAULT
    assert got.values["code"] == code, got.fault


async def half_open_hello(victim: Victim) -> None:
    """Half of a HELLO, and then nothing: the node closes it."""
    whole = seal(Message(protocol.HELLO, values=CONTROL | {"token": victim.token}))
    loop = asyncio.get_running_loop()
    begun = loop.time()
    assert await answer(victim, whole[:50]) is None
    assert HELLO_SECONDS - 0.5 < loop.time() - begun < HELLO_SECONDS + 5


async def one_byte_a_second(victim: Victim) -> None:
    """The node does not wait until they are a HELLO."""
    reader, writer = await asyncio.open_connection(*victim.address)
    ended = asyncio.ensure_future(reader.read(1))
    for byte in seal(Message(protocol.HELLO, values=CONTROL)):
        writer.write(bytes([byte]))
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(ended), 1)
        if ended.done():
            break
    else:
        raise AssertionError("it took a HELLO that came slowly")
    assert ended.exception() is not None or ended.result() == b""
    writer.transport.abort()


async def thousand_connections(victim: Victim) -> None:
    """They say nothing: a client that says HELLO meanwhile is answered at once."""
    held = []
    try:
        for index in range(1000):
            one = socket.socket()
            one.setblocking(False)
            held.append(one)
            await asyncio.get_running_loop().sock_connect(one, victim.address)
            if index % 100 == 99:
                loop = asyncio.get_running_loop()
                begun = loop.time()
                await refused(victim, seal(Message(protocol.BYE)), protocol.FAULT_MALFORMED)
                assert loop.time() - begun < HELLO_SECONDS / 2
                assert len(list(Path(f"/proc/{victim.pid}/fd").iterdir())) < 200
    finally:
        for one in held:
            one.close()


async def port_scan(victim: Victim) -> None:
    """Connections that end at once, by FIN and by RST."""
    for index in range(100):
        with socket.socket() as one:
            one.setblocking(False)
            await asyncio.get_running_loop().sock_connect(one, victim.address)
            if index % 2:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def length_of_4_gib(victim: Victim) -> None:
    """With every type of message, and types that do not exist."""
    for kind in (*range(16), 255):
        head = (protocol.MAGIC, protocol.VERSION, kind, 0, 0, 0, 0)
        await refused(victim, protocol.HEADER.pack(*head, 0xFFFFFFFF, 0), protocol.FAULT_MALFORMED)


async def wrong_length(victim: Victim) -> None:
    """One byte more or less than the type has."""
    for kind in protocol.TYPES:
        size = protocol.FIELDS[kind][0].size if kind in protocol.FIELDS else 0
        for bytes_ in {max(0, size - 1), size + 1} - {size}:
            head = (protocol.MAGIC, protocol.VERSION, kind, 0, 0, 0, 0)
            data = protocol.HEADER.pack(*head, bytes_, 0)
            await refused(victim, data + bytes(bytes_), protocol.FAULT_MALFORMED)


async def wrong_checksum(victim: Victim) -> None:
    """In the header and behind it."""
    for at in (9, 40, 70):
        data = bytearray(seal(Message(protocol.HELLO, values=CONTROL)))
        data[at] ^= 0x10
        await refused(victim, bytes(data), protocol.FAULT_CHECKSUM)


async def another_protocol(victim: Victim) -> None:
    """A web browser, TLS, and terminal sequences."""
    for data in (
        b"GET / HTTP/1.1\r\nHost: two\r\n\r\n    ",
        b"\x16\x03\x01" + bytes(40),
        b"\x1b[2J\x9b31m" * 8,
    ):
        got = await answer(victim, data)
        assert got is None or got.type == protocol.FAULT


async def old_epoch(victim: Victim) -> None:
    """A HELLO of an epoch that is over, and of one to come."""
    for epoch in (0, victim.epoch - 1, victim.epoch + 1, 0xFFFFFFFF):
        message = hello(victim.edge, protocol.ROLE_SOURCE, epoch, 0, victim.token)
        await refused(victim, seal(message), protocol.FAULT_EPOCH)


async def wrong_token(victim: Victim) -> None:
    """One bit is enough, and so is none at all."""
    near = bytes([victim.token[0] ^ 1]) + victim.token[1:]
    for token in (bytes(32), near, victim.token[:-1] + b"\0"):
        for role in (protocol.ROLE_SOURCE, protocol.ROLE_CONTROL):
            message = hello(victim.edge, role, victim.epoch, 0, token)
            await refused(victim, seal(message), protocol.FAULT_TOKEN)


async def a_second_controller(victim: Victim) -> None:
    """While there is one."""
    data = seal(Message(protocol.HELLO, values=CONTROL | {"token": victim.token}))
    await refused(victim, data, protocol.FAULT_BUSY)


Attack = Callable[[Victim], Awaitable[None]]
# What needs no right at all. Those that are slow run while the others do; a thousand would push them out.
SLOW: tuple[Attack, ...] = (half_open_hello, one_byte_a_second)
QUICK: tuple[Attack, ...] = (
    port_scan,
    length_of_4_gib,
    wrong_length,
    wrong_checksum,
    another_protocol,
    old_epoch,
    wrong_token,
    a_second_controller,
)
CROWD: tuple[Attack, ...] = (thousand_connections,)


async def strangers(victim: Victim) -> None:
    """All of them."""

    async def one_by_one(attacks: tuple[Attack, ...]) -> None:
        for attack in attacks:
            await attack(victim)

    await asyncio.gather(one_by_one(QUICK), *(attack(victim) for attack in SLOW))
    await one_by_one(CROWD)


def frames(edge: Edge, epoch: int, first: int, count: int) -> bytes:
    """Return frames of zeros."""
    payload = bytes(edge.layout.frame_bytes)
    return b"".join(sealed_frame(edge.number, epoch, (first + i) % (1 << 64), payload) for i in range(count))


async def ended(reader: asyncio.StreamReader) -> Message | None:
    """Read until the node ends the connection; return its FAULT, if it sent one."""
    fault = None
    with suppress(asyncio.IncompleteReadError, ConnectionError, WireError):
        while True:
            message = await asyncio.wait_for(read(reader), 20)
            fault = message if message.type == protocol.FAULT else fault
    return fault
