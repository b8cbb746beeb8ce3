# SPDX-License-Identifier: BSD-3-Clause
"""Every board file: complete, consistent with itself and with the registries, and sourced."""

from __future__ import annotations

from pathlib import Path

import pytest

from shellgen.links import link_registry
from shellgen.model import Board
from shellgen.platforms import platform_registry
from shellgen.platforms.ps import PROCESSING_SYSTEMS
from shellgen.read.board import read_board, read_boards
from shellgen.resources import data_dir

NAMES = sorted(path.stem for path in data_dir("boards").glob("*.toml"))
NEEDED = {"zedboard", "pynq-z1", "pynq-z2", "zcu104", "ultra96-v2", "kv260_som"}
# Each group of facts names the document it comes from.
SOURCES = {"part", "board_parts", "resources", "memory", "window", "hp", "ethernet"}
WINDOWS = {"zynq_7000": (0x4000_0000, 0x8000_0000), "zynq_us": (0xA000_0000, 0xB000_0000)}


def test_the_boards_of_the_issue_are_there() -> None:
    assert set(NAMES) >= NEEDED
    assert {board.name for board in read_boards()} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_board_fits_the_registries(name: str) -> None:
    board = read_board(name)
    assert board.platform in platform_registry()
    assert board.links
    assert set(board.links) <= link_registry().keys()
    assert board.sources.keys() >= SOURCES
    assert all(len(source) > 10 for source in board.sources.values())


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_windows_are_disjoint_and_aligned(name: str) -> None:
    board = read_board(name)
    zynq = board.zynq
    assert zynq is not None
    low, high = WINDOWS[zynq.family]
    assert zynq.lite_base == low
    assert zynq.lite_bytes & (zynq.lite_bytes - 1) == 0
    assert zynq.lite_base + zynq.lite_bytes <= zynq.dma_base < high
    assert zynq.dma_base % 0x1_0000 == 0
    assert zynq.ddr_bytes & (zynq.ddr_bytes - 1) == 0
    assert PROCESSING_SYSTEMS[zynq.family].settings(board.clock_hz, zynq.ps_config)
    assert zynq.hp_data_bits == (64 if zynq.family == "zynq_7000" else 128)
    assert all(pattern.count(":") == 3 and pattern.endswith(":*") for pattern in board.board_parts)


@pytest.mark.parametrize(
    ("bits", "zedboard", "zcu104"), [(1, 32, 32), (33, 64, 64), (64, 64, 64), (96, 64, 128)]
)
def test_stream_width_is_a_power_of_two_within_the_port(bits: int, zedboard: int, zcu104: int) -> None:
    link = link_registry()["tcp_dma"]
    assert link.link_bits(read_board("zedboard"), bits) == zedboard
    assert link.link_bits(read_board("zcu104"), bits) == zcu104


def test_a_new_board_is_one_file(tmp_path: Path) -> None:
    """What nobody wrote Python for is read, and stands in for the old one."""
    text = (data_dir("boards") / "zedboard.toml").read_text()
    (tmp_path / "myboard.toml").write_text(text.replace('name = "zedboard"', 'name = "myboard"'))
    board = read_board("myboard", tmp_path)
    assert isinstance(board, Board)
    assert board.part == "xc7z020clg484-1"
