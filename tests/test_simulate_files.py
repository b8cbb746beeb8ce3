# SPDX-License-Identifier: BSD-3-Clause
"""The file formats of sim/bench_files.py, without a simulator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sim_module import sim_module


@pytest.fixture(scope="module")
def bench_files() -> Any:
    return sim_module("bench_files")


@pytest.fixture(scope="module")
def bench_beats() -> Any:
    return sim_module("bench_beats")


def text_record(path: Path, data: str, side: str, count: int = 2, stored: int = 2, lot: int = 4) -> Path:
    np.array([count, stored, 1, 1, lot, 0, 0, 0, 0], "<u4").tofile(path)
    Path(f"{path}.0.data").write_text(data)
    Path(f"{path}.0.side").write_text(side)
    return path


@pytest.mark.parametrize(
    ("lowest_first", "whole", "array"),
    [
        (False, [2, 1, 0, 3, 5, 4], [2, 1, 0, 3, 5, 4, 0, 6]),
        (True, [1, 2, 3, 0, 4, 5], [1, 2, 3, 0, 4, 5, 6, 0]),
    ],
)
def test_frames_are_padded_to_beats(
    bench_files: Any, tmp_path: Path, lowest_first: bool, whole: list[int], array: list[int]
) -> None:
    path, frames = tmp_path / "f", [b"\x01\x02\x03", b"\x04\x05"]
    assert bench_files.write_beats(path, frames, 16, lowest_first=lowest_first) == 3
    assert path.read_bytes() == bytes(whole)
    both = np.arange(1, 7, dtype=np.uint8).reshape(2, 3)
    assert bench_files.write_beats(path, both, 16, lowest_first=lowest_first) == 4
    assert path.read_bytes() == bytes(array)


def test_text_of_icarus(bench_beats: Any, tmp_path: Path) -> None:
    path = text_record(tmp_path / "r", "// 0x00000000\n0201\nxx03\n", "03\n05\n", count=7)
    seen = bench_beats.read_beats(path, 16)
    assert seen.data[:, 0].tolist() == [1, 3]
    assert seen.keep.tolist() == [[True, True], [True, False]]
    assert seen.last.tolist() == [False, True]
    assert not seen.unknown.any()
    assert seen.count == 7


@pytest.mark.parametrize(("data", "side"), [("0201\n0xx3\n", "03\n05\n"), ("0201\n0403\n", "03\nX5\n")])
def test_unknown_bits_are_marked(bench_beats: Any, data: str, side: str, tmp_path: Path) -> None:
    seen = bench_beats.read_beats(text_record(tmp_path / "r", data, side), 16)
    assert seen.unknown.tolist() == [False, True]


def test_lots_follow_each_other(bench_beats: Any, tmp_path: Path) -> None:
    """A lot that was closed full, and the last one, in which a later run left more than counts."""
    path = text_record(tmp_path / "r", "0201\n0403\n", "03\n03\n", count=3, stored=3, lot=2)
    Path(f"{path}.1.data").write_text("0605\n0807\n")
    Path(f"{path}.1.side").write_text("07\n03\n")
    assert bench_beats.read_beats(path, 16).data[:, 0].tolist() == [1, 3, 5]
    assert [len(lot.data) for lot in bench_beats.open_beats(path, 16).lots()] == [2, 1]
    np.array([3, 3, 1, 0, 2, 0, 0, 0, 0], "<u4").tofile(path)
    for lot in (0, 1):
        Path(f"{path}.{lot}").write_bytes(bytes([1 + 4 * lot, 2, 3 + 4 * lot, 4, 3, 7]))
    seen = bench_beats.read_beats(path, 16)
    assert seen.data[:, 0].tolist() == [1, 3, 5]
    assert seen.last.tolist() == [False, True, False]


def test_other_widths_and_torn_files_are_refused(bench_files: Any, bench_beats: Any, tmp_path: Path) -> None:
    path = text_record(tmp_path / "r", "0201\n", "03\n05\n")
    with pytest.raises(ValueError, match="cut short"):
        bench_beats.read_beats(path, 16)
    np.array([1, 1, 0, 0, 1, 0, 0, 0, 0], "<u4").tofile(path)
    np.array([5, 6], "<u4").tofile(f"{path}.0")
    assert bench_beats.read_beats(path, 64).data.tolist() == [[5, 0, 0, 0, 6, 0, 0, 0]]
    with pytest.raises(ValueError, match="cut short"):
        bench_beats.read_beats(path, 48)
    np.array([1], "<u4").tofile(path)
    with pytest.raises(ValueError, match="not a sink's file"):
        bench_beats.read_beats(path, 32)
    with pytest.raises(ValueError, match="cut short"):
        bench_files.read_results(path)
