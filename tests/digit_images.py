# SPDX-License-Identifier: BSD-3-Clause
"""The images of the example, for tests that send them through partitions."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np

DIGITS = Path(__file__).parents[1] / "examples" / "digits"


def held_out() -> np.ndarray:
    """Return the held-out images (359, 64), values 0 to 15."""
    return np.asarray(runpy.run_path(str(DIGITS / "network.py"))["load_split"]()[2])
