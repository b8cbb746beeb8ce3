# SPDX-License-Identifier: BSD-3-Clause
"""Sources without comments: a result depends on these, and remains valid when a comment changes."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["bare"]


def bare(file: Path) -> str:
    """Return a Verilog source without comments of ``//``, empty lines and what is not one space."""
    lines = (re.sub(r"//.*", "", line).split() for line in file.read_text().splitlines())
    return "\n".join(" ".join(words) for words in lines if words)
