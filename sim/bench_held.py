# SPDX-License-Identifier: BSD-3-Clause
"""Codes of elements in a file: those of a whole run may be many times what fits in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.integer[Any]]
_LOT = 1 << 15  # codes that are read at once


class Held:
    """A sequence of codes that is read where it is looked at; slices are arrays of shape (n,).

    Attributes:
        period: Codes in the file, after which they begin again.
    """

    def __init__(self, path: Path, kind: Any, period: int, count: int, start: int = 0) -> None:
        """Hold so many codes of a file of codes of that type, from ``start`` on."""
        self._path, self._kind, self.period, self._count = path, np.dtype(kind), period, count
        self._start = start

    def __len__(self) -> int:
        """Return how many there are."""
        return self._count

    def __getitem__(self, at: slice | int) -> Any:
        """Read some, or one."""
        if isinstance(at, slice):
            start, stop, _ = at.indices(self._count)
            return self._read(start, max(start, stop))
        return self._read(at, at + 1)[0]

    def _read(self, start: int, stop: int) -> Codes:
        parts: list[Codes] = []
        start, stop = self._start + start, self._start + stop
        while start < stop or not parts:
            within = start % self.period if self.period else 0
            size = min(stop - start, self.period - within)
            parts.append(np.fromfile(self._path, self._kind, size, offset=within * self._kind.itemsize))
            start += max(1, size)
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def first(self, count: int) -> Held:
        """Return the first of them."""
        return Held(self._path, self._kind, self.period, min(count, self._count), self._start)

    def after(self, count: int) -> Held:
        """Return all but the first of them."""
        left = max(0, self._count - count)
        return Held(self._path, self._kind, self.period, left, self._start + count)

    def repeated(self, times: int) -> Held:
        """Return all of them so many times."""
        return Held(self._path, self._kind, self.period, self._count * times, self._start)

    def frames(self, size: int) -> Iterator[Held]:
        """Return frame after frame; what is left makes no frame."""
        for start in range(0, self._count - size + 1, size):
            yield Held(self._path, self._kind, self.period, size, self._start + start)

    def lots(self) -> Iterator[Codes]:
        """Read them part by part."""
        for start, stop in pairwise([*range(0, self._count, _LOT), self._count]):
            yield self._read(start, stop)


def hold(path: Path, kind: Any, parts: Iterable[Codes]) -> Held:
    """Write codes to a file, in the order of the parts."""
    count = 0
    with path.open("wb") as file:
        for part in parts:
            part.astype(kind, copy=False).tofile(file)
            count += part.size
    return Held(path, kind, count, count)
