# SPDX-License-Identifier: BSD-3-Clause
"""Buddy allocation of naturally aligned power-of-two windows around occupied ranges."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence

Block = tuple[int, int]  # first byte, log2 of the size


def allocate(sizes_log2: Sequence[int], taken: Sequence[tuple[int, int]] = ()) -> list[int]:
    """Place naturally aligned windows of ``2**size`` bytes without overlap, as low as possible.

    Largest first: a window never splits a block that a larger one needs later, so if any placement ends
    below some limit, this one does too. Windows of one size keep their order.

    Args:
        sizes_log2: log2 of the bytes of each window.
        taken: Ranges (first byte, bytes) that no window may touch, of any size and alignment.

    Returns:
        The offset of each window, in the order of ``sizes_log2``.

    Source: docs/design-core.md, control plane.
    """
    offsets = [0] * len(sizes_log2)
    free, top = _gaps(taken)
    for index in sorted(range(len(sizes_log2)), key=lambda i: -sizes_log2[i]):
        size = sizes_log2[index]
        at = next((i for i, (_, have) in enumerate(free) if have >= size), None)
        if at is None:
            # Behind all blocks: gaps from alignment stay free.
            aligned = -(-top >> size) << size
            free.extend(_blocks(top, aligned))
            offset, have = aligned, size
            top = aligned + (1 << size)
        else:
            offset, have = free.pop(at)
        while have > size:
            have -= 1
            insort(free, (offset + (1 << have), have))
        offsets[index] = offset
    return offsets


def _gaps(taken: Sequence[tuple[int, int]]) -> tuple[list[Block], int]:
    """Return the free blocks between the ranges, ascending, and the start of the unlimited free space."""
    free: list[Block] = []
    top = 0
    for first, size in sorted(taken):
        free.extend(_blocks(top, first))
        top = max(top, first + size)
    return free, top


def _blocks(first: int, end: int) -> Iterator[Block]:
    """Cut a range into the fewest naturally aligned blocks, ascending."""
    while first < end:
        size = (end - first).bit_length() - 1
        if first:
            size = min(size, (first & -first).bit_length() - 1)
        yield first, size
        first += 1 << size
