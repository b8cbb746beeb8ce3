# SPDX-License-Identifier: BSD-3-Clause
"""Waiting for the model: how far it has come is shown while it runs, and a limit that ends a run says so.

A network may take millions of cycles for a frame and be silent for most of them, so no fixed number tells
slow from stuck. What counts as stuck follows from the first frame, as soon as that has come through.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from bench_budget import silence as link_silence
from bench_records import Bench, Options, Tap
from bench_rest import Rest
from bench_stand import Ended, describe, endless, stand
from cocotb.simtime import get_sim_time
from cocotb.triggers import ClockCycles, First, RisingEdge, Timer, ValueChange

PROGRESS = Path("progress.json")
PROBE = Path("probe.txt")
# Silence that counts as stuck as long as no frame has come through, where no estimate says more; and at
# least. Both are floors, for networks of which nothing is known.
FIRST_SILENCE = 5_000_000
LEAST_SILENCE = 50_000
FIRST_FRAMES = 4  # a silence of this many times the first frame's cycles is not a pause
WAKE_SECONDS = 0.4  # how often Python looks at a running model, and
PROBE_CYCLES = 3  # until the model has written how far it has come
SHOW_SECONDS = 0.9  # how often it tells
STEP_CYCLES = 4096  # between looks where a test waits for a number of cycles
_TIME_UP = "--timeout ended the run, so there is no result"


class Watch(Rest):
    """Waits for one test of the bench.

    Attributes:
        idle_limit: Cycles of silence that end the run.
        first: Cycles that the first frame took, as soon as that is known.
        whole: Frames that make whole transfers at every link.
        since: Frame from which sinks and monitors count.
    """

    def __init__(self, dut: Any, bench: Bench, options: Options, phase: str, pauses: int = 0) -> None:
        """Watch one test; pauses are the cycles for which the bench itself may hold a port still."""
        super().__init__(dut, bench, options)
        self._phase, self._pass = phase, ""
        self._asked: int | None = options.idle_limit
        self._deadline, self._timeout = options.deadline, options.timeout
        self._links = link_silence(bench, options.inputs)
        first = max(FIRST_SILENCE, FIRST_FRAMES * bench.cycles_estimate)
        self.idle_limit = self._asked or first + self._links
        self._chunk = 1000
        self._shown = 0.0
        self._asked_at: float | None = None  # simulated time at which a look was asked for
        self._why_idle = "" if self._asked else ", as long as no frame has come through"
        self.frames: int | None = None
        self.first = 0
        self.whole = 1
        self.since = 0
        self._pauses = pauses
        self._look_at = LEAST_SILENCE  # silence after which the monolith is asked how long it took
        self._began = time.monotonic()
        self._accesses = 0

    def first_frame(self, cycles: int) -> None:
        """Let the limits follow from what the first frame took."""
        self.first = cycles
        if self._asked is None:
            self.idle_limit = max(LEAST_SILENCE, FIRST_FRAMES * cycles) + self._pauses + self._links
            self._why_idle = f", {FIRST_FRAMES} times what the first frame took"

    def begin(self, number: int, of: int) -> None:
        """Begin a pass of several: its accesses are counted from zero, so the progress names it."""
        self._pass = f", pass {number} of {of}"

    async def _learn(self, idle: int) -> None:
        """Until a frame has come through, let the limit follow from the monolith, which nothing holds up.

        Where it is through, the same partitions behind shells are not silent for much longer than it took.
        """
        state = await self.probe()
        alone = [
            (tap, place)
            for tap, place in zip(state["taps"], self._bench.taps, strict=True)
            if place.side == "mono_made"
        ]
        if alone and all(tap["count"] >= place.beats for tap, place in alone):
            took = max(tap["last"] for tap, _ in alone)
            pauses = self._pauses + self._links
            self.idle_limit = min(self.idle_limit, max(LEAST_SILENCE, FIRST_FRAMES * took) + pauses)
            self._why_idle = f", and without shells all was through at cycle {took:,}"
        self._look_at = 2 * idle

    async def send(self, frames: int, awaited: int | None = None, *, cluster: bool = False) -> int:
        """Start, or let more frames follow, and wait until those awaited have arrived.

        Args:
            frames: Frames sent since the reset.
            awaited: Of these; all, if left out.
            cluster: Wait until they are through the cluster, and not for a monolith that is slower.

        Returns:
            Cycles from start until the last of them had arrived at the cluster's sinks.

        Raises:
            Ended: A stream has carried a whole frame more than was sent, nothing has moved for too long, or
                the time is up.
        """
        dut = self._dut
        self.frames = frames
        first = not dut.start.value
        if first:
            # Clocks that begin with the run meet in the same way, however long the host took before.
            dut.clocks_run.value = 0
            await Timer(2 * self._bench.cycle_ps, "ps")
        dut.frames.value = frames
        dut.awaited.value = frames if awaited is None else awaited
        dut.start.value = 1
        if first:
            await Timer(1, "ps")
            dut.clocks_run.value = 1
        await RisingEdge(dut.aclk)
        await RisingEdge(dut.aclk)
        end = dut.through if cluster else dut.arrived
        while not end.value:
            await self._refuse_overrun()
            idle = int(dut.idle_cycles.value)
            if idle >= self._look_at and not (self.first or self._asked):
                await self._learn(idle)
            if idle >= self.idle_limit:
                raise await self._stuck()
            limit = self.idle_limit if self.first or self._asked else min(self.idle_limit, self._look_at)
            await self.sleep(max(1, limit - idle), ValueChange(end))
        await RisingEdge(dut.aclk)  # Icarus shows the end before what changes with it
        return int(dut.through_cycles.value)

    @property
    def places(self) -> tuple[Tap, ...]:
        """Sinks and monitors, in the order of `probe`."""
        return self._bench.taps

    async def anew(self, since: int) -> None:
        """Let sinks and monitors forget what they have seen, and count from this frame on."""
        dut = self._dut
        self.since = since
        dut.since.value = dut.awaited.value = since
        dut.anew.value = 1
        await ClockCycles(dut.aclk, 4)
        dut.anew.value = 0
        await ClockCycles(dut.aclk, 2)

    async def _refuse_overrun(self) -> None:
        if not self._dut.overrun.value:
            return
        state = await self.probe()
        assert self.frames
        many = [
            (tap, place)
            for tap, place in zip(state["taps"], self._bench.taps, strict=True)
            if tap["count"] >= (self.frames - self.since + 1) * place.beats
        ]
        raise endless(self._bench, many, self.frames)

    async def bulk(self) -> None:
        """Wait until the masters of all nodes have made their accesses.

        Raises:
            Ended: The time is up.
        """
        while not self._dut.bulk_done.value:
            await self.sleep(self._chunk, RisingEdge(self._dut.bulk_done))

    async def load(self) -> None:
        """Wait until the monolith's memories are loaded.

        Raises:
            Ended: The time is up.
        """
        while not self._dut.mono_loaded.value:
            await self.sleep(self._chunk, RisingEdge(self._dut.mono_loaded))

    def access(self) -> None:
        """Count a single access of a host.

        Raises:
            Ended: The time is up.
        """
        self._accesses += 1
        now = time.monotonic()
        if self._deadline and now > self._deadline:
            raise self._time_is_up(f"The host had made {self._accesses:,} accesses.")
        if now - self._shown > SHOW_SECONDS:
            self._shown = now
            self._write({"phase": self._phase + self._pass, "of": None, "accesses": [self._accesses, 0]})

    async def sleep(self, cycles: int, *also: Any) -> None:
        """Let the model run for some cycles, about `WAKE_SECONDS` at most."""
        began = time.monotonic()
        chunk = max(1, min(self._chunk, cycles))
        await First(*also, Timer(chunk * self._bench.cycle_ps, "ps"))
        now = time.monotonic()
        if chunk == self._chunk:
            factor = WAKE_SECONDS / max(now - began, 1e-3)
            self._chunk = int(min(1 << 24, max(100, self._chunk * min(4.0, max(0.25, factor)))))
        await self._tell(now)

    async def elapse(self, cycles: int) -> None:
        """Wait for a number of cycles, exactly.

        Raises:
            Ended: The time is up.
        """
        for begun in range(0, cycles, STEP_CYCLES):
            await ClockCycles(self._dut.aclk, min(STEP_CYCLES, cycles - begun))
            await self._tell(time.monotonic())

    async def _tell(self, now: float) -> None:
        if self._deadline and now > self._deadline:
            raise await self._late()
        self._look(now)

    def _look(self, now: float) -> None:
        """Show how far it has come, without waiting for it: asked for at one look, read at a later one.

        A run takes the same cycles however often somebody looks, or it could not be repeated.
        """
        dut = self._dut
        if self._asked_at is not None:
            if get_sim_time("ps") - self._asked_at >= PROBE_CYCLES * self._bench.cycle_ps:
                self._asked_at = None
                dut.probe.value = 0
                self._show(_read_probe())
        elif now - self._shown > SHOW_SECONDS:
            self._shown = now
            self._asked_at = get_sim_time("ps")
            dut.probe.value = 1

    async def probe(self) -> dict[str, Any]:
        """Ask the model how far everything has come.

        Returns:
            cycles and idle; taps: count, last (cycle), valid and ready of each sink and monitor; bulk:
            accesses made and asked for, all nodes together; meters: beats, stalls (cycles) and valid of the
            streams of all nodes.
        """
        dut = self._dut
        self._asked_at = None
        for value in (0, 1):
            dut.probe.value = value
            for _ in range(PROBE_CYCLES):
                await RisingEdge(dut.aclk)
        dut.probe.value = 0
        return _read_probe()

    def _arrived(self, state: dict[str, Any]) -> int:
        """Return the frames that have reached every sink."""
        pairs = zip(state["taps"], self._bench.taps, strict=True)
        return min((tap["count"] // place.beats for tap, place in pairs), default=0)

    def _show(self, state: dict[str, Any]) -> None:
        shown = {
            "phase": self._phase + self._pass,
            "frames": self._arrived(state),
            "of": self.frames,
            "cycles": state["cycles"],
            "idle": state["idle"],
            "idle_limit": self.idle_limit,
            "accesses": state["bulk"],
        }
        self._write(shown)

    def _write(self, shown: dict[str, Any]) -> None:
        scratch = PROGRESS.with_suffix(".new")
        scratch.write_text(json.dumps(shown))
        scratch.replace(PROGRESS)

    async def _stuck(self) -> Ended:
        # The bench's own pauses must not look like those of the model.
        self._dut.stall.value = 0
        await ClockCycles(self._dut.aclk, 4)
        state = await self.probe()
        name = "--idle-limit" if self._asked else "the idle limit (--idle-limit; --timeout is in seconds)"
        return self._over(
            f"{name} ended the run, so there is no result: nothing moved for {self.idle_limit:,} cycles"
            f"{self._why_idle}.",
            "stuck",
            state,
            self._patience(),
        )

    def _patience(self) -> str:
        """Say whether the network may only be slow, by what is known of its pace."""
        known = self.first or self._bench.cycles_estimate
        if not known:
            return f"If the network is only slow, give --idle-limit more than {self.idle_limit}"
        told = "the first frame took" if self.first else "FINN estimates for a frame"
        if known >= self.idle_limit:
            more = FIRST_FRAMES * known
            return f"It may only be slow: {known:,} cycles is what {told}. Give --idle-limit {more}"
        return f"It is stuck and not slow, by the {known:,} cycles that {told}"

    async def _late(self) -> Ended:
        state = await self.probe()
        if not self._phase.startswith("streams"):
            done, total = state["bulk"]
            return self._time_is_up(f"{done:,} of {total:,} accesses to the memories were made.")
        limit = self.idle_limit
        paused = f"Nothing has moved for {state['idle']:,} cycles, and --idle-limit is {limit:,}"
        moves = state["idle"] < max(1000, self.first or self._bench.cycles_estimate)
        advice = f"{self._slow(state) if moves else paused}. {self._more()}"
        why = f"{_TIME_UP}: {self._timeout:g} s were up."
        return self._over(why, "time", state, advice, moves=moves)

    def _slow(self, state: dict[str, Any]) -> str:
        """Say what the rest would take."""
        text = "It still moves: it is slow and not stuck"
        arrived = self._arrived(state)
        if not arrived or not self.frames:
            return text
        seconds = (time.monotonic() - self._began) * self.frames / arrived
        return f"{text}; at this pace the {self.frames} frames of this run take {seconds:,.0f} s"

    def _time_is_up(self, where: str) -> Ended:
        text = f"{_TIME_UP}: {self._timeout:g} s were up. {where} {self._more()}"
        return Ended(
            text, "time", option="--timeout", timeout=self._timeout, phase=self._phase, advice=self._more()
        )

    def _more(self) -> str:
        return f"Give --timeout more than {self._timeout:g}, fewer --frames, or --walk none"

    def _over(self, why: str, kind: str, state: dict[str, Any], advice: str, *, moves: bool = False) -> Ended:
        where = self._stand(state)
        if moves:  # who waits at one moment says nothing then
            where |= {"waits": [], "blame": ""}
        return Ended(
            f"{why} {describe(where)} {advice}",
            kind,
            why=why,
            advice=advice,
            idle=state["idle"],
            idle_limit=self.idle_limit,
            timeout=self._timeout,
            phase=self._phase,
            **where,
        )

    def _stand(self, state: dict[str, Any]) -> dict[str, Any]:
        # Of frames that share a transfer, none arrives before the last of them has been handed out.
        wanted = -(-int(self._dut.awaited.value) // self.whole) * self.whole
        sent = (self.frames or self.since) - self.since  # none, if the run ends before the first of them
        return stand(self._bench, state["taps"], sent, min(wanted - self.since, sent), state["cycles"])


async def dump(dut: Any) -> None:
    """Let sinks and monitors write what they have seen since they began to count."""
    dut.dump.value = 1
    if not dut.dumped.value:
        await RisingEdge(dut.dumped)


def _read_probe() -> dict[str, Any]:
    """Read what the model has written of itself; what was never set is x with Icarus."""
    rows = [[_number(field) for field in line.split()] for line in PROBE.read_text().splitlines()]
    taps = [dict(zip(("count", "last", "valid", "ready"), row, strict=True)) for row in rows if len(row) == 4]
    bulk = [row for row in rows[1:] if len(row) == 2]
    meters = [dict(zip(("beats", "stalls", "valid"), row, strict=True)) for row in rows if len(row) == 3]
    return {
        "cycles": rows[0][0],
        "idle": rows[0][1],
        "taps": taps,
        "meters": meters,
        "bulk": [sum(column) for column in zip(*bulk, strict=True)] or [0, 0],
    }


def _number(field: str) -> int:
    return int(field) if field.isdigit() else 0
