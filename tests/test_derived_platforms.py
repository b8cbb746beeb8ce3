# SPDX-License-Identifier: BSD-3-Clause
"""Platforms derived from built-in ones under another kind: facts and options are in tables of that kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cluster_bench import generate_fake
from fake_network import chain, partition, plan_of, spec

from shellgen.errors import ShellgenError
from shellgen.model import Board
from shellgen.platforms import platform_registry
from shellgen.read import read_board

BOARDS = {"zynq": "zcu104", "vitis": "u280", "coyote": "u55c"}
WRONG = {"zynq": {"memory_port": "HPX"}, "vitis": {"slr": 9}, "coyote": {"region": 7}}


@pytest.mark.parametrize("kind", BOARDS)
def test_a_derived_platform_generates_the_same(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that differs is the name of its tables, and what is derived from the plan's digest."""
    base = platform_registry()[kind]
    mine = type("Mine", (type(base),), {"kind": "mine"})()
    monkeypatch.setitem(platform_registry(), "mine", mine)

    def board(name: str, *given: Any) -> Board:
        found = read_board(name, *given)
        return found.model_copy(update={"platform": {"mine": found.platform[kind]}})

    def nodes(platform: str, **options: object) -> list[dict[str, Any]]:
        return [
            {"name": "n0", "board": BOARDS[kind], "platform": platform, "partitions": [0], "options": options}
        ]

    generate_fake(chain(partition("a")), spec(nodes(kind)), tmp_path / "base")
    monkeypatch.setattr("fake_network.read_board", board)
    monkeypatch.setattr("cluster_bench.read_board", board, raising=False)
    generate_fake(chain(partition("a")), spec(nodes("mine")), tmp_path / "mine")
    files = {path.relative_to(tmp_path / "base") for path in (tmp_path / "base").rglob("*") if path.is_file()}
    assert {
        path.relative_to(tmp_path / "mine") for path in (tmp_path / "mine").rglob("*") if path.is_file()
    } == files
    with pytest.raises(ShellgenError, match=r"options\.mine") as refused:
        plan_of(chain(partition("a")), spec(nodes("mine", mine=WRONG[kind])))
    assert kind not in str(refused.value).split("options")[1].split(":")[0]
