# SPDX-License-Identifier: BSD-3-Clause
"""Zynq-7000 and Zynq UltraScale+: the core beside the PS, its streams on AXI DMAs."""

from __future__ import annotations

from typing import ClassVar

from shellgen.errors import Problem
from shellgen.model import Artifact, Board, NodePlan, Plan
from shellgen.model import Zynq as ZynqBoard
from shellgen.platforms.base import Platform

# c_sg_length_width of AXI DMA 7.1 is 8..26 bits; the widest costs a few flops (facts/zynq_vivado.md B3).
DMA_LENGTH_BITS = 26
# Narrower saves nothing: the DMA's memory side is 32 bits at least.
DMA_MIN_BITS = 32


def zynq_of(board: Board) -> ZynqBoard:
    """Return the PS facts, which a board of this platform must have."""
    assert board.zynq is not None
    return board.zynq


class Zynq(Platform):
    """One Vivado project per node, made by Tcl or by edalize from the same block-design script."""

    kind: ClassVar[str] = "zynq"

    def link_bits_max(self, board: Board) -> int:
        """Return the HP width: a DMA stream is never wider than its memory side."""
        return zynq_of(board).hp_data_bits

    def stream_bits(self, board: Board, word_bits: int) -> int:
        """Return the smallest power of two that holds a word, within 32 bits and the HP width."""
        return min(self.link_bits_max(board), max(DMA_MIN_BITS, 1 << (word_bits - 1).bit_length()))

    def frame_limit_bytes(self, board: Board) -> int:  # noqa: ARG002 - the same DMA on all boards
        """Return what the DMA's length register holds."""
        return (1 << DMA_LENGTH_BITS) - 1

    def lite_limit_bytes(self, board: Board) -> int:
        """Return the core's part of the general-purpose window."""
        return zynq_of(board).lite_bytes

    def check(self, plan: Plan, node: NodePlan) -> list[Problem]:
        """Not written yet."""
        return []

    def artifacts(self, plan: Plan, node: NodePlan, files: tuple[str, ...]) -> tuple[Artifact, ...]:
        """Not written yet."""
        return ()
