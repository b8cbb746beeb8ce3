# SPDX-License-Identifier: BSD-3-Clause
"""Compile the C++ that Verilator wrote, in few units, each with the optimisation that pays."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from shellgen.progress import Tally
from shellgen.simulate.headers import BENCH_HEADERS, included
from shellgen.simulate.parallel import in_parallel
from shellgen.simulate.runtime import compile_flags, run_compiler
from shellgen.simulate.tools import Verilator

# Above this much generated C++ the compiler's time outweighs the model's.
_LARGE_BYTES = 2_000_000
# Functions of thousands of stores are common here, and GCC looks at all earlier ones for each of them: half
# of its time at -O1, two thirds at -O2. Looking at a few finds what there is to find. Between functions there
# is nothing to find, since all work on one big object: a fifth of the time at -O1.
_QUICK = (
    "--param=sccvn-max-alias-queries-per-access=20",
    "--param=dse-max-alias-queries-per-store=8",
    "-fno-ipa-modref",
    "-fno-ipa-pure-const",
    "-fno-ipa-reference",
    "-fno-ipa-profile",
)

_DELETE = b"    vlSymsp->__Vm_deleter.deleteAll();\n"
_CLASSES = (b"VlClass", b"VL_NEW", b"__Vm_deleter.", b"__Vm_deleter,")

# Of most models: of what runs in each cycle, small or large, and of what runs once.
USUAL_LEVELS = ("-O2", "-O1", "-O0")


def unit_flags(level: str, cxx_flags: Sequence[str]) -> list[str]:
    """Return the flags of a unit, after those of `compile_flags`; the precompiled headers have the same."""
    return [*_QUICK, *([level] if level else []), *cxx_flags]


def compile_model(  # noqa: PLR0913 - internal to the builder
    tool: Verilator,
    cache: Path,
    generated: Path,
    prefix: str,
    target: Path,
    glue: str,
    cxx_flags: Sequence[str],
    tally: Tally,
) -> None:
    """Write the objects of one model.

    Args:
        tool: Has the compiler.
        cache: Holds the headers of Verilator.
        generated: What Verilator wrote; the units are put beside it.
        prefix: Verilator's.
        target: Folder for the objects.
        glue: C++ that joins the model to the rest of the program.
        cxx_flags: For the compiler, after ours.
        tally: Counts the units.

    Raises:
        SimulationError: The compiler failed.
    """
    files = sorted(generated.glob(f"{prefix}*.cpp"))
    _drop_deleter(generated, prefix)
    workers = os.cpu_count() or 1
    if any(flag.startswith("-O") for flag in cxx_flags):
        units = [(unit, "") for unit in _balance(files, workers)]
    else:
        slow = [file for file in files if "__Slow" in file.name]
        fast = [file for file in files if "__Slow" not in file.name]
        level = "-O1" if sum(file.stat().st_size for file in fast) > _LARGE_BYTES else "-O2"
        units = [(unit, level) for unit in _balance(fast, workers)]
        units += [(unit, "-O0") for unit in _balance(slow, workers)]
    flags = {level: unit_flags(level, cxx_flags) for _, level in units}
    count = Counter(level for _, level in units)
    made = in_parallel(lambda level: included(tool, flags[level], cache, count[level]), flags, workers)
    headers = dict(zip(flags, made, strict=True))

    def build(index: int) -> None:
        unit, level = units[index]
        lines = [
            *(f'#include "{name}"' for name in BENCH_HEADERS),
            *(f'#include "{file.name}"' for file in unit),
        ]
        if index == 0:
            lines.append(glue)
        source = generated / f"unit_{index}.cc"
        source.write_text("\n".join(lines) + "\n")
        # The headers must come first, by option: after any other word GCC does not use precompiled ones.
        options = [*compile_flags(tool), *flags[level], *headers[level], f"-I{generated}", "-c"]
        run_compiler(tool, *options, source, "-o", target / f"{prefix}_{index}.o")
        tally.finish()

    tally.expect(len(units))
    in_parallel(build, range(len(units)), workers)


def _drop_deleter(generated: Path, prefix: str) -> None:
    """Take out the call that frees objects of classes, in a model that has none.

    It locks and unlocks a mutex in each evaluation, which takes a seventh of the time of a small model.
    """
    caller = generated / f"{prefix}.cpp"
    others = [
        path for path in generated.glob(f"{prefix}*") if path.suffix in {".cpp", ".h"} and path != caller
    ]
    text = caller.read_bytes()
    if text.count(_DELETE) == 1 and not any(
        word in path.read_bytes() for path in others for word in _CLASSES
    ):
        caller.write_bytes(text.replace(_DELETE, b""))


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
