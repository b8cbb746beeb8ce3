# SPDX-License-Identifier: BSD-3-Clause
"""One run of the streams: send frames, let all come to rest, send one more, and judge what crossed."""

from __future__ import annotations

import math
from typing import Any

from bench_beats import open_beats
from bench_bring_up import bring_up, sessions
from bench_counters import WOUND, Meters, metered, miscounted, mismetered, wind
from bench_held import Held
from bench_host import choose_counts, set_counts
from bench_judge import Run, judge
from bench_links import complaints, count, forget, link_meters, mismetered_links
from bench_own import count_own
from bench_pace import Pace
from bench_records import Bench
from bench_report import Failed, note, told
from bench_run import Watch, dump
from bench_session import Session, reset
from bench_stand import Ended
from bench_stimulus import LEAST_FRAMES, least_frames, most_frames, write_stimulus
from bench_verdict import Verdict

# Faults of more than one beat of a link: see `Injection` of shellgen.
STUCK, MISCOUNT = 5, 6
CYCLES = 2_000_000  # of a run, without --frames
MARKED = 64  # frames of which the bench tells when each had arrived
ALONE, SHARE = 8, 4  # frames that come one by one under back-pressure, and at most one of so many


def disturb(dut: Any, session: Session) -> None:
    """Turn on the fault that was asked for."""
    inject = session.options.inject
    dut.inject_at.value = inject.boundary
    dut.inject_kind.value = inject.kind
    dut.inject_beat.value = inject.beat


async def stream(dut: Any, session: Session, name: str, pace: Pace) -> None:
    """Send all frames, and one more when they are through; record, compare; nothing compared fails."""
    await reset(dut, session, pace)
    await bring_up(dut, session)
    if not pace.stall:
        await sessions(dut, session)
    forget(session.bench)
    counted = await count(dut, session)
    sent = _stimulus(session, pace)
    inject = session.options.inject
    at_link = inject.kind not in (STUCK, MISCOUNT)
    if at_link:
        disturb(dut, session)
    watch = Watch(dut, session.bench, session.options, f"streams, {name.replace('_', ' ')}", pace.hold)
    counts = (1, 1)
    if pace.stall and (not inject.kind or not at_link):
        counts = await _several(dut, session)
        watch.whole = math.lcm(*counts)
    wound = bool(pace.stall and session.options.control)
    meters = await _preset(dut, session, watch, wound=wound)
    links = await link_meters(dut, session, watch)
    frames, cycles, turns = 0, 0, 0
    ended: Ended | None = None
    rested: list[list[int]] = []
    try:
        with told(name):
            alone = ALONE if pace.stall else 0
            frames, cycles = await send_frames(watch, session, math.lcm(*counts), alone)
            dut.stall.value = 0  # what comes to rest now does so by itself
            if not pace.stall:
                session.cycles, session.first = cycles, watch.first
            rested = await bring_to_rest(dut, watch, session, frames, counts, pace.stall)
            turns = int(dut.turns.value)
    except Ended as why:
        ended = why
    # Results are kept of the first run, whose frames the report counts.
    kept = not (pace.stall and session.options.full_rate)
    verdicts = await _judged(dut, session, Run(sent, watch.frames or 0, ended is not None, rested, kept=kept))
    through = (frames or watch.frames if ended else session.frames) or 0
    own, epoch = count_own(through, session.bench.own_frames), session.bench.epoch
    rate = (
        {"frames": (through - own) * epoch, "own": own * epoch, "cycles": cycles, "timed": frames * epoch}
        | {"epoch": epoch, "first": watch.first, "times": [] if pace.stall else session.times}
        | {"arrived": not ended}
        | pace.record()
        | {"turns": turns, "per_transfer": counts, "links": await count(dut, session, counted)}
        | {"handshakes": broken_handshakes(session.bench)}
    )
    note(name, {**rate, "verdicts": [verdict.record() for verdict in verdicts]})
    since = WOUND["frames"] if wound else 0
    verdicts += await miscounted(dut, session.maps, None if ended else watch.frames, since)
    if not ended:
        verdicts += mismetered(session.maps, meters, await metered(dut, session.maps, watch))
        verdicts += mismetered_links(links, await link_meters(dut, session, watch))
    note(name, {**rate, "verdicts": [verdict.record() for verdict in verdicts]})
    if ended:
        raise ended
    if not verdicts or not all(verdict.passed for verdict in verdicts):
        raise Failed("a comparison failed, or there was none")


def _stimulus(session: Session, pace: Pace) -> dict[int, Held]:
    """Write the files of all sources, of as many frames as the run takes, and return what they hold."""
    if pace.stall and session.frames and not session.options.frames:
        # Few short frames would be through before each port has had its turn.
        session.frames = max(session.frames, min(session.bench.frames, pace.frames))
    return write_stimulus(session, max(most_frames(session), session.frames or 0) + 1)


async def _preset(dut: Any, session: Session, watch: Watch, *, wound: bool) -> Meters:
    """Wait until nothing moves, preset the counters if asked for, and return what they have counted."""
    await watch.still()
    if wound:
        await wind(dut, session.maps)
    return await metered(dut, session.maps, watch)


async def _several(dut: Any, session: Session) -> tuple[int, int]:
    """Let transfers have several frames; return how many at receivers and at senders."""
    options, inject = session.options, session.options.inject
    wanted = -(-(options.frames or 0) // session.bench.epoch) or session.frames or 0
    counts = choose_counts(session.maps, wanted, options.seed, long=options.walk == "full")
    await set_counts(dut, session.maps, counts, inject.beat if inject.kind == MISCOUNT else 0)
    return counts


async def _judged(dut: Any, session: Session, run: Run) -> list[Verdict]:
    """Let sinks and monitors write what they have seen, and judge it."""
    await dump(dut)
    return [*judge(session.bench, run, session.golden), *complaints(dut, session.bench)]


def broken_handshakes(bench: Bench) -> list[dict[str, Any]]:
    """Return where a word was taken back or changed: place, signal, times, words before the first time."""
    found = []
    for tap in bench.taps:
        seen = open_beats(tap.file, 8)
        for signal, (times, words) in (("tvalid", seen.withdrawn), ("tdata", seen.altered)):
            found += [{"place": tap.place, "signal": signal, "times": times, "words": words}] if times else []
    return found


async def bring_to_rest(
    dut: Any, watch: Watch, session: Session, frames: int, counts: tuple[int, int], stall: int
) -> list[list[int]]:
    """Wait until nothing moves, send what is left, frame by frame, then one frame more without pauses.

    Returns:
        Words at each sink and monitor before and after that frame.
    """
    assert session.frames
    words, late = await watch.quiet(session.late)
    session.late = max(late, session.late or 0)
    if counts != (1, 1) and not dut.overrun.value:
        await set_counts(dut, session.maps, (1, 1))
        watch.whole = 1
    if frames < session.frames and not dut.overrun.value:
        # One by one: what a pause keeps back behind the last word, no other word pushes out.
        dut.stall.value = stall
        for count in range(frames + 1, session.frames + 1):
            await watch.send(count)
        dut.stall.value = 0
        words = (await watch.quiet(session.late))[0]
    if dut.overrun.value:
        return [words]
    await watch.send(session.frames + 1)
    after = (await watch.quiet(session.late))[0]
    session.rested = session.options.control and not dut.overrun.value
    return [words, after]


async def send_frames(watch: Watch, session: Session, of: int, alone: int) -> tuple[int, int]:
    """Send the frames asked for, or as many as fit; return their number and the cycles they took.

    Args:
        watch: Waits for them.
        session: Gets their number, if it is not chosen yet.
        of: What is sent is a multiple of this; what is left is for later.
        alone: So many are left at least, if they are few of all.
    """
    most = most_frames(session)
    if session.options.frames or session.frames:
        frames = session.frames or most
    else:
        first = await watch.send(LEAST_FRAMES, 1, cluster=True)  # a monolith of replicas is slower
        watch.first_frame(first)
        each = max(1, await watch.send(LEAST_FRAMES, cluster=True) - first)
        frames = max(least_frames(session), min(most, (CYCLES - first) // each))
    session.frames = frames
    together = frames - min(alone, frames // SHARE)
    together = max(of, together - together % of)
    if not watch.first:
        watch.first_frame(await watch.send(together, 1, cluster=True))
        if not alone:
            session.times = [watch.first]
            for count in range(2, min(together, MARKED) + 1):
                session.times.append(await watch.send(together, count, cluster=True))
    return together, await watch.send(together)
