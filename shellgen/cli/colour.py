# SPDX-License-Identifier: BSD-3-Clause
"""PASS and FAIL in colour on a terminal; the words stay, so nothing depends on the colour."""

from __future__ import annotations

import os
import re
from typing import TextIO

_GOOD, _BAD, _PLAIN = "\x1b[1;32m", "\x1b[1;31m", "\x1b[0m"
_COLOURS = {"PASS": _GOOD, "OK": _GOOD, "FAIL": _BAD, "WRONG": _BAD}
# A word by itself, not a part of a name or a path.
_VERDICT = re.compile(r"(?<![\w./:-])(PASS|OK|FAIL|WRONG)(?![\w./-])")


def coloured(text: str) -> str:
    """Return text with its verdicts in colour."""
    return _VERDICT.sub(lambda found: f"{_COLOURS[found[1]]}{found[1]}{_PLAIN}", text)


def shows_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that shows colour, and nobody objects (https://no-color.org)."""
    able = os.getenv("TERM", "dumb") not in ("", "dumb", "unknown")
    return able and not os.getenv("NO_COLOR") and stream.isatty()
