# SPDX-License-Identifier: BSD-3-Clause
"""``estimate``: the rate of a cluster before any simulation."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from shellgen.cli.command import AddCommand, Answer
from shellgen.cli.planned import planned
from shellgen.table import Column, table, terminal_width

if TYPE_CHECKING:
    from shellgen.estimate import Estimate
    from shellgen.model.base import Json

UNDER_A_PERCENT = 0.01


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("estimate", _estimate, "Estimate the frames/s of a cluster, and name its limit.")
    sub.add_argument("cluster", type=Path, help="cluster.toml, or folder that `shellgen generate` wrote")
    text = "folder for estimate.json, report.html and plan.json"
    sub.add_argument("-o", "--out", type=Path, help=text)
    sub.add_argument("--force", action="store_true", help="overwrite generated files that were edited")


def _estimate(args: argparse.Namespace) -> Answer:
    from shellgen.estimate import estimate

    plan = planned(args.cluster)
    found = estimate(plan)
    lines = [*estimate_table(found, terminal_width()), "", *found.sentences()]
    lines.append("without the time of hosts and drivers; many frames in flight")
    record = estimate_record(found)
    if args.out is None:
        return Answer("\n".join(lines), record)
    from shellgen.emit.write import write
    from shellgen.model import Artifact
    from shellgen.report.page import REPORT, report_file

    document = Artifact.text("estimate.json", json.dumps(record, indent=1) + "\n")
    files = (Artifact.text("plan.json", plan.to_json()), document, report_file(plan))
    write(files, args.out, keep=True, force=args.force)
    page = str(args.out / REPORT)
    return Answer("\n".join([*lines, "", f"report: {page}"]), {**record, "report": page})


def estimate_table(found: Estimate, width: int | None = None) -> list[str]:
    """Return the lines of the table, slowest first; load is the share of the limit's time."""
    columns = (
        Column("part", wrap=True),
        Column("us/frame", right=True),
        Column("load", right=True),
        Column("what takes it", wrap=True),
        Column("by", wrap=True),
    )
    rows = []
    for one in found.servers:
        load = one.seconds / found.limit.seconds
        share = f"{load * 100:.0f} %" if load >= UNDER_A_PERCENT else "< 1 %"
        rows.append((one.name, f"{one.seconds * 1e6:,.3f}", share, one.detail, one.source))
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
