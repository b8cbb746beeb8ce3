# SPDX-License-Identifier: BSD-3-Clause
"""Resets with frames under way on every board, most by CONTROL: nothing of them may be seen afterwards."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from typing import Any

import numpy as np
from bench_bring_up import bring_up
from bench_budget import reset_cycles
from bench_host import choose_counts, reset_idle, set_counts
from bench_judge import Run, judge
from bench_links import complaints
from bench_pace import Pace
from bench_run import Watch, dump
from bench_session import Session, reset
from bench_stimulus import write_stimulus
from cocotb.triggers import ClockCycles

# Resets where all is asked for, and else; and their share of the cycles of a run without stalls.
MANY, SOME = 10, 2
MANY_RUNS, SOME_RUNS = 2.0, 0.125
LEAST_CYCLES = 64  # from the first frame to a reset; of a stalled port
STILL_FRAMES = 4  # or the time of this number of frames
BURSTS, BURST_FRAMES = 4, 5
TAKERS = ("into the link", "into the host")
BY_PIN = 4  # every fourth reset is by the pins, which clear all registers


async def reset_in_flight(dut: Any, session: Session, pace: Pace) -> list[dict[str, Any]]:
    """Let frames flow, reset all cores in the midst of them, and again, as long as that is worth its time.

    Some ports stall until the reset comes, so that the buffers before them are full. Arrived data is compared
    each time, so it must not begin with what the reset before should have removed. The last reset is left to
    the run that follows. Before every other one, frames come in bursts, and all of a burst must arrive.

    Args:
        dut: The bench top.
        session: Nothing is under way in it.
        pace: Of the run under back-pressure.

    Returns:
        Of each reset: cycles since the first frame, and the stalled ports.

    Raises:
        AssertionError: What arrived is not the beginning of what was sent, or a reset does not end.
    """
    options = session.options
    random = np.random.default_rng([options.seed, 5])
    full = options.walk == "full"
    frames = min(session.frames or 1, session.bench.frames)
    most = int((MANY_RUNS if full else SOME_RUNS) * session.cycles / (MANY if full else SOME))
    able = [at for at, port in enumerate(session.bench.ports) if not port.endswith("the monolith's source")]
    ports = cycle(int(at) for at in random.permutation(able))
    takers = [at for at in able if session.bench.ports[at].endswith(TAKERS)]
    still = max(LEAST_CYCLES, STILL_FRAMES * pace.frame)
    bursts = len(able) if full else max(1, min(BURSTS, most // (still + session.first)))
    found = []
    for turn in range(MANY if full else SOME):
        by_pin = turn % BY_PIN == BY_PIN - 1
        if by_pin:
            session.rested = session.up = False
        await reset(dut, session, pace if turn % 2 else replace(pace, stall=0))
        await reset_idle(dut, session.maps, reset_cycles(session.bench))
        watch = Watch(dut, session.bench, options, "streams, resets in mid-flight")
        if any(tap["count"] for tap in (await watch.probe())["taps"]):
            # Partitions hand out words before any input, which each reset makes once more.
            session.rested = True
            await reset(dut, session, pace if turn % 2 else replace(pace, stall=0))
        await bring_up(dut, session)
        counts = (1, 1)
        if turn % 2:
            counts = choose_counts(
                session.maps, frames, options.seed + turn // 2, long=full and turn % 4 == 1
            )
        await set_counts(dut, session.maps, counts)
        sent = write_stimulus(session, frames + 1)
        await watch.send(0)
        if turn % 2 == 0:
            await _bursts(dut, watch, random, [next(ports) for _ in range(bursts)], frames // 2, still)
        apart = int(np.lcm(*counts))
        whole = frames - frames % apart
        if by_pin:  # registers that only the pin resets know nothing of transfers yet
            watch.frames = min(apart, whole)
            await watch.send(watch.frames)
        dut.frames.value = dut.awaited.value = whole
        jammed = [at for at in range(len(session.bench.ports)) if random.random() < 0.5]
        dut.jam.value = sum(1 << at for at in jammed)
        cycles = int(random.integers(1, max(LEAST_CYCLES, most)))
        await ClockCycles(dut.aclk, cycles)
        await dump(dut)
        verdicts = judge(session.bench, Run(sent, whole, ended=True), session.golden)
        verdicts += complaints(dut, session.bench)
        for verdict in verdicts:
            text = f"frames in mid-flight before reset {turn + 1}, {verdict.name}: {verdict.detail}"
            assert not verdict.mismatches, text
        found.append({"cycles": cycles, "jammed": jammed})
        dut.stall.value = 0
        # Before every other reset by CONTROL, what takes the beats of cores stalls, so that one is offered.
        dut.jam.value = 0 if turn % 2 else sum(1 << at for at in takers)
        await ClockCycles(dut.aclk, 1 if turn % 2 else still)
        session.rested = True  # whatever is under way, CONTROL brings it to an end
    return found


async def _bursts(
    dut: Any, watch: Watch, random: np.random.Generator, ports: list[int], frames: int, still: int
) -> None:
    """Send a burst of frames while one port is stalled, for each of these ports.

    Nothing follows that could push out what was kept back behind the last word.

    Args:
        dut: The bench top.
        watch: Waits until all has arrived.
        random: For the frames of a burst.
        ports: Their numbers.
        frames: At most, of all bursts.
        still: Cycles for which the port is stalled.

    Raises:
        Ended: Something does not arrive.
    """
    sent = 0
    for port in ports:
        sent += int(random.integers(1, BURST_FRAMES + 1))
        if sent > frames:
            return
        dut.jam.value = 1 << port
        watch.frames = dut.frames.value = dut.awaited.value = sent
        await ClockCycles(dut.aclk, still)
        dut.jam.value = 0
        await watch.send(sent)
