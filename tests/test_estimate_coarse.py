# SPDX-License-Identifier: BSD-3-Clause
"""Partitions that are followed in parts of a frame take about the cycles that single words tell."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from test_estimate_pace import compare, fifo, matrix, period, wider

from shellgen.read.coarse import coarse
from shellgen.read.recurrence import After, Recurrence, Sequence

Layer = tuple[str, dict[str, Any]]
CHANNELS = 16


def convolution(draw: random.Random, size: int, stride: int) -> tuple[list[Layer], int]:
    """A convolution with padding, 3 x 3, as `stitch` builds it; and the rows of its output."""
    simd, pe = draw.choice((2, 4, 8)), draw.choice((1, 2, 4))
    out = (size - 1) // stride + 1
    window = {
        "IFMDim": (size + 2, size + 2),
        "OFMDim": (out, out),
        "ConvKernelDim": (3, 3),
        "Stride": (stride, stride),
        "Dilation": (1, 1),
        "IFMChannels": CHANNELS,
        "SIMD": simd,
    }
    padding = {"ImgDim": (size, size), "Padding": (1, 1, 1, 1), "NumChannels": CHANNELS, "SIMD": simd}
    before = [] if simd == 1 else [wider(4, 4 * simd), fifo(2)]
    product = matrix(9 * CHANNELS, CHANNELS, simd, pe)
    steps = [("FMPadding_rtl", padding), ("ConvolutionInputGenerator_rtl", window), product]
    after = [] if pe == 1 else [wider(16 * pe, 16)]
    layers = [*before]
    for one in [*steps, *after, compare(CHANNELS)]:
        vector = 9 * CHANNELS // simd if one is product else 2
        layers += [*([fifo(vector)] if one is product else []), one, fifo(2)]
    return layers, out


def network(seed: int) -> tuple[tuple[int, int], list[Layer]]:
    """Two convolutions in a row: words of a frame at both ends, and the layers."""
    draw = random.Random(seed)
    size = rows = draw.choice((12, 16))
    layers = [fifo(2)]
    for stride in draw.choice(((1, 2), (2, 1), (1, 1))):
        more, rows = convolution(draw, rows, stride)
        layers += more
    return (size * size * CHANNELS, rows * rows * CHANNELS), layers


# By single words, which takes 5 to 13 s each.
EXACT = {0: 36_864, 1: 88_012, 2: 82_944, 3: 42_290}


@pytest.mark.sweep
@pytest.mark.parametrize("seed", EXACT)
def test_periods_by_single_words(seed: int) -> None:
    words, layers = network(seed)
    assert period(*words, *layers) == EXACT[seed]


@pytest.mark.parametrize("seed", EXACT)
def test_parts_of_a_frame_tell_the_waits_of_rows(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here a part is little more than a word, and the room in shallow FIFOs is missed: too many cycles."""
    words, layers = network(seed)
    monkeypatch.setattr("shellgen.read.flow._MOST_EVENTS", 39_999)
    monkeypatch.setattr("shellgen.read.flow._PARTS", 600)
    found = period(*words, *layers)
    assert found is not None
    assert 0.98 * EXACT[seed] < found < 1.13 * EXACT[seed]
    assert found != EXACT[seed]  # it was not followed word by word


def chain(words: int, room: int) -> list[Sequence]:
    """A word each 3 cycles into a FIFO, and a step for each word, each fourth of which takes 9 cycles."""
    into = Sequence(np.full(words, 3))
    out = Sequence(np.where(np.arange(words) % 4, 1, 9))
    counts = np.arange(1, words + 1)
    out.after.append(After(0, counts, 1))
    into.after.append(After(1, counts - room, 1))
    return [into, out]


def test_sequences_without_room_for_a_part_move_on_together() -> None:
    shallow, deep = coarse(chain(1000, 4), 125), coarse(chain(1000, 500), 125)
    assert shallow.place == [0, 0]
    assert deep.place == [0, 1]
    assert [len(one) for one in deep.sequences] == [125, 125]
    assert coarse(chain(60, 4), 125).place == [0, 1]  # short enough as it is
    for found in (shallow, deep):
        recurrence = Recurrence(found.sequences, 2)
        assert recurrence.run(2)
        last = found.place[1]
        assert recurrence.time(last, 1, -1) - recurrence.time(last, 0, -1) == pytest.approx(3000, rel=0.02)
