# SPDX-License-Identifier: BSD-3-Clause
"""The files that players read and recorders write: binary, so that neither side spends time on text.

Measured with 1e5 beats of 512 bits against hexadecimal text: benchmarks/sim_speed/README.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
WRITE, READ = 1, 2
HEADER_WORDS = 4
TIMEOUT, UNKNOWN = 4, 8  # in the resp of `read_results`, beside the AXI codes 0 to 3


def write_beats(path: str | os.PathLike[str], frames: Sequence[bytes] | Bytes, data_w: int) -> int:
    """Write what an axis_player plays.

    Args:
        path: File.
        frames: Bytes of each frame, byte 0 first; or an array of shape (frames, bytes of a frame).
        data_w: Width of tdata in bits; each frame is filled up to whole beats with zeros.

    Returns:
        Number of beats.
    """
    width = data_w // 8
    if isinstance(frames, np.ndarray):
        data = np.ascontiguousarray(frames, np.uint8)
        beats = -(-data.shape[1] // width)
        padded = np.zeros((len(data), beats * width), np.uint8)
        padded[:, : data.shape[1]] = data
    else:
        whole = [frame.ljust(-(-len(frame) // width) * width, b"\0") for frame in frames]
        padded = np.frombuffer(b"".join(whole), np.uint8)
    beats_first = padded.reshape(-1, width)
    # $fread takes the first byte of a word as its most significant.
    Path(path).write_bytes(beats_first[:, ::-1].tobytes())
    return len(beats_first)


def read_beats(
    path: str | os.PathLike[str], data_w: int
) -> tuple[Bytes, NDArray[np.bool_], NDArray[np.bool_], int]:
    """Read what an axis_recorder or axis_monitor wrote.

    Returns:
        tdata (stored beats, data_w/8), byte 0 first; tkeep of the same shape; tlast (stored beats); and the
        number of beats seen, which is larger than the stored ones if there were more than DEPTH. A
        monitor knows neither tkeep nor tlast: all bytes are kept then, no beat is the last.

    Raises:
        ValueError: The file is not whole, or beats carried unknown bits.
    """
    width = data_w // 8
    words = np.fromfile(path, "<u4")
    if len(words) < HEADER_WORDS:
        raise ValueError(f"{path}: not a recorder's file")
    count, unknown, stored, side_words = (int(word) for word in words[:HEADER_WORDS])
    data_words = -(-data_w // 32)
    if len(words) != HEADER_WORDS + stored * (data_words + side_words):
        raise ValueError(f"{path}: cut short, or not of {data_w} bits")
    if unknown:
        raise ValueError(f"{path}: {unknown} of {count} beats carry unknown bits")
    side_at = HEADER_WORDS + stored * data_words
    data = words[HEADER_WORDS:side_at].view(np.uint8).reshape(stored, 4 * data_words)[:, :width]
    if not side_words:
        return data, np.ones((stored, width), np.bool_), np.zeros(stored, np.bool_), count
    side = words[side_at:].view(np.uint8).reshape(stored, 4 * side_words)
    bits = np.unpackbits(side, axis=1, bitorder="little", count=width + 1).view(np.bool_)
    return data, bits[:, :width], bits[:, width], count


def write_ops(path: str | os.PathLike[str], ops: Iterable[tuple[str, int, int]]) -> int:
    """Write the accesses that an axil_player makes: ("write", address, data) or ("read", address, any).

    Returns:
        Number of accesses.
    """
    listed = list(ops)
    table = np.zeros(len(listed), np.dtype([("op", ">u4"), ("addr", ">u8"), ("data", ">u4")]))
    if listed:
        kinds, addresses, data = zip(*listed, strict=True)
        codes = {"write": WRITE, "read": READ}
        table["op"] = [codes[kind] for kind in kinds]
        table["addr"] = addresses
        table["data"] = data
    Path(path).write_bytes(table.tobytes())
    return len(listed)


def read_results(path: str | os.PathLike[str]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read what an axil_player got.

    Returns:
        resp (accesses): 0 OKAY, 2 SLVERR, 3 DECERR, `TIMEOUT`, `UNKNOWN`; and rdata (accesses), 0 for writes.
        A walk that met a timeout ends there, so both may be shorter than the list of accesses.

    Raises:
        ValueError: The file is not whole.
    """
    words = np.fromfile(path, "<u4")
    if len(words) < 1 or len(words) != 1 + 2 * int(words[0]):
        raise ValueError(f"{path}: cut short")
    pairs = words[1:].reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]
