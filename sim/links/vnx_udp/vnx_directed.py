# SPDX-License-Identifier: BSD-3-Clause
"""The directed test of links over VNx: the bench is the other end of every row, and misbehaves.

Each core is cut from VNx (vnx_stand_in.sv). In rounds, packets are played to all ends at once; what the
cores have sent is judged then, with their registers. The frames that crossed are compared at the pins of the
partitions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bench_compare as bc
import numpy as np
from bench_beats import read_beats
from bench_budget import reset_cycles
from bench_host import released
from bench_lite import NodeLite
from bench_records import Boundary
from bench_report import Failed
from bench_run import Watch, dump
from bench_session import Session, reset
from bench_stimulus import most_frames, write_stimulus
from cocotb.triggers import ClockCycles
from vnx_cage import Cage
from vnx_end import End, Rounds, Script, Seen
from vnx_far_receiver import FarReceiver
from vnx_far_sender import FarSender
from vnx_fresh import ResetReceiver, ResetSender
from vnx_script import Said

FACTS = Path(__file__).with_name("vnx_udp.json")
SPARE = 64  # cycles of a round behind the last of all ends, since cards have clocks of their own
SETTLE = 16
RESETS = 8  # where all is asked for
AFTER = 1024  # cycles for which it takes nothing after the reset
MORE = 2  # frames beyond those that fill a buffer
Key = tuple[str, str]  # a node and one of its attachments
Far = ResetReceiver | ResetSender


@dataclass(frozen=True)
class _Stage:
    """All ends, keys of their cages and gates of their partitions in the same order, and what is drawn."""

    watch: Watch
    fars: Sequence[Far]
    keys: Sequence[Key]
    gates: Sequence[int]
    cages: Mapping[Key, Cage]
    random: Any

    @property
    def settle(self) -> int:
        """Cycles in which all comes to rest when no partition moves."""
        return max(far.end.settled for far in self.fars)

    def at(self, key: Key) -> list[Far]:
        """Return the ends at a cage."""
        return [far for far, place in zip(self.fars, self.keys, strict=True) if place == key]


async def directed_test(dut: Any, session: Session) -> dict[str, Any]:
    """Play all rounds to all ends, and then reset them, again and again.

    Returns:
        By block: packets and frames that crossed.

    Raises:
        Failed: A core says or counts what it must not.
    """
    full = session.options.walk == "full"
    watch = Watch(dut, session.bench, session.options, "streams, the directed test of vnx_udp")
    await _cut(dut, session, watch)
    ends = [End(**one) for one in json.loads(FACTS.read_text())["ends"]]
    fill = max((MORE - -end.slots // end.pieces for end in ends if end.hello_cycles), default=0)
    room = session.options.frames or session.bench.frames
    frames = min(room, max(most_frames(session), fill))
    turns = RESETS if full else 2
    write_stimulus(session, min(room, frames + turns * fill) + 1)
    await watch.send(0)
    dut.frames.value = watch.frames = frames
    stage = _stage(dut, session, watch, ends, frames)
    found = await _play(dut, stage, [far.rounds() for far in stage.fars])
    await dump(dut)
    for far in stage.fars:
        boundary = session.bench.boundaries[far.end.boundary]
        crossed = _made(far, boundary) if isinstance(far, FarReceiver) else _taken(far, boundary)
        if crossed:
            raise far.end.wrong(crossed)
    for turn in range(turns):
        dut.frames.value = min(room, frames + (turn + 1) * fill)  # buffers are full when the reset comes
        await _reset_in_flood(dut, session, stage, turn)
    return {f"{far.end.node}.{far.end.block}": one for far, one in zip(stage.fars, found, strict=True)}


async def _cut(dut: Any, session: Session, watch: Watch) -> None:
    """Cut all cores from VNx, while they are in reset, and forget the words made before that."""
    await reset(dut, session)
    _pull(dut, session, 0)
    await ClockCycles(dut.aclk, SETTLE)
    dut.vnx_udp_alone.value = 1
    await ClockCycles(dut.aclk, SETTLE)
    await watch.anew(0)
    _pull(dut, session, 1)


def _stage(dut: Any, session: Session, watch: Watch, ends: Sequence[End], frames: int) -> _Stage:
    """Return the far ends of all rows; partitions may make so many frames."""
    random, full = np.random.default_rng(session.options.seed), session.options.walk == "full"
    fars: list[Far] = [
        ResetReceiver(end, frames, random, full=full) if end.hello_cycles else ResetSender(end, random)
        for end in ends
    ]
    keys = [(end.node, end.attachment) for end in ends]
    gates = [_gate(session, end) for end in ends]
    nodes = {node["name"]: node for node in session.maps["nodes"]}
    groups = {key: [end for end, own in zip(ends, keys, strict=True) if own == key] for key in keys}
    cages = {key: Cage(dut, nodes[key[0]], group) for key, group in groups.items()}
    return _Stage(watch, fars, keys, gates, cages, random)


def _gate(session: Session, end: End) -> int:
    """Return the number of the gate at the partition's pins of an end, among the ports of the bench."""
    boundary = session.bench.boundaries[end.boundary]
    pins = boundary.producer if end.hello_cycles else boundary.consumer
    assert pins
    return session.bench.ports.index(f"pins of {pins.partition}.{pins.port}")


async def _reset_in_flood(dut: Any, session: Session, stage: _Stage, turn: int) -> None:
    """Reset all cores while a packet comes in every cycle, and see what they are then.

    Args:
        dut: The bench top.
        session: The simulation.
        stage: All ends.
        turn: Number of the reset: every other one is by the pins, the others are as a host does it, and all
            but the first of these are while VNx takes nothing, so that a packet may be half on its way.
    """
    cages, lites = stage.cages, [NodeLite(dut, node) for node in session.maps["nodes"]]
    pin = turn % 2 == 1
    held = 0 if pin else turn // 2
    look = max(far.end.look for far in stage.fars)
    await stage.watch.elapse(look)  # in which most buffers become full
    # A PROBE more each time: full packets behind it begin at other places of the buffer before VNx.
    quiet = held * max(far.end.timeout_cycles + far.end.late for far in stage.fars)
    known = {key: len(cage.listen().packets) for key, cage in cages.items()}
    cycles = hold = 0
    for key, cage in cages.items():
        own = [far.flood(quiet) for far in stage.at(key)]
        if held:
            hold = max(hold, AFTER + 2 * (quiet + sum(len(script.entries) for script in own)))
            own[0].block(hold)
        cycles = max(cycles, await cage.write(own))
    dut.vnx_udp_play.value = 1
    flood = cycles - quiet
    # While VNx takes nothing, all of it is needed to fill what is before VNx.
    part = flood if held else int(stage.random.integers(flood // 8, flood // 2))
    await stage.watch.elapse(quiet + part)
    if pin:
        _pull(dut, session, 0)
    else:
        for lite in lites:
            await lite.write("control", lite.mask("control", "HOLD"))
    await stage.watch.elapse(cycles + SPARE)
    if held:
        await _release(dut, session, lites)
        await stage.watch.elapse(hold)
    dut.vnx_udp_play.value = 0
    await ClockCycles(dut.aclk, SETTLE)
    for key, cage in cages.items():
        said = cage.listen().packets[known[key] :]
        for far in [] if pin else stage.at(key):
            far.flooded(_of(far.end, said, 0))
        cage.forget()
    if pin:
        _pull(dut, session, 1)
    else:
        if not held:
            await _release(dut, session, lites)
        for cage in cages.values():
            await cage.clear()
    await _play(dut, stage, [far.fresh(pin=pin, late=held > 0) for far in stage.fars])


async def _release(dut: Any, session: Session, lites: Sequence[NodeLite]) -> None:
    for lite in lites:
        await lite.write("control", 0)
    for lite in lites:
        await released(dut, lite, reset_cycles(session.bench))


def _pull(dut: Any, session: Session, level: int) -> None:
    for name in session.cores:
        getattr(dut, name).value = level


async def _play(dut: Any, stage: _Stage, rounds: Sequence[Rounds]) -> list[dict[str, int]]:
    """Play the rounds of all ends of a phase at once; return what each has to report."""
    fars, keys, cages = stage.fars, stage.keys, stage.cages
    scripts: list[Script | None] = [next(one) for one in rounds]
    known = [len(cages[key].heard.packets) for key in keys]
    results: list[dict[str, int]] = [{} for _ in fars]
    while any(scripts):
        phase = min(script.phase for script in scripts if script)
        played = [script if script and script.phase == phase else None for script in scripts]
        cycles = 0
        for key, cage in cages.items():
            own = [script for script, place in zip(played, keys, strict=True) if script and place == key]
            cycles = max(cycles, await cage.write(own))
        pairs = zip(played, stage.gates, strict=True)
        still = [gate for script, gate in pairs if script and script.frozen]
        await _round(dut, stage, cycles + SPARE, still)
        lasted = cycles + SPARE + stage.settle
        before = {key: cage.listen() for key, cage in cages.items()}
        registers = [
            await cages[key].registers(far.end.block) | await cages[key].status(far.end.stream)
            for far, key in zip(fars, keys, strict=True)
        ]
        ports = {key: await cage.registers() for key, cage in cages.items()}
        for cage in cages.values():
            await cage.write(())
        await _round(dut, stage, 0, stage.gates)
        after = {key: cage.listen() for key, cage in cages.items()}
        for key, cage in cages.items():
            if wrong := cage.wrong(ports[key], before[key], after[key]):
                raise Failed(wrong)
        for index, (far, key) in enumerate(zip(fars, keys, strict=True)):
            if not played[index]:
                continue
            start = before[key].began
            new = _of(far.end, before[key].packets[known[index] :], start)
            known[index] = len(before[key].packets)
            later = _of(far.end, after[key].packets[len(before[key].packets) :], start)
            try:
                scripts[index] = rounds[index].send(Seen(new, lasted, registers[index], later))
            except StopIteration as end:
                scripts[index], results[index] = None, end.value
    dut.jam.value = 0
    return results


def _of(end: End, packets: Sequence[Said], start: int) -> tuple[Said, ...]:
    """Return the packets of an end, with times from the begin of a round."""
    return tuple(
        Said(one.at - start, one.row, one.datagram, one.beats, one.waits, one.wrong)
        for one in packets
        if one.row == end.row
    )


async def _round(dut: Any, stage: _Stage, cycles: int, still: Sequence[int]) -> None:
    """Play for ``cycles`` while the gates in ``still`` are closed; then close all, and wait until idle.

    What is read after it does not change meanwhile, however slow a partition is.
    """
    dut.jam.value = _bits(still)
    dut.vnx_udp_play.value = 1
    await stage.watch.elapse(max(2, cycles))
    dut.jam.value = _bits(stage.gates)
    if cycles:
        await stage.watch.elapse(stage.settle)
    dut.vnx_udp_play.value = 0
    await ClockCycles(dut.aclk, SETTLE)


def _bits(places: Sequence[int]) -> int:
    return sum(1 << place for place in dict.fromkeys(places))


def _codes(frames: Sequence[bytes], boundary: Boundary) -> Any:
    raw = np.frombuffer(b"".join(frames), np.uint8).reshape(len(frames), boundary.frame_bytes)
    return bc.from_wire(raw, boundary).reshape(len(frames), -1)


def _made(far: FarReceiver, boundary: Boundary) -> str:
    """Compare the frames that came with what the partition has made."""
    assert boundary.made
    seen = read_beats(boundary.made.file, boundary.made.bits)
    codes = bc.codes_at_port(seen.data, boundary, boundary.made)
    if far.end.numbered:
        return _in_order(far, boundary, codes, whole=seen.count == len(seen.data))
    for number, frame in sorted(far.frames.items()):
        wanted = codes[number * boundary.elements :][: boundary.elements]
        recorded = len(wanted) == boundary.elements or seen.count == len(seen.data)
        if recorded and not np.array_equal(_codes([frame], boundary)[0], wanted):
            return f"frame {number} is not what the partition has made"
    return ""


def _in_order(far: FarReceiver, boundary: Boundary, codes: Any, *, whole: bool) -> str:
    """Find frames with numbers among those that the partition has made, in order.

    Numbers do not tell how many frames came before: some are left out where what they are made of is lost.
    """
    made = codes[: len(codes) // boundary.elements * boundary.elements].reshape(-1, boundary.elements)
    at = 0
    for number, frame in sorted(far.frames.items()):
        same = np.flatnonzero((made[at:] == _codes([frame], boundary)[0]).all(axis=1))
        if not len(same):
            text = f"frame {number:#x} is not what the partition has made behind {at} others"
            return text if whole else ""
        at += int(same[0]) + 1
    return ""


def _taken(far: FarSender, boundary: Boundary) -> str:
    """Compare what the partition has taken with the frames that were sent to it."""
    assert boundary.taken
    seen = read_beats(boundary.taken.file, boundary.taken.bits)
    codes = bc.codes_at_port(seen.data, boundary, boundary.taken)
    if not far.handed:
        return ""
    wanted = _codes(far.handed, boundary).reshape(-1)
    shared = min(len(codes), len(wanted))
    if not np.array_equal(codes[:shared], wanted[:shared]):
        at = int(np.flatnonzero(codes[:shared] != wanted[:shared])[0]) // boundary.elements
        return f"the partition has got another frame {at} than was sent"
    return ""
