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
            _codes(session, index, frames, random),
        )
        for index, boundary in enumerate(session.bench.boundaries)
        if boundary.sent
    }
    lowest_first = cocotb.SIM_NAME == "Verilator"
    for index, boundary in enumerate(session.bench.boundaries):
        if not boundary.sent:
            continue
        codes = sent[index] = sent[boundary.like]
        width, per_word, bits = boundary.wire_word_bits, boundary.elements_per_word, boundary.sent.bits
        with Path(boundary.sent.file).open("wb") as file:
            for frame in codes.frames(boundary.elements):
                for lot in bc.beat_lots(boundary, width, per_word, bits):
                    words = bc.wire_bytes(frame[lot][None], boundary)
                    bench_files.write_beats(file, words, bits, lowest_first=lowest_first)
    for source in session.bench.monolith.inputs:
        boundary = session.bench.boundaries[source.boundary]
        per_word = source.word_bits // boundary.element_bits
        with Path(source.file).open("wb") as file:
            for frame in _in_turn(session.bench, source, sent):
                for lot in bc.beat_lots(boundary, source.bits, per_word, source.bits):
                    words = bc.port_words(frame[lot][None], boundary, source)
                    bench_files.write_beats(file, words, source.bits, lowest_first=lowest_first)
    return sent


def _in_turn(bench: Bench, source: Joined, sent: dict[int, Held]) -> Iterator[Held]:
    """Return the frames of a stream of the network, whichever replica gets them."""
    boundary = bench.boundaries[source.boundary]
    rows = {index: sent[index].frames(boundary.elements) for index in {*source.carriers, source.boundary}}
    if boundary.carries_weights:
        yield from rows[source.boundary]
        return
    frames = len(sent[source.boundary]) // boundary.elements // len(boundary.places)
    for _ in range(frames):
        for index in source.carriers:
            yield next(rows[index])


def _codes(session: Session, index: int, frames: int, random: np.random.Generator) -> Iterator[Codes]:
    """Make the frames of so many epochs: codes (frames, elements) of some, or parts of a large one."""
    boundary = session.bench.boundaries[index]
    if boundary.carries_weights:
        yield from _external_weights(boundary, random)
        return
    count, epoch = session.bench.own_frames, session.bench.epoch
    own = _own(Path(f"own_{index}.codes"), boundary, count, session.bench.own_least)
    places = numbers(boundary, 0, frames, epoch)
    for some, lot in bc.parts(len(places), boundary):
        frame = places[some]
        mine = own_among(frame, count, epoch)
        codes = np.empty((len(frame), lot.stop - lot.start), bc.code_type(boundary.element_bits))
        for at in np.flatnonzero(mine):
            number = int(own_number(frame[at], count, epoch))
            codes[at] = own.after(number * boundary.elements)[lot]
        given = given_number(frame[~mine], count, epoch)
        if boundary.golden:
            values = golden(session.options.golden.folder, boundary, given, lot)
            codes[~mine] = bc.encode(values, boundary)
        else:
            codes[~mine] = _noise(boundary, len(given), lot.stop - lot.start, random)
        yield codes


def _own(path: Path, boundary: Boundary, count: int, least: int) -> Held:
    """Write the bench's own frames to a file."""
    kind = np.dtype(bc.code_type(boundary.element_bits))
    with path.open("wb") as file:
        for lot, codes in own_codes(boundary, count, least):
            for frame, some in enumerate(codes):
                file.seek((frame * boundary.elements + lot.start) * kind.itemsize)
                some.astype(kind, copy=False).tofile(file)
    return Held(path, kind, count * boundary.elements, count * boundary.elements)


def _noise(boundary: Boundary, frames: int, elements: int, random: np.random.Generator) -> Codes:
    """Codes (frames, elements) of any values that the type has."""
    low, high = (0, 1) if boundary.element_bits == 1 else (boundary.low, boundary.high)
    values = random.integers(low, high, (frames, elements), endpoint=True)
    return values if boundary.element_bits == 1 else bc.encode(values, boundary)


def _external_weights(boundary: Boundary, random: np.random.Generator) -> Iterator[Codes]:
    """Codes of one pass, part by part, from the very file that goes into the DMA's buffer."""
    if boundary.weights is None:
        for _, lot in bc.parts(1, boundary):
            yield _noise(boundary, 1, lot.stop - lot.start, random)
        return
    path = OUT / boundary.weights
    assert path.stat().st_size == boundary.frame_bytes, f"{boundary.weights}: {path.stat().st_size} bytes"
    width, per_word = boundary.wire_word_bits, boundary.elements_per_word
    for lot in bc.beat_lots(boundary, width, per_word, bc.BYTE):
        first, last = lot.start // per_word, lot.stop // per_word
        begin, end = first * width // bc.BYTE, -(-last * width // bc.BYTE)
        yield bc.wire_words(np.fromfile(path, np.uint8, end - begin, offset=begin), last - first, boundary)
