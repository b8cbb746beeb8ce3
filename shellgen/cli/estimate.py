# SPDX-License-Identifier: BSD-3-Clause
"""``estimate``: the rate of a cluster before any simulation."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shellgen.cli.command import FAILED, PASSED, AddCommand, Answer, whole_number
from shellgen.table import Column, table, terminal_width

if TYPE_CHECKING:
    from shellgen.estimate import Estimate, Timing
    from shellgen.estimate.measured import Measured
    from shellgen.model import Network, Plan
    from shellgen.model.base import Json
    from shellgen.report.timeline import Bars

MOST_FRAMES = 100_000
MOST_IN_FLIGHT = 10_000  # the engine runs four times as many frames, some seconds of them
MOST_JITTER_US = 10_000_000
MOST_LOSS = 90  # per cent


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("estimate", _estimate, "Estimate the frames/s of a cluster, and name its limit.")
    sub.add_argument("cluster", type=Path, help="cluster.toml, or folder that `shellgen generate` wrote")
    text = "folder for estimate.json, report.html and plan.json"
    sub.add_argument("-o", "--out", type=Path, help=text)
    sub.add_argument("--force", action="store_true", help="overwrite generated files that were edited")
    text = "also the time of this many frames, all of which are there at the start"
    sub.add_argument("--frames", type=_frames, metavar="N", help=text)
    text = "also the rate with this many frames under way; may be repeated"
    sub.add_argument("--in-flight", type=_in_flight, action="append", default=[], metavar="K", help=text)
    text = (
        "also the rate of 1 to this many boards: copies of those that limit, and boards in a row, with the "
        "layers cut again; and single changes, best first"
    )
    sub.add_argument("--scale", type=_boards, metavar="BOARDS", help=text)
    text = "mean delay of a frame at each network port, drawn for each frame"
    sub.add_argument("--jitter", type=_jitter, default=0.0, metavar="US", help=text)
    text = "frames in a hundred that each network port loses, so that they are sent again"
    sub.add_argument("--loss", type=_loss, default=0.0, metavar="PERCENT", help=text)
    text = "seed of these draws"
    sub.add_argument("--seed", type=_frames, default=1, metavar="N", help=text)
    text = "report.json of a run of this build, whose cycles from frame to frame count first"
    sub.add_argument("--measured", type=Path, metavar="FILE", help=text)
    text = "exit with 1 if a board, or a region of it, has fewer resources than the estimate"
    sub.add_argument("--strict", action="store_true", help=text)


def _boards(text: str) -> int:
    from shellgen.estimate.scale import MOST_BOARDS

    return whole_number(text, MOST_BOARDS)


def _jitter(text: str) -> float:
    return _real(text, MOST_JITTER_US)


def _loss(text: str) -> float:
    return _real(text, MOST_LOSS)


def _real(text: str, most: int) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found <= most:
        raise argparse.ArgumentTypeError(f"got {text!r}; give a number from 0 to {most}")
    return found


def _frames(text: str) -> int:
    return whole_number(text, MOST_FRAMES)


def _in_flight(text: str) -> int:
    return whole_number(text, MOST_IN_FLIGHT)


def _estimate(args: argparse.Namespace) -> Answer:
    from shellgen.cli.fit import fit_records, fit_table
    from shellgen.cli.scale import chain_curves, scale_part
    from shellgen.estimate import estimate, timing
    from shellgen.estimate.measured import with_measured
    from shellgen.estimate.noise import Noise
    from shellgen.plan.fit import small_rings, tight_notes

    plan, network = _planned(args.cluster)
    measured = _measured(args, plan)
    plan = with_measured(plan, measured) if measured else plan
    found = estimate(plan)
    noise = Noise(args.jitter * 1e-6, args.loss / 100, args.seed)
    undisturbed = found.frames_per_second
    times = timing(plan, most=undisturbed, in_flight=args.in_flight, frames=args.frames, noise=noise)
    width = terminal_width()
    lines = [*estimate_table(found, width), "", *first_frame_table(times, width), ""]
    lines += [*fit_table(plan, width, shares=True), ""]
    lines += [*found.sentences(times.streaming if noise else None), *times.sentences()]
    lines += unknown_rates(plan)
    lines += small_rings(plan)
    too_much = overfull_notes(plan)
    lines += [*too_much, *tight_notes(plan)]
    record = estimate_record(found) | timing_record(times)
    record |= {"overfull": list(too_much), "resources": [*fit_records(plan)]}
    if noise:
        record |= {"frames_per_second": round(times.streaming, 3), "undisturbed": round(undisturbed, 3)}
    if measured:
        lines.append(f"measured: {1 / measured.seconds:,.0f} frames/s by {measured.where}")
        record |= {"measured": {"seconds_per_frame": measured.seconds, "source": measured.where}}
    code = FAILED if args.strict and too_much else PASSED
    curves: tuple[Bars, ...] = ()
    if args.scale is not None:
        more, scale = scale_part(plan, args.scale, str(args.cluster), width)
        if noise:
            lines += ["", "rates with more boards and other changes are without the delays and losses:"]
        lines, record = [*lines, *more], record | scale
        found_rows = chain_curves(plan, network, args.scale, str(args.cluster), width)
        lines, record, curves = [*lines, *found_rows.lines], record | found_rows.record, found_rows.bars
    if args.out is None:
        return Answer("\n".join(lines), record, code)
    from shellgen.disk.output import write
    from shellgen.model import Artifact
    from shellgen.report import REPORT
    from shellgen.report.page import report_file

    document = Artifact.text("estimate.json", json.dumps(record, indent=1) + "\n")
    files = (Artifact.text("plan.json", plan.to_json()), document, report_file(plan, curves))
    write(files, args.out, keep=True, force=args.force)
    page = str(args.out / REPORT)
    return Answer("\n".join([*lines, "", f"report: {page}"]), {**record, "report": page}, code)


def _planned(cluster: Path) -> tuple[Plan, Network | None]:
    """Return the plan, and of a cluster.toml the build.

    The plan of an output is read without all that makes one, which takes longer to load.
    """
    if cluster.is_dir():
        from shellgen.read.output import settled_plan

        return settled_plan(cluster), None
    from shellgen import api

    return api.load(cluster, overfull=True)[:2]


def _measured(args: argparse.Namespace, plan: Plan) -> Measured | None:
    """Return the run that was named, or else the latest of the output."""
    from shellgen.estimate.measured import found_beside, read_measured

    if args.measured:
        return read_measured(args.measured, plan)
    return found_beside(args.cluster, plan)


def unknown_rates(plan: Plan) -> list[str]:
    """Say which links have no rate, and where to give it."""
    from shellgen.estimate.servers import without_rate

    return [
        f"{what} has no rate in the board file, so it is not counted: give it there ({field})"
        for what, field in without_rate(plan)
    ]


def overfull_notes(plan: Plan) -> list[str]:
    """Say which boards have less than their part of the cluster takes."""
    from shellgen.plan.fit import fit_problems

    return [f"{one.where}: {one.found}" for one in fit_problems(plan)]


def estimate_table(found: Estimate, width: int | None = None) -> list[str]:
    """Return the lines of the table, slowest first; load is the share of the limit's time."""
    from shellgen.estimate.columns import PARTS

    columns = [Column(one.title, right=one.number, wrap=not one.number) for one in PARTS]
    rows = [[one.text(part, found.limit.seconds) for one in PARTS] for part in found.servers]
    return table(columns, rows, width)


def first_frame_table(found: Timing, width: int | None = None) -> list[str]:
    """Return the way of the first frame: when each stage has its first and its last word."""
    columns = (
        Column("first frame", wrap=True),
        Column("from us", right=True),
        Column("to us", right=True),
        Column("latency us", right=True),
        Column("waits for", wrap=True),
    )
    rows: list[Sequence[object]] = [
        (one.stage, *(f"{value * 1e6:,.3f}" for value in (one.start, one.finish, one.latency)), one.after)
        for one in found.first
    ]
    return table(columns, rows, width)


def estimate_record(found: Estimate) -> dict[str, Json]:
    """Return the estimate as a JSON document."""
    return {
        "frames_per_second": round(found.frames_per_second, 3),
        "limit": found.limit.name,
        "unknown_layers": found.unknown,
        "parts": [
            {
                "part": one.name,
                "seconds_per_frame": one.seconds,
                "detail": one.detail,
                "source": one.source,
            }
            for one in found.servers
        ],
    }


def timing_record(found: Timing) -> dict[str, Json]:
    """Return the times of frames as parts of a JSON document; all of them are in seconds."""
    record: dict[str, Json] = {
        "unit": "s",
        "first_frame": {"value": found.first_frame, "unit": "s", "source": "engine, need curves"},
        "stages": [
            {
                "stage": one.stage,
                "period": one.period,
                "start": one.start,
                "finish": one.finish,
                "latency": one.latency,
                "waits_for": one.after,
            }
            for one in found.first
        ],
        "regimes": [
            {
                "in_flight": one.in_flight,
                "frames_per_second": round(one.frames_per_second, 3),
                "latency": one.latency,
                "latency_99": one.beyond,
            }
            for one in found.regimes
        ],
    }
    if found.total is not None:
        record["total"] = {"frames": found.frames, "value": found.total, "unit": "s", "source": "engine"}
    return record
