# SPDX-License-Identifier: BSD-3-Clause
"""Recordings of sinks and monitors, read in chunks: a whole one may be larger than memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Name = str | PathLike[str]
Elements = tuple[Bytes, Flags | None]  # bytes, lowest first; which of them are unknown
HEADER_WORDS = 9
_TEXT = 1 << 18  # bytes of text that are read at once
_ROWS = 64


@dataclass(frozen=True)
class Beats:
    """Beats of a recording.

    Attributes:
        data: tdata (beats, bytes of tdata), byte 0 first; unknown bits read 0.
        keep: tkeep, of the same shape. A monitor does not know it: all bytes are kept then.
        full: All bytes are kept.
        last: tlast (beats); with a monitor no beat is the last.
        unknown: Beats of which some bit that counts was x.
    """

    data: Bytes
    keep: Flags
    full: bool
    last: Flags
    unknown: Flags


@dataclass(frozen=True)
class Whole(Beats):
    """All beats that are stored, and ``count``: beats seen, more if there were more than DEPTH."""

    count: int


@dataclass(frozen=True)
class Recording:
    """A file that an axis_sink or axis_monitor wrote, and its lots beside it.

    Attributes:
        path: Of the file.
        bits: Of tdata.
        count: Beats seen, more than the stored ones if there were more than DEPTH.
        stored: Beats stored.
        sideband: There are tkeep and tlast.
        text: The lots are text.
        lot: Beats of a lot.
        withdrawn: Times that tvalid fell before tready came, and the beats before the first of them.
        altered: The same of tdata that changed.
    """

    path: Path
    bits: int
    count: int
    stored: int
    sideband: bool
    text: bool
    lot: int
    withdrawn: tuple[int, int]
    altered: tuple[int, int]

    def lots(self) -> Iterator[Beats]:
        """Read the beats, a lot at a time.

        Raises:
            ValueError: A lot is not whole.
        """
        for number in range(-(-self.stored // self.lot)):
            yield self._beats(Path(f"{self.path}.{number}"), min(self.lot, self.stored - number * self.lot))

    def _beats(self, path: Path, beats: int) -> Beats:
        width = self.bits // 8
        widths = [width, width // 8 + 1][: 1 + self.sideband]
        (data, unknown), *sides = (_read_text if self.text else _read_words)(path, beats, widths)
        keep = np.broadcast_to(np.True_, (beats, width))
        last = np.broadcast_to(np.False_, (beats,))
        bad, full = np.zeros(beats, np.bool_), True
        for side, unknown_side in sides:
            last = (side[:, -1] >> width % 8 & 1).view(np.bool_)
            if not (full := _all_kept(side, width)):
                keep = np.unpackbits(side, axis=1, bitorder="little", count=width).view(np.bool_)
            if unknown_side is not None:
                bad |= unknown_side.any(axis=1)
        if unknown is not None:
            # Bytes that tkeep does not mark may hold anything.
            bad |= (unknown & keep).any(axis=1)
        return Beats(data, keep, full, last, bad)


def open_beats(path: Name, data_w: int) -> Recording:
    """Open what an axis_sink or axis_monitor wrote.

    Raises:
        ValueError: It is no such file.
    """
    words = np.fromfile(path, "<u4")
    if len(words) != HEADER_WORDS or not words[4]:
        raise ValueError(f"{path}: not a sink's file")
    count, stored, sideband, text, lot, *broken = (int(word) for word in words)
    withdrawn, altered = (broken[0], broken[1]), (broken[2], broken[3])
    return Recording(Path(path), data_w, count, stored, bool(sideband), bool(text), lot, withdrawn, altered)


def read_beats(path: Name, data_w: int) -> Whole:
    """Read all that an axis_sink or axis_monitor wrote; for a few frames.

    Raises:
        ValueError: A file is not whole.
    """
    recording = open_beats(path, data_w)
    none = np.zeros((0, data_w // 8), np.uint8)
    empty = Beats(none, none.view(np.bool_), True, none.view(np.bool_)[:, 0], none.view(np.bool_)[:, 0])
    lots = [empty, *recording.lots()]
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(lot, name) for lot in lots])
        for name in ("data", "keep", "last", "unknown")
    }
    return Whole(**joined, full=all(lot.full for lot in lots), count=recording.count)


def _all_kept(side: Bytes, width: int) -> bool:
    """Tell whether no beat leaves a byte out, as in nearly all lots; unpacked they take more space."""
    many = len(side) // _ROWS * _ROWS  # numpy is fast along long rows
    long = np.bitwise_and.reduce(side[:many].reshape(-1, _ROWS * side.shape[1]), axis=0)
    both = np.bitwise_and.reduce(np.concatenate([long.reshape(_ROWS, -1), side[many:]]), axis=0)
    rest = (1 << width % 8) - 1
    return bool((both[:-1] == 0xFF).all() and both[-1] & rest == rest)


def _read_words(path: Path, beats: int, widths: list[int]) -> list[Elements]:
    """Split what a Verilator model wrote: all tdata, then all sidebands, in whole bytes.

    A lot may hold more beats than the recording had when it was closed.
    """
    held = np.fromfile(path, np.uint8)
    stored, rest = divmod(len(held), sum(widths))
    if rest or stored < beats:
        raise ValueError(f"{path}: cut short, or of another width")
    begins = [stored * sum(widths[:index]) for index in range(len(widths))]
    return [
        (held[begin : begin + beats * width].reshape(beats, width), None)
        for width, begin in zip(widths, begins, strict=True)
    ]


def _read_text(path: Path, beats: int, widths: list[int]) -> list[Elements]:
    """Read what Icarus wrote with $writememh: one element a line, comment lines between."""
    return [
        _read_lines(Path(f"{path}{suffix}"), beats, width)
        for width, suffix in zip(widths, (".data", ".side"), strict=False)
    ]


def _read_lines(path: Path, beats: int, width: int) -> Elements:
    """Read elements of ``width`` bytes in parts: as text they take many times their size."""
    data, unknown, at = np.zeros((beats, width), np.uint8), None, 0
    with path.open("rb") as file:
        while at < beats and (lines := file.readlines(_TEXT)):
            some = [line.rstrip(b"\n") for line in lines if not line.startswith(b"//")][: beats - at]
            digits = b"".join(some)
            count, rest = divmod(len(digits), 2 * width)
            if rest or count != len(some):
                raise ValueError(f"{path}: cut short, or of another width")
            if any(letter in digits for letter in (b"x", b"X", b"z", b"Z")):
                letters = np.frombuffer(digits, np.uint8).reshape(count, width, 2)
                unknown = np.zeros((beats, width), np.bool_) if unknown is None else unknown
                unknown[at : at + count] = np.any((letters | 0x20) >= ord("x"), axis=2)[:, ::-1]
                digits = re.sub(rb"[xzXZ]", b"0", digits)
            read = np.frombuffer(bytes.fromhex(digits.decode()), np.uint8).reshape(count, width)
            data[at : at + count] = read[:, ::-1]
            at += count
    if at != beats:
        raise ValueError(f"{path}: cut short, or of another width")
    return data, unknown
