# SPDX-License-Identifier: BSD-3-Clause
"""ABC on one property of a graph: proved, refuted with the inputs of each cycle, or neither in time."""

from __future__ import annotations

import math
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.bench_mutants.aig import FALSE, Graph, reached, write_cone
from tools.blocks.formal_engines import ABC

_IDLE = 20  # so much longer than its limit ABC may take on a busy machine


@dataclass(frozen=True)
class Answer:
    """Result of ABC.

    Attributes:
        engine: Which one proved it; empty if none did.
        cycles: Of a counterexample, the inputs that are high in each cycle, as variables.
    """

    engine: str = ""
    cycles: tuple[frozenset[int], ...] = ()


@dataclass(frozen=True)
class Query:
    """Whether ``bad`` can come, in cycles in which all laws hold.

    Attributes:
        graph: Gets one latch more.
        follows: Next values of latches that the graph does not know, by variable.
        bad: Literal.
        laws: Literals, each with an input, as a variable: where that does not matter, the law does not.
        kept: Latches that are always there.
        depth: Latches from which it takes more cycles to ``bad`` may hold anything; None if there are none.
    """

    graph: Graph
    follows: Mapping[int, int]
    bad: int
    laws: Sequence[tuple[int, int]]
    kept: frozenset[int] = frozenset()
    depth: int | None = None

    def write(self, path: Path) -> list[int]:
        """Write the question; return the variables that are the inputs of the file."""
        follows = {**self.graph.follows, **self.follows}
        lawful: list[int] = []
        while True:
            inputs, latches = reached(self.graph, follows, [self.bad, *lawful], self.depth)
            there = [literal for variable, literal in self.laws if variable in inputs]
            if len(there) == len(lawful):
                break
            lawful = there
        broken = self.graph.new_latch()
        fine = self.graph.conj(broken ^ 1, self.graph.every(lawful))
        follows[broken >> 1] = self.graph.follows[broken >> 1] = fine ^ 1
        bad = self.graph.conj(self.bad, fine)
        return write_cone(self.graph, follows, bad, latches | self.kept | {broken >> 1}, path)


def prove(query: Query, seconds: float, folder: Path) -> Answer:
    """Merge what an induction over two cycles shows to be the same, then look for an inductive invariant."""
    if query.bad == FALSE:
        return Answer("the same gates")
    left = folder / "left.aig"
    left.unlink(missing_ok=True)
    answer = _ask(query, f"scorr -F 2; write_aiger {left}; pdr", "Property proved", "pdr", seconds, folder)
    # ABC's pdr says nothing of a property that is a constant by now.
    same = left.exists() and left.read_bytes().split(b"\n", 2)[1] == b"0"
    return Answer("scorr") if same else answer


def search(query: Query, cycles: int, seconds: float, folder: Path) -> Answer:
    """Search a counterexample of at most ``cycles``."""
    if query.bad == FALSE:
        return Answer("the same gates")
    done = rf"No output asserted in {cycles} frames"
    return _ask(query, f"bmc3 -F {cycles}", done, "bmc3", seconds, folder)


def _ask(query: Query, commands: str, done: str, engine: str, seconds: float, folder: Path) -> Answer:
    file, cex = folder / "query.aig", folder / "query.cex"
    cex.unlink(missing_ok=True)
    inputs = query.write(file)
    said = _run(f"read_aiger {file}; strash; {commands}; write_cex -a {cex}", seconds)
    if re.search(done, said):
        return Answer(engine)
    if "was asserted in frame" in said:
        return Answer(cycles=_cycles(cex.read_text(), inputs))
    return Answer()


def _run(command: str, seconds: float) -> str:
    """Return the output of ABC; it is stopped after ``seconds`` of processor time."""
    whole = math.ceil(seconds)
    limited = ["prlimit", f"--cpu={whole}:{whole}", str(ABC), "-c", command]
    with subprocess.Popen(
        limited, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as process:
        try:
            return process.communicate(timeout=_IDLE * whole)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return ""


def _cycles(text: str, inputs: list[int]) -> tuple[frozenset[int], ...]:
    """Read a counterexample of AIGER 1.9: after the latches, a line of inputs for each cycle."""
    lines = [line for line in text.split("\n") if re.fullmatch(r"[01x]+", line) and len(line) == len(inputs)]
    return tuple(frozenset(inputs[place] for place, bit in enumerate(line) if bit == "1") for line in lines)
