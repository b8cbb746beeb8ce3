# SPDX-License-Identifier: BSD-3-Clause
"""The program of a card under Coyote between other boards: bytes and words as of the runners in Python."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_bench import generate_fake, report_text, run
from coyote_host import compile_program
from fake_network import chain, partition, plan_of, spec
from host_board import HostBoard
from host_module import host_module
from test_host_peers import REPLIES, SAID, Waiting, answer
from test_host_run import free_port
from waiting import PATIENCE, until

from shellgen.errors import PlanError
from shellgen.model import ClusterSpec
from shellgen.resources import data_dir
from shellgen.simulate.cluster import Injection

pytestmark = pytest.mark.xdist_group("coyote_tcp")
KIND, FRAMES = "tcp_xrt", 7
WORD = (("UINT3", 5, 1200),)  # a frame of 450 bytes, which ends inside a byte of memory's beats
FLIP = 1  # of axis_error_injector
COYOTE: dict[str, Any] = {"platform": "coyote", "options": {"coyote": {"version": "v2"}}}
CARDS: dict[str, dict[str, Any]] = {
    "zed": {"board": "zedboard"},
    "u280": {"board": "u280"},
    "coyote": {"board": "u280", **COYOTE},
}


def cluster(*boards: str) -> ClusterSpec:
    """Return cluster.toml of boards in a row, each joined to the next by their programs."""
    made = [{"name": f"n{k}", "partitions": [k], **CARDS[board]} for k, board in enumerate(boards)]
    links = [{"from": f"p{k}", "to": f"p{k + 1}", "kind": KIND} for k in range(len(boards) - 1)]
    return spec(made, link=links)


def generate(folder: Path, *boards: str) -> Path:
    network = chain(*(partition(f"p{k}", WORD, WORD) for k in range(len(boards))))
    return generate_fake(network, cluster(*boards), folder)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Zynq board before two cards, whose programs reach a core that passes frames on."""
    folder = tmp_path_factory.mktemp("coyote_tcp")
    out = generate(folder / "out", "zed", "coyote", "coyote")
    compile_program(out, "n1", folder, card="shell_through.cpp")
    np.save(folder / "x.npy", np.random.default_rng(7).integers(0, 8, (FRAMES, WORD[0][2])))
    return folder


@pytest.mark.parametrize(
    "boards", [("zed", "coyote"), ("coyote", "u280"), ("coyote", "coyote")], ids="-".join
)
def test_the_plan_joins_their_programs(boards: tuple[str, ...]) -> None:
    """Without a kind, too, where the boards share no other."""
    asked = cluster(*boards)
    words = {"zed": "tcp_dma", "u280": "vitis_mover", "coyote": "coyote_stream"}
    network = chain(*(partition(f"p{k}", WORD, WORD) for k in range(2)))
    for one in (asked, asked.model_copy(update={"link": ()})):
        if not one.link and set(boards) == {"coyote"}:
            with pytest.raises(PlanError, match="accl"):
                plan_of(network, one)
            continue
        found = plan_of(network, one)
        assert found.boundary("p0_to_p1").link == KIND
        assert [[each.link for each in node.attachments] for node in found.nodes] == [
            [words[name]] for name in boards
        ]


def stream(made: Path, node: int, index: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((made / "out" / "memory_map.json").read_text())["nodes"][node]
    return dict(found["streams"][index])


def packed(made: Path, frames: int = FRAMES) -> bytes:
    layout = host_module("shellgen_wire").Layout(stream(made, 1))
    return bytes(layout.encode(np.load(made / "x.npy")[:frames], "x.npy").tobytes())


class Program:
    """A program that runs; ``told`` is what it has said of it so far."""

    def __init__(self, made: Path, node: str, *words: object) -> None:
        self.process = subprocess.Popen(
            [made / f"run_{node}", *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stderr
        self.lines.extend(iter(self.process.stderr.readline, ""))

    def end(self) -> tuple[int, str, str]:
        """Return its exit code and what it has said."""
        code = self.process.wait(PATIENCE)
        self._thread.join(PATIENCE)
        assert self.process.stdout
        with self.process.stdout as out:
            return code, out.read(), "".join(self.lines)


@contextlib.contextmanager
def program(made: Path, node: str, *words: object) -> Iterator[Program]:
    one = Program(made, node, *words)
    try:
        yield one
    finally:
        one.process.kill()


def connect(port: int, told: dict[str, Any], frames: int = FRAMES) -> Any:
    return host_module("shellgen_link").connect(("127.0.0.1", port), told, frames, PATIENCE)


def take_all(source: Any) -> bytes:
    """Return all frames of a source in Python, which never waits."""
    found: list[Any] = []

    def took() -> bool:
        found.append(source.take(FRAMES))
        return found[-1] is not None

    until(took)
    return bytes(found[-1].tobytes())


def test_python_sends_to_a_card_and_takes_what_it_sends(made: Path) -> None:
    """In one transfer or in several: all bytes come back in order."""
    listen, there = host_module("shellgen_listen"), stream(made, 2)
    for batch in (None, 1, 7):
        sources: dict[int, Any] = {}
        port = free_port()
        with listen.Listener("127.0.0.1:0", [there], sources) as listener:
            words = ["--listen", f"127.0.0.1:{port}", "--connect", f"127.0.0.1:{listener.address[1]}"]
            words += [] if batch is None else ["--batch", str(batch)]
            with program(made, "n1", *words) as one, connect(port, stream(made, 1)) as peer:
                peer.sendall(packed(made))
                listener.wait(time.monotonic() + PATIENCE)
                source = sources[there["index"]]
                assert take_all(source) == packed(made)
                assert one.end()[::2] == (0, "")
            source.close()


@pytest.mark.sweep
def test_a_card_sends_to_another(made: Path, tmp_path: Path) -> None:
    """From Python into C++, and from C++ into C++."""
    compile_program(made / "out", "n2", made, card="shell_through.cpp")
    for batch in (None, 1, 7):
        ports = [free_port(), free_port()]
        more = [] if batch is None else ["--batch", batch]
        first = ["--listen", f"127.0.0.1:{ports[0]}", "--connect", f"127.0.0.1:{ports[1]}", *more]
        last = ["--listen", ports[1], "--golden", made / "x.npy", "--output", tmp_path / "y.npy"]
        with program(made, "n1", *first) as one, program(made, "n2", *last) as two:
            with connect(ports[0], stream(made, 1)) as peer:
                peer.sendall(packed(made))
                assert one.end()[::2] == (0, "")
            code, out, err = two.end()
        assert code == 0, err
        assert out.endswith("n2: as in the golden frames\n")
        assert err == (
            f"--listen {ports[1]}: only programs of this machine can connect; "
            f"give --listen ADDRESS:{ports[1]} for others\n"
        )
        found = np.load(tmp_path / "y.npy").reshape(FRAMES, -1)
        assert np.array_equal(found, np.load(made / "x.npy"))


def test_python_takes_what_a_card_sends(made: Path) -> None:
    listen = host_module("shellgen_listen")
    sources: dict[int, Any] = {}
    there = stream(made, 2)
    with listen.Listener("127.0.0.1:0", [there], sources) as listener:
        port = listener.address[1]
        with program(made, "n1", "--input", made / "x.npy", "--connect", f"127.0.0.1:{port}") as one:
            listener.wait(time.monotonic() + PATIENCE)
            source = sources[there["index"]]
            assert source.frames == FRAMES
            assert take_all(source) == packed(made)
            code, out, err = one.end()
        source.close()
    assert (code, err) == (0, "")
    assert re.fullmatch(rf"n1: {FRAMES} frames in \S+ s, \d+ frames/s\n", out)


def test_the_two_programs_have_one_protocol(made: Path) -> None:
    """Every limit that both have is the same number, and the first line of a connection the same bytes."""
    host = data_dir("templates") / "host"
    limits = {
        name: {
            key: eval(value)  # noqa: S307 - numbers of our own files
            for key, value in re.findall(form, "".join((host / one).read_text() for one in files), re.M)
        }
        for name, files, form in (
            ("python", ("shellgen_link.py", "shellgen_listen.py"), r"^([A-Z]+) = ([^#\n\"]+?)(?:  #.*)?$"),
            (
                "c++",
                ("shellgen_hello.hpp", "shellgen_socket.hpp", "shellgen_listen.hpp"),
                r"^constexpr (?:size_t|double|int) ([A-Z]+) = ([^;\"]+);",
            ),
        )
    }
    assert limits["python"] == limits["c++"]
    assert set(limits["c++"]) == {
        "LINE",
        "CHUNK",
        "AHEAD",
        "RETRY",
        "FINISH",
        "GUESTS",
        "SILENT",
        "LOOK",
        "NOTES",
    }
    said: list[bytes] = []
    told = stream(made, 2)
    for sends in (
        lambda at: program(made, "n1", "--input", made / "x.npy", "--connect", at, "--wait", 1),
        lambda at: python_asks(at, told),
    ):
        with socket.create_server(("127.0.0.1", 0)) as server, sends(place(server)):
            peer, _ = server.accept()
            with peer:
                said.append(answer(peer))
    assert said[0] == said[1]


def place(server: socket.socket) -> str:
    return f"127.0.0.1:{server.getsockname()[1]}"


@contextlib.contextmanager
def python_asks(at: str, told: dict[str, Any]) -> Iterator[None]:
    link, bus = host_module("shellgen_link"), host_module("shellgen_bus")

    def ask() -> None:
        with contextlib.suppress(bus.HostError):
            link.connect(link.address_of(at), told, FRAMES, 1)

    asking = threading.Thread(target=ask)
    asking.start()
    yield
    asking.join(PATIENCE)


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


def run_words(made: Path, node: str, words: Sequence[object]) -> tuple[int, str]:
    ran = subprocess.run(
        [made / f"run_{node}", *map(str, words)], capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stderr


def test_the_command_line(made: Path, tmp_path: Path) -> None:
    """The words of the runner in Python, one line each."""
    given = ["--input", made / "x.npy"]
    port = free_port()
    cases: list[tuple[Sequence[object], str]] = [
        (["--output", tmp_path / "y.npy"], "nothing feeds s_host_0 (p0_to_p1): give --input or --listen"),
        (["--connect", "127.0.0.1:1"], "nothing feeds s_host_0 (p0_to_p1): give --input or --listen"),
        ([*given, "--connect", "nowhere"], "nowhere: give it as HOST:PORT"),
        ([*given, "--connect", "host:70000"], "host:70000: give it as HOST:PORT"),
        ([*given, "--connect", "host:"], "host:: give it as HOST:PORT"),
        ([*given, "--connect", ":5"], ":5: give it as HOST:PORT"),
        (
            [*given, "--connect", "m_host_7=h:5", "--wait", 0.1],
            "m_host_7=h:5: Name or service not known; is its",
        ),
        ([*given, "--connect", "h:5", "--connect", "h:6"], "--connect h:6: stream m_host_0 has one already"),
        (
            [*given, "--connect", "h:5", "--output", tmp_path / "y.npy"],
            "stream m_host_0: --connect sends it away;",
        ),
        ([*given, "--listen", "5"], "--listen 5: no stream of node n1 is left for it"),
        ([*given, "--wait", 5], "--wait does nothing without --listen or --connect"),
        (["--listen", "5", "--wait", "nan"], "--wait nan: give some seconds"),
        (["--listen", "5", "--wait", "0"], "--wait 0: give some seconds"),
        (["--listen", "5", "--timeout", ""], "--timeout : give some seconds"),
        (["--listen", "x"], "x: give it as HOST:PORT"),
        (["--listen", "5", "--listen", "6"], "--listen 6: one is enough; each connection names its stream"),
        (
            [*given, "--connect", f"127.0.0.1:{port}", "--frames", FRAMES + 1],
            f"x.npy: it has {FRAMES} frames, and {FRAMES + 1} are asked for",
        ),
        (["--listen", "nowhere.invalid:5"], "--listen nowhere.invalid:5: "),
        (["--listen", "\x1b[0m:5"], r"--listen \x1b[0m:5: "),
        (["--listen", "203.0.113.1:5"], "--listen 203.0.113.1:5: Cannot assign requested address"),
        (
            [*given, "--connect", f"127.0.0.1:{port}", "--wait", 0.1],
            f"127.0.0.1:{port}: Connection refused; is its runner waiting with --listen?",
        ),
        (["--listen", f"127.0.0.1:{port}", "--wait", 0.1], "nobody has sent p0_to_p1; give --wait more"),
    ]
    for words, text in cases:
        code, err = run_words(made, "n1", words)
        assert code == 2, words
        assert text in err, (words, err)
        assert err.startswith("run_n1: ")
        assert err.count("\n") == 1
        assert err[:-1].isprintable()


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


@pytest.mark.sweep
def test_a_board_that_takes_slowly_holds_up_the_one_before(made: Path) -> None:
    """Back-pressure goes through the card to the board before it, and no frame is lost."""
    count = 250_000  # 112 MB, more than all buffers between them
    ports = [free_port(), free_port()]
    frame = packed(made, 1)
    listen, there = host_module("shellgen_listen"), stream(made, 2)
    sources: dict[int, Any] = {}
    with listen.Listener(f"127.0.0.1:{ports[1]}", [there], sources) as listener:
        listener._server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        words = [
            "--listen",
            f"127.0.0.1:{ports[0]}",
            "--connect",
            f"127.0.0.1:{ports[1]}",
            "--timeout",
            PATIENCE,
        ]
        with program(made, "n1", *words) as one, connect(ports[0], stream(made, 1), count) as peer:
            listener.wait(time.monotonic() + PATIENCE)
            peer.setblocking(False)
            sent, data = 0, frame * count
            last = time.monotonic()
            while sent < len(data) and time.monotonic() - last < 1:
                with contextlib.suppress(BlockingIOError):
                    sent += peer.send(data[sent : sent + (1 << 20)])
                    last = time.monotonic()
            assert sent < len(data) * 0.9, "it took all that it was given"
            source, taken = sources[there["index"]], 0
            peer.setblocking(True)
            rest = threading.Thread(target=peer.sendall, args=(data[sent:],))
            rest.start()
            while taken < count:
                got = source.take(min(1000, count - taken))
                if got is None:
                    time.sleep(0.001)
                    continue
                assert got.tobytes() == frame * len(got)
                taken += len(got)
            rest.join(PATIENCE)
            assert one.end()[::2] == (0, "")
        source.close()


@pytest.mark.sweep
@pytest.mark.parametrize("boards", [("zed", "coyote", "u280"), ("u280", "coyote", "zed")], ids="-".join)
def test_every_proof_holds_through_programs(boards: tuple[str, ...], tmp_path: Path) -> None:
    """Each board at its own clock, with the directed tests; a fault between two programs is seen."""
    made = generate(tmp_path / "out", *boards)
    settings = (f"{KIND}.latency=200",)
    report = run(made, "verilator", walk="sampled", idle_limit=100_000, seconds=1200, settings=settings)
    assert report["passed"], report_text(report)
    wrong = run(made, "verilator", walk="none", inject=Injection(boundary=1, kind=FLIP, beat=7), seconds=1200)
    assert not wrong["passed"]


@pytest.mark.sweep
@pytest.mark.parametrize("boards", [("zed", "coyote"), ("coyote", "zed")], ids="-".join)
def test_a_zynq_board_and_a_card_with_their_own_programs(boards: tuple[str, ...], tmp_path: Path) -> None:
    """Both programs as they are generated, each on its core in a simulator, joined by TCP."""
    out = generate(tmp_path / "out", *boards)
    np.save(tmp_path / "x.npy", np.random.default_rng(7).integers(0, 8, (FRAMES, WORD[0][2])))
    port, words = free_port(), {}
    words["n0"] = ["--input", tmp_path / "x.npy", "--connect", f"127.0.0.1:{port}", "--timeout", PATIENCE]
    words["n1"] = ["--listen", f"127.0.0.1:{port}", "--golden", tmp_path / "x.npy", "--timeout", PATIENCE]
    nodes = {}
    for node, board in zip(words, boards, strict=True):
        library = compile_program(out, node, tmp_path) if board == "coyote" else None
        kind = "coyote_program" if board == "coyote" else "host_program"
        nodes[node] = HostBoard(out, node, library=library, program=kind)
        nodes[node].model()
    with ThreadPoolExecutor(2) as pool:
        runs = {node: pool.submit(one.run, tmp_path / node, words[node]) for node, one in nodes.items()}
        said = {node: one.result()[0] for node, one in runs.items()}
    assert [one.code for one in said.values()] == [0, 0], said
    assert said["n1"].out.endswith("n1: as in the golden frames\n")
