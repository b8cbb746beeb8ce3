# SPDX-License-Identifier: BSD-3-Clause
"""Verilate, compile and link one model against the cached runtime."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from shellgen.simulate.compile import compile_model
from shellgen.simulate.frontend import Design, translate
from shellgen.simulate.runtime import run_compiler, runtime
from shellgen.simulate.tools import Cocotb, Verilator


def verilate(  # noqa: PLR0913 - internal to the builder, by keyword
    tool: Verilator,
    cocotb: Cocotb,
    cache: Path,
    scratch: Path,
    *,
    design: Design,
    objects: Sequence[Path],
    cxx_flags: Sequence[str],
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

    Raises:
        SimulationError: Verilator found an error, or a warning in our files, or the compiler failed.
    """
    generated = scratch / "cpp"
    generated.mkdir()
    translate(tool, design, generated)
    fixed = runtime(tool, cocotb, cache)
    compile_model(tool, generated, design.prefix, generated, '#include "model_glue.h"', cxx_flags)
    run_compiler(
        tool,
        *sorted(generated.glob("*.o")),
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
