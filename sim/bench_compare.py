# SPDX-License-Identifier: BSD-3-Clause
"""What crossed a boundary, against what should have: numpy on whole recordings, no simulator.

An element is held as its code: the unsigned number that its bits spell. Frames are arrays of codes of
shape (frames, elements).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from bench_records import Boundary, Words
from bench_verdict import Difference, Verdict
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
LOST = -1  # in place of a code: it came, and the sink was full
UNKNOWN = -2  # some of its bits are x


def encode(values: NDArray[Any], boundary: Boundary) -> Codes:
    """Turn element values into codes (BIPOLAR -1/+1 is stored as 0/1, others as two's complement)."""
    whole = values.astype(np.int64)
    if boundary.element_bits == 1 and boundary.low == -1:
        return (whole + 1) // 2
    return whole & ((1 << boundary.element_bits) - 1)


def decode(codes: Codes, boundary: Boundary) -> Codes:
    """Turn codes into element values."""
    bits = boundary.element_bits
    if bits == 1 and boundary.low == -1:
        return 2 * codes - 1
    return np.where(codes >> (bits - 1) & 1, codes - (1 << bits), codes) if boundary.signed else codes


def to_bits(codes: Codes, element_bits: int) -> Bytes:
    """Spread codes (frames, elements) into bits (frames, elements * element_bits), low bit first."""
    spread = (codes[..., None] >> np.arange(element_bits)) & 1
    return spread.reshape(codes.shape[0], -1).astype(np.uint8)


def from_bits(bits: Bytes, element_bits: int) -> Codes:
    """Gather bits (frames, n * element_bits) into codes (frames, n)."""
    split = bits.reshape(bits.shape[0], -1, element_bits).astype(np.int64)
    return split @ (1 << np.arange(element_bits, dtype=np.int64))


def wire_bytes(codes: Codes, boundary: Boundary) -> Bytes:
    """Return the frames as the host sends them, shape (frames, frame_bytes): dense, or padded words."""
    width = boundary.wire_word_bits
    return np.packbits(_padded_words(codes, boundary, width), axis=1, bitorder="little")


def from_wire(frames: Bytes, boundary: Boundary) -> Codes:
    """Undo `wire_bytes`."""
    bits = np.unpackbits(frames, axis=1, bitorder="little")
    width, per_word = boundary.wire_word_bits, boundary.elements_per_word
    words = boundary.elements // per_word
    payload = bits[:, : words * width].reshape(len(frames), words, width)
    payload = payload[..., : per_word * boundary.element_bits]
    return from_bits(payload.reshape(len(frames), -1), boundary.element_bits)


def _padded_words(codes: Codes, boundary: Boundary, width: int) -> Bytes:
    payload = boundary.elements_per_word * boundary.element_bits
    bits = to_bits(codes, boundary.element_bits).reshape(len(codes), -1, payload)
    padded = np.zeros((*bits.shape[:2], width), np.uint8)
    padded[..., :payload] = bits
    return padded.reshape(len(codes), -1)


def port_words(codes: Codes, boundary: Boundary, port: Words) -> Bytes:
    """Return stream words at a partition's pins, shape (frames, words * bytes of TDATA)."""
    bits = to_bits(codes, boundary.element_bits).reshape(len(codes), port.words, port.word_bits)
    padded = np.zeros((*bits.shape[:2], port.bits), np.uint8)
    padded[..., : port.word_bits] = bits
    return np.packbits(padded.reshape(len(codes), -1), axis=1, bitorder="little")


def codes_at_port(data: Bytes, boundary: Boundary, port: Words) -> Codes:
    """Return all elements that crossed a partition's pins, in order, shape (n,).

    Args:
        data: Recorded words, shape (words, bytes of TDATA).
    """
    bits = np.unpackbits(data, axis=1, bitorder="little")[:, : port.word_bits]
    (codes,) = from_bits(bits.reshape(1, -1), boundary.element_bits)
    return np.asarray(codes)


def compare(name: str, words: int, got: Codes, want: Codes, boundary: Boundary | None = None) -> Verdict:
    """Compare two sequences of elements, shape (n,); a difference in length counts as mismatches.

    Args:
        name: Of the verdict.
        words: Words that crossed.
        got: Codes, or `UNKNOWN` and `LOST`, which equal nothing.
        want: Codes, as well.
        boundary: Tells values, frames and places of codes; without it they are one frame of signless numbers.
    """
    whole = max(1, len(got), len(want))
    size, full = (boundary.elements, boundary.shape) if boundary else (whole, (whole,))
    shared = min(len(got), len(want))
    differ = np.flatnonzero((got[:shared] != want[:shared]) | (got[:shared] < 0))
    missing = abs(len(got) - len(want))
    if not len(differ) and not missing:
        return Verdict(name, words, 0)
    at = int(differ[0]) if len(differ) else shared
    frame, inside = divmod(at, size)
    shape = [axis for axis in full if axis > 1] or [1]
    first = Difference(
        frame=frame,
        index=tuple(int(i) for i in np.unravel_index(inside, shape)),
        element=inside,
        got=_value(got, at, boundary),
        expected=_value(want, at, boundary),
        got_code=_code(got, at),
        expected_code=_code(want, at),
    )
    counted = f"{len(got)} elements instead of {len(want)}"
    detail = f"{first.text}; {counted}" if missing else first.text
    return Verdict(name, words, len(differ) + missing, detail, difference=first)


def _code(codes: Codes, at: int) -> int | None:
    return int(codes[at]) if at < len(codes) and codes[at] >= 0 else None


def _value(codes: Codes, at: int, boundary: Boundary | None) -> int | str | None:
    if at >= len(codes):
        return None
    code = codes[at]
    if code < 0:
        return "unknown bits (X)" if code == UNKNOWN else "more than was recorded"
    return int(code if boundary is None else decode(code, boundary))


def ahead(name: str, codes: Codes, frames: int, boundary: Boundary) -> list[Verdict]:
    """Judge what follows the last frame: the beginning of the next one, or words that belong to none.

    A layer that pads may hand out the first words of a frame before any of it has arrived. Nothing of the
    frame can be in them, so every frame begins with the same. Words of a partition that drifts do not.

    Args:
        name: Of the boundary.
        codes: All elements that crossed, shape (n,).
        frames: Frames that were sent.
        boundary: Its description.

    Returns:
        Nothing if nothing follows.
    """
    size = boundary.elements
    tail = codes[frames * size :]
    if not len(tail):
        return []
    if len(tail) >= size:
        return [Verdict(f"ahead of {name}", len(tail), len(tail), "a whole frame more than was sent")]
    begins = codes[: frames * size].reshape(frames, size)[:, : len(tail)]
    differ = begins != tail
    detail = f"{len(tail)} elements of the next frame are there already"
    if differ.any():
        frame, at = (int(i) for i in np.argwhere(differ)[0])
        found, wanted = _value(tail, at, boundary), _value(begins[frame], at, boundary)
        detail = (
            f"{len(tail)} elements follow the last frame and belong to none: number {at} is {found}, "
            f"and frame {frame} begins with {wanted} there"
        )
    return [Verdict(f"ahead of {name}", len(tail), int(differ.any(axis=0).sum()), detail)]


def split_frames(data: Bytes, keep: Flags, last: Flags) -> list[bytes]:
    """Cut recorded link beats at TLAST into the byte strings that an S2MM channel would store.

    Beats after the final TLAST are a transfer that never completed; they come back as a last element
    that starts with no frame of its own only when they exist.
    """
    frames, current = [], bytearray()
    for row, mask, end in zip(data, keep, last, strict=True):
        current += bytes(row[mask])
        if end:
            frames.append(bytes(current))
            current = bytearray()
    if current:
        frames.append(bytes(current))
    return frames
