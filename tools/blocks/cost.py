# SPDX-License-Identifier: BSD-3-Clause
"""Cost of a block: LUT, FF, block RAM and logic depth after Yosys' `synth_xilinx`.

    python -m tools.blocks.cost axis_width IN_W=40 OUT_W=512 --tie s_axis_tlast=0 --open level

The figures compare with those of the peers in benchmarks/README.md: LUT is LUT1 to
LUT6 plus SRL plus LUTRAM in LUT6 equivalents, inverters and carry chains not counted; levels is the largest
number of LUT, SRL and LUTRAM reads on any path between flops, ports and block RAMs. Both SystemVerilog front
ends of Yosys are tried and the better result is taken, for us and for the peers alike. Nothing is placed: for
clock rates see fmax.py.

Each is synthesised in a process of its own: with others in the same design ABC, which heeds the order of
names, may find a LUT more or less.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from tools.blocks.block_bench import closure
from tools.blocks.verdicts import kept

FRONTENDS = ("verilog", "slang")
# LUT6 equivalents of the memories that are made of LUTs (UG474, UG574: LUTs that share one write port).
LUTRAM = {
    "RAM32X1S": 1, "RAM32X1D": 2, "RAM32M": 4, "RAM32M16": 8, "RAM32X16DR8": 8,
    "RAM64X1S": 1, "RAM64X1D": 2, "RAM64M": 4, "RAM64M8": 8, "RAM64X8SW": 8,
    "RAM128X1S": 2, "RAM128X1D": 4, "RAM256X1S": 4, "RAM256X1D": 8, "RAM512X1S": 8,
}  # fmt: skip
BRAM36 = {"RAMB18E1": 0.5, "RAMB36E1": 1.0, "RAMB18E2": 0.5, "RAMB36E2": 1.0}
READ_PINS = ("A", "DPRA", "ADDR")  # how the pins start through which a LUT memory is read without a clock
NO_LEVEL = ("CARRY", "MUXF", "INV", "BUF")
# Yosys ends the process on an error, so it gets one of its own. The memory libraries are most of the time;
# where there is no memory they change nothing.
YOSYS = """
import sys
from pyosys import libyosys
prepare, map_memory, finish = sys.argv[1:]
design = libyosys.Design()
libyosys.run_pass(prepare, design)
if "$mem_v2" in design.to_rtlil_str():
    libyosys.run_pass(map_memory, design)
libyosys.run_pass(finish, design)
"""

__all__ = ["FRONTENDS", "Cost", "Subject", "best", "block", "count", "levels", "measure"]


@dataclass(frozen=True)
class Cost:
    """Cost of one parameter set; bram in units of RAMB36, levels in LUTs."""

    lut: int
    ff: int
    bram: float
    uram: int
    levels: int
    frontend: str
    dsp: int = 0

    def __str__(self) -> str:
        memory = f"{self.bram:g} BRAM, {self.uram} URAM" + f", {self.dsp} DSP" * bool(self.dsp)
        return f"{self.lut} LUT, {self.ff} FF, {memory}, {self.levels} levels ({self.frontend})"


@dataclass(frozen=True)
class Subject:
    """A module to be measured.

    Args:
        top: Name of the module.
        sources: Verilog files.
        parameters: Value by name; a string stands as a Verilog constant.
        ties: Inputs that are constant in the instance measured: all bits of the port get this bit.
        opens: Outputs that the instance measured leaves open.
        frontend: ``verilog`` or ``slang``.
        options: Of the front end, such as include folders.
    """

    top: str
    sources: tuple[Path, ...]
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    ties: Mapping[str, int] = field(default_factory=dict)
    opens: Sequence[str] = ()
    frontend: str = "verilog"
    options: str = ""

    def __str__(self) -> str:
        values = " ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.top} {values} ({self.frontend})"

    def script(self) -> list[str]:
        """Return the commands that leave this module as the only one of the design, flat."""
        files = " ".join(map(str, self.sources))
        if self.frontend == "slang":
            settings = " ".join(f"-G {name}={value}" for name, value in self.parameters.items())
            steps = [f"read_slang --top {self.top} {settings} {self.options} {files}"]
            steps += [f"hierarchy -check -top {self.top}"]
        else:
            settings = " ".join(f"-chparam {name} {value}" for name, value in self.parameters.items())
            steps = [f"read_verilog -sv {self.options} {files}"]
            steps += [f"hierarchy -check -top {self.top} {settings}"]
        steps += ["proc", "flatten", "rename -top measured", "cd measured"]
        for name in [*self.ties, *self.opens]:
            steps += [f"select -assert-count 1 x:{name}", f"delete -port w:{name}"]
        steps += [f"connect -set {name} {'~0' if bit else '0'}" for name, bit in self.ties.items()]
        return [*steps, "cd .."]


def block(
    name: str,
    parameters: Mapping[str, int | str],
    ties: Mapping[str, int] | None = None,
    opens: Sequence[str] = (),
    frontend: str = "verilog",
) -> Subject:
    """Return one of our blocks as a subject."""
    return Subject(name, tuple(closure(name)), parameters, ties or {}, opens, frontend)


def best(subject: Subject, family: str = "xc7") -> Cost:
    """Return the cost by the front end that serves the subject better."""
    costs = [measure(replace(subject, frontend=frontend), family) for frontend in FRONTENDS]
    return min(costs, key=lambda cost: (cost.lut + cost.ff, cost.levels))


def measure(subject: Subject, family: str = "xc7", timeout: float = 400) -> Cost:
    """Synthesise and count, or in a test return what is recorded in ``tests/verdicts``.

    Args:
        subject: What, and by which front end.
        family: Of `synth_xilinx`: xc7, xcup.
        timeout: In seconds.

    Raises:
        RuntimeError: Yosys refused the subject; the message names it and ends with what Yosys said.
    """
    parts = [f"{value}" for name, value in vars(subject).items() if name != "sources"]
    files = [*subject.sources, Path(__file__)]
    label = f"cost {subject.top}"

    def run() -> tuple[int, str]:
        return 0, json.dumps(asdict(_measure(subject, family, timeout)))

    return Cost(**json.loads(kept(label, ["pyosys"], [family, *parts], files, run)[1]))


def _measure(subject: Subject, family: str, timeout: float) -> Cost:
    synth = f"synth_xilinx -family {family} -flatten -noiopad -noclkbuf -run"
    # The `begin` of synth_xilinx, without the 35 000 lines of vendor primitives that no inference leads to on
    # this family: every pass that copies the design would copy them, which is two thirds of the time.
    libraries = ["read_verilog -lib -specify +/xilinx/cells_sim.v"]
    libraries += ["read_verilog -lib +/xilinx/cells_xtra.v"] * (family != "xc7")
    with tempfile.TemporaryDirectory() as scratch:
        netlist = Path(scratch) / "netlist.json"
        prepare = "; ".join([*subject.script(), *libraries, f"{synth} prepare:map_memory"])
        finish = f"{synth} map_ffram:check; hierarchy -check; select measured; write_json -selected {netlist}"
        command = [sys.executable, "-c", YOSYS, prepare, f"{synth} map_memory:map_ffram", finish]
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
        if result.returncode or not netlist.is_file():
            raise RuntimeError(f"{subject}: Yosys: {(result.stdout + result.stderr)[-800:]}")
        cells = json.loads(netlist.read_text())["modules"]["measured"]["cells"].values()
    return count(list(cells), subject.frontend)


def count(cells: list[dict[str, Any]], frontend: str = "verilog") -> Cost:
    """Return the cost of the cells of a flat netlist, as `write_json` lists them."""
    kinds = [cell["type"] for cell in cells]
    lut = sum(1 for kind in kinds if kind.startswith(("LUT", "SRL")))
    lut += sum(LUTRAM[kind] for kind in kinds if kind.startswith("RAM") and not kind.startswith("RAMB"))
    return Cost(
        lut=lut,
        ff=sum(kind.startswith("FD") for kind in kinds),
        bram=sum(BRAM36.get(kind, 0) for kind in kinds),
        uram=sum(kind.startswith("URAM") for kind in kinds),
        levels=levels(cells),
        frontend=frontend,
        dsp=sum(kind.startswith("DSP") for kind in kinds),
    )


def _weight(kind: str, pin: str) -> int | None:
    """Return how many levels it is from an input pin of a Xilinx cell to its outputs; None: a clock cuts."""
    if kind.startswith(NO_LEVEL):
        return 0
    memory = kind.startswith("SRL") or kind in LUTRAM
    return 1 if kind.startswith("LUT") or (memory and pin.startswith(READ_PINS)) else None


def levels(cells: list[dict[str, Any]], weight: Callable[[str, str], int | None] = _weight) -> int:
    """Return the longest path through the cells that no clock cuts; CycleError on a loop.

    Args:
        cells: Of a flat netlist, as `write_json` lists them.
        weight: From kind of cell and input pin to levels, or None.
    """
    driver: dict[int, int] = {}
    inputs: dict[int, list[tuple[int, int]]] = {}
    for index, cell in enumerate(cells):
        for pin, bits in cell["connections"].items():
            wires = [bit for bit in bits if isinstance(bit, int)]
            if cell["port_directions"][pin] == "output":
                driver.update((bit, index) for bit in wires)
            elif (step := weight(cell["type"], pin)) is not None:
                inputs.setdefault(index, []).extend((bit, step) for bit in wires)
    driver = {bit: index for bit, index in driver.items() if index in inputs}
    below = {index: {driver[bit] for bit, _ in bits if bit in driver} for index, bits in inputs.items()}
    depth: dict[int, int] = {}
    for index in TopologicalSorter(below).static_order():
        steps = [step + (depth[driver[bit]] if bit in driver else 0) for bit, step in inputs[index]]
        depth[index] = max(steps, default=0)
    return max(depth.values(), default=0)


def _main() -> None:
    parser = argparse.ArgumentParser(description="What a block costs after synth_xilinx.")
    parser.add_argument("block")
    parser.add_argument("parameters", nargs="*", metavar="NAME=VALUE")
    parser.add_argument("--tie", action="append", default=[], metavar="PORT=BIT")
    parser.add_argument("--open", action="append", default=[], metavar="PORT")
    parser.add_argument("--family", default="xc7")
    options = parser.parse_args()
    parameters = dict(pair.split("=", 1) for pair in options.parameters)
    ties = {name: int(bit) for name, bit in (pair.split("=", 1) for pair in options.tie)}
    subjects = [block(options.block, parameters, ties, options.open, frontend) for frontend in FRONTENDS]
    for subject in subjects:
        print(measure(subject, options.family))


if __name__ == "__main__":
    _main()
