# SPDX-License-Identifier: BSD-3-Clause
"""``estimate``: the rate of a cluster before any simulation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from shellgen.cli.command import AddCommand, Answer
from shellgen.table import Column, table, terminal_width

if TYPE_CHECKING:
    from shellgen.estimate import Estimate
    from shellgen.model import Plan
    from shellgen.model.base import Json

UNDER_A_PERCENT = 0.01


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("estimate", _estimate, "Estimate the frames/s of a cluster, and name its limit.")
    sub.add_argument("cluster", type=Path, help="cluster.toml, or folder that `shellgen generate` wrote")


def _estimate(args: argparse.Namespace) -> Answer:
    from shellgen.estimate import estimate

    found = estimate(_plan(args.cluster))
    lines = [*estimate_table(found, terminal_width()), "", *found.sentences()]
    lines.append("without the time of hosts and drivers; many frames in flight")
    return Answer("\n".join(lines), estimate_record(found))


def _plan(path: Path) -> Plan:
    if path.is_dir():
        from shellgen.disk.changes import settle
        from shellgen.read.output import read_plan

        settle(path)
        return read_plan(path)
    from shellgen.api import load

    return load(path)[0]


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
