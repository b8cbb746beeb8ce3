# SPDX-License-Identifier: BSD-3-Clause
"""Layers that wait for one another inside a partition: the recurrence, and periods that RTL has shown."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from shellgen.model import StreamPort
from shellgen.read.finn_onnx import FinnModel, Node
from shellgen.read.flow import pace
from shellgen.read.recurrence import After, Recurrence, Sequence

FRAMES = 5


def by_relaxation(sequences: list[Sequence]) -> list[list[int]] | None:
    """The same times by raising each event to what it waits for, again and again."""
    times = [[0] * (FRAMES * len(one)) for one in sequences]
    for _ in range(sum(map(len, times)) + 1):
        settled = True
        for own, one in zip(times, sequences, strict=True):
            for event in range(len(own)):
                frame, place = divmod(event, len(one))
                least = own[event - 1] + int(one.gaps[place]) if event else 0
                for after in one.after:
                    count = frame * len(sequences[after.of]) + int(after.counts[place])
                    if count > 0:
                        least = max(least, times[after.of][count - 1] + after.delay)
                if least > own[event]:
                    own[event], settled = least, False
        if settled:
            return times
    return None


def random_sequences(draw: random.Random) -> list[Sequence]:
    """A chain of sequences; each waits for the one before, and some for room in the one behind."""
    sizes = [draw.randint(1, 90) for _ in range(draw.randint(2, 5))]
    found = [Sequence(np.array([draw.randint(1, 4) for _ in range(size)])) for size in sizes]
    for number in range(1, len(found)):
        before, own = sizes[number - 1], sizes[number]
        need = np.sort([draw.randint(0, before) for _ in range(own)])
        found[number].after.append(After(number - 1, need, draw.randint(0, 5)))
        room = draw.choice((1, 2, 7, 60))
        past = np.searchsorted(need, np.arange(before), "right") - room
        found[number - 1].after.append(After(number, past, draw.randint(0, 2)))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_times_are_the_least_that_satisfy_all_waits(seed: int) -> None:
    sequences = random_sequences(random.Random(seed))
    recurrence = Recurrence(sequences, FRAMES)
    ended = recurrence.run(2) and recurrence.run(FRAMES)
    expected = by_relaxation(sequences)
    assert ended == (expected is not None)
    if expected is None:
        return
    for number, own in enumerate(expected):
        size = len(sequences[number])
        found = [recurrence.time(number, frame, event) for frame in range(FRAMES) for event in range(size)]
        assert found == own


def matrix(width: int, height: int, simd: int, pe: int, module: str = "") -> tuple[str, dict[str, Any]]:
    attributes = {"MW": width, "MH": height, "SIMD": simd, "PE": pe, "gen_top_module": module}
    return "MVAU_rtl", attributes


def compare(channels: int, module: str = "", pe: int = 1) -> tuple[str, dict[str, Any]]:
    attributes = {"NumChannels": channels, "PE": pe, "numSteps": 15, "gen_top_module": module}
    return "Thresholding_rtl", attributes


def wider(into: int, out: int, module: str = "") -> tuple[str, dict[str, Any]]:
    return "StreamingDataWidthConverter_rtl", {"inWidth": into, "outWidth": out, "gen_top_module": module}


def fifo(depth: int) -> tuple[str, dict[str, Any]]:
    return "StreamingFIFO_rtl", {"depth": depth}


def period(into: int, out: int, *layers: tuple[str, dict[str, Any]]) -> int | None:
    nodes = tuple(
        Node(op, f"{op}_{number}", "finn", (f"t{number}",), (f"t{number + 1}",), attributes)
        for number, (op, attributes) in enumerate(layers)
    )
    model = FinnModel(Path("m.onnx"), nodes, ("t0",), ("t0",), (f"t{len(layers)}",), {}, {}, {})

    def port(name: str, way: Literal["in", "out"], words: int) -> StreamPort:
        return StreamPort(name=name, direction=way, tdata_bits=32, ports={}, folded_shape=(1, words, 4))

    found = pace(model, [port("s_axis_0", "in", into), port("m_axis_0", "out", out)])
    return found.period if found else None


def test_reference_layers_as_simulated() -> None:
    """The digits on two boards: 525.0 cycles a frame in RTL, where the slowest layer takes 384."""
    parts = ("ref_mvau", "ref_thresholding", "ref_width")
    found = period(
        16,
        8,
        matrix(64, 24, 4, 1, parts[0]),
        compare(24, parts[1]),
        wider(4, 8, parts[2]),
        matrix(24, 24, 2, 1, parts[0]),
        compare(24, parts[1]),
        matrix(24, 24, 1, 3, parts[0]),
        compare(24, parts[1], pe=3),
    )
    assert found == 525


def test_pipelines_that_stand_still_as_a_whole() -> None:
    """Small reference layers in a row, as simulated: 148 and 167 cycles; no layer takes more than 128."""
    parts = ("ref_mvau", "ref_thresholding", "ref_width")
    found = period(
        16,
        32,
        matrix(16, 16, 1, 2, parts[0]),
        wider(18, 9, parts[2]),
        compare(16, parts[1]),
        wider(2, 4, parts[2]),
        matrix(16, 16, 2, 1, parts[0]),
        wider(9, 36, parts[2]),
        compare(16, parts[1], pe=4),
        wider(8, 4, parts[2]),
        matrix(16, 12, 2, 4, parts[0]),
        wider(36, 54, parts[2]),
        compare(12, parts[1], pe=6),
        wider(12, 8, parts[2]),
        matrix(12, 32, 4, 2, parts[0]),
        wider(16, 8, parts[2]),
        compare(32, parts[1]),
    )
    assert found == 148
    found = period(
        2,
        3,
        matrix(8, 8, 4, 2, parts[0]),
        compare(8, parts[1], pe=2),
        wider(8, 16, parts[2]),
        matrix(8, 32, 4, 1, parts[0]),
        compare(32, parts[1]),
        wider(4, 8, parts[2]),
        matrix(32, 16, 2, 2, parts[0]),
        wider(24, 12, parts[2]),
        compare(16, parts[1]),
        wider(4, 16, parts[2]),
        matrix(16, 6, 4, 2, parts[0]),
    )
    assert found == 167


WINDOW = {
    "IFMDim": (10, 10),
    "OFMDim": (8, 8),
    "ConvKernelDim": (3, 3),
    "Stride": (1, 1),
    "Dilation": (1, 1),
    "IFMChannels": 8,
}


def convolution() -> list[tuple[str, dict[str, Any]]]:
    padding = {"ImgDim": (8, 8), "Padding": (1, 1, 1, 1), "NumChannels": 8, "SIMD": 4}
    generator = ("ConvolutionInputGenerator_rtl", {**WINDOW, "SIMD": 4})
    return [("FMPadding_rtl", padding), generator, wider(16, 32), matrix(72, 8, 8, 4), compare(8, pe=4)]


def test_fifos_between_convolutions() -> None:
    """Two convolutions of FINN's RTL take 1,195 cycles a frame: 1,152 words, and the first rows each time."""
    layers = convolution() + convolution()
    without = period(128, 128, *layers)
    with_fifos = period(128, 128, fifo(2), *(one for layer in layers for one in (layer, fifo(2))))
    assert with_fifos == pytest.approx(1_195, rel=0.015)
    assert without
    assert with_fifos
    assert without > with_fifos * 1.03  # layers that hand words to one another directly


def test_what_cannot_be_told() -> None:
    assert period(16, 16, ("LayerOfTomorrow", {})) is None
    assert period(1 << 20, 1 << 20, fifo(2)) == 1 << 20  # in parts of a frame
    assert period(1 << 23, 1 << 23, fifo(2)) is None  # more words than are worth the time
