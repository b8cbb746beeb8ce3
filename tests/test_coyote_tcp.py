# SPDX-License-Identifier: BSD-3-Clause
"""The program of a card under Coyote between other boards: bytes and words as of the runners in Python."""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_bench import report_text, run
from coyote_card import (
    FLIP,
    FRAMES,
    KIND,
    WORD,
    cluster,
    connect,
    generate,
    packed,
    place,
    program,
    python_asks,
    ready,
    stream,
    take_all,
)
from coyote_host import compile_program
from fake_network import chain, partition, plan_of
from host_board import HostBoard
from host_module import host_module
from test_host_peers import answer
from test_host_run import free_port
from waiting import PATIENCE

from shellgen.errors import PlanError
from shellgen.resources import data_dir
from shellgen.simulate.cluster import Injection

pytestmark = pytest.mark.xdist_group("coyote_tcp")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ready(tmp_path_factory.mktemp("coyote_tcp"))


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


@pytest.mark.sweep
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


@pytest.mark.sweep
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
