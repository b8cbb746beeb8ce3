# SPDX-License-Identifier: BSD-3-Clause
"""The estimate against clusters drawn by a seed, at full rate; `make bench-estimate` lists all errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from estimate_clusters import COUPLED, FOUND, SEEDS, cluster, measured, missed
from test_coyote_stream import EVEN

FAST = (2, 17, 23, 28)  # many small layers in a row in 17 and 23; in 28, the monolith is slower


@pytest.mark.recorded
@pytest.mark.parametrize(
    "seed", [pytest.param(one, marks=() if one in FAST else (pytest.mark.sweep,)) for one in (*SEEDS, *FOUND)]
)
def test_rate_and_frames_are_those_of_the_rtl(seed: int, tmp_path: Path) -> None:
    found = measured(cluster(seed, tmp_path), "icarus")
    assert not missed(found), found.sentence()


@pytest.mark.recorded
def test_partitions_that_wait_for_one_another_on_a_board(tmp_path: Path) -> None:
    found = measured(COUPLED.write_inputs(tmp_path), "icarus", frames=6)
    assert not missed(found), found.sentence()
    assert found.arrived[-1] - found.arrived[-2] == 772


@pytest.mark.recorded
def test_a_host_that_rests_behind_each_transfer(tmp_path: Path) -> None:
    """Frames of four cycles and one beat: the program of Coyote takes one in six."""
    cluster = EVEN.write_inputs(tmp_path)
    board = 'board = "u55c"\n'
    cluster.write_text(cluster.read_text().replace(board, f'{board}platform = "coyote"\n'))
    found = measured(cluster, "icarus", frames=60)
    assert not missed(found), found.sentence()
    assert found.arrived[-1] - found.arrived[-2] == 6
