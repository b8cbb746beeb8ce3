# SPDX-License-Identifier: BSD-3-Clause
"""Networks over sequences of tokens: products of two streams, transposes, parts of a sequence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy_layers import Net, Value

Made = tuple[Net, Value, Value]


class Tokens(Net):
    """Frames of tokens by channels."""

    tokens = True

    def linear(self, x: Value, outputs: int, bits: int = 4) -> Value:
        """Multiply each token by a matrix."""
        most = 2 ** (bits - 1) - 1
        values = self.rng.integers(-most, most + 1, (x.shape[-1], outputs)) * 0.125
        weights = self.quant(self.constant(values), 0.125, bits, signed=True, narrow=True)
        return replace(x, name=self.op("MatMul", x.name, weights), data=x.data @ values, unit=x.unit * 0.125)

    def product(self, left: Value, right: Value) -> Value:
        unit = float(left.unit) * float(right.unit)
        return replace(
            left, name=self.op("MatMul", left.name, right.name), data=left.data @ right.data, unit=unit
        )

    def turned(self, x: Value) -> Value:
        return replace(x, name=self.op("Transpose", x.name, perm=[0, 2, 1]), data=x.data.swapaxes(1, 2))

    def part(self, x: Value, first: int, end: int) -> Value:
        """Keep some tokens."""
        bounds = (self.constant([bound], np.int64) for bound in (first, end, 1))
        return replace(x, name=self.op("Slice", x.name, *bounds), data=x.data[:, first:end])

    def padded(self, x: Value, before: int, behind: int) -> Value:
        """Add tokens of zeros."""
        pads = self.constant([0, before, 0, 0, behind, 0], np.int64)
        around = ((0, 0), (before, behind), (0, 0))
        return replace(x, name=self.op("Pad", x.name, pads), data=np.pad(x.data, around))


def attention(seed: int) -> Made:
    """Products of two streams, with a Relu in place of a softmax."""
    net = Tokens(seed, 4, 6)
    first = net.start(4)
    queries, keys, values = (net.quantise(net.linear(first, 6), 4) for _ in range(3))
    scores = net.relu_of(net.product(queries, net.turned(keys)), 4)
    return net, first, net.linear(net.quantise(net.product(scores, values), 4), 3)


def turned_tokens(seed: int) -> Made:
    """Layers over channels and over tokens in turn, as of an MLP mixer."""
    net = Tokens(seed, 4, 6)
    first = net.start(4)
    x = net.turned(net.relu_of(net.linear(first, 8), 4))
    return net, first, net.linear(net.turned(net.relu_of(net.linear(x, 5), 3)), 3)


def part_of_a_sequence(seed: int) -> Made:
    """Some tokens go on, and zeros are added around what they become."""
    net = Tokens(seed, 6, 4)
    first = net.start(4)
    x = net.part(net.relu_of(net.linear(first, 5), 4), 1, 5)
    return net, first, net.linear(net.padded(net.relu_of(net.linear(x, 5), 4), 1, 2), 3)
