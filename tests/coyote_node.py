# SPDX-License-Identifier: BSD-3-Clause
"""shellgen-node over what stands for Coyote's library (coyote_stand_in), before a card in a simulator."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from coyote_sim import STAND_IN, build_shell
from host_board import HostBoard
from waiting import PATIENCE, until
from xrt_library import STRICT

from shellgen.cache import default_cache_dir, digest, once
from shellgen.rehearse.node_program import FLAGS, LIBRARIES, NodeSources, unit_object
from shellgen.rehearse.processes import PORT, loopback
from shellgen.resources import data_dir
from shellgen.simulate import Simulator
from shellgen.simulate.blocks import Content
from shellgen.simulate.tools import find_verilator
from shellgen_host import Hosts
from shellgen_host.cluster_map import read_map

NODE = data_dir("host") / "node"
DRIVER = {"v1": STAND_IN / "v1" / "sw", "v2": STAND_IN / "sw"}
LIBRARY = {"v1": "cProcess.cpp", "v2": "cThread.cpp"}
OWN = ("coyote_board.cpp", "core.cpp", "hook.cpp")  # of the unit that has Coyote's model in it


def objects(version: str, hook: Path | None = None) -> list[Path]:
    """Compile all of shellgen-node but the card itself; what the rehearsal has compiled is not done again."""
    tool, cache, sources = find_verilator(), default_cache_dir(), NodeSources(NODE)
    before = Content.of(sources)
    found = [
        unit_object(tool, cache, sources, before, files)
        for files in sources.units
        if not any(path.name == OWN[0] for path in files)
    ]
    include = ["-I", str(NODE), "-I", str(DRIVER[version] / "include"), *FLAGS[:1], *STRICT]
    include += ["-DASIO_STANDALONE", *(["-mavx"] if version == "v1" else [])]
    include += ["-DSHELLGEN_HOOK"] if hook else []
    files = [NODE / name for name in (*OWN, f"coyote_{version}.cpp")]
    files += [DRIVER[version] / "src" / LIBRARY[version], *([hook] if hook else [])]
    headers = [*NODE.glob("*.h"), *STAND_IN.rglob("*.hpp")]
    key = digest(
        [*include, *(part for path in (*files, *headers) for part in (path.name, path.read_bytes()))]
    )

    def make(scratch: Path) -> None:
        for path in files:
            made = scratch / f"{path.stem}.o"
            subprocess.run(["g++", *include, "-c", str(path), "-o", str(made)], check=True)

    return [*found, *sorted(once(cache / "coyote_nodes" / key, make).folder.glob("*.o"))]


def node_program(folder: Path, version: str = "v2", hook: Path | None = None) -> Path:
    """Compile shellgen-node for a card behind a socket (simulate_modules/coyote_program.py)."""
    folder.mkdir(parents=True, exist_ok=True)
    program, card = folder / f"node_{version}", STAND_IN / "shell_socket.cpp"
    made = [*objects(version, hook), card]
    command = ["g++", FLAGS[0], *map(str, made), "-o", str(program), *LIBRARIES]
    subprocess.run(command, check=True)
    return program


@dataclass
class Served:
    """A node that runs."""

    process: subprocess.Popen[str]
    ready: Path
    log: Path

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def wait(self) -> None:
        until(lambda: self.ready.exists() or self.process.poll() is not None)

    def end(self) -> tuple[int, str]:
        """End it in order; return exit code and what it has said."""
        self.process.terminate()
        return self.process.wait(PATIENCE), self.said()


@dataclass
class Card:
    """A simulated card of a node, on which one server after another may run.

    Attributes:
        out: The generated folder.
        node: Its name.
        folder: Where card and servers run.
        program: shellgen-node.
        address: Where it listens.
    """

    out: Path
    node: str
    folder: Path
    program: Path
    address: tuple[str, int]
    started: int = 0
    servers: list[Served] = field(default_factory=list)

    def start(self, *words: object, **environment: str) -> Served:
        """Start a server without waiting for it."""
        self.started += 1
        ready, log = self.folder / f"ready_{self.started}", self.folder / f"log_{self.started}"
        host, port = self.address
        command = [self.program, "--map", self.out / "memory_map.json", "--node", self.node]
        command += ["--listen", f"{host}:{port}", "--device", "0", "--ready", ready, *words]
        with log.open("w") as file:
            process = subprocess.Popen(
                [str(word) for word in command],
                cwd=self.folder,
                stdout=file,
                stderr=file,
                text=True,
                env={**os.environ, "COYOTE_SHELL": str(self.folder / "shell.sock"), **environment},
            )
        self.servers.append(Served(process, ready, log))
        return self.servers[-1]

    @contextmanager
    def serve(self, *words: object, **environment: str) -> Iterator[Served]:
        """Start a server that must listen, and end it in order."""
        one = self.start(*words, **environment)
        one.wait()
        assert one.ready.exists(), one.said()
        yield one
        code, said = one.end()
        assert code == 0, said

    def refused(self, *words: object, lines: int = 1, **environment: str) -> str:
        """Return what a server says, in so many lines, that does not start."""
        one = self.start(*words, **environment)
        assert one.process.wait(PATIENCE) == 2, one.said()
        assert one.said().count("\n") == lines, one.said()
        return one.said()


@contextmanager
def cards(
    out: Path,
    folder: Path,
    programs: Mapping[str, Path],
    lost: Mapping[str, int] | None = None,
    simulator: Simulator = "icarus",
) -> Iterator[tuple[dict[str, Card], Hosts]]:
    """Simulate cards as long as the context lasts; ACCL joins those that have it.

    Args:
        out: The generated folder.
        folder: For what runs; a folder for each.
        programs: shellgen-node for each node.
        lost: Ports and beats that get lost on their way from memory.
        simulator: Of the cores.
    """
    network, hosts = loopback(), Hosts()
    found: dict[str, Card] = {}
    with ExitStack() as stack:
        for index, (name, program) in enumerate(programs.items(), 1):
            hosts[name] = (f"{network}.{index}", PORT)
            at = folder / name
            at.mkdir(parents=True)
            board = HostBoard(
                out,
                name,
                lost=dict(lost or {}),
                program="coyote_program",
                simulator=simulator,
                timeout_s=4 * PATIENCE,
            )
            board.model()
            found[name] = Card(out, name, at, program, hosts[name])
            stack.callback(_end, found[name], _simulated(board, at))
        yield found, hosts


def _simulated(board: HostBoard, folder: Path) -> threading.Thread:
    thread = threading.Thread(target=board.run, args=(folder,))
    thread.start()
    until(lambda: (folder / "shell.sock").exists() or not thread.is_alive())
    assert thread.is_alive()
    return thread


def _end(card: Card, thread: threading.Thread) -> None:
    for one in card.servers:
        one.process.kill()
        one.process.wait()
    (card.folder / "end").touch()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "the simulation goes on"


def connections(out: Path, node: str, hosts: Hosts) -> Sequence[str]:
    """Return the options by which a node finds those behind it."""
    found = read_map(out)
    words = []
    for edge, (here, there) in found.between.items():
        if here == node and edge not in found.joined:
            host, port = hosts[there]
            words += ["--connect", f"{edge}={host}:{port}"]
    return words


def verilated(out: Path, node: str, folder: Path) -> Path:
    """Compile shellgen-node and the card that it is for, with the core in its vFPGA, into one program."""
    folder.mkdir(parents=True, exist_ok=True)
    return build_shell(out / node, folder, objects("v2"), libraries=LIBRARIES)
