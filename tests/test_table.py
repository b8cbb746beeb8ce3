# SPDX-License-Identifier: BSD-3-Clause
"""Tables fit a terminal without losing a character, and a pipe gets whole lines."""

from __future__ import annotations

import pytest

from shellgen.table import Column, table, wrapped

PART = "StreamingDataflowPartition"
NAMES = (
    f"host_to_{PART}_0",
    f"{PART}_0_to_{PART}_1",
    f"{PART}_0_m_axis_1_to_{PART}_10_s_axis_12",
    "x" * 200,
    "",
)
COLUMNS = (Column("boundary", wrap=True), Column("words", right=True), Column("mismatches", right=True))
ROWS = [(name, 5760, 0) for name in NAMES]


def test_a_pipe_gets_a_line_for_a_row() -> None:
    lines = table(COLUMNS, ROWS)
    assert len(lines) == 1 + len(ROWS)
    assert [line.split()[:-2] for line in lines[1:]] == [[name] if name else [] for name in NAMES]
    assert len({len(line) for line in lines}) == 1  # numbers flush right


@pytest.mark.parametrize("width", [40, 60, 80, 81, 300])
def test_a_terminal_is_kept_to_and_nothing_is_lost(width: int) -> None:
    lines = table(COLUMNS, ROWS, width)
    assert max(map(len, lines)) <= width
    for name in NAMES:
        alone = table(COLUMNS, [(name, 5760, 0)], width)[1:]
        assert "".join([_first(alone[0]), *(line.strip() for line in alone[1:])]) == name
        assert alone[0].split()[-2:] == ["5760", "0"]


def _first(line: str) -> str:
    return " ".join(line.split()[:-2])


def test_finns_names_of_one_digit_fit_80_columns_whole() -> None:
    lines = table(COLUMNS, ROWS[:2], 80)
    assert len(lines) == 3


def test_names_break_where_they_have_joints() -> None:
    assert wrapped(f"{PART}_0_to_{PART}_1", 40) == [f"{PART}_0_to_", f"  {PART}_1"]
    assert wrapped("registers, aperture; the rest", 14) == ["registers,", "aperture; the", "rest"]


def test_names_cannot_move_the_cursor() -> None:
    text = "\n".join(table((Column("a"),), [("\x1b[31mred\nnext\x00",)]))
    assert text == "a\n\\x1b[31mred\\nnext\\x00"
