# SPDX-License-Identifier: BSD-3-Clause
"""The system that the engine runs, and the times that it returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.float64]


class DeadlockError(ValueError):
    """Stages that wait for one another, so that no frame comes through."""


@dataclass(frozen=True)
class Stage:
    """A part that takes frames in order, one of each channel into it, and hands one to each out of it.

    A frame *starts* when it is there on all channels and the stage is free; it is *finished* ``latency``
    later, and *leaves* when all channels out of the stage have room for it. Frames of a replica stay in
    order.

    Attributes:
        name: Unique in the system.
        period: Least time from start to start.
        latency: Time from start to finish; None: the period.
        inside: Frames that may be inside at once; None: as many as keep the period, latency / period.
        replicas: Replica that takes frame n: ``replicas[n % len(replicas)]``, each a stage of its own with
            this period. The frames stay in order, for the reader knows the pattern.
        medium: What it occupies from its start for ``period``, alone; stages of one medium wait in a queue,
            and of those that wait the oldest frame is next, then the stage that is named first.
        spaced: Frames are finished a period apart, too: a part inside works on one frame for all of it.
        extra: Additional latency of each frame, such as drawn jitter; the period of the frame grows with it.
        bounds: Name of the stage whose frames this one makes others wait for; '' for a part of the cluster.
    """

    name: str
    period: float
    latency: float | None = None
    inside: int | None = None
    replicas: tuple[int, ...] = (0,)
    medium: str | None = None
    spaced: bool = False
    extra: tuple[float, ...] = ()
    bounds: str = ""

    @property
    def through(self) -> float:
        """Time from start to finish."""
        return self.period if self.latency is None else self.latency

    @property
    def capacity(self) -> int:
        """Frames that may be inside one replica at once."""
        if self.inside is not None:
            return self.inside
        return max(1, int(np.ceil(self.through / self.period))) if self.period else 1


@dataclass(frozen=True)
class Channel:
    """Frames from one stage to another, in order.

    Attributes:
        producer: Name of a stage.
        consumer: Name of a stage.
        room: Frames that wait between the two (between each pair of replicas); None: any number. A frame
            leaves the producer when the consumer has started the frame ``room`` before it.
        lead: Time from the producer's start to the earliest start of the consumer, for stages that work on
            the same frame at once; None: the consumer waits until the producer has finished.
        tail: With ``lead``: time from the moment the frame leaves the producer to the earliest finish at the
            consumer.
        hold: Time from the consumer's start of the frame ``room`` before until the producer's frame leaves.
        delay: Without ``lead``: time on the way, which occupies nobody.
        end_only: With ``lead``: the consumer starts without it, and only its finish waits.
    """

    producer: str
    consumer: str
    room: int | None = None
    lead: float | None = None
    tail: float = 0.0
    hold: float = 0.0
    delay: float = 0.0
    end_only: bool = False


@dataclass(frozen=True)
class Window:
    """At most so many frames between the start of one stage and the moment they leave another.

    A board whose server receives, computes and sends in sequence has a window of one frame; the host that
    keeps K frames in flight has one of K.
    """

    first: str
    last: str
    frames: int


@dataclass(frozen=True)
class System:
    """Stages and all that ties them; the order of the stages is that of the network."""

    stages: tuple[Stage, ...]
    channels: tuple[Channel, ...] = ()
    windows: tuple[Window, ...] = ()

    def __post_init__(self) -> None:
        names = [stage.name for stage in self.stages]
        if len(set(names)) != len(names):
            raise ValueError("two stages of one name")
        ends = [name for channel in self.channels for name in (channel.producer, channel.consumer)]
        ends += [name for window in self.windows for name in (window.first, window.last)]
        if lost := sorted(set(ends) - set(names)):
            raise ValueError(f"no such stage: {', '.join(lost)}")
        if any(stage.medium is not None and len(set(stage.replicas)) > 1 for stage in self.stages):
            raise ValueError("replicas of a stage have media of their own")
        if any(window.frames < 1 for window in self.windows):
            raise ValueError("a window of no frame")

    def stage(self, name: str) -> Stage:
        """Return the stage of this name, which must exist."""
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Stage]:
        return {stage.name: stage for stage in self.stages}

    @property
    def parts(self) -> tuple[Stage, ...]:
        """The stages that are parts of the cluster."""
        return tuple(stage for stage in self.stages if not stage.bounds)

    def before(self, name: str) -> tuple[str, ...]:
        """Return the parts of the cluster for whose frames a stage waits."""
        bounds = {stage.name: stage.bounds for stage in self.stages if stage.bounds}
        found = (one.producer for one in self.channels if one.consumer == name)
        return tuple(dict.fromkeys(bounds.get(one, one) for one in found))


@dataclass(frozen=True)
class Timeline:
    """Times of all frames at all stages.

    Attributes:
        names: Of the stages, in the order of the rows.
        start: (stages, frames).
        finish: Likewise.
        leave: Likewise.
    """

    names: tuple[str, ...]
    start: Times = field(repr=False)
    finish: Times = field(repr=False)
    leave: Times = field(repr=False)

    def row(self, name: str) -> int:
        """Return the row of a stage."""
        return self.names.index(name)

    def period(self, name: str) -> float:
        """Return the mean time from frame to frame at the end of a stage, over the second half of the run.

        The first half is left out, in which buffers fill. Frames of replicas count when those before them
        have left, too; of patterns, a run of twice a multiple of their length is exact.
        """
        leave = np.maximum.accumulate(self.leave[self.row(name)])
        span = max(1, len(leave) // 2)
        return float((leave[-1] - (leave[-1 - span] if span < len(leave) else 0.0)) / span)

    def latency(self, first: str, last: str) -> Times:
        """Return the time of each frame from its start at one stage until it leaves another."""
        return np.asarray(self.leave[self.row(last)] - self.start[self.row(first)])
