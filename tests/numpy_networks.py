# SPDX-License-Identifier: BSD-3-Clause
"""Small networks over all kinds of layers, each with the integers that numpy computes for it.

Each function draws a network from its seed and returns the net, its first quantised value and its output.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy_averages
from numpy_layers import Net, Value
from numpy_tokens import attention, part_of_a_sequence, turned_tokens

Made = tuple[Net, Value, Value]
Maker = Callable[[int], Made]


@dataclass(frozen=True)
class Network:
    name: str
    make: Maker
    seed: int


NETWORKS: list[Network] = []


def network(seed: int = 1) -> Callable[[Maker], Maker]:
    def add(make: Maker) -> Maker:
        NETWORKS.append(Network(make.__name__, make, seed))
        return make

    return add


def _layers(seed: int, bits: int, weights: int, inputs: int = 12) -> Made:
    """Two dense layers with quantised Relus, and a third."""
    net = Net(seed, inputs)
    first = x = net.start(bits)
    for width in (10, 8):
        x = net.relu_of(net.dense(x, width, weights, bias=True), bits)
    return net, first, net.dense(x, 5, weights)


@network()
def dense_4_bits(seed: int) -> Made:
    return _layers(seed, 4, 4)


@network()
def dense_8_bits(seed: int) -> Made:
    return _layers(seed, 8, 8)


@network()
def dense_ternary(seed: int) -> Made:
    return _layers(seed, 3, 2)


@network()
def dense_6_by_5_bits(seed: int) -> Made:
    return _layers(seed, 6, 5, inputs=7)


@network()
def binary_weights(seed: int) -> Made:
    return _layers(seed, 4, 1)


@network()
def binary_everything(seed: int) -> Made:
    net = Net(seed, 16)
    first = net.start(4)
    x = net.sign(net.dense(net.sign(first), 15, 1, bias=True))
    return net, first, net.dense(x, 4, 1)


@network()
def sums_of_ten_bits(seed: int) -> Made:
    """Many inputs, so that the last sums are wide."""
    net = Net(seed, 96)
    first = net.start(8)
    x = net.relu_of(net.dense(first, 24, 6), 8)
    return net, first, net.dense(x, 10, 8)


@network()
def scales_by_channel(seed: int) -> Made:
    net = Net(seed, 9)
    first = net.start(5)
    x = net.relu_of(net.dense(first, 12, 4, by_channel=True, bias=True), 4)
    return net, first, net.dense(x, 3, 4, by_channel=True)


@network()
def zero_point(seed: int) -> Made:
    """Activations whose zero is not the integer zero."""
    net = Net(seed, 8)
    first = net.start(4, signed=False, zero=5)
    x = net.relu_of(net.dense(first, 6, bias=True), 4)
    return net, first, net.dense(x, 4)


@network()
def rounding_down(seed: int) -> Made:
    net = Net(seed, 8)
    first = net.start(4)
    x = net.relu_of(net.dense(first, 9, bias=True), 4, down=True, ties=False)
    return net, first, net.dense(x, 4)


@network()
def shared_weights(seed: int) -> Made:
    """One matrix for two layers."""
    net = Net(seed, 8)
    first = net.start(4)
    shared = net.kernel((8, 8), 4)
    x = net.relu_of(net.dense(first, 8, weights=shared, bias=True), 4)
    return net, first, net.dense(net.relu_of(net.dense(x, 8, weights=shared, bias=True), 4), 3)


def _function(seed: int, kind: str, bits: int = 4, **how: bool) -> Made:
    net = Net(seed, 8)
    first = net.start(4)
    x = net.dense(first, 9, bias=True)
    x = net.quantise(net.function(kind, x), bits, 1 / 2 ** (bits - 1), **how)
    return net, first, net.dense(x, 4)


@network()
def tanh(seed: int) -> Made:
    return _function(seed, "Tanh")


@network()
def sigmoid(seed: int) -> Made:
    return _function(seed, "Sigmoid", signed=False)


@network()
def hard_sigmoid(seed: int) -> Made:
    return _function(seed, "HardSigmoid", signed=False)


@network()
def softsign(seed: int) -> Made:
    return _function(seed, "Softsign", 5)


@network()
def elu(seed: int) -> Made:
    return _function(seed, "Elu")


@network()
def leaky_relu(seed: int) -> Made:
    net = Net(seed, 8)
    first = net.start(4)
    x = net.quantise(net.leaky(net.dense(first, 9, bias=True), 0.25, learned=False), 4)
    return net, first, net.dense(x, 4)


@network()
def learned_slope(seed: int) -> Made:
    net = Net(seed, 3, 6, 6)
    first = net.start(4)
    x = net.quantise(net.leaky(net.convolve(first, 4, bias=True), 0.125, learned=True), 4)
    return net, first, net.dense(x, 4)


@network()
def clipped(seed: int) -> Made:
    net = Net(seed, 8)
    first = net.start(4)
    x = net.quantise(net.clip(net.dense(first, 9, bias=True), 0.0, 2.0), 3, 0.25, signed=False)
    return net, first, net.dense(x, 4)


@network()
def images(seed: int) -> Made:
    net = Net(seed, 3, 8, 8)
    first = net.start(8, signed=False)
    x = net.relu_of(net.convolve(first, 6, bias=True), 4)
    return net, first, net.convolve(x, 2, 1)


@network()
def valid_windows(seed: int) -> Made:
    net = Net(seed, 2, 9, 9)
    first = net.start(4)
    x = net.relu_of(net.convolve(first, 4, 5, pads=[0] * 4, bias=True), 3)
    return net, first, net.dense(x, 5)


@network()
def unequal_windows(seed: int) -> Made:
    net = Net(seed, 3, 9, 8)
    first = net.start(4)
    x = net.relu_of(net.convolve(first, 4, (2, 3), strides=[2, 1], pads=[0, 1, 1, 1], bias=True), 3)
    return net, first, net.convolve(x, 3, (3, 1), pads=[0] * 4)


@network()
def dilated(seed: int) -> Made:
    net = Net(seed, 2, 9, 9)
    first = net.start(4)
    x = net.relu_of(net.convolve(first, 4, 3, dilations=[2, 3], pads=[2, 3, 2, 3], bias=True), 3)
    return net, first, net.convolve(x, 2, 1)


@network()
def depthwise(seed: int) -> Made:
    net = Net(seed, 3, 8, 8)
    first = net.start(4)
    x = net.relu_of(net.convolve(first, 3, 3, group=3, bias=True), 4)
    return net, first, net.convolve(x, 4, 1)


@network()
def groups(seed: int) -> Made:
    net = Net(seed, 4, 6, 6)
    first = net.start(4)
    x = net.relu_of(net.convolve(first, 8, 3, group=2, bias=True), 3)
    return net, first, net.convolve(x, 3, 1)


@network()
def separable(seed: int) -> Made:
    net = Net(seed, 3, 10, 10)
    first = net.start(8, signed=False)
    x = net.relu_of(net.normalise(net.convolve(first, 4, 3, strides=[2, 2])), 4)
    x = net.relu_of(net.normalise(net.convolve(x, 4, 3, group=4)), 4)
    x = net.relu_of(net.normalise(net.convolve(x, 6, 1)), 4)
    return net, first, net.dense(net.whole(x), 3)


@network()
def normalised(seed: int) -> Made:
    """BatchNormalization, with negative factors and scales by channel."""
    net = Net(seed, 3, 6, 6)
    first = net.start(4)
    x = net.relu_of(net.normalise(net.convolve(first, 6, by_channel=True)), 4)
    return net, first, net.dense(x, 4)


@network()
def max_pool(seed: int) -> Made:
    net = Net(seed, 2, 8, 8)
    first = net.start(4)
    x = net.max_pool(net.relu_of(net.convolve(first, 4, bias=True), 3))
    return net, first, net.dense(x, 4)


@network()
def signed_max_pool(seed: int) -> Made:
    """Padded, so that zeros would win over negative values."""
    net = Net(seed, 2, 8, 8)
    first = net.start(4)
    x = net.max_pool(net.quantise(net.convolve(first, 4, bias=True), 4), 3, 2, 1)
    return net, first, net.dense(x, 4)


@network()
def rounded_up_pool(seed: int) -> Made:
    net = Net(seed, 2, 7, 7)
    first = net.start(4)
    x = net.max_pool(net.relu_of(net.convolve(first, 4, bias=True), 3), 2, 2, up=True)
    return net, first, net.convolve(x, 2, 1)


def _branches(net: Net, x: Value, channels: int = 4) -> tuple[Value, Value]:
    """Two convolutions of one tensor, quantised with one scale."""
    ways = [net.convolve(x, channels, kernel, bias=True) for kernel in (3, 1)]
    return net.quantise(ways[0], 4, 0.46875), net.quantise(ways[1], 4, 0.46875)


@network()
def identity_block(seed: int) -> Made:
    net = Net(seed, 4, 8, 8)
    first = net.start(4)
    x = net.relu_of(net.convolve(first, 4, bias=True), 3, scale=0.5)
    far = net.quantise(net.convolve(x, 4, bias=True), 4, 0.5)
    return net, first, net.dense(net.relu_of(net.join("Add", far, x), 4, scale=0.75), 3)


@network()
def projection_block(seed: int) -> Made:
    net = Net(seed, 3, 8, 8)
    first = net.start(4)
    x = net.relu_of(net.convolve(first, 4, bias=True), 3)
    far = net.relu_of(net.convolve(x, 6, 3, strides=[2, 2], bias=True), 3)
    far = net.quantise(net.convolve(far, 6, bias=True), 4, 0.75)
    near = net.quantise(net.convolve(x, 6, 1, strides=[2, 2], bias=True), 4, 0.75)
    return net, first, net.dense(net.relu_of(net.join("Add", far, near), 3, scale=1.5 * 0.75), 3)


@network()
def difference(seed: int) -> Made:
    net = Net(seed, 3, 6, 6)
    first = net.start(4)
    x = net.join("Sub", *_branches(net, first))
    return net, first, net.dense(net.quantise(x, 4, 3 * 0.46875), 4)


@network()
def product(seed: int) -> Made:
    net = Net(seed, 3, 6, 6)
    first = net.start(4)
    x = net.join("Mul", *_branches(net, first))
    return net, first, net.dense(net.quantise(x, 4, 5 * 0.46875**2), 4)


@network()
def dense_block(seed: int) -> Made:
    """Every layer reads all before it."""
    net = Net(seed, 3, 6, 6)
    first = net.start(4)
    x = net.relu_of(net.convolve(first, 4, bias=True), 4, scale=0.5)
    for _ in range(2):
        x = net.join("Concat", x, net.relu_of(net.convolve(x, 4, bias=True), 4, scale=0.5))
    return net, first, net.convolve(x, 2, 1)


@network()
def halves(seed: int) -> Made:
    """Unequal parts of the channels; one goes on, the other is joined later."""
    net = Net(seed, 3, 6, 6)
    first = net.start(4)
    x = net.relu_of(net.convolve(first, 8, bias=True), 4, scale=0.5)
    early, late = net.split(x, 6, 2)
    x = net.join("Concat", net.relu_of(net.convolve(early, 4, bias=True), 4, scale=0.5), late)
    return net, first, net.convolve(x, 2, 1)


@network()
def down_and_up(seed: int) -> Made:
    net = Net(seed, 2, 8, 8)
    first = net.start(4)
    x = net.relu_of(net.convolve(first, 4, bias=True), 4, scale=0.5)
    low = net.relu_of(net.convolve(net.max_pool(x), 6, bias=True), 4, scale=0.5)
    return net, first, net.convolve(net.join("Concat", x, net.enlarge(low)), 2)


@network()
def pixels_of_channels(seed: int) -> Made:
    net = Net(seed, 2, 6, 6)
    first = net.start(4)
    x = net.to_depth(net.relu_of(net.convolve(first, 4, bias=True), 4))
    x = net.to_space(net.relu_of(net.convolve(x, 8, 1, bias=True), 4))
    return net, first, net.convolve(x, 2)


@network()
def subpixels(seed: int) -> Made:
    """The other order of channels, that of PyTorch's PixelShuffle."""
    net = Net(seed, 2, 6, 6)
    first = net.start(4)
    x = net.to_space(net.relu_of(net.convolve(first, 8, bias=True), 4), 2, "CRD")
    return net, first, net.convolve(x, 2, 1)


@network()
def signals(seed: int) -> Made:
    net = Net(seed, 2, 32)
    first = net.start(8)
    x = net.max_pool(net.relu_of(net.convolve(first, 4, 5, bias=True), 4))
    return net, first, net.dense(net.relu_of(net.convolve(x, 6, 3, strides=[2], bias=True), 3), 4)


@network()
def binary_images(seed: int) -> Made:
    net = Net(seed, 3, 8, 8)
    first = net.start(8)
    x = net.sign(net.convolve(first, 8, 3, 1, pads=[0] * 4, bias=True))
    x = net.sign(net.convolve(x, 6, 3, 1, pads=[0] * 4, bias=True))
    return net, first, net.dense(x, 4, 1)


@network()
def quantised_end(seed: int) -> Made:
    """The last layer is a quantiser, so that nothing stays with the host behind it."""
    net = Net(seed, 3, 6, 6)
    first = net.start(4)
    x = net.relu_of(net.convolve(first, 4, bias=True), 3)
    return net, first, net.quantise(net.convolve(x, 3, bias=True), 5)


for _make in (*numpy_averages.NETWORKS, attention, turned_tokens, part_of_a_sequence):
    network()(_make)
