# SPDX-License-Identifier: BSD-3-Clause
"""The files that sources read and sinks write, each in the form that its simulator moves fastest.

Measured: benchmarks/sim_speed/README.md.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Name = str | os.PathLike[str]
Elements = tuple[Bytes, Flags | None]  # bytes, lowest first; which of them are unknown
KINDS = {"write": 1, "read": 2, "fault": 3, "wait": 4, "reset": 5}
HEADER_WORDS = 4
_LOT = 1 << 18  # bytes of text that are read at once
TIMEOUT, UNKNOWN, CUT, BROKEN = 4, 8, 16, 32  # in the resp of `read_results`, beside the AXI codes 0 to 3


def write_beats(path: Name, frames: Sequence[bytes] | Bytes, data_w: int) -> int:
    """Write what an axis_source plays.

    Args:
        path: File.
        frames: Bytes of each frame, byte 0 first; or an array of shape (frames, bytes of a frame).
        data_w: Width of tdata in bits; each frame is filled up to whole beats with zeros.

    Returns:
        Number of beats.
    """
    width = data_w // 8
    if isinstance(frames, np.ndarray):
        size = frames.shape[1]
        beats = -(-size // width)
        padded = np.ascontiguousarray(frames, np.uint8)
        if size != beats * width:
            padded = np.zeros((len(frames), beats * width), np.uint8)
            padded[:, :size] = frames
    else:
        whole = [frame.ljust(-(-len(frame) // width) * width, b"\0") for frame in frames]
        padded = np.frombuffer(b"".join(whole), np.uint8)
    # $fread takes the first byte of a word as its most significant.
    if width % 8:
        padded.reshape(-1, width)[:, ::-1].tofile(path)
    else:
        padded.view(np.uint64).reshape(-1, width // 8)[:, ::-1].byteswap().tofile(path)
    return padded.size // width


@dataclass(frozen=True)
class Recording:
    """What an axis_sink or axis_monitor wrote.

    Attributes:
        data: tdata (stored beats, bytes of tdata), byte 0 first; unknown bits read 0.
        keep: tkeep, of the same shape. A monitor does not know it: all bytes are kept then.
        last: tlast (stored beats); with a monitor no beat is the last.
        unknown: Stored beats of which some bit that counts was x.
        count: Beats seen, more than the stored ones if there were more than DEPTH.
    """

    data: Bytes
    keep: Flags
    last: Flags
    unknown: Flags
    count: int


def read_beats(path: Name, data_w: int) -> Recording:
    """Read what an axis_sink or axis_monitor wrote.

    Raises:
        ValueError: The file is not whole.
    """
    width = data_w // 8
    words = np.fromfile(path, "<u4", HEADER_WORDS)
    if len(words) < HEADER_WORDS:
        raise ValueError(f"{path}: not a sink's file")
    count, stored, sideband, text = (int(word) for word in words)
    widths = [width, width // 8 + 1][: 1 + sideband]
    read = _read_text if text else _read_words
    (data, unknown), *sides = read(path, stored, widths)
    keep = np.broadcast_to(np.True_, (stored, width))
    last = np.broadcast_to(np.False_, (stored,))
    bad = np.zeros(stored, np.bool_)
    for side, unknown_side in sides:
        bits = np.unpackbits(side, axis=1, bitorder="little", count=width + 1).view(np.bool_)
        keep, last = bits[:, :width], bits[:, width]
        if unknown_side is not None:
            bad |= unknown_side.any(axis=1)
    if unknown is not None:
        # Bytes that tkeep does not mark may hold anything.
        bad |= (unknown & keep).any(axis=1)
    return Recording(data, keep, last, bad, count)


def _read_words(path: Name, stored: int, widths: list[int]) -> list[Elements]:
    """Split what a Verilator model wrote: all tdata, then all sidebands, in whole bytes."""
    held = np.fromfile(path, np.uint8, offset=4 * HEADER_WORDS)
    if len(held) != stored * sum(widths):
        raise ValueError(f"{path}: cut short, or of another width")
    ends = [stored * sum(widths[:index]) for index in range(1, len(widths) + 1)]
    parts = zip(widths, [0, *ends], ends, strict=False)
    return [(held[begin:end].reshape(stored, width), None) for width, begin, end in parts]


def _read_text(path: Name, stored: int, widths: list[int]) -> list[Elements]:
    """Read what Icarus wrote with $writememh: one element a line, comment lines between."""
    found: list[Elements] = []
    if Path(path).stat().st_size != 4 * HEADER_WORDS:
        raise ValueError(f"{path}: cut short, or of another width")
    for width, suffix in zip(widths, (".data", ".side"), strict=False):
        if not stored:
            found.append((np.zeros((0, width), np.uint8), None))
            continue
        found.append(_read_lines(Path(f"{path}{suffix}"), stored, width))
    return found


def _read_lines(path: Path, stored: int, width: int) -> Elements:
    """Read elements of so many bytes, lot by lot: as text they take many times their size."""
    data, unknown, at = np.zeros((stored, width), np.uint8), None, 0
    with path.open("rb") as file:
        while lines := file.readlines(_LOT):
            digits = b"".join(line.rstrip(b"\n") for line in lines if not line.startswith(b"//"))
            count, rest = divmod(len(digits), 2 * width)
            if rest or at + count > stored:
                raise ValueError(f"{path}: cut short, or of another width")
            if any(letter in digits for letter in (b"x", b"X", b"z", b"Z")):
                letters = np.frombuffer(digits, np.uint8).reshape(count, width, 2)
                unknown = np.zeros((stored, width), np.bool_) if unknown is None else unknown
                unknown[at : at + count] = np.any((letters | 0x20) >= ord("x"), axis=2)[:, ::-1]
                digits = re.sub(rb"[xzXZ]", b"0", digits)
            read = np.frombuffer(bytes.fromhex(digits.decode()), np.uint8).reshape(count, width)
            data[at : at + count] = read[:, ::-1]
            at += count
    if at != stored:
        raise ValueError(f"{path}: cut short, or of another width")
    return data, unknown


Op = tuple[str, int, int] | tuple[str, int, int, int]


def manner(
    *,
    early: bool = False,
    off: int = 0,
    aw: int = 0,
    w: int = 0,
    b: int = 0,
    ar: int = 0,
    r: int = 0,
    prot: int = 0,
) -> int:
    """Return how an access is made, the fourth of an op: see sim/axil_master.sv; gaps and stalls below 16.

    Args:
        early: It begins while earlier ones are under way.
        off: Strobes that are off.
        aw: Cycles until AWVALID; likewise w, ar.
        b: Cycles that BVALID waits; likewise r.
        prot: AWPROT or ARPROT.
    """
    return early << 3 | off << 4 | aw << 8 | w << 12 | b << 16 | ar << 20 | r << 24 | prot << 28


def write_ops(path: Name, ops: Iterable[Op]) -> int:
    """Write the list that an axil_master plays: (kind, address, data), and how if not plainly.

    Kinds: ``write``, ``read`` (data does not count), ``fault`` (data: mode and, from bit 8, slave),
    ``wait`` and ``reset`` (data: cycles).

    Returns:
        Number of entries.
    """
    listed = list(ops)
    table = np.zeros(len(listed), np.dtype([("op", ">u4"), ("addr", ">u8"), ("data", ">u4")]))
    if listed:
        table["op"] = [KINDS[op[0]] | (op[3] if len(op) == 4 else 0) for op in listed]
        table["addr"] = [op[1] for op in listed]
        table["data"] = [op[2] for op in listed]
    Path(path).write_bytes(table.tobytes())
    return len(listed)


def read_results(path: Name) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read what an axil_master got.

    Returns:
        resp (entries): 0 OKAY, 2 SLVERR, 3 DECERR, `TIMEOUT`, `UNKNOWN`, `CUT` by a reset, `BROKEN` a rule of
        AXI; and rdata (entries), 0 for all but reads. A list that met a timeout or a broken rule ends there.

    Raises:
        ValueError: The file is not whole.
    """
    words = np.fromfile(path, "<u4")
    if len(words) < 1 or len(words) != 1 + 2 * int(words[0]):
        raise ValueError(f"{path}: cut short")
    pairs = words[1:].reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]
