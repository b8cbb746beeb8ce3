# SPDX-License-Identifier: BSD-3-Clause
"""FIFOs with room for rows: where they may be, the fewest that keep a period, and the room of a board."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from shellgen.model import Pace, Usage
from shellgen.model.folding import Folding, SplitLayer, SplitStream
from shellgen.read import read_board
from shellgen.split.placed import Placed
from shellgen.split.rows import with_rows

SHAPES = ((1, 14, 14, 64), (1, 16, 16, 64), (1, 14, 14, 576), (1, 14, 14, 8))
PAD, PRODUCT = ("FMPadding_0", 0), ("MVAU_0", 0)
MUCH = (10_000, 100, 0, 0)  # LUT, BRAM18, UltraRAM, DSP


def layer(kind: str, **attributes: tuple[int, int]) -> tuple[SplitLayer, Folding]:
    folding = Folding(attributes={}, cycles=1, takes=Usage(), reads=(1,), writes=(1,))
    made = SplitLayer(
        name=f"{kind}_0",
        kind=kind,
        rtl=True,
        attributes={**attributes},
        reads=(4,),
        writes=(4,),
        weights=0,
        constants=0,
        limits={},
        foldings=(folding,),
        source="",
    )
    return made, folding


WINDOW = layer("ConvolutionInputGenerator", ConvKernelDim=(3, 3), Stride=(1, 1), Dilation=(1, 1))
LAYERS = (layer("Thresholding"), layer("FMPadding"), WINDOW, layer("MVAU"))
NAMES = [one.name for one, _ in LAYERS]
STREAMS = [
    SplitStream(producer=one, output=0, consumer=other, input=0, datatype="UINT4", bits=4, shape=shape)
    for one, other, shape in zip(NAMES, NAMES[1:], SHAPES, strict=False)
]


def chosen(
    left: tuple[int, ...], needs: Mapping[tuple[str, int], tuple[int, int]]
) -> tuple[int, dict[tuple[str, int], int]]:
    """Return period and FIFOs where each FIFO that is as deep as it needs saves some of 1,300 cycles."""

    def cycles(depths: Mapping[tuple[str, int], int]) -> Pace:
        saved = sum(by for key, (words, by) in needs.items() if depths.get(key, 0) >= words)
        return Pace(period=1300 - saved, last=1)

    part = Placed(read_board("zedboard"), LAYERS)
    pace, depths = with_rows(part, STREAMS, (cycles({}), {}), cycles, left)
    return pace.period, dict(depths)


@pytest.mark.parametrize(
    ("needs", "found"),
    [
        ({PAD: (700, 300)}, (1000, {PAD: 1024})),  # of 4,096, which are four rows
        ({PAD: (30, 300)}, (1000, {PAD: 32})),
        ({PAD: (30, 200), PRODUCT: (8000, 100)}, (1000, {PAD: 32, PRODUCT: 8192})),
        ({PAD: (30, 5)}, (1300, {})),  # not worth its memory
        ({("ConvolutionInputGenerator_0", 0): (30, 300)}, (1300, {})),  # behind padding
    ],
)
def test_the_fewest_fifos_that_keep_a_period(
    needs: dict[tuple[str, int], tuple[int, int]], found: tuple[int, dict[tuple[str, int], int]]
) -> None:
    assert chosen(MUCH, needs) == found


def test_what_is_left_of_the_board_bounds_them() -> None:
    """8,192 words of a byte take four block RAMs; without them, 5 % more cycles do."""
    needs = {PAD: (30, 250), PRODUCT: (8000, 50)}
    assert chosen((10_000, 4, 0, 0), needs) == (1000, {PAD: 32, PRODUCT: 8192})
    assert chosen((10_000, 3, 0, 0), needs) == (1050, {PAD: 32})
    assert chosen((5, 0, 0, 0), needs) == (1300, {})
