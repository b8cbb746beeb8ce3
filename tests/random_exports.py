# SPDX-License-Identifier: BSD-3-Clause
"""Random networks as training frameworks export them, of every shape that people train.

All scales are powers of two, and biases lie between two multiples of the accumulators' least significant bit.
So floats hold every value exactly and none falls on a threshold, where an export rounds to even and hardware
rounds up: what ONNX's reference evaluator computes is what hardware has to.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from export_evaluator import evaluate

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "residual"))
from qonnx_export import Export

FRAMES = 3
_EPSILON = 2.0**-10  # with a variance of one minus this, a BatchNormalization divides by one


@dataclass(frozen=True)
class Tensor:
    """A tensor of the export: shape of a frame, and the unit of its values, by channel."""

    name: str
    shape: tuple[int, ...]
    unit: Any

    @property
    def channels(self) -> int:
        return self.shape[0]


class Net(Export):
    """An export whose values are exact."""

    def __init__(self, shape: tuple[int, ...], seed: int) -> None:
        super().__init__((1, *shape), seed)
        self.shape = shape

    def pick(self, *choices: Any) -> Any:
        return choices[self.rng.integers(len(choices))]

    def start(self, bits: int = 4) -> Tensor:
        return self.identity(Tensor("global_in", self.shape, 2.0**-20), bits)

    def identity(self, x: Tensor, bits: int = 4, scale: float | None = None) -> Tensor:
        """Quantise with a sign."""
        return self._quantised(x, bits, scale, signed=True)

    def relu_of(self, x: Tensor, bits: int = 0, scale: float | None = None) -> Tensor:
        x = replace(x, name=self.op("Relu", x.name))
        return self._quantised(x, bits or self.pick(2, 3, 4), scale, signed=False)

    def _quantised(self, x: Tensor, bits: int, scale: float | None, *, signed: bool) -> Tensor:
        scale = scale or self.scale_of(bits - signed, x)
        return Tensor(self.quant(x.name, scale, bits, signed=signed), x.shape, scale)

    def scale_of(self, bits: int, *tensors: Tensor) -> float:
        """Return a scale that spends the bits on values that occur, without ties between its steps."""
        most = max(float(np.abs(self.values(x)).max()) for x in tensors)
        least = max(2 * float(np.max(x.unit)) for x in tensors)
        return max(2.0 ** math.floor(math.log2(max(most, least) / 2**bits)), least)

    def values(self, x: Tensor) -> np.ndarray:
        """Return what a tensor is for some inputs."""
        frames = np.random.default_rng(0).normal(size=(2, 1, *self.shape)).astype(np.float32)
        return evaluate(self.model(x.name, (1, *x.shape)), frames) if x.name != "global_in" else frames

    def sign(self, x: Tensor) -> Tensor:
        name = self.op("BipolarQuant", x.name, self.constant(1.0), domain="onnx.brevitas")
        return Tensor(name, x.shape, 1.0)

    def kernel(self, shape: tuple[int, ...], bits: int, fixed: float | None = None) -> tuple[str, Any]:
        """Return weights and their scale, for all or by output channel."""
        if bits == 1:
            values = self.rng.choice([-1.0, 1.0], shape)
            name = self.op("BipolarQuant", self.constant(values), self.constant(1.0), domain="onnx.brevitas")
            return name, np.ones(1)
        most = 2 ** (bits - 1) - 1
        columns = (shape[0], *[1] * (len(shape) - 1))
        scale = np.full(columns, fixed or 0.125)
        if fixed is None and self.pick(0, 1):
            scale = self.rng.choice([0.125, 0.25], columns)
        values = self.rng.integers(-most, most + 1, shape) * scale
        given = scale.astype(np.float32) if np.ptp(scale) else np.float32(scale.flat[0])
        return self.quant(self.constant(values), given, bits, signed=True, narrow=True), scale.reshape(-1)

    def convolve(self, x: Tensor, channels: int, kernel: Any = 3, **changes: Any) -> Tensor:
        """Convolve, add a bias, and sometimes normalise; images or signals."""
        count, bits = len(x.shape) - 1, changes.pop("bits", 0) or self.pick(2, 3, 4)
        sizes = [kernel] * count if isinstance(kernel, int) else list(kernel)
        known: dict[str, Any] = {"pads": [size // 2 for size in sizes] * 2, "strides": [1] * count}
        known |= {"dilations": [1] * count, "group": 1} | changes
        normal, fixed = known.pop("normal", self.pick(0, 1)), known.pop("scale", None)
        weights, scale = self.kernel((channels, x.channels // known["group"], *sizes), bits, fixed)
        unit = np.broadcast_to(scale * x.unit, (channels,))
        bias = self.constant((self.rng.integers(-4, 4, channels) + 0.5) * unit)
        name = self.op("Conv", x.name, weights, bias, kernel_shape=sizes, **known)
        spans = [(size - 1) * step + 1 for size, step in zip(sizes, known["dilations"], strict=True)]
        shape = (channels, *self._sizes(x.shape[1:], spans, known["pads"], known["strides"]))
        made = Tensor(name, shape, unit)
        return self.normalised(made) if normal else made

    def normalised(self, x: Tensor, shift: float = 0.0) -> Tensor:
        """Normalise; ``shift`` of a unit moves values between two multiples of it."""
        factor = self.rng.choice([-0.5, 0.5, 1.0, 2.0], x.channels)
        unit = np.abs(factor) * x.unit
        beta = self.rng.integers(-3, 4, x.channels) * unit
        mean = (self.rng.integers(-3, 4, x.channels) + shift) * x.unit
        values = [self.constant(v) for v in (factor, beta, mean, np.full(x.channels, 1 - _EPSILON))]
        name = self.op("BatchNormalization", x.name, *values, epsilon=_EPSILON)
        return Tensor(name, x.shape, unit)

    def dense(self, x: Tensor, outputs: int, bits: int = 0) -> Tensor:
        """Flatten if need be, and multiply."""
        inputs = math.prod(x.shape)
        name = x.name if len(x.shape) == 1 else self.op("Flatten", x.name, axis=1)
        weights, scale = self.kernel((outputs, inputs), bits or self.pick(2, 4))
        unit = np.broadcast_to(scale * float(np.max(x.unit)), (outputs,))
        bias = self.constant((self.rng.integers(-4, 4, outputs) + 0.5) * unit)
        name = self.op("Gemm", name, weights, bias, transB=1)
        return Tensor(name, (outputs,), unit)

    def max_pool(self, x: Tensor, kernel: int = 2, stride: int = 2, pad: int = 0) -> Tensor:
        count = len(x.shape) - 1
        how: dict[str, Any] = {"kernel_shape": [kernel] * count, "strides": [stride] * count}
        how["pads"] = [pad] * 2 * count
        shape = (x.channels, *self._sizes(x.shape[1:], [kernel] * count, how["pads"], how["strides"]))
        return replace(x, name=self.op("MaxPool", x.name, **how), shape=shape)

    def average(self, x: Tensor, kernel: int = 2) -> Tensor:
        count = len(x.shape) - 1
        name = self.op("AveragePool", x.name, kernel_shape=[kernel] * count, strides=[kernel] * count)
        shape = (x.channels, *(size // kernel for size in x.shape[1:]))
        return Tensor(name, shape, x.unit / kernel**count)

    def whole(self, x: Tensor) -> Tensor:
        """Average over all pixels, as one of three operators that exporters write."""
        axes = list(range(2, len(x.shape) + 1))
        kind = self.pick("GlobalAveragePool", "keep", "drop")
        if kind == "GlobalAveragePool":
            name = self.op(kind, x.name)
        else:
            name = self.op("ReduceMean", x.name, axes=axes, keepdims=int(kind == "keep"))
        shape = (x.channels,) if kind == "drop" else (x.channels, *[1] * len(axes))
        return Tensor(name, shape, x.unit / math.prod(x.shape[1:]))

    def join(self, kind: str, *parts: Tensor) -> Tensor:
        names = [part.name for part in parts]
        if kind == "Concat":
            shape = (sum(part.channels for part in parts), *parts[0].shape[1:])
            return replace(parts[0], name=self.op(kind, *names, axis=1), shape=shape)
        unit = parts[0].unit * parts[1].unit if kind == "Mul" else parts[0].unit / 2
        return Tensor(self.op(kind, *names), parts[0].shape, unit)

    def residual(self, x: Tensor, channels: int, stride: int = 1) -> Tensor:
        """Two convolutions beside an identity, or beside a projection where sizes differ."""
        far = self.relu_of(self.convolve(x, channels, 3, strides=[stride] * (len(x.shape) - 1)))
        far = self.convolve(far, channels, 3)
        # Otherwise values of `far` may lie between two of its steps.
        exact = 2 * float(np.max(far.unit)) <= float(np.max(x.unit))
        same = stride == 1 and channels == x.channels and exact
        near = x if same else self.convolve(x, channels, 1, strides=[stride] * (len(x.shape) - 1))
        scale = near.unit if same else self.scale_of(3, far, near)
        joined = self.join("Add", self.identity(far, 4, scale), self.identity(near, 4, scale))
        return self.relu_of(joined, 4, scale)

    def halves(self, x: Tensor) -> tuple[Tensor, Tensor]:
        half = x.channels // 2
        last = self.op("Split", x.name, self.constant([half] * 2, np.int64), outputs=2, axis=1)
        part = replace(x, name=last, shape=(half, *x.shape[1:]))
        return replace(part, name=last.replace("out1", "out0")), part

    def larger(self, x: Tensor) -> Tensor:
        how: dict[str, Any] = {"nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}
        scales = self.constant([1, 1, 2, 2])
        name = self.op("Resize", x.name, "", scales, mode="nearest", **how)
        return replace(x, name=name, shape=(x.channels, *(2 * size for size in x.shape[1:])))

    @staticmethod
    def _sizes(sizes: Any, spans: Any, pads: Any, strides: Any) -> list[int]:
        half = len(pads) // 2
        around = [sum(pair) for pair in zip(pads[:half], pads[half:], strict=True)]
        rows = zip(sizes, spans, around, strides, strict=True)
        return [(size + pad - span) // stride + 1 for size, span, pad, stride in rows]


def plain(seed: int) -> tuple[Net, Tensor]:
    """Convolutions and pools of any kind, then dense layers."""
    net = Net((3, 12, 10), seed)
    x = net.start(8)
    for _ in range(net.pick(2, 3)):
        kernel = net.pick(1, 3, (3, 1), (1, 3), 5)
        x = net.relu_of(net.convolve(x, net.pick(4, 6, 8), kernel))
    x = net.max_pool(x, *net.pick((2, 2, 0), (3, 2, 1), (3, 3, 0)))
    return net, net.dense(net.relu_of(net.dense(x, 8)), 5)


def resnet(seed: int) -> tuple[Net, Tensor]:
    """A stem with a pool, blocks with and without projection, an average."""
    net = Net((3, 16, 16), seed)
    x = net.relu_of(net.convolve(net.start(8), 8, net.pick(3, 5, 7), strides=[2, 2]))
    x = net.max_pool(x, 3, 2, 1)
    for channels, stride in ((8, 1), (net.pick(12, 16), 2))[: net.pick(1, 2)]:
        x = net.residual(x, channels, stride)
    return net, net.dense(net.whole(x), 6)


def deep_resnet(seed: int) -> tuple[Net, Tensor]:
    """Strides down to a single pixel."""
    net = Net((2, 8, 8), seed)
    x = net.relu_of(net.convolve(net.start(), 4))
    for channels in (4, 6, 8):
        x = net.residual(x, channels, 2)
    return net, net.dense(x, 4)


def separable(seed: int) -> tuple[Net, Tensor]:
    """Depthwise and pointwise convolutions, as of MobileNet."""
    net = Net((3, 12, 12), seed)
    x = net.relu_of(net.convolve(net.start(8), 8, strides=[2, 2]))
    for stride in (1, net.pick(1, 2)):
        x = net.relu_of(net.convolve(x, x.channels, 3, group=x.channels, strides=[stride] * 2))
        x = net.relu_of(net.convolve(x, net.pick(8, 12), 1))
    return net, net.dense(net.whole(x), 5)


def dense_blocks(seed: int) -> tuple[Net, Tensor]:
    """Every layer reads all before it."""
    net = Net((3, 8, 8), seed)
    scale = 0.5
    x = net.relu_of(net.convolve(net.start(), 4), 4, scale)
    for _ in range(net.pick(1, 2)):
        x = net.join("Concat", x, net.relu_of(net.convolve(x, 4), 4, scale))
    x = net.relu_of(net.convolve(x, 6, 1))
    return net, net.dense(net.max_pool(x), 4)


def unet(seed: int) -> tuple[Net, Tensor]:
    """Down, up, and joined with what went down."""
    net = Net((2, 8, 8), seed)
    x = net.relu_of(net.convolve(net.start(), 4), 4, 0.5)
    low = net.relu_of(net.convolve(net.max_pool(x), 6), 4, 0.5)
    x = net.join("Concat", x, net.larger(low))
    return net, net.convolve(net.relu_of(net.convolve(x, 4)), 2, 1)


def perceptron(seed: int) -> tuple[Net, Tensor]:
    """Dense layers of several widths."""
    net = Net((10 + seed % 3 * 7,), seed)
    x = net.start(net.pick(2, 4, 8))
    for _ in range(net.pick(1, 2, 3)):
        x = net.pick(net.relu_of, net.identity)(net.dense(x, net.pick(6, 8, 16)))
    return net, net.dense(x, net.pick(1, 3, 10))


def binary(seed: int) -> tuple[Net, Tensor]:
    """Weights and activations of one bit."""
    net = Net((16,), seed)
    x = net.sign(net.start()) if net.pick(0, 1) else net.start(2)
    for width in (16, 12)[: net.pick(1, 2)]:
        x = net.sign(net.dense(x, width, 1))
    return net, net.dense(x, 4, net.pick(1, 2))


def binary_images(seed: int) -> tuple[Net, Tensor]:
    """Convolutions of one bit, which cannot be padded."""
    net = Net((3, 8, 8), seed)
    x = net.sign(net.convolve(net.start(8), 8, pads=[0] * 4, bits=1))
    x = net.sign(net.convolve(x, 6, pads=[0] * 4, bits=1))
    x = net.max_pool(x) if net.pick(0, 1) else x
    return net, net.dense(x, 4, 1)


def signal(seed: int) -> tuple[Net, Tensor]:
    """Speech or radio: convolutions over samples."""
    net = Net((2, 32), seed)
    x = net.relu_of(net.convolve(net.start(), 4, net.pick(3, 5)), 4, 0.5)
    if net.pick(0, 1):
        x = net.join("Concat", x, net.relu_of(net.convolve(x, 4, 3), 4, 0.5))
    x = net.max_pool(net.relu_of(net.convolve(x, 8, 3, strides=[net.pick(1, 2)])))
    return net, net.dense(net.whole(x) if net.pick(0, 1) else x, 5)


def residual_signal(seed: int) -> tuple[Net, Tensor]:
    """The same with a block of ResNet."""
    net = Net((2, 16), seed)
    x = net.residual(net.relu_of(net.convolve(net.start(), 6, 3)), net.pick(6, 8), net.pick(1, 2))
    return net, net.dense(net.whole(x), 3)


def split(seed: int) -> tuple[Net, Tensor]:
    """Half of the channels goes on, half is joined later, as of ShuffleNet and CSPNet."""
    net = Net((4, 8, 8), seed)
    early, late = net.halves(net.relu_of(net.convolve(net.start(), 8), 4, 0.5))
    x = net.join("Concat", net.relu_of(net.convolve(early, 4), 4, 0.5), late)
    return net, net.convolve(net.relu_of(net.convolve(x, 4)), 2, 1)


def wide_windows(seed: int) -> tuple[Net, Tensor]:
    """Dilated and grouped convolutions, unequal strides and pads."""
    net = Net((4, 12, 12), seed)
    x = net.relu_of(net.convolve(net.start(), 8, 3, dilations=[2, 2], pads=[2] * 4))
    x = net.relu_of(net.convolve(x, 8, 3, group=net.pick(2, 4), strides=[2, 1]))
    x = net.relu_of(net.convolve(x, 4, (2, 3), pads=net.pick([0, 1, 1, 1], [0] * 4)))
    return net, net.convolve(x, 3, 1)


def averaged(seed: int) -> tuple[Net, Tensor]:
    """Averages between layers, as transitions of DenseNet."""
    net = Net((2, 8, 8), seed)
    x = net.average(net.relu_of(net.convolve(net.start(), 6), 4))
    x = net.relu_of(net.convolve(net.identity(x, 5, float(x.unit)), 4))
    return net, net.dense(net.whole(x), 4)


def gated(seed: int) -> tuple[Net, Tensor]:
    """Products, differences and sums of two branches."""
    net = Net((3, 8, 8), seed)
    x = net.relu_of(net.convolve(net.start(), 4))
    ways = [net.identity(net.convolve(x, 4, kernel), 4, 0.5) for kernel in (1, 3)]
    kind = net.pick("Mul", "Add", "Sub")
    both = net.identity(net.join(kind, *ways), 5, 0.25 if kind == "Mul" else 0.5)
    return net, net.convolve(net.relu_of(net.convolve(both, 4)), 2, 1)


def summed(seed: int) -> tuple[Net, Tensor]:
    """Branches that meet before they are quantised, with biases and scales by channel."""
    net = Net((3, 8, 8), seed)
    x = net.relu_of(net.convolve(net.start(), 4))
    ways = [net.convolve(x, 4, kernel, scale=0.125, normal=False) for kernel in (1, 3)]
    both = net.join(net.pick("Add", "Sub"), *ways)
    return net, net.convolve(net.relu_of(net.normalised(replace(both, unit=ways[0].unit), 0.5)), 2, 1)


def mean_of_pixels(seed: int) -> tuple[Net, Tensor]:
    """A head without dense layers."""
    net = Net((3, 8, 8), seed)
    x = net.relu_of(net.convolve(net.start(), 6, strides=[2, 2]))
    return net, net.whole(net.relu_of(net.convolve(x, 4, 1), 4))


FAMILIES: tuple[Callable[[int], tuple[Net, Tensor]], ...] = (
    plain,
    resnet,
    deep_resnet,
    separable,
    dense_blocks,
    unet,
    perceptron,
    binary,
    binary_images,
    signal,
    residual_signal,
    split,
    wide_windows,
    averaged,
    gated,
    summed,
    mean_of_pixels,
)


def make(seed: int, folder: Path) -> tuple[Path, np.ndarray, np.ndarray]:
    """Write a network; returns it, inputs of some frames, and its outputs for them."""
    net, end = FAMILIES[seed % len(FAMILIES)](seed)
    path = net.save(end.name, (1, *end.shape), folder / "model.onnx")
    frames = np.random.default_rng(seed).normal(size=(FRAMES, 1, *net.shape)).astype(np.float32)
    return path, frames, evaluate(onnx.load(path), frames)
