# SPDX-License-Identifier: BSD-3-Clause
"""Verilate, compile and link one model against the cached runtime."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from shellgen.progress import Tally, step
from shellgen.simulate.compile import compile_model
from shellgen.simulate.frontend import Design, translate
from shellgen.simulate.runtime import run_compiler, runtime
from shellgen.simulate.tools import Cocotb, Verilator
from shellgen.simulate.trace import LIBRARIES, WaveFormat, trace_flags, trace_runtime


def verilate(  # noqa: PLR0913 - internal to the builder, by keyword
    tool: Verilator,
    cocotb: Cocotb,
    cache: Path,
    scratch: Path,
    *,
    design: Design,
    objects: Sequence[Path],
    cxx_flags: Sequence[str],
    tally: Tally,
    waves: WaveFormat | None = None,
) -> None:
    """Leave the program ``model`` in ``scratch``.

    Args:
        tool: Verilator and compiler.
        cocotb: Its main program is linked in.
        cache: Holds the runtime.
        scratch: Empty folder; only ``model`` remains in it.
        design: What to make a model of.
        objects: Of the blocks that it calls.
        cxx_flags: For the C++ compiler, after ours.
        tally: Counts the units of C++.
        waves: Format of the waves that it can dump, if any.

    Raises:
        SimulationError: Verilator found an error, or a warning in our files, or the compiler failed.
    """
    generated = scratch / "cpp"
    generated.mkdir()
    step("Verilator translates", design.top)
    translate(tool, design, generated)
    fixed = runtime(tool, cocotb, cache)
    tracer = trace_runtime(tool, cocotb, cache, waves) if waves else None
    flags = [*(trace_flags(waves) if waves else ()), *cxx_flags]
    compile_model(tool, cache, generated, design.prefix, generated, '#include "model_glue.h"', flags, tally)
    step("linking")
    run_compiler(
        tool,
        *sorted(generated.glob("*.o")),
        *objects,
        *sorted(fixed.glob("*.o")),
        *(sorted(tracer.glob("*.o")) if tracer else ()),
        "-o",
        scratch / "model",
        f"-L{cocotb.libraries}",
        f"-Wl,-rpath,{cocotb.libraries}",
        "-lcocotbvpi_verilator",
        "-pthread",
        *(LIBRARIES[waves] if waves else ()),
    )
    shutil.rmtree(generated)
