# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons of the bench, and the runs of the streams that they are about.

The bench runs without this package; ``sim/bench_verdict.py`` has the fields of a comparison for it.
"""

from __future__ import annotations

from typing import Literal

from shellgen.model.base import Frozen

Proof = Literal["boundary", "inside", "framing", "ahead", "drift", "monolith", "golden", "status"]
RunName = Literal["full_rate", "stalled"]


class Difference(Frozen):
    """The first element that is not what it should be.

    Attributes:
        frame: Counted from 0.
        index: Place in the tensor of a frame, dimensions of one left out.
        element: Place in a frame as the stream carries it.
        got: Value that was seen, or words if it has none; null where the stream ended before it.
        expected: Value that should have been; null where nothing should follow.
        got_code: The bits of ``got``, as an unsigned number.
        expected_code: The bits of ``expected``.
        tap: Sink or monitor that saw it, a name in ``taps`` of bench.json; empty if none did.
        word: Word (or beat) that carries it there, counted from 0 since the reset.
        bit: Its lowest bit in that word.
        which: Kind of frame, for the text.
    """

    frame: int
    index: tuple[int, ...]
    element: int
    got: int | str | None
    expected: int | str | None
    got_code: int | None
    expected_code: int | None
    tap: str
    word: int
    bit: int
    which: str


class Sight(Frozen):
    """Resolution of a comparison: which values and positions it distinguishes.

    Attributes:
        bits: Of a word.
        still: Those that never change.
        alike: Those that change, and always as another bit of the word does.
        words: Of a frame.
        words_alike: Those that have in every frame the value of another word of it.
        frames: That were compared.
        frames_apart: Different ones among them.
        value: The one value of all elements, if there is but one.
    """

    bits: int
    still: int
    alike: int
    words: int
    words_alike: int
    frames: int
    frames_apart: int
    value: int | None


class Verdict(Frozen):
    """One comparison.

    Attributes:
        name: What was compared, for a table.
        words: Words (or beats) that crossed.
        mismatches: Elements that differ, are missing or are too many.
        detail: The first fault, or an empty string. A stream that runs ahead has one and passes.
        missing: Elements that had not crossed when the run was ended early; nothing was compared with them.
        proof: Kind of comparison.
        boundary: Its boundary; empty if it is of all.
        alone: It is about the stream of the monolith, not of the cluster.
        difference: The first element that differs, where elements were compared.
        sight: What the comparison can tell apart, where that was measured.
        passed: Something was compared, all of it, and nothing differed.
    """

    name: str
    words: int
    mismatches: int
    detail: str
    missing: int
    proof: Proof
    boundary: str
    alone: bool = False
    difference: Difference | None = None
    sight: Sight | None = None
    passed: bool


LEAST_EPOCHS = 4  # that show a period: it is that of their second half


class Handshake(Frozen):
    """A stream whose sender takes back, or changes, a word that it has offered.

    Attributes:
        place: Where, for people.
        signal: ``tvalid``, which fell before TREADY came, or ``tdata``, which changed.
        times: How often.
        words: Words that crossed before the first time.
    """

    place: str
    signal: Literal["tvalid", "tdata"]
    times: int
    words: int


class StreamsRun(Frozen):
    """One run of all streams.

    Attributes:
        frames: Frames of the user's that were sent.
        own: Frames of the bench's own among those that were sent.
        cycles: Cycles from the first beat in to the last beat out.
        timed: Frames that took these cycles.
        epoch: Frames that follow the others: one, or with replicas a turn of all.
        first: Cycles from the first beat in until the first epoch had arrived; 0 if that is not known.
        times: The same for each of the first 64 epochs, at full rate, if all follow one another.
        arrived: All frames arrived; false if a limit ended the run.
        stall: Mean chance of a stall in random turns, in 1/256; 0 at full rate.
        hold: Cycles for which one port starves, or floods.
        spell: Cycles of a random turn.
        reach: Pauses in random turns are shorter than 2**reach cycles.
        seed: Of the stalls.
        frame: Cycles from frame to frame without stalls; 0 if that is not known.
        of: Turns until each port has starved and flooded once.
        ports: Ports that stall.
        turns: Turns that were reached.
        per_transfer: Frames of a transfer at receivers and at senders.
        links: By kind of link and text: events that the link counted.
        handshakes: Streams whose sender takes back or changes words that it has offered.
        verdicts: The comparisons.
    """

    frames: int
    own: int
    cycles: int
    timed: int
    epoch: int = 1
    first: int = 0
    times: tuple[int, ...] = ()
    arrived: bool
    stall: int
    hold: int
    spell: int
    reach: int
    seed: int
    frame: int
    of: int
    ports: int
    turns: int
    per_transfer: tuple[int, int]
    links: dict[str, dict[str, int]]
    handshakes: tuple[Handshake, ...] = ()
    verdicts: tuple[Verdict, ...]

    @property
    def period(self) -> float:
        """Cycles from frame to frame, those until the first left out; 0 if too few times are known."""
        half = len(self.times) // 2
        if len(self.times) < LEAST_EPOCHS:
            return 0.0
        return (self.times[-1] - self.times[half - 1]) / (len(self.times) - half) / self.epoch
