# SPDX-License-Identifier: BSD-3-Clause
"""The directed test of links over AXI DMA: transfers of wrong length, each with a right one behind it.

A core flags each fault by itself, forwards all frames of both transfers, and shifts none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bench_compare as bc
import numpy as np
from bench_beats import read_beats
from bench_bring_up import bring_up
from bench_host import set_counts
from bench_lite import NodeLite
from bench_pace import Pace
from bench_records import Boundary, Words
from bench_run import Watch, dump
from bench_session import NO_STALLS, Session, reset
from bench_stimulus import most_frames, write_stimulus
from cocotb.triggers import ClockCycles
from tcp_fault import CUT, HOLE_CUT, Fault, faults

FACTS = Path(__file__).with_name("tcp_dma.json")
COUNTS = (1, 2, 5)  # frames of a transfer
MOST_STEPS = 16  # faults of one receiver and count
MOST_CYCLES = 20_000_000  # of all steps, by FINN's estimate
LOOKS = 40  # at FRAMES, until silence is waited for
SETTLE = 16  # cycles in which FLAGS follow
PRESSURE = Pace(stall=64, hold=64, spell=32, reach=5, seed=7)


@dataclass(frozen=True)
class Receiver:
    """Destination of transfers: the index of the boundary, its node, stream there, bits of a beat."""

    boundary: int
    node: str
    stream: int
    bits: int
    most: int


async def directed_test(dut: Any, session: Session) -> list[dict[str, Any]]:
    """Send wrong transfers to each receiver in turn, if all is asked for.

    Returns:
        Of each receiver and count: node, stream, frames of a transfer, and how many wrong transfers it got.
    """
    if session.options.walk != "full":
        return []
    receivers = [Receiver(**one) for one in json.loads(FACTS.read_text())["receivers"]]
    found = []
    for turn, receiver in enumerate(receivers):
        for count in COUNTS:
            steps = _steps(session, receiver, count, turn)
            if not steps:
                continue
            pace = PRESSURE if count > 1 else NO_STALLS
            await _spoiled(dut, session, receiver, count, steps, pace)
            found.append(
                {"node": receiver.node, "stream": receiver.stream, "count": count, "wrong": len(steps)}
            )
    return found


def _steps(session: Session, receiver: Receiver, count: int, turn: int) -> list[Fault]:
    """Draw faults for transfers of so many frames, as far as the stream can have these."""
    boundary = session.bench.boundaries[receiver.boundary]
    able = faults(boundary.frame_bytes * count, receiver.bits // 8)
    random = np.random.default_rng([session.options.seed, turn, count])
    if count > receiver.most:
        return []
    affordable = MOST_CYCLES // max(1, session.bench.cycles_estimate) // (2 * count * 8)
    room = min(MOST_STEPS, most_frames(session) // (2 * count), max(1, affordable))
    return [able[int(k)] for k in random.permutation(len(able))[:room]]


async def _spoiled(
    dut: Any, session: Session, receiver: Receiver, count: int, steps: list[Fault], pace: Pace
) -> None:
    """Send a wrong transfer and a right one for each step."""
    await reset(dut, session, pace)
    await bring_up(dut, session)
    boundary = session.bench.boundaries[receiver.boundary]
    frames = 2 * count * len(steps)
    epochs = -(-frames // boundary.passes)
    sent = write_stimulus(session, epochs)
    await set_counts(dut, session.maps, (count, count))
    dut.tcp_dma_wrong.value, dut.tcp_dma_wrong_at.value = 1, receiver.boundary
    watch = Watch(dut, session.bench, session.options, "streams, transfers that are wrong")
    await watch.send(0)
    dut.frames.value = dut.awaited.value = epochs
    watch.frames = epochs
    lites = {node["name"]: (NodeLite(dut, node), node) for node in session.maps["nodes"]}
    size, per_beat = boundary.frame_bytes * count, receiver.bits // 8
    for number, fault in enumerate(steps, 1):
        where = f"{receiver.node}, {boundary.name}: transfer {2 * number - 2} of {count} frames, {fault}"
        dut.tcp_dma_wrong_kind.value = fault.kind
        dut.tcp_dma_wrong_beat.value = fault.at
        # The right one comes when the frames of the wrong one are there, filled up if need be.
        for transfers in (2 * number - 1, 2 * number):
            dut.tcp_dma_wrong_allowed.value = transfers
            await _through(dut, watch, lites[receiver.node][0], receiver, count * transfers, where)
            for lite, node in lites.values():
                hit = lite.name == receiver.node and transfers % 2
                wanted = fault.flags(size, per_beat) if hit else set()
                await _told(lite, node, receiver.stream if hit else -1, wanted, where)
    dut.stall.value = 0
    await watch.quiet()
    await dump(dut)
    _compare(session, receiver, frames, sent, _cut(steps, count, boundary, per_beat))


async def _through(
    dut: Any, watch: Watch, lite: NodeLite, receiver: Receiver, frames: int, where: str
) -> None:
    """Wait until a receiver has forwarded ``frames``."""
    for _ in range(LOOKS):
        if await lite.read(f"frames_{receiver.stream}") == frames:
            break
    else:
        await watch.quiet()
    await ClockCycles(dut.aclk, SETTLE)
    counted = await lite.read(f"frames_{receiver.stream}")
    assert counted == frames, f"{where}: FRAMES is {counted}, and not {frames}"


async def _told(lite: NodeLite, node: dict[str, Any], at: int, wanted: set[str], where: str) -> None:
    """Look at the flags of all receivers of a node, and clear those of one, which stay until then."""
    for stream in (stream for stream in node["streams"] if stream["direction"] == "rx"):
        index = stream["index"]
        flags = await lite.read(f"flags_{index}")
        names = wanted if index == at else set()
        right = sum(lite.mask("flags", name) for name in names)
        assert flags == right, f"{where}: FLAGS of {stream['boundary']} are {flags:#x}, and not {right:#x}"
        register, bit = f"errors_{index // 32}", 1 << index % 32
        errors = await lite.read(register)
        assert bool(errors & bit) == bool(right), f"{where}: ERRORS is {errors:#x}"
        if right:
            await lite.write(register, 0xFFFF_FFFF ^ bit)
            await lite.write_bytes(register, 0xFFFF_FFFF, 0b1111 ^ 1 << index % 32 // 8)
            kept = await lite.read(f"flags_{index}")
            assert kept == right, f"{where}: FLAGS are {kept:#x} after another receiver's flags were cleared"
            await lite.write(register, bit)
            left = await lite.read(f"flags_{index}")
            assert not left, f"{where}: FLAGS are {left:#x} when they were cleared"


def _cut(steps: list[Fault], count: int, boundary: Boundary, per_beat: int) -> list[tuple[int, int]]:
    """Return the spans of bytes that a core must fill with zeros, of all that was sent without gaps."""
    size = boundary.frame_bytes * count
    return [
        (2 * number * size + (fault.at + 1) * per_beat, (2 * number + 1) * size)
        for number, fault in enumerate(steps)
        if fault.kind in (CUT, HOLE_CUT)
    ]


def _compare(
    session: Session, receiver: Receiver, frames: int, sent: dict[int, Any], cuts: list[tuple[int, int]]
) -> None:
    """Compare what the partition took with what was sent, zeros where a transfer was cut."""
    index, boundary = receiver.boundary, session.bench.boundaries[receiver.boundary]
    assert boundary.taken
    taken = _codes(boundary.taken, boundary)
    made = sent[index][:] if boundary.made is None else _codes(boundary.made, boundary)
    taken = taken[: frames * boundary.elements]
    wire = bc.wire_bytes(made[: frames * boundary.elements].reshape(frames, -1), boundary).reshape(-1).copy()
    for start, end in cuts:
        wire[start:end] = 0
    wanted = bc.from_wire(wire.reshape(frames, -1), boundary).reshape(-1)
    verdict = bc.compare(boundary.name, frames, taken, wanted, boundary)
    assert verdict.passed, f"{receiver.node}, transfers that were wrong, {boundary.name}: {verdict.detail}"


def _codes(port: Words, boundary: Boundary) -> Any:
    """Return all elements that crossed the pins of a partition, in order, shape (n,)."""
    seen = read_beats(port.file, port.bits)
    return bc.codes_at_port(seen.data, boundary, port)
