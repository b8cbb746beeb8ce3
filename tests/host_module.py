# SPDX-License-Identifier: BSD-3-Clause
"""The programs of templates/host, which are no package: on a board they lie side by side."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from shellgen.resources import data_dir

FOLDER = data_dir("templates") / "host"


def host_module(name: str) -> Any:
    """Import one by its name."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    return importlib.import_module(name)


def emitted_module(out: Path, name: str) -> Any:
    """Import the very file of a generated folder that runs on the board."""
    sys.path.insert(0, str(out / "host"))
    spec = importlib.util.spec_from_file_location(name, out / "host" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
