# SPDX-License-Identifier: BSD-3-Clause
"""Cases of one test of which the default run has some, and the sweep the rest."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pytest


def some(cases: Mapping[str, tuple[Any, ...]], default: Collection[str]) -> list[Any]:
    """Return the parameters of all cases; those that are not in the default run are marked ``sweep``."""
    assert set(default) < set(cases), "name cases that are there, and leave some for the sweep"
    return [
        pytest.param(*values, id=name, marks=[] if name in default else [pytest.mark.sweep])
        for name, values in cases.items()
    ]
