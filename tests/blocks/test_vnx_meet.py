# SPDX-License-Identifier: BSD-3-Clause
"""Three cards, a branch and a join: after a reset all results are right or marked, and later ones right."""

from __future__ import annotations

import random
import re

import pytest
from test_file_format import ROOT

from tools.blocks.block_bench import Result, closure, run_sources

BENCH = [ROOT / "tests" / "vnx" / f"{name}.sv" for name in ("tb_vnx_meet", "vnx_wire")]
BLOCKS = ("vnx_sender", "vnx_receiver", "axis_frame_tag", "axis_frame_label", "axis_frame_match")
PARTS = ("axis_fifo", "axis_broadcast")
MOMENTS = 20


def meet(card: int, moment: int, *, pin: bool) -> Result:
    """Reset a card by its host or its pin, ``moment`` cycles after the first result."""
    sources = list(dict.fromkeys(path for block in (*BLOCKS, *PARTS) for path in closure(block)))
    asked = [f"card={card}", f"moment={moment}", f"pin={int(pin)}"]
    return run_sources("tb_vnx_meet", [*BENCH, *sources], "verilator", asked)


@pytest.mark.parametrize(("card", "moment", "pin"), [(1, 512, False), (2, 320, True)])
def test_a_card_is_reset_between_fork_and_join(card: int, moment: int, pin: bool) -> None:
    result = meet(card, moment, pin=pin)
    assert result.comparisons > 50, result.text
    marked = re.search(r"run 1: \d+ results, (\d+) marked", result.text)
    assert marked
    assert int(marked[1]) > 0


@pytest.mark.sweep
@pytest.mark.parametrize("card", range(3))
@pytest.mark.parametrize("pin", [False, True])
def test_any_card_at_any_moment(card: int, pin: bool) -> None:
    """Results that are made up differ, and none is wrong without a mark."""
    chosen = random.Random(card + 3 * pin)
    for _ in range(MOMENTS):
        moment = chosen.randrange(1, 900)
        result = meet(card, moment, pin=pin)
        assert result.comparisons > 40, f"card {card}, moment {moment}: {result.text}"
