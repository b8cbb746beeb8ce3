# SPDX-License-Identifier: BSD-3-Clause
"""CRC-32C (RFC 3720) by libshellgen_host, or by numpy: all words at once, then halves joined pair by pair.

The CRC of two halves is that of the first, moved by the length of the second, and that of the second. Moving
by a fixed length is linear, so it is two look-ups, one for each half of it.
"""

from __future__ import annotations

import sys
from functools import cache

import numpy as np
import numpy.typing as npt

from shellgen_host.native_library import library

_POLYNOMIAL = 0x82F63B78  # lowest bit first
_Tables = npt.NDArray[np.uint32]
Bytes = bytes | bytearray | memoryview | npt.NDArray[np.uint8]


def _byte_table() -> npt.NDArray[np.uint32]:
    values = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        values = (values >> np.uint32(1)) ^ np.where(values & 1, np.uint32(_POLYNOMIAL), np.uint32(0))
    return values


_BYTE = _byte_table()
_INTS = [int(value) for value in _BYTE]
_LOW = 0 if sys.byteorder == "little" else 1
_SHORT = 256  # bytes, up to which a loop is faster


def _apply(tables: _Tables, values: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    parts = values.view(np.uint16).reshape(-1, 2)
    low: npt.NDArray[np.uint32] = tables[0].take(parts[:, _LOW], mode="clip")
    low ^= tables[1].take(parts[:, 1 - _LOW], mode="clip")
    return low


@cache
def _moved(level: int) -> _Tables:
    """Return the tables that move a CRC by 4 * 2**level bytes of zeros, for its lower and upper half."""
    if level:
        half = _moved(level - 1)
        return np.stack([_apply(half, half[part]) for part in range(2)])
    places = np.arange(1 << 16, dtype=np.uint32)
    found = []
    for part in range(2):
        values = places << np.uint32(16 * part)
        for _ in range(4):
            values = (values >> np.uint32(8)) ^ _BYTE[values & np.uint32(255)]
        found.append(values)
    return np.stack(found)


def crc32c(data: Bytes) -> int:
    """Return the CRC-32C of bytes."""
    raw = np.frombuffer(data, np.uint8)
    if found := library():
        return int(found.shellgen_crc32c(0, raw.__array_interface__["data"][0], len(raw)))
    if len(raw) < _SHORT:
        state = 0xFFFFFFFF
        for value in raw.tolist():
            state = (state >> 8) ^ _INTS[(state ^ value) & 255]
        return state ^ 0xFFFFFFFF
    # Zeros before the first byte change nothing once the initial value is in the bytes themselves.
    levels = max(0, (-(-len(raw) // 4) - 1).bit_length())
    padded = np.zeros(4 << levels, np.uint8)
    padded[-len(raw) :] = raw
    padded[-len(raw) : len(padded) - len(raw) + 4] ^= np.uint8(255)
    words = _apply(_moved(0), padded.view("<u4").astype(np.uint32))
    for level in range(levels):
        pairs = words.reshape(-1, 2)
        words = _apply(_moved(level), np.ascontiguousarray(pairs[:, 0])) ^ pairs[:, 1]
    return int(words[0]) ^ 0xFFFFFFFF
