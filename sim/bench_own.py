# SPDX-License-Identifier: BSD-3-Clause
"""Frames of the bench's own: whatever the user sends, these tell every bit of a frame from every other.

They follow the first two frames of the user. Frames of one value throughout cross a bus with swapped or
rotated bits unchanged; these do not.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import bench_compare as bc
import numpy as np
from bench_held import Codes
from bench_records import Boundary

FIRST = 2  # place of the first of them in a run
_MOST = 1 << 62  # numbers that are drawn
_WORD = 64  # bits of a number while it is computed with


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


def own_codes(boundary: Boundary, count: int, least: int) -> Codes:
    """Return the bench's own frames of a stream that the host sends, as codes (count, elements).

    Over the first ``least`` frames each element has a number of its own, digit by digit in as many values as
    its type has, if there are enough of these. Where a type has all codes, the frames after them number the
    bits that were alike so far.
    """
    random = np.random.default_rng(crc32(boundary.name.encode()))
    bits, size = boundary.element_bits, boundary.elements
    values = 2 if bits == 1 else boundary.high - boundary.low + 1
    codes = np.empty((count, size), bc.code_type(bits))
    first, others = np.split(codes, [least])
    if len(first) and size <= values ** len(first):
        _number_elements(first, values, boundary, random)
    else:
        _draw(first, values, boundary, random)
    if values == 1 << bits:
        _number_bits(first, others, bits, random)
    else:
        _draw(others, values, boundary, random)
    return codes


def _as_codes(digits: Codes, boundary: Boundary) -> Codes:
    """Return the codes of values that are counted from the lowest one."""
    low = 0 if boundary.element_bits == 1 else boundary.low
    return (digits + low) & ((1 << boundary.element_bits) - 1)


def _draw(codes: Codes, values: int, boundary: Boundary, random: np.random.Generator) -> None:
    """Fill frames with any values."""
    flat = codes.reshape(-1)
    for lot in bc.lots(len(flat), _WORD):
        digits = random.integers(0, min(values, _MOST), lot.stop - lot.start)
        flat[lot] = _as_codes(digits, boundary)


def _number_elements(codes: Codes, values: int, boundary: Boundary, random: np.random.Generator) -> None:
    """Give each element a number that no other has, a digit in each frame."""
    frames, size = codes.shape
    order = _shuffled(size, random)
    span = min(values**frames, _MOST) // size
    for lot in bc.lots(size, _WORD):
        number = order[lot].astype(np.int64) * span + random.integers(0, span, lot.stop - lot.start)
        for frame in codes:
            number, digits = np.divmod(number, values)
            frame[lot] = _as_codes(digits, boundary)


def _number_bits(seen: Codes, codes: Codes, bits: int, random: np.random.Generator) -> None:
    """Fill frames in which those bits differ that have been alike in all frames seen."""
    frames, size = codes.shape
    if not frames:
        return
    group = _alike(seen, bits)
    groups = np.unique(np.concatenate([np.unique(group[lot]) for lot in bc.lots(len(group), _WORD)]))
    # An odd factor and a shift give each group other numbers, and never one twice in a group.
    order = _shuffled(len(group), random)
    factor = 2 * random.integers(0, 1 << 30, len(groups)) + 1
    shift = random.integers(0, 1 << 30, len(groups))
    taken = np.zeros(len(groups), np.int64)
    numbers = np.empty(len(group), bc.code_type(frames))
    for lot in bc.lots(len(order), _WORD):
        of = np.searchsorted(groups, group[order[lot]])
        place = taken[of] + _ranks(of)
        np.add.at(taken, of, 1)
        numbers[order[lot]] = (place * factor[of] + shift[of]) & ((1 << frames) - 1)
    for lot in bc.lots(size, bits):
        some = numbers[lot.start * bits : lot.stop * bits]
        for at, frame in enumerate(codes):
            frame[lot] = bc.from_bits((some >> at & 1).astype(np.uint8)[None], bits)[0]


def _alike(seen: Codes, bits: int) -> Codes:
    """Return a number for each bit of a frame, the same for those that were alike in all frames seen."""
    group = np.zeros(seen.shape[1] * bits, bc.code_type(len(seen)))
    for lot in bc.lots(seen.shape[1], bits):
        some = group[lot.start * bits : lot.stop * bits]
        for at, frame in enumerate(seen):
            some |= bc.to_bits(frame[None, lot], bits)[0].astype(group.dtype) << at
    return group


def _ranks(groups: Codes) -> Codes:
    """Return of each entry how many equal ones are before it."""
    order = np.argsort(groups, kind="stable")
    begins = np.flatnonzero(np.diff(groups[order], prepend=-1))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order)) - np.repeat(begins, np.diff(begins, append=len(order)))
    return ranks


def _shuffled(count: int, random: np.random.Generator) -> Codes:
    order = np.arange(count, dtype=np.uint32)
    random.shuffle(order)
    return order
