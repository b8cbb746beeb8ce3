# SPDX-License-Identifier: BSD-3-Clause
"""Frames as arrays of values, and as the bytes that cross a boundary.

A frame is one little-endian bit string: its elements follow one another, the first lowest, each as wide as
its type; a word of several elements may be filled up, as the memory map's ``layout`` says. BIPOLAR -1 and +1
are the bits 0 and 1, other negative values are two's complement.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from shellgen_host.errors import InputError

MOST_BITS = 63  # of an element, which has to fit a number of numpy's


@dataclass(frozen=True)
class Layout:
    """Packing of the frames of one boundary.

    Attributes:
        name: Of the boundary, for messages.
        datatype: QONNX element type.
        shape: Of a frame, as the tensor has it.
        elements: Of a frame.
        bits: Of an element.
        signed: Two's complement.
        low: Smallest value.
        high: Largest value.
        per_word: Elements of a word.
        word_bits: Bits of a word.
        frame_bytes: Bytes of a frame.
    """

    name: str
    datatype: str
    shape: tuple[int, ...]
    elements: int
    bits: int
    signed: bool
    low: int
    high: int
    per_word: int
    word_bits: int
    frame_bytes: int

    @classmethod
    def of(cls, stream: Mapping[str, Any]) -> Layout:
        """Read it from a stream of the memory map."""
        found = stream["layout"]
        names = ("datatype", "elements", "bits", "signed", "low", "high", "per_word", "word_bits")
        values = {name: found[name] for name in names}
        if values["bits"] > MOST_BITS:
            text = f"stream {stream['boundary']}: elements of {values['bits']} bits; {MOST_BITS} at most"
            raise InputError(text)
        return cls(
            stream["boundary"], shape=tuple(found["shape"]), frame_bytes=stream["frame_bytes"], **values
        )

    def same_bytes(self, other: Layout) -> bool:
        """Return whether a frame is the same bytes as one of the other layout.

        Without padding between words, it does not matter how many elements a word has.
        """
        return self._any_words() == other._any_words()

    def _any_words(self) -> Layout:
        if self.word_bits != self.bits * self.per_word:
            return replace(self, name="")
        return replace(self, name="", per_word=1, word_bits=self.bits)

    @property
    def inner_shape(self) -> tuple[int, ...]:
        """Shape of a frame without the batch dimension that FINN's tensors begin with."""
        return self.shape[1:] if self.shape and self.shape[0] == 1 else self.shape

    @property
    def _bipolar(self) -> bool:
        return self.bits == 1 and self.low == -1

    @property
    def _store(self) -> np.dtype[Any]:
        return np.dtype(f"<u{next(size for size in (1, 2, 4, 8) if 8 * size >= self.bits)}")

    @property
    def given_shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes that integers of a frame may have: without a batch dimension, with FINN's, and flat."""
        return self.inner_shape, self.shape, (self.elements,)

    def frames(self, values: npt.ArrayLike, first: int = 0) -> npt.NDArray[np.int64]:
        """Return frames as integers (frames, elements).

        Args:
            values: (frames, *shape of a frame) or (frames, elements): integers, or floats without fraction.
            first: Number of the first frame, for messages.

        Raises:
            InputError: Another shape, or a value that the element type has not.
        """
        array = np.asarray(values)
        inside = [size for size in array.shape[1:] if size != 1]
        wanted = [size for size in self.shape if size != 1]
        if (
            array.dtype.kind not in "biuf"
            or not array.ndim
            or inside
            not in (
                wanted,
                [self.elements][: self.elements > 1],
            )
        ):
            shape = ", ".join(str(size) for size in self.inner_shape)
            found = f"{self.name}: its array is {array.dtype} {array.shape}"
            raise InputError(f"{found}; give numbers of shape (frames, {shape})")
        flat = array.reshape(len(array), math.prod(array.shape[1:]))
        with np.errstate(invalid="ignore"):  # what is no number is found below
            whole = flat.astype(np.int64)
        wrong = (whole != flat) | (whole < self.low) | (whole > self.high)
        if self._bipolar:
            wrong |= whole == 0
        if wrong.any():
            frame, at = (int(i) for i in np.argwhere(wrong)[0])
            what = "is -1 or 1" if self._bipolar else f"holds whole numbers from {self.low} to {self.high}"
            place = f"{self.name}: frame {first + frame}, element {at}"
            text = f"{place} is {flat[frame, at]}; {self.datatype} {what}"
            raise InputError(text)
        return whole

    def pack(self, whole: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Return the bytes (frames, frame_bytes) of integers (frames, elements), as `frames` returns them."""
        codes = (whole + 1) // 2 if self._bipolar else whole & ((1 << self.bits) - 1)
        count, words = len(codes), self.elements // self.per_word
        if not count:
            return np.zeros((0, self.frame_bytes), np.uint8)
        raw = codes.astype(self._store).view(np.uint8).reshape(count, self.elements, -1)
        bits = np.unpackbits(raw, axis=2, bitorder="little")[..., : self.bits]
        filled = np.zeros((count, words, self.word_bits), np.uint8)
        filled[..., : self.per_word * self.bits] = bits.reshape(count, words, -1)
        packed = np.packbits(filled.reshape(count, -1), axis=1, bitorder="little")
        return np.pad(packed, ((0, 0), (0, self.frame_bytes - packed.shape[1])))

    def unpack(self, data: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
        """Return the values (frames, *shape of a frame) of bytes (frames, frame_bytes)."""
        count, words = len(data), self.elements // self.per_word
        bits = np.unpackbits(data, axis=1, bitorder="little")[:, : words * self.word_bits]
        payload = bits.reshape(count, words, self.word_bits)[..., : self.per_word * self.bits]
        padded = np.zeros((count, self.elements, 8 * self._store.itemsize), np.uint8)
        padded[..., : self.bits] = payload.reshape(count, self.elements, self.bits)
        codes = np.packbits(padded, axis=2, bitorder="little").view(self._store)[..., 0].astype(np.int64)
        if self._bipolar:
            codes = 2 * codes - 1
        elif self.signed:
            codes -= (codes >> (self.bits - 1) & 1) << self.bits
        return codes.reshape(count, *self.inner_shape)

    def random(self, count: int, seed: int = 1) -> npt.NDArray[np.int64]:
        """Return random frames (frames, elements)."""
        found = np.random.default_rng(seed).integers(
            self.low, self.high, (count, self.elements), endpoint=True
        )
        return np.where(found == 0, 1, found) if self._bipolar else found
