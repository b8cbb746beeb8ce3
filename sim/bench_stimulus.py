# SPDX-License-Identifier: BSD-3-Clause
"""What is sent: golden vectors or noise, as the files that the sources of cluster and monolith read."""

from __future__ import annotations

from typing import Any

import bench_compare as bc
import bench_files
import numpy as np
from bench_judge import golden
from bench_records import Boundary
from bench_session import OUT, Session

# Without --frames: all golden frames, or so many without them, as far as they fit into a run.
NOISE_FRAMES, LEAST_FRAMES = 8, 2


def most_frames(session: Session) -> int:
    """Return how many frames are sent at most, the one that follows the others not counted."""
    if session.options.frames:
        return session.options.frames
    return max(LEAST_FRAMES, min(session.bench.frames, session.options.golden.frames or NOISE_FRAMES))


def write_stimulus(session: Session, frames: int) -> dict[int, Any]:
    """Write the files of all sources.

    Args:
        session: The simulation.
        frames: Frames for which they suffice.

    Returns:
        Codes (frames, elements) of every host input, by index of its boundary: the golden input, repeated if
        need be, or noise. External weights are one frame, which the sources repeat: those that the host gets,
        or noise.
    """
    random = np.random.default_rng(session.options.seed)
    sent = {
        index: _codes(session, boundary, frames, random)
        for index, boundary in enumerate(session.bench.boundaries)
        if boundary.sent
    }
    for index, codes in sent.items():
        boundary = session.bench.boundaries[index]
        assert boundary.sent
        bench_files.write_beats(boundary.sent.file, bc.wire_bytes(codes, boundary), boundary.sent.bits)
    for source in session.bench.monolith.inputs:
        words = bc.port_words(sent[source.boundary], session.bench.boundaries[source.boundary], source)
        bench_files.write_beats(source.file, words, source.bits)
    return sent


def _codes(session: Session, boundary: Boundary, frames: int, random: np.random.Generator) -> Any:
    if boundary.role == "weights":
        return _external_weights(boundary, random)
    if boundary.golden:
        return bc.encode(golden(session.options.golden.folder, boundary, frames), boundary)
    return random.integers(0, 1 << boundary.element_bits, (frames, boundary.elements))


def _external_weights(boundary: Boundary, random: np.random.Generator) -> Any:
    """Codes (1, elements) of one pass, from the very file that goes into the DMA's buffer."""
    if boundary.weights is None:
        return random.integers(0, 1 << boundary.element_bits, (1, boundary.elements))
    frame = np.fromfile(OUT / boundary.weights, np.uint8)
    assert len(frame) == boundary.frame_bytes, f"{boundary.weights}: {len(frame)} bytes"
    return bc.from_wire(frame.reshape(1, -1), boundary)
