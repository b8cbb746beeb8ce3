# SPDX-License-Identifier: BSD-3-Clause
"""Generated output passes `shellgen check`, with any options (`tools.options`)."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field

from shellgen.model.base import Frozen
from shellgen.platforms import platform_registry
from tools.options.cover import each_pair, each_value
from tools.options.run import REFUSED, legal, tried
from tools.options.space import UnknownTypeError, _options, boards_of

KINDS = ("zynq", "vitis", "coyote")
BOARDS = [(kind, board) for kind in KINDS for board in boards_of(kind)]


@pytest.mark.parametrize(("kind", "board"), [("zynq", "zedboard"), ("vitis", "u280"), ("coyote", "u55c")])
def test_values_of_each_option(kind: str, board: str, tmp_path: Path) -> None:
    """A few combinations that differ in everything; the sweep has each pair of values on each board."""
    given, _ = legal(kind, board, tmp_path / "plan")
    choices = list(each_value(given))[1::3]
    rows = [tried(kind, board, choice, tmp_path / "out") for choice in choices]
    assert [one for one in rows if one.outcome not in ("right", REFUSED)] == []
    assert sum(one.outcome == "right" for one in rows) >= 1


@pytest.mark.sweep
@pytest.mark.parametrize(("kind", "board"), BOARDS)
def test_each_pair_of_options(kind: str, board: str, tmp_path: Path) -> None:
    given, _ = legal(kind, board, tmp_path / "plan")
    rows = [tried(kind, board, choice, tmp_path / "out") for choice in each_pair(given, seed=2)]
    assert [one for one in rows if one.outcome not in ("right", REFUSED)] == []


def test_all_platforms_and_boards_are_there() -> None:
    assert {kind for kind, _ in BOARDS} == set(KINDS) <= set(platform_registry())
    assert len(BOARDS) >= 14


class _New(Frozen):
    """Options as somebody may add them."""

    few: Literal["a", "b"] = "a"
    bounded: Annotated[int, Field(ge=2, le=4)] = 3
    wide: int | None = Field(default=None, ge=0, le=4000)


class _Untold(Frozen):
    text: str = ""


def test_a_new_option_is_in_the_sweep_by_itself() -> None:
    found = _options("new", _New, {})
    assert found == {"few": ("a", "b"), "bounded": (3, 2, 4), "wide": (None, 0, 4000)}
    with pytest.raises(UnknownTypeError, match=r"add values of new\.text to SAMPLES"):
        _options("new", _Untold, {})


def test_pairs_are_covered() -> None:
    factors = {"a": (1, 2, 3), "b": (True, False), "c": ("x", "y", "z", "w")}
    rows = list(each_pair(factors, seed=5))
    for one, other in itertools.combinations(factors, 2):
        pairs = {(row[one], row[other]) for row in rows}
        assert pairs == set(itertools.product(factors[one], factors[other]))
    assert len(rows) < 24
    assert {row["c"] for row in each_value(factors)} == set(factors["c"])
