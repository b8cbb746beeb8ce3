# SPDX-License-Identifier: BSD-3-Clause
"""What words that were compared can tell apart: bits that never change or are always alike show no exchange.

Words that are alike throughout have the same sum of random weights, which is what is compared here: a
stream may have millions of words, and hundreds of bits in each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from bench_records import Boundary, Words
from bench_verdict import Sight
from numpy.typing import NDArray

Codes = NDArray[np.int64]
_AT_ONCE = 1 << 16  # words
_MOST = 1 << 22  # elements of one stream: what more could be told apart is not looked at


def sight(codes: Codes, boundary: Boundary, port: Words) -> Sight | None:
    """Measure whole frames; None where there are none, or where bits are unknown.

    Args:
        codes: Elements in order, shape (n,).
        boundary: Its description.
        port: What a word is.
    """
    size, bits = boundary.elements, boundary.element_bits
    # External weights are one frame, again and again.
    frames = min(len(codes), size if boundary.role == "weights" else max(size, _MOST)) // size
    if not frames or not port.words:
        return None
    whole = codes[: frames * size]
    if whole.min() < 0:
        return None
    per_word = max(1, size // port.words)
    random = np.random.default_rng(1)
    still, sums = _lanes(whole.reshape(-1, per_word), bits, random)
    by_place, by_frame = _words(whole.reshape(frames, -1, per_word), random)
    low = int(whole.min())
    return Sight(
        bits=still.size,
        still=int(still.sum()),
        alike=_twins(sums[~still]),
        words=len(by_place),
        words_alike=_twins(by_place),
        frames=frames,
        frames_apart=len(np.unique(by_frame)),
        value=low if low == int(whole.max()) else None,
    )


def _lanes(words: Codes, bits: int, random: np.random.Generator) -> tuple[Any, Any]:
    """Return of each bit of a word whether it never changes, and a sum of its values."""
    lanes = words.shape[1] * bits
    sums = np.zeros(lanes, np.uint64)
    still = np.ones(lanes, np.bool_)
    first = _spread(words[:1], bits)
    for start in range(0, len(words), _AT_ONCE):
        part = words[start : start + _AT_ONCE]
        weights = _weights(random, len(part))
        for lane in range(words.shape[1]):
            for bit in range(bits):
                values = (part[:, lane] >> bit) & 1
                at = lane * bits + bit
                sums[at : at + 1] += (values.astype(np.uint64) * weights).sum(dtype=np.uint64)
                still[at] &= bool((values == first[0, at]).all())
    return still, sums


def _words(whole: Codes, random: np.random.Generator) -> tuple[Any, Any]:
    """Return sums of the words at each place of a frame, and of the words of each frame."""
    frames, words, per_word = whole.shape
    within, over, along = (_weights(random, count) for count in (per_word, frames, words))
    by_place, by_frame = np.zeros(words, np.uint64), np.zeros(frames, np.uint64)
    size = max(1, _AT_ONCE // per_word)
    for at, frame in enumerate(whole):
        for start in range(0, words, size):
            lot = slice(start, start + size)
            values = (frame[lot].astype(np.uint64) * within).sum(axis=1, dtype=np.uint64)
            by_place[lot] += values * over[at]
            by_frame[at : at + 1] += (values * along[lot]).sum(dtype=np.uint64)
    return by_place, by_frame


def _spread(words: Codes, bits: int) -> Codes:
    return ((words[..., None] >> np.arange(bits)) & 1).reshape(len(words), -1)


def _weights(random: np.random.Generator, count: int) -> Any:
    return random.integers(0, 1 << 63, count, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def _twins(sums: Any) -> int:
    """Return how many have an equal among the others."""
    _, counts = np.unique(sums, return_counts=True)
    return int(counts[counts > 1].sum())
