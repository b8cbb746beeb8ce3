# SPDX-License-Identifier: BSD-3-Clause
"""Verilator's headers, precompiled: reading them takes GCC 12 two thirds of a second in each unit.

A compiler that cannot use the result (other flags than it was made with) reads the headers as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shellgen.cache import digest, once
from shellgen.simulate.runtime import CPP, compile_flags, run_compiler
from shellgen.simulate.tools import Verilator

_NAME = "headers.h"
# In the order of a unit: ours come first, since they define what Verilator's leave open.
_HEADERS = ("bench_memory.h", "verilated.h", "verilated_timing.h")


def precompiled(tool: Verilator, flags: Sequence[str], cache: Path) -> Path:
    """Return the header to include first in units with these flags, made if need be.

    Args:
        tool: Has compiler and headers.
        flags: All that follow those of `compile_flags`, optimisation included.
        cache: Holds it.

    Raises:
        SimulationError: The compiler failed.
    """
    flags = [*compile_flags(tool), *flags]
    ours = [file.read_bytes() for file in sorted(CPP.iterdir())]

    def make(scratch: Path) -> None:
        header = scratch / _NAME
        header.write_text("".join(f'#include "{name}"\n' for name in _HEADERS))
        run_compiler(tool, *flags, "-x", "c++-header", header, "-o", scratch / f"{_NAME}.gch")

    key = digest(["headers", tool.identity, *_HEADERS, *flags, *ours])
    return once(cache / "headers" / key, make).folder / _NAME
