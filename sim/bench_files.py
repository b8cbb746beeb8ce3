# SPDX-License-Identifier: BSD-3-Clause
"""The files that sources and masters read and write, each in the form that its simulator moves fastest.

Measured: benchmarks/sim_speed/README.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Name = str | os.PathLike[str]
KINDS = {"write": 1, "read": 2, "fault": 3, "wait": 4, "reset": 5}
TIMEOUT, UNKNOWN, CUT, BROKEN = 4, 8, 16, 32  # in the resp of `read_results`, beside the AXI codes 0 to 3


def write_beats(
    path: Name | BinaryIO, frames: Sequence[bytes] | Bytes, data_w: int, *, lowest_first: bool
) -> int:
    """Write what an axis_source plays.

    Args:
        path: File, or a file that is open for it, to which more is added.
        frames: Bytes of each frame, byte 0 first; or an array of shape (frames, bytes of a frame).
        data_w: Width of tdata in bits; each frame is filled up to whole beats with zeros.
        lowest_first: Byte 0 of a beat comes first, as in the memory of a model of Verilator, which then reads
            it as it is; else last, as $fread of Icarus wants it.

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
    if lowest_first:
        padded.tofile(path)
    elif width % 8:
        padded.reshape(-1, width)[:, ::-1].tofile(path)
    else:
        padded.view(np.uint64).reshape(-1, width // 8)[:, ::-1].byteswap().tofile(path)
    return padded.size // width


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
