# SPDX-License-Identifier: BSD-3-Clause
"""Compare shellgen-node with a bare writer and reader, and with the published server, on loopback."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from shellgen.rehearse.node_program import FLAGS, LIBRARIES, NETWORK
from shellgen.simulate.parallel import in_parallel

HERE = Path(__file__).parent
NODE = HERE.parents[1] / "host" / "node"
# Of shellgen-node, not of the benchmark.
PROGRAM = (
    "main",
    "linux_board",
    "uio",
    "uio_maps",
    "mapping",
    "udma_buffers",
    "zocl_buffers",
    "fpga_manager",
    "notify",
)

LARGE, SMALL = 100_352, 64  # bytes of a frame: the largest of the publication, and a short one
PL_US, SEND_RATE = 6_754, 59_000_000  # of the publication's first board: PL, and bytes/s of its TCP
PUBLISHED, PUBLISHED_RANGE = 118.0, 2.0  # frames/s
SLOTS = 0  # the default of shellgen-node


@dataclass(frozen=True)
class Goal:
    """A measured value and the range that it must be in.

    Attributes:
        what: Description.
        found: Value.
        low: At least.
        high: At most.
        unit: Of all three.
    """

    what: str
    found: float
    low: float | None = None
    high: float | None = None
    unit: str = ""

    @property
    def met(self) -> bool:
        """The value is in its range."""
        return (self.low is None or self.found >= self.low) and (self.high is None or self.found <= self.high)

    def text(self) -> str:
        """Return a row."""
        needed = " to ".join(f"{one:g}" for one in (self.low, self.high) if one is not None)
        words = "at least " if self.high is None else "at most " if self.low is None else ""
        verdict = "met" if self.met else "MISSED"
        return f"{self.what:<72} {self.found:>9.4g} {self.unit:<9} {words + needed:<14} {verdict}"


def without_vendor_libraries(folder: Path) -> list[Path]:
    """Return the sources but those of NETWORK and PROGRAM, and of boards that a `_none` stands for."""
    absent = {path.stem.replace("_none", "_board") for path in folder.glob("*_none.cpp")}
    apart = {*NETWORK, *PROGRAM, "model_board", "coyote_v1", "coyote_v2", *absent}
    return [path for path in sorted(folder.glob("*.cpp")) if path.stem not in apart]


def compile_all(folder: Path) -> None:
    """Compile the node of the benchmark and the programs around it."""
    folder.mkdir(parents=True, exist_ok=True)
    flags = (*FLAGS, f"-I{NODE}", f"-I{HERE}")
    network = [name for name in NETWORK if name not in PROGRAM]
    unit = folder / "network.cpp"
    unit.write_text("".join(f'#include "{name}.cpp"\n' for name in network))
    others = without_vendor_libraries(NODE)
    sources = [unit, HERE / "node.cpp", HERE / "ends.cpp", HERE / "pair.cpp", HERE / "paper.cpp", *others]

    def build(source: Path) -> None:
        run_compiler(*flags, "-c", source, "-o", folder / f"{source.stem}.o")

    in_parallel(build, sources)
    objects = [folder / f"{path.stem}.o" for path in (unit, *others)]
    run_compiler(folder / "node.o", *objects, "-o", folder / "node", *LIBRARIES)
    run_compiler(folder / "ends.o", folder / "crc32c.o", "-o", folder / "ends", "-pthread")
    for name in ("pair", "paper"):
        run_compiler(folder / f"{name}.o", "-o", folder / name, "-pthread")


def run_compiler(*words: str | Path) -> None:
    """Run the compiler; it says itself what is wrong."""
    subprocess.run(["g++", *map(str, words)], check=True)


@dataclass(frozen=True)
class Server:
    """A running server."""

    pid: int
    port: int

    def cpu(self) -> float:
        """CPU seconds of all its threads so far."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(path.read_text().split()[0]) for path in tasks) / 1e9

    def memory(self) -> float:
        """MiB that it has had at most."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


@contextmanager
def server(program: Path, *words: object) -> Iterator[Server]:
    """Run a server that prints its port first."""
    process = subprocess.Popen([program, *map(str, words)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield Server(process.pid, int(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()


class Bench:
    """The measurements.

    Args:
        folder: With the compiled programs.
        runs: Of each; the median counts.
    """

    def __init__(self, folder: Path, runs: int) -> None:
        self.folder, self.runs = folder, runs

    @contextmanager
    def nodes(self, count: int, bytes_: int, pl_us: int = 0, rate: int = 0) -> Iterator[list[Server]]:
        """Run nodes in a row."""
        with ExitStack() as stack:
            found: list[Server] = []
            for edge in range(count, 0, -1):
                behind = [found[0].port] if found else []
                words = (edge, bytes_, SLOTS, pl_us, rate, *behind)
                found.insert(0, stack.enter_context(server(self.folder / "node", *words)))
            yield found

    def program(self, name: str, *words: object) -> list[float]:
        """Return the numbers that a program prints."""
        command = [str(self.folder / name), *map(str, words)]
        ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        return [float(word) for word in ran.stdout.split()]

    def ends(self, bytes_: int, frames: int, window: int, nodes: Sequence[Server]) -> list[float]:
        """Run the client: seconds, frames, median and 99th percentile of the time of a frame in us."""
        return self.program("ends", bytes_, frames, window, *(node.port for node in nodes))

    def cpu(self) -> Goal:
        """CPU for each byte, of the node and of the pair."""
        frames, ratios, each = 8_000, [], []
        for _ in range(self.runs):
            _, pair = self.program("pair", LARGE, frames)
            with self.nodes(1, LARGE) as nodes:
                before = nodes[0].cpu()
                self.ends(LARGE, frames, frames, nodes)
                own = nodes[0].cpu() - before
            ratios.append(own / pair)
            each.append((own / (frames * LARGE) * 1e9, pair / (frames * LARGE) * 1e9))
        own, pair = (statistics.median(values) for values in zip(*each, strict=True))
        said = f"CPU s for a GB through a node ({own:.3f}), to that of the bare pair ({pair:.3f})"
        return Goal(said, statistics.median(ratios), high=1.3)

    def small(self) -> list[Goal]:
        """Short frames in a second."""
        frames, found = 200_000, []
        for _ in range(self.runs):
            pair = (frames - 1) / self.program("pair", SMALL, frames)[0]
            with server(self.folder / "paper", SMALL, 0, 0) as paper:
                papers = (frames - 1) / self.program("pair", SMALL, frames, paper.port)[0]
            with self.nodes(1, SMALL) as nodes:
                seconds, count, *_ = self.ends(SMALL, frames, frames, nodes)
            found.append((count / seconds, pair, papers))
        own, pair, papers = (statistics.median(values) for values in zip(*found, strict=True))
        said = f"frames/s of {SMALL} bytes through a node ({own:,.0f}), to those of the"
        return [
            Goal(f"{said} bare pair ({pair:,.0f})", statistics.median(a / b for a, b, _ in found), low=2),
            Goal(f"{said} paper's ({papers:,.0f})", statistics.median(a / c for a, _, c in found), low=4),
        ]

    def hop(self, bytes_: int) -> list[Goal]:
        """The time that a node adds to a frame."""
        frames, found = 3_000, []
        for _ in range(self.runs):
            direct = self.ends(bytes_, frames, 1, [])[2]
            with self.nodes(1, bytes_) as nodes:
                _, _, median, most = self.ends(bytes_, frames, 1, nodes)
            found.append((median - direct, most - direct))
        median, most = (statistics.median(values) for values in zip(*found, strict=True))
        said = f"time that a hop adds to a frame of {bytes_:,} bytes"
        return [
            Goal(f"{said}, median", median, high=60, unit="us"),
            Goal(f"{said}, 99 %", most, high=400, unit="us"),
        ]

    def board(self) -> list[Goal]:
        """The publication's first board."""
        frames = 600
        with server(self.folder / "paper", LARGE, PL_US, SEND_RATE) as paper:
            papers = (frames - 1) / self.program("pair", LARGE, frames, paper.port)[0]
        with self.nodes(1, LARGE, PL_US, SEND_RATE) as nodes:
            seconds, count, *_ = self.ends(LARGE, frames, 100, nodes)
        said = f"frames/s with a PL of {PL_US:,} us and {SEND_RATE / 1e6:g} MB/s"
        low, high = PUBLISHED - PUBLISHED_RANGE, PUBLISHED + PUBLISHED_RANGE
        return [
            Goal(f"{said}, the paper's server", papers, low=low, high=high),
            Goal(f"{said}, a node", count / seconds, low=146),
        ]

    def memory(self) -> Goal:
        """The largest of six nodes, with 100 frames under way."""
        with self.nodes(6, LARGE) as nodes:
            self.ends(LARGE, 2_000, 100, nodes)
            most = max(node.memory() for node in nodes)
        return Goal(
            f"memory of each of six nodes, 100 frames of {LARGE:,} bytes under way", most, high=64, unit="MiB"
        )


def main() -> int:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.host", description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="of each ratio; the median counts (default 5)")
    parser.add_argument("--only", choices=("cpu", "small", "hop", "board", "memory"), help="one of them")
    parser.add_argument("-o", "--out", type=Path, default=Path("out/bench_host"), help="compiled programs")
    args = parser.parse_args()
    compile_all(args.out)
    bench = Bench(args.out.resolve(), args.runs)
    steps: dict[str, Callable[[], list[Goal]]] = {
        "cpu": lambda: [bench.cpu()],
        "small": bench.small,
        "hop": lambda: [goal for size in (SMALL, LARGE) for goal in bench.hop(size)],
        "board": bench.board,
        "memory": lambda: [bench.memory()],
    }
    missed = False
    for name, step in steps.items():
        for goal in step() if args.only in (None, name) else ():
            print(goal.text(), flush=True)
            missed |= not goal.met
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
