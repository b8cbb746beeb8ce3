# SPDX-License-Identifier: BSD-3-Clause
"""A platform whose host makes 64-bit accesses only, as Coyote's does; ours of today make 32-bit ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from fake_network import spec

from shellgen.errors import Problem
from shellgen.model import Artifact, Board, Network, NodePlan, Plan
from shellgen.plan import make_plan
from shellgen.platforms import Platform, platform_registry
from shellgen.read import read_board


class Wide(Platform):
    """No project: the core and its bench are what is tested."""

    kind: ClassVar[str] = "wide"

    def check(self, plan: Plan, node: NodePlan) -> list[Problem]:  # noqa: ARG002 - the platform's interface
        """Accept everything."""
        return []

    def artifacts(self, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:  # noqa: ARG002 - the platform's interface
        """Return nothing."""
        return ()


def wide_board(name: str, project: Path | None = None, where: str = "board") -> Board:
    """Return a board of ours on the platform above."""
    board = read_board(name, project, where)
    return board.model_copy(update={"platform": Wide.kind})


def use_wide(patch: pytest.MonkeyPatch) -> None:
    """Put every board that `shellgen.api` reads on the platform above."""
    patch.setitem(platform_registry(), Wide.kind, Wide())
    patch.setattr("shellgen.api.read_board", wide_board)


def wide_plan(patch: pytest.MonkeyPatch, network: Network, nodes: Sequence[Mapping[str, object]]) -> Plan:
    """Plan; nodes with a slot of 8 bytes are on the platform above."""
    patch.setitem(platform_registry(), Wide.kind, Wide())
    cluster = spec(nodes)
    boards = {
        node.name: (wide_board if node.lite.slot == 8 else read_board)(node.board) for node in cluster.node
    }
    return make_plan(cluster, network, boards)
