# SPDX-License-Identifier: BSD-3-Clause
"""The client's inputs: hosts.toml, memory_map.json, frames as bytes; and its book of frames under way."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import ssl
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shellgen_host import Cluster, Hosts, InputError, LostError, RefusedError, protocol, read_hosts
from shellgen_host.cluster_map import read_map
from shellgen_host.edges import first_end
from shellgen_host.errors import reason
from shellgen_host.hosts import spelled
from shellgen_host.packing import Layout
from shellgen_host.shapes import fit
from shellgen_host.tickets import Tickets
from shellgen_host.wire import Message, connect, read, seal

NODES = ("zed0", "zed1")
HOSTS = """token = "{token}"

[[node]]
name = "zed0"
address = "192.168.0.10:5000"

[[node]]
name = "zed1"
address = "[fe80::1]:5001"
"""


def write_hosts(folder: Path, text: str) -> Path:
    path = folder / "hosts.toml"
    path.write_text(text)
    return path


def test_hosts(tmp_path: Path) -> None:
    found = read_hosts(write_hosts(tmp_path, HOSTS.format(token="0a" * 32)), NODES)
    assert found == {"zed0": ("192.168.0.10", 5000), "zed1": ("fe80::1", 5001)}
    assert found.token == b"\x0a" * 32


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            '"zed1"',
            '"zed9"',
            "hosts.toml:7: node[1].name: 'zed9' is no node of the cluster, which has zed0, zed1",
        ),
        ('"zed1"', '"zed0"', "hosts.toml:7: node[1].name: zed0 is there twice; remove"),
        ("[fe80::1]:5001", "192.168.0.10:5000", "node[1].address: zed1 and zed0 have the same address; give"),
        ("[fe80::1]:5001", "192.168.0.11", "node[1].address: '192.168.0.11' has no port; write address ="),
        ("[fe80::1]:5001", "zed1:", "hosts.toml:7: node[1].address: 'zed1:' has no port from 1 to 65535"),
        ("[fe80::1]:5001", "zed1:65536", "has no port from 1 to 65535"),
        ("[fe80::1]:5001", "a b:1", "'a b:1' has no host"),
        ("[fe80::1]:5001", "fe80::1:5001", "has colons in its host; write an IPv6 address in brackets: addr"),
        ('"[fe80::1]:5001"', "5001", "node[1].address: 5001 is no address; write"),
        ('address = "192.168.0.10:5000"\n', "", "node[0].address: it is missing; write address ="),
        ("address", "adress", "node[0].adress: there is no such field; a node has name and address"),
        ('[[node]]\nname = "zed1"\naddress = "[fe80::1]:5001"\n', "", "none named zed1; add a [[node]]"),
        ("[[node]]", "[[nodes]]", "nodes: there is no such field"),
        ('token = "00', 'token = "0', "token: it is not 64 hex digits in lower case; write what"),
        ("[[node]]", "[[node", "it is not TOML"),
        ("[[node]]", "node = 1\n[[more]]", "more: there is no such field"),
        ("zed0", "\0", "it is not TOML"),
    ],
)
def test_hosts_that_are_wrong(tmp_path: Path, old: str, new: str, said: str) -> None:
    """One sentence with file, line, field and remedy."""
    text = HOSTS.format(token="00" * 32)
    assert old in text
    with pytest.raises(InputError) as error:
        read_hosts(write_hosts(tmp_path, text.replace(old, new)), NODES)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "hosts.toml"))


def test_hosts_that_are_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"hosts\.toml: No such file or directory; write one"):
        read_hosts(tmp_path / "hosts.toml", NODES)
    with pytest.raises(InputError, match="node: it is no list of tables"):
        read_hosts(write_hosts(tmp_path, "node = 3\n"), NODES)


def layout(
    datatype: str, bits: int, low: int, high: int, elements: int, per_word: int, word_bits: int
) -> Layout:
    """Return the layout of a frame of (1, elements)."""
    signed = low < 0 and bits > 1
    size = -(-elements // per_word * word_bits // 8)
    return Layout(
        "cut", datatype, (1, elements), elements, bits, signed, low, high, per_word, word_bits, size
    )


@pytest.mark.parametrize(
    ("made", "values", "data"),
    [
        # As FINN's PYNQ driver packs them (finn.util.data_packing), element 0 lowest.
        (layout("UINT4", 4, 0, 15, 4, 4, 16), [1, 2, 3, 4], "2143"),
        (layout("UINT4", 4, 0, 15, 2, 1, 8), [1, 2], "0102"),
        (layout("INT4", 4, -8, 7, 2, 2, 8), [-1, 7], "7f"),
        (layout("UINT2", 2, 0, 3, 4, 4, 8), [1, 0, 3, 2], "b1"),
        (layout("BIPOLAR", 1, -1, 1, 8, 8, 8), [1, -1, 1, 1, 1, 1, 1, -1], "7d"),
        (layout("UINT12", 12, 0, 4095, 1, 1, 16), [0x123], "2301"),
        (layout("INT5", 5, -16, 15, 2, 1, 8), [5, -3], "051d"),
        (layout("INT16", 16, -32768, 32767, 1, 1, 16), [258], "0201"),
    ],
)
def test_packing(made: Layout, values: list[int], data: str) -> None:
    packed = made.pack(made.frames([values]))
    assert packed.tobytes().hex() == data
    assert made.unpack(packed).tolist() == [values]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([[1, 2, 16, 0]], "cut: frame 0, element 2 is 16; UINT4 holds whole numbers from 0 to 15"),
        ([[1, 2, 3, 0], [1, -1, 0, 0]], "frame 1, element 1 is -1"),
        ([[1, 2.5, 0, 0]], "element 1 is 2.5"),
        ([[1, float("nan"), 0, 0]], "element 1 is nan"),
        ([[1, 2, 3]], r"its array is int64 (1, 3); give numbers of shape (frames, 4)"),
        ([["a", "b", "c", "d"]], "give numbers"),
        (3, "give numbers"),
    ],
)
def test_frames_that_are_wrong(values: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        layout("UINT4", 4, 0, 15, 4, 4, 16).frames(values)
    assert said in str(error.value)


@pytest.mark.parametrize("shape", [(6, 22, 3), (6, 66), (6, 1, 3, 22), (6, 3, 22, 1), (3, 22), (6,)])
def test_frames_of_another_shape(shape: tuple[int, ...]) -> None:
    """Also with as many values: these are in another order, or may be."""
    fit(np.zeros((6, 3, 22)), {"x": [(3, 22)]})
    listed: dict[str, Any] = {"x": np.zeros((3, 22)).tolist(), "other": None}
    fit(listed, {"x": [(3, 22)]}, single=True)
    fit(np.zeros((6, 66)), {"x": [(3, 22), (66,)]})
    with pytest.raises(InputError) as error:
        fit({"x": np.zeros(shape)}, {"x": [(3, 22)]})
    assert str(error.value) == f"x: its array is float64 {shape}; give numbers of shape (frames, 3, 22)"
    with pytest.raises(InputError, match=r"; give a frame of shape \(3, 22\)$"):
        fit(np.zeros(shape[1:]), {"x": [(3, 22)]}, single=True)


@pytest.mark.parametrize("wrong", [None, 3, "abc", [[1], [1, 2]], np.array(["a"])])
def test_what_is_no_array_of_frames(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"^x: .*; give numbers of shape \(frames, 4\)$"):
        fit(wrong, {"x": [(4,)]})


def test_random_layouts_come_back() -> None:
    random = np.random.default_rng(2)
    for _ in range(40):
        bits, per_word, words = (int(random.integers(1, most)) for most in (20, 5, 6))
        signed = bool(random.integers(2)) and bits > 1
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        kind = f"{'' if signed else 'U'}INT{bits}"
        made = layout(
            kind, bits, low, high, per_word * words, per_word, per_word * bits + int(random.integers(9))
        )
        frames = made.random(3, int(random.integers(99)))
        assert np.array_equal(made.unpack(made.pack(frames)), frames)


EXAMPLE = Path(__file__).parents[1] / "docs" / "example" / "out"


def test_a_window_that_is_too_small() -> None:
    with pytest.raises(InputError, match="window: 0 is no number of frames under way; give 1 or more"):
        Cluster(EXAMPLE, "hosts.toml", window=0)
    for patience in (float("nan"), -1, 0, float("inf"), "30"):
        with pytest.raises(InputError, match=r"patience: .* is no time; give seconds up to 86400"):
            Cluster(EXAMPLE, "hosts.toml", patience=patience)  # type: ignore[arg-type]


def test_a_node_that_is_not_there(tmp_path: Path) -> None:
    """The message names node and address; the thread of the client ends."""
    text = (
        HOSTS.format(token="00" * 32).replace("192.168.0.10", "127.9.8.7").replace("[fe80::1]", "127.9.8.6")
    )
    with pytest.raises(
        LostError,
        match=r"node zed[01] at 127\.9\.8\.[67]:500[01] was not reached for 0\.1 s: .* refused; start shellg",
    ):
        Cluster(EXAMPLE, write_hosts(tmp_path, text), patience=0.1)


def test_why_a_connection_broke() -> None:
    assert reason(asyncio.IncompleteReadError(b"", 32)) == "the other side ended the connection"


def test_why_a_node_was_not_reached() -> None:
    """In words of the system, whatever asyncio makes of them; an address as hosts.toml has it."""
    one = "Connect call failed ('::1', 5000, 0, 0)"
    assert reason(ConnectionRefusedError(errno.ECONNREFUSED, one)) == "connection refused"
    assert (
        reason(OSError(f"Multiple exceptions: [Errno 111] {one}, [Errno 111] {one}")) == "connection refused"
    )
    assert reason(ConnectionResetError("TLS ended: EOF")) == "TLS ended: EOF"
    assert spelled(("::1", 5000)) == "[::1]:5000"
    assert spelled(("zed0", 5000)) == "zed0:5000"


def test_the_map_of_one_node_is_not_that_of_the_cluster(tmp_path: Path) -> None:
    whole = json.loads((EXAMPLE / "memory_map.json").read_text())
    half = tmp_path / "memory_map.json"
    half.write_text(json.dumps(whole | {"nodes": whole["nodes"][1:]}))
    wanted = r"the map of \w+ only, since \w+ has no other end; give the folder of the whole cluster"
    with pytest.raises(InputError, match=wanted):
        read_map(tmp_path)


def test_a_node_without_keys_is_told_from_one_of_another_cluster() -> None:
    async def plain(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(seal(Message(protocol.FAULT)))
        await writer.drain()
        writer.close()

    async def go() -> None:
        async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
            encrypted = ssl.create_default_context(), "zed0.node.shellgen"
            with pytest.raises(
                RefusedError, match=r"does not speak TLS; start shellgen-node with --keys, or"
            ):
                await connect(server.sockets[0].getsockname(), Message(protocol.HELLO), encrypted)

    asyncio.run(go())


async def stuck_node(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Accept everything as a node does, and never put out a frame."""
    with contextlib.suppress(EOFError, OSError):
        hello = await read(reader)
        frame_bytes = hello.values["frame_bytes"] or -1
        welcome = Message(protocol.WELCOME, hello.edge, hello.epoch, 0, values={"credits": 9})
        writer.write(seal(welcome))
        while True:
            message = await read(reader, frame_bytes)
            if message.type in (protocol.PING, protocol.EPOCH):
                values = {"received": 7, "made": 5}
                writer.write(seal(replace(message, flags=protocol.FLAG_ANSWER, values=values)))
    writer.close()


async def cancelled() -> None:
    """Cancel all other tasks."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


def test_a_core_that_stands_still() -> None:
    """No hang: after three epochs the frame is reported, with the node that does not put it out."""
    loop = asyncio.new_event_loop()
    address = f"127.{os.getpid() % 250 + 1}.77"

    async def serve() -> list[asyncio.Server]:
        return [await asyncio.start_server(stuck_node, f"{address}.{n}", 5000) for n in (1, 2)]

    servers = loop.run_until_complete(serve())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    hosts = Hosts({name: (f"{address}.{n}", 5000) for n, name in enumerate(NODES, 1)})
    notes: list[str] = []
    with Cluster(EXAMPLE, hosts, patience=0.2, note=notes.append) as cluster:
        (answer,) = cluster.answers([{"global_in": np.zeros(64, int)}])
    assert isinstance(answer, LostError)
    assert str(answer) == (
        "frame 0 got no result in 3 tries, the last time because no result came for 0.2 s; "
        "node zed0 has received 7 frames and put out 5"
    )
    # A node that connects while its frame is given up wants what is gone, which is noted as well.
    assert sum(note.startswith("no result came for 0.2 s") for note in notes) == 3
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    for server in servers:
        server.close()
    loop.run_until_complete(cancelled())
    loop.close()


def test_a_cancellation_that_meets_an_error() -> None:
    """It is not lost, whenever it comes: the session would wait forever for a task that goes on."""

    async def broken(ticks: int) -> None:
        for _ in range(ticks):
            await asyncio.sleep(0)
        raise EOFError

    async def story() -> None:
        ends = set()
        for ticks in range(4):
            for wait in range(1, 9):
                task = asyncio.ensure_future(first_end(broken(ticks), asyncio.sleep(9)))
                for _ in range(wait):
                    await asyncio.sleep(0)
                accepted = task.cancel()
                await asyncio.wait([task])
                assert task.cancelled() == accepted
                assert accepted or isinstance(task.exception(), EOFError)
                ends.add(accepted)
        assert ends == {True, False}

    asyncio.run(story())


def test_nodes_that_die_in_quick_succession() -> None:
    """A frame is given up after three tries, but not when they took only a moment."""

    async def story() -> None:
        book = Tickets(("a",), 2, first=7, lasting=0.05)
        ticket = await book.add({"x": b"0"})
        for _ in range(5):
            await book.tried("node zed1 was lost")
        assert not ticket.answer.done()
        await asyncio.sleep(0.06)
        await book.tried("node zed1 was lost")
        with pytest.raises(LostError, match="frame 7 got no result in 6 tries"):
            await ticket.answer

    asyncio.run(story())


def test_answers_out_of_order() -> None:
    """Replicas answer independently: what a new epoch may have to send again is kept."""

    async def story() -> None:
        book = Tickets(("a",), 3)
        tickets = [await book.add({"x": bytes([number])}) for number in range(3)]
        await book.put("a", 1, b"B")
        assert await tickets[1].answer == {"a": b"B"}
        assert (book.oldest, book.answered) == (0, 1)
        assert (await book.wait_for(1)).inputs == {"x": b"\1"}
        await book.put("a", 1, b"B")  # again
        assert book.answered == 1
        await book.put("a", 0, b"A")
        assert (book.oldest, len(book)) == (2, 1)

    asyncio.run(story())


def test_the_book_of_frames() -> None:
    """No more under way than permitted; a frame is given up after three tries, and the next is the oldest."""

    async def story() -> None:
        book = Tickets(("a", "b"), 2, lasting=0.0)
        first, second = await book.add({"x": b"0"}), await book.add({"x": b"1"})
        third = asyncio.ensure_future(book.add({"x": b"2"}))
        await asyncio.sleep(0.01)
        assert not third.done()
        await book.put("a", 0, b"A")
        await book.put("a", 0, b"A")  # again, after an epoch
        assert not first.answer.done()
        await book.put("b", 0, b"B")
        assert await first.answer == {"a": b"A", "b": b"B"}
        assert (await third).number == 2
        for _ in range(2):
            await book.tried("node zed1 was lost")
        assert book.oldest == 1
        await book.tried("node zed1 was lost")
        with pytest.raises(
            LostError, match="frame 1 got no result in 3 tries, the last time because node zed1"
        ) as gone:
            await second.answer
        assert gone.value.frame == 1
        assert (book.oldest, book.answered, len(book)) == (2, 1, 1)
        await book.put("a", 1, b"late")
        await book.end(LostError("over"))
        with pytest.raises(LostError, match="over"):
            await (await third).answer
        with pytest.raises(LostError, match="over"):
            await book.add({"x": b"3"})

    asyncio.run(story())
