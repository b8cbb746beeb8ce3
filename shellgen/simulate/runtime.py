# SPDX-License-Identifier: BSD-3-Clause
"""The part of a Verilator program that is the same for every model, compiled once per machine.

It is most of the compile time of a small model (measured: 6.6 of 8.1 s, and 4.1 s more with
VPI): Verilator's runtime, its VPI, and cocotb's main program.
"""

from __future__ import annotations

from pathlib import Path

from shellgen.cache import digest, once
from shellgen.errors import Problem, SimulationError
from shellgen.process.kept import run_kept
from shellgen.progress import Tally
from shellgen.simulate.environment import compiler_environment
from shellgen.simulate.parallel import in_parallel
from shellgen.simulate.tools import Cocotb, Verilator

CPP = Path(__file__).with_name("cpp")
_RUNTIME = (
    "verilated",
    "verilated_vpi",
    "verilated_threads",
    "verilated_timing",
    "verilated_random",
    "verilated_dpi",
)
_DEFINES = (
    "VL_TIME_CONTEXT",  # time is a member, not a call of sc_time_stamp
    "VM_COVERAGE=0",
    "VM_SC=0",
    "VM_TIMING=1",
    "VM_TRACE=0",
    "VM_TRACE_FST=0",
    "VM_TRACE_SAIF=0",
    "VM_TRACE_VCD=0",
)


def compile_flags(verilator: Verilator) -> list[str]:
    """Return the compiler flags that the runtime and every model share; they fix the ABI."""
    include = verilator.root / "include"
    return [
        "-std=gnu++20",
        "-fcoroutines",
        "-faligned-new",
        "-w",  # generated C++, not ours to fix; the HDL is built with every warning an error
        # GCC 12 vectorises straight-line code at -O2, and adds up the comparisons of a thresholding layer
        # wrongly. Models have little to gain from it; Verilator's own makefiles use -Os, which leaves it out.
        "-fno-tree-vectorize",
        "-fno-tree-slp-vectorize",
        *(f"-D{define}" for define in _DEFINES),
        f"-I{CPP}",
        f"-I{include}",
        f"-I{include / 'vltstd'}",
    ]


def run_compiler(verilator: Verilator, *arguments: str | Path) -> None:
    """Run the C++ compiler.

    Raises:
        SimulationError: It failed; carries the end of what it said.
    """
    code, said = run_kept([str(word) for word in (verilator.compiler, *arguments)], compiler_environment())
    if code:
        raise SimulationError(
            Problem(
                str(verilator.compiler),
                f"the C++ compiler failed: {said.strip()[-2000:]}",
                "Check the compiler and disk space",
            )
        )


def runtime_key(verilator: Verilator, cocotb: Cocotb) -> str:
    """Return what the runtime's objects depend on."""
    ours = [file.read_bytes() for file in sorted(CPP.iterdir())]
    return digest(["runtime", verilator.identity, cocotb.identity, *compile_flags(verilator), *ours])


def runtime(verilator: Verilator, cocotb: Cocotb, cache_dir: Path) -> Path:
    """Return the folder with the objects that every model is linked with, made if need be (once, 15 s).

    Raises:
        SimulationError: The compiler failed.
    """
    folder = cache_dir / "runtime" / runtime_key(verilator, cocotb)

    def make(scratch: Path) -> None:
        include = verilator.root / "include"
        sources = [*(include / f"{name}.cpp" for name in _RUNTIME), CPP / "main.cpp"]
        flags = [*compile_flags(verilator), "-O2", "-c"]

        def build(source: Path) -> None:
            run_compiler(verilator, *flags, source, "-o", scratch / f"{source.stem}.o")
            tally.finish()

        tally = Tally("C++ of the simulator itself, once per machine:")
        tally.expect(len(sources))
        in_parallel(build, sources)

    return once(folder, make).folder
