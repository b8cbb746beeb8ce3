# SPDX-License-Identifier: BSD-3-Clause
"""A platform whose host makes 64-bit accesses only, as Coyote's does; ours of today make 32-bit ones."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import ClassVar

import pytest
from fake_network import spec

from shellgen.errors import Problem
from shellgen.model import Artifact, Board, Clock, Dock, HostWindow, Network, NodePlan, NodeSpec, Plan
from shellgen.model.base import Frozen
from shellgen.plan import make_plan
from shellgen.platforms import Platform, platform_registry
from shellgen.read import read_board


class WideFacts(Frozen):
    """Addresses of a core for its host, and width of its streams."""

    base: int
    bytes: int
    bits: int


class Wide(Platform):
    """No project: the core and its bench are what is tested."""

    kind: ClassVar[str] = "wide"
    Facts: ClassVar[type[Frozen]] = WideFacts
    host_link: ClassVar[str] = "tcp_dma"

    def window(self, board: Board) -> HostWindow:
        """Return the window, where a register takes 8 bytes."""
        facts = board.facts(self.kind, WideFacts)
        return HostWindow(base=facts.base, bytes=facts.bytes, slot=8, bus="devmem")

    def clocks(self, board: Board, node: NodeSpec) -> tuple[Clock, ...]:
        """Return one clock; the core's ports get the names that the platform gives them."""
        (clock,) = super().clocks(board, node)
        return (clock.model_copy(update={"name": "shell_clk", "reset": "shell_rst_n"}),)

    def docks(self, board: Board) -> dict[str, Dock]:
        """Return as many DMAs as there are streams."""
        return {"dma": Dock(bits=board.facts(self.kind, WideFacts).bits)}

    def check(self, plan: Plan, node: NodePlan) -> list[Problem]:  # noqa: ARG002 - the platform's interface
        """Accept everything."""
        return []

    def artifacts(self, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:  # noqa: ARG002 - the platform's interface
        """Return nothing."""
        return ()


def wide_board(name: str, project: Path | None = None, where: str = "board") -> Board:
    """Return a test board on the platform above."""
    board = read_board(name, project, where)
    (facts,) = board.platform.values()
    wide = {"base": facts["lite_base"], "bytes": facts["lite_bytes"], "bits": facts["hp_data_bits"]}
    return board.model_copy(update={"platform": {Wide.kind: wide}})


def use_wide(patch: pytest.MonkeyPatch) -> None:
    """Put every board that `shellgen.api` reads on the platform above."""
    patch.setitem(platform_registry(), Wide.kind, Wide())
    patch.setattr("shellgen.system.read_board", wide_board)


def wide_plan(
    patch: pytest.MonkeyPatch, network: Network, nodes: list[dict[str, object]], wide: Collection[str]
) -> Plan:
    """Plan; the nodes of these names are on the platform above."""
    patch.setitem(platform_registry(), Wide.kind, Wide())
    cluster = spec(nodes)
    boards = {
        node.name: (wide_board if node.name in wide else read_board)(node.board) for node in cluster.node
    }
    return make_plan(cluster, network, boards)
