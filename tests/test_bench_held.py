# SPDX-License-Identifier: BSD-3-Clause
"""Codes in a file against the same in an array."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sim_module import sim_module

hold: Any = sim_module("bench_held").hold
golden: Any = sim_module("bench_judge").golden


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
    assert [row.tolist() for row in found.rows(5)] == part[: len(part) // 5 * 5].reshape(-1, 5).tolist()


@pytest.mark.parametrize("numbers", [[], [4], [0, 5, 2]])
def test_known_frames_by_number(tmp_path: Path, numbers: list[int]) -> None:
    """A lot of large frames may hold the bench's own frames alone, and then no known one."""
    frames = np.arange(24).reshape(3, 2, 4)
    np.save(tmp_path / "golden.npy", frames)
    found = golden(tmp_path, SimpleNamespace(golden="golden.npy"), np.array(numbers, dtype=int))
    assert found.tolist() == [frames[number % 3].reshape(-1).tolist() for number in numbers]
    assert found.shape == (len(numbers), 8)
