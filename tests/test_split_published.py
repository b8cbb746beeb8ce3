# SPDX-License-Identifier: BSD-3-Clause
"""`split` beside publications: cuts, replicas and boards of CNV and MobileNetV1, by FINN's layers.

The tables of docs/split.md hold what comes out.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import published_networks
import pytest

from shellgen.model.folding import SplitNetwork
from shellgen.read import read_board
from shellgen.split import Desk, Split, Stock, Wanted, read_limits, rows, split
from shellgen.split.files import folding_of
from shellgen.split.task import RESOURCES
from shellgen.stitch import survey_layers

pytestmark = [pytest.mark.finn, pytest.mark.sweep]

Splits = Callable[..., Split]


@pytest.fixture(scope="module")
def surveys(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], SplitNetwork]:
    """The layers of a network by FINN, once for all tests."""
    known: dict[tuple[str, str], SplitNetwork] = {}

    def survey(name: str, part: str) -> SplitNetwork:
        if (name, part) not in known:
            path = tmp_path_factory.mktemp(name) / f"{name}.onnx"
            onnx.save(getattr(published_networks, name)(), path)
            known[name, part] = survey_layers(path, part)
        return known[name, part]

    return survey


@pytest.fixture
def splits(surveys: Callable[[str, str], SplitNetwork]) -> Splits:
    def choose(name: str, board: str, count: int, reserve: str = "", **wanted: Any) -> Split:
        stock = Stock(board, read_board(board, Path()), count)
        limits = read_limits([reserve] if reserve else [], [board], "x")
        network = surveys(name, stock.board.part)
        return split(Desk.of([stock], {stock.board.part: network}, Wanted(**wanted, limits=limits)))

    return choose


def test_cnv_is_cut_where_bnnsplit_cuts_it(splits: Splits) -> None:
    """Between the last convolution and the first dense layer, where 64 bytes cross."""
    found = splits("cnv", "pynq-z1", 2, goal="least-traffic")
    first, second = rows(found)
    assert (first.last, second.first) == ("Thresholding_5", "MVAU_6")
    assert found.found.traffic == first.sends == 64
    fastest = splits("cnv", "pynq-z1", 2)
    assert fastest.estimate.frames_per_second == pytest.approx(3543.1, rel=1e-3)
    assert fastest.estimate.frames_per_second > 1.9 * found.estimate.frames_per_second


def test_cnv_has_bnnsplits_replicas(splits: Splits) -> None:
    """Part 1 on one, two and three boards; then part 2 is the limit, as published: 287, 574, 720 images/s.

    The published times of the parts are 2.50 to 1; foldings have divisors, and 2.30 to 1 is the nearest.
    """
    folding: dict[str, Any] = folding_of(splits("cnv", "pynq-z1", 1, fps=1328.0))
    for attributes in folding.values():
        attributes.pop("ram_style", None)
    folding["MVAU_1"] |= {"SIMD": 48, "PE": 8}  # 75,264 cycles, the slowest of part 1
    folding["MVAU_6"] |= {"SIMD": 2, "PE": 2}  # 32,768, the slowest of part 2
    folding["MVAU_7"] |= {"SIMD": 4, "PE": 2}
    rates = []
    for boards, copies in ((2, [1, 1]), (3, [2, 1]), (4, [3, 1])):
        found = splits("cnv", "pynq-z1", boards, "bram=0.35", folding=folding)  # not all on one board
        assert [row.replicas for row in rows(found)] == copies
        assert rows(found)[0].last == "Thresholding_5"
        rates.append(found.estimate.frames_per_second)
    assert rates[1] / rates[0] == pytest.approx(2.0, rel=1e-3)
    assert rates[2] / rates[0] == pytest.approx(75_264 / 32_768, rel=1e-3)


def test_mobilenet_on_zedboards(splits: Splits) -> None:
    """Resources of the six-ZedBoard paper's network at the period of FINN's folding; the rate of six boards.

    The paper fills boards as far as they go; so the limits here are 95 % of the BRAM and 90 % of the LUTs.
    """
    nearly_all = "bram=0.05,lut=0.1,dsp=0"
    found = splits("mobilenet", "zedboard", 7, nearly_all, fps=100e6 / 401_408)
    device = read_board("zedboard", Path()).resources
    needs = {
        name: sum(part.takes[index] for part in found.found.parts) / getattr(device, name)
        for index, name in enumerate(RESOURCES)
        if getattr(device, name)
    }
    assert needs == pytest.approx({"lut": 2.00, "bram18": 3.08, "dsp": 1.65}, abs=0.02)
    assert [row.replicas for row in rows(found)] == [1, 1, 1, 1]
    six = splits("mobilenet", "zedboard", 6, nearly_all)
    assert len(rows(six)) == 6
    assert six.estimate.frames_per_second == pytest.approx(100e6 / 200_704, rel=1e-3)


def test_resnet50_on_three_u280(splits: Splits) -> None:
    """Elastic-DF fills at most 80 % of the BRAM of a card."""
    found = splits("resnet50", "u280", 3)
    boards = {row.node: row.replicas for row in rows(found)}
    assert sum(boards.values()) <= 3
    assert all((row.shares["bram18"] or 0) <= 0.8 for row in rows(found))
    # Published: 162.32 images/s at 200 MHz, and 903,168 cycles, which are 232.5 frames/s at 210 MHz.
    assert found.estimate.frames_per_second > 210e6 / 903_168
