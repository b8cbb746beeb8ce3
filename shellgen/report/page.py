# SPDX-License-Identifier: BSD-3-Clause
"""report.html: one file that loads nothing, with the picture first and all tables behind it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from shellgen.estimate import estimate
from shellgen.model import Artifact, Plan
from shellgen.plan.fit import fit_notes
from shellgen.render import render
from shellgen.report import REPORT, tables, timeline
from shellgen.report.cards import scene
from shellgen.report.loads import Loads
from shellgen.report.picture import bands, picture, sheets

if TYPE_CHECKING:
    from shellgen.report.ran import Ran

_SIZES = ("phone", "desk", "wall")


def report_page(plan: Plan, ran: Ran | None = None, curves: Sequence[timeline.Bars] = ()) -> str:
    """Return the page; the same plan and the same run give the same bytes.

    Args:
        plan: The plan.
        ran: What a simulation has proved, if there was one.
        curves: More sections of bars behind that of more boards.
    """
    found = estimate(plan)
    loads = Loads(plan, found)
    seen = scene(plan, loads)
    style = render("report/report.css.j2", frame=tables.BAR + 2, wide_frame=timeline.WIDTH + 2)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    whole = dict(zip(_SIZES, (picture(seen, per_band) for per_band in bands(seen)), strict=False))
    paper = "desk" if "desk" in whole else "phone"
    drawn = {size: sheets(one) if size == paper else [one] for size, one in whole.items()}
    return render(
        "report/report.html.j2",
        plan=plan,
        style=style,
        digest=digest,
        sentences=[*found.sentences(), *fit_notes(plan)],
        pictures=drawn,
        largest=list(drawn)[-1],
        ran=ran,
        tables=[
            tables.streams(plan, loads),
            tables.partitions(plan, loads),
            tables.estimated(plan, found, loads),
        ],
        bars=[timeline.timeline(plan), timeline.scaling(plan), *curves],
        wide=timeline.WIDTH,
        wide_frame=timeline.WIDTH + 2,
        boards=tables.resources(plan),
        maps=tables.addresses(plan),
        sources=tables.sources(plan, found),
        bar=tables.BAR,
        frame=tables.BAR + 2,
    )


def report_file(plan: Plan, curves: Sequence[timeline.Bars] = ()) -> Artifact:
    """Return the page of a plan as a file of the output folder; ``curves`` as in `report_page`."""
    return Artifact.text(REPORT, report_page(plan, curves=curves))
