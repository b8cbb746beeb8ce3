# SPDX-License-Identifier: BSD-3-Clause
"""What a build computes, without FINN: its stitched graphs executed on integers with numpy."""

from __future__ import annotations

from shellgen.golden.execute import Execution, execute
from shellgen.golden.layer import Integers, NoGoldenError

__all__ = ["Execution", "Integers", "NoGoldenError", "execute"]
