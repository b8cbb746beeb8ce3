# SPDX-License-Identifier: BSD-3-Clause
"""Damage to a ``.npy`` file: its header says what the bytes behind it are, and nothing makes it true."""

from __future__ import annotations

import io
import pickle
import struct
from random import Random

import numpy as np

_SHAPES = (
    *("()", "(0,)", "(0, 16)", "(-1,)", "(-1, -1)", "(4, -16)", "(2, 32)", "(64,)", "(1, 4, 16)"),
    *("(1000000000000,)", "(100000, 100000)", "(9223372036854775807,)", "(9223372036854775807, 0)"),
    *("(18446744073709551616,)", "(4L, 16L)", "(4.0, 16)", "(True, 16)", "('4', 16)", "[4, 16]", "4"),
    *("(" + "1, " * 40 + ")", "(" * 200 + ")" * 200, "(" * 5000, "(4, 16", "(4, 16))", "(0x4, 16)", "None"),
    *("(__import__('os').system('touch pwned'),)", "(" + "9" * 5000 + ",)", "(4 ,16,)", "(4, 16, 1)"),
)
_TYPES = (
    *("<i8", ">i8", "<i4", ">i2", "|i1", "|u1", "<u8", "<f8", "<f4", "<f2", "|b1", "=i8", "i8", "int64"),
    *("<f16", "<c16", "|O", "O8", "|S8", "|S0", "<U4", "|V8", "|V0", "<M8[ns]", "<m8", "<i3", "<i0"),
    *("", "?", "<", "x" * 100, "a,b", "(2,3)i4", "(100000,100000)i8", "i4,i4", "<i8\\x00", "<i8'", "\u00e9"),
    *("<i999999999", "<f1", "<u16", "<b8"),
)
_RAW = ("[('a', '<i8')]", "[('a', '<i8'), ('a', '<i8')]", "[]", "{}", "None", "8", "('<i8', (2, 3))")


def damage_npy(rng: Random, content: bytes) -> bytes:
    """Write another header before the data, or another kind of file."""
    try:
        array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
        if array.dtype.kind not in "biuf" or not array.size:
            raise ValueError
    except Exception:  # an earlier step has damaged it
        return content[: rng.randrange(len(content) + 1)]
    data = array.tobytes()
    descr, shape, order = repr(array.dtype.str), str(array.shape), "False"
    match rng.randrange(8):
        case 0 | 1:
            shape = rng.choice(_SHAPES)
        case 2 | 3:
            descr = rng.choice((*map(repr, _TYPES), *_RAW))
        case 4:
            order = rng.choice(("True", "0", "None", "'x'", ""))
        case 5:
            return _other(rng, array)
        case 6:
            values = rng.choice((np.nan, np.inf, -np.inf, 0.5, -1, 1e300, 2**62, 10**18))
            array = array.astype(rng.choice((np.float64, np.float32)))
            with np.errstate(all="ignore"):
                array.flat[rng.randrange(array.size)] = values
            descr, data = repr(array.dtype.str), array.tobytes()
        case _:
            data = rng.choice((b"", data[:-1], data + b"\0", data[: len(data) // 2]))
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"
    if rng.random() < 0.2:
        other = (text[:-5], text + "#", "{" + text, text.replace("'", '"'), text.replace("shape", "x"))
        text = rng.choice(other)
    return _header(rng, text) + data


def _header(rng: Random, text: str) -> bytes:
    version = rng.choice(((1, 0), (1, 0), (1, 0), (2, 0), (3, 0), (4, 0), (0, 0), (255, 255)))
    encoded = text.encode("utf-8") + b" " * (-len(text) % 64) + b"\n"
    size = rng.choice((len(encoded), len(encoded), len(encoded), 0, 65535, len(encoded) + 1))
    if version[0] == 1:
        length = struct.pack("<H", min(size, 65535))
    else:
        length = struct.pack("<I", rng.choice((size, size, 2**32 - 1)))
    return b"\x93NUMPY" + bytes(version) + length + encoded


def _other(rng: Random, array: np.ndarray) -> bytes:
    """Other files that people save under this name, by mistake or on purpose."""
    file = io.BytesIO()
    match rng.randrange(5):
        case 0:
            np.savez(file, a=array)
        case 1:
            np.save(file, np.array([{"a": 1}, None], dtype=object), allow_pickle=True)
        case 2:
            pickle.dump(array.tolist(), file)
        case 3:
            np.save(file, np.zeros(3, dtype=[("a", "<i8"), ("b", "<f4")]))
        case _:
            np.save(file, array.astype(rng.choice((">f4", "<i2", "|b1", "<c8", "<U5"))))
    return file.getvalue()
