# SPDX-License-Identifier: BSD-3-Clause
"""The programs of templates/host, which are no package: on a board they lie side by side."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from shellgen.resources import data_dir

FOLDER = data_dir("templates") / "host"


def host_module(name: str) -> Any:
    """Import one by its name."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    return importlib.import_module(name)
