# SPDX-License-Identifier: BSD-3-Clause
"""What crossed a boundary, against what should have: numpy on whole recordings, no simulator.

An element is held as its code: the unsigned number that its bits spell. Frames are arrays of codes of
shape (frames, elements).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Verdict:
    """One comparison.

    Attributes:
        name: What was compared.
        words: Words (or beats) that crossed.
        mismatches: Elements that differ, are missing or are too many.
        detail: The first difference, or an empty string.
        missing: Elements that had not crossed when the run was ended early, which nothing was compared with.
    """

    name: str
    words: int
    mismatches: int
    detail: str = ""
    missing: int = 0

    @property
    def passed(self) -> bool:
        """True when something was compared, all of it, and nothing differed."""
        return self.words > 0 and self.mismatches == 0 and self.missing == 0

    def record(self) -> dict[str, Any]:
        """Return plain data for the report."""
        return asdict(self) | {"passed": self.passed}


def encode(values: NDArray[Any], boundary: dict[str, Any]) -> Codes:
    """Turn element values into codes (BIPOLAR -1/+1 is stored as 0/1, others as two's complement)."""
    whole = values.astype(np.int64)
    if boundary["element_bits"] == 1 and boundary["low"] == -1:
        return (whole + 1) // 2
    return whole & ((1 << boundary["element_bits"]) - 1)


def decode(codes: Codes, boundary: dict[str, Any]) -> Codes:
    """Turn codes into element values."""
    bits = boundary["element_bits"]
    if bits == 1 and boundary["low"] == -1:
        return 2 * codes - 1
    return np.where(codes >> (bits - 1) & 1, codes - (1 << bits), codes) if boundary["signed"] else codes


def to_bits(codes: Codes, element_bits: int) -> Bytes:
    """Spread codes (frames, elements) into bits (frames, elements * element_bits), low bit first."""
    spread = (codes[..., None] >> np.arange(element_bits)) & 1
    return spread.reshape(codes.shape[0], -1).astype(np.uint8)


def from_bits(bits: Bytes, element_bits: int) -> Codes:
    """Gather bits (frames, n * element_bits) into codes (frames, n)."""
    split = bits.reshape(bits.shape[0], -1, element_bits).astype(np.int64)
    return split @ (1 << np.arange(element_bits, dtype=np.int64))


def wire_bytes(codes: Codes, boundary: dict[str, Any]) -> Bytes:
    """Return the frames as the host sends them, shape (frames, frame_bytes): dense, or padded words."""
    width = boundary["wire_word_bits"]
    return np.packbits(_padded_words(codes, boundary, width), axis=1, bitorder="little")


def from_wire(frames: Bytes, boundary: dict[str, Any]) -> Codes:
    """Undo `wire_bytes`."""
    bits = np.unpackbits(frames, axis=1, bitorder="little")
    width, per_word = boundary["wire_word_bits"], boundary["elements_per_word"]
    words = boundary["elements"] // per_word
    payload = bits[:, : words * width].reshape(len(frames), words, width)
    payload = payload[..., : per_word * boundary["element_bits"]]
    return from_bits(payload.reshape(len(frames), -1), boundary["element_bits"])


def _padded_words(codes: Codes, boundary: dict[str, Any], width: int) -> Bytes:
    payload = boundary["elements_per_word"] * boundary["element_bits"]
    bits = to_bits(codes, boundary["element_bits"]).reshape(len(codes), -1, payload)
    padded = np.zeros((*bits.shape[:2], width), np.uint8)
    padded[..., :payload] = bits
    return padded.reshape(len(codes), -1)


def port_words(codes: Codes, boundary: dict[str, Any], port: dict[str, Any]) -> Bytes:
    """Return stream words at a partition's pins, shape (frames, words * bytes of TDATA)."""
    bits = to_bits(codes, boundary["element_bits"]).reshape(len(codes), port["words"], port["word_bits"])
    padded = np.zeros((*bits.shape[:2], port["bits"]), np.uint8)
    padded[..., : port["word_bits"]] = bits
    return np.packbits(padded.reshape(len(codes), -1), axis=1, bitorder="little")


def codes_at_port(data: Bytes, boundary: dict[str, Any], port: dict[str, Any]) -> Codes:
    """Return all elements that crossed a partition's pins, in order, shape (n,).

    Args:
        data: Recorded words, shape (words, bytes of TDATA).
    """
    bits = np.unpackbits(data, axis=1, bitorder="little")[:, : port["word_bits"]]
    return from_bits(bits.reshape(1, -1), boundary["element_bits"])[0]


def compare(
    name: str, words: int, got: Codes, want: Codes, boundary: dict[str, Any] | None = None
) -> Verdict:
    """Compare two sequences of elements, shape (n,); a difference in length counts as mismatches.

    Args:
        name: Of the verdict.
        words: Words that crossed.
        got: Codes.
        want: Codes.
        boundary: Lets the first difference be told by frame, place and value; else by index and code.
    """
    shared = min(len(got), len(want))
    differ = np.flatnonzero(got[:shared] != want[:shared])
    missing = abs(len(got) - len(want))
    detail = ""
    if len(differ):
        at = int(differ[0])
        found, wanted = (_value(codes[at], boundary) for codes in (got, want))
        detail = f"{_place(at, boundary)}: got {found}, expected {wanted}"
    elif missing:
        detail = f"{len(got)} elements instead of {len(want)}"
    return Verdict(name, words, len(differ) + missing, detail)


def _place(at: int, boundary: dict[str, Any] | None) -> str:
    """Say which element of which frame; frames count from 0, and dimensions of one are left out."""
    if boundary is None:
        return f"element {at}"
    frame, inside = divmod(at, boundary["elements"])
    shape = [size for size in boundary["shape"] if size > 1] or [1]
    index = ", ".join(str(int(i)) for i in np.unravel_index(inside, shape))
    return f"frame {frame}, element [{index}]"


def _value(code: Any, boundary: dict[str, Any] | None) -> str:
    if code < 0:
        return "more than was recorded"
    return str(int(code if boundary is None else decode(code, boundary)))


def ahead(name: str, codes: Codes, frames: int, boundary: dict[str, Any]) -> list[Verdict]:
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
    size = boundary["elements"]
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
        found, wanted = _value(tail[at], boundary), _value(begins[frame, at], boundary)
        detail = (
            f"{len(tail)} elements follow the last frame and belong to none: number {at} is {found}, "
            f"and frame {frame} begins with {wanted} there"
        )
    return [Verdict(f"ahead of {name}", len(tail), int(differ.any(axis=0).sum()), detail)]


def split_frames(data: Bytes, keep: Bytes, last: Bytes) -> list[bytes]:
    """Cut recorded link beats at TLAST into the byte strings that an S2MM channel would store.

    Beats after the final TLAST are a transfer that never completed; they come back as a last element
    that starts with no frame of its own only when they exist.
    """
    frames, current = [], bytearray()
    for row, mask, end in zip(data, keep, last, strict=True):
        current += bytes(row[mask.astype(bool)])
        if end:
            frames.append(bytes(current))
            current = bytearray()
    if current:
        frames.append(bytes(current))
    return frames
