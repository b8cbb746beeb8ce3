# SPDX-License-Identifier: BSD-3-Clause
"""Four times the boards take four times the work: calls and lines are counted, so no clock decides."""

from __future__ import annotations

import cProfile
import pstats
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from benchmarks.generate_speed.systems import reference_system
from shellgen.api import load
from shellgen.disk.output import write
from shellgen.emit.whole import emit

FEW, MANY = 16, 64
# 4 is linear; a function that also looks at every other board is called up to 16 times as often.
MOST = 4.4
OURS = (f"{Path(__file__).parents[1]}/shellgen/", __file__)
# Calls at 64 boards below which a function does not count: 4.4 of small numbers says nothing.
LEAST = 16 * MANY

Calls = dict[tuple[str, str], int]


def calls(work: Callable[[], object]) -> Calls:
    """Return how often each function is called, by file and name."""
    with cProfile.Profile() as profile:
        work()
    found: Calls = {}
    for (file, line, name), (_, count, *_) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        found[f"{file}:{line}", name] = count
    return found


def lines(work: Callable[[], object]) -> Calls:
    """Return how many lines each function of shellgen executes; a turn of a loop is one at least."""
    found: Counter[CodeType] = Counter()

    def line(frame: FrameType, event: str, _: object) -> Any:
        found[frame.f_code] += event == "line"
        return line

    def call(frame: FrameType, _event: str, _: object) -> Any:
        return line if frame.f_code.co_filename.startswith(OURS) else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        work()
    finally:
        sys.settrace(before)
    return {
        (f"{code.co_filename}:{code.co_firstlineno}", code.co_name): count for code, count in found.items()
    }


def generated(folder: Path, boards: int, counted: Callable[[Callable[[], object]], Calls] = calls) -> Calls:
    """Return the calls of a whole `generate` of a chain with one layer on each board."""
    cluster = reference_system(folder / f"boards{boards}", boards, width=4)

    def work() -> None:
        plan, _, files = load(cluster)
        write(emit(plan, files), cluster.parent / "out")

    return counted(work)


def grown(few: Calls, many: Calls) -> list[str]:
    """Return the functions whose calls grow faster than the boards."""
    return [
        f"{name} ({place}): {few.get((place, name), 0)} calls for {FEW} boards, {count} for {MANY}"
        for (place, name), count in sorted(many.items())
        if count >= LEAST and count > MOST * few.get((place, name), 0)
    ]


def test_generate_grows_with_the_boards(tmp_path: Path) -> None:
    generated(tmp_path, 2)  # what is done once for any number
    assert not grown(generated(tmp_path, FEW), generated(tmp_path, MANY))


@pytest.mark.sweep
def test_loops_grow_with_the_boards(tmp_path: Path) -> None:
    generated(tmp_path, 2)
    few, many = (generated(tmp_path, boards, lines) for boards in (FEW, MANY))
    assert not grown(few, many)


def test_a_loop_over_every_other_board_is_counted() -> None:
    def loop(boards: int) -> int:
        return sum([one == other for one in range(boards) for other in range(boards)])

    told = grown(lines(lambda: loop(FEW)), lines(lambda: loop(MANY)))
    assert len(told) == 1
    assert "listcomp" in told[0] or "loop" in told[0]


@pytest.mark.parametrize(("each", "others"), [(5, 1), (20, 0)])
def test_what_looks_at_every_other_board_is_named(each: int, others: int) -> None:
    def plan_node(_board: int) -> int:
        return 0

    def work(boards: int) -> Calls:
        pairs = ((one, other) for one in range(boards) for other in range(each + others * boards))
        return calls(lambda: [plan_node(one) for one, _ in pairs])

    told = grown(work(FEW), work(MANY))
    assert sum(text.startswith("plan_node ") for text in told) == others
