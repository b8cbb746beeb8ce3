# SPDX-License-Identifier: BSD-3-Clause
"""Simulate a block on Icarus with exactly what a drawing shows at its inputs; fill in or judge the outputs.

A testbench is written for each drawing. Cycle k of a drawing lies between two rising edges of its clock:
inputs change just after the first, all ports are looked at just before the second. Before cycle 0 the block
was reset and stood idle. A lane that is drawn ``x`` drives X, which shows that the block does not look at it.
"""

from __future__ import annotations

import copy
import math
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tools.blocks.block_bench import closure, run_sources
from tools.blocks.pages_header import Block, Port
from tools.blocks.pages_wave import (
    Cell,
    Drawing,
    Lane,
    WaveError,
    annotate,
    cell_of,
    compress,
    lanes,
    number,
    qualifier,
    tints,
    values,
)

LEAD = 32  # columns before cycle 0, in periods of the slowest clock; the first half in reset

__all__ = ["complete", "judge"]


class ImpatientError(WaveError):
    """A valid falls, or its payload changes, after a cycle in which it was not taken."""

    def __init__(self, lanes: list[Lane], cycle: int) -> None:
        super().__init__(f"{lanes[0].name}: does not wait after cycle {cycle}, in which it was not taken")
        self.lanes = lanes
        self.cycle = cycle


@dataclass(frozen=True)
class Run:
    """Waveforms of a simulation.

    Attributes:
        columns: Per column, the bits of every port, most significant first.
        code: Exit code of the simulator.
        text: What it printed besides.
    """

    columns: list[dict[str, str]]
    code: int
    text: str


def complete(block: Block, drawing: Drawing) -> Drawing:
    """Return the drawing with every output lane, mark and number of cycles filled in from simulation.

    Raises:
        WaveError: The drawing is malformed, breaks the handshake, or the block does what cannot be drawn.
    """
    result = copy.deepcopy(drawing)
    outputs = {port.name for port in block.ports if port.direction == "out"}
    for lane in lanes(result):
        if lane.port in outputs:
            lane.raw["wave"] = ""
            lane.raw.pop("data", None)
    while True:
        try:
            run = _run(block, result)
            break
        except ImpatientError as error:
            _hold(block, error)
    names, tint = values(result), tints(result)
    for lane in lanes(result):
        if lane.port in outputs:
            lane.raw["wave"], labels = compress(_shown(lane, run, names, tint, block))
            if labels:
                lane.raw["data"] = labels
    return annotate(result)


def _hold(block: Block, error: ImpatientError) -> None:
    """Let the inputs of a channel wait one cycle longer; what stood last in the drawing falls out of it.

    Raises:
        ImpatientError: It is the block that does not wait.
    """
    held = [lane for lane in error.lanes if block_port(block, lane).direction == "in"]
    if not held:
        raise error
    for lane in held:
        cells = lane.cells()
        cells = [*cells[: error.cycle + 1], *cells[error.cycle : -1]]
        lane.raw["wave"], labels = compress(cells)
        if labels:
            lane.raw["data"] = labels


def judge(block: Block, drawing: Drawing) -> list[str]:
    """Return in which cycles which lanes differ from the simulation, and what else is not as drawn."""
    run = _run(block, drawing)
    names, tint = values(drawing), tints(drawing)
    found = []
    for lane in lanes(drawing):
        if block_port(block, lane).direction == "in":
            continue
        simulated = _shown(lane, run, names, tint, block)
        drawn = lane.cells()
        if len(drawn) != len(simulated):
            found.append(f"{lane.name}: drawn {len(drawn)} cycles, simulated {len(simulated)}")
        found += [
            f"{lane.name}: cycle {cycle}: drawn {left}, simulated {right}"
            for cycle, (left, right) in enumerate(zip(drawn, simulated, strict=False))
            if str(left) != str(right)
        ]
    if not found and annotate(drawing) != drawing:
        found.append("a mark or a number of cycles is not where the lanes say")
    return found


def block_port(block: Block, lane: Lane) -> Port:
    """Return the port that a lane shows."""
    found = next((port for port in block.ports if port.name == lane.port), None)
    if found is None:
        raise WaveError(f"{block.name} has no port {lane.port}")
    return found


def _shown(lane: Lane, run: Run, names: dict[str, int], tint: dict[str, str], block: Block) -> list[Cell]:
    """Return the cells of an output lane as simulated; ``x`` while it means nothing."""
    valid = qualifier(lane, (port.name for port in block.ports))
    cells = []
    for column in range(lane.period - 1, len(run.columns), lane.period):
        bits = lane.cut(run.columns[column][lane.port])
        sure = "1" if valid is None else valid.cut(run.columns[column][valid.port])
        if sure not in {"0", "1"}:
            raise WaveError(f"{lane.name}: its valid is {sure} in column {column}")
        if sure == "0":
            cells.append(Cell("x"))
        elif valid is not None and set(bits) - {"0", "1"}:
            raise WaveError(f"{lane.name}: {bits} while valid in column {column}")
        else:
            cells.append(cell_of(lane, bits, names, tint))
    return cells


def _run(block: Block, drawing: Drawing) -> Run:
    """Simulate; check that the inputs were what was drawn, and that no handshake rule is broken."""
    text, length = _bench(block, drawing)
    with tempfile.TemporaryDirectory() as scratch:
        bench = Path(scratch) / "bench.sv"
        bench.write_text(text, encoding="ascii")
        try:
            ran = run_sources("page_bench", [bench, *closure(block.name)], "icarus")
        except AssertionError as error:  # it does not compile
            raise WaveError(f"{block.name}: {error}") from None
    lines = ran.text.splitlines()
    rows = [line.split()[1:] for line in lines if line.startswith("ROW ")]
    names = [port.name for port in block.ports]
    said = "\n".join(line for line in lines if not line.startswith("ROW "))
    run = Run([dict(zip(names, row, strict=True)) for row in rows], ran.code, said)
    stops = drawing.get("stops")
    if stops:
        if not run.code or len(rows) - 1 != stops["cycle"] or stops["message"] not in said:
            raise WaveError(f"{block.name} does not stop so: cycle {len(rows) - 1}, code {run.code}, {said}")
    elif run.code or len(rows) != length:
        raise WaveError(f"{block.name}: code {run.code} after {len(rows)} of {length} columns: {said}")
    _check_inputs(block, drawing, run)
    if not stops:
        _check_handshakes(drawing, run)
    return run


def _check_inputs(block: Block, drawing: Drawing, run: Run) -> None:
    """A label that does not fit its port would have been cut."""
    names = values(drawing)
    for lane in lanes(drawing):
        if lane.is_clock or block_port(block, lane).direction == "out":
            continue
        for cycle, cell in enumerate(lane.cells()):
            column = cycle * lane.period + lane.period - 1
            if column >= len(run.columns) or cell.char == "x":
                continue
            bits = lane.cut(run.columns[column][lane.port])
            if cell.label and int(bits, 2) != number(lane, cell, names):
                raise WaveError(f"{lane.name}: {cell.label} does not fit {len(bits)} bits")
            if not cell.label and bits != cell.char:
                raise WaveError(f"{lane.name}: {cell.char} for {len(bits)} bits: use = and a label")


def _check_handshakes(drawing: Drawing, run: Run) -> None:
    """A waiting beat stays unchanged: a diagram drawn by hand must be a legal stream as well."""
    every = lanes(drawing)
    found = []
    for lane in every:
        prefix = lane.port.removesuffix("valid")
        if prefix == lane.port or f"{prefix}ready" not in run.columns[0]:
            continue
        channel = [lane, *(other for other in every if _pays(other, prefix, lane))]
        steps = run.columns[lane.period - 1 :: lane.period]
        for cycle, (now, then) in enumerate(pairwise(steps)):
            valid, ready = lane.cut(now[lane.port]), lane.cut(now[f"{prefix}ready"])
            waits = [index for index, bits in enumerate(zip(valid, ready, strict=True)) if bits == ("1", "0")]
            falls = any(lane.cut(then[lane.port])[index] != "1" for index in waits)
            # The payload of a vector of streams is attributed only where its lanes name their valid.
            changes = valid == "1" and any(
                pay.cut(now[pay.port]) != pay.cut(then[pay.port]) for pay in channel[1:]
            )
            if (falls or (waits and changes)) and not lane.raw.get("withdrawn"):
                found.append(ImpatientError(channel, cycle))
    if found:  # the first in time: what comes later may follow from it
        raise min(found, key=lambda error: error.cycle * error.lanes[0].period)


def _pays(lane: Lane, prefix: str, valid: Lane) -> bool:
    """Tell whether a lane is payload of the channel whose valid this is."""
    payload = lane.port.startswith(prefix) and not lane.port.endswith(("valid", "ready"))
    return payload and lane.period == valid.period and lane.raw.get("valid", valid.name) == valid.name


def _bench(block: Block, drawing: Drawing) -> tuple[str, int]:
    """Return the text of a testbench and the number of its columns."""
    every = lanes(drawing)
    inputs = [port for port in block.ports if port.direction == "in"]
    clocks = {port.name: 1 for port in inputs if port.name.endswith("aclk")}
    clocks |= {lane.port: lane.period for lane in every if lane.is_clock}
    drawn = [lane for lane in every if not lane.is_clock and block_port(block, lane).direction == "in"]
    length = max((len(lane.cells()) * lane.period for lane in drawn), default=0)
    for lane in every:
        cycles = len(lane.raw.get("wave", ""))
        if (lane.is_clock or lane in drawn) and cycles * lane.period != length:
            raise WaveError(f"{lane.name}: {cycles} cycles of {lane.period}, not {length} columns")
    steps = _steps(block, drawing, inputs, clocks, drawn, length)
    given = drawing.get("parameters", {})
    unknown = set(given) - {parameter.name for parameter in block.parameters}
    if unknown:
        raise WaveError(f"{block.name} has no parameter {sorted(unknown)[0]}")
    lines = ["`default_nettype none", "module page_bench;"]
    lines += [f"    localparam {p.kind} {p.name} = {given.get(p.name, p.default)};" for p in block.parameters]
    lines += [f"    localparam {kind} {name} = {value};" for kind, name, value in block.locals]
    for port in block.ports:
        lines.append(f"    {'reg' if port.direction == 'in' else 'wire'} {port.width} {port.name};")
    named = ", ".join(f".{p.name}({p.name})" for p in block.parameters)
    wired = ", ".join(f".{p.name}({p.name})" for p in block.ports)
    lines += [f"    {block.name} #({named}) u_block ({wired});", "    initial begin"]
    lines += [f"        {step}" for step in steps]
    lines += ["        $finish(0);", "    end", "endmodule", "`default_nettype wire", ""]
    return "\n".join(lines), length


def _steps(
    block: Block,
    drawing: Drawing,
    inputs: list[Port],
    clocks: dict[str, int],
    drawn: list[Lane],
    length: int,
) -> list[str]:
    """Return the statements, column by column of 10 time units: clocks, inputs, at its end all ports."""
    names = values(drawing)
    whole = [lane.port for lane in drawn]
    resets = [port.name for port in inputs if port.name.endswith("aresetn") and port.name not in whole]
    steps = []
    for port in inputs:
        constant = drawing.get("constants", {}).get(port.name, 0)
        lane = next((lane for lane in drawn if lane.port == port.name), None)
        idle = "'x" if lane and qualifier(lane, (p.name for p in block.ports)) else f"{constant}"
        steps.append(f"{port.name} = {0 if port.name in (*clocks, *resets) else idle};")
    lead = LEAD * math.lcm(*clocks.values())
    row = "ROW" + " %b" * len(block.ports)
    for column in range(-lead, length):
        rising = [f"{name} = 1;" for name, period in clocks.items() if column % period == 0]
        falling = [f"{name} = 0;" for name, period in clocks.items() if (2 * column) % (2 * period) == period]
        steps.append(" ".join([*rising, *falling, "#1;"]))
        if column == -lead // 2:
            steps += [f"{name} = 1;" for name in resets]
        if column >= 0:
            for lane in drawn:
                if column % lane.period == 0:
                    steps += _change(lane, lane.cells(), column // lane.period, names)
        middle = [f"{name} = 0;" for name, period in clocks.items() if 2 * (column % period) + 1 == period]
        steps.append(" ".join(["#4;", *middle, "#4;"]))
        if column >= 0:
            steps.append(f'$display("{row}", {", ".join(port.name for port in block.ports)});')
        steps.append("#1;")
    return steps


def _change(lane: Lane, cells: list[Cell], cycle: int, names: dict[str, int]) -> list[str]:
    """Return the assignment that a lane needs at the start of a cycle."""
    cell = cells[cycle]
    if cycle and cells[cycle - 1] == cell:
        return []
    if cell.char == "x":
        value = "'x"
    else:
        amount = number(lane, cell, names) if cell.label else int(cell.char)
        value = f"{max(amount.bit_length(), 1)}'h{amount:x}"
    return [f"{lane.name} = {value};"]
