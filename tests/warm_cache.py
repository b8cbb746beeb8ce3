# SPDX-License-Identifier: BSD-3-Clause
"""Caches of a test's own that know nothing but what no test changes: the compiled runtime of Verilator."""

from __future__ import annotations

from pathlib import Path

from shellgen.cache import default_cache_dir
from shellgen.simulate.runtime import runtime
from shellgen.simulate.tools import find_cocotb, find_verilator


def warm_cache(folder: Path) -> Path:
    """Make a cache that shares the runtime with the one of this machine, where it takes 15 s to compile."""
    folder.mkdir(parents=True)
    made = runtime(find_verilator(), find_cocotb(), default_cache_dir())
    (folder / "runtime").symlink_to(made.parent)
    return folder
