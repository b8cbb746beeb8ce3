# SPDX-License-Identifier: BSD-3-Clause
"""A split from files: the layers of a model, by FINN, and the boards by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import get_args

from shellgen.errors import InputError, one
from shellgen.read import read_board
from shellgen.read.estimates import measured
from shellgen.split import MOST_REPLICAS, Desk, Split, Stock, Wanted, board_counts, read_limits, split
from shellgen.split.ask import Given, Synthesis
from shellgen.split.search import Goal
from shellgen.stitch import load_config, survey_layers
from vivado_check.formats.files import StrPath

_BUILT = "final_hw_config.json"

__all__ = ["SplitOptions", "split_model"]


@dataclass(frozen=True)
class SplitOptions:
    """Goal and limits of a split.

    Attributes:
        goal: Most frames/s, fullest boards, or least traffic between boards.
        fps: Frames/s that are enough: then the fewest boards, and the fewest resources.
        folding: Folding file (JSON) to keep; only the cuts are chosen.
        reserve: Shares of boards that stay free, as in ``lut=0.3,bram=0.2`` or ``zedboard:lut=0.4``.
        replicas: The most boards that may have the same layers and take frames in turn; 1 for none.
        measured: FINN's ``post_synth_resources.json`` of a build of this network: what its layers take.
        where: Command, for messages.
    """

    goal: Goal = "fps"
    fps: float | None = None
    folding: StrPath | None = None
    reserve: Sequence[str] = ()
    where: str = "shellgen split"
    replicas: int = MOST_REPLICAS
    measured: StrPath | None = None


def split_model(
    model: StrPath, boards: Sequence[str], options: SplitOptions, say: Callable[[str], None]
) -> Split:
    """Return the split of a model.

    Args:
        model: What `shellgen stitch` takes.
        boards: Names of boards with their number: ``zedboard*2``.
        options: Goal and limits.
        say: Receives notes on the model.

    Raises:
        ShellgenError: A wrong option, a model that cannot be built, boards that are not enough.
    """
    where, fps = options.where, options.fps
    if options.goal not in get_args(Goal):
        remedy = f"Choose from {', '.join(get_args(Goal))}"
        raise one(InputError, f"{where}: --goal", f"got {options.goal!r}", remedy)
    if fps is not None and not (isfinite(fps) and fps > 0):
        raise one(InputError, f"{where}: --fps", f"got {fps:g}", "Give a number above 0")
    if not 1 <= options.replicas <= MOST_REPLICAS:
        found = f"got {options.replicas}"
        raise one(InputError, f"{where}: --replicas", found, f"Give a number from 1 to {MOST_REPLICAS}")
    if fps is not None and options.goal != "fps":
        found = f"--goal {options.goal} looks for no rate"
        raise one(InputError, f"{where}: --fps", found, "Leave out one of the two")
    if options.goal == "occupancy" and options.folding is None:
        found = "boards are filled with a folding that is given"
        raise one(InputError, f"{where}: --goal occupancy", found, "Name it with --folding")
    counts = board_counts(boards, where)
    limits = read_limits(options.reserve, [name for name, _ in counts], where)
    stock = [
        Stock(name, read_board(name, Path(), where=f"{where}: --boards"), count) for name, count in counts
    ]
    parts = dict.fromkeys(kind.board.part for kind in stock)
    folding, said = None, where
    if options.folding is not None:
        file = Path(options.folding)
        folding, said = load_config(file, {"part": next(iter(parts))}).folding, str(file)
    told = None
    if options.measured is not None:
        told = _measured(Path(options.measured), folding, next(iter(parts)))
    networks = {
        part: survey_layers(Path(model), part, say=_quiet if index else say)
        for index, part in enumerate(parts)
    }
    return split(
        Desk.of(stock, networks, Wanted(options.goal, fps, folding, limits, said, options.replicas, told))
    )


def _measured(file: Path, folding: Given | None, part: str) -> Synthesis:
    """Return the resources of a build with its folding: the given one, or that beside the report."""
    takes = measured(file, str(file))
    if folding is None:
        beside = file.resolve().parents[1] / _BUILT
        if not beside.is_file():
            said = f"there is no {_BUILT} above it, which tells the folding of the build"
            raise one(InputError, f"{file}: --measured", said, "Name the folding of the build with --folding")
        folding = load_config(beside, {"part": part}).folding
    return Synthesis(takes, folding or {}, str(file))


def _quiet(_: str) -> None:
    """Ignore notes on a model that another part has brought already."""
