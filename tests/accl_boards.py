# SPDX-License-Identifier: BSD-3-Clause
"""Scripts for three boards with the model of an ACCL engine each, and what comes of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shellgen.resources import sim_closure, sim_models
from tools.blocks.block_bench import closure, run_sources

BENCH = Path(__file__).with_name("simulate_modules") / "accl_boards.sv"
# Place of a parameter in the bench's `parameters`.
PARAMETERS = (
    "latency",
    "buffer",
    "segment",
    "packet",
    "slow",
    "think",
    "status",
    "withhold",
    "refuse",
    "reject",
    "host",
)
BOARDS = 3
ALL = "FFFFFFFFFFFFFFFF"
# With the driver's defaults: 16 receive buffers, communicator, types, of which int32 is the fifth.
COMMUNICATOR = 8 + 16 * 28
INT32 = COMMUNICATOR + 8 + 24 * BOARDS + 4 * 36
SEND, STREAM_BOTH = 3, 3


@dataclass(frozen=True)
class Packet:
    """A packet as a core received it, up to TLAST."""

    board: int
    stream: int
    time_ns: float
    data: bytes


@dataclass(frozen=True)
class Outcome:
    """All that the bench has printed."""

    packets: tuple[Packet, ...]
    status: tuple[tuple[int, int], ...]
    status_ns: tuple[float, ...]
    reads: tuple[tuple[int, int, int], ...]
    boards: tuple[dict[str, int], ...]
    network: dict[str, int]
    errors: tuple[str, ...]

    def at(self, board: int, stream: int) -> bytes:
        """Return all that a core got of a stream."""
        return b"".join(p.data for p in self.packets if (p.board, p.stream) == (board, stream))

    def sizes(self, board: int) -> list[int]:
        """Return the bytes up to each TLAST."""
        return [len(packet.data) for packet in self.packets if packet.board == board]

    @property
    def clean(self) -> bool:
        """Whether no core did what none may do, and everything was done."""
        return not self.errors and not any(b["error"] or b["left"] or b["rest"] for b in self.boards)


def payload(beats: int, seed: int) -> bytes:
    """Return what `beats` gives."""
    words = ((seed * 0x01000193 + k * 0x9E3779B1) % (1 << 32) for k in range(16 * beats))
    return b"".join(word.to_bytes(4, "little") for word in words)


def words(
    board: int,
    to: int,
    stream: int,
    count: int,
    *,
    changed: dict[int, int] | None = None,
    given: int = 15,
    last: int = 14,
) -> str:
    """Return a command, with some words other than they should be."""
    right = [SEND, count, COMMUNICATOR, to, 0, stream, INT32, 0, STREAM_BOTH] + 6 * [0]
    for place, value in (changed or {}).items():
        right[place] = value
    return f"words {board} {given} {last} " + "".join(f"{word:08X}" for word in right)


def beats(board: int, count: int, seed: int, last: int | None = None, keep: str = ALL) -> str:
    """Return beats with TLAST on the last, or on another."""
    return f"beats {board} {count} {seed} {count - 1 if last is None else last} {keep}"


def put(board: int, to: int, stream: int, size: int, seed: int) -> list[str]:
    """Return a whole put of so many beats."""
    return [words(board, to, stream, 16 * size), beats(board, size, seed), f"status {board}"]


def play(script: Sequence[str], folder: Path, simulator: str, **parameters: int) -> Outcome:
    """Run a script with these parameters."""
    path = folder / "script.txt"
    lines = [f"parameter {PARAMETERS.index(name)} {value}" for name, value in parameters.items()]
    path.write_text("\n".join([*lines, "start", *script]) + "\n")
    models = sim_models()
    sources = [BENCH, *(models[name] for name in sim_closure(BENCH.read_text())), *closure("axis_checker")]
    result = run_sources("accl_boards", sources, simulator, [f"script={path}"])
    assert "\nEND\n" in result.text, result.text[-2000:]
    return _outcome(result.text)


def _outcome(text: str) -> Outcome:
    packets = []
    for line in re.findall(r"^GOT (.*)$", text, re.MULTILINE):
        board, stream, time, *data = line.split()
        packets.append(Packet(int(board), int(stream), int(time) / 1000, b"".join(map(_beat, data))))
    status = re.findall(r"^STATUS (\d) +(\d+) (\w+)$", text, re.MULTILINE)
    reads = re.findall(r"^READ (\d) (\w+) (\w+)$", text, re.MULTILINE)
    boards = re.findall(r"^BOARD \d (.*)$", text, re.MULTILINE)
    return Outcome(
        packets=tuple(packets),
        status=tuple((int(board), int(value, 16)) for board, _, value in status),
        status_ns=tuple(int(time) / 1000 for _, time, _ in status),
        reads=tuple((int(board), int(at, 16), int(value, 16)) for board, at, value in reads),
        boards=tuple(_numbers(line) for line in boards),
        network=_numbers(re.findall(r"^NETWORK (.*)$", text, re.MULTILINE)[0]),
        errors=tuple(re.findall(r"^Error: (.*)$", text, re.MULTILINE)),
    )


def _numbers(line: str) -> dict[str, int]:
    return {name: int(value) for name, value in re.findall(r"([a-z]+) +(\d+)", line)}


def _beat(text: str) -> bytes:
    """Return the bytes that TKEEP marks: from the first on, without a gap."""
    keep, data = (int(part, 16) for part in text.split(":"))
    count = keep.bit_length()
    assert keep == (1 << count) - 1, f"TKEEP is {keep:x}"
    return data.to_bytes(64, "little")[:count]
