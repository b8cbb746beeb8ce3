# SPDX-License-Identifier: BSD-3-Clause
"""Check with an SMT solver that an invariant proves a circuit: AIGER and PLA in, three questions to Yices."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["check_invariant"]


@dataclass(frozen=True)
class Circuit:
    """An AIGER file: literals are 2 * variable + negated, variable 0 is false; all latches start at 0."""

    inputs: int
    nexts: tuple[int, ...]  # of the latches
    outputs: tuple[int, ...]  # each is a fault when true
    ands: tuple[tuple[int, int], ...]


def _read(path: Path) -> Circuit:
    """Read a binary AIGER file that has neither constraints nor initial values."""
    data = path.read_bytes()
    line, _, rest = data.partition(b"\n")
    words = line.split()
    assert words[0] == b"aig", f"{path.name} is no binary AIGER file"
    assert not any(map(int, words[6:])), "constraints or bad states: fold them first"
    _, inputs, latches, outputs, ands = map(int, words[1:6])
    lines = rest.split(b"\n", latches + outputs)
    nexts = [row.split() for row in lines[:latches]]
    assert all(len(row) == 1 or row[1] == b"0" for row in nexts), "a latch starts at 1"

    def numbers(block: bytes) -> Iterator[int]:
        value = shift = 0
        for byte in block:
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                yield value
                value = shift = 0

    deltas = numbers(lines[-1] if ands else b"")
    pairs = []
    for k in range(ands):
        first = 2 * (inputs + latches + 1 + k) - next(deltas)
        pairs.append((first, first - next(deltas)))
    found = tuple(int(row) for row in lines[latches : latches + outputs])
    return Circuit(inputs, tuple(int(row[0]) for row in nexts), found, tuple(pairs))


def _literal(literal: int) -> str:
    if literal < 2:
        return ("false", "true")[literal]
    return f"(not v{literal >> 1})" if literal & 1 else f"v{literal >> 1}"


def check_invariant(aiger: Path, pla: Path, yices: Path, timeout: float) -> int:
    """Check that an invariant holds at first, is kept by every step and excludes every fault.

    Args:
        aiger: The circuit; its outputs are faults.
        pla: One line for each set of states that the invariant excludes, a column for each latch.
        yices: The program yices-smt2.
        timeout: Seconds.

    Returns:
        Number of clauses.

    Raises:
        RuntimeError: It is not such an invariant.
    """
    circuit = _read(aiger)
    rows = [line.split() for line in pla.read_text().splitlines() if line and line[0] in "01-"]
    cubes = [row[0] for row in rows]
    assert all(row[1] == "1" and len(row[0]) == len(circuit.nexts) for row in rows), (
        "not an invariant of this circuit"
    )
    if not all("1" in cube for cube in cubes):
        raise RuntimeError("the invariant does not hold at first")
    first = circuit.inputs + 1
    states = [2 * (first + k) for k in range(len(circuit.nexts))]

    def excluded(literals: list[int]) -> str:
        clauses = (
            " ".join(
                _literal(lit ^ (bit == "0")) for lit, bit in zip(literals, cube, strict=True) if bit != "-"
            )
            for cube in cubes
        )
        return f"(or false {' '.join(f'(and true {clause})' for clause in clauses)})"

    text = ["(set-logic QF_UF)"]
    text += [f"(declare-fun v{k} () Bool)" for k in range(1, first + len(states))]
    text += [
        f"(define-fun v{first + len(states) + k} () Bool (and {_literal(a)} {_literal(b)}))"
        for k, (a, b) in enumerate(circuit.ands)
    ]
    text += [f"(define-fun fault () Bool (or false {' '.join(map(_literal, circuit.outputs))}))"]
    text += [f"(assert (not {excluded(states)}))"]
    text += ["(push 1)", "(assert fault)", "(check-sat)", "(pop 1)"]
    text += ["(assert (not fault))", f"(assert {excluded(list(circuit.nexts))})", "(check-sat)"]
    command = [str(yices), "--incremental"]
    answer = subprocess.run(
        command, input="\n".join(text), capture_output=True, text=True, check=False, timeout=timeout
    )
    if answer.stdout.split() != ["unsat", "unsat"]:
        raise RuntimeError(f"Yices does not confirm the invariant: {(answer.stdout + answer.stderr)[:300]}")
    return len(cubes)
