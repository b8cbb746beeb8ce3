# SPDX-License-Identifier: BSD-3-Clause
"""The estimate against clusters drawn by a seed, at full rate; `make bench-estimate` lists all errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from estimate_clusters import SEEDS, measured, missed

FAST = (2, 3, 10)  # others of the default suite: tests/test_proofs.py, tests/test_random_networks.py


@pytest.mark.parametrize(
    "seed", [pytest.param(one, marks=() if one in FAST else pytest.mark.sweep) for one in SEEDS]
)
def test_rate_and_frames_are_those_of_the_rtl(seed: int, tmp_path: Path) -> None:
    found = measured(seed, tmp_path, "icarus")
    assert not missed(found), found.sentence()
