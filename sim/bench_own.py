# SPDX-License-Identifier: BSD-3-Clause
"""Frames of the bench's own: whatever the user sends, these tell every bit of a frame from every other.

They follow the first two frames of the user. Frames of one value throughout cross a bus with swapped or
rotated bits unchanged; these do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import bench_compare as bc
import numpy as np
from bench_held import Codes
from bench_records import Boundary

FIRST = 2  # place of the first of them in a run
_MOST = 1 << 62  # numbers that are drawn
_PLANES = 4  # arrays of eight bytes a bit that live at once
_GROUP_BITS = 16  # frames whose bits are compared one by one; elements of a few bits come with more
_ROUNDS, _FACTOR = 4, np.uint64(0x9E3779B97F4A7C15)


def numbers(boundary: Boundary, start: int, stop: int, epoch: int) -> Any:
    """Return the number, in the network, of each frame that a stream of data carries in some epochs."""
    places = np.asarray(boundary.places)
    return (np.arange(start, stop)[:, None] * epoch + places).reshape(-1)


def own_among(frames: Any, own: int, epoch: int = 1) -> Any:
    """Tell of frames, counted since the reset, which are the bench's own: those of so many epochs."""
    return (frames >= FIRST * epoch) & (frames < (FIRST + own) * epoch)


def given_number(frames: Any, own: int, epoch: int = 1) -> Any:
    """Return what number frames have that are not the bench's own, own ones left out."""
    return np.where(frames < FIRST * epoch, frames, frames - own * epoch)


def own_number(frames: Any, own: int, epoch: int = 1) -> Any:
    """Return which of a stream's own frames some are: a replica gets all, and an epoch has different ones."""
    return (frames // epoch - FIRST + frames % epoch) % max(1, own)


def count_own(epochs: int, own: int) -> int:
    """Return how many of the first epochs since the reset are the bench's own."""
    return min(max(epochs - FIRST, 0), own)


def own_codes(boundary: Boundary, count: int, least: int) -> Iterator[tuple[slice, Codes]]:
    """Return the bench's own frames of a stream that the host sends, some elements of all of them at a time.

    Over the first ``least`` frames each element has a number of its own, digit by digit in as many values as
    its type has, if there are enough of these. Where a type has all codes, the frames after them number the
    bits that were alike so far.

    Returns:
        Which elements, and their codes (count, elements).
    """
    random = np.random.default_rng(crc32(boundary.name.encode()))
    bits, size, least = boundary.element_bits, boundary.elements, min(count, least)
    values = 2 if bits == 1 else boundary.high - boundary.low + 1
    order, alike = _Shuffled(size, random), _Alike(least, count - least, random)
    numbered = least > 0 and size <= values**least
    for lot in bc.lots(size, _PLANES * bits):
        codes = np.empty((count, lot.stop - lot.start), bc.code_type(bits))
        first, others = np.split(codes, [least])
        if numbered:
            _number_elements(first, order(np.arange(lot.start, lot.stop)), size, values, boundary, random)
        else:
            _draw(first, values, boundary, random)
        if values == 1 << bits:
            alike.number(first, others, bits)
        else:
            _draw(others, values, boundary, random)
        yield lot, codes


def _as_codes(digits: Codes, boundary: Boundary) -> Codes:
    """Return the codes of values that are counted from the lowest one."""
    low = 0 if boundary.element_bits == 1 else boundary.low
    return (digits + low) & ((1 << boundary.element_bits) - 1)


def _draw(codes: Codes, values: int, boundary: Boundary, random: np.random.Generator) -> None:
    """Fill parts of frames with any values."""
    for frame in codes:
        frame[:] = _as_codes(random.integers(0, min(values, _MOST), len(frame)), boundary)


def _number_elements(
    codes: Codes, order: Any, size: int, values: int, boundary: Boundary, random: np.random.Generator
) -> None:
    """Give each element a number that no other has, a digit in each frame.

    Args:
        codes: Of some elements (frames, elements).
        order: A number of each that no other has, below ``size``.
        size: Elements of a frame.
        values: That a digit has.
        boundary: Of the stream.
        random: Of the numbers.
    """
    span = min(values ** len(codes), _MOST) // size
    number = order.astype(np.int64) * span + random.integers(0, span, len(order))
    for frame in codes:
        number, digits = np.divmod(number, values)
        frame[:] = _as_codes(digits, boundary)


class _Alike:
    """Frames in which those bits differ that have been alike in all frames before."""

    def __init__(self, seen: int, frames: int, random: np.random.Generator) -> None:
        """Begin with the first element, for so many frames behind so many that were seen."""
        groups = 1 << min(seen, _GROUP_BITS)
        self._mask, self._random = groups - 1, random
        # An odd factor and a shift give each group other numbers, and never one twice in a group.
        self._factor = 2 * random.integers(0, 1 << 30, groups) + 1
        self._shift = random.integers(0, 1 << 30, groups)
        self._taken = np.zeros(groups, np.int64)
        self._last = (1 << frames) - 1

    def number(self, seen: Codes, codes: Codes, bits: int) -> None:
        """Fill parts of frames behind the parts that were seen."""
        if not len(codes):
            return
        group = np.zeros(seen.shape[1] * bits, np.int64)
        for at, frame in enumerate(seen):
            group ^= bc.to_bits(frame[None], bits)[0].astype(np.int64) << at % _GROUP_BITS
        order = np.arange(len(group))
        self._random.shuffle(order)
        of = group[order] & self._mask
        place = self._taken[of] + _ranks(of)
        self._taken += np.bincount(of, minlength=len(self._taken))
        numbers = np.empty_like(group)
        numbers[order] = (place * self._factor[of] + self._shift[of]) & self._last
        for at, frame in enumerate(codes):
            frame[:] = bc.from_bits((numbers >> at & 1).astype(np.uint8)[None], bits)[0]


def _ranks(groups: Codes) -> Codes:
    """Return of each entry how many equal ones are before it."""
    order = np.argsort(groups, kind="stable")
    begins = np.flatnonzero(np.diff(groups[order], prepend=-1))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order)) - np.repeat(begins, np.diff(begins, append=len(order)))
    return ranks


class _Shuffled:
    """A permutation of the numbers below a count, computed one by one: a Feistel network, cycle-walking."""

    def __init__(self, count: int, random: np.random.Generator) -> None:
        """Choose an order of so many numbers."""
        self._count, self._half = count, np.uint64(max(1, (count.bit_length() + 1) // 2))
        self._keys = random.integers(0, 1 << 63, _ROUNDS, dtype=np.uint64)

    def __call__(self, numbers: Any) -> Any:
        """Return the numbers in the places of some numbers."""
        found = self._once(numbers.astype(np.uint64))
        while (over := found >= self._count).any():
            found[over] = self._once(found[over])
        return found

    def _once(self, numbers: Any) -> Any:
        half = self._half
        mask = (np.uint64(1) << half) - np.uint64(1)
        left, right = numbers >> half, numbers & mask
        for key in self._keys:
            mixed = (right + key) * _FACTOR
            left, right = right, left ^ (mixed >> np.uint64(40)) & mask
        return left << half | right
