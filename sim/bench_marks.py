# SPDX-License-Identifier: BSD-3-Clause
"""Results with numbers after the reset of a board: each is right, or the core says that it is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bench_compare as bc
import numpy as np
from bench_beats import read_beats
from bench_lite import NodeLite
from bench_own import numbers
from bench_records import Boundary, Joined
from bench_session import Session

MARKED = 1 << 3  # of FLAGS, as in registers.json of shell_status


async def check_marks(dut: Any, session: Session, frames: int, boards: Sequence[str]) -> None:
    """Compare what has arrived with the monolith, which was not reset, but for what is marked.

    Args:
        dut: The bench.
        session: The simulation.
        frames: Frames that were sent.
        boards: Those that were reset: the result that they were sending may be cut, or end in zeros.

    Raises:
        AssertionError: A result is neither right nor marked.
    """
    for output in session.bench.monolith.outputs:
        for index in dict.fromkeys(output.carriers):
            boundary = session.bench.boundaries[index]
            if boundary.numbered:
                _, right = wanted(session, output, index, frames)
                await _check(dut, session, boards, boundary, right)


async def _check(dut: Any, session: Session, boards: Sequence[str], boundary: Boundary, right: Any) -> None:
    node, stream = next(
        (node, one)
        for node in session.maps["nodes"]
        for one in node["streams"]
        if one["boundary"] == boundary.name
    )
    lite, at = NodeLite(dut, node), stream["index"]
    names = ("flags", "frames", "first_marked", "last_marked")
    flags, counted, first, last = [await lite.read(f"{name}_{at}") for name in names]
    results = arrived(boundary)
    before = len(results) - counted  # a reset of this board has cleared what it counts and marks
    told = range(before + first, before + last + 1) if flags & MARKED else range(0)
    left = [place for place in range(len(results)) if place not in told]
    _, odd = matched(right, [results[place] for place in left])
    cut = {before - 1} if node["name"] in boards else set()
    wrong = sorted({left[place] for place in odd} - cut)
    text = f"after the reset of {' and '.join(boards)}, {boundary.name}: of {len(results)} results"
    assert not wrong, f"{text} number {wrong[0]} is wrong and not marked"
    assert before >= 0, f"{text} {counted} were counted"


def wanted(session: Session, output: Joined, index: int, frames: int) -> tuple[Any, Any]:
    """Return the numbers of the frames that a boundary brings to the host, and the monolith's results."""
    boundary, epoch = session.bench.boundaries[output.boundary], session.bench.epoch
    seen = read_beats(output.file, output.bits)
    alone = bc.codes_at_port(seen.data, boundary, output)[: frames * epoch * boundary.elements]
    boundary = session.bench.boundaries[index]
    frame = numbers(boundary, 0, frames, epoch)
    return frame, alone.reshape(-1, boundary.elements)[frame]


def arrived(boundary: Boundary) -> list[Any]:
    """Return the packets that the host got: a frame each, or None where one has another length."""
    assert boundary.received
    seen = read_beats(boundary.received.file, boundary.received.bits)
    packets = bc.split_frames(seen.data, seen.keep, seen.last)
    size = boundary.frame_bytes
    frames = [np.frombuffer(packet, np.uint8).reshape(1, -1) for packet in packets]
    return [bc.from_wire(frame, boundary)[0] if frame.size == size else None for frame in frames]


def matched(right: Any, found: list[Any]) -> tuple[list[int], list[int]]:
    """Match frames in order; return which of them are missing, and the places of those that match none."""
    missing, odd, at = list(range(len(right))), [], 0
    for place, frame in enumerate(found):
        hits = [k for k in range(at, len(right)) if frame is not None and (frame == right[k]).all()]
        if hits:
            missing.remove(hits[0])
            at = hits[0] + 1
        else:
            odd.append(place)
    return missing, odd
