# SPDX-License-Identifier: BSD-3-Clause
"""Bars of report.html: the first frames on their way through the stages, and the rate with more boards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shellgen.counted import counted
from shellgen.estimate.cluster import RECEIVER, SENDER, system_of
from shellgen.estimate.engine import System, Timeline, run
from shellgen.estimate.scale import MOST_BOARDS, circle_of, scaled
from shellgen.estimate.timing import micro
from shellgen.model import Plan

FRAMES = 4
MOST_STAGES = 24
WIDTH = 300  # pixels of all of the time, or of the largest rate; a cell is at most 312 wide
_STYLES = ("partition", "core")  # of frames by turns
_ALWAYS = 4  # boards more that each have a row; then only whole powers of two


@dataclass(frozen=True)
class BarRow:
    """A row: its name, pieces (left, width and style in pixels), the same in words, and a remark."""

    name: str
    pieces: tuple[tuple[float, float, str], ...]
    words: str
    remark: str


@dataclass(frozen=True)
class Bars:
    """A section of such rows; ``listed`` is what the contents of the page call it, if they do."""

    title: str
    anchor: str
    about: str
    rows: tuple[BarRow, ...]
    listed: str = ""


def timeline(plan: Plan) -> Bars:
    """Return the first frames at each stage, and the stage for whose last word the first one waits."""
    system = system_of(plan)
    found = run(system, FRAMES)
    shown = [stage.name for stage in system.parts if stage.name not in (SENDER, RECEIVER)]
    left_out = len(shown) - MOST_STAGES
    if left_out > 0:
        slow = sorted(shown, key=lambda name: (-system.stage(name).period, name))[:MOST_STAGES]
        shown = [name for name in shown if name in slow]
    shown.sort(key=lambda name: (found.finish[found.row(name), 0], found.start[found.row(name), 0]))
    whole = max(float(np.max(found.leave)), 1e-12)
    about = f"The first {FRAMES} frames, all there at the start, over {micro(whole)}. "
    about += f"A bar begins with the first word of a frame and ends with its last. {_hidden(left_out)}"
    rows = tuple(_stage(system, found, name, whole) for name in shown)
    title = "Timeline of the first frames"
    return Bars(title, "timeline", about.strip(), rows, title)


def _hidden(count: int) -> str:
    return f"The {count} fastest stages are left out." if count > 0 else ""


def _stage(system: System, found: Timeline, name: str, whole: float) -> BarRow:
    row = found.row(name)
    pieces = []
    for frame in range(FRAMES):
        left = float(found.start[row, frame]) / whole * WIDTH
        width = max(1.0, float(found.finish[row, frame] - found.start[row, frame]) / whole * WIDTH)
        pieces.append((round(left, 1), round(width, 1), _STYLES[frame % len(_STYLES)]))
    first = f"{micro(float(found.start[row, 0]))} to {micro(float(found.finish[row, 0]))}"
    last = f"{micro(float(found.start[row, -1]))} to {micro(float(found.finish[row, -1]))}"
    return BarRow(
        name, tuple(pieces), f"frame 1: {first}; frame {FRAMES}: {last}", _waits(system, found, name)
    )


def _waits(system: System, found: Timeline, name: str) -> str:
    """Name what the last of the frames waited for: the stage before, or its own frame before."""
    before = [one for one in system.before(name) if one != SENDER]
    if not before:
        return "waits for the host"
    row, last = found.row(name), FRAMES - 1
    came = {one: float(found.finish[found.row(one), last]) for one in before}
    after = max(before, key=lambda one: came[one])
    free = float(found.start[row, last - 1]) + system.stage(name).period
    busy = free >= float(found.start[row, last]) * (1 - 1e-9)
    return "waits for its own frame before" if busy else f"waits for {after}"


def rate_bar(share: float) -> tuple[float, float, str]:
    """Return the piece of a rate, as a share of the largest one."""
    return (0.0, round(max(1.0, share * WIDTH), 1), _STYLES[0])


def scaling(plan: Plan) -> Bars:
    """Return the rate with copies of boards, each of the board that limits."""
    title, anchor = "More boards", "scaling"
    if circle := circle_of(plan):
        about = f"Frames go round {', '.join(circle)}, so there is no forecast with copies of one board."
        return Bars(title, anchor, about, (), title)
    points = scaled(plan, MOST_BOARDS)
    least = points[0].boards if points else 0
    shown = [one for one in points if one.boards - least <= _ALWAYS or one.boards & (one.boards - 1) == 0]
    most = max((one.frames_per_second for one in shown), default=1.0)
    rows = tuple(
        BarRow(
            counted(one.boards, "board"),
            (rate_bar(one.frames_per_second / most),),
            f"{one.frames_per_second:,.0f} frames/s, {one.efficiency * 100:.0f} % for each board",
            f"{one.limit} limits",
        )
        for one in shown
    )
    about = "A forecast: each board more is a copy of the one that limits, and copies take frames in turn."
    return Bars(title, anchor, about, rows, title)
