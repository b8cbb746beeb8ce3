# SPDX-License-Identifier: BSD-3-Clause
"""Limits that ended a run, and the streams at that moment."""

from __future__ import annotations

from typing import Literal

from shellgen.model.base import Frozen


class Place(Frozen):
    """A transfer.

    Attributes:
        cycle: Cycles since the start.
        place: Where, for people.
    """

    cycle: int
    place: str


class Crossed(Frozen):
    """A stream with more words than the frames that were sent have.

    Attributes:
        place: Where, for people.
        words: Words that crossed.
        of: Words of the frames.
    """

    place: str
    words: int
    of: int


class Overrun(Frozen):
    """A partition, or a shell, hands out words that nothing asks for.

    Attributes:
        test: That was ended.
        kind: ``overrun``.
        text: Why, as a sentence.
        first: The pins where it was seen first.
        boundary: Boundary whose shell hands them out; empty if it is a partition.
        crossed: The streams.
        frames: Frames that were sent.
    """

    test: str
    kind: Literal["overrun"]
    text: str
    first: str
    boundary: str
    crossed: tuple[Crossed, ...]
    frames: int


class StreamState(Frozen):
    """A stream of which words are missing.

    Attributes:
        place: For people.
        boundary: Its boundary.
        side: Which end of it.
        tap: Sink or monitor, a name in ``taps`` of bench.json.
        words: Words that crossed.
        of: Words that were waited for.
        frame: Whole frames that crossed.
        valid: VALID when the run was ended.
        ready: READY then.
        last: Cycle of the last transfer; null if there was none.
    """

    place: str
    boundary: str
    side: str
    tap: str
    words: int
    of: int
    frame: int
    valid: int | None
    ready: int | None
    last: int | None


class Standstill(Frozen):
    """The streams when a limit ended them: nothing moved, or the time was up.

    Attributes:
        test: That was ended.
        kind: ``stuck`` or ``time``.
        text: All of it as a paragraph.
        why: The limit.
        advice: Remedy.
        idle: Cycles in which nothing had moved.
        idle_limit: Cycles after which a cluster counts as stuck.
        timeout: Seconds of ``--timeout``; null without.
        phase: Part of the test.
        cycle: Cycles since the start.
        frames: Frames that were sent.
        arrived: Frames that had arrived.
        last: The last transfer; null if there was none.
        streams: Those of which words are missing.
        waits: Who waits for whom, as sentences.
        blame: What all wait for, or an empty string.
    """

    test: str
    kind: Literal["stuck", "time"]
    text: str
    why: str
    advice: str
    idle: int
    idle_limit: int
    timeout: float | None
    phase: str
    cycle: int
    frames: int
    arrived: int
    last: Place | None
    streams: tuple[StreamState, ...]
    waits: tuple[str, ...]
    blame: str


class TimeUp(Frozen):
    """The time was up while the host made accesses.

    Attributes:
        test: That was ended.
        kind: ``time``.
        text: All of it as a paragraph.
        option: ``--timeout``.
        timeout: Its seconds.
        phase: Part of the test.
        advice: Remedy.
    """

    test: str
    kind: Literal["time"]
    text: str
    option: str
    timeout: float
    phase: str
    advice: str


Limit = Overrun | Standstill | TimeUp
