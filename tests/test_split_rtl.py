# SPDX-License-Identifier: BSD-3-Clause
"""RTL keeps the promise of `split`: small random networks on two and three boards with little room."""

from __future__ import annotations

import json
from bisect import bisect_left
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_exports import FAMILIES, make

from shellgen.cli import main
from shellgen.errors import ShellgenError
from shellgen.model.folding import SplitNetwork
from shellgen.read import read_board
from shellgen.split import Desk, Split, Stock, Wanted, read_limits, split
from shellgen.split.search import Goal
from shellgen.stitch import survey_layers

pytestmark = [pytest.mark.finn, pytest.mark.sweep, pytest.mark.xdist_group("split_rtl")]

FRAMES = 12
BOARDS = ("zedboard", "zc706")
NETWORKS = range(20)
# Shares of LUTs that stay free, the smallest room first.
_FREE = [share / 200 for share in range(196, 100, -1)]


def tight(network: SplitNetwork, board: str, count: int) -> tuple[list[str], Split]:
    """Return the least room with which a network fits, on as many of the boards as there are, or two.

    Where it has room on one board as soon as it fits at all, all boards are to be used.
    """
    stock = Stock(board, read_board(board), count)

    def onto(share: float, goal: Goal = "fps") -> tuple[list[str], Split] | None:
        reserve = f"lut={share},dsp=0.8,bram=0.8"
        wanted = Wanted(goal=goal, limits=read_limits([reserve], [board], "test"))
        try:
            found = split(Desk.of([stock], {stock.board.part: network}, wanted))
        except ShellgenError:  # too little room
            return None
        return ["--reserve", reserve, "--goal", goal], found

    # A refusal takes long, since it looks for boards that would do.
    first = bisect_left(_FREE, True, key=lambda share: onto(share) is not None)
    best: tuple[list[str], Split] | None = None
    for share in _FREE[first:]:
        made = onto(share)
        if made is None:
            continue
        parts = len(made[1].found.parts)
        if parts == 1:  # with more room it stays one
            best = best or next(filter(None, (onto(one, "least-traffic") for one in _FREE[first:])))
            break
        best = made
        if parts == count:
            break
    assert best, "one board is always enough"
    return best


@pytest.mark.parametrize("seed", NETWORKS)
def test_rtl_keeps_the_promise(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, frames, _ = make(seed, tmp_path)
    board, count = BOARDS[seed % 2], 2 + seed // 2 % 2
    network = survey_layers(model, read_board(board).part)
    limits, found = tight(network, board, count)
    words = ["make", str(model), "--boards", f"{board}*{count}", *limits]
    np.save(tmp_path / "frames.npy", frames)
    words += ["--vectors", str(tmp_path / "frames.npy"), "--frames", str(FRAMES), "--json"]
    assert main([*words, "-o", str(tmp_path / "out")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["report"]["passed"] is True
    boards = told["split"]["boards"]
    assert len(boards) == len(found.found.parts) > 1
    ran = told["report"]["full_rate"]
    # Where boards take turns, results are timed at those of one of them.
    measured = period(told["estimate"]["arrived"]) * len(ran["times"]) / ran["timed"]
    promised = max(promise(found))
    kind = FAMILIES[seed % len(FAMILIES)].__name__
    print(f"{kind}, {len(boards)} {board}, {limits}: {measured:.1f} cycles, {promised:.1f} promised")
    assert measured == pytest.approx(promised, rel=0.05, abs=1)


def promise(found: Split) -> list[float]:
    """Return the cycles from frame to frame of each stage by the estimate, at the clock of the boards."""
    hz = found.task.kinds[0].hz
    return [server.seconds * hz for server in found.estimate.servers]


def period(arrived: list[Any]) -> float:
    """Return the mean cycles from frame to frame of the later half."""
    half = len(arrived) // 2
    return float(arrived[-1] - arrived[half]) / (len(arrived) - 1 - half)
