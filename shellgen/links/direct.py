# SPDX-License-Identifier: BSD-3-Clause
"""Two partitions on one board: a FIFO, and a width converter where their words differ."""

from __future__ import annotations

from typing import ClassVar

from shellgen import costs
from shellgen.errors import Problem
from shellgen.links.base import Link
from shellgen.model import Board, Boundary, DirectPath, Usage


class Direct(Link):
    """A stream that never leaves the core, so it needs no framing."""

    kind: ClassVar[str] = "direct"
    blocks: ClassVar[tuple[str, ...]] = ("axis_fifo", "axis_width")
    models: ClassVar[tuple[str, ...]] = ()
    about: ClassVar[str] = "two partitions on one board: a FIFO, and a width converter where words differ"
    needs: ClassVar[str] = "both partitions on one node; nothing of the board"
    options: ClassVar[str] = "depth (words of the FIFO)"

    def link_bits(self, board: Board, word_bits: int) -> int:  # noqa: ARG002 - no board limits a wire
        """Return the word itself: there is no link port."""
        return word_bits

    def check(self, boundary: Boundary, boards: tuple[Board, ...]) -> list[Problem]:
        """Check that both ends are on one node."""
        if boundary.producer_node is not None and boundary.producer_node == boundary.consumer_node:
            return []
        return [
            Problem(
                f"stream {boundary.name}: link",
                f"link kind {self.kind} joins partitions of one node; these are on {len(boards)} boards",
                "Choose a link kind that both boards list",
            )
        ]

    def direct_usage(self, path: DirectPath) -> Usage:
        """Return the cost of the FIFO and the width converter behind it."""
        ends = (path.producer_word_bits, path.consumer_word_bits)
        return costs.fifo(ends[0], path.depth) + costs.width(*ends)
