# SPDX-License-Identifier: BSD-3-Clause
"""Peers that break the protocol of shellgen-node, each a story on a control connection of its own."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from host_attacks import CONTROL, Victim, ended, frames, little_memory
from host_pair import TOKEN, Running, golden

from shellgen_host import Cluster, RefusedError, protocol
from shellgen_host.edges import hello
from shellgen_host.wire import Connection, Message, connect, read, seal, sealed_frame


class Peer:
    """A false client of the second node: its control connection in an epoch of its own."""

    def __init__(self, running: Running, control: Connection, epoch: int) -> None:
        self.running, self.control, self.epoch, self.first = running, control, epoch, 100
        self.edge, self.result = running.cut, running.map.outputs[0]

    async def begin(self, first: int) -> None:
        """Begin the next epoch, with this frame."""
        self.epoch, self.first = self.epoch + 1, first
        self.control.send(Message(protocol.EPOCH, epoch=self.epoch, frame=first))
        while (told := await read(self.control.reader)).type != protocol.EPOCH:
            assert told.type != protocol.FAULT, told.fault
        assert told.epoch == self.epoch

    async def source(self) -> Connection:
        """Connect as the first node would."""
        message = hello(self.edge, protocol.ROLE_SOURCE, self.epoch, 0, TOKEN)
        return await connect(self.running.hosts["two"], message)

    async def sink(self, wanted: int) -> Connection:
        """Connect as a client that takes results from this number on."""
        message = hello(self.result, protocol.ROLE_SINK, self.epoch, wanted, TOKEN)
        return await connect(self.running.hosts["two"], message)

    async def oldest_sink(self) -> Connection:
        """Connect as a client that takes all results that the node still has."""
        try:
            return await self.sink(0)
        except RefusedError as error:
            return await self.sink(int(str(error).rpartition(" ")[2]))

    async def state(self) -> dict[str, Any]:
        """Return the counters of the node."""
        self.control.send(Message(protocol.PING))
        while (told := await read(self.control.reader)).type != protocol.PING:
            assert told.type != protocol.FAULT, told.fault
        return told.values

    async def until(self, field: str, value: int) -> None:
        """Wait for a counter."""
        async with asyncio.timeout(10):
            while (await self.state())[field] != value:
                await asyncio.sleep(0.01)

    async def takes(self, connection: Connection, first: int, count: int) -> None:
        """These results come, in order."""
        for number in range(first, first + count):
            got = await asyncio.wait_for(read(connection.reader, self.result.layout.frame_bytes), 10)
            assert (got.type, got.frame) == (protocol.FRAME, number % (1 << 64))


Story = Callable[[Peer], Awaitable[None]]


def play(running: Running, story: Story, first: int = 100) -> None:
    """Run a story, which costs the node no memory; afterwards it serves an honest client as before."""

    async def run() -> None:
        values = CONTROL | {"token": TOKEN}
        control = await connect(running.hosts["two"], Message(protocol.HELLO, values=values))
        try:
            peer = Peer(running, control, control.welcome.epoch)
            await peer.begin(first)
            with little_memory(running.nodes["two"].pid):
                await asyncio.wait_for(story(peer), 60)
        finally:
            control.close()

    asyncio.run(run())
    x, y = golden(running.out)
    with Cluster(running.out, running.hosts) as cluster:
        assert np.array_equal(np.asarray(cluster.predict(x)).ravel(), y.ravel())


async def frame_numbers_that_jump(peer: Peer) -> None:
    """Forward, back, and to the other end; what came before counts."""
    for number in (102, 100, 1 << 63, (1 << 64) - 1):
        source = await peer.source()
        at = source.welcome.frame
        source.writer.write(frames(peer.edge, peer.epoch, at, 1) + frames(peer.edge, peer.epoch, number, 1))
        fault = await ended(source.reader)
        if number != at + 1:
            assert fault is not None
            assert fault.values["code"] == protocol.FAULT_ORDER
        source.close()


async def frame_numbers_that_wrap(peer: Peer) -> None:
    """An epoch whose numbers begin at the end of 64 bits goes on with 0."""
    await peer.begin((1 << 64) - 2)
    source, sink = await peer.source(), await peer.sink((1 << 64) - 2)
    source.writer.write(frames(peer.edge, peer.epoch, peer.first, 5))
    await peer.takes(sink, peer.first, 5)
    sink.send(Message(protocol.ACK, peer.result.number, peer.epoch, 1, values={"credits": 9}))
    await peer.until("unsent", 2)
    sink.close()
    again = await peer.sink(1)
    await peer.takes(again, 1, 2)


async def frames_that_were_altered(peer: Peer) -> None:
    """A bit of the payload, of the checksum, of another epoch, of another boundary: none is taken."""
    good = frames(peer.edge, peer.epoch, 100, 1)
    payload = bytes(peer.edge.layout.frame_bytes)
    bad = [good[:-1] + b"\1", good[:28] + bytes([good[28] ^ 1]) + good[29:]]
    bad += [sealed_frame(peer.edge.number, peer.epoch - 1, 100, payload)]
    bad += [sealed_frame(peer.result.number, peer.epoch, 100, payload)]
    for data in bad:
        source = await peer.source()
        assert source.welcome.frame == 100
        source.writer.write(data)
        assert await ended(source.reader) is not None


async def half_a_frame(peer: Peer) -> None:
    """Only what has arrived whole is acknowledged; the rest is sent again."""
    source = await peer.source()
    source.writer.write(frames(peer.edge, peer.epoch, 100, 2)[:-1])
    told = await asyncio.wait_for(read(source.reader), 10)
    assert (told.type, told.frame) == (protocol.ACK, 101)
    source.close()
    assert (await peer.source()).welcome.frame == 101


async def good_frames_before_a_bad_one(peer: Peer) -> None:
    """In one piece: the core gets them although nothing follows."""
    source, sink = await peer.source(), await peer.sink(100)
    source.writer.write(frames(peer.edge, peer.epoch, 100, 3) + b"\0" * 32)
    await peer.takes(sink, 100, 3)
    assert (await peer.source()).welcome.frame == 103


async def good_frames_before_goodbye(peer: Peer) -> None:
    """A source that sends BYE behind its last frame."""
    source, sink = await peer.source(), await peer.sink(100)
    source.writer.write(frames(peer.edge, peer.epoch, 100, 2) + seal(Message(protocol.BYE)))
    await peer.takes(sink, 100, 2)


async def credits_that_overflow(peer: Peer) -> None:
    """A sink that permits all there is: it gets its frames, once."""
    source, sink = await peer.source(), await peer.sink(100)
    for _ in range(3):
        values = {"credits": 0xFFFFFFFF}
        sink.send(Message(protocol.ACK, peer.result.number, peer.epoch, 100, values=values))
    source.writer.write(frames(peer.edge, peer.epoch, 100, 4))
    await peer.takes(sink, 100, 4)
    assert (await peer.state())["unsent"] == 4


async def acknowledged_but_never_sent(peer: Peer) -> None:
    """It ends that connection, and the frames are still there for the next one."""
    source = await peer.source()
    source.writer.write(frames(peer.edge, peer.epoch, 100, 3))
    await peer.until("made", 3)
    for number in (104, 99, 1 << 63, (1 << 64) - 1):
        sink = await peer.sink(100)
        sink.send(Message(protocol.ACK, peer.result.number, peer.epoch, number, values={"credits": 1}))
        await peer.takes(sink, 100, 3)
        assert await asyncio.wait_for(sink.reader.read(1), 10) == b""
    for number in (99, 104, 1 << 63):
        with pytest.raises(RefusedError, match=r"frame: \d+ is not there; the oldest is 100"):
            await peer.sink(number)
    await peer.takes(await peer.sink(100), 100, 3)


async def more_frames_than_credits(peer: Peer) -> None:
    """Ten rings full, sent at once: those that fit are taken, and the others wait in the socket."""
    source = await peer.source()
    before = victim_of(peer).memory()
    source.writer.write(frames(peer.edge, peer.epoch, 100, 320))
    await peer.until("unsent", 32)
    forgetful = await peer.sink(100)
    await peer.takes(forgetful, 100, 32)
    assert (await peer.state())["unsent"] == 32
    forgetful.close()
    sink = await peer.sink(100)  # nothing was acknowledged: all of it is still there
    taken = 100
    while taken < 420:
        await peer.takes(sink, taken, 20)
        taken += 20
        sink.send(Message(protocol.ACK, peer.result.number, peer.epoch, taken, values={"credits": 32}))
    victim_of(peer).has_grown_little(before)


async def a_controller_that_stops_reading(peer: Peer) -> None:
    """It asks, and takes no answer: the node keeps a bounded number of them, and lets the next one in."""
    peer.control.close()
    under = victim_of(peer)
    before = under.memory()
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        one.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(one, under.address)
        await loop.sock_sendall(one, seal(Message(protocol.HELLO, values=CONTROL | {"token": TOKEN})))
        with suppress(ConnectionError):
            async with asyncio.timeout(20):
                while True:
                    await loop.sock_sendall(one, seal(Message(protocol.PING)) * 50)
    under.has_grown_little(before)


async def an_epoch_without_a_next_one(peer: Peer) -> None:
    """The last number, and one that is over; the node goes on in its own."""
    for epoch, said in ((0xFFFFFFFF, "epoch: there is none after"), (peer.epoch, "is not above")):
        peer.control.send(Message(protocol.EPOCH, epoch=epoch))
        told = await read(peer.control.reader)
        assert told.type == protocol.FAULT
        assert said in told.fault
    await peer.begin(0)


async def what_a_controller_may_not_say(peer: Peer) -> None:
    """FRAME, ACK, HELLO on a control connection end it; the epoch goes on."""
    peer.control.send(Message(protocol.ACK, epoch=peer.epoch, values={"credits": 1}))
    fault = await ended(peer.control.reader)
    assert fault is not None
    assert "a message of type 4 is not permitted on a control connection" in fault.fault


FALSE_PEERS: tuple[Story, ...] = (
    frame_numbers_that_jump,
    frame_numbers_that_wrap,
    frames_that_were_altered,
    half_a_frame,
    good_frames_before_a_bad_one,
    good_frames_before_goodbye,
    credits_that_overflow,
    acknowledged_but_never_sent,
    more_frames_than_credits,
    a_controller_that_stops_reading,
    an_epoch_without_a_next_one,
    what_a_controller_may_not_say,
)


def victim_of(peer: Peer) -> Victim:
    """Return the node of a story."""
    node = peer.running.nodes["two"]
    return Victim(peer.running.hosts["two"], peer.edge, peer.epoch, TOKEN, node.pid)
