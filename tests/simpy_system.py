# SPDX-License-Identifier: BSD-3-Clause
"""Systems of `shellgen.estimate.engine` as processes and stores of SimPy; they share no code with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator
from typing import Any

import simpy
from simpy.events import EventPriority

from shellgen.estimate.engine import Channel, Stage, System

Process = Generator[simpy.Event, Any, None]
LATE = 9  # SimPy's priority of an event that comes after all others of its time


class Medium:
    """A queue in frame order; asked at one time, it looks at all that ask then."""

    def __init__(self, env: simpy.Environment) -> None:
        self.env, self.busy = env, False
        self.waiting: list[tuple[int, int, float, simpy.Event]] = []

    def ask(self, frame: int, order: int, period: float) -> simpy.Event:
        granted = self.env.event()
        self.waiting.append((frame, order, period, granted))
        self._look()
        return granted

    def _look(self) -> None:
        look = self.env.event()
        look._ok, look._value = True, None
        look.callbacks.append(lambda _: self._give())
        self.env.schedule(look, priority=EventPriority(LATE))

    def _give(self) -> None:
        if self.busy or not self.waiting:
            return
        self.waiting.sort(key=lambda one: one[:2])
        _, _, period, granted = self.waiting.pop(0)
        self.busy = True
        granted.succeed()
        self.env.process(self._release(period))

    def _release(self, period: float) -> Process:
        yield self.env.timeout(period)
        self.busy = False
        self._look()


class Model:
    def __init__(self, system: System, frames: int) -> None:
        self.env = simpy.Environment()
        self.system, self.frames = system, frames
        self.into: dict[str, list[Channel]] = defaultdict(list)
        self.out: dict[str, list[Channel]] = defaultdict(list)
        for channel in system.channels:
            self.into[channel.consumer].append(channel)
            self.out[channel.producer].append(channel)
        self.media: dict[str, Medium] = {}
        # What is handed over, by channel and pair of replicas.
        self.frames_of: dict[Any, simpy.Store] = {}
        self.tails: dict[Any, simpy.Store] = {}
        self.room: dict[Any, simpy.Container] = {}
        self.left = {(s.name, n): self.env.event() for s in system.stages for n in range(frames)}
        self.times = {s.name: [[0.0] * 3 for _ in range(frames)] for s in system.stages}

    def who(self, name: str, frame: int) -> int:
        pattern = self.system.stage(name).replicas
        return pattern[frame % len(pattern)]

    def pair(self, channel: Channel, frame: int) -> Any:
        return (
            self.system.channels.index(channel),
            self.who(channel.producer, frame),
            self.who(channel.consumer, frame),
        )

    def store(self, table: dict[Any, simpy.Store], channel: Channel, frame: int) -> simpy.Store:
        return table.setdefault(self.pair(channel, frame), simpy.Store(self.env))

    def places(self, channel: Channel, frame: int) -> simpy.Container:
        key = self.pair(channel, frame)
        if key not in self.room:
            assert channel.room is not None
            self.room[key] = simpy.Container(self.env, init=channel.room)
        return self.room[key]

    def run(self) -> dict[str, list[list[float]]] | None:
        for order, stage in enumerate(self.system.stages):
            for replica in sorted(set(stage.replicas)):
                self.env.process(self.replica(order, stage, replica))
        self.env.run()
        return self.times if all(event.triggered for event in self.left.values()) else None

    def later(self, delay: float, store: Any, what: object) -> Process:
        yield self.env.timeout(delay)
        yield store.put(what)

    def replica(self, order: int, stage: Stage, replica: int) -> Process:
        env = self.env
        inside = simpy.Container(env, init=stage.capacity)
        free, before = 0.0, None
        for frame in range(self.frames):
            if self.who(stage.name, frame) != replica:
                continue
            for channel in self.into[stage.name]:
                if channel.end_only:
                    continue
                got = yield self.store(self.frames_of, channel, frame).get()
                assert got == frame
            for window in self.system.windows:
                if window.first == stage.name and frame >= window.frames:
                    yield self.left[window.last, frame - window.frames]
            yield inside.get(1)
            extra = stage.extra[frame] if frame < len(stage.extra) else 0.0
            if stage.medium is not None:
                medium = self.media.setdefault(stage.medium, Medium(env))
                yield medium.ask(frame, order, stage.period + extra)
            elif free > env.now:
                yield env.timeout(free - env.now)
            free = env.now + stage.period + extra
            self.times[stage.name][frame][0] = env.now
            for channel in self.into[stage.name]:
                if channel.room is not None:
                    env.process(self.later(channel.hold, self.places(channel, frame), 1))
            for channel in self.out[stage.name]:
                if channel.lead is not None and not channel.end_only:
                    store = self.store(self.frames_of, channel, frame)
                    env.process(self.later(channel.lead, store, frame))
            finished, left = env.event(), self.left[stage.name, frame]
            env.process(self.inside(stage, frame, extra, inside, finished, before))
            before = finished, left

    def inside(
        self,
        stage: Stage,
        frame: int,
        extra: float,
        inside: simpy.Container,
        finished: simpy.Event,
        before: tuple[simpy.Event, simpy.Event] | None,
    ) -> Process:
        """One frame between its start and the moment it leaves."""
        env = self.env
        yield env.timeout(stage.through + extra)
        for channel in self.into[stage.name]:
            if channel.lead is not None:
                yield self.store(self.tails, channel, frame).get()
        if before is not None:
            done = yield before[0]
            if stage.spaced and done + stage.period > env.now:
                yield env.timeout(done + stage.period - env.now)
        self.times[stage.name][frame][1] = env.now
        finished.succeed(env.now)
        for channel in self.out[stage.name]:
            if channel.lead is None:
                store = self.store(self.frames_of, channel, frame)
                env.process(self.later(channel.delay, store, frame))
        # Asked for at once, for a later frame must not get a place before.
        bounded = [channel for channel in self.out[stage.name] if channel.room is not None]
        yield env.all_of([self.places(channel, frame).get(1) for channel in bounded])
        if before is not None:
            yield before[1]
        self.times[stage.name][frame][2] = env.now
        for channel in self.out[stage.name]:
            if channel.lead is not None:
                store = self.store(self.tails, channel, frame)
                env.process(self.later(channel.tail, store, frame))
        self.left[stage.name, frame].succeed()
        yield inside.put(1)


def simulated(system: System, frames: int) -> dict[str, list[list[float]]] | None:
    """Return start, finish and leave of each frame, by stage; None if some never leave."""
    return Model(system, frames).run()
