# SPDX-License-Identifier: BSD-3-Clause
"""shellgen-node through its sockets: what it refuses, by name, and what nobody else notices."""
# ruff: noqa: F811 - fixtures of host_pair are parameters here

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from host_attacks import CONTROL
from host_pair import Running, files, golden, out, running  # noqa: F401 - fixtures

from shellgen_host import Cluster, protocol
from shellgen_host.cluster_map import Edge
from shellgen_host.edges import hello
from shellgen_host.wire import Connection, Message, connect, read, seal, sealed_frame

pytestmark = pytest.mark.xdist_group("rehearse")


def knock(running: Running, message: Message) -> Message:
    """Return the answer of the second node to the first message of a connection."""
    return raw(running, seal(message))


def raw(running: Running, data: bytes) -> Message:
    async def ask() -> Message:
        reader, writer = await asyncio.open_connection(*running.hosts["two"])
        writer.write(data)
        try:
            return await asyncio.wait_for(read(reader), 20)
        finally:
            writer.transport.abort()

    return asyncio.run(ask())


def test_a_hello_is_refused_by_the_name_of_the_field(running: Running) -> None:
    edge = running.cut
    good = hello(edge, protocol.ROLE_SOURCE, 1, 0, bytes(32))

    def other(**values: Any) -> Message:
        return replace(good, values={**good.values, **values})

    cases = {
        protocol.FAULT_CONTRACT: (other(contract=1), "contract: 0000000000000001 instead of"),
        protocol.FAULT_FRAME_BYTES: (other(frame_bytes=0xFFFFFFFF), "frame_bytes: 4294967295 instead of"),
        protocol.FAULT_TOKEN: (other(token=b"\1" * 32), "token: it is not the token"),
        protocol.FAULT_BUILD_ID: (other(build_id=1), "build_id: node two has another build"),
        protocol.FAULT_VERSION: (
            other(low=9, high=9),
            f"low, high: this node speaks version {protocol.VERSION}",
        ),
        protocol.FAULT_EDGE: (replace(good, edge=1), "edge: no such boundary enters node two"),
        protocol.FAULT_EPOCH: (good, "epoch: 1 instead of 0"),
        protocol.FAULT_MALFORMED: (Message(protocol.BYE), "the first message of a connection is HELLO"),
    }
    for code, (message, said) in cases.items():
        answer = knock(running, message)
        assert (answer.type, answer.values["code"]) == (protocol.FAULT, code), said
        assert said in answer.fault
    assert "role: 7 is not known" in knock(running, other(role=7)).fault
    assert "leaves node two" in knock(running, other(role=protocol.ROLE_SINK)).fault


def test_what_is_no_message_is_refused(running: Running) -> None:
    """A length of 4 GiB, a wrong checksum, another version, another protocol; each at once."""
    head = (protocol.MAGIC, protocol.VERSION, protocol.HELLO, 0, 0, 0, 0)
    altered = bytearray(seal(Message(protocol.HELLO, values=CONTROL)))
    altered[40] ^= 1
    cases = {
        protocol.HEADER.pack(*head, 0xFFFFFFFF, 0): (
            protocol.FAULT_MALFORMED,
            "type 1 with 4294967295 bytes",
        ),
        bytes(altered): (protocol.FAULT_CHECKSUM, "the checksum of a message is wrong"),
        b"GET / HTTP/1.1\r\nHost: two\r\n\r\n    ": (
            protocol.FAULT_MALFORMED,
            "not the protocol of shellgen",
        ),
        protocol.HEADER.pack(protocol.MAGIC, 9, protocol.PING, 0, 0, 0, 0, 0, 0): (
            protocol.FAULT_VERSION,
            "version is 9",
        ),
    }
    for data, (code, said) in cases.items():
        answer = raw(running, data)
        assert answer.values["code"] == code
        assert said in answer.fault


Story = Callable[[Connection, Connection], Awaitable[None]]


def with_source(running: Running, story: Story) -> None:
    """Run a story with the second node's control connection and its connection for frames, in epoch 5."""

    async def run() -> None:
        address = running.hosts["two"]
        control = await connect(address, Message(protocol.HELLO, values=CONTROL))
        assert control.welcome.values["build_id"] == running.map.nodes["two"]
        control.send(Message(protocol.EPOCH, epoch=5, frame=100))
        answer = await read(control.reader)
        assert (answer.type, answer.flags, answer.epoch) == (protocol.EPOCH, protocol.FLAG_ANSWER, 5)
        # The first node keeps asking to connect; it has no epoch, so it does not.
        source = await connect(address, hello(running.cut, protocol.ROLE_SOURCE, 5, 0, bytes(32)))
        assert (source.welcome.frame, source.welcome.values["credits"]) == (100, 32)
        try:
            await asyncio.wait_for(story(control, source), 60)
        finally:
            source.close()
            control.close()

    asyncio.run(run())


def test_a_core_that_is_not_to_be_held(running: Running) -> None:
    """Whether a core is joined to others is the map's affair, and an order that says otherwise is refused."""

    async def story(control: Connection, _: Connection) -> None:
        control.send(Message(protocol.EPOCH, epoch=6, frame=100, flags=protocol.FLAG_HOLD))
        answer = await read(control.reader)
        assert (answer.type, answer.epoch, answer.values["code"]) == (protocol.FAULT, 6, protocol.FAULT_EPOCH)
        assert "flags: no hardware joins this node to others" in answer.fault

    with_source(running, story)


@pytest.mark.parametrize(
    ("make", "code", "said"),
    [
        (lambda e: sealed_frame(e.number, 5, 101, b"\0" * 2), "ORDER", "frame 101 instead of 100"),
        (lambda e: sealed_frame(e.number, 5, 0, b"\0" * 2), "ORDER", "frame 0 instead of 100"),
        (lambda e: sealed_frame(e.number, 5, (1 << 64) - 1, b"\0" * 2), "ORDER", "instead of 100"),
        (lambda e: sealed_frame(e.number, 4, 100, b"\0" * 2), "EPOCH", "another boundary or epoch"),
        (lambda e: sealed_frame(e.number + 1, 5, 100, b"\0" * 2), "EPOCH", "another boundary or epoch"),
        (lambda e: sealed_frame(e.number, 5, 100, b"\0" * 3), "MALFORMED", "3 bytes, where only frames of 2"),
        (
            lambda e: sealed_frame(e.number, 5, 100, b"\0" * 2)[:-1] + b"\1",
            "CHECKSUM",
            "of frame 100 is wrong",
        ),
        (lambda _: seal(Message(protocol.PING)), "MALFORMED", "where only frames of 2 are permitted"),
        (lambda _: b"\0" * 32, "MALFORMED", "not the header of a message"),
    ],
)
def test_a_frame_that_is_refused(
    running: Running, make: Callable[[Edge], bytes], code: str, said: str
) -> None:
    """By name; frames before it stay, and the next connection goes on behind them."""

    async def story(_: Connection, source: Connection) -> None:
        source.writer.write(make(running.cut))
        while (answer := await read(source.reader)).type != protocol.FAULT:
            assert answer.type == protocol.ACK
        assert protocol.FAULTS[answer.values["code"]] == code
        assert said in answer.fault
        again = await connect(running.hosts["two"], hello(running.cut, protocol.ROLE_SOURCE, 5, 0, bytes(32)))
        assert again.welcome.frame == 100
        again.send(Message(protocol.FRAME, running.cut.number, 5, 100, payload=b"\0" * 2))
        told = await read(again.reader)
        assert (told.type, told.frame) == (protocol.ACK, 101)
        again.close()

    with_source(running, story)


def test_a_full_ring_stops_reading(running: Running) -> None:
    """Without anybody who takes results, credits end: memory does not grow."""

    async def story(control: Connection, source: Connection) -> None:
        limit = 100 + source.welcome.values["credits"]
        number = 100
        while number < limit:
            source.writer.write(sealed_frame(running.cut.number, 5, number, b"\0" * 2))
            number += 1
            while number == limit:
                try:
                    told = await asyncio.wait_for(read(source.reader), 0.5)
                except TimeoutError:
                    control.send(Message(protocol.PING))
                    state = await read(control.reader)
                    assert (state.type, state.values["copied"]) == (protocol.PING, 0)
                    # On a busy machine a credit may only be late.
                    if state.values["unsent"] == 32 and state.values["waiting"] in (31, 32):
                        break
                    continue
                limit = max(limit, told.frame + told.values["credits"])
        # One ring before the core, one behind it, and what is inside the core.
        assert 64 <= number - 100 <= 72

    with_source(running, story)


def test_strangers_do_not_disturb(running: Running) -> None:
    """Half of a HELLO, a byte a second, and a hundred that say nothing, while frames go on."""
    x, y = golden(running.out)

    async def disturb() -> list[asyncio.StreamWriter]:
        found = []
        for index in range(100):
            _, writer = await asyncio.open_connection(*running.hosts["two"])
            writer.write(seal(Message(protocol.HELLO, values=CONTROL))[: index % 50])
            found.append(writer)
        return found

    with Cluster(running.out, running.hosts) as cluster:
        loop = asyncio.new_event_loop()
        strangers = loop.run_until_complete(disturb())
        got = np.asarray(cluster.predict(np.concatenate([x] * 20)))
        assert np.array_equal(got.reshape(20, -1), y.reshape(1, -1).repeat(20, 0))
        assert cluster.epochs == 1
        for writer in strangers:
            writer.transport.abort()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
