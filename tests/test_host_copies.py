# SPDX-License-Identifier: BSD-3-Clause
"""One stream with several consumers at shellgen-node: read once, each at its own pace, none loses a frame."""
# ruff: noqa: F811 - fixtures of host_pair are parameters here

from __future__ import annotations

import asyncio
import json
import random
import shutil
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from branch_cluster import made_type, write_build, write_cluster
from host_attacks import CONTROL
from host_pair import files, out  # noqa: F401 - fixtures
from rehearsed import rehearsed

from shellgen.api import generate
from shellgen.rehearse import node_program
from shellgen.rehearse.processes import PORT, Node, NodeFiles, Nodes, loopback
from shellgen.resources import data_dir
from shellgen.simulate.tools import find_verilator
from shellgen_host import protocol
from shellgen_host.cluster_map import Edge, read_map
from shellgen_host.crc32c import crc32c
from shellgen_host.edges import hello
from shellgen_host.wire import Connection, Message, WireError, connect, read, seal, sealed_frame

pytestmark = pytest.mark.xdist_group("rehearse")

SLOTS, FIRST = 8, 100
QUICK, STUCK, CLIENT = "quick", "stuck", "client"  # boundaries
PATIENCE = 30.0


@dataclass
class Consumer:
    """A node that takes frames, and acknowledges each.

    Attributes:
        name: Boundary that it takes.
        frames: What has come, by number.
        silent: It takes the connection and then reads nothing.
        dies: Its connection breaks as soon as it has so many frames, before it acknowledges the last.
        accepted: Connections that it has had.
        unwanted: Frames that came instead of the next one.
    """

    name: str
    frames: dict[int, bytes] = field(default_factory=dict)
    silent: bool = False
    dies: tuple[int, ...] = ()
    accepted: int = 0
    unwanted: list[int] = field(default_factory=list)
    frame_bytes: int = 0
    writer: asyncio.StreamWriter | None = None

    def hang_up(self) -> None:
        """Close the connection, whatever is under way."""
        assert self.writer
        self.writer.transport.abort()

    @property
    def wanted(self) -> int:
        return FIRST + len(self.frames)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        greeting = await read(reader)
        self.accepted += 1
        self.writer = writer
        self.frame_bytes = greeting.values["frame_bytes"]
        edge, epoch = greeting.edge, greeting.epoch
        writer.write(seal(Message(protocol.WELCOME, edge, epoch, self.wanted, values={"credits": 4})))
        while not self.silent:
            await self.take(reader)
            if len(self.frames) in self.dies:
                return self.hang_up()
            writer.write(seal(Message(protocol.ACK, edge, epoch, self.wanted, values={"credits": 4})))
            await asyncio.sleep(random.uniform(0, 0.002))
        return None

    async def take(self, reader: asyncio.StreamReader) -> None:
        got = await read(reader, self.frame_bytes)
        assert (got.type, got.edge) == (protocol.FRAME, crc32c(self.name.encode()))
        if got.frame != self.wanted:
            self.unwanted.append(got.frame)
        assert got.frame == self.wanted
        self.frames[got.frame] = got.payload


@dataclass
class Fan:
    """A node whose stream three consumers take: two nodes that this test plays, and the client."""

    address: tuple[str, int]
    peers: dict[str, tuple[str, int]]
    source: Edge
    result: Edge
    node: Node


@pytest.fixture
def fan(out: Path, files: dict[str, NodeFiles], tmp_path: Path) -> Iterator[Fan]:
    """The first of two boards, with a map in which two others get what it sends: its core does not matter."""
    whole = json.loads((out / "memory_map.json").read_text())
    entry = whole["nodes"][0]
    (sent,) = [stream for stream in entry["streams"] if stream["direction"] == "tx"]
    sent |= {"boundary": QUICK, "host": False}
    sent["copies"] = [
        {"boundary": STUCK, "host": False, "tensor": None, "deal": None},
        {"boundary": CLIENT, "host": True, "tensor": "result", "deal": None},
    ]
    path = tmp_path / "memory_map.json"
    path.write_text(json.dumps({**whole, "nodes": [entry]}))
    network = loopback()
    address = (f"{network}.1", PORT)
    peers = {QUICK: (f"{network}.2", PORT), STUCK: (f"{network}.3", PORT)}
    given = replace(files["one"], map=path, connect=peers, options=("--slots", str(SLOTS)))
    node = Node("one", address, given, tmp_path)
    sent |= {
        "host": True,
        "copies": [one | {"host": True} for one in sent["copies"]],
    }  # to be read as a client
    seen = tmp_path / "seen"
    seen.mkdir()
    (seen / "memory_map.json").write_text(json.dumps({**whole, "nodes": [entry]}))
    found = read_map(seen)
    (result,) = [edge for edge in found.sinks if edge.name == CLIENT]
    with Nodes({"one": node}):
        yield Fan(address, peers, found.inputs[0], result, node)


class Played:
    """The epoch of a test: the node's control connection, what enters it, and its consumers."""

    def __init__(self, fan: Fan) -> None:
        self.fan = fan
        self.quick, self.stuck, self.client = (Consumer(name) for name in (QUICK, STUCK, CLIENT))
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Played:
        self._servers = {
            name: await asyncio.start_server(one.serve, *self.fan.peers[name])
            for name, one in ((QUICK, self.quick), (STUCK, self.stuck))
        }
        greeting = Message(protocol.HELLO, values=CONTROL | {"token": bytes(32)})
        self.control = await connect(self.fan.address, greeting)
        self.control.send(Message(protocol.EPOCH, epoch=1, frame=FIRST))
        while (await read(self.control.reader)).type != protocol.EPOCH:
            pass
        self.client.frame_bytes = self.fan.result.layout.frame_bytes
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        self.control.close()
        for server in self._servers.values():
            server.close()

    def feed(self, count: int) -> None:
        """Send so many frames, all different, as credits permit."""
        self._tasks.append(asyncio.ensure_future(self._feed(count)))

    async def _feed(self, count: int) -> None:
        edge = self.fan.source
        into = await connect(self.fan.address, hello(edge, protocol.ROLE_SOURCE, 1, 0, bytes(32)))
        limit = FIRST + into.welcome.values["credits"]
        numbers = random.Random(1)
        for number in range(FIRST, FIRST + count):
            while number >= limit:
                told = await read(into.reader)
                limit = told.frame + told.values["credits"]
            payload = bytes(numbers.randrange(256) for _ in range(edge.layout.frame_bytes))
            into.writer.write(sealed_frame(edge.number, 1, number, payload))
        while True:
            await read(into.reader)

    async def connect_client(self) -> None:
        """Take results as the client does, and acknowledge each."""
        edge = self.fan.result
        sink = await connect(self.fan.address, hello(edge, protocol.ROLE_SINK, 1, FIRST, bytes(32)))
        self._tasks.append(asyncio.ensure_future(self._drain(sink)))

    async def _drain(self, sink: Connection) -> None:
        while True:
            await self.client.take(sink.reader)
            sink.send(
                Message(protocol.ACK, self.fan.result.number, 1, self.client.wanted, values={"credits": 9})
            )

    async def state(self) -> dict[str, Any]:
        self.control.send(Message(protocol.PING))
        while (told := await read(self.control.reader)).type != protocol.PING:
            assert told.type != protocol.FAULT, told.fault
        return told.values

    async def until(self, *consumers: Consumer, count: int) -> None:
        """Wait until these have so many frames."""
        async with asyncio.timeout(PATIENCE):
            while any(len(one.frames) < count for one in consumers):
                await self.state()
                await asyncio.sleep(0.01)

    def same(self, count: int) -> None:
        """All consumers have the same frames, and these are not all alike."""
        found = [list(one.frames.items()) for one in (self.quick, self.stuck, self.client)]
        assert found[0] == found[1] == found[2]
        assert [number for number, _ in found[0]] == list(range(FIRST, FIRST + count))
        assert len({payload for _, payload in found[0]}) > 1


async def never_reads(fan: Fan) -> None:
    """The others get their frames until the ring is full; it holds up nothing else, and nobody loses one."""
    async with Played(fan) as played:
        played.stuck.silent = True
        await played.connect_client()
        played.feed(40)
        await played.until(played.quick, played.client, count=SLOTS)
        async with asyncio.timeout(PATIENCE):
            while (state := await played.state())["made"] < SLOTS or state["waiting"] < 2:
                await asyncio.sleep(0.01)
        assert state["unsent"] == state["made"] == SLOTS
        assert len(played.quick.frames) == len(played.client.frames) == SLOTS
        assert not played.stuck.frames
        played.stuck.silent = False
        played.stuck.hang_up()
        await played.until(played.quick, played.stuck, played.client, count=40)
        played.same(40)


async def dies_and_comes_back(fan: Fan) -> None:
    """Again and again, in the middle of what was sent; the others are not held up, at rates of their own."""
    async with Played(fan) as played:
        played.stuck.dies = (3, 10, 11, 40, 90)
        await played.connect_client()
        played.feed(120)
        await played.until(played.quick, played.stuck, played.client, count=120)
        played.same(120)
        assert played.stuck.accepted > len(played.stuck.dies)  # a connection may break while it is made
        assert not played.stuck.unwanted  # nothing is sent before it has said which frame is the next
        assert played.quick.accepted == 1
        assert (await played.state())["copied"] == 0


@pytest.mark.parametrize("story", [never_reads, dies_and_comes_back])
def test_a_consumer_that(fan: Fan, story: Callable[[Fan], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(story(fan))


# File, its text, and the mistake.
MISTAKES = {
    "free when any consumer has it": (
        "sender",
        "least = std::min(least, outlet->acknowledged());",
        "least = std::max(freed_, outlet->acknowledged());",
    ),
    "a checksum of the frame before": ("sender", "ring_.of(ring_.made).summed = false;", ""),
    "one boundary for all": ("outlet", "found.edge = consumer_.edge;", "found.edge = stream_.edge;"),
    "sent before it is known from where": ("outlet", "welcomed_ = false;", "welcomed_ = true;"),
    "sent to the first alone": (
        "sender",
        "for (auto &outlet : outlets_) outlet->send();",
        "outlets_[0]->send();",
    ),
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found(fan: Fan, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the two stories above ends badly."""
    file, old, new = MISTAKES[name]
    folder = tmp_path / "data" / "host" / "node"
    shutil.copytree(data_dir("host") / "node", folder)
    path = folder / f"{file}.cpp"
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))
    monkeypatch.setattr(node_program, "data_dir", lambda _: folder.parent)
    monkeypatch.setattr(node_program, "FLAGS", ("-std=c++17", "-O0", "-DASIO_STANDALONE"))
    monkeypatch.setitem(globals(), "PATIENCE", 4.0)
    fan.node.kill()
    program = node_program.node_program(find_verilator(), tmp_path / "cache")
    fan.node._files = replace(fan.node._files, program=program)
    with pytest.raises((AssertionError, TimeoutError, OSError, WireError)):  # noqa: PT012 - either of two
        for story in (dies_and_comes_back, never_reads):
            fan.node.kill()
            fan.node.start()
            fan.node.wait()
            asyncio.run(story(fan))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda sent: sent["copies"][0].update(boundary=QUICK), "have the same CRC-32C; rename a partition"),
        (lambda sent: sent["copies"][1].update(host=False), f"--connect: {CLIENT} goes to another node"),
        (lambda sent: sent["copies"][0].update(host=True), f"--connect: {STUCK} ends at the client"),
        (lambda sent: sent.update(direction="rx"), f"copies: {QUICK} enters the core"),
    ],
)
def test_a_map_of_consumers_that_is_wrong(fan: Fan, tmp_path: Path, change: Any, said: str) -> None:
    fan.node.kill()
    path = tmp_path / "memory_map.json"
    whole = json.loads(path.read_text())
    (sent,) = [one for one in whole["nodes"][0]["streams"] if one["copies"]]
    change(sent)
    path.write_text(json.dumps(whole))
    fan.node.start()
    assert fan.node.ended() == 2
    assert said in fan.node.said()


CONSUMERS = [f"StreamingDataflowPartition_0_to_StreamingDataflowPartition_0_b{k}" for k in (1, 2, 3)]
IN_THE_MIDDLE = [
    (30, 'kill = "n1"'),
    (60, 'kill = "n2"\naway = 0.3'),
    (90, f'cut = "{CONSUMERS[2]}"'),
    (120, f'delay = "{CONSUMERS[0]}"\nseconds = 1.0'),
    (150, f'corrupt = "{CONSUMERS[1]}"'),
    (180, f'reorder = "{CONSUMERS[2]}"'),
    (210, 'kill = "n0"'),
    (240, 'kill = "n3"'),
    (241, 'kill = "n1"'),
]


@pytest.mark.sweep
def test_three_consumers_of_different_rates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Boards of one producer's consumers are killed, their connections cut, delayed and damaged."""
    write_build(tmp_path / "stem", (8, 6), "UINT4", [(3, 4)], seed=1)
    taken = made_type(tmp_path / "stem")
    for number, fold in enumerate([(1, 1), (2, 3), (2, 6)]):
        write_build(tmp_path / f"b{number}", (6, 2), taken, [fold], seed=2 + number)
    nodes = [(f"n{number}", "zedboard", f"[{number}]") for number in range(4)]
    links = '[[link]]\nfrom = "0"\nto = ["1", "2", "3"]\n'
    plan, _ = generate(write_cluster(tmp_path, ["stem", "b0", "b1", "b2"], nodes, links), tmp_path / "out")
    assert [end.carries for end in plan.node("n0").tx] == [tuple(CONSUMERS)]
    found = rehearsed(tmp_path / "out", 400, IN_THE_MIDDLE, capsys)
    assert [fault["seen"] for fault in found["faults"]] == [True] * len(IN_THE_MIDDLE)
