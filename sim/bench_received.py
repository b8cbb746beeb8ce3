# SPDX-License-Identifier: BSD-3-Clause
"""Transfers that an S2MM channel of a host has stored, from the recording of its beats."""

from __future__ import annotations

from collections.abc import Iterator

import bench_compare as bc
import numpy as np
from bench_beats import Beats, Bytes, Recording
from bench_held import Codes
from bench_records import Boundary

_LOT = 1 << 16  # bytes that are turned into elements at once


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
        self._all = boundary.elements // boundary.elements_per_word  # words of a frame
        self._words = 0  # of the one that has begun, whose elements were returned
        self._bytes, self._marks = np.zeros((2, 0), np.uint8)  # of the words after them; those with x

    def codes(self, recording: Recording) -> Iterator[Codes]:
        """Return the elements part by part; of one that has begun, the words that are there in full."""
        boundary = self._boundary
        for beats in recording.lots():
            start = 0
            for end in np.flatnonzero(beats.last) + 1:
                yield from self._add(beats, start, int(end))
                yield from self._end()
                start = int(end)
            yield from self._add(beats, start, len(beats.last))
        words = 8 * min(self.begun, boundary.frame_bytes) // boundary.wire_word_bits
        yield self._take(min(words, self._all) - self._words)

    def _add(self, beats: Beats, start: int, end: int) -> Iterator[Codes]:
        kept = beats.keep[start:end]
        data = beats.data[start:end]
        data = data.reshape(-1) if beats.full else data[kept]
        unknown = beats.unknown[start:end]
        marks = np.broadcast_to(np.False_, len(data))
        if unknown.any():
            marks = np.repeat(unknown, kept.sum(axis=1))
        room = max(0, self._boundary.frame_bytes - self.begun)
        self.begun += len(data)
        for at in range(0, min(room, len(data)), _LOT):
            some = slice(at, min(room, at + _LOT))
            yield from self._more(data[some], marks[some] * np.uint8(0xFF))

    def _more(self, data: Bytes, marks: Bytes) -> Iterator[Codes]:
        """Add bytes of the frame, and return elements when there are many."""
        self._bytes = np.concatenate([self._bytes, data])
        self._marks = np.concatenate([self._marks, marks])
        if len(self._bytes) >= _LOT:
            # As many bytes as a word has bits hold eight words.
            words = len(self._bytes) // self._boundary.wire_word_bits * 8
            yield self._take(min(words, self._all - self._words))

    def _take(self, words: int) -> Codes:
        """Return the elements of the words that are next; less than eight only at the end of a frame."""
        size = -(-words * self._boundary.wire_word_bits // 8)
        codes = bc.wire_words(self._bytes[:size], words, self._boundary)
        if self._marks[:size].any():
            codes = bc.with_marks(codes)
            codes[bc.wire_words(self._marks[:size], words, self._boundary) != 0] = bc.UNKNOWN
        self._bytes, self._marks = self._bytes[size:], self._marks[size:]
        self._words += words
        return codes

    def _end(self) -> Iterator[Codes]:
        boundary = self._boundary
        missing = boundary.frame_bytes - min(self.begun, boundary.frame_bytes)
        if self.begun != boundary.frame_bytes and self.odd is None:
            self.odd = self.begun
        for at in range(0, missing, _LOT):
            zeros = np.zeros(min(_LOT, missing - at), np.uint8)
            yield from self._more(zeros, zeros)
        yield self._take(self._all - self._words)
        self.ended += 1
        self.begun, self._words = 0, 0
        self._bytes, self._marks = np.zeros((2, 0), np.uint8)
