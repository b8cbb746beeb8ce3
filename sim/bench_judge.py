# SPDX-License-Identifier: BSD-3-Clause
"""The three proofs on what the sinks wrote: boundaries, monolith, golden."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import bench_compare as bc
import numpy as np
from bench_beats import Recording, open_beats
from bench_held import Codes, Held, hold
from bench_own import given_number, numbers, own_among
from bench_received import Transfers
from bench_records import Bench, Boundary, Words
from bench_sight import sight
from bench_verdict import Verdict


@dataclass(frozen=True)
class Run:
    """Epochs sent in a run, and how it ended; without replicas an epoch is a frame.

    Attributes:
        sent: Codes of every stream that the host sends, from the first frame since the reset, by index of the
            boundary; of external weights one frame.
        frames: Epochs sent, the one that follows the others included.
        ended: The run was ended early: what is there must be right, what is missing says nothing.
        rested: Words at each sink and monitor when all but the last had arrived and nothing moved;
            and after the last. Empty if it did not come to that.
        first: Of the epochs, counted among all that were sent since the reset.
        own: The bench's own among those: see `bench_own`.
        epoch: Frames of an epoch.
        kept: Results are written to a file, for the accuracy.
    """

    sent: dict[int, Held]
    frames: int
    ended: bool
    rested: Sequence[Sequence[int]] = ()
    first: int = 0
    own: int = 0
    epoch: int = 1
    kept: bool = True


def golden(folder: str | Path, boundary: Boundary, numbers: Any, elements: slice = slice(None)) -> Any:
    """Return known frames of a host stream by number, from the beginning again behind the last of them.

    There may be no number at all: a part of a large frame may be of the bench's own.

    Args:
        folder: Of the vectors.
        boundary: Of the stream.
        numbers: Of the frames.
        elements: Of each frame.

    Returns:
        Values (frames, elements).
    """
    values = np.load(Path(folder) / str(boundary.golden), mmap_mode="r")
    return np.asarray(values.reshape(len(values), -1)[numbers % len(values), elements])


def judge(bench: Bench, run: Run, known: Path | None) -> list[Verdict]:
    """Compare all that crossed.

    Args:
        bench: ``bench.json``.
        run: What was sent. The recordings are in the working folder.
        known: Folder of the golden vectors; None if they are not of the weights that are loaded.
    """
    run = replace(run, own=bench.own_frames, epoch=bench.epoch)
    verdicts = drift(bench, run)
    results, outputs = {}, bench.monolith.outputs
    for index, boundary in enumerate(bench.boundaries):
        if not boundary.passes:
            continue  # of a replica without turns
        found, result = _boundary(index, boundary, run)
        verdicts += found
        if boundary.consumer is None:
            results[index] = result
    for output in outputs:
        boundary = bench.boundaries[output.boundary]
        alone = _at(boundary, f"mono_made_{output.boundary}", output)
        for index in dict.fromkeys(output.carriers):
            boundary, result = bench.boundaries[index], results[index]
            which = f" of {boundary.name}" if len(results) > 1 else ""
            verdicts.append(_output(boundary, alone, result, run, which))
            if boundary.golden and known:
                verdict = _against_golden(boundary, result, run, known, f"golden{which}")
                verdicts += [verdict] if verdict else []
        verdicts += _alone_ahead(boundary, alone, run, len(outputs) > 1)
        if boundary.golden and run.kept and not run.ended and not run.first:
            _save_result(boundary, [results[index] for index in output.carriers], run)
    return verdicts


def _save_result(boundary: Boundary, results: Sequence[_Seen], run: Run) -> None:
    """Write the values of all frames that came but those of the last epoch and the bench's own.

    Args:
        boundary: Of the stream, or of that of the first replica.
        results: What carries each frame of an epoch.
        run: What was sent.
    """
    seen = {result.tap: result.codes.frames(boundary.elements) for result in results}
    given = ~own_among(np.arange((run.frames - 1) * run.epoch), run.own, run.epoch)
    taken = Counter(results[number % run.epoch].tap for number in range(len(given)))
    if any(len(one.codes) < taken[one.tap] * boundary.elements for one in results):
        return  # frames are missing, as the comparisons say
    whole = (next(seen[results[number % run.epoch].tap]) for number in range(len(given)))
    frames = (frame for frame, wanted in zip(whole, given, strict=True) if wanted)
    bc.save_values(Path("result.npy"), frames, int(given.sum()) * boundary.elements, boundary)


def _output(boundary: Boundary, alone: _Seen, result: _Seen, run: Run, which: str) -> Verdict:
    """Judge a result of the host against the monolith."""
    whole = run.frames * boundary.passes * boundary.elements
    mine = alone.codes
    if len(boundary.places) < run.epoch:
        frames = enumerate(mine.frames(boundary.elements))
        own = (frame for number, frame in frames if number % run.epoch in boundary.places)
        parts = (codes for frame in own for codes in frame.lots())
        mine = hold(Path(f"{result.tap}.alone"), bc.held_type(boundary), parts)
    seen = replace(result, codes=result.codes.first(whole), words=alone.words)
    compared = _compare(f"monolith{which}", seen, mine.first(whole), boundary, run)
    return compared.about("monolith", boundary.name)


def _alone_ahead(boundary: Boundary, alone: _Seen, run: Run, several: bool) -> list[Verdict]:
    """Judge what the monolith hands out behind the last frame."""
    if run.ended:
        return []
    which = f" of {boundary.name}" if several else ""
    ahead = bc.ahead(f"monolith{which}", alone.codes, run.frames * run.epoch, boundary)
    return [verdict.about("ahead", boundary.name, alone=True) for verdict in ahead]


def _against_golden(boundary: Boundary, result: _Seen, run: Run, known: Path, name: str) -> Verdict | None:
    """Judge a result of the host against the vectors; None if none of the frames has any.

    Of the bench's own frames nothing is known, so whatever came of them stands for what should have.
    """
    frames = numbers(boundary, run.first, run.first + run.frames, run.epoch)
    mine = own_among(frames, run.own, run.epoch)
    if mine.all():
        return None
    seen = replace(result, codes=result.codes.first(len(frames) * boundary.elements))
    kind, size = bc.held_type(boundary), boundary.elements
    which = given_number(frames[~mine], run.own, run.epoch)
    given = hold(
        Path(f"{result.tap}.given"),
        kind,
        (
            bc.encode(golden(known, boundary, which[some], lot), boundary)
            for some, lot in bc.parts(len(which), boundary)
        ),
    )
    rest = given.frames(size)
    parts = (_came(seen, at * size, size) if own else next(rest).lots() for at, own in enumerate(mine))
    wanted = hold(Path(f"{result.tap}.wanted"), kind, (codes for some in parts for codes in some))
    verdict = _compare(name, seen, wanted, boundary, run).about("golden", boundary.name)
    assert boundary.made
    words = verdict.words * len(which) // len(frames)  # of the frames that have a golden result
    return replace(verdict, words=words, sight=sight(given, boundary, boundary.made))


def _came(seen: _Seen, start: int, size: int) -> Iterator[Codes]:
    """Return a frame as it came, part by part; what is missing counts as lost."""
    there = seen.codes.after(start).first(size)
    yield from there.lots()
    for lot in bc.lots(size - len(there), bc.CODE):
        yield np.full(lot.stop - lot.start, bc.LOST)


def drift(bench: Bench, run: Run) -> list[Verdict]:
    """One frame more must be one frame more everywhere, however far ahead a stream is."""
    if len(run.rested) < 2:
        return []
    verdicts = []
    for place, before, after in zip(bench.taps, *run.rested, strict=True):
        extra = after - before - place.beats
        if extra:
            detail = f"{after - before} words crossed for one more frame of {place.beats}"
            verdict = Verdict(f"drift at {place.place}", after, abs(extra), detail)
            name = bench.boundaries[place.boundary].name
            verdicts.append(verdict.about("drift", name, alone=place.side == "mono_made"))
    return verdicts


@dataclass(frozen=True)
class _Seen:
    """Data that one sink or monitor saw of a stream.

    Attributes:
        codes: Elements in order.
        words: Words (or beats) seen, not only stored.
        tap: Its name.
        at: Word that carries an element, counted from 0, and its lowest bit there.
    """

    codes: Held
    words: int
    tap: str
    at: Callable[[int], tuple[int, int]]


def _boundary(index: int, boundary: Boundary, run: Run) -> tuple[list[Verdict], _Seen]:
    """Judge one boundary; return what its consumer took too."""
    name, verdicts = boundary.name, []
    count = run.frames * boundary.passes
    made = _at(boundary, f"made_{index}", boundary.made) if boundary.made else None
    if boundary.taken:
        taken, wrong = _words(boundary, f"taken_{index}", boundary.taken, full=False)
    else:
        taken, wrong = _received(boundary, f"received_{index}", run)
    if made is None:
        codes, size = run.sent[index], boundary.elements
        if boundary.carries_weights:
            codes = codes.repeated(count)
        else:
            begin = run.first * boundary.passes
            codes = codes.first((begin + count) * size).after(begin * size)
    else:
        codes = made.codes
        taken = replace(taken, words=made.words)
    if wrong:
        verdicts.append(Verdict(f"framing of {name}", taken.words, 1, wrong).about("framing", name))
    crossed = _crossed(name, taken, codes, boundary, run).about("boundary", name)
    port = boundary.made or boundary.taken
    told = None if run.ended or run.first or port is None else sight(codes, boundary, port)
    verdicts.append(replace(crossed, sight=told))
    if boundary.inner:
        inner = _at(boundary, f"inner_{index}_tap", boundary.inner)
        verdicts.append(_crossed(f"inside {name}", inner, codes, boundary, run).about("inside", name))
    if not run.ended and made is not None:
        verdicts += [verdict.about("ahead", name) for verdict in bc.ahead(name, codes, count, boundary)]
    return verdicts, taken


def _crossed(name: str, taken: _Seen, made: Held, boundary: Boundary, run: Run) -> Verdict:
    """All frames must have crossed; of what runs ahead, no more than was handed out, and unchanged."""
    whole = run.frames * boundary.passes * boundary.elements
    reach = min(len(made), max(whole, len(taken.codes)))
    return _compare(name, taken, made.first(reach), boundary, run)


def _compare(name: str, seen: _Seen, want: Held, boundary: Boundary, run: Run) -> Verdict:
    """Compare all; of a run that was ended early, what had crossed on both sides."""
    got = seen.codes
    shared = min(len(got), len(want))
    if run.ended:
        # A stream without end fills every sink.
        shared = bc.first_lost(got, want, shared)
        got, want = got.first(shared), want.first(shared)
    verdict = bc.compare(name, seen.words, got, want, boundary, lambda frame: _which(boundary, run, frame))
    if first := verdict.difference:
        verdict = verdict.at(seen.tap, *seen.at(first.frame * boundary.elements + first.element))
    whole = run.frames * boundary.passes * boundary.elements
    if not run.ended or shared >= whole:
        return verdict
    detail = verdict.detail or f"{shared} of {whole} elements had crossed when the run was ended"
    return replace(verdict, detail=detail, missing=whole - shared)


def _which(boundary: Boundary, run: Run, frame: int) -> str:
    """Name a frame if some are the bench's own, whose number is not a number of the vectors."""
    if not run.own or boundary.carries_weights:
        return ""
    at, place = divmod(frame, len(boundary.places))
    number = (run.first + at) * run.epoch + boundary.places[place]
    if own_among(number, run.own, run.epoch):
        return " (the bench's own)"
    return f" (vector {given_number(number, run.own, run.epoch)})" if boundary.golden else ""


def _at(boundary: Boundary, tap: str, port: Words) -> _Seen:
    """Return what crossed the pins of a partition."""
    return _words(boundary, tap, port)[0]


def _words(boundary: Boundary, tap: str, port: Words, *, full: bool = True) -> tuple[_Seen, str]:
    """Return the elements of what crossed the pins of a partition, and what is wrong there.

    Args:
        boundary: Of the stream.
        tap: What recorded it.
        port: Its words.
        full: The bits above a word may be anything; else they are zeros, as a core has them.
    """
    per_word = port.word_bits // boundary.element_bits
    seen = open_beats(port.file, port.bits)
    wrong: list[int] = []

    def parts() -> Iterator[Codes]:
        for number, beats in enumerate(seen.lots()):
            if not full and not wrong:
                above = bc.first_above(beats.data, beats.unknown, port.word_bits)
                wrong.extend([] if above is None else [number * seen.lot + above])
            codes = bc.codes_at_port(beats.data, boundary, port)
            if beats.unknown.any():
                codes = bc.with_marks(codes)
                codes[np.repeat(beats.unknown, per_word)] = bc.UNKNOWN
            yield codes
        for lot in bc.lots((seen.count - seen.stored) * per_word, boundary.element_bits):
            yield np.full(lot.stop - lot.start, bc.LOST)

    def at(element: int) -> tuple[int, int]:
        word, place = divmod(element, per_word)
        return word, place * boundary.element_bits

    codes = hold(Path(f"{tap}.codes"), bc.held_type(boundary), parts())
    text = f"word {wrong[0]} has bits set above its {port.word_bits}" if wrong else ""
    return _Seen(codes, seen.count, tap, at), text


def _received(boundary: Boundary, tap: str, run: Run) -> tuple[_Seen, str]:
    """Return the elements in the byte strings that the host's S2MM channel stored, and what is wrong there.

    After the last frame there may be the first beats of one that is not complete: the partition runs ahead.
    """
    sink = boundary.received
    assert sink
    seen = open_beats(sink.file, sink.bits)
    transfers = Transfers(boundary)
    codes = hold(Path(f"{tap}.codes"), bc.held_type(boundary), transfers.codes(seen))
    wrong = _wrong(boundary, seen, transfers, run)
    beats = -(-8 * boundary.frame_bytes // sink.bits)

    def beat(element: int) -> tuple[int, int]:
        frame, inside = divmod(element, boundary.elements)
        word, place = divmod(inside, boundary.elements_per_word)
        bit = word * boundary.wire_word_bits + place * boundary.element_bits
        return frame * beats + bit // sink.bits, bit % sink.bits

    return _Seen(codes, seen.count, tap, beat), wrong


def _wrong(boundary: Boundary, seen: Recording, transfers: Transfers, run: Run) -> str:
    """Return what is wrong with the transfers that the host got."""
    size, wrong = boundary.frame_bytes, ""
    if transfers.odd is not None:
        wrong = f"a frame of {transfers.odd} bytes instead of {size}"
    if transfers.begun and transfers.ended < run.frames * boundary.passes and not run.ended:
        wrong = f"frame {transfers.ended} has no TLAST; S2MM would never complete"
    if transfers.begun >= size:
        wrong = f"{transfers.begun} bytes without TLAST, and a frame has {size}"
    if seen.count > seen.stored and not run.ended:
        wrong = f"{seen.count} beats, more than the {seen.stored} that the sink holds"
    return wrong
