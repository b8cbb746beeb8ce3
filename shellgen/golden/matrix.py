# SPDX-License-Identifier: BSD-3-Clause
"""Matrix units and thresholds: MVAU, VVAU, Thresholding.

Source: `execute_node` of finn-plus 1.3.0, and the memory and stream order of its layers where it differs
from the order of FINN's tensors.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shellgen.golden.layer import EXACT, LIMIT, Integers, Layer, magnitude

_STEPS_AT_ONCE = 32  # up to this number of steps, single comparisons are faster than a search


def matrix_vector(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """MVAU: every vector of a frame times the matrix (MW, MH), then thresholds if there are any.

    The frame may have another shape than (vectors, MW): FINN flattens without a layer.
    """
    rows, columns = layer.size("MW"), layer.size("MH")
    x = layer.frames(inputs[0], -1, rows)
    if layer.flag("dynamic_input") or layer.node.text("mem_mode") == "dynamic":
        return [_activated(layer, _dynamic(layer, x, inputs[1]))]
    w = _streamed(layer, inputs[1], rows, columns) if len(inputs) > 1 else layer.whole(1)
    if w.shape != (rows, columns):
        raise layer.refuse(f"has a matrix of {w.shape} instead of ({rows}, {columns})")
    both = layer.is_a("inputDataType", "BIPOLAR") and layer.is_a("weightDataType", "BIPOLAR")
    if layer.flag("binaryXnorMode"):
        x, w, both = 2 * x.astype(np.int64) - 1, 2 * w - 1, True
    sums = _product(layer, x, w)
    if both:
        sums = (sums + rows) // 2  # the hardware counts equal bits
    return [_activated(layer, sums)]


def _dynamic(layer: Layer, x: Integers, matrices: Integers) -> npt.NDArray[np.int64]:
    """Multiply with matrices that the network computes: one for all vectors of the last dimension."""
    rows, columns = layer.size("MW"), layer.size("MH")
    *heads, vectors = layer.node.integers("numInputVectors") or (1,)
    w = layer.frames(matrices, int(np.prod(heads, dtype=int)), rows, columns).astype(np.int64)
    if magnitude(x) * magnitude(w) * rows >= LIMIT:
        raise layer.refuse("has sums beyond 62 bits")
    sums: npt.NDArray[np.int64] = np.matmul(x.reshape(*w.shape[:2], vectors, rows).astype(np.int64), w)
    return sums.reshape(len(x), -1, columns)


def _streamed(layer: Layer, words: Integers, rows: int, columns: int) -> npt.NDArray[np.int64]:
    """Weights from memory, word by word: (MH/PE, MW/SIMD, PE, SIMD)."""
    pe, simd = layer.size("PE"), layer.size("SIMD")
    if words.size != rows * columns or rows % simd or columns % pe:
        raise layer.refuse(f"gets {words.size} weights")
    folded = words.reshape(columns // pe, rows // simd, pe, simd).transpose(1, 3, 0, 2)
    return folded.reshape(rows, columns).astype(np.int64)


def _product(layer: Layer, x: Integers, w: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Multiply exactly: in floating point as long as it cannot round, because it is many times faster."""
    bound = magnitude(x) * magnitude(w) * len(w)
    for kind, limit in EXACT:
        if bound < limit:
            product: npt.NDArray[np.int64] = np.matmul(x.astype(kind), w.astype(kind)).astype(np.int64)
            return product
    if bound >= LIMIT:
        raise layer.refuse("has sums beyond 62 bits")
    whole: npt.NDArray[np.int64] = np.matmul(x.astype(np.int64), w)
    return whole


def depthwise(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """VVAU: separate weights for each channel of a window.

    A window arrives in groups of PE channels of each pixel: (channels/PE, kernel, PE).
    """
    channels, kernel, pe = layer.size("Channels"), int(np.prod(layer.pair("Kernel"))), layer.size("PE")
    if channels % pe:
        raise layer.refuse(f"has {channels} channels and PE {pe}")
    x = layer.frames(inputs[0], -1, channels // pe, kernel, pe)
    w = layer.whole(1)
    if w.size != channels * kernel or w.shape[0] != channels:
        raise layer.refuse(f"has weights of {w.shape}")
    both = layer.is_a("inputDataType", "BIPOLAR") and layer.is_a("weightDataType", "BIPOLAR")
    x = x.astype(np.int64)
    if layer.flag("binaryXnorMode"):
        x, w, both = 2 * x - 1, 2 * w - 1, True
    if magnitude(x) * magnitude(w) * kernel >= LIMIT:
        raise layer.refuse("has sums beyond 62 bits")
    folded = w.reshape(channels // pe, pe, kernel).transpose(0, 2, 1)
    sums = (x * folded).sum(axis=3).reshape(*x.shape[:2], channels)
    if both:
        sums = (sums + kernel) // 2
    return [_activated(layer, sums)]


def thresholding(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """Thresholding: the number of thresholds of its channel that a value has reached."""
    x = layer.frames(inputs[0], -1, layer.size("NumChannels"))
    return [_steps(layer, x.astype(np.int64), layer.constant(1))]


def _activated(layer: Layer, sums: npt.NDArray[np.generic]) -> Integers:
    if layer.flag("noActivation"):
        return sums.astype(np.int64)
    return _steps(layer, sums, layer.constant(2))


def _steps(layer: Layer, x: npt.NDArray[np.generic], table: npt.NDArray[np.float64]) -> Integers:
    """Count the thresholds not above x, (frames, vectors, channels); all channels may share one row."""
    channels = x.shape[-1]
    if table.ndim != 2 or table.shape[0] not in (1, channels):
        raise layer.refuse(f"has thresholds of {table.shape}")
    # x is an integer, so x >= t and x >= ceil(t) are equivalent.
    steps = np.sort(np.ceil(np.clip(table, -LIMIT, LIMIT)).astype(np.int64), axis=1)
    if steps.shape[1] <= _STEPS_AT_ONCE:
        count = np.zeros(x.shape, np.int64)
        for step in steps.T:
            count += x >= step
    elif len(steps) == 1:
        count = np.searchsorted(steps[0], x, side="right")
    else:
        count = np.empty(x.shape, np.int64)
        for channel, row in enumerate(steps):
            count[..., channel] = np.searchsorted(row, x[..., channel], side="right")
    if layer.is_a("outputDataType", "BIPOLAR"):
        return 2 * count - 1
    return count + (layer.node.integer("ActVal", 0) or 0)
