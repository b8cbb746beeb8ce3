# SPDX-License-Identifier: BSD-3-Clause
"""Networks with averages, as `numpy_networks`."""

from __future__ import annotations

from numpy_layers import Net, Value

Made = tuple[Net, Value, Value]


def average_pool(seed: int) -> Made:
    net = Net(seed, 2, 8, 8)
    first = net.start(4)
    x = net.average(net.relu_of(net.convolve(first, 4, bias=True), 4))
    return net, first, net.dense(net.quantise(x, 4), 4)


def global_average(seed: int) -> Made:
    net = Net(seed, 3, 8, 8)
    first = net.start(4)
    x = net.relu_of(net.convolve(first, 6, bias=True), 4)
    return net, first, net.dense(net.whole(x), 5)


def mean_of_pixels(seed: int) -> Made:
    net = Net(seed, 3, 4, 4)
    first = net.start(4)
    x = net.relu_of(net.convolve(first, 6, bias=True), 4)
    return net, first, net.whole(x, "ReduceMean")


def truncated_average(seed: int) -> Made:
    """An average as Brevitas writes it: the sum of a window, without its lowest bits."""
    net = Net(seed, 2, 8, 8)
    first = net.start(4)
    x = net.relu_of(net.convolve(first, 4, bias=True), 4)
    x = net.truncate(net.times(net.average(x), 4), float(x.unit), (6, 4), former=True)
    return net, first, net.dense(x, 4)


def signed_truncated_average(seed: int) -> Made:
    """The same on signed values, with the inputs that Trunc has since qonnx 1.0."""
    net = Net(seed, 2, 9, 9)
    first = net.start(4)
    x = net.quantise(net.convolve(first, 4, bias=True), 4)
    x = net.truncate(net.times(net.average(x, 3), 9), float(x.unit), (8, 5), former=False)
    return net, first, net.dense(x, 4)


NETWORKS = (average_pool, global_average, mean_of_pixels, truncated_average, signed_truncated_average)
