# SPDX-License-Identifier: BSD-3-Clause
"""The program of a card under Coyote among others that say something else, go, or answer wrongly."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_bench import generate_fake
from coyote_card import CARDS, FRAMES, KIND, Program, connect, packed, place, program, ready, stream
from coyote_host import compile_program
from fake_network import chain, partition, spec
from host_module import host_module
from test_host_peers import REPLIES, SAID, Waiting, answer
from test_host_run import free_port
from waiting import PATIENCE, until

pytestmark = pytest.mark.xdist_group("coyote_tcp_hostile")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ready(tmp_path_factory.mktemp("coyote_tcp"))


def line(told: dict[str, Any], **fields: Any) -> bytes:
    right = {"contract": told["contract"], "stream": told["boundary"]}
    right.update({"frames": FRAMES, "frame_bytes": told["frame_bytes"]})
    return json.dumps({**right, **fields}).encode() + b"\n"


@pytest.fixture
def listening(made: Path) -> Iterator[tuple[Program, int]]:
    port = free_port()
    with program(made, "n1", "--listen", f"127.0.0.1:{port}") as one:
        until(lambda: reached(port))
        yield one, port


def reached(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


def send_the_rest(made: Path, one: Program, port: int) -> str:
    """Let the right board come; return what the program has said of the others."""
    with connect(port, stream(made, 1)) as peer:
        peer.sendall(packed(made))
        code, out, err = one.end()
    assert code == 0, err
    assert out.startswith(f"n1: {FRAMES} frames in ")
    return err


@pytest.mark.sweep
def test_who_says_something_else_gets_the_answer_of_python(
    made: Path, listening: tuple[Program, int]
) -> None:
    """All strangers of test_host_peers.py; where both name the fields, they use the same words."""
    one, port = listening
    told = stream(made, 1)
    mine = [
        said.replace(b'"c0"', f'"{told["contract"]}"'.encode()).replace(
            b'"b"', f'"{told["boundary"]}"'.encode()
        )
        for said in SAID.values()
    ]
    mine += [
        line(told, frames=0),
        line(told, stream="it's"),
        line(told, stream='it\'s "b"'),
        line(told, stream="b\\n"),
    ]
    mine += [
        line(told, contract="x" * 99),
        line(told, frames=1 << 32),
        line(told, frames=-(10**30)),
        line(told)[:-2] + b",}\n",
    ]
    mine += [
        line(told, frame_bytes=1.0),
        b'{"stream": "b", "stream": 1}\n',
        b'{"a": {"b": [1, {"c": null}]}}\n',
    ]
    theirs = Waiting(PATIENCE)
    theirs._listener._streams = {told["boundary"]: {**told, "index": 0}}
    for said in mine:
        answers = []
        for address in (("127.0.0.1", port), theirs.address):
            with socket.create_connection(address, timeout=PATIENCE) as peer:
                with contextlib.suppress(ConnectionError):
                    peer.sendall(said)
                answers.append(answer(peer))
        if all(answers):  # what has not been read lets the network drop the answer
            texts = [json.loads(one) for one in answers]
            assert texts[0].partition("shellgen: ")[0] == texts[1].partition("shellgen: ")[0], said
            assert texts[0]
    with connect(theirs.address[1], told) as peer:
        theirs.close()
        peer.close()
    shown = send_the_rest(made, one, port)
    assert shown.count("\n") == len(shown.splitlines()) == 20, "further clients are not listed"
    assert all(c.isprintable() or c == "\n" for c in shown)


@pytest.mark.sweep
def test_who_does_something_else_blocks_nobody(made: Path, listening: tuple[Program, int]) -> None:
    """Many who say nothing, one who leaves in the middle of its line, and one byte at a time."""
    one, port = listening
    held = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
    try:
        held[-1].sendall(line(stream(made, 1))[:30])
        held.pop().close()
        with socket.create_connection(("127.0.0.1", port)) as slow:
            for byte in line(stream(made, 1)):
                slow.sendall(bytes([byte]))
            assert answer(slow) == b'""\n'
            slow.sendall(packed(made))
            code, _, err = one.end()
    finally:
        for peer in held:
            peer.close()
    assert code == 0, err
    assert "127.0.0.1: too many have connected; it is left out" in err


@pytest.mark.sweep
def test_who_goes_before_the_run_begins_can_be_replaced(tmp_path: Path) -> None:
    """A node with two streams: the board of one leaves while the other is awaited."""
    pair = (("UINT4", 2, 16), ("UINT4", 2, 16))
    parts = [partition(f"p{k}", pair, pair) for k in range(2)]
    links = [{"from": f"p0.m_axis_{k}", "to": f"p1.s_axis_{k}", "kind": KIND} for k in range(2)]
    nodes = [
        {"name": f"n{k}", "partitions": [k], **CARDS[board]} for k, board in enumerate(("zed", "coyote"))
    ]
    out = generate_fake(chain(*parts, streams=2), spec(nodes, link=links), tmp_path / "out")
    compile_program(out, "n1", tmp_path, card="shell_through.cpp")
    told, port = [stream(tmp_path, 1, k) for k in range(2)], free_port()
    assert [one["direction"] for one in told] == ["rx", "rx"]
    values = np.random.default_rng(1).integers(0, 16, (2, 3, 16))
    layout = host_module("shellgen_wire").Layout(told[0])
    frames = [layout.encode(one, "x").tobytes() for one in values]
    np.save(tmp_path / "g.npy", values[1])
    with program(
        tmp_path, "n1", "--listen", f"127.0.0.1:{port}", "--golden", f"m_host_1={tmp_path / 'g.npy'}"
    ) as one:
        with connect(port, told[0], 5):
            time.sleep(0.5)  # more than a look at those who have been let in
        until(
            lambda: any(
                "it has gone before the run began; another may take its place" in s for s in one.lines
            )
        )
        with connect(port, told[1], 3) as second, connect(port, told[0], 3) as first:
            first.sendall(frames[0])
            second.sendall(frames[1])
            code, out_text, err = one.end()
    # A board behind it would expect 5 frames; here there is none.
    assert code == 2, (out_text, err)
    assert err.endswith("run_n1: 3 frames come, and 5 were announced by who has gone since\n")


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("reply", "said"),
    [
        *REPLIES,
        (b'"\xff"\n', "is no runner of shellgen"),
        (None, "it has not answered in time; give --wait more"),
    ],
)
def test_what_the_next_board_may_answer(made: Path, reply: bytes | None, said: str) -> None:
    """With None it drips byte by byte: each comes in time, and the line does not."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        at = place(server)
        wait = 0.5 if reply is None else PATIENCE
        with program(made, "n1", "--input", made / "x.npy", "--connect", at, "--wait", wait) as one:
            peer, _ = server.accept()
            with peer, contextlib.suppress(OSError):
                peer.recv(4096)
                while reply is None:  # until the other end has had enough
                    peer.sendall(b" ")
                    time.sleep(0.05)
                peer.sendall(reply or b"")
            code, _, err = one.end()
    assert code == 2
    assert said in err
    assert err[:-1].isprintable()
    assert len(err) < 400


def leaves_in_a_frame(made: Path, port: int, _: Program) -> str:
    with connect(port, stream(made, 1)) as peer:
        peer.sendall(packed(made)[:-3])
    return f"127.0.0.1: it ended 3 bytes before the end of {stream(made, 1)['boundary']}\n"


def resets_the_connection(made: Path, port: int, _: Program) -> str:
    peer = connect(port, stream(made, 1))
    peer.sendall(packed(made)[:1000])
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    time.sleep(0.2)
    peer.close()
    return f"127.0.0.1: Connection reset by peer, while {stream(made, 1)['boundary']} came\n"


def stops(made: Path, port: int, one: Program) -> str:
    peer = connect(port, stream(made, 1))
    peer.sendall(packed(made)[:1000])
    until(lambda: one.process.poll() is not None)
    peer.close()
    return "n1: nothing moved for 0.5 s; if the network is only slow, give --timeout more"


def interrupts(made: Path, port: int, one: Program) -> str:
    with connect(port, stream(made, 1)) as peer:
        peer.sendall(packed(made)[:1000])
        time.sleep(0.2)
        one.process.send_signal(signal.SIGINT)
        until(lambda: one.process.poll() is not None)
    return "interrupted\n"


@pytest.mark.sweep
@pytest.mark.parametrize("act", [leaves_in_a_frame, resets_the_connection, stops, interrupts])
def test_a_board_that_goes_in_the_middle(made: Path, act: Callable[[Path, int, Program], str]) -> None:
    """It ends with one line, and the next run is right."""
    port = free_port()
    with program(made, "n1", "--listen", f"127.0.0.1:{port}", "--timeout", 0.5) as one:
        wanted = act(made, port, one)
        code, _, err = one.end()
    assert code == (130 if act is interrupts else 2)
    assert wanted in err
    assert err.count("\n") == 1
