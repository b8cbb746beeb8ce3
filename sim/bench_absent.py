# SPDX-License-Identifier: BSD-3-Clause
"""A replica without turns: the boards around it leave it out, and the others do its work.

Its board is held in reset meanwhile, as one that is gone. OUT of each deal and gather is written as the
host's programs write it, and taken over in a reset by CONTROL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import gcd
from typing import Any

from bench_bring_up import bring_up
from bench_host import hold_cores, release_cores
from bench_judge import Run, judge
from bench_links import complaints
from bench_lite import NodeLite
from bench_records import Bench, Boundary, Tap
from bench_run import Watch, dump
from bench_session import Session, drain_limit, reset
from bench_stimulus import write_stimulus

LEAST_EPOCHS = 2  # that are sent
LOOK_CYCLES = 1000  # from one look at the streams to the next
WORD = (1 << 32) - 1


def chosen(session: Session) -> list[str]:
    """Return the replicas to leave out: the one that was asked for, or one of each stage, by the seed."""
    asked, seed = session.options.absent, session.options.seed
    return [asked] if asked else [names[seed % len(names)] for names in session.bench.spares]


async def without_replica(dut: Any, session: Session, name: str) -> dict[str, Any]:
    """Send frames through the cluster without the turns of a replica.

    Args:
        dut: The bench.
        session: The simulation.
        name: The replica.

    Returns:
        The replica, all boards without turns, the frames, and the comparisons.

    Raises:
        AssertionError: A board does not leave it out, a stream of it carries something, or a frame is wrong.
        Ended: The time is up.
    """
    bench = session.bench
    left, idle = _left(bench, name)
    epochs = _epochs(session, len(left))
    shorter, runs = _without(bench, left), epochs * bench.epoch // len(left)
    await reset(dut, session)
    await bring_up(dut, session)
    await take_out(dut, session, idle)
    own = replace(session, bench=replace(bench, own_frames=0))
    sent = write_stimulus(own, epochs)
    for node in idle:
        getattr(dut, f"aresetn_{node}").value = 0
    watch = Watch(dut, bench, session.options, f"streams, {name} has no turns")
    if session.first:
        watch.first_frame(session.first)
    await watch.send(0)
    # Other replicas carry more than their share, up to the frames of all.
    dut.since.value = -epochs * bench.epoch & WORD
    watch.frames = dut.frames.value = dut.awaited.value = epochs
    await _arrive(dut, session, watch, [_words(bench, shorter, tap, epochs, runs) for tap in bench.taps])
    await watch.quiet()
    silent = [place for place in range(len(bench.taps)) if not _places(shorter, bench.taps[place])]
    seen = (await watch.probe())["taps"]
    for place in silent:
        text = f"{bench.taps[place].place} carried {seen[place]['count']} words, and {name} has no turns"
        assert not seen[place]["count"], text
    await dump(dut)
    verdicts = [*judge(shorter, Run(sent, runs, ended=False, kept=False), session.golden)]
    verdicts += complaints(dut, bench)
    session.rested = session.up = False  # the next reset is by the pins, which clear OUT
    assert silent, f"no stream is silent without {name}"
    assert any(one.proof == "monolith" for one in verdicts), f"without {name} no result was compared"
    return {
        "node": name,
        "idle": sorted(idle),
        "silent": len(silent),
        "frames": runs * len(left),
        "verdicts": [verdict.record() for verdict in verdicts],
    }


async def take_out(dut: Any, session: Session, idle: Sequence[str]) -> None:
    """Write OUT of all deals and gathers, which their cores take over in a reset by CONTROL."""
    wanted = []
    for node in session.maps["nodes"]:
        lite = NodeLite(dut, node)
        for number, each in enumerate(node["turns"] if node["name"] not in idle else ()):
            out = sum(1 << bit for bit, far in enumerate(each["nodes"]) if far in idle)
            await lite.write(f"turns_out_{number}", out)
            wanted.append((lite, number, out))
    assert any(out for _, _, out in wanted), "no deal or gather leads to it"
    for lite, number, _ in wanted:
        now = await lite.read(f"turns_out_now_{number}")
        assert not now, f"{lite.name}: OUT_NOW is {now:#x} before a reset"
    cycles = drain_limit(dut, session)
    assert await hold_cores(dut, session.maps, cycles), "CONTROL does not tell that the links are drained"
    await release_cores(dut, session.maps, session.bench, cycles)
    for lite, number, out in wanted:
        now = await lite.read(f"turns_out_now_{number}")
        assert now == out, f"{lite.name}: OUT_NOW is {now:#x} after a reset, and OUT is {out:#x}"


async def _arrive(dut: Any, session: Session, watch: Watch, wanted: Sequence[int]) -> None:
    """Wait until each sink and monitor has its words."""
    while True:
        state = await watch.probe()
        short = [at for at, tap in enumerate(state["taps"]) if tap["count"] < wanted[at]]
        if not short:
            return
        if int(dut.idle_cycles.value) > watch.idle_limit:
            tap, came = session.bench.taps[short[0]].place, state["taps"][short[0]]["count"]
            raise AssertionError(
                f"nothing moves any more, and {tap} has carried {came} of {wanted[short[0]]} words"
            )
        await watch.sleep(LOOK_CYCLES)


def _left(bench: Bench, name: str) -> tuple[list[int], list[str]]:
    """Return the inferences of an epoch that are not a node's, and the nodes that have none of them."""
    places: dict[str, set[int]] = {}
    for node in bench.nodes:
        own = places.setdefault(node.name, set())
        for boundary in bench.boundaries:
            ends = [end.partition for end in (boundary.producer, boundary.consumer) if end]
            if set(ends) & set(node.partitions):
                own |= set(boundary.places)
    left = [place for place in range(bench.epoch) if place not in places[name]]
    return left, [node for node, own in places.items() if not own & set(left)]


def _epochs(session: Session, left: int) -> int:
    """Return the epochs to send: those asked for if a replica was, and always whole ones of the others."""
    epoch, options = session.bench.epoch, session.options
    asked = -(-options.frames // epoch) if options.absent and options.frames else LEAST_EPOCHS
    whole = left // gcd(epoch, left)
    return -(-max(asked, LEAST_EPOCHS) // whole) * whole


def _without(bench: Bench, left: Sequence[int]) -> Bench:
    """Return the bench of a cluster whose epochs are what is left of one; idle boundaries have no places."""

    def shorter(boundary: Boundary) -> Boundary:
        places = tuple(at for at, place in enumerate(left) if place in boundary.places)
        passes = boundary.passes // len(boundary.places) * len(places)
        return replace(boundary, places=places, passes=passes)

    outputs = tuple(replace(one, carriers=one.carriers[:1] * len(left)) for one in bench.monolith.outputs)
    monolith = replace(bench.monolith, outputs=outputs)
    boundaries = tuple(map(shorter, bench.boundaries))
    return replace(bench, boundaries=boundaries, monolith=monolith, epoch=len(left), own_frames=0)


def _places(bench: Bench, tap: Tap) -> tuple[int, ...]:
    """Return the inferences of an epoch that a sink or monitor sees; the monolith's sees all."""
    return tuple(range(bench.epoch)) if tap.side == "mono_made" else bench.boundaries[tap.boundary].places


def _words(bench: Bench, shorter: Bench, tap: Tap, epochs: int, runs: int) -> int:
    """Return the words of a sink or monitor in so many epochs, or so many of what is left of them."""
    if tap.side == "mono_made":
        return epochs * tap.beats
    each = tap.beats // len(bench.boundaries[tap.boundary].places)
    return runs * len(shorter.boundaries[tap.boundary].places) * each
