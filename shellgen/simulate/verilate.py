# SPDX-License-Identifier: BSD-3-Clause
"""Verilate, compile and link one model against the cached runtime."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from shellgen.simulate.frontend import Design, translate
from shellgen.simulate.runtime import compile_flags, run_compiler, runtime
from shellgen.simulate.tools import Cocotb, Verilator

# Above this much generated C++ the compiler's time outweighs the model's.
_LARGE_BYTES = 4_000_000


def verilate(  # noqa: PLR0913 - internal to the builder, by keyword
    tool: Verilator,
    cocotb: Cocotb,
    cache: Path,
    scratch: Path,
    *,
    design: Design,
    cxx_flags: Sequence[str],
) -> None:
    """Leave the program ``model`` in ``scratch``.

    Args:
        tool: Verilator and compiler.
        cocotb: Its main program is linked in.
        cache: Holds the runtime.
        scratch: Empty folder; only ``model`` remains in it.
        design: What to make a model of.
        cxx_flags: For the C++ compiler, after ours.

    Raises:
        SimulationError: Verilator found an error, or a warning in our files, or the compiler failed.
    """
    generated = scratch / "cpp"
    generated.mkdir()
    translate(tool, design, generated)
    fixed = runtime(tool, cocotb, cache)
    objects = _compile(tool, generated, cxx_flags)
    run_compiler(
        tool,
        *objects,
        *sorted(fixed.glob("*.o")),
        "-o",
        scratch / "model",
        f"-L{cocotb.libraries}",
        f"-Wl,-rpath,{cocotb.libraries}",
        "-lcocotbvpi_verilator",
        "-pthread",
    )
    shutil.rmtree(generated)


def _compile(tool: Verilator, folder: Path, cxx_flags: Sequence[str]) -> list[Path]:
    """Compile what Verilator wrote, few units, since each pays for the headers."""
    files = sorted(folder.glob("Vmodel*.cpp"))
    slow = [file for file in files if "__Slow" in file.name]
    fast = [file for file in files if "__Slow" not in file.name]
    level = "-O1" if sum(file.stat().st_size for file in fast) > _LARGE_BYTES else "-O2"
    workers = os.cpu_count() or 1
    units = [(unit, level) for unit in _balance(fast, workers)] + [
        (unit, "-O0") for unit in _balance(slow, workers)
    ]
    flags = [*compile_flags(tool), f"-I{folder}", "-c"]

    def build(index: int) -> Path:
        unit, optimise = units[index]
        lines = ['#include "bench_memory.h"', *(f'#include "{file.name}"' for file in unit)]
        if index == 0:
            lines.append('#include "model_glue.h"')
        source = folder / f"unit_{index}.cc"
        source.write_text("\n".join(lines) + "\n")
        target = source.with_suffix(".o")
        run_compiler(tool, *flags, optimise, *cxx_flags, source, "-o", target)
        return target

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(build, range(len(units))))


def _balance(files: Sequence[Path], most: int) -> list[list[Path]]:
    """Spread files over at most ``most`` units of like size; small lots stay together."""
    total = sum(file.stat().st_size for file in files)
    count = max(1, min(most, len(files), total // 400_000))
    units: list[list[Path]] = [[] for _ in range(count)]
    sizes = [0] * count
    for file in sorted(files, key=lambda path: (-path.stat().st_size, path.name)):
        smallest = sizes.index(min(sizes))
        units[smallest].append(file)
        sizes[smallest] += file.stat().st_size
    return units
