# SPDX-License-Identifier: BSD-3-Clause
"""Requant: scale, bias, rounding and clipping in the fixed-point arithmetic of FINN's RTL.

Source: requant.sv of finn-plus 1.6.1, and `Requant_rtl`, which writes scales and biases with six decimals.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shellgen.golden.layer import Integers, Layer, bounds

_SCALE_BITS = 25
_WIDEST = 18  # bits of an input; more are cut off differently by each generation of DSPs
_HIDDEN = 1 << 23  # the leading one of a mantissa


def requant(layer: Layer, inputs: list[Integers]) -> list[Integers]:
    """Requant: clip(floor(x * scale + bias + 1/2)), of the x that the hardware sees: a signed number."""
    channels = layer.size("NumChannels")
    x = layer.frames(inputs[0], -1, channels).astype(np.int64)
    source, result = layer.node.element("inputDataType"), layer.node.element("outputDataType")
    if source is None or result is None or source.bits > _WIDEST:
        raise layer.refuse(f"has no input of at most {_WIDEST} bits and output of integers")
    width = _SCALE_BITS + source.bits
    found = [
        _fixed(layer, scale, bias, source.bits, result.bits)
        for scale, bias in zip(_values(layer, 1, channels), _values(layer, 2, channels), strict=True)
    ]
    scales, biases, shifts = (np.array(column, np.int64) for column in zip(*found, strict=True))
    sums = _wrapped(_wrapped(x, source.bits) * scales + _wrapped(biases, width), width + 1)
    return [np.clip(sums >> shifts, result.low, result.high)]


def lost_steps(layer: Layer) -> float:
    """Return by how many steps of the output six decimals move a result, at most."""
    source = layer.node.element("inputDataType")
    most = max(map(abs, (source.low, source.high))) if source else 0
    moved = [np.abs(values - _written(values)).max() for values in (layer.constant(1), layer.constant(2))]
    return float(moved[0] * most + moved[1])


def _values(layer: Layer, index: int, channels: int) -> list[np.float32]:
    values = _written(layer.constant(index).reshape(-1))
    if len(values) not in (1, channels):
        raise layer.refuse(f"has {len(values)} parameters for {channels} channels")
    return list(np.broadcast_to(values, channels))


def _written(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    return np.array([float(f"{value:.6f}") for value in values.flat], np.float32).reshape(values.shape)


def _fixed(
    layer: Layer, scale: np.float32, bias: np.float32, in_bits: int, out_bits: int
) -> tuple[int, int, int]:
    """Return mantissa, aligned bias with one half added, and shift."""
    (negative, exponent, mantissa), (under, power, fraction) = _parts(scale), _parts(bias)
    shift = _SCALE_BITS - 2 - exponent
    if not 0 <= shift <= _SCALE_BITS + in_bits + 1 - out_bits or power > in_bits - out_bits:
        raise layer.refuse(f"has a scale of {scale:g} and a bias of {bias:g}, beyond its fixed point")
    places = power - (23 - shift)
    aligned = 0 if places < -24 else fraction >> -places if places < 0 else fraction << places
    aligned = -aligned if under else aligned
    if shift:
        aligned += 1 << (shift - 1)
    elif places < 0:
        aligned += fraction >> (-places - 1) & 1
    return -mantissa if negative else mantissa, aligned, shift


def _parts(value: np.float32) -> tuple[bool, int, int]:
    """Return sign, exponent and mantissa with its leading one; of zero, too."""
    bits = int(value.view(np.uint32))
    return bool(bits >> 31), (bits >> 23 & 255) - 127, _HIDDEN | bits & (_HIDDEN - 1)


def _wrapped(values: npt.NDArray[np.int64], bits: int) -> Integers:
    """Keep the lowest bits, as two's complement."""
    half = 1 << (bits - 1)
    low, high = bounds(values)
    return values if -half <= low and high < half else (values + half) % (2 * half) - half
