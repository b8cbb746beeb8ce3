# SPDX-License-Identifier: BSD-3-Clause
"""A generated core as a graph of gates: the pins of its partitions are pins of the core.

Mutants that can be chosen at run time are all in one graph, each behind an input of its own, so that the core
is elaborated once for all of them.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from shellgen.simulate.stubs import stubs
from tools.bench_mutants.aig import Netlist, read_aiger
from tools.bench_mutants.block_alone import TOP as BLOCK
from tools.bench_mutants.clusters import description
from tools.bench_mutants.schema import together
from tools.bench_mutants.sites import Mutant
from tools.bench_mutants.verilog import Kind, Source, read, walk
from tools.blocks.formal_engines import run_yosys

CHOOSER = "bench_mutant_choice"
SECONDS = 600  # a wide core on a busy machine
# Clocks are no part of a graph, so every flop must be on the one that the core is given.
_SCRIPT = """
read_verilog -sv -lib {folder}/stubs.sv
read_verilog -sv {files}
hierarchy -check -top {top}
proc
flatten
{expose}
opt_expr
wreduce
opt_expr
opt_clean
memory_map
opt_clean
dffunmap
techmap
opt_clean
select -assert-none t:$_DFF_* t:$_DFF_P_ %d %ci1:+[C] w:* %i
select -assert-none t:$_DFF_P_ w:aclk %co1:+[C] %d %ci1:+[C] w:* %i w:aclk %d
select -clear
opt_expr
opt_clean
aigmap
opt_clean
setundef -undriven -anyseq
opt_clean
write_aiger -symbols {folder}/core.aig
"""


# Blocks within a block are boxes.
_CELLS = """
{boxes}
read_verilog -sv {files}
hierarchy -top {top}
proc
flatten
opt_expr
wreduce
opt -full
opt_clean
write_verilog -noattr {folder}/cells.v
"""


def users(out: Path, sources: Mapping[str, Source], mutant: Mutant) -> list[str]:
    """Return the cores that have a mutant, by file: one, or those whose node has the block."""
    cores = [file for file in sources if file.endswith("_core.v")]
    return [core for core in cores if mutant.file == core or _has(out, core, mutant.file)]


def _has(out: Path, core: str, file: str) -> bool:
    return (out / core).parent.joinpath("rtl", Path(file).name).exists()


def core_graph(
    out: Path, texts: Mapping[str, str], core: str, folder: Path, block: str | None = None
) -> Netlist:
    """Elaborate a core, or a block of it.

    Args:
        out: Generated folder.
        texts: Cores and blocks, by file, changed or not.
        core: File of the core.
        folder: For all that is made.
        block: Instead of the core, this top module, of `block_tops`.

    Raises:
        RuntimeError: It does not elaborate, or a flop is on another clock than ``aclk``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    empty = stubs([out / file for file in description(out)["sources"]["partition"]], [out / f for f in texts])
    bits = 1 + max((one for text in texts.values() for one in _numbers(text)), default=0)
    chooser = f"module {CHOOSER}(output wire [{bits - 1}:0] chosen);\nendmodule\n"
    (folder / "stubs.sv").write_text("\n".join([*empty.values(), chooser]))
    files = []
    for file, text in texts.items():
        if file == core or _has(out, core, file):
            files.append(folder / Path(file).name)
            files[-1].write_text(text)
    if block:
        files.append(folder / "block.v")
        files[-1].write_text(block)
    boxes = [name for name in (*empty, CHOOSER) if any(name in text for text in texts.values())]
    script = folder / "core.ys"
    script.write_text(
        _SCRIPT.format(
            folder=folder,
            files=" ".join(map(str, files)),
            top=BLOCK if block else Path(core).stem,
            expose=f"expose -evert {' '.join(f't:{box}' for box in boxes)}" if boxes else "",
        )
    )
    try:
        run_yosys(f"script {script}", SECONDS)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"Yosys needs more than {SECONDS} s") from None
    except RuntimeError as error:
        if "selection is not empty" in str(error):
            raise RuntimeError("a flop on another clock, which no graph has") from None
        raise
    return read_aiger(folder / "core.aig")


def block_cells(texts: Mapping[str, str], file: str, block: str, folder: Path) -> str:
    """Return the cells of a block, without those of blocks within it.

    Args:
        texts: Cores and blocks, by file.
        file: The block's.
        block: Top module, of `block_tops`.
        folder: For all that is made; names of cells hold it.

    Raises:
        RuntimeError: It does not elaborate.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "block.v").write_text(block)
    for name, text in texts.items():
        (folder / Path(name).name).write_text(text)
    others = [
        str(folder / Path(name).name) for name in texts if name != file and not name.endswith("_core.v")
    ]
    script = folder / "cells.ys"
    script.write_text(
        _CELLS.format(
            folder=folder,
            boxes=f"read_verilog -sv -lib {' '.join(others)}" if others else "",
            files=f"{folder / Path(file).name} {folder / 'block.v'}",
            top=BLOCK,
        )
    )
    run_yosys(f"script {script}", SECONDS)
    return (folder / "cells.v").read_text()


def chosen_texts(sources: Mapping[str, Source], mutants: Mapping[int, Mutant]) -> dict[str, str]:
    """Return all sources, with these mutants in them, each behind a bit of a box's output.

    Numbers begin with 1: a port of a single bit would have no number in its name.
    """
    found = {}
    for file, source in sources.items():
        there = {number: mutant for number, mutant in mutants.items() if mutant.file == file}
        found[file] = _with_boxes(together(source, there)) if there else source.text
    return found


def _with_boxes(text: str) -> str:
    text = re.sub(r"\(bench_mutant::sel == (\d+)\)", r"mutant_chosen[\1]", text)
    bits = 1 + max(_numbers(text))
    box = f"\nwire [{bits - 1}:0] mutant_chosen;\n{CHOOSER} u_mutants(.chosen(mutant_chosen));\n"
    modules = [node for node in walk(read(text).root) if node.kind == Kind.ModuleDeclaration]
    ends = [node.header.sourceRange.end.offset for node in modules]
    for end in sorted(ends, reverse=True):
        text = text[:end] + box + text[end:]
    return text


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"mutant_chosen\[(\d+)\]", text)]


def is_choice(name: str, number: int | None = None) -> bool:
    """Return whether an input chooses a mutant, or this one; each instance of its module has one."""
    return "u_mutants.chosen[" in name if number is None else name.endswith(f"u_mutants.chosen[{number}]")
