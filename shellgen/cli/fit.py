# SPDX-License-Identifier: BSD-3-Clause
"""The utilisation table of each board: FINN's layers, the core, DMAs and interconnect."""

from __future__ import annotations

from typing import Any

from shellgen.model import Plan
from shellgen.plan.fit import KINDS, FitRow, fit_rows
from shellgen.table import Column, table


def fit_records(plan: Plan) -> list[dict[str, Any]]:
    """Return the table as records; unknown figures are null, shares are fractions of 1."""
    return [
        {"node": row.node, "part": row.part, "source": row.source}
        | {kind: None if value is None else round(value, 4) for kind, value in row.figures.items()}
        for row in fit_rows(plan)
    ]


def fit_table(plan: Plan, width: int | None = None, *, shares: bool = False) -> list[str]:
    """Return the lines of the table; a resource that no part and no board has gets no column.

    Args:
        plan: The plan.
        width: Of the terminal.
        shares: Only the used fractions of boards, and of their regions where anything is placed.
    """
    rows = [row for row in fit_rows(plan) if row.shares or not shares]
    kinds = [kind for kind in KINDS if any(row.figures[kind] for row in rows)]
    columns = (
        Column("node"),
        Column("takes", wrap=True),
        *(Column(KINDS[kind], right=True) for kind in kinds),
        Column("by", wrap=True),
    )
    lines, last = [], ""
    for row in rows:
        node, last = row.node if row.node != last else "", row.node
        lines.append((node, row.part, *(_cell(row, kind) for kind in kinds), row.source))
    return table(columns, lines, width)


def _cell(row: FitRow, kind: str) -> str:
    value = row.figures[kind]
    if value is None:
        return "-" if row.shares else "?"
    if row.shares:
        return f"{value * 100:.0f} %" if value >= 0.01 or not value else "< 1 %"
    return f"{value:,}"
