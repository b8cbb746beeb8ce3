# SPDX-License-Identifier: BSD-3-Clause
"""Codes in a file against the same in an array."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sim_module import sim_module

hold: Any = sim_module("bench_held").hold


@pytest.mark.parametrize(("first", "after", "times"), [(12, 0, 1), (7, 3, 1), (99, 12, 1), (12, 0, 4)])
def test_a_part_is_read_as_of_an_array(tmp_path: Path, first: int, after: int, times: int) -> None:
    whole = np.arange(12, dtype=np.int16) - 2
    held = hold(tmp_path / "codes", np.int16, [whole[:5], whole[5:5], whole[5:].reshape(1, -1)])
    part, found = np.tile(whole, times)[: first * times][after:], held.repeated(times).first(first * times)
    found = found.after(after)
    assert len(found) == len(part)
    for start in range(len(part) + 2):
        for stop in range(start, len(part) + 3):
            assert found[start:stop].tolist() == part[start:stop].tolist()
    assert [found[at] for at in range(len(part))] == part.tolist()
    cut = [[int(code) for codes in row.lots() for code in codes] for row in found.frames(5)]
    assert cut == part[: len(part) // 5 * 5].reshape(-1, 5).tolist()
