# SPDX-License-Identifier: BSD-3-Clause
"""The part of a Verilator program that is the same for every model, compiled once per machine.

It is most of the compile time of a small model (measured: 26 s of CPU, where the model took 2 s): Verilator's
runtime, its VPI, and cocotb's main program.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shellgen.cache import digest, once
from shellgen.errors import Problem, SimulationError
from shellgen.process.kept import run_kept
from shellgen.progress import Tally
from shellgen.simulate.environment import compiler_environment
from shellgen.simulate.parallel import in_parallel
from shellgen.simulate.tools import Cocotb, Verilator

CPP = Path(__file__).with_name("cpp")
# Sources that are compiled as one unit, as each of them spends a third of its time on the same headers.
_UNITS = (
    ("verilated", "verilated_threads", "verilated_timing", "verilated_random", "fatal"),
    ("verilated_vpi", "verilated_dpi"),
)
_DEFINES = (
    "VL_USER_FATAL",  # fatal.cpp has vl_fatal
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
    units = "; ".join(" ".join(unit) for unit in _UNITS)
    return digest(["runtime", verilator.identity, cocotb.identity, *compile_flags(verilator), units, *ours])


def runtime(verilator: Verilator, cocotb: Cocotb, cache_dir: Path) -> Path:
    """Return the folder with the objects that every model is linked with, made if need be (once, 15 s).

    Raises:
        SimulationError: The compiler failed.
    """
    folder = cache_dir / "runtime" / runtime_key(verilator, cocotb)

    def make(scratch: Path) -> None:
        flags = [*compile_flags(verilator), "-O2", "-c"]
        compile_units(verilator, flags, (*_UNITS, ("main",)), scratch)

    return once(folder, make).folder


def compile_units(
    verilator: Verilator, flags: Sequence[str], units: Sequence[Sequence[str]], scratch: Path
) -> None:
    """Compile parts of Verilator's runtime, each unit to an object with the name of its first source.

    Args:
        verilator: Has the compiler.
        flags: Of the compiler; they have the folders in which the sources are.
        units: Names of sources without suffix, those of a unit compiled as one.
        scratch: Where the objects are written.

    Raises:
        SimulationError: The compiler failed.
    """
    tally = Tally("C++ of the simulator itself, once per machine:")
    tally.expect(len(units))

    def build(names: Sequence[str]) -> None:
        source = scratch / f"{names[0]}_unit.cpp"
        source.write_text("".join(f'#include "{name}.cpp"\n' for name in names))
        run_compiler(verilator, *flags, source, "-o", scratch / f"{names[0]}.o")
        source.unlink()
        tally.finish()

    in_parallel(build, units)
