# SPDX-License-Identifier: BSD-3-Clause
"""The end of `plan` and `generate`: the utilisation of each board, and the rate by the estimate.

Both follow from the plan alone, and computing them needs more packages than reading a plan does, so they are
kept with it.
"""

from __future__ import annotations

from typing import Any

from shellgen.loaded import of_plan
from shellgen.model import Plan
from shellgen.model.base import Frozen


class Ending(Frozen):
    """Utilisation and rate of a plan, as text and as JSON.

    Attributes:
        fit: Lines of the table.
        sentences: The rate.
        fit_records: The table as a JSON document.
        estimate: The estimate as a JSON document.
    """

    fit: tuple[str, ...]
    sentences: tuple[str, ...]
    fit_records: list[dict[str, Any]]
    estimate: dict[str, Any]


def ending(plan: Plan, width: int | None) -> Ending:
    """Return what is printed of a plan.

    Args:
        plan: The plan.
        width: Of the terminal, if it is one.
    """
    return of_plan(plan, f"ending {width}", Ending, lambda: _ending(plan, width))


def _ending(plan: Plan, width: int | None) -> Ending:
    from shellgen.cli.estimate import estimate_record
    from shellgen.cli.fit import fit_records, fit_table
    from shellgen.estimate import estimate

    rate = estimate(plan)
    return Ending(
        fit=tuple(fit_table(plan, width)),
        sentences=tuple(rate.sentences()),
        fit_records=fit_records(plan),
        estimate=dict(estimate_record(rate)),
    )
