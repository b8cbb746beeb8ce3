# SPDX-License-Identifier: BSD-3-Clause
"""Waits of ConvolutionInputGenerators, against the registers of FINN's RTL simulated cycle by cycle."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest

from shellgen.read.finn_onnx import Node
from shellgen.read.needs import need_of
from shellgen.read.recurrence import Recurrence
from shellgen.read.stalls import Ends, Waits, wait

FRAMES = 3
Pair = tuple[int, int]
Transfers = tuple[list[int], list[int]]


def geometry(draw: random.Random) -> Node:
    """A generator of a drawn shape, in either order of channels, sequential or with whole windows."""
    kernel = draw.choice(((3, 3), (2, 2), (3, 1), (1, 2), (1, 1), (5, 1)))
    stride = draw.choice(((1, 1), (2, 2), (2, 1))) if kernel != (1, 1) else (1, 1)
    dilation = draw.choice(((1, 1), (2, 1))) if kernel[0] > 1 else (1, 1)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    size = [least + draw.randint(0, 5) for least in reach]
    out = [(s - r) // step + 1 for s, r, step in zip(size, reach, stride, strict=True)]
    folds = draw.randint(1, 3)
    parallel = kernel == (1, 1) or draw.random() < 0.3
    attributes: dict[str, Any] = {
        "IFMDim": tuple(size),
        "OFMDim": tuple(out),
        "ConvKernelDim": kernel,
        "Stride": stride,
        "Dilation": dilation,
        "IFMChannels": folds,
        "SIMD": 1,
        "depthwise": int(draw.random() < 0.5),
        "parallel_window": int(parallel and kernel != (1, 1)),
    }
    return Node("ConvolutionInputGenerator_rtl", "swg", "finn", ("i",), ("o",), attributes)


def addresses(node: Node) -> tuple[list[list[int]], int, int]:
    """Return what is fetched window by window, the words of the buffer, and the least that it needs."""
    names = ("IFMDim", "OFMDim", "ConvKernelDim", "Stride", "Dilation")
    size, out, kernel, stride, dilation = (node.integers(name) or (1, 1) for name in names)
    folds = node.integer("IFMChannels") or 1
    found: list[list[int]] = []
    for row in range(out[0]):
        for column in range(out[1]):
            start = (row * stride[0] * size[1] + column * stride[1]) * folds
            pixels = [
                start + (y * dilation[0] * size[1] + x * dilation[1]) * folds
                for y in range(kernel[0])
                for x in range(kernel[1])
            ]
            if node.integer("depthwise") and folds > 1:
                found += [[pixel + channel for pixel in pixels] for channel in range(folds)]
            else:
                found.append([pixel + channel for pixel in pixels for channel in range(folds)])
    least = ((kernel[0] - 1) * dilation[0] * size[1] + (kernel[1] - 1) * dilation[1] + 1) * folds
    room = max(0, stride[1] - 1 - prod(kernel)) + max(0, (stride[0] - 1) * size[1] - prod(kernel))
    return found, least + room * folds, least


def ring(node: Node, words: int, gaps: Pair) -> Transfers:
    """The buffer that is addressed: a word is fetched while the one before leaves."""
    groups, depth, least = addresses(node)
    fetches = [address for group in groups for address in group]
    following = [group[0] for group in groups[1:]] + [groups[-1][0] + least - 1]
    newest, fetched, next_window, held, done = -1, 0, 0, False, False
    came: list[int] = []
    left: list[int] = []
    cycle = 0
    while len(left) < FRAMES * len(fetches):
        current = fetches[min(fetched, len(fetches) - 1)]
        over = fetched == len(fetches)
        leaves = held and (not left or cycle - left[-1] >= gaps[1])
        fetch = not over and current <= newest and (leaves or not held)
        free = over or (newest + 1 - depth < next_window and newest + 1 - depth < current)
        takes = newest < words - 1 and free and (not came or cycle - came[-1] >= gaps[0])
        if fetch:
            next_window = following[fetched // len(groups[0])]
            fetched += 1
        if leaves:
            left.append(cycle)
        held = fetch or (held and not leaves)
        if takes:
            came.append(cycle)
            newest += 1
        done = done or (leaves and over)
        if done and newest == words - 1:
            newest, fetched, next_window, done = -1, 0, 0, False
        cycle += 1
    return came, left


def registers(node: Node, words: int, gaps: Pair) -> Transfers:
    """Registers that shift: a window is complete with its last word, and leaves before the next."""
    names = ("IFMDim", "ConvKernelDim", "Dilation")
    size, kernel, dilation = (node.integers(name) or (1, 1) for name in names)
    groups, folds = addresses(node)[0], node.integer("IFMChannels") or 1
    reach = ((kernel[0] - 1) * dilation[0] * size[1] + (kernel[1] - 1) * dilation[1]) * folds
    starts = sorted({group[0] // folds * folds for group in groups})
    last = [start + reach + channel for start in starts for channel in range(folds)]
    newest, written, ahead = -1, 0, False
    came: list[int] = []
    left: list[int] = []
    cycle = 0
    while len(left) < FRAMES * len(last):
        over = written == len(last)
        complete = not over and last[written] <= newest
        ready = not left or cycle - left[-1] >= gaps[1]
        leaves = complete and not ahead and ready
        reads = newest < words - 1 and (over or newest <= last[written])
        takes = reads and (not complete or ahead or leaves) and (not came or cycle - came[-1] >= gaps[0])
        if leaves:
            left.append(cycle)
            written += 1
        if takes:
            came.append(cycle)
            newest += 1
        if written == len(last) and newest == words - 1:
            newest, written = -1, 0
        cycle += 1
    return came, left


@pytest.mark.parametrize("seed", range(60))
def test_words_pass_in_the_cycles_of_the_rtl(seed: int) -> None:
    draw = random.Random(seed)
    node = geometry(draw)
    words = prod(node.integers("IFMDim") or ()) * (node.integer("IFMChannels") or 1)
    gaps = draw.choice(((1, 1), (1, 1), (3, 1), (1, 4)))
    need = need_of(node, [words])
    assert need
    waits = Waits()
    into, out = waits.stream("i", words), waits.stream("o", len(need.need))
    for number, gap in ((into, gaps[0]), (out, gaps[1])):
        waits.sequences[number].gaps = np.full(waits.size(number), gap, dtype=np.int64)
    wait(waits, Ends(node, need, (into,), (out,)))
    recurrence = Recurrence(waits.sequences, FRAMES)
    assert recurrence.run(FRAMES)
    alike: Callable[[Node, int, Pair], Transfers] = ring
    if node.integer("parallel_window") or node.integers("ConvKernelDim") == (1, 1):
        alike = registers
    expected = alike(node, words, gaps)
    for number, wanted in ((out, expected[1]), (into, expected[0])):
        size = waits.size(number)
        found = [recurrence.time(number, frame, event) for frame in range(FRAMES) for event in range(size)]
        assert found == (wanted + found[len(wanted) :])[: len(found)], node.attributes
