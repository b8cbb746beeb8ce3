# SPDX-License-Identifier: BSD-3-Clause
"""FINN's words of memory files as hexadecimal digits, made for whole arrays; FINN takes 0.1 ms for each."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import qonnx.core.datatype
from finn.custom_op.fpgadataflow import matrixvectoractivation, vectorvectoractivation
from finn.custom_op.fpgadataflow.rtl import elementwise_binary_rtl, thresholding_rtl
from finn.util.data_packing import pack_innermost_dim_as_hex_string as finns
from qonnx.core.datatype import DataType

_USERS = (matrixvectoractivation, vectorvectoractivation, elementwise_binary_rtl, thresholding_rtl)
_CHUNK = 1 << 20  # bits at a time
_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)


def fix_packing() -> None:
    """Replace FINN's function, and resolve each name of a data type once."""
    for user in _USERS:
        user.pack_innermost_dim_as_hex_string = pack
    qonnx.core.datatype.resolve_datatype = cache(qonnx.core.datatype.resolve_datatype)


def pack(
    ndarray: Any,
    dtype: Any,
    pad_to_nbits: int,
    reverse_inner: bool = False,
    prefix: str = "0x",
) -> Any:
    """Return the innermost dimension as one word, the first element in the highest bits.

    What is not a whole number of the type goes to FINN's function, which says so.
    """
    values = np.asarray(ndarray, np.float32)
    whole = np.rint(values).astype(np.int64)
    bits, width = dtype.bitwidth(), max(pad_to_nbits, 4)
    fits = dtype.is_integer() and bits < 64 and values.size
    if not fits or width % 4 or values.shape[-1] * bits > width or (whole != values).any():
        return finns(ndarray, dtype, pad_to_nbits, reverse_inner, prefix)
    if whole.min() < dtype.min() or whole.max() > dtype.max():
        return finns(ndarray, dtype, pad_to_nbits, reverse_inner, prefix)
    if dtype == DataType["BIPOLAR"]:
        whole = (whole + 1) // 2
    words = whole.reshape(-1, values.shape[-1])
    words = words[:, ::-1] if reverse_inner else words
    rows = max(1, _CHUNK // width)
    parts = [_digits(words[at : at + rows], bits, width) for at in range(0, len(words), rows)]
    text = np.concatenate(parts).view(f"S{width // 4}").astype(str)
    return np.char.add(prefix, text).reshape(values.shape[:-1]) if prefix else text.reshape(values.shape[:-1])


def _digits(words: Any, bits: int, width: int) -> Any:
    """Return the characters of each word, (words, digits)."""
    shifts = np.arange(bits - 1, -1, -1)
    used = (words[:, :, None] >> shifts & 1).astype(np.uint8).reshape(len(words), -1)
    line = np.zeros((len(words), width), np.uint8)
    line[:, width - used.shape[1] :] = used
    return _DIGITS[line.reshape(len(words), -1, 4) @ np.array([8, 4, 2, 1], np.uint8)]
