# SPDX-License-Identifier: BSD-3-Clause
"""Verilator's headers, precompiled where that pays.

Reading them takes GCC 12 about 1.6 CPU seconds in each unit, and precompiling them 5.2 (and 95 MB) for each
set of flags, so the first units of a machine read them as they are.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from shellgen.cache import digest, once
from shellgen.simulate.runtime import CPP, compile_flags, run_compiler
from shellgen.simulate.tools import Verilator

_NAME = "headers.h"
BENCH_HEADERS = ("bench_memory.h", "bench_clocks.h")  # for what the models of sim/ call
# In the order of a unit: ours come first, since they define what Verilator's leave open.
_HEADERS = (*BENCH_HEADERS, "verilated.h", "verilated_timing.h")
WORTH_UNITS = 4  # with as many units of the same flags, precompiling pays


def included(tool: Verilator, flags: Sequence[str], cache: Path, units: int) -> list[str]:
    """Return the options that include the headers, which must stand before a unit's source.

    Precompiled ones are used if they are there, and made once enough units with these flags were asked for.

    Args:
        tool: Has compiler and headers.
        flags: All that follow those of `compile_flags`, optimisation included.
        cache: Holds them.
        units: That will be compiled with them.

    Raises:
        SimulationError: The compiler failed.
    """
    folder = _folder(tool, flags, cache)
    if folder.is_dir() or _before(folder) + units >= WORTH_UNITS:
        return ["-include", str(precompiled(tool, flags, cache))]
    with suppress(OSError):  # then they are counted from the next model on
        _count(folder).parent.mkdir(parents=True, exist_ok=True)
        _count(folder).write_text(str(_before(folder) + units))
    return [word for name in _HEADERS for word in ("-include", name)]


def precompiled(tool: Verilator, flags: Sequence[str], cache: Path) -> Path:
    """Return the header to include first in units with these flags, made if need be.

    A compiler that cannot use the result (other flags than it was made with) reads the headers as they are.

    Args:
        tool: Has compiler and headers.
        flags: As of `included`.
        cache: Holds it.

    Raises:
        SimulationError: The compiler failed.
    """
    folder = _folder(tool, flags, cache)

    def make(scratch: Path) -> None:
        header = scratch / _NAME
        header.write_text("".join(f'#include "{name}"\n' for name in _HEADERS))
        options = [*compile_flags(tool), *flags, "-x", "c++-header"]
        run_compiler(tool, *options, header, "-o", scratch / f"{_NAME}.gch")
        shutil.rmtree(_count(folder).parent, ignore_errors=True)

    return once(folder, make).folder / _NAME


def _folder(tool: Verilator, flags: Sequence[str], cache: Path) -> Path:
    ours = [file.read_bytes() for file in sorted(CPP.iterdir())]
    flags = [*compile_flags(tool), *flags]
    return cache / "headers" / digest(["headers", tool.identity, *_HEADERS, *flags, *ours])


def _count(folder: Path) -> Path:
    """Return the file with the number of units that have read the headers as they are."""
    return folder.parents[1] / "header_units" / folder.name / "count"


def _before(folder: Path) -> int:
    try:
        return int(_count(folder).read_text())
    except (OSError, ValueError):
        return 0
