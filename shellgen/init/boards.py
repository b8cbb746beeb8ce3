# SPDX-License-Identifier: BSD-3-Clause
"""Which boards a partition fits: by its DSP generation and by FINN's resource estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shellgen.model import Board, Estimate
from shellgen.model.device import die_of, dsp_of
from shellgen.platforms import platform_registry


@dataclass(frozen=True)
class Choice:
    """A board, and how full a partition makes it.

    Attributes:
        board: The board.
        share: Part of the scarcest resource that the partition takes; None if unknown.
        scarcest: Which one that is.
    """

    board: Board
    share: float | None
    scarcest: str

    @property
    def fits(self) -> bool:
        """Whether the partition fits, as far as anybody knows."""
        return self.share is None or self.share <= 1

    @property
    def filling(self) -> str:
        """How full it gets, e.g. ``LUT 14 %``; empty if unknown."""
        if self.share is None:
            return ""
        return f"{self.scarcest} {self.share * 100:.0f} %" if self.share >= 0.01 else "less than 1 % of it"


def clock_on(board: Board, hz: int) -> int:
    """Return the clock next to this one, and no faster, that the board's platform can be asked for."""
    known = [platform_registry()[kind] for kind in board.platform if kind in platform_registry()]
    return known[0].clock_near(hz) if known else hz


def fitting_boards(
    boards: Sequence[Board], need: Estimate | None, part: str | None, dsp: str | None = None
) -> list[Choice]:
    """Return the boards for a partition, best first: its own part, its die, the smallest, then too small.

    Args:
        boards: Those there are.
        need: What the partition takes, if that is known.
        part: Part that FINN built it for, if that is known. Boards of another DSP generation are left out,
            since FINN's RTL instantiates the DSP slice itself.
        dsp: Slice that its RTL instantiates, where the part is not known.
    """
    generation = dsp_of(part or "") or dsp
    fits = [_choice(board, need) for board in boards if generation in (None, dsp_of(board.part))]

    def order(choice: Choice) -> tuple[float, bool, bool, int, str]:
        beyond = 0.0 if choice.fits else choice.share or 0.0
        other_part = part is not None and choice.board.part.lower() != part.lower()
        other_die = part is not None and die_of(choice.board.part) != die_of(part)
        return beyond, other_part, other_die, choice.board.resources.lut, choice.board.name

    return sorted(fits, key=order)


def _choice(board: Board, need: Estimate | None) -> Choice:
    if need is None:
        return Choice(board, None, "")
    have = board.resources
    shares = [
        (need.lut / have.lut, "LUT"),
        (need.ff / have.ff, "FF"),
        (need.bram18 / have.bram18, "BRAM"),
        (need.uram / have.uram if have.uram else float(need.uram > 0) * 2, "URAM"),
        (need.dsp / have.dsp, "DSP"),
    ]
    return Choice(board, *max(shares, key=lambda entry: entry[0]))
