# SPDX-License-Identifier: BSD-3-Clause
"""Comparison of the data at a boundary with the expected data: numpy on recordings, no simulator.

An element is held as its code: the unsigned number formed by its bits. Frames are arrays of codes of
shape (frames, elements).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np
from bench_held import Codes, Held
from bench_records import Boundary, Words
from bench_verdict import Difference, Verdict
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
LOST = -1  # in place of a code: it came, and the sink was full
UNKNOWN = -2  # some of its bits are x
BYTE = 8  # bits
_LOT_BITS = 1 << 15
_LOOK = 2  # bits for which elements count in a comparison, so that a lot is not read in small pieces
CODE = 64  # bits of an element while it is computed with
_PART = 4  # bits for which it counts in a part of a frame, which is read from a file of its own
_PLAIN = (8, 16, 32)  # bits of elements that numpy has types for


def code_type(element_bits: int) -> type[np.integer[Any]]:
    """Return the smallest type for codes: a frame may have a million of them."""
    return next(
        (kind for kind in (np.uint8, np.uint16, np.uint32) if element_bits <= kind(0).nbytes * BYTE),
        np.int64,
    )


def with_marks(codes: Codes) -> Codes:
    """Return codes in a type that has `LOST` and `UNKNOWN` as well."""
    return codes.astype(np.promote_types(codes.dtype, np.int8))


def lots(count: int, bits: int, each: int = 1) -> Iterator[slice]:
    """Cut a range of words of ``bits`` each into chunks, each a multiple of ``each`` words but for the last.

    A bit takes up to eight bytes while it is moved about, so that is done to a part of a frame at a time.
    """
    size = max(1, _LOT_BITS // (bits * each)) * each
    for begin in range(0, count, size):
        yield slice(begin, min(count, begin + size))


def encode(values: NDArray[Any], boundary: Boundary) -> Codes:
    """Turn element values into codes (BIPOLAR -1/+1 is stored as 0/1, others as two's complement)."""
    codes = np.empty(values.shape, code_type(boundary.element_bits))
    flat, into = values.reshape(-1), codes.reshape(-1)
    for lot in lots(len(flat), CODE):
        whole = flat[lot].astype(np.int64)
        if boundary.element_bits == 1 and boundary.low == -1:
            into[lot] = (whole + 1) // 2
        else:
            into[lot] = whole & ((1 << boundary.element_bits) - 1)
    return codes


def decode(codes: Codes, boundary: Boundary) -> Codes:
    """Turn codes into element values."""
    bits = boundary.element_bits
    if bits == 1 and boundary.low == -1:
        return 2 * codes - 1
    return np.where(codes >> (bits - 1) & 1, codes - (1 << bits), codes) if boundary.signed else codes


def save_values(path: Path, frames: Iterable[Held], count: int, boundary: Boundary) -> None:
    """Write the values of so many elements as ``.npy`` of 64-bit integers."""
    with path.open("wb") as file:
        header = {"descr": "<i8", "fortran_order": False, "shape": (count,)}
        np.lib.format.write_array_header_1_0(file, header)
        for frame in frames:
            for codes in frame.lots():
                file.write(decode(codes.astype(np.int64), boundary).tobytes())


def held_type(boundary: Boundary) -> Any:
    """Return the type of codes that are `Held`, which have marks."""
    return np.promote_types(code_type(boundary.element_bits), np.int8)


def parts(frames: int, boundary: Boundary) -> Iterator[tuple[slice, slice]]:
    """Cut frames into parts: some whole frames, or some elements of one if it is large."""
    for some in lots(frames, _PART * boundary.elements):
        for lot in lots(boundary.elements, _PART):
            yield some, lot


def beat_lots(boundary: Boundary, word_bits: int, per_word: int, beat_bits: int) -> Iterator[slice]:
    """Cut the elements of a frame into parts that fill whole beats, but for the last.

    Args:
        boundary: Of the stream.
        word_bits: Width of a word as it is packed into beats.
        per_word: Elements of a word.
        beat_bits: Width of a beat.
    """
    words = beat_bits // gcd(beat_bits, word_bits)
    return lots(boundary.elements, -(-word_bits // per_word), words * per_word)


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
    return _as_words(codes, boundary, boundary.elements_per_word, boundary.wire_word_bits)


def from_wire(frames: Bytes, boundary: Boundary) -> Codes:
    """Undo `wire_bytes`."""
    if _is_plain(boundary):
        return _plain(frames, boundary)
    codes = np.empty((len(frames), boundary.elements), code_type(boundary.element_bits))
    for frame, into in zip(frames, codes, strict=True):
        into[:] = wire_words(frame, boundary.elements // boundary.elements_per_word, boundary)
    return codes


def wire_words(data: Bytes, words: int, boundary: Boundary) -> Codes:
    """Return the elements of the first words of some bytes of a frame, shape (n,)."""
    width, per_word = boundary.wire_word_bits, boundary.elements_per_word
    if _is_plain(boundary):
        return _plain(data[: words * width // BYTE], boundary)
    payload = per_word * boundary.element_bits
    codes = np.empty(words * per_word, code_type(boundary.element_bits))
    for lot in lots(words, width, BYTE):
        count = lot.stop - lot.start
        some = data[lot.start * width // BYTE : -(-lot.stop * width // BYTE)]
        bits = np.unpackbits(some, bitorder="little")[: count * width].reshape(count, width)
        found = from_bits(bits[:, :payload].reshape(1, -1), boundary.element_bits)
        codes[lot.start * per_word : lot.stop * per_word] = found[0]
    return codes


def _is_plain(boundary: Boundary) -> bool:
    """Tell whether elements lie on the wire as numpy has them."""
    payload = boundary.elements_per_word * boundary.element_bits
    return payload == boundary.wire_word_bits and boundary.element_bits in _PLAIN


def _plain(data: Bytes, boundary: Boundary) -> Codes:
    """Return the elements of each row of bytes, where they lie in it side by side as numpy has them."""
    return np.array(data, order="C").view(f"<u{boundary.element_bits // BYTE}")


def _as_words(codes: Codes, boundary: Boundary, per_word: int, width: int) -> Bytes:
    """Return frames of words of ``per_word`` elements, each padded to ``width`` bits."""
    payload = per_word * boundary.element_bits
    words = codes.shape[1] // per_word
    if payload == width and boundary.element_bits in _PLAIN:
        return np.array(codes, f"<u{boundary.element_bits // BYTE}", order="C").view(np.uint8)
    frames = np.zeros((len(codes), -(-words * width // BYTE)), np.uint8)
    for frame, into in zip(codes, frames, strict=True):
        for lot in lots(words, width, BYTE):
            bits = np.zeros((lot.stop - lot.start, width), np.uint8)
            some = frame[None, lot.start * per_word : lot.stop * per_word]
            bits[:, :payload] = to_bits(some, boundary.element_bits).reshape(-1, payload)
            packed = np.packbits(bits.reshape(-1), bitorder="little")
            into[lot.start * width // BYTE :][: len(packed)] = packed
    return frames


def port_words(codes: Codes, boundary: Boundary, port: Words) -> Bytes:
    """Return stream words at a partition's pins, shape (frames, words * bytes of TDATA)."""
    return _as_words(codes, boundary, port.word_bits // boundary.element_bits, port.bits)


def codes_at_port(data: Bytes, boundary: Boundary, port: Words) -> Codes:
    """Return all elements that crossed a partition's pins, in order, shape (n,).

    Args:
        data: Recorded words, shape (words, bytes of TDATA).
    """
    per_word = port.word_bits // boundary.element_bits
    if boundary.element_bits in _PLAIN:
        return _plain(data[:, : port.word_bits // BYTE], boundary).reshape(-1)
    codes = np.empty(len(data) * per_word, code_type(boundary.element_bits))
    for lot in lots(len(data), port.bits):
        bits = np.unpackbits(data[lot], axis=1, bitorder="little")[:, : port.word_bits]
        found = from_bits(bits.reshape(1, -1), boundary.element_bits)
        codes[lot.start * per_word : lot.stop * per_word] = found[0]
    return codes


def first_above(data: Bytes, unknown: Flags, word_bits: int) -> int | None:
    """Return the first word that has bits above its own where it is known."""
    width = BYTE * data.shape[1]
    for lot in lots(len(data) if word_bits < width else 0, width):
        above = np.unpackbits(data[lot], axis=1, bitorder="little")[:, word_bits:]
        wrong = np.flatnonzero(above.any(axis=1) & ~unknown[lot])
        if len(wrong):
            return int(lot.start + wrong[0])
    return None


def compare(
    name: str,
    words: int,
    got: Codes | Held,
    want: Codes | Held,
    boundary: Boundary | None = None,
    which: Callable[[int], str] = lambda _: "",
) -> Verdict:
    """Compare two sequences of elements, shape (n,); a difference in length counts as mismatches.

    Args:
        name: Of the verdict.
        words: Words that crossed.
        got: Codes, or `UNKNOWN` and `LOST`, which equal nothing.
        want: Codes, as well.
        boundary: Tells values, frames and places of codes; without it they are one frame of signless numbers.
        which: What is to be said of a frame by its number.
    """
    whole = max(1, len(got), len(want))
    size, full = (boundary.elements, boundary.shape) if boundary else (whole, (whole,))
    shared = min(len(got), len(want))
    count, at = 0, shared
    for lot in lots(shared, _LOOK):
        differ = (got[lot] != want[lot]) | (got[lot] < 0)
        if found := int(np.count_nonzero(differ)):
            at = at if count else lot.start + int(differ.argmax())
            count += found
    missing = abs(len(got) - len(want))
    if not count and not missing:
        return Verdict(name, words, 0)
    frame, inside = divmod(at, size)
    shape = [axis for axis in full if axis > 1] or [1]
    first = Difference(
        frame=frame,
        which=which(frame),
        index=tuple(int(i) for i in np.unravel_index(inside, shape)),
        element=inside,
        got=_value(got, at, boundary),
        expected=_value(want, at, boundary),
        got_code=_code(got, at),
        expected_code=_code(want, at),
    )
    counted = f"{len(got)} elements instead of {len(want)}"
    detail = f"{first.text}; {counted}" if missing else first.text
    return Verdict(name, words, count + missing, detail, difference=first)


def first_lost(got: Codes | Held, want: Codes | Held, shared: int) -> int:
    """Return the first element that a full sink has lost, of those that both have; else their number."""
    for lot in lots(shared, _LOOK):
        lost = np.flatnonzero((got[lot] == LOST) | (want[lot] == LOST))
        if len(lost):
            return int(lot.start + lost[0])
    return shared


def _code(codes: Codes | Held, at: int) -> int | None:
    return int(codes[at]) if at < len(codes) and codes[at] >= 0 else None


def _value(codes: Codes | Held, at: int, boundary: Boundary | None) -> int | str | None:
    if at >= len(codes):
        return None
    code = codes[at]
    if code < 0:
        return "unknown bits (X)" if code == UNKNOWN else "more than was recorded"
    return int(code if boundary is None else decode(np.asarray(code, np.int64), boundary))


def ahead(name: str, codes: Codes | Held, frames: int, boundary: Boundary) -> list[Verdict]:
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
    more = len(codes) - frames * size
    if more <= 0:
        return []
    if more >= size:
        return [Verdict(f"ahead of {name}", more, more, "a whole frame more than was sent")]
    tail = codes[frames * size :]
    detail, wrong = "", np.zeros(more, np.bool_)
    for frame in range(frames):
        begins = codes[frame * size : frame * size + more]
        differ = begins != tail
        wrong |= differ
        if differ.any() and not detail:
            at = int(differ.argmax())
            found, wanted = _value(tail, at, boundary), _value(begins, at, boundary)
            detail = (
                f"{more} elements follow the last frame and belong to none: number {at} is {found}, "
                f"and frame {frame} begins with {wanted} there"
            )
    detail = detail or f"{more} elements of the next frame are there already"
    return [Verdict(f"ahead of {name}", more, int(wrong.sum()), detail)]


def split_frames(data: Bytes, keep: Flags, last: Flags) -> list[bytes]:
    """Cut recorded link beats at TLAST into the byte strings that an S2MM channel would store.

    Beats after the final TLAST are a transfer that never completed; they come back as a last element
    that starts with no frame of its own only when they exist.
    """
    ends = [int(end) + 1 for end in np.flatnonzero(last)]
    begins = [0, *ends]
    if begins[-1] < len(data):
        ends.append(len(data))
    return [data[begin:end][keep[begin:end]].tobytes() for begin, end in zip(begins, ends, strict=False)]
