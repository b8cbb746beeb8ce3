# SPDX-License-Identifier: BSD-3-Clause
"""Golden vectors: integer execution of a build's stitched graphs with numpy, without FINN."""

from __future__ import annotations

from shellgen.golden.execute import Execution, execute
from shellgen.golden.given import given_frames
from shellgen.golden.kept import kept_golden
from shellgen.golden.layer import Integers, NoGoldenError
from shellgen.golden.proof import check_weights, make_golden

__all__ = [
    "Execution",
    "Integers",
    "NoGoldenError",
    "check_weights",
    "execute",
    "given_frames",
    "kept_golden",
    "make_golden",
]
