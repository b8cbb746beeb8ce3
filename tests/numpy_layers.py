# SPDX-License-Identifier: BSD-3-Clause
"""Layers of an export with their results beside them, computed with numpy and nothing else.

Values are exact in float32, and none lies on a threshold (`Net.quantise` checks both), where an export rounds
to even and hardware rounds up. So the integers that numpy computes are those of the hardware.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "residual"))
from qonnx_export import Export

FRAMES = 3
FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "Relu": lambda x: np.maximum(x, 0),
    "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "HardSigmoid": lambda x: np.clip(0.2 * x + 0.5, 0, 1),
    "Softsign": lambda x: x / (1 + np.abs(x)),
    "Elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
}
Array = np.ndarray


@dataclass(frozen=True)
class Value:
    """A tensor of the export.

    Args:
        name: In the export.
        data: Its values, (frames, channels, ...).
        unit: Value of one step; one for each channel where they differ.
        tokens: Whether the shape is (frames, tokens, channels).
    """

    name: str
    data: Array
    unit: Any = 1.0
    tokens: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.data.shape[1:])

    @property
    def codes(self) -> Any:
        """Integers of a stream, channels last."""
        unit = np.asarray(self.unit)
        if unit.ndim:
            unit = unit.reshape(-1, *[1] * (self.data.ndim - 2))
        steps = self.data / unit
        assert np.abs(steps - np.rint(steps)).max() < 1e-6
        return np.moveaxis(np.rint(steps), -1 if self.tokens else 1, -1).astype(np.int64)


class Net(Export):
    """An export, and numpy's values of each tensor for some frames."""

    tokens = False

    def __init__(self, seed: int, *shape: int) -> None:
        super().__init__((1, *shape), seed)
        self.image, self.inputs = shape, np.zeros(0)

    def start(self, bits: int = 4, *, signed: bool = True, zero: int = 0) -> Value:
        """Draw frames and quantise them; ``zero`` is the quantiser's zero point."""
        low = -(2 ** (bits - 1)) if signed else 0
        steps = self.rng.integers(low, low + 2**bits, (FRAMES, *self.image)) - zero
        noise = self.rng.uniform(-0.4, 0.4, steps.shape)
        self.inputs = ((steps + noise) * 0.25).astype(np.float32)
        frames = Value(
            "global_in", self.inputs.astype(np.float64), tokens=len(self.image) == 2 and self.tokens
        )
        return self.quantise(frames, bits, 0.25, signed=signed, zero=zero)

    def quantise(self, x: Value, bits: int, scale: float = 0.0, **how: Any) -> Value:
        """Quantise, with a ``scale`` that spends all steps on values that occur unless one is given."""
        signed, narrow, zero = how.get("signed", True), how.get("narrow", False), how.get("zero", 0)
        down = how.get("down", False)
        low = -(2 ** (bits - 1)) + narrow if signed else 0
        high = low + 2**bits - 1 - narrow
        scale = scale or self._scale(x, max(high, 1))
        steps = x.data / scale + zero
        assert not ties(steps, 0 if down else 0.5) or not how.get("ties", True), "a value lies on a threshold"
        codes = np.clip(np.floor(steps) if down else np.rint(steps), low, high)
        values = (self.constant(scale), self.constant(float(zero)), self.constant(float(bits)))
        mode: dict[str, Any] = {"signed": int(signed), "narrow": int(narrow)}
        mode["rounding_mode"] = "FLOOR" if down else "ROUND"
        name = self.op("Quant", x.name, *values, domain="onnx.brevitas", **mode)
        return replace(x, name=name, data=(codes - zero) * scale, unit=scale)

    @staticmethod
    def _scale(x: Value, high: int) -> float:
        """Return a multiple of the unit that spends all steps on values that occur.

        Values with a bias are never in the middle between two powers of two, those without never between two
        odd multiples.
        """
        unit = float(np.max(x.unit))
        most = float(np.abs(x.data).max()) / high / unit
        power = 2.0 ** max(0, round(math.log2(most * 0.8)))
        return unit * power if not ties(x.data / (unit * power), 0.5) else unit * (2 * round(most / 2.5) + 1)

    def relu_of(self, x: Value, bits: int = 3, **how: Any) -> Value:
        return self.quantise(self.function("Relu", x), bits, signed=False, **how)

    def function(self, kind: str, x: Value, **how: Any) -> Value:
        """Apply a function of `FUNCTIONS`, as an operator of ONNX."""
        return replace(x, name=self.op(kind, x.name, **how), data=FUNCTIONS[kind](x.data))

    def leaky(self, x: Value, slope: float, *, learned: bool) -> Value:
        """A slope below zero; ``learned`` is a slope for each channel (PRelu)."""
        data = np.where(x.data < 0, slope * x.data, x.data)
        if learned:
            slopes = self.constant(np.full((x.shape[0], *[1] * (len(x.shape) - 1)), slope))
            return replace(x, name=self.op("PRelu", x.name, slopes), data=data)
        return replace(x, name=self.op("LeakyRelu", x.name, alpha=slope), data=data)

    def clip(self, x: Value, low: float, high: float) -> Value:
        name = self.op("Clip", x.name, self.constant(low), self.constant(high))
        return replace(x, name=name, data=np.clip(x.data, low, high))

    def sign(self, x: Value) -> Value:
        """A BipolarQuant: -1 or +1."""
        assert (np.abs(x.data[x.data != 0]) > 1e-4).all()
        name = self.op("BipolarQuant", x.name, self.constant(1.0), domain="onnx.brevitas")
        return Value(name, np.where(x.data >= 0, 1.0, -1.0), 1.0)

    def kernel(
        self, shape: tuple[int, ...], bits: int, *, by_channel: bool = False
    ) -> tuple[str, Array, Array]:
        """Return weights behind a quantiser: name, values, and unit of each output channel."""
        if bits == 1:
            values = self.rng.choice([-1.0, 1.0], shape)
            name = self.op("BipolarQuant", self.constant(values), self.constant(1.0), domain="onnx.brevitas")
            return name, values, np.ones(shape[0])
        most = 2 ** (bits - 1) - 1
        units = self.rng.choice([0.125, 0.25], shape[0]) if by_channel else np.full(shape[0], 0.125)
        columns = units.reshape(-1, *[1] * (len(shape) - 1))
        values = self.rng.integers(-most, most + 1, shape) * columns
        given = columns.astype(np.float32) if by_channel else np.float32(0.125)
        return self.quant(self.constant(values), given, bits, signed=True, narrow=True), values, units

    def dense(self, x: Value, outputs: int, bits: int = 4, **how: Any) -> Value:
        """Flatten if need be, and multiply; ``bias=True`` adds one."""
        rows = x.data.reshape(len(x.data), -1)
        name = x.name if x.data.ndim == 2 else self.op("Flatten", x.name, axis=1)
        shape = (outputs, rows.shape[1])
        weights = how.get("weights") or self.kernel(shape, bits, by_channel=how.get("by_channel", False))
        unit = weights[2] * float(np.max(x.unit))
        bias = (self.rng.integers(-4, 4, outputs) + 0.25) * unit if how.get("bias") else np.zeros(outputs)
        inputs = [name, weights[0], *([self.constant(bias)] if how.get("bias") else [])]
        return self._exact(Value(self.op("Gemm", *inputs, transB=1), rows @ weights[1].T + bias, unit))

    def convolve(self, x: Value, channels: int, kernel: Any = 3, bits: int = 3, **how: Any) -> Value:
        """Convolve images or signals; ``bias=True`` adds one."""
        count = len(x.shape) - 1
        sizes = [kernel] * count if isinstance(kernel, int) else list(kernel)
        pads = how.get("pads", [size // 2 for size in sizes] * 2)
        strides, dilations = how.get("strides", [1] * count), how.get("dilations", [1] * count)
        group = how.get("group", 1)
        shape = (channels, x.shape[0] // group, *sizes)
        name, values, units = self.kernel(shape, bits, by_channel=how.get("by_channel", False))
        unit = units * float(np.max(x.unit))
        bias = (self.rng.integers(-4, 4, channels) + 0.25) * unit if how.get("bias") else np.zeros(channels)
        inputs = [x.name, name, *([self.constant(bias)] if how.get("bias") else [])]
        taken = {
            "kernel_shape": sizes,
            "pads": pads,
            "strides": strides,
            "dilations": dilations,
            "group": group,
        }
        data = _convolve(_pad(x.data, pads, 0), values, strides, dilations, group)
        data = data + bias.reshape(-1, *[1] * count)
        return self._exact(Value(self.op("Conv", *inputs, **taken), data, unit))

    def normalise(self, x: Value) -> Value:
        """A BatchNormalization as after training, where factors may be negative."""
        channels = x.shape[0]
        factor = self.rng.choice([-0.75, 0.5, 1.25], channels)
        beta, mean = self.rng.normal(size=(2, channels)) * float(np.max(x.unit)) * 2
        spread = self.rng.uniform(0.5, 2, channels)
        given = [np.float32(v) for v in (factor, beta, mean, spread)]
        name = self.op("BatchNormalization", x.name, *map(self.constant, given), epsilon=1e-5)
        factor, beta, mean, spread = (v.reshape(-1, *[1] * (len(x.shape) - 1)).astype(float) for v in given)
        return Value(name, (x.data - mean) / np.sqrt(spread + 1e-5) * factor + beta, x.unit)

    def max_pool(
        self, x: Value, kernel: int = 2, stride: int = 2, pad: int = 0, *, up: bool = False
    ) -> Value:
        """Pool; ``up`` rounds the size up (ceil_mode)."""
        count = len(x.shape) - 1
        pads = [pad] * 2 * count
        how: dict[str, Any] = {"kernel_shape": [kernel] * count, "strides": [stride] * count, "pads": pads}
        name = self.op("MaxPool", x.name, **how, ceil_mode=int(up))
        more = [(-(size + 2 * pad - kernel) % stride) * up for size in x.shape[1:]]
        around = [*pads[:count], *(p + extra for p, extra in zip(pads[count:], more, strict=True))]
        data = _windows(_pad(x.data, around, -np.inf), [kernel] * count, [stride] * count, [1] * count)
        return replace(x, name=name, data=data.max(axis=-1))

    def average(self, x: Value, kernel: int = 2) -> Value:
        count = len(x.shape) - 1
        name = self.op("AveragePool", x.name, kernel_shape=[kernel] * count, strides=[kernel] * count)
        data = _windows(x.data, [kernel] * count, [kernel] * count, [1] * count).mean(axis=-1)
        return Value(name, data, float(np.max(x.unit)) / kernel**count)

    def times(self, x: Value, factor: float) -> Value:
        """Multiply by a number."""
        name = self.op("Mul", x.name, self.constant(factor))
        return Value(name, x.data * factor, float(np.max(x.unit)) * factor)

    def truncate(self, x: Value, scale: float, bits: tuple[int, int], *, former: bool) -> Value:
        """Drop the lowest bits of integers of ``bits[0]``, which leaves those of ``bits[1]``.

        Before qonnx 1.0, the values that are left have the scale of the inputs.
        """
        step = scale * 2.0 ** (bits[0] - bits[1])
        codes = np.floor(np.rint(x.data / scale) * (scale / step))
        given = (scale, 0.0, bits[0], bits[1]) if former else (scale, 0.0, bits[0], step, bits[1])
        how: dict[str, Any] = {} if former else {"signed": 1, "narrow": 0}
        inputs = [self.constant(float(value)) for value in given]
        name = self.op("Trunc", x.name, *inputs, domain="onnx.brevitas", rounding_mode="FLOOR", **how)
        unit = scale if former else step
        return Value(name, codes * unit, unit)

    def whole(self, x: Value, kind: str = "GlobalAveragePool") -> Value:
        """Average over all pixels."""
        axes = tuple(range(2, x.data.ndim))
        how: dict[str, Any] = {} if kind == "GlobalAveragePool" else {"axes": list(axes), "keepdims": 1}
        data = x.data.mean(axis=axes, keepdims=True)
        return Value(self.op(kind, x.name, **how), data, float(np.max(x.unit)) / math.prod(x.shape[1:]))

    def join(self, kind: str, *parts: Value) -> Value:
        """Concat along the channels, or Add, Sub or Mul of two branches."""
        names, data = [part.name for part in parts], [part.data for part in parts]
        if kind == "Concat":
            return replace(parts[0], name=self.op(kind, *names, axis=1), data=np.concatenate(data, axis=1))
        unit = parts[0].unit * parts[1].unit if kind == "Mul" else parts[0].unit
        compute = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}[kind]
        return Value(self.op(kind, *names), compute(*data), unit)

    def split(self, x: Value, *sizes: int) -> list[Value]:
        """Cut the channels into parts."""
        name = self.op("Split", x.name, self.constant(sizes, np.int64), outputs=len(sizes), axis=1)
        names = [f"{name.removesuffix(f'out{len(sizes) - 1}')}out{index}" for index in range(len(sizes))]
        cuts = np.split(x.data, np.cumsum(sizes)[:-1], axis=1)
        return [replace(x, name=part, data=data) for part, data in zip(names, cuts, strict=True)]

    def enlarge(self, x: Value) -> Value:
        """Repeat each pixel twice in both directions."""
        how: dict[str, Any] = {"nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}
        name = self.op("Resize", x.name, "", self.constant([1, 1, 2, 2]), mode="nearest", **how)
        return replace(x, name=name, data=x.data.repeat(2, axis=2).repeat(2, axis=3))

    def to_space(self, x: Value, block: int = 2, mode: str = "DCR") -> Value:
        """Make blocks of pixels of channels (DepthToSpace); ``mode`` is ONNX's, the order of the channels."""
        name = self.op("DepthToSpace", x.name, blocksize=block, mode=mode)
        count, (channels, rows, columns) = len(x.data), x.shape
        data = np.zeros((count, channels // block**2, rows * block, columns * block))
        for channel, row, column in itertools.product(range(data.shape[1]), range(block), range(block)):
            at = row * block + column
            index = at * data.shape[1] + channel if mode == "DCR" else channel * block**2 + at
            data[:, channel, row::block, column::block] = x.data[:, index]
        return replace(x, name=name, data=data)

    def to_depth(self, x: Value, block: int = 2) -> Value:
        """Make channels of blocks of pixels (SpaceToDepth)."""
        name = self.op("SpaceToDepth", x.name, blocksize=block)
        places = itertools.product(range(block), range(block))
        parts = [x.data[:, :, row::block, column::block] for row, column in places]
        return replace(x, name=name, data=np.concatenate(parts, axis=1))

    def model_of(self, end: Value) -> onnx.ModelProto:
        """Return the export, whose output is ``end``."""
        return self.model(end.name, (1, *end.shape))

    @staticmethod
    def _exact(x: Value) -> Value:
        """Check that float32 holds every sum."""
        assert np.abs(x.data / np.min(x.unit)).max() < 2**22
        return x


def ties(steps: Array, middle: float) -> bool:
    """Return whether a value is too near to where two steps meet."""
    return bool(np.abs(steps - np.floor(steps) - middle).min() < 1e-4)


def _pad(data: Array, pads: list[int], value: float) -> Array:
    half = len(pads) // 2
    around = [(0, 0), (0, 0), *zip(pads[:half], pads[half:], strict=True)]
    return np.pad(data, around, constant_values=value)


def _windows(data: Array, sizes: list[int], strides: list[int], dilations: list[int]) -> Array:
    """Return (frames, channels, ..., elements of a window)."""
    spans = [(size - 1) * step + 1 for size, step in zip(sizes, dilations, strict=True)]
    ends = [
        (have - span) // step + 1 for have, span, step in zip(data.shape[2:], spans, strides, strict=True)
    ]
    found = []
    for place in itertools.product(*map(range, sizes)):
        starts = [at * step for at, step in zip(place, dilations, strict=True)]
        rows = zip(starts, ends, strides, strict=True)
        cut: Any = (..., *(slice(s, s + (n - 1) * step + 1, step) for s, n, step in rows))
        found.append(data[cut])
    return np.stack(found, axis=-1)


def _convolve(data: Array, weights: Array, strides: Any, dilations: Any, group: int) -> Array:
    windows = _windows(data, list(weights.shape[2:]), strides, dilations)
    flat = weights.reshape(len(weights), weights.shape[1], -1)
    parts = zip(np.split(windows, group, axis=1), np.split(flat, group), strict=True)
    return np.concatenate([np.einsum("fi...k,oik->fo...", part, kernel) for part, kernel in parts], axis=1)
