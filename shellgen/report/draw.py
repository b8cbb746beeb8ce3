# SPDX-License-Identifier: BSD-3-Clause
"""The picture as a file of its own."""

from __future__ import annotations

from typing import Literal

from shellgen.estimate import estimate
from shellgen.model import Plan
from shellgen.render import environment
from shellgen.report.cards import scene
from shellgen.report.loads import Loads
from shellgen.report.picture import picture

Theme = Literal["auto", "light", "dark"]


def draw(plan: Plan, theme: Theme = "auto", columns: int = 3) -> str:
    """Return a cluster as SVG; the same plan gives the same bytes.

    Args:
        plan: The plan.
        theme: ``auto`` follows the viewer's setting.
        columns: Boards beside each other, at most; 1 or more.
    """
    drawn = picture(scene(plan, Loads(plan, estimate(plan))), columns)
    styles = environment().get_template("report/picture.css.j2").module
    sheet = f"{styles.root(theme)}{styles.shapes()}"  # type: ignore[attr-defined]
    macros = environment().get_template("report/picture.svg.j2").module
    return str(macros.svg(drawn, "alone", sheet)).lstrip()  # type: ignore[attr-defined]
