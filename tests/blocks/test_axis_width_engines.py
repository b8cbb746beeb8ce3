# SPDX-License-Identifier: BSD-3-Clause
"""The engines of the width converters by themselves, and the worked examples in their headers.

axis_width and axis_width_framed run the same engines on both simulators; by default only Icarus is here.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from shellgen.resources import rtl_blocks
from tools.blocks.block_bench import block_file, closure, mutant, run_bench
from tools.blocks.cycle_table import read_table, simulated

# Least number of words compared.
ENGINES = {
    "axis_width_up_integer": 4_000,
    "axis_width_up_rational": 5_000,
    "axis_width_down": 14_000,
    "axis_width_down_keep": 7_000,
}
LONG = ("axis_width_up_rational", "axis_width_down")
TABLES = {block: table for block in rtl_blocks() if (table := read_table(block))}


@pytest.mark.parametrize(
    ("block", "simulator"),
    [
        *((block, "icarus") for block in ENGINES),
        *(pytest.param(block, "verilator", marks=pytest.mark.sweep) for block in ENGINES),
    ],
)
def test_engine(block: str, simulator: str) -> None:
    result = run_bench(block, simulator)
    assert result.comparisons >= ENGINES[block], result.text


@pytest.mark.sweep
@pytest.mark.parametrize("block", LONG)
def test_engine_of_many_units(block: str) -> None:
    """Cases of two cycles per word inside; Verilator only, Icarus would need minutes."""
    result = run_bench(block, "verilator", top=f"tb_{block}_long")
    assert result.comparisons > 15_000, result.text


def test_the_engines_of_a_ratio_show_an_example() -> None:
    assert {"axis_width_up_rational", "axis_width_down"} <= set(TABLES)


@pytest.mark.parametrize("block", TABLES)
def test_the_example_is_what_the_simulation_shows(block: str) -> None:
    table = TABLES[block]
    shown = simulated(table)
    assert table.rows == shown.rows
    assert shown.text() in block_file(block).read_text(), "not as tools.blocks.cycle_table writes it"


def test_a_wrong_example_is_seen() -> None:
    table = TABLES["axis_width_down"]
    column = table.columns.index("start_q")
    row = list(table.rows[2])
    row[column] = "3"
    wrong = replace(table, rows=(*table.rows[:2], tuple(row), *table.rows[3:]))
    assert simulated(wrong).rows != wrong.rows


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("block", "old", "new"),
    [
        ("axis_width_up_integer", "(b > 0 || !write)", "!write && b > 0"),
        ("axis_width_up_integer", "place[0] = leave || !taken[0]", "place[0] = !taken[0]"),
        ("axis_width_up_integer", "fire && (fills || last)", "fire && fills"),
        ("axis_width_up_integer", "user_q <= s_axis_tuser", "if (last_q) user_q <= s_axis_tuser"),
        ("axis_width_up_rational", "if (leave) flush_q <= fire && last;", "if (leave) flush_q <= 1'b0;"),
        ("axis_width_up_rational", "if (clear && TAILS) lane_q <= '0;", ""),
        ("axis_width_up_rational", "else if (leave)        word_user_q <= latest_user_q;", ""),
        ("axis_width_up_rational", "in_last || in_fills ? (QB+1)'(1)", "in_fills ? (QB+1)'(1)"),
        ("axis_width_down", "if (step && flush) word_q <= '0;", ""),
        ("axis_width_down", "at_end ? HOME : start_q", "start_q"),
        ("axis_width_down", "(late || at_end) && !flush", "late && !flush"),
        ("axis_width_down", "early ? s_axis_tuser : user_q", "user_q"),
        ("axis_width_down_keep", "if (flush) unit_q  <= unit_q - START_W'(IN_UNITS);", ""),
        ("axis_width_down_keep", "flushing || start >= unit_q", "start >= unit_q"),
        ("axis_width_down_keep", "&& !first[u+1]", ""),
    ],
)
def test_mutant_fails(block: str, old: str, new: str, tmp_path: Path) -> None:
    copy = mutant(block, old, new, tmp_path)
    sources = [copy if file == block_file(block) else file for file in closure(block)]
    assert run_bench(block, "icarus", sources=sources).comparisons == 0
