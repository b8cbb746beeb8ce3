# SPDX-License-Identifier: BSD-3-Clause
"""Compile and run the self-checking bench of a block on Icarus and Verilator.

A bench is ``ip/<block>/tb_<block>.sv`` with a top of the same name. It passes when the simulator exits
with 0 and the last line it prints of its own is ``PASS <comparisons>`` with a positive number. Compiled
benches are cached by content, beside the models of `shellgen.simulate`.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shellgen.cache import default_cache_dir, digest, once
from shellgen.resources import rtl_closure, rtl_file
from shellgen.simulate import runtime as runtime_code
from shellgen.simulate.runtime import compile_flags, run_compiler, runtime
from shellgen.simulate.tools import SIMULATORS, find_cocotb, find_icarus, find_verilator
from tools.blocks.verdicts import kept

TOOLS = Path(__file__).resolve().parent
IP = TOOLS.parents[1] / "ip"
# Objects of the runtime that a program without VPI needs.
RUNTIME = "verilated.o"  # all of Verilator's runtime that a bench without VPI needs
MAIN = """
#include "verilated.h"
#include "Vmodel.h"
int main(int argc, char** argv) {
    VerilatedContext context;
    context.commandArgs(argc, argv);
    Vmodel top{&context};
    while (!context.gotFinish()) {
        top.eval();
        if (!top.eventsPending()) break;
        context.time(top.nextTimeSlot());
    }
    top.final();
    return 0;
}
"""
# The code that builds and runs a bench: a recorded outcome depends on it.
RUNNERS = {"icarus": [Path(__file__)], "verilator": [Path(__file__), Path(runtime_code.__file__)]}
TOOLS_OF = {"icarus": ["icarus"], "verilator": ["verilator", "c++"]}
# What a bench may do and a block may not: blocking assignments in clocked blocks, signals nobody reads.
BENCH_WAIVERS = ("BLKSEQ", "DECLFILENAME", "PINCONNECTEMPTY", "UNUSEDSIGNAL", "UNUSEDPARAM")

__all__ = [
    "IP",
    "SIMULATORS",
    "TOOLS",
    "Result",
    "block_file",
    "block_folder",
    "closure",
    "mutant",
    "run_bench",
    "run_sources",
    "run_tool",
]


@dataclass(frozen=True)
class Result:
    """Result of a bench: exit code and output."""

    code: int
    text: str

    @property
    def comparisons(self) -> int:
        """Return the number in the PASS line, or 0 when there is none."""
        found = re.findall(r"^PASS (\d+)$", self.text, re.MULTILINE)
        return int(found[-1]) if self.code == 0 and len(found) == 1 else 0


def block_file(block: str) -> Path:
    """Return the source of a block."""
    return rtl_file(block)


def block_folder(block: str) -> Path:
    """Return the folder of a block: in ``ip/``, or in that of its link."""
    return block_file(block).parent


def closure(block: str) -> list[Path]:
    """Return the source of a block and of every block it instantiates, each once."""
    return [block_file(name) for name in rtl_closure([block])]


def mutant(block: str, old: str, new: str, folder: Path) -> Path:
    """Return a copy of a block in which a text, which is there once, is replaced."""
    text = block_file(block).read_text()
    assert text.count(old) == 1, f"{block} no longer has `{old}` once: choose another mutant"
    copy = folder / f"{block}.sv"
    copy.write_text(text.replace(old, new))
    return copy


def run_bench(
    block: str,
    simulator: str,
    top: str | None = None,
    plusargs: Sequence[str] = (),
    sources: Sequence[Path] | None = None,
    seconds: float = 400,
) -> Result:
    """Build a block's bench, if no build of the same bytes exists, and run it.

    Args:
        block: Folder in ``ip/``.
        simulator: ``icarus`` or ``verilator``.
        top: Top of the bench, when not ``tb_<block>``; in ``tb_<block>.sv``.
        plusargs: For the run, without the ``+``.
        sources: The block and what it instantiates, when not those of ``ip/``.
        seconds: That the run may take.
    """
    bench = [block_folder(block) / f"tb_{block}.sv", *(sources or closure(block))]
    files = [*bench, *bench_parts(bench)]
    files += [path for path in closure("axis_checker") if path not in files]
    return run_sources(top or f"tb_{block}", files, simulator, plusargs, seconds=seconds)


def bench_parts(sources: Sequence[Path]) -> list[Path]:
    """Return the files of ``bench/`` whose modules these sources name, or those files in turn."""
    known = {path.stem: path for path in sorted((TOOLS / "bench").glob("*.sv"))}
    found: set[str] = set()
    todo = list(sources)
    while todo:
        named = set(re.findall(r"\bbench_\w+", todo.pop().read_text())) & set(known)
        todo += [known[name] for name in named - found]
        found |= named
    return [known[name] for name in sorted(found)]


def run_sources(
    top: str,
    sources: Sequence[Path],
    simulator: str,
    plusargs: Sequence[str] = (),
    defines: Sequence[str] = (),
    optimise: str = "-O0",
    seconds: float = 400,
) -> Result:
    """Build a bench from its sources, if no build of the same bytes exists, and run it.

    Args:
        top: Module that is the bench.
        sources: All files.
        simulator: ``icarus`` or ``verilator``.
        plusargs: For the run, without the ``+``.
        defines: Macros.
        optimise: Level of the C++ compiler. A bench that runs for less time than the compiler would need to
            optimise it does without.
        seconds: That the run may take.
    """

    def run() -> tuple[int, str]:
        if simulator == "icarus":
            program = _build_icarus(top, sources, defines)
        else:
            program = _build_verilator(top, sources, defines, optimise)
        return _run([*program, *(f"+{argument}" for argument in plusargs)], seconds)

    values = [argument.partition("=") for argument in plusargs]
    data = [Path(value) for _, _, value in values if value and Path(value).is_file()]
    parts = [f"{name}={Path(value).name if Path(value) in data else value}" for name, _, value in values]
    files = [*sources, *data, *RUNNERS[simulator]]
    return Result(*kept(f"{top} {simulator}", TOOLS_OF[simulator], [*defines, optimise, *parts], files, run))


def run_tool(*command: str | Path, sources: Sequence[Path] = ()) -> tuple[int, str]:
    """Run a tool and return its exit code and all it said; Verilator gets the environment it needs.

    Args:
        command: With files as paths.
        sources: Files that it names in its words.
    """
    program = Path(command[0]).name
    tool = {"verilator_bin": "verilator", "iverilog": "icarus"}.get(program, "pyosys")
    environment = find_verilator().environment() if tool == "verilator" else None
    files = [*sources, *(word for word in command[1:] if isinstance(word, Path))]
    parts = [word for word in command[1:] if isinstance(word, str)]
    for file in sources:
        parts = [part.replace(str(file), file.name) for part in parts]
    return kept(tool, [tool], parts, [*files, Path(__file__)], lambda: _run(command, 300, environment))


def _run(
    command: Sequence[str | Path], timeout: float, environment: Mapping[str, str] | None = None
) -> tuple[int, str]:
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=timeout
    )
    return result.returncode, result.stdout + result.stderr


def _folder(simulator: str, top: str, sources: Sequence[Path], *identity: str) -> Path:
    parts = [simulator, top, Path(__file__).read_text(), *identity, *(path.read_text() for path in sources)]
    return default_cache_dir() / "blocks" / f"{top}-{digest(parts)}"


def _build_icarus(top: str, sources: Sequence[Path], defines: Sequence[str]) -> list[str]:
    tool = find_icarus()
    folder = _folder("icarus", top, sources, tool.identity, *defines)

    def make(scratch: Path) -> None:
        command = [str(tool.compiler), "-g2012", "-s", top, "-o", str(scratch / "bench.vvp")]
        command += [f"-D{name}" for name in defines] + [str(path) for path in sources]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr

    return [str(tool.runtime), "-n", str(once(folder, make).folder / "bench.vvp")]


def _build_verilator(top: str, sources: Sequence[Path], defines: Sequence[str], optimise: str) -> list[str]:
    tool = find_verilator()
    folder = _folder("verilator", top, sources, tool.identity, optimise, *defines)

    def make(scratch: Path) -> None:
        command = ["--cc", "--timing", "--assert", "-Wall", "--quiet-stats", "--top-module", top]
        command += [f"-Wno-{name}" for name in BENCH_WAIVERS] + [f"-D{name}" for name in defines]
        command += ["--timescale", "1ns/1ps", "--prefix", "Vmodel", "--Mdir", str(scratch)]
        command = [str(tool.binary), *command, *map(str, sources)]
        result = subprocess.run(command, capture_output=True, text=True, check=False, env=tool.environment())
        assert result.returncode == 0, result.stdout + result.stderr
        fixed = runtime(tool, find_cocotb(), default_cache_dir())
        unit = scratch / "unit.cc"
        unit.write_text("".join(f'#include "{f.name}"\n' for f in sorted(scratch.glob("Vmodel*.cpp"))) + MAIN)
        flags = [*compile_flags(tool), f"-I{scratch}", optimise]
        run_compiler(tool, *flags, unit, fixed / RUNTIME, "-o", scratch / "bench", "-pthread")
        for file in scratch.iterdir():
            if file.name != "bench":
                file.unlink()

    return [str(once(folder, make).folder / "bench")]
