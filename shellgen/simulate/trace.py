# SPDX-License-Identifier: BSD-3-Clause
"""The part of a Verilator program that writes waves; only models for waves are linked with it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from shellgen.cache import digest, once
from shellgen.errors import Problem, ToolMissingError
from shellgen.simulate.runtime import compile_flags, run_compiler, runtime_key
from shellgen.simulate.tools import Cocotb, Verilator, compiler_finds

WaveFormat = Literal["fst", "vcd"]
_HEADERS = ("lz4.h", "zlib.h")  # of Verilator's writer of FST
LIBRARIES: dict[WaveFormat, tuple[str, ...]] = {"fst": ("-llz4", "-lz"), "vcd": ()}
# Verilator leaves out what is wider than 4096 bits or deeper than 32 words; streams may be wider.
_WIDEST = 65536


def trace_options(waves: WaveFormat) -> tuple[str, ...]:
    """Return what Verilator needs to know."""
    return (f"--trace-{waves}", "--trace-max-width", str(_WIDEST), "--trace-structs")


def trace_flags(waves: WaveFormat) -> tuple[str, ...]:
    """Return what the C++ compiler needs to know, after the flags of every model; the ABI stays the same."""
    names = ("VM_TRACE", f"VM_TRACE_{waves.upper()}")
    return tuple(flag for name in names for flag in (f"-U{name}", f"-D{name}=1"))


def choose_format(verilator: Verilator, asked: WaveFormat | None) -> tuple[WaveFormat, str]:
    """Return the format that a Verilator model dumps, and a sentence if it is not the one that is best.

    Args:
        verilator: Has the compiler.
        asked: By the user, who gets that one or an error; None for FST where it can be built, else VCD.

    Raises:
        ToolMissingError: FST was asked for, and the headers that it needs are not installed.
    """
    if asked == "vcd" or compiler_finds(verilator, _HEADERS):
        return asked or "fst", ""
    missing = f"the headers {' and '.join(_HEADERS)}, which Verilator's FST needs, are not installed"
    install = "apt-get install liblz4-dev zlib1g-dev"
    if asked:
        remedy = f"Run {install}, or choose --wave-format vcd"
        raise ToolMissingError(Problem("simulate: --wave-format fst", missing, remedy))
    return "vcd", f"{missing}: VCD instead ({install})"


def trace_runtime(tool: Verilator, cocotb: Cocotb, cache: Path, waves: WaveFormat) -> Path:
    """Return the folder with the object that writes waves, made if need be.

    Raises:
        SimulationError: The compiler failed.
    """
    flags = [*compile_flags(tool), *trace_flags(waves), "-O2", "-c"]
    folder = cache / "runtime" / digest(["trace", runtime_key(tool, cocotb), *flags])

    def make(scratch: Path) -> None:
        name = f"verilated_{waves}_c"
        run_compiler(tool, *flags, tool.root / "include" / f"{name}.cpp", "-o", scratch / f"{name}.o")

    return once(folder, make).folder
