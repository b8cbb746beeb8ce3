# SPDX-License-Identifier: BSD-3-Clause
"""On which simulators a bench runs by default; a sweep runs all of them."""

from __future__ import annotations

from typing import Any

import pytest

from shellgen.simulate.tools import SIMULATORS


def mostly_on(default: str) -> list[Any]:
    """Return all simulators as parameters, those but one for the sweep.

    For benches that take long, of blocks that the others simulate too: by random traffic, or in clusters.
    """
    return [pytest.param(name, marks=[] if name == default else [pytest.mark.sweep]) for name in SIMULATORS]
