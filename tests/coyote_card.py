# SPDX-License-Identifier: BSD-3-Clause
"""A card under Coyote between boards that are joined by their programs, and its program as it runs."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from cluster_bench import generate_fake
from coyote_host import compile_program
from fake_network import chain, partition, spec
from host_module import host_module
from waiting import PATIENCE, until

from shellgen.model import ClusterSpec

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


def ready(folder: Path) -> Path:
    """Make a Zynq board before two cards, whose programs reach a core that passes frames on."""
    out = generate(folder / "out", "zed", "coyote", "coyote")
    compile_program(out, "n1", folder, card="shell_through.cpp")
    np.save(folder / "x.npy", np.random.default_rng(7).integers(0, 8, (FRAMES, WORD[0][2])))
    return folder


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
