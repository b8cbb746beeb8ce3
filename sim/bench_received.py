# SPDX-License-Identifier: BSD-3-Clause
"""Transfers that an S2MM channel of a host has stored, from the recording of its beats."""

from __future__ import annotations

from collections.abc import Iterator

import bench_compare as bc
import numpy as np
from bench_beats import Beats, Recording
from bench_held import Codes
from bench_records import Boundary


class Transfers:
    """Transfers of one stream, each cut or filled up to a frame.

    Attributes:
        ended: Those that TLAST has ended.
        odd: Bytes of the first of these that is not as long as a frame; None if there is none.
        begun: Bytes of the one that has begun; 0 if there is none.
    """

    def __init__(self, boundary: Boundary) -> None:
        """Begin with the first transfer."""
        self.ended, self.begun = 0, 0
        self.odd: int | None = None
        self._boundary = boundary
        self._frame = np.zeros(boundary.frame_bytes, np.uint8)
        self._marks = np.zeros(boundary.frame_bytes, np.uint8)

    def codes(self, recording: Recording) -> Iterator[Codes]:
        """Return the elements frame by frame; of one that has begun, the words that are there in full."""
        boundary = self._boundary
        for beats in recording.lots():
            start = 0
            for end in np.flatnonzero(beats.last) + 1:
                self._add(beats, start, int(end))
                yield self._elements()
                self._end()
                start = int(end)
            self._add(beats, start, len(beats.last))
        words = 8 * min(self.begun, boundary.frame_bytes) // boundary.wire_word_bits
        yield self._elements()[: min(words * boundary.elements_per_word, boundary.elements)]

    def _add(self, beats: Beats, start: int, end: int) -> None:
        kept = beats.keep[start:end]
        data = beats.data[start:end]
        data = data.reshape(-1) if beats.full else data[kept]
        room = slice(self.begun, self.begun + len(data))
        some = self._frame[room]
        some[:] = data[: len(some)]
        unknown = beats.unknown[start:end]
        if unknown.any():
            self._marks[room] = np.repeat(unknown, kept.sum(axis=1))[: len(some)] * np.uint8(0xFF)
        self.begun += len(data)

    def _elements(self) -> Codes:
        codes: Codes = bc.from_wire(self._frame[None], self._boundary)[0]
        if self._marks.any():
            codes = bc.with_marks(codes)
            codes[bc.from_wire(self._marks[None], self._boundary)[0] != 0] = bc.UNKNOWN
        return codes

    def _end(self) -> None:
        if self.begun != self._boundary.frame_bytes and self.odd is None:
            self.odd = self.begun
        self.ended += 1
        self.begun = 0
        self._frame[:] = 0
        self._marks[:] = 0
