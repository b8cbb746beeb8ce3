# SPDX-License-Identifier: BSD-3-Clause
"""Number of test frames that the bench sends beside the user's; `sim/bench_own.py` makes them.

A frame tells a bit from another one only where they differ. Over all frames of the bench's own every bit of a
frame has a code of its own, and over the first few every element has.
"""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.model.plan import Boundary, Plan

BEATS = 1 << 16  # of all such frames together, at the place that most beats cross; of the first few:
LEAST_BEATS = 1 << 20
# Capacity of the sinks; `shellgen simulate --frames` may request more. Less for long frames, which need
# memory; more for short ones, with which directed tests fill the buffers of links.
FRAMES, LEAST_FRAMES, MOST_BEATS = 64, 2, 1 << 21
SHORT_FRAMES, SHORT_BEATS = 320, 1 << 13


@dataclass(frozen=True)
class OwnFrames:
    """Numbers of test frames.

    Attributes:
        most: Where the run has time for them.
        least: In any case.
    """

    most: int
    least: int


def own_frames(plan: Plan, beats: int) -> OwnFrames:
    """Choose their number by the frames that the host sends.

    Args:
        plan: The plan.
        beats: Of a frame, where most beats cross.
    """
    inputs = [boundary for boundary in plan.boundaries if boundary.producer is None]
    data = [boundary for boundary in inputs if not boundary.carries_weights]
    least = max((_for_elements(plan, boundary) for boundary in data), default=0)
    most = max((_for_bits(plan, boundary) for boundary in data), default=0)
    least = min(least, max(1, LEAST_BEATS // beats))
    return OwnFrames(max(least, min(most, BEATS // beats)), least)


def most_beats(plan: Plan) -> int:
    """Return the beats of an epoch at the place that most beats cross: pins of partitions, hosts, FIFOs."""
    ends = [(one, end) for one in plan.boundaries for end in (one.producer, one.consumer) if end]
    ports = [(one, plan.partition(end.partition).stream(end.port)) for one, end in ends]
    pins = [port.words_per_frame * one.per_epoch for one, port in ports if port]
    crossing = {boundary.name: boundary.per_epoch for boundary in plan.boundaries}
    received = {boundary.name for boundary in plan.boundaries if boundary.consumer is None}
    links = [
        end.beats_per_frame * crossing[end.boundary]
        for node in plan.nodes
        for end in node.tx
        if end.boundary in received
    ]
    inner = [path.producer_words * crossing[path.boundary] for node in plan.nodes for path in node.inner]
    return max(*pins, *links, *inner)


def room(plan: Plan) -> int:
    """Return the capacity of sinks in epochs: golden frames, if not too large, and the bench's."""
    beats = most_beats(plan)
    own = own_frames(plan, beats)
    golden = plan.golden.frames if plan.golden else 0
    usual = -(-max(FRAMES, golden) // plan.epoch)
    wanted = max(usual, min(SHORT_FRAMES, SHORT_BEATS // beats)) + own.most
    return min(wanted, max(LEAST_FRAMES + own.least, MOST_BEATS // beats))


def _for_elements(plan: Plan, boundary: Boundary) -> int:
    """Return the frames after which no two elements have had the same values."""
    kind = plan.port(boundary).element
    values = 2 if kind.bits == 1 else kind.high - kind.low + 1
    frames = 1
    while values**frames < boundary.elements_per_frame:
        frames += 1
    return frames


def _for_bits(plan: Plan, boundary: Boundary) -> int:
    """Return the frames after which no two bits have had the same values; one in reserve."""
    bits = plan.port(boundary).element.bits * boundary.elements_per_frame
    return max(_for_elements(plan, boundary), (bits - 1).bit_length()) + 1
