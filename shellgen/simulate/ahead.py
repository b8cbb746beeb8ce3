# SPDX-License-Identifier: BSD-3-Clause
"""Verilator's runtime and headers, which every model needs, compiled while FINN works."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from shellgen.cache import default_cache_dir
from shellgen.errors import ShellgenError
from shellgen.process.kept import end_running
from shellgen.simulate.compile import USUAL_LEVELS, unit_flags
from shellgen.simulate.headers import precompiled
from shellgen.simulate.runtime import runtime
from shellgen.simulate.tools import Simulator, find_cocotb, find_verilator

_PAUSE = 0.05  # seconds
_NICE = 5  # FINN is waited for first; a compiler of Linux inherits this from its thread


@contextmanager
def compiled_ahead(simulator: Simulator) -> Iterator[None]:
    """Compile Verilator's runtime and headers during the block, which waits for packages and for FINN.

    Nothing happens on one core, or where both are in the cache. The run that needs them reports its failure.
    The end of the block ends it.

    Args:
        simulator: That of the run.
    """
    if simulator != "verilator" or (os.cpu_count() or 1) < 2:
        yield
        return
    thread = threading.Thread(target=_compile, name="runtime", daemon=True)
    thread.start()
    try:
        yield
    finally:
        while thread.is_alive():
            end_running()  # and what begins after this moment ends in the next round
            thread.join(_PAUSE)


def _compile() -> None:
    with suppress(OSError):
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + _NICE)
    with suppress(ShellgenError, OSError):
        tool, cache = find_verilator(), default_cache_dir()
        runtime(tool, find_cocotb(), cache)
        for level in USUAL_LEVELS:
            precompiled(tool, unit_flags(level, ()), cache)
