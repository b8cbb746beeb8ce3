# SPDX-License-Identifier: BSD-3-Clause
"""shellgen-node under attack: by strangers while frames go on, and by peers that break the protocol."""
# ruff: noqa: F811 - fixtures of host_pair are parameters here

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from false_peers import FALSE_PEERS, Peer, Story, play, victim_of
from host_attacks import CONTROL, Victim, answer, frames, strangers
from host_pair import TOKEN, Running, files, golden, guarded, out  # noqa: F401 - fixtures
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shellgen_host import Cluster, protocol
from shellgen_host.wire import Message, connect, seal

pytestmark = pytest.mark.xdist_group("rehearse")


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
        under.has_grown_little(before)


def test_strangers(guarded: Running) -> None:
    under_attack(guarded)


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
            await peer.state()  # the node ends a control connection that is silent for five seconds
            await asyncio.gather(*(attempt(peer, *attack) for attack in attacks))
            await honest(peer)

        # On a busy machine a draw may wait for the processor as long as it likes.
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=[HealthCheck.too_slow],
        )
        @given(ATTACKS)
        def attack(attacks: list[tuple[str, list[Damage]]]) -> None:
            runner.run(asyncio.wait_for(one(attacks), 30))

        try:
            attack()
        finally:
            control.close()
        victim_of(peer).has_grown_little(before)


def test_any_bytes(guarded: Running) -> None:
    any_bytes(guarded, 60)


@pytest.mark.sweep
def test_many_bytes(guarded: Running) -> None:
    any_bytes(guarded, 3000)
