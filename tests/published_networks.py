# SPDX-License-Identifier: BSD-3-Clause
"""Networks of the publications that split is compared with: their shapes and bits, random weights.

BNNsplit cuts CNV, the six-ZedBoard paper MobileNetV1, Elastic-DF and its successors ResNet-50.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "residual"))
from qonnx_export import Export


class _Net(Export):
    """Layers with bits of their own."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__((1, *shape))

    def image(self) -> str:
        """Pixels of 8 bits, as FINN's examples take them."""
        return self.quant("global_in", np.float32(1 / 256), 8, signed=False)

    def unit(
        self,
        tensor: str,
        channels: tuple[int, int],
        kernel: int,
        bits: tuple[int, int],
        stride: int = 1,
        pad: int = 0,
        group: int = 1,
    ) -> str:
        """Convolution and quantised Relu; ``bits`` of weights and of activations."""
        made = self.linear(tensor, channels, kernel, bits[0], stride, pad, group)
        return self.relu(made, 0.5, bits[1])

    def linear(
        self,
        tensor: str,
        channels: tuple[int, int],
        kernel: int,
        bits: int,
        stride: int = 1,
        pad: int = 0,
        group: int = 1,
    ) -> str:
        shape = (channels[1], channels[0] // group, kernel, kernel)
        weights = self.trained(self.rng.normal(size=shape), bits)
        attributes: dict[str, Any] = {
            "pads": [pad] * 4,
            "strides": [stride] * 2,
            "dilations": [1, 1],
            "group": group,
        }
        return self.op("Conv", tensor, weights, kernel_shape=[kernel] * 2, **attributes)

    def dense(self, tensor: str, inputs: int, outputs: int, bits: int) -> str:
        return self.op("MatMul", tensor, self.trained(self.rng.normal(size=(inputs, outputs)), bits))


def cnv(bits: int = 2) -> onnx.ModelProto:
    """CNV of FINN's examples: six convolutions and three dense layers, CIFAR-10."""
    net = _Net((3, 32, 32))
    x, last = net.image(), 3
    for index, channels in enumerate((64, 64, 128, 128, 256, 256)):
        x = net.unit(x, (last, channels), 3, (bits, bits))
        if index in (1, 3):
            x = net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
        last = channels
    x = net.op("Flatten", x, axis=1)
    for width in (512, 512):
        x = net.relu(net.dense(x, last, width, bits), 0.5, bits)
        last = width
    return net.model(net.dense(x, last, 10, bits), (1, 10))


def mobilenet() -> onnx.ModelProto:
    """MobileNetV1 of FINN's examples: 4 bits, weights of the first layer 8."""
    net = _Net((3, 224, 224))
    x = net.unit(net.image(), (3, 32), 3, (8, 4), 2, 1)
    last = 32
    blocks = (
        (64, 1),
        (128, 2),
        (128, 1),
        (256, 2),
        (256, 1),
        (512, 2),
        *[(512, 1)] * 5,
        (1024, 2),
        (1024, 1),
    )
    for channels, stride in blocks:
        x = net.unit(x, (last, last), 3, (4, 4), stride, 1, last)
        x = net.unit(x, (last, channels), 1, (4, 4))
        last = channels
    x = net.quant(net.op("GlobalAveragePool", x), 0.5, 4, signed=False)
    x = net.op("Flatten", x, axis=1)
    return net.model(net.dense(x, last, 1000, 4), (1, 1000))


def resnet50() -> onnx.ModelProto:
    """ResNet-50 with weights of 4 and activations of 5 bits, 8 in the first and the last layer."""
    net = _Net((3, 224, 224))
    bits = (4, 5)
    x = net.unit(net.image(), (3, 64), 7, (8, 5), 2, 3)
    x = net.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    last = 64
    for width, count, first in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for index in range(count):
            stride = first if index == 0 else 1
            y = net.unit(x, (last, width), 1, bits)
            y = net.unit(y, (width, width), 3, bits, stride, 1)
            y = net.quant(net.linear(y, (width, 4 * width), 1, bits[0]), 0.5, bits[1], signed=True)
            skip = net.linear(x, (last, 4 * width), 1, bits[0], stride) if index == 0 else x
            skip = net.quant(skip, 0.5, bits[1], signed=True)
            x = net.relu(net.op("Add", y, skip), 0.5, bits[1])
            last = 4 * width
    x = net.quant(net.op("GlobalAveragePool", x), 0.5, 5, signed=False)
    return net.model(net.dense(net.op("Flatten", x, axis=1), last, 1000, 8), (1, 1000))
