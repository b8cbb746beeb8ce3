# SPDX-License-Identifier: BSD-3-Clause
"""Choice of boards for a partition: by its DSP generation and FINN's resource estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shellgen.errors import InputError, Problem, offer, plain
from shellgen.model import Board, Estimate, NodeSpec
from shellgen.model.device import die_of, dsp_of
from shellgen.platforms import platform_registry


@dataclass(frozen=True)
class Choice:
    """A board, with its utilisation by a partition.

    Attributes:
        board: The board.
        share: Fraction of the scarcest resource that the partition uses; None if unknown.
        scarcest: Name of that resource.
    """

    board: Board
    share: float | None
    scarcest: str

    @property
    def fits(self) -> bool:
        """Whether the partition fits, as far as the usage is known."""
        return self.share is None or self.share <= 1

    @property
    def filling(self) -> str:
        """The utilisation, e.g. ``LUT 14 %``; empty if unknown."""
        if self.share is None:
            return ""
        return f"{self.scarcest} {self.share * 100:.0f} %" if self.share >= 0.01 else "less than 1 % of it"


def boards_on(boards: Sequence[Board], platform: str) -> list[Board]:
    """Return the boards of a platform; all boards without a platform.

    Raises:
        InputError: The platform does not exist.
    """
    if not platform:
        return list(boards)
    if platform not in platform_registry():
        remedy = offer(platform, sorted(platform_registry()))
        raise InputError(Problem("shellgen init: --platform", f"{platform!r} is not known", remedy))
    return [board for board in boards if platform in board.platform]


def platform_of(board: Board) -> str:
    """Return the default platform of a node; empty if none is installed."""
    return next((kind for kind in board.platform if kind in platform_registry()), "")


def clock_on(board: Board, kind: str, hz: int) -> int | None:
    """Return the nearest clock frequency of a platform that is not above this one.

    None is returned if this is the default of a node.
    """
    platform = platform_registry().get(kind)
    if platform is None:
        return None if hz == board.clock_hz else hz
    near = platform.clock_near(hz)
    own = platform.clocks(board, NodeSpec(name="node", board=board.name, partitions=(0,)))[0].hz
    return None if near == own else near


def fitting_boards(
    boards: Sequence[Board],
    need: Estimate | None,
    part: str | None,
    dsp: str | None = None,
    folders: Sequence[str] = (),
) -> list[Choice]:
    """Return the boards for a partition, best first: its own part, its die, the board in the name of a
    folder of the build, the smallest, then boards that are too small.

    Args:
        boards: All boards.
        need: Resources of the partition, if known.
        part: Part that FINN built it for, if known. Boards of another DSP generation are left out,
            since FINN's RTL instantiates the DSP slice itself.
        dsp: DSP slice that its RTL instantiates, if the part is unknown.
        folders: Names of the folders around the build, because boards may share a part.
    """
    generation = dsp_of(part or "") or dsp
    fits = [_choice(board, need) for board in boards if generation in (None, dsp_of(board.part))]

    def order(choice: Choice) -> tuple[float, bool, bool, bool, int, str]:
        beyond = 0.0 if choice.fits else choice.share or 0.0
        other_part = part is not None and choice.board.part.lower() != part.lower()
        other_die = part is not None and die_of(choice.board.part) != die_of(part)
        unnamed = not any(plain(choice.board.name) in plain(folder) for folder in folders)
        return beyond, other_part, other_die, unnamed, choice.board.resources.lut, choice.board.name

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
