# SPDX-License-Identifier: BSD-3-Clause
"""The modules of sim/, which is no package: they run inside the simulator."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

from shellgen.resources import sim_file


def sim_module(name: str) -> Any:
    """Import one by its name, once; those that it imports must have been imported so before."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, sim_file(f"{name}.py"))
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # its records look their module up
        spec.loader.exec_module(module)
    return sys.modules[name]
