# SPDX-License-Identifier: BSD-3-Clause
"""Networks of one bit and their kin as exports: BipolarQuant weights, activations of other types."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "residual"))
from qonnx_export import Export


class BinaryExport(Export):
    """An export in which weights are -1 and +1 and activations have `bits`."""

    def __init__(self, shape: tuple[int, ...], bits: int, seed: int = 1) -> None:
        super().__init__(shape, seed)
        self.bits = bits

    def bipolar(self, tensor: str, scale: float = 1.0) -> str:
        """Quantise to one bit, as Brevitas exports it."""
        return self.op("BipolarQuant", tensor, self.constant(scale), domain="onnx.brevitas")

    def activation(self, tensor: str, channels: int) -> str:
        """Normalise and quantise: to one bit, or to a narrow range of more."""
        normal = self.batch_norm(tensor, channels)
        if self.bits == 1:
            return self.bipolar(normal)
        return self.quant(normal, 0.5, self.bits, signed=True, narrow=True)

    def signs(self, *shape: int) -> str:
        """Random weights of one bit with a scale."""
        return self.bipolar(self.constant(self.rng.normal(size=shape)), 0.1)

    def dense(self, tensor: str, inputs: int, outputs: int) -> str:
        """Multiply by a matrix of signs."""
        return self.op("MatMul", tensor, self.signs(inputs, outputs))

    def binary_conv(self, tensor: str, channels: tuple[int, int], groups: int = 1, pad: int = 0) -> str:
        """Convolve with 3x3 signs."""
        inputs, outputs = channels
        weights = self.signs(outputs, inputs // groups, 3, 3)
        window: dict[str, Any] = {"kernel_shape": [3, 3], "pads": [pad] * 4, "strides": [1, 1]}
        return self.op("Conv", tensor, weights, group=groups, dilations=[1, 1], **window)

    def pool(self, tensor: str) -> str:
        """Largest of 2x2."""
        return self.op("MaxPool", tensor, kernel_shape=[2, 2], strides=[2, 2], pads=[0] * 4)


def mlp(path: Path, bits: int, sizes: Sequence[int], first_bits: int = 1) -> Path:
    """Write layers of signs, `sizes` wide; the input has `first_bits`."""
    net = BinaryExport((1, sizes[0]), bits)
    one = first_bits == 1
    x = net.bipolar("global_in") if one else net.quant("global_in", 1 / 64, first_bits, signed=True)
    for inputs, outputs in itertools.pairwise(sizes[:-1]):
        x = net.activation(net.dense(x, inputs, outputs), outputs)
    return net.save(net.dense(x, sizes[-2], sizes[-1]), (1, sizes[-1]), path)


def cnv(path: Path, bits: int, size: int, blocks: Sequence[Sequence[int]], dense: Sequence[int]) -> Path:
    """Write convolutions of signs with a pool between blocks of them, then dense layers, on RGB of 8 bits."""
    net = BinaryExport((1, 3, size, size), bits)
    x, channels = net.quant("global_in", 1 / 128, 8, signed=True), 3
    for index, block in enumerate(blocks):
        if index:
            x, size = net.pool(x), size // 2
        for outputs in block:
            x = net.activation(net.binary_conv(x, (channels, outputs)), outputs)
            channels, size = outputs, size - 2
    x, inputs = net.op("Flatten", x, axis=1), channels * size * size
    for outputs in dense[:-1]:
        x, inputs = net.activation(net.dense(x, inputs, outputs), outputs), outputs
    return net.save(net.dense(x, inputs, dense[-1]), (1, dense[-1]), path)


def pooled_head(path: Path, size: int) -> Path:
    """Write a convolution, a global average over `size` squared pixels of 4 bits, and a dense layer."""
    net = Export((1, 4, size, size))
    x = net.relu(net.conv(net.quant("global_in", 1, 4, signed=False), (4, 6)))
    flat = net.op("Flatten", net.op("GlobalAveragePool", x), axis=1)
    return net.save(net.gemm(flat, 6, 3), (1, 3), path)


def depthwise(path: Path, bits: int) -> Path:
    """Write depthwise convolutions with pointwise ones between; of one bit each second one is of signs."""
    net = BinaryExport((1, 4, 8, 8), 4)
    x = net.quant("global_in", 1, 4, signed=False)
    x = net.relu(net.batch_norm(net.conv(x, (4, 4), group=4), 4))
    x = net.relu(net.conv(x, (4, 6), kernel=1))
    wide = net.binary_conv(x, (6, 6), groups=6) if bits == 1 else net.conv(x, (6, 6), group=6, strides=[2, 2])
    x = net.op("Flatten", net.relu(net.batch_norm(wide, 6)), axis=1)
    inputs = 6 * (6 if bits == 1 else 4) ** 2
    return net.save(net.gemm(x, inputs, 3), (1, 3), path)


def frames(shape: Sequence[int], count: int, low: float = -1, high: float = 1) -> NDArray[np.float64]:
    """Return random inputs."""
    return np.random.default_rng(0).uniform(low, high, (count, *shape))
