# SPDX-License-Identifier: BSD-3-Clause
"""Unknown clients of a runner: none of them ends its run, blocks it, or reaches the terminal."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from host_module import host_module
from test_host_wire import stream
from waiting import PATIENCE, until

bus, link = host_module("shellgen_bus"), host_module("shellgen_link")
listen = host_module("shellgen_listen")
RIGHT = {"contract": "c0", "stream": "b", "frames": 2, "frame_bytes": 5}


def line(**fields: Any) -> bytes:
    return json.dumps({**RIGHT, **fields}).encode() + b"\n"


class Waiting:
    """A listener for stream b and its thread."""

    def __init__(self, seconds: float = PATIENCE, *more: dict[str, Any]) -> None:
        self.sources: dict[int, Any] = {}
        self.error = ""
        self._listener = listen.Listener("127.0.0.1:0", [stream("UINT3"), *more], self.sources)
        self.address = self._listener.address
        self._thread = threading.Thread(target=self._wait, args=(seconds,))
        self._thread.start()

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        with self._listener:
            try:
                while self._listener.missing:
                    self._listener.wait(end)
            except bus.HostError as error:
                self.error = str(error)

    def end(self) -> None:
        """Let the right one come, and wait until the listener has it."""
        with self.guest() as peer:
            peer.sendall(line() + b"0123456789")
            assert answer(peer) == b'""\n'
            self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        assert self.sources[0].take(2).tobytes() == b"0123456789"

    def guest(self) -> socket.socket:
        return socket.create_connection(self.address, timeout=PATIENCE)

    def close(self) -> None:
        self._thread.join(PATIENCE)
        for source in self.sources.values():
            source.close()


def answer(peer: socket.socket) -> bytes:
    found = b""
    with contextlib.suppress(ConnectionError):
        while not found.endswith(b"\n") and (more := peer.recv(100)):
            found += more
    return found


@pytest.fixture
def waiting() -> Iterator[Waiting]:
    made = Waiting()
    yield made
    made.close()


SAID = {
    "another protocol": b"GET / HTTP/1.0\r\n\r\n",
    "a list": b"[]\n",
    "a line without an end": b"x" * 9000,
    "deep": b"[" * 4000 + b"\n",
    "infinite": b'{"contract": "c0", "stream": "b", "frames": 1e999, "frame_bytes": 5}\n',
    "no number": b'{"contract": "c0", "stream": "b", "frames": NaN, "frame_bytes": 5}\n',
    "a truth": b'{"contract": "c0", "stream": "b", "frames": true, "frame_bytes": 5}\n',
    "many frames": line(frames=10**30),
    "digits": b'{"frames": ' + b"9" * 4000 + b"}\n",
    "more digits": line(frames=10**3900),
    "no frames": line(frames=0),
    "frames less than none": line(frames=-1),
    "other frames": line(frame_bytes=6),
    "another stream": line(stream="c\x1b[2J\x07" + "d" * 3000),
    "another contract": line(contract="\x9b31m\u202e"),
    "a stream that is a list": line(stream=["b"]),
    "no text": b"\xff\xfe\x00\n",
    "nothing": b"\n",
    "zeros": bytes(5000),
}


@pytest.mark.parametrize("said", SAID.values(), ids=SAID.keys())
def test_who_says_something_else_is_left_out(
    said: bytes, waiting: Waiting, capsys: pytest.CaptureFixture[str]
) -> None:
    with waiting.guest() as peer:
        with contextlib.suppress(ConnectionError):
            peer.sendall(said)
        found = answer(peer)
    if found:  # what has not been read lets the network drop the answer
        assert json.loads(found)
    waiting.end()
    told = capsys.readouterr().err
    assert "127.0.0.1: it" in told
    assert "it is left out" in told
    assert told.count("\n") == 1
    assert all(c.isprintable() or c == "\n" for c in told)
    assert len(told) < 400


def test_both_ends_are_told_what_differs(waiting: Waiting, capsys: pytest.CaptureFixture[str]) -> None:
    differences = (
        ({"contract": "other"}, "its frames of b are packed by contract 'other', and here by 'c0'"),
        ({"stream": "c"}, "it sends 'c'; awaited is b"),
        ({"frame_bytes": 6}, "it sends 2 frames of 6 bytes; they have 5 bytes here"),
    )
    for fields, wanted in differences:
        theirs = {**stream("UINT3"), "frame_bytes": 5, **fields}
        theirs["boundary"] = fields.get("stream", "b")
        with pytest.raises(bus.HostError) as refused:
            link.connect(waiting.address, theirs, 2, PATIENCE)
        assert str(refused.value).endswith(f"refused: {wanted}")
    waiting.end()  # the listener prints after it has answered
    told = capsys.readouterr().err
    assert all(wanted in told for _, wanted in differences)


def scan(waiting: Waiting) -> None:
    """As a port scan does: connect and leave, some with a reset."""
    for number in range(100):
        peer = waiting.guest()
        if number % 2:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()


def drip(waiting: Waiting) -> None:
    """A line that comes byte by byte and never ends, from many."""
    for _ in range(5):
        for peer in HELD:
            with contextlib.suppress(OSError):
                peer.send(b"{")
        time.sleep(0.01)
        HELD.append(waiting.guest())


HELD: list[socket.socket] = []


def crowd(waiting: Waiting) -> None:
    HELD.extend(waiting.guest() for _ in range(3 * listen.GUESTS))


def half(waiting: Waiting) -> None:
    """Say nothing, and close one way only."""
    HELD.append(waiting.guest())
    HELD[-1].shutdown(socket.SHUT_WR)


def leaves(waiting: Waiting) -> None:
    """Begin as the right one does, and leave in the middle of the line."""
    with waiting.guest() as peer:
        peer.sendall(line()[:30])


@pytest.mark.parametrize("act", [scan, drip, crowd, half, leaves])
def test_who_does_something_else_blocks_nobody(
    act: Callable[[Waiting], None],
    waiting: Waiting,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listen, "SILENT", 10 * PATIENCE)  # nobody who is silent may be waited for
    try:
        act(waiting)
        waiting.end()
    finally:
        while HELD:
            HELD.pop().close()
    assert capsys.readouterr().err.count("\n") <= listen.NOTES


def test_silence_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    late = threading.Event()
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + 2 * PATIENCE * late.is_set())
    monkeypatch.setattr(listen, "time", clock)
    monkeypatch.setattr(listen, "SILENT", 0.1)
    made = Waiting()
    with made.guest() as peer:
        assert b"it has not said who it is" in answer(peer)
        late.set()
        made.close()
    assert "nobody has sent b (127.0.0.1: it has not said who it is); give --wait more" in made.error


def test_who_goes_before_the_run_begins_can_be_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    second = {**stream("UINT3"), "boundary": "b2", "index": 1}
    made = Waiting(PATIENCE, second)
    with made.guest() as peer:
        peer.sendall(line())
        assert answer(peer) == b'""\n'
    until(lambda: "it has gone before the run began" in capsys.readouterr().err)
    with made.guest() as first, made.guest() as other:
        first.sendall(line())
        assert answer(first) == b'""\n'
        other.sendall(line(stream="b2"))
        assert answer(other) == b'""\n'
        made.close()
    assert sorted(made.sources) == [0, 1]


def test_a_bare_port_is_heard_on_this_machine_only(capsys: pytest.CaptureFixture[str]) -> None:
    with listen.Listener("0", [stream("UINT3")], {}) as made:
        assert made.address[0] == "127.0.0.1"
    assert "only programs of this machine can connect; give --listen ADDRESS:0" in capsys.readouterr().err
    with listen.Listener("0.0.0.0:0", [stream("UINT3")], {}) as made:
        assert made.address[0] == "0.0.0.0"  # noqa: S104 - as it was asked for
    assert not capsys.readouterr().err
    for text in ("nowhere.invalid:5", "a" * 300 + ":5", "x\x1b[0m:5"):
        with pytest.raises(bus.HostError) as wrong:
            listen.Listener(text, [stream("UINT3")], {})
        assert str(wrong.value).isprintable()


# What is no answer of a runner, and how it is called.
REPLIES = (
    (b"[" * 4000 + b"\n", "is no runner of shellgen"),
    (b"x" * 9000, "is no runner of shellgen"),
    (b"5\n", "is no runner of shellgen"),
    (b'"\x1b[2J"\n', "is no runner of shellgen"),
    (b'"no \\u001b[2J"\n', r"refused: no \x1b[2J"),
    (b'"' + b"n" * 4000 + b'"\n', "refused: nnnn"),
    (b"", "is no runner of shellgen"),
)


@pytest.mark.parametrize(("reply", "said"), [*REPLIES, (None, "it has not answered in time")])
def test_what_the_next_board_may_answer(reply: bytes | None, said: str) -> None:
    """With None it drips byte by byte: each comes in time, and the line does not."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            peer, _ = server.accept()
            with peer, contextlib.suppress(OSError):
                peer.recv(4096)
                while reply is None:  # until the other end has had enough
                    peer.sendall(b" ")
                    time.sleep(0.05)
                peer.sendall(reply or b"")

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(bus.HostError) as wrong:
            link.connect(server.getsockname(), stream("UINT3"), 2, 0.5 if reply is None else PATIENCE)
        assert said in str(wrong.value)
        assert str(wrong.value).isprintable()
        assert len(str(wrong.value)) < 400
        thread.join()


def test_packets_of_others_cost_a_host_of_vnx_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """More at once than it takes in one turn, of all lengths; and nobody at the other end."""
    vnx = host_module("shellgen_vnx")
    monkeypatch.setattr(vnx, "AT_ONCE", 40)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as far:
        far.bind(("127.0.0.1", 0))
        end = vnx.Receiver(vnx.Terms(link=1, frame_bytes=100))
        port = vnx.Port(end, ("127.0.0.1", 0), far.getsockname())
        here = port._socket.getsockname()
        for size in range(100):
            far.sendto(bytes([size % 256]) * size, here)
        counts = [port.pump(0.0), port.pump(0.0)]
        assert counts[0] == vnx.AT_ONCE
        assert end.counts["bad"] == sum(counts)
    sender = vnx.Sender(vnx.Terms(link=1, frame_bytes=100))
    alone = vnx.Port(sender, ("127.0.0.1", 0), here)
    port.close()
    assert not vnx.serve([alone], lambda: False, 0.05)
    alone.close()
