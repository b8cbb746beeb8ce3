# SPDX-License-Identifier: BSD-3-Clause
"""The three proofs on what the recorders wrote: boundaries, monolith, golden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bench_compare as bc
import bench_files
import numpy as np


@dataclass(frozen=True)
class Run:
    """What was sent, and how it went.

    Attributes:
        sent: Codes (frames, elements) of every stream that the host sends, by index of the boundary.
        frames: Frames sent, the one that follows the others included.
        ended: The run was ended early: what is there must be right, what is missing says nothing.
        rested: Words at each recorder and monitor when all but the last frame had arrived and nothing moved;
            and after the last. Empty if it did not come to that.
        golden: Folder of the golden vectors; None if they are not of the weights that are loaded.
    """

    sent: dict[int, Any]
    frames: int
    ended: bool
    rested: Sequence[Sequence[int]] = ()
    golden: Path | None = None


def golden(folder: Path, boundary: dict[str, Any], frames: int) -> Any:
    """Return the known frames of a host stream, from the first again if more are sent than there are."""
    values = np.load(folder / boundary["golden"], mmap_mode="r")
    return np.asarray(values[np.arange(frames) % len(values)]).reshape(frames, -1)


def judge(bench: dict[str, Any], run: Run) -> list[bc.Verdict]:
    """Compare all that crossed.

    Args:
        bench: ``bench.json``.
        run: What was sent. The recordings are in the working folder.
    """
    verdicts = drift(bench, run)
    outputs = {}
    for index, boundary in enumerate(bench["boundaries"]):
        found, outputs[index] = _boundary(index, boundary, run)
        verdicts += found
    for output in bench["monolith"]["outputs"]:
        boundary = bench["boundaries"][output["boundary"]]
        result = outputs[output["boundary"]]
        data, _, _, count = bench_files.read_beats(output["file"], output["bits"])
        which = f" of {boundary['name']}" if len(bench["monolith"]["outputs"]) > 1 else ""
        whole = run.frames * boundary["elements"]
        alone = bc.codes_at_port(data, boundary, output)
        verdicts += _compare(f"monolith{which}", count, result[:whole], alone[:whole], boundary, run)
        verdicts += [] if run.ended else bc.ahead(f"monolith{which}", alone, run.frames, boundary)
        if boundary["golden"] and run.golden:
            wanted = bc.encode(golden(run.golden, boundary, run.frames), boundary).reshape(-1)
            verdicts += _compare(f"golden{which}", count, result[:whole], wanted, boundary, run)
        if boundary["golden"] and not run.ended:
            np.save("result.npy", bc.decode(result[: whole - boundary["elements"]], boundary))
    return verdicts


def drift(bench: dict[str, Any], run: Run) -> list[bc.Verdict]:
    """One frame more must be one frame more everywhere, however far ahead a stream is."""
    if len(run.rested) < 2:
        return []
    verdicts = []
    for place, before, after in zip(bench["taps"], *run.rested, strict=True):
        extra = after - before - place["beats"]
        if extra:
            detail = f"{after - before} words crossed for one more frame of {place['beats']}"
            verdicts.append(bc.Verdict(f"drift at {place['place']}", after, abs(extra), detail))
    return verdicts


def _boundary(index: int, boundary: dict[str, Any], run: Run) -> tuple[list[bc.Verdict], Any]:
    """Judge one boundary; return the elements that its consumer took too."""
    name, verdicts = boundary["name"], []
    made, words = _at(boundary, "made")
    taken, words_taken = _at(boundary, "taken")
    count = run.frames * boundary["passes"]
    sent = made is None
    if made is None:
        repeat = count if boundary["role"] == "weights" else 1
        made, words = np.tile(run.sent[index][: run.frames].reshape(-1), repeat), words_taken
    if taken is None:
        taken, detail = _received(boundary, run)
        if detail:
            verdicts.append(bc.Verdict(f"framing of {name}", words, 1, detail))
    verdicts += _crossed(name, words, taken, made, boundary, run)
    inner, words_inner = _at(boundary, "inner")
    if inner is not None:
        verdicts += _crossed(f"inside {name}", words_inner, inner, made, boundary, run)
    if not run.ended and not sent:
        verdicts += bc.ahead(name, made, count, boundary)
    return verdicts, taken


def _crossed(
    name: str, words: int, taken: Any, made: Any, boundary: dict[str, Any], run: Run
) -> list[bc.Verdict]:
    """All frames must have crossed; of what runs ahead, no more than was handed out, and unchanged."""
    whole = run.frames * boundary["passes"] * boundary["elements"]
    reach = min(len(made), max(whole, len(taken)))
    return _compare(name, words, taken, made[:reach], boundary, run)


def _compare(
    name: str, words: int, got: Any, want: Any, boundary: dict[str, Any], run: Run
) -> list[bc.Verdict]:
    if not run.ended:
        return [bc.compare(name, words, got, want, boundary)]
    shared = min(len(got), len(want))
    verdict = bc.compare(name, words, got[:shared], want[:shared], boundary)
    whole = run.frames * boundary["passes"] * boundary["elements"]
    if shared >= whole:
        return [verdict]
    detail = verdict.detail or f"{shared} of {whole} elements had crossed when the run was ended"
    return [bc.Verdict(name, words, verdict.mismatches, detail, whole - shared)]


def _at(boundary: dict[str, Any], side: str) -> tuple[Any, int]:
    """Elements that crossed the pins of a partition, and the number of words (seen, not only stored)."""
    if side not in boundary:
        return None, 0
    port = boundary[side]
    data, _, _, count = bench_files.read_beats(port["file"], port["bits"])
    codes = bc.codes_at_port(data, boundary, port)
    missing = np.full((count - len(data)) * (port["word_bits"] // boundary["element_bits"]), -1)
    return np.concatenate([codes, missing]), count


def _received(boundary: dict[str, Any], run: Run) -> tuple[Any, str]:
    """Elements in the byte strings that the host's S2MM channel stored, and what is wrong with the frames.

    After the last frame there may be the first beats of one that is not complete: the partition runs ahead.
    """
    sink = boundary["received"]
    data, keep, last, count = bench_files.read_beats(sink["file"], sink["bits"])
    frames = bc.split_frames(data, keep, last)
    size = boundary["frame_bytes"]
    begun = frames.pop() if len(last) and not last[-1] else b""
    odd = [len(frame) for frame in frames if len(frame) != size]
    detail = f"a frame of {odd[0]} bytes instead of {size}" if odd else ""
    if begun and len(frames) < run.frames and not run.ended:
        detail = f"frame {len(frames)} has no TLAST; S2MM would never complete"
    if len(begun) >= size:
        detail = f"{len(begun)} bytes without TLAST, and a frame has {size}"
    if count > len(data):
        detail = f"{count} beats, more than the {len(data)} that the recorder holds"
    whole = [frame.ljust(size, b"\0")[:size] for frame in [*frames, begun]]
    raw = np.frombuffer(b"".join(whole), np.uint8).reshape(len(whole), size)
    codes = bc.from_wire(raw, boundary)
    # Of the frame that has begun, the words that are there in full.
    words = 8 * min(len(begun), size) // boundary["wire_word_bits"] * boundary["elements_per_word"]
    words = min(words, boundary["elements"])
    return np.concatenate([codes[:-1].reshape(-1), codes[-1][:words]]), detail
