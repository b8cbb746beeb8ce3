# SPDX-License-Identifier: BSD-3-Clause
"""Cost of a large design by Yosys in parts: two are synthesised at a time, and each is kept in the cache.

A generated core is cut between its blocks: one of more than `ALONE` cells is a part, all others are one
together. What Yosys' `opt_hier` finds out about the boundaries first (inputs that are constant, outputs that
nobody reads) is in the parts. A part is kept by its content, so that another core with such a block has its
cost at once.

A part is synthesised as in `cost.py`, but for settings that save two thirds of the time: the front end is
slang, which calculates the tables of a CRC a hundred times as fast; ABC does not restructure (`SCRIPT`); the
rules of memories are read once, while the front end works (`MEMORIES`); and the design of a part holds the
cells of its family alone, since passes copy the whole design, cells included.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import asdict
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from shellgen.cache import default_cache_dir, digest, once
from tools.blocks.cost import Cost, Subject, count

CACHED = "parts"  # folder of the cache
ALONE = 250  # cells of a part, as the front end counts them
SCRIPT = "+&ps;&if,{C},{W},{D},{R},-v;&mfs"  # ABC's default without &scorr, &sweep, &dc2 and &dch
CELLS, MORE = "cells_sim.v", "cells_xtra.v"  # of the 7 series and older; of other families
# The step `map_memory` of synth_xilinx: arguments of memory_libmap, and the rules behind it. Yosys would read
# the rules of block RAM in each part, 2 s each time.
_ALL = (
    "-logic-cost-rom 0.015625 -no-auto-huge -lib +/xilinx/brams_xc4v.txt -D HAS_SIZE_36 -D HAS_MIXWIDTH_SDP"
)
MEMORIES = {
    "xc7": (
        f"{_ALL} -lib +/xilinx/lutrams_xc5v.txt -D HAS_CASCADE -D HAS_CONFLICT_BUG",
        ("lutrams_xc5v_map.v", "brams_xc6v_map.v"),
    ),
    "xcup": (
        f"{_ALL} -lib +/xilinx/lutrams_xcu.txt -D HAS_ADDRCE -lib +/xilinx/urams.txt",
        ("lutrams_xc5v_map.v", "brams_xcu_map.v", "urams_map.v"),
    ),
}
DSP = {"xc7": "xc7_dsp_map.v", "xcup": "xcu_dsp_map.v"}
RULES = ("cells_map.v", "arith_map.v", "ff_map.v", "lut_map.v", "mux_map.v")  # of all families
MODULE = re.compile(r"(?:^\(\*.*\n)*^module (\w+)\b[^;]*;.*?^endmodule\n", re.MULTILINE | re.DOTALL)
MEMORY = re.compile(r"^  (?:memory |cell \$mem)", re.MULTILINE)  # a part without any needs no memory library
# Yosys ends its process on an error. Cuts the design of argv[2:] into files of the folder argv[1].
CUT = """
import json, sys
from pathlib import Path
from pyosys import libyosys
folder, top, alone, front = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
design = libyosys.Design()
def run(*passes):
    for one in passes:
        libyosys.run_pass(one, design)
def found(name):
    run(f"tee -q -o {folder}/{name} stat -json")
    return json.loads((folder / name).read_text())["modules"]
run(front, f"hierarchy -check -top {top}", "proc", f"techmap -map {folder}/taps.v")
kinds = found("stat.json")
own = kinds[f"\\\\{top}"]["num_cells_by_type"]
inside = [kind for kind in own if f"\\\\{kind}" in kinds or kind in kinds]
run(*(f"setattr -mod -set keep_hierarchy 1 ={kind}" for kind in inside), "flatten", "uniquify")
run(*("opt_expr", "opt_clean", "opt_hier") * 2, "opt_expr", "opt_clean")
run("delete t:$scopeinfo", "setattr -unset src *", "setattr -unset src */*", "setattr -mod -unset src *")
kinds = found("stat.json")
big = [name[1:] for name, one in kinds.items() if one["num_cells"] > alone and name != f"\\\\{top}"]
for number, name in enumerate(big):
    run(f"select ={name}", f"write_rtlil -selected {folder}/{number}.il", "select -clear")
    run(f"blackbox ={name}")
run("setattr -mod -unset keep_hierarchy A:blackbox %n", "flatten", "opt_clean")
run(f"write_rtlil {folder}/rest.il")
"""
# Yosys finds a shift register with a tap that varies by $shiftx (xilinx_srl -variable); slang makes a $bmux
# of it, the inputs behind the last bit undefined.
TAPS = """
(* techmap_celltype = "$bmux" *)
module tap (A, S, Y);
    parameter WIDTH = 1, S_WIDTH = 1;
    input [(WIDTH << S_WIDTH) - 1:0] A;
    input [S_WIDTH - 1:0] S;
    output [WIDTH - 1:0] Y;
    parameter _TECHMAP_CONSTMSK_A_ = 0, _TECHMAP_CONSTVAL_A_ = 0;
    function integer taken(input integer all);
        integer i;
        begin
            taken = 1;
            for (i = 0; i < all; i = i + 1)
                if (!_TECHMAP_CONSTMSK_A_[i] || _TECHMAP_CONSTVAL_A_[i] !== 1'bx) taken = i + 1;
        end
    endfunction
    localparam BITS = taken(1 << S_WIDTH);
    wire _TECHMAP_FAIL_ = WIDTH != 1 || S_WIDTH < 2;
    \\$shiftx #(.A_SIGNED(0), .B_SIGNED(0), .A_WIDTH(BITS), .B_WIDTH(S_WIDTH), .Y_WIDTH(1))
        _TECHMAP_REPLACE_ (.A(A[BITS - 1:0]), .B(S), .Y(Y));
endmodule
"""
# Loads the libraries once, then waits for the files of the parts, one in each line of the standard input; a
# process each synthesises them, argv[2] at a time.
MAP = """
import os, sys
from pathlib import Path
from pyosys import libyosys
setup, jobs = sys.argv[1].split("; "), int(sys.argv[2])
design = libyosys.Design()
for one in setup:
    libyosys.run_pass(one, design)
running, failed = 0, 0
def ended():
    return os.wait()[1] != 0
for file in sys.stdin.read().splitlines():
    if running == jobs:
        failed, running = failed + ended(), running - 1
    if not (child := os.fork()):
        for line in Path(file).with_suffix(".ys").read_text().splitlines():
            libyosys.run_pass(line, design)
        os._exit(0)
    running += 1
while running:
    failed, running = failed + ended(), running - 1
sys.exit(failed)
"""

__all__ = ["in_parts"]


def in_parts(subject: Subject, family: str = "xc7", jobs: int = 2, timeout: float = 400) -> Cost:
    """Return the cost of a design as the sum of its parts; levels are the most inside a part.

    Args:
        subject: Without parameters, ties and open ports.
        family: Of `synth_xilinx`: xc7, xcup.
        jobs: Parts that are synthesised at a time.
        timeout: In seconds.

    Raises:
        RuntimeError: Yosys refused the design; the message ends with what Yosys said.
    """
    about = [version("pyosys"), Path(__file__).read_text(), family, subject.top]
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)

        def whole(made: Path) -> None:
            (folder / "taps.v").write_text(TAPS)
            front = f"read_slang --top {subject.top} --keep-hierarchy {' '.join(map(str, subject.sources))}"
            with (folder / "map.log").open("w") as log, _mapper(folder, subject, family, jobs, log) as mapper:
                _python(CUT, [scratch, subject.top, str(ALONE), front], timeout, subject.top)
                costs = _parts(folder, subject.top, family, mapper, timeout)
            (made / "costs.json").write_text(json.dumps([asdict(one) for one in costs]))

        files = [part for path in subject.sources for part in (path.name, path.read_bytes())]
        kept = once(_cache(digest([*about, *files])), whole).folder
    return _sum([Cost(**one) for one in json.loads((kept / "costs.json").read_text())])


def _cache(name: str) -> Path:
    return default_cache_dir() / CACHED / name


def _mapper(folder: Path, subject: Subject, family: str, jobs: int, log: IO[str]) -> subprocess.Popen[str]:
    """Start the process that synthesises parts; it loads what they share at once."""
    spec = find_spec("pyosys")
    assert spec is not None
    assert spec.origin is not None
    rules = Path(spec.origin).parent / "share/xilinx"
    read = (*(rules / name for name in (*RULES, DSP[family], *MEMORIES[family][1])), *subject.sources)
    named = {word for file in read for word in re.findall(r"\w+", file.read_text())}
    more = (found[0] for found in MODULE.finditer((rules / MORE).read_text()) if found[1] in named)
    (folder / MORE).write_text("".join(more) if family != "xc7" else "")
    cells = re.findall(r"^module (\w+)", (rules / CELLS).read_text(), re.M)
    setup = (
        *(f"read_verilog -nooverwrite -noblackbox -icells +/xilinx/{one}" for one in MEMORIES[family][1]),
        "design -stash memories",
        f"read_verilog -lib -specify +/xilinx/{CELLS}",
        f"read_verilog -lib {folder / MORE}",
        " ".join(["delete", *(f"={cell}" for cell in cells if cell not in named)]),
        f"scratchpad -set abc9.script {SCRIPT}",
    )
    command = [sys.executable, "-c", MAP, "; ".join(setup), str(jobs)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, text=True)


def _parts(folder: Path, top: str, family: str, mapper: subprocess.Popen[str], timeout: float) -> list[Cost]:
    """Return the costs of the parts in a folder; those that are not kept are synthesised."""
    names: dict[str, list[Path]] = {}
    for file in sorted(folder.glob("*.il"), key=lambda one: -one.stat().st_size):
        about = [version("pyosys"), Path(__file__).read_text(), family, _plain(file.read_text())]
        names.setdefault(digest(about), []).append(file)
    missing = {name: same[0] for name, same in names.items() if not (_cache(name) / "cost.json").is_file()}
    synth = f"synth_xilinx -family {family} -flatten -noiopad -noclkbuf -run"
    for file in missing.values():
        module = top if file.stem == "rest" else re.findall(r"^module (\S+)$", file.read_text(), re.M)[0]
        netlist = file.with_suffix(".json")
        prepare = (
            f"read_rtlil {file}; hierarchy -top {module}; rename -top measured; {synth} prepare:map_memory"
        )
        memory = [f"memory_libmap {MEMORIES[family][0]}", "techmap -map %memories"]
        finish = f"{synth} map_ffram:check; select measured; write_json -selected {netlist}"
        lines = (prepare, *(memory if MEMORY.search(file.read_text()) else []), finish)
        file.with_suffix(".ys").write_text("\n".join(lines))
    try:
        mapper.communicate("\n".join(map(str, missing.values())), timeout)
    except subprocess.TimeoutExpired:
        mapper.kill()
        raise
    if mapper.returncode:
        raise RuntimeError(f"{top}: Yosys: {(folder / 'map.log').read_text()[-800:]}")
    found = []
    for name, same in names.items():

        def write(made: Path, file: Path = same[0]) -> None:
            netlist = json.loads(file.with_suffix(".json").read_text())
            cells = list(netlist["modules"]["measured"]["cells"].values())
            (made / "cost.json").write_text(json.dumps(asdict(count(cells, "slang"))))

        kept = once(_cache(name), write).folder
        found += [Cost(**json.loads((kept / "cost.json").read_text()))] * len(same)
    return found


def _plain(text: str) -> str:
    """Return RTLIL without what depends on the place of a block in its core.

    Names that Yosys chose are numbered in the order of the text; the module has no name, ports no numbers.
    """
    numbers: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        return numbers.setdefault(found[0], f"${len(numbers)}")

    text = re.sub(r"^(module|autoidx) \S+$|^attribute \\(hdlname|top) .*$", "", text, flags=re.M)
    text = re.sub(r"^(  wire.* (?:in|out)put) \d+", r"\1", text, flags=re.M)
    return re.sub(r"\$\S*\$\S*\d", number, text)


def _python(program: str, arguments: list[str], timeout: float, top: str) -> None:
    command = [sys.executable, "-c", program, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
    if result.returncode:
        raise RuntimeError(f"{top}: Yosys: {(result.stdout + result.stderr)[-800:]}")


def _sum(parts: list[Cost]) -> Cost:
    total: Counter[str] = Counter()
    for one in parts:
        total.update({name: getattr(one, name) for name in ("lut", "ff", "uram", "dsp")})
    bram, levels = sum(one.bram for one in parts), max(one.levels for one in parts)
    return Cost(total["lut"], total["ff"], bram, total["uram"], levels, "slang", total["dsp"])
