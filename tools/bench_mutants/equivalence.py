# SPDX-License-Identifier: BSD-3-Clause
"""Is a survivor a mistake at all? Yosys tries to prove that no core can tell it from the original.

A core is taken whole, so what its parameters and its connections exclude is excluded; the pins of its
partitions count as pins of the core. Registers of the same name are taken to hold the same, which an
induction then confirms: what is proved is proved, and what is not may be equivalent all the same.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from shellgen.simulate.stubs import stubs
from tools.bench_mutants.clusters import description
from tools.bench_mutants.schema import alone
from tools.bench_mutants.sites import Mutant
from tools.bench_mutants.verilog import Source
from tools.blocks.formal_engines import run_yosys

SECONDS = 240
_SIDE = """
design -reset
read_verilog -sv -lib {empty}
read_verilog -sv {files}
hierarchy -top {top}
proc
flatten
expose -evert {boxes}
memory -nordff
memory_map
opt_expr
opt_clean
rename {top} {side}
design -stash {side}
"""
_COMPARE = """
design -reset
design -copy-from gold -as gold gold
design -copy-from gate -as gate gate
equiv_make gold gate equiv
hierarchy -top equiv
opt_clean
equiv_struct -icells
equiv_simple -undef
equiv_induct -undef
equiv_status -assert
"""


def equivalent(out: Path, sources: Mapping[str, Source], mutant: Mutant) -> bool:
    """Return whether a mutant is proved to change nothing in any core.

    Args:
        out: Generated folder.
        sources: Cores and blocks, by file.
        mutant: In one of them.
    """
    foreign = [out / file for file in description(out)["sources"]["partition"]]
    empty = stubs(foreign, [out / file for file in sources])
    blocks = [file for file in sources if file.endswith(".sv")]
    cores = [file for file in sources if file not in blocks]
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "stubs.sv").write_text("\n".join(empty.values()))
        for side in ("gold", "gate"):
            (folder / side).mkdir()
            for file, source in sources.items():
                changed = side == "gate" and file == mutant.file
                (folder / side / Path(file).name).write_text(
                    alone(source.text, mutant) if changed else source.text
                )
        users = [core for core in cores if mutant.file in (core, *blocks)]
        return all(_same(folder, [*blocks, core], Path(core).stem, empty) for core in users)


def _same(folder: Path, files: Sequence[str], top: str, boxes: Iterable[str]) -> bool:
    sides = [
        _SIDE.format(
            empty=folder / "stubs.sv",
            files=" ".join(str(folder / side / Path(file).name) for file in files),
            top=top,
            side=side,
            boxes=" ".join(f"t:{box}" for box in boxes),
        )
        for side in ("gold", "gate")
    ]
    script = folder / "compare.ys"
    script.write_text("".join([*sides, _COMPARE]))
    try:
        run_yosys(f"script {script}", SECONDS)
    except (RuntimeError, subprocess.TimeoutExpired):
        return False
    return True
