# SPDX-License-Identifier: BSD-3-Clause
"""Make ``residual.onnx``: a small residual CNN for 8x8 digits, as a training framework would export it.

``python examples/residual/build.py``. The convolutions are random and stay so. Only the last matrix is fitted
by ridge regression, on what they make of the training images: that takes a second and is good enough.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "digits"))
from network import load_split
from qonnx_export import Export

HERE = Path(__file__).parent
CHANNELS = 8
SEED = 7
RIDGE = 30.0
Array = np.ndarray


def quantised(values: Array, scale: float, low: int, high: int) -> Array:
    """Values as a Quant node leaves them."""
    return np.clip(np.rint(values / scale), low, high) * scale


def weights(rng: np.random.Generator, *shape: int) -> Array:
    """Random weights, of 4 bits from -7 to 7 steps."""
    drawn = rng.normal(size=shape)
    return quantised(drawn, float(np.abs(drawn).max()) / 7, -7, 7)


def convolved(images: Array, kernel: Array) -> Array:
    """3x3 convolution with a border of zeros, images (n, channels, 8, 8)."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    views = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return np.asarray(np.einsum("ncyxij,ocij->noyx", views, kernel))


def step_of(values: Array, levels: int) -> float:
    """Size of a quantiser's step, a power of two, so that few values are out of its range."""
    return float(2.0 ** np.round(np.log2(np.quantile(np.abs(values), 0.98) / levels)))


def build(path: Path) -> float:
    """Write the model; returns the share of held-out images that it gets right, in floating point."""
    images, labels, held_out, answers = load_split()
    rng = np.random.default_rng(SEED)
    kernels = [weights(rng, CHANNELS, 1 if index == 0 else CHANNELS, 3, 3) for index in range(3)]
    net = Export((1, 1, 8, 8))
    tensor = net.quant("global_in", 1.0, 4, signed=False)
    both = np.concatenate([images, held_out]).reshape(-1, 1, 8, 8).astype(float)

    def conv(tensor: str, kernel: Array) -> str:
        shape: dict[str, Any] = {"kernel_shape": [3, 3], "pads": [1] * 4, "strides": [1, 1]}
        return net.op("Conv", tensor, net.trained(kernel), **shape, dilations=[1, 1], group=1)

    first = np.maximum(convolved(both, kernels[0]), 0)
    step = step_of(first, 15)
    values, tensor = quantised(first, step, 0, 15), net.relu(conv(tensor, kernels[0]), step)
    inner = np.maximum(convolved(values, kernels[1]), 0)
    inner_step = step_of(inner, 15)
    branch = convolved(quantised(inner, inner_step, 0, 15), kernels[2])
    # Both sides of a sum need one scale, or FINN cannot move it behind: the branch is scaled to fit.
    gain = float(2.0 ** np.round(np.log2(step * 7 / np.quantile(np.abs(branch), 0.98))))
    branch = quantised(branch * gain, step, -8, 7)
    side = conv(net.relu(conv(tensor, kernels[1]), inner_step), kernels[2])
    side = net.quant(net.op("Mul", side, net.constant(gain)), step, 4, signed=True)
    total = np.maximum(values + branch, 0)
    values, tensor = quantised(total, step, 0, 15), net.relu(net.op("Add", tensor, side), step)
    values = values.reshape(-1, CHANNELS, 4, 2, 4, 2).max(axis=(3, 5))
    tensor = net.op("MaxPool", tensor, kernel_shape=[2, 2], strides=[2, 2], pads=[0] * 4)
    features = values.reshape(len(values), -1)
    matrix = fitted(features[: len(images)], labels)
    flat = net.op("Flatten", tensor, axis=1)
    net.save(net.op("Gemm", flat, net.trained(matrix, bits=6), transB=1), (1, 10), path)
    return float(((features[len(images) :] @ matrix.T).argmax(axis=1) == answers).mean())


def fitted(features: Array, labels: Array) -> Array:
    """Fit (10, features) to the labels, without a bias: whole numbers keep the order of the logits."""
    wanted = np.eye(10)[labels] * 2 - 1
    gram = features.T @ features / features.std() ** 2 + RIDGE * np.eye(features.shape[1])
    return np.linalg.solve(gram, features.T @ wanted / features.std() ** 2).T


if __name__ == "__main__":
    print(f"{build(HERE / 'residual.onnx'):.2%} of the held-out images in floating point")
