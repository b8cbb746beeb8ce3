# SPDX-License-Identifier: BSD-3-Clause
"""Many streams between boards: shells that are larger than expected, so that fewer or many more boards do."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from shellgen.errors import InputError
from shellgen.model.folding import SplitNetwork
from shellgen.read import read_board
from shellgen.resources import data_dir
from shellgen.split import Desk, Split, Stock, Wanted, read_limits, split
from shellgen.stitch import survey_layers

sys.path.insert(0, str(data_dir("examples") / "residual"))
from qonnx_export import Export

pytestmark = [pytest.mark.finn, pytest.mark.sweep]
BOARD = "zedboard"


@pytest.fixture(scope="module")
def residual(tmp_path_factory: pytest.TempPathFactory) -> SplitNetwork:
    """Three residual blocks, through which most cuts have two or three streams."""
    net = Export((1, 3, 12, 12), seed=7)
    value = net.relu(net.conv(net.quant("global_in", np.float32(1 / 16), 4, signed=True), (3, 16)))
    for _ in range(3):
        branch = net.conv(net.relu(net.conv(value, (16, 16))), (16, 16))
        ends = [net.quant(one, np.float32(0.5), 4, signed=False) for one in (branch, value)]
        value = net.relu(net.op("Add", *ends))
    path = tmp_path_factory.mktemp("residual") / "residual.onnx"
    net.save(net.conv(value, (16, 4), kernel=1), (1, 4, 12, 12), path)
    return survey_layers(path, read_board(BOARD, Path()).part)


def onto(network: SplitNetwork, boards: int) -> Split:
    stock = Stock(BOARD, read_board(BOARD, Path()), boards)
    wanted = Wanted(limits=read_limits(["lut=0.85"], [BOARD], "x"))
    return split(Desk.of([stock], {stock.board.part: network}, wanted))


def test_the_boards_that_are_enough_are_named(residual: SplitNetwork) -> None:
    with pytest.raises(
        InputError, match=r"the network does not fit 2 zedboard at any folding. Take 10 zedboard"
    ):
        onto(residual, 2)


def test_more_boards_are_no_slower(residual: SplitNetwork) -> None:
    few, many = onto(residual, 10), onto(residual, 20)
    assert few.estimate.frames_per_second == pytest.approx(43_309, rel=1e-3)
    assert many.estimate.frames_per_second >= few.estimate.frames_per_second
