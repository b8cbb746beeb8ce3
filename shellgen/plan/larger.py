# SPDX-License-Identifier: BSD-3-Clause
"""Boards, and parts without a board here, that are large enough for a node that exceeds its own board."""

from __future__ import annotations

from collections.abc import Sequence

from shellgen.model import Board, Resources, Usage
from shellgen.model.device import DSP_SLICES, dsp_of

_NAMED = 3
# LUT, FF, BRAM18, URAM, DSP of devices that people have boards of; smallest first, by family of the PS.
# Source: DS190, DS891.
_PARTS = {
    "xc7z": (
        ("xc7z020", 53_200, 106_400, 280, 0, 220),
        ("xc7z030", 78_600, 157_200, 530, 0, 400),
        ("xc7z035", 171_900, 343_800, 1_000, 0, 900),
        ("xc7z045", 218_600, 437_200, 1_090, 0, 900),
        ("xc7z100", 277_400, 554_800, 1_510, 0, 2_020),
    ),
    "xczu": (
        ("xczu3eg", 70_560, 141_120, 432, 0, 360),
        ("xczu5ev", 117_120, 234_240, 288, 64, 1_248),
        ("xczu7ev", 230_400, 460_800, 624, 96, 1_728),
        ("xczu9eg", 274_080, 548_160, 1_824, 0, 2_520),
        ("xczu15eg", 341_280, 682_560, 1_488, 112, 3_528),
        ("xczu19eg", 522_720, 1_045_440, 1_968, 128, 1_968),
    ),
}


def larger(board: Board, platform: str, takes: Usage, known: Sequence[Board]) -> str:
    """Name what is large enough in place of a board, or return an empty text if nothing is.

    Boards of the same platform whose device has the DSP slice of the board or a newer one, since Vivado
    retargets older slices (UG974); the same slice first, then the smaller device. Without one, parts of the
    same family that a board file can be written for.

    Args:
        board: The board that is too small.
        platform: Platform of the node.
        takes: Usage of the node.
        known: All boards.
    """
    has = dsp_of(board.part)
    slices = DSP_SLICES[DSP_SLICES.index(has) :] if has else DSP_SLICES
    fitting = [
        other
        for other in known
        if platform in other.platform and dsp_of(other.part) in slices and _is_enough(other.resources, takes)
    ]
    fitting.sort(key=lambda other: (dsp_of(other.part) != has, other.resources.lut, other.name))
    if fitting:
        return "to " + " or ".join(other.name for other in fitting[:_NAMED])
    family = _PARTS.get(board.part[:4].lower(), ())
    parts = [
        name
        for name, lut, ff, bram18, uram, dsp in family
        if _is_enough(Resources(lut=lut, ff=ff, bram18=bram18, uram=uram, dsp=dsp), takes)
    ]
    if parts:
        named = " or ".join(parts[:_NAMED])
        return f"to a board with {named}, of which no board file is built in (docs/boards.md: write one)"
    return ""


def _is_enough(has: Resources, takes: Usage) -> bool:
    return all(getattr(takes, kind) <= getattr(has, kind) for kind in Resources.model_fields)
