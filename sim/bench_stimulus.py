# SPDX-License-Identifier: BSD-3-Clause
"""Stimuli: golden vectors or noise, and the bench's own frames, as the files that sources read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bench_compare as bc
import bench_files
import cocotb
import numpy as np
from bench_held import Codes, Held, hold
from bench_judge import golden
from bench_own import given_number, numbers, own_among, own_codes, own_number
from bench_records import Bench, Boundary, Joined
from bench_session import OUT, Session

# Without --frames: all golden frames, or so many without them, as far as they fit into a run.
NOISE_FRAMES, LEAST_FRAMES = 8, 2


def most_frames(session: Session) -> int:
    """Return how many epochs are sent at most, the one that follows the others not counted."""
    own, epoch = session.bench.own_frames, session.bench.epoch
    if session.options.frames:
        return -(-session.options.frames // epoch) + own
    wanted = -(-(session.options.golden.frames or NOISE_FRAMES) // epoch) + own
    return max(least_frames(session), min(session.bench.frames, wanted))


def least_frames(session: Session) -> int:
    """Return how many epochs are sent at least, however slow the network is."""
    return LEAST_FRAMES + min(session.bench.own_frames, session.bench.own_least)


def write_stimulus(session: Session, frames: int) -> dict[int, Held]:
    """Write the files of all sources.

    Args:
        session: The simulation.
        frames: Epochs for which they suffice.

    Returns:
        Codes of every host input, by index of its boundary: the golden input, repeated if
        need be, or noise, and behind its first frames those of the bench's own. External weights are one
        frame, which the sources repeat: those that the host gets, or noise.
    """
    random = np.random.default_rng(session.options.seed)
    sent = {
        index: hold(
            Path(f"sent_{index}.codes"),
            bc.code_type(boundary.element_bits),
            _codes(session, boundary, frames, random),
        )
        for index, boundary in enumerate(session.bench.boundaries)
        if boundary.sent
    }
    lowest_first = cocotb.SIM_NAME == "Verilator"
    for index, boundary in enumerate(session.bench.boundaries):
        if not boundary.sent:
            continue
        codes = sent[index] = sent[boundary.like]
        with Path(boundary.sent.file).open("wb") as file:
            for frame in codes.rows(boundary.elements):
                words = bc.wire_bytes(frame[None], boundary)
                bench_files.write_beats(file, words, boundary.sent.bits, lowest_first=lowest_first)
    for source in session.bench.monolith.inputs:
        boundary = session.bench.boundaries[source.boundary]
        with Path(source.file).open("wb") as file:
            for frame in _in_turn(session.bench, source, sent):
                words = bc.port_words(frame[None], boundary, source)
                bench_files.write_beats(file, words, source.bits, lowest_first=lowest_first)
    return sent


def _in_turn(bench: Bench, source: Joined, sent: dict[int, Held]) -> Iterator[Codes]:
    """Return the frames of a stream of the network, whichever replica gets them."""
    boundary = bench.boundaries[source.boundary]
    rows = {index: sent[index].rows(boundary.elements) for index in {*source.carriers, source.boundary}}
    if boundary.carries_weights:
        yield from rows[source.boundary]
        return
    frames = len(sent[source.boundary]) // boundary.elements // len(boundary.places)
    for _ in range(frames):
        for index in source.carriers:
            yield next(rows[index])


def _codes(session: Session, boundary: Boundary, frames: int, random: np.random.Generator) -> Iterator[Codes]:
    """Make the frames of so many epochs, some at a time: codes (frames, elements)."""
    if boundary.carries_weights:
        yield _external_weights(boundary, random)
        return
    count, epoch = session.bench.own_frames, session.bench.epoch
    own = own_codes(boundary, count, session.bench.own_least)
    places = numbers(boundary, 0, frames, epoch)
    for some in bc.batches(len(places), boundary):
        frame = places[some]
        mine = own_among(frame, count, epoch)
        codes = np.empty((len(frame), boundary.elements), bc.code_type(boundary.element_bits))
        codes[mine] = own[own_number(frame[mine], count, epoch)]
        given = given_number(frame[~mine], count, epoch)
        if boundary.golden:
            codes[~mine] = bc.encode(golden(session.options.golden.folder, boundary, given), boundary)
        else:
            codes[~mine] = _noise(boundary, len(given), random)
        yield codes


def _noise(boundary: Boundary, frames: int, random: np.random.Generator) -> Codes:
    """Codes (frames, elements) of any values that the type has.

    They are drawn part by part, since a value takes eight bytes; they are the same as those drawn at once.
    """
    codes = np.empty((frames, boundary.elements), bc.code_type(boundary.element_bits))
    low, high = (0, 1) if boundary.element_bits == 1 else (boundary.low, boundary.high)
    for part in np.array_split(codes.reshape(-1), max(1, codes.size >> 16)):
        values = random.integers(low, high, part.size, endpoint=True)
        part[:] = values if boundary.element_bits == 1 else bc.encode(values, boundary)
    return codes


def _external_weights(boundary: Boundary, random: np.random.Generator) -> Codes:
    """Codes (1, elements) of one pass, from the very file that goes into the DMA's buffer."""
    if boundary.weights is None:
        return _noise(boundary, 1, random)
    frame = np.fromfile(OUT / boundary.weights, np.uint8)
    assert len(frame) == boundary.frame_bytes, f"{boundary.weights}: {len(frame)} bytes"
    return bc.from_wire(frame.reshape(1, -1), boundary)
