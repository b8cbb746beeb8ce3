# SPDX-License-Identifier: BSD-3-Clause
"""Names of files; apart from the other grammars, whose types take long to import."""

from __future__ import annotations

import re

FILE = re.compile(r"[A-Za-z0-9_+][A-Za-z0-9_.+-]{0,199}")


def is_file_name(text: str) -> bool:
    """Whether a text is a file name that no tool takes for anything else."""
    return bool(FILE.fullmatch(text))
