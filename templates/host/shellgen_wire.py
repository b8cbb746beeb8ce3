# SPDX-License-Identifier: BSD-3-Clause
"""Frames as ``.npy`` holds them, and as the bytes that cross a stream. Needs numpy 1.17; Python 3.8 or
later.

A frame is one little-endian bit string: its elements follow one another, the first lowest, each as wide as
its type; a word of several elements may be filled up, as the map's ``layout`` says. BIPOLAR -1 and +1 are
the bits 0 and 1, other negative values are two's complement.

Source: docs/finn-builds.md of shellgen (words of a stream).
"""

import warnings

import numpy as np
from shellgen_bus import HostError, open_file

MOST_BITS = 63  # of an element, which has to fit a number of numpy's


class Layout:
    """Packing of the frames of one stream; ``layout`` and ``frame_bytes`` of a stream in the map."""

    def __init__(self, stream):
        found = stream["layout"]
        self.frame_bytes = stream["frame_bytes"]
        self.datatype = found["datatype"]
        self.shape = tuple(found["shape"])
        self.elements = found["elements"]
        self._bits, self._low, self._high = found["bits"], found["low"], found["high"]
        self._signed, self._bipolar = found["signed"], found["bits"] == 1 and found["low"] == -1
        self._per_word, self._word_bits = found["per_word"], found["word_bits"]
        if self._bits > MOST_BITS:
            raise HostError(
                f"stream {stream['boundary']}: elements of {self._bits} bits; {MOST_BITS} at most"
            )
        self._store = np.dtype(f"<u{next(size for size in (1, 2, 4, 8) if 8 * size >= self._bits)}")

    def read(self, path):
        """Return the frames in a ``.npy`` as values (frames, elements), checked but for their values."""
        try:
            open_file(path).close()
            with warnings.catch_warnings():  # of old files, which are read all the same
                warnings.simplefilter("ignore")
                array = np.load(path, mmap_mode="r", allow_pickle=False)
        except HostError:
            raise
        except OSError as error:
            raise HostError(f"{path}: {error.strerror or error}") from None
        except Exception as error:  # a spoilt header ends numpy's parser in many ways
            raise HostError(f"{path}: it is no .npy of numbers: {error}") from None
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf":
            raise HostError(f"{path}: it holds no numbers that can be sent")
        wanted = [size for size in self.shape if size != 1]
        inside = [size for size in array.shape[1:] if size != 1]
        if not array.ndim or not len(array) or inside not in (wanted, [self.elements][: self.elements > 1]):
            shape = ", ".join(str(size) for size in self.shape)
            raise HostError(f"{path}: its shape is {array.shape}; frames are (number, {shape})")
        return array.reshape(len(array), -1)

    def encode(self, values, where):
        """Return the bytes (frames, frame_bytes) of values (frames, elements), all of which must fit."""
        with np.errstate(invalid="ignore"):  # what is no number is found below
            whole = np.asarray(values).astype(np.int64)
        wrong = (whole != values) | (whole < self._low) | (whole > self._high)
        if self._bipolar:
            wrong |= whole == 0
        if wrong.any():
            frame, at = (int(i) for i in np.argwhere(wrong)[0])
            what = "is -1 or 1" if self._bipolar else f"goes from {self._low} to {self._high}"
            raise HostError(
                f"{where}: frame {frame}, element {at} is {values[frame, at]}; {self.datatype} {what}"
            )
        codes = (whole + 1) // 2 if self._bipolar else whole & ((1 << self._bits) - 1)
        frames, words = len(codes), self.elements // self._per_word
        raw = codes.astype(self._store).view(np.uint8).reshape(frames, self.elements, -1)
        bits = np.unpackbits(raw, axis=2, bitorder="little")[..., : self._bits]
        filled = np.zeros((frames, words, self._word_bits), np.uint8)
        filled[..., : self._per_word * self._bits] = bits.reshape(frames, words, -1)
        packed = np.packbits(filled.reshape(frames, -1), axis=1, bitorder="little")
        return np.pad(packed, ((0, 0), (0, self.frame_bytes - packed.shape[1])))

    def decode(self, data):
        """Return the values (frames, elements) of bytes (frames, frame_bytes)."""
        frames, words = len(data), self.elements // self._per_word
        bits = np.unpackbits(data, axis=1, bitorder="little")[:, : words * self._word_bits]
        payload = bits.reshape(frames, words, -1)[..., : self._per_word * self._bits]
        padded = np.zeros((frames, self.elements, 8 * self._store.itemsize), np.uint8)
        padded[..., : self._bits] = payload.reshape(frames, self.elements, self._bits)
        codes = np.packbits(padded, axis=2, bitorder="little").view(self._store)[..., 0].astype(np.int64)
        if self._bipolar:
            return 2 * codes - 1
        return codes - ((codes >> (self._bits - 1) & 1) << self._bits) if self._signed else codes

    def shaped(self, values):
        """Return values (frames, elements) in the shape of the network's tensor."""
        inside = self.shape[1:] if self.shape and self.shape[0] == 1 else self.shape
        return values.reshape(len(values), *inside)

    def difference(self, found, wanted):
        """Return a text on the first element in which two arrays (frames, elements) differ, or None."""
        if len(found) != len(wanted):
            return f"{len(found)} frames instead of {len(wanted)}"
        wrong = np.argwhere(found != wanted)
        if not len(wrong):
            return None
        frame, at = (int(i) for i in wrong[0])
        text = "{} of {} values differ, the first at frame {}, element {}: got {}, expected {}"
        return text.format(len(wrong), found.size, frame, at, found[frame, at], wanted[frame, at])
