# SPDX-License-Identifier: BSD-3-Clause
"""Tables of ``estimate --scale``: copies of boards, single changes, and rows of boards that are cut again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shellgen.counted import counted
from shellgen.table import Column, table

if TYPE_CHECKING:
    from shellgen.model import Network, Plan
    from shellgen.model.base import Json
    from shellgen.report.timeline import Bars
    from shellgen.split.curve import Curve


@dataclass(frozen=True)
class Rows:
    """Boards in a row, as text, as a part of the document, and as sections of report.html."""

    lines: list[str]
    record: dict[str, Json]
    bars: tuple[Bars, ...] = ()


def scale_part(plan: Plan, most: int, where: str, width: int | None) -> tuple[list[str], dict[str, Json]]:
    """Return the rates with more boards and the single changes, as text and as a part of the document."""
    from shellgen.errors import InputError, one
    from shellgen.estimate.scale import changes, circle_of, scaled

    if most < len(plan.nodes):
        found = f"the cluster has {counted(len(plan.nodes), 'board')}, and --scale gives {most}"
        raise one(InputError, where, found, f"Give at least --scale {len(plan.nodes)}")
    if circle := circle_of(plan):
        found = f"frames go round {', '.join(circle)}, so copies of one of them would need a way back to each"
        raise one(
            InputError, where, found, "Leave out --scale, or place the partitions so that none comes back"
        )
    points, better = scaled(plan, most), changes(plan)
    names = [node.name for node in plan.nodes]
    columns = (
        Column("boards", right=True),
        Column("frames/s", right=True),
        Column("efficiency", right=True),
        Column("copies", wrap=True),
        Column("limit", wrap=True),
    )
    rows: list[Sequence[object]] = []
    for point in points:
        copied = [f"{name} x {count}" for name, count in zip(names, point.copies, strict=True) if count > 1]
        share = f"{100 * point.efficiency:.0f} %"
        rate = f"{point.frames_per_second:,.0f}"
        rows.append((point.boards, rate, share, ", ".join(copied), point.limit))
    lines = ["", *table(columns, rows, width), "", "single changes:"]
    lines += [
        f"  {one.text}: {one.frames_per_second:,.0f} frames/s, then {one.limit} limits" for one in better
    ]
    lines += [] if better else ["  none of those tried makes the cluster faster"]
    record: dict[str, Json] = {
        "scale": [
            {
                "boards": point.boards,
                "copies": dict(zip(names, point.copies, strict=True)),
                "frames_per_second": round(point.frames_per_second, 3),
                "efficiency": round(point.efficiency, 4),
                "limit": point.limit,
            }
            for point in points
        ],
        "changes": [
            {"change": one.text, "frames_per_second": round(one.frames_per_second, 3), "limit": one.limit}
            for one in better
        ],
    }
    return lines, record


def chain_curves(plan: Plan, network: Network | None, most: int, where: str, width: int | None) -> Rows:
    """Return the rates of the layers on boards in a row, or why there are none."""
    from shellgen.errors import InputError

    if network is None:
        return _none("only cluster.toml names the build with the layers; estimate that instead of the output")
    from shellgen.split.curve import curves

    try:
        found = curves(plan, network, most, where)
    except InputError as error:
        return _none("; ".join(f"{one.found}: {one.remedy}" for one in error.problems))
    if not found:
        return _none("no link joins boards of one of these kinds in a row")
    columns = (
        Column("boards", right=True),
        Column("frames/s", right=True),
        Column("efficiency", right=True),
        Column("latency us", right=True),
        Column("layers", wrap=True),
        Column("limit", wrap=True),
    )
    lines = ["", "the layers folded and cut again onto boards in a row (a forecast, as `split` would):"]
    record: list[Json] = []
    for curve in found:
        lines += ["", f"{curve.of}, {curve.board}, {curve.link}:"]
        rows: list[Sequence[object]] = []
        points: list[Json] = []
        each = [one.frames_per_second / one.boards for one in curve.points if one.frames_per_second]
        for point in curve.points:
            rate = point.frames_per_second
            if rate is None:
                rows.append((point.boards, "", "", "", "", "too few for the layers"))
                points.append({"boards": point.boards, "frames_per_second": None})
                continue
            share, sizes = rate / point.boards / each[0], list(point.layers)
            micro = f"{point.latency * 1e6:,.2f}"
            row = (point.boards, f"{rate:,.0f}", f"{100 * share:.0f} %", micro)
            rows.append((*row, " ".join(map(str, sizes)), point.limit))
            points.append(
                {
                    "boards": point.boards,
                    "frames_per_second": round(rate, 3),
                    "efficiency": round(share, 4),
                    "latency": point.latency,
                    "layers": [*sizes],
                    "limit": point.limit,
                }
            )
        lines += table(columns, rows, width)
        record.append({"of": curve.of, "board": curve.board, "link": curve.link, "points": points})
    return Rows(lines, {"chains": record}, tuple(_bars(one, number) for number, one in enumerate(found)))


def _none(why: str) -> Rows:
    return Rows(["", f"no rates of boards in a row: {why}"], {"chains": [], "no_chains": why})


def _bars(curve: Curve, number: int) -> Bars:
    """Return a curve as a section of the page; a bar is as long as its share of the largest rate."""
    from shellgen.report.timeline import BarRow, Bars, rate_bar

    known = [one for one in curve.points if one.frames_per_second]
    most = max((one.frames_per_second or 0.0 for one in known), default=1.0)
    rows = []
    for point in curve.points:
        boards = counted(point.boards, "board")
        rate = point.frames_per_second
        if rate is None:
            rows.append(BarRow(boards, (), "too few for the layers", ""))
            continue
        told = f"{rate:,.0f} frames/s, {point.latency * 1e6:,.2f} us through all layers"
        sizes = " ".join(map(str, point.layers))
        rows.append(BarRow(boards, (rate_bar(rate / most),), told, f"layers {sizes}; {point.limit} limits"))
    about = "A forecast: the layers folded and cut again onto so many boards, as split would."
    title = f"{curve.of[0].upper()}{curve.of[1:]} in a row: {curve.board}, {curve.link}"
    listed = "" if number else "Boards in a row"  # the others follow
    return Bars(title, f"row-{number}", about, tuple(rows), listed)
