# SPDX-License-Identifier: BSD-3-Clause
"""Zynq to Zynq: PL -> AXI DMA -> PS -> TCP -> PS -> AXI DMA -> PL."""

from __future__ import annotations

from typing import ClassVar

from shellgen import costs
from shellgen.errors import Problem
from shellgen.links.base import Link
from shellgen.model import Board, Boundary, LinkPath, Usage
from shellgen.model.board import DMA_LENGTH_BITS

# Narrower saves nothing: the DMA's memory side is 32 bits at least (PG021).
DMA_MIN_BITS = 32
MOST_BYTES = (1 << DMA_LENGTH_BITS) - 1  # of a transfer
MOST_FRAMES = (1 << 16) - 1  # what FRAMES_PER_TRANSFER holds


class TcpDma(Link):
    """A DMA transfer is whole frames without gaps: LENGTH is their bytes, TLAST ends it (PG021)."""

    kind: ClassVar[str] = "tcp_dma"
    blocks: ClassVar[tuple[str, ...]] = ("axis_frame_rx", "axis_frame_tx", "axis_width")
    models: ClassVar[tuple[str, ...]] = ("tcp_link", "axis_saboteur")
    about: ClassVar[str] = (
        "between two boards, or a board and its host: AXI DMA to DDR, TCP between the Arm cores"
    )
    needs: ClassVar[str] = "a Zynq processing system with Ethernet on both boards; an AXI DMA for each stream"
    options: ClassVar[str] = "packing (dense, or finn for FINN's byte-padded words)"

    def link_bits(self, board: Board, word_bits: int) -> int:
        """Return the smallest power of two that holds a word, within what the DMA and the HP port take.

        AXI DMA streams are 8 to 1024 bits wide, a power of two, and no wider than the memory side,
        which is the HP port (PG021).
        """
        assert board.zynq is not None
        return min(board.zynq.hp_data_bits, max(DMA_MIN_BITS, 1 << (word_bits - 1).bit_length()))

    def most_frames(self, boundary: Boundary) -> int:
        """Return how many frames fit into what the DMA's length register holds."""
        return max(1, min(MOST_FRAMES, MOST_BYTES // boundary.frame_bytes))

    def check(self, boundary: Boundary, boards: tuple[Board, ...]) -> list[Problem]:
        """Check that one frame fits the DMA's length register and that each board has a DMA."""
        problems = [
            Problem(
                f"{board.where}: zynq",
                f"stream {boundary.name} uses link {self.kind}, which needs a Zynq processing system",
                "Choose another link kind or another board",
            )
            for board in boards
            if board.zynq is None
        ]
        if boundary.frame_bytes > MOST_BYTES:
            problems.append(
                Problem(
                    f"stream {boundary.name}: frame",
                    f"one frame is {boundary.frame_bytes} bytes; the DMA length register holds {MOST_BYTES}",
                    "Cut the network where less crosses, or use dense packing",
                )
            )
        return problems

    def rx_usage(self, path: LinkPath) -> Usage:
        """Return the cost of the framer and the width converter behind it."""
        frame = costs.frame_rx(path.link_bits, path.last_bytes, many=path.most_frames > 1)
        return frame + costs.width(path.link_bits, path.word_bits)

    def tx_usage(self, path: LinkPath) -> Usage:
        """Return the cost of the width converter and the framer behind it."""
        return costs.width(path.word_bits, path.link_bits) + costs.frame_tx(path.link_bits, path.last_bytes)
