# SPDX-License-Identifier: BSD-3-Clause
"""shellgen-node under attack: by strangers while frames go on, and by peers that break the protocol."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from host_attacks import CONTROL, Victim, answer, ended, frames, strangers
from hypothesis import given, settings
from hypothesis import strategies as st
from test_host_node import Running, files, golden, out  # noqa: F401 - fixtures

from shellgen.rehearse.processes import PORT, Node, NodeFiles, Nodes, loopback
from shellgen_host import Cluster, Hosts, RefusedError, protocol
from shellgen_host.cluster_map import read_map
from shellgen_host.edges import hello
from shellgen_host.wire import Connection, Message, connect, read, seal, sealed_frame

pytestmark = pytest.mark.xdist_group("rehearse")

TOKEN = bytes(range(1, 33))
MOST_GROWTH = (
    2 << 20
)  # bytes that a node may need for all its strangers: 64 connections, and what they were answered


@contextmanager
def started(out: Path, files: dict[str, NodeFiles], folder: Path) -> Iterator[Running]:  # noqa: F811
    """Two running nodes that want a token."""
    network, hosts, found = loopback(), Hosts(), read_map(out)
    hosts.token = TOKEN
    hosts.update({name: (f"{network}.{index}", PORT) for index, name in enumerate(files, 1)})
    nodes = {}
    for name, given_files in files.items():
        to = {edge: hosts[ends[1]] for edge, ends in found.between.items() if ends[0] == name}
        nodes[name] = Node(
            name, hosts[name], replace(given_files, connect=to, options=("--token", TOKEN.hex())), folder
        )
    with Nodes(nodes):
        yield Running(out, hosts, found, nodes)


@pytest.fixture(scope="module")
def guarded(
    out: Path,  # noqa: F811
    files: dict[str, NodeFiles],  # noqa: F811
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Running]:
    """Nodes for all tests of this file: each leaves them as usable as it found them."""
    with started(out, files, tmp_path_factory.mktemp("guarded")) as running:
        yield running


def victim(running: Running) -> Victim:
    """Return the second node as a stranger sees it: a refusal carries the node's epoch."""
    unknown = Victim(running.hosts["two"], running.cut, 0, TOKEN, running.nodes["two"].pid)
    refusal = asyncio.run(answer(unknown, seal(Message(protocol.BYE))))
    assert refusal is not None
    return replace(unknown, epoch=refusal.epoch)


def under_attack(running: Running) -> None:
    """All attacks of strangers at the same time, while a client streams: it notices nothing."""
    x, y = golden(running.out)
    stop = threading.Event()
    wrong: list[BaseException] = []

    def source() -> Iterator[Any]:
        while not stop.is_set():
            yield from x
            time.sleep(0.02)

    def go(under: Victim) -> None:
        try:
            asyncio.run(strangers(under))
        except BaseException as error:  # raised below
            wrong.append(error)
        stop.set()

    with Cluster(running.out, running.hosts, window=20) as cluster:
        cluster.predict(x)
        under = victim(running)
        before = under.memory()
        thread = threading.Thread(target=go, args=[under])
        thread.start()
        count = 0
        for got in cluster.stream(source()):
            assert np.array_equal(np.asarray(got).ravel(), y[count % len(y)].ravel())
            count += 1
        thread.join()
        if wrong:
            raise wrong[0]
        assert cluster.epochs == 1
        assert count > 50
        assert under.memory() - before < MOST_GROWTH


def test_strangers(guarded: Running) -> None:
    under_attack(guarded)


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
    """Run a story; afterwards the node serves an honest client as before."""

    async def run() -> None:
        values = CONTROL | {"token": TOKEN}
        control = await connect(running.hosts["two"], Message(protocol.HELLO, values=values))
        try:
            peer = Peer(running, control, control.welcome.epoch)
            await peer.begin(first)
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
    assert victim_of(peer).memory() - before < MOST_GROWTH


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
    assert under.memory() - before < MOST_GROWTH


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


@pytest.mark.parametrize("story", FALSE_PEERS, ids=lambda one: one.__name__)
def test_false_peers(guarded: Running, story: Story) -> None:
    play(guarded, story)


def sealed_messages(peer: Peer) -> list[bytes]:
    """One message of each type, as the node might take it."""
    head: dict[str, Any] = {"edge": peer.edge.number, "epoch": peer.epoch, "frame": peer.first}
    found = [seal(Message(kind, **head)) for kind in protocol.TYPES if kind != protocol.FRAME]
    return [*found, frames(peer.edge, peer.epoch, peer.first, 2)]


Damage = tuple[int, int, int, bytes]  # which message, from and to which byte, and what stands there instead
DAMAGE = st.tuples(st.integers(0, 8), st.integers(0, 80), st.integers(0, 80), st.binary(max_size=40))
# Of each connection: whether it begins with a HELLO that is accepted, and what follows.
ATTACKS = st.lists(
    st.tuples(st.sampled_from(("", "source", "sink")), st.lists(DAMAGE, max_size=4)), min_size=1, max_size=4
)


async def attempt(peer: Peer, kind: str, damages: list[Damage]) -> None:
    """Open a connection and send damaged messages."""
    if kind:
        connection = await (peer.source() if kind == "source" else peer.oldest_sink())
        writer = connection.writer
    else:
        _, writer = await asyncio.open_connection(*peer.running.hosts["two"])
    messages = sealed_messages(peer)
    with suppress(OSError):
        for which, begin, end, instead in damages:
            raw = messages[which % len(messages)]
            writer.write(raw[:begin] + instead + raw[end:])
            await writer.drain()
        writer.write_eof()
    await asyncio.sleep(0)
    writer.transport.abort()


async def honest(peer: Peer) -> None:
    """A frame of an honest source reaches an honest sink, behind what an attack may have brought in."""
    source = await peer.source()
    number = source.welcome.frame
    source.writer.write(frames(peer.edge, peer.epoch, number, 1))
    sink = await peer.oldest_sink()
    await peer.takes(sink, sink.welcome.frame, number + 1 - sink.welcome.frame)
    peer.first = number + 1
    sink.send(Message(protocol.ACK, peer.result.number, peer.epoch, peer.first, values={"credits": 9}))
    await peer.until("unsent", 0)
    for each in (source, sink):
        each.close()


def any_bytes(running: Running, examples: int) -> None:
    """Attacks that hypothesis makes up, on connections with and without an accepted HELLO."""
    with asyncio.Runner() as runner:
        values = CONTROL | {"token": TOKEN}
        hello_ = Message(protocol.HELLO, values=values)
        control = runner.run(connect(running.hosts["two"], hello_))
        peer = Peer(running, control, control.welcome.epoch)
        runner.run(peer.begin(100))
        before = victim_of(peer).memory()

        async def one(attacks: list[tuple[str, list[Damage]]]) -> None:
            await asyncio.gather(*(attempt(peer, *attack) for attack in attacks))
            await honest(peer)

        @settings(max_examples=examples, deadline=None, database=None, derandomize=True)
        @given(ATTACKS)
        def attack(attacks: list[tuple[str, list[Damage]]]) -> None:
            runner.run(asyncio.wait_for(one(attacks), 30))

        try:
            attack()
        finally:
            control.close()
        assert victim_of(peer).memory() - before < MOST_GROWTH


def test_any_bytes(guarded: Running) -> None:
    any_bytes(guarded, 60)


@pytest.mark.sweep
def test_many_bytes(guarded: Running) -> None:
    any_bytes(guarded, 3000)
