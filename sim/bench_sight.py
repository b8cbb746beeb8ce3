# SPDX-License-Identifier: BSD-3-Clause
"""Resolution of a comparison: bits that never change or are always equal would not show a swap.

Positions with equal words throughout have the same sum of random weights, which is what is compared here: a
stream may have millions of words, and hundreds of bits in each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from bench_held import Codes, Held
from bench_records import Boundary, Words
from bench_verdict import Sight

_AT_ONCE = 1 << 15  # elements
_SUMS = 1 << 18  # words of a frame that are compared at once
_MOST = 1 << 22  # elements of one stream: the rest is not examined


def sight(codes: Codes | Held, boundary: Boundary, port: Words) -> Sight | None:
    """Measure whole frames; None where there are none, or where bits are unknown.

    Args:
        codes: Elements in order.
        boundary: Its description.
        port: What a word is.
    """
    size, bits = boundary.elements, boundary.element_bits
    # External weights are one frame, again and again.
    frames = min(len(codes), size if boundary.carries_weights else max(size, _MOST)) // size
    if not frames or not port.words:
        return None
    per_word = max(1, size // port.words)
    each = max(1, _AT_ONCE // per_word) * per_word
    low, high = codes[0], codes[0]
    for lot in _lots(frames * size, each):
        low, high = min(low, codes[lot].min()), max(high, codes[lot].max())
    if low < 0:
        return None
    random = np.random.default_rng(1)
    still, sums = np.ones(per_word * bits, np.bool_), np.zeros(per_word * bits, np.uint64)
    first = _spread(codes[:per_word][None], bits)
    for lot in _lots(frames * size, each):
        _lanes(codes[lot].reshape(-1, per_word), first[0], still, sums, random)
    words = size // per_word
    by_frame = np.zeros(frames, np.uint64)
    within, over = _weights(random, per_word), _weights(random, frames)
    turns, words_alike = -(-words // _SUMS), 0
    for turn in range(turns):
        by_place = [
            some[some % np.uint64(turns) == turn]
            for some in _by_place(codes, size, each, within, over, by_frame if not turn else None)
        ]
        words_alike += _twins(np.concatenate(by_place))
    return Sight(
        bits=still.size,
        still=int(still.sum()),
        alike=_twins(sums[~still]),
        words=words,
        words_alike=words_alike,
        frames=frames,
        frames_apart=len(np.unique(by_frame)),
        value=int(low) if low == high else None,
    )


def _by_place(
    codes: Codes | Held, size: int, each: int, within: Any, over: Any, by_frame: Any | None
) -> Iterator[Any]:
    """Return the sums of the words of a frame over all frames, some places at a time.

    Args:
        codes: Elements in order.
        size: Elements of a frame.
        each: Elements that are read at once.
        within: Weight of each element of a word.
        over: Weight of each frame.
        by_frame: To these, sums over the places of each frame are added, if given.
    """
    along = np.random.default_rng(2)
    for lot in _lots(size, each):
        weights = _weights(along, (lot.stop - lot.start) // len(within))
        sums = np.zeros(len(weights), np.uint64)
        for frame, weight in enumerate(over):
            words = codes[frame * size + lot.start : frame * size + lot.stop].reshape(-1, len(within))
            values = (words.astype(np.uint64) * within).sum(axis=1, dtype=np.uint64)
            sums += values * weight
            if by_frame is not None:
                by_frame[frame : frame + 1] += (values * weights).sum(dtype=np.uint64)
        yield sums


def _lots(count: int, size: int) -> Iterator[slice]:
    for start in range(0, count, size):
        yield slice(start, min(count, start + size))


def _lanes(words: Codes, first: Any, still: Any, sums: Any, random: np.random.Generator) -> None:
    """Find of each bit of a word whether it has changed since the first one, and add up its values."""
    bits = len(still) // words.shape[1]
    weights = _weights(random, len(words))
    for lane in range(words.shape[1]):
        codes = words[:, lane].astype(np.uint64)
        for bit in range(bits):
            values = (codes >> np.uint64(bit)) & np.uint64(1)
            at = lane * bits + bit
            sums[at : at + 1] += np.dot(values, weights)
            still[at] = still[at] and bool((values == first[at]).all())


def _spread(words: Codes, bits: int) -> Codes:
    return ((words[..., None] >> np.arange(bits)) & 1).reshape(len(words), -1)


def _weights(random: np.random.Generator, count: int) -> Any:
    return random.integers(0, 1 << 63, count, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def _twins(sums: Any) -> int:
    """Return how many have an equal among the others; they are sorted."""
    sums.sort()
    same = sums[1:] == sums[:-1]
    return int(np.count_nonzero(np.append(same, False) | np.append(False, same))) if len(sums) else 0
