# SPDX-License-Identifier: BSD-3-Clause
"""Expected memory use of a vendor's tool, by device."""

from __future__ import annotations

from shellgen.model import Board

GIB = 1 << 30
# Our own guess, for want of a public table by device: Vivado itself, and what its data take for each LUT. A
# Zynq-7020 gets 5 GiB, an Alveo U280 29 GiB. UG904 (Parallel Runs) reckons with 20 GB for a run and UG1400
# asks for 32 GB, better 64. What the last build took replaces it.
_TOOL, _PER_LUT = 4 * GIB, 20 * 1024


def implementation_memory(board: Board) -> int:
    """Return bytes for synthesis, placement and routing of a board's whole device."""
    return _TOOL + _PER_LUT * board.resources.lut


def packaging_memory() -> int:
    """Return bytes for a tool that reads sources and places nothing."""
    return _TOOL
