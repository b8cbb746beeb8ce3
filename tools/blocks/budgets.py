# SPDX-License-Identifier: BSD-3-Clause
"""The budgets of the blocks: what each is allowed to cost, as data in ``ip/<block>/costs.toml``.

A file holds one table ``[[set]]`` for each main parameter set, with the fields of `Budget`. That of axil_root
also holds ``[[tree]]``, what emitted trees of axil_root and axil_node cost, with the fields of `Tree`.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from shellgen.resources import rtl_blocks
from tools.blocks.block_bench import IP
from tools.blocks.cost import Cost, Subject, block

MOST_LEVELS = 5  # at any parameter in use
SIMULATION_ONLY = frozenset({"axis_checker"})

__all__ = ["MOST_LEVELS", "SIMULATION_ONLY", "Budget", "Tree", "hardware", "load", "load_trees", "missing"]


def _not_nothing(latency: int) -> int:
    if latency < -1:
        raise ValueError("latency is in cycles, or -1 when it has no meaning")
    return latency


Count = Annotated[int, Field(ge=0)]


class Budget(BaseModel):
    """One parameter set of a block and what it costs; the figures are exact, neither more nor less.

    Attributes:
        name: Short, unique in the file.
        parameters: Value by name; a string stands as a Verilog constant.
        tie: Inputs that are constant in this set, all bits the same.
        open: Outputs that this set leaves open.
        family: Of `synth_xilinx`; xcup for what only UltraScale+ has.
        frontend: The one of Yosys that serves this set better.
        lut: LUT1 to LUT6, SRL and LUTRAM in LUT6 equivalents.
        ff: Flops.
        bram: RAMB36, halves allowed.
        uram: UltraRAM.
        levels: LUTs on the longest path.
        latency: Cycles, without stalls: first beat in to first beat out, or first access to answer; -1 when
            it has no meaning. Measured by the traffic benches.
        rate: Beats per cycle on the busier side, or accesses per cycle. Measured by the traffic benches.
        peer: Best correct peer of the same function and rate, with ``peer_lut`` and ``peer_ff``.
        goal_lut: LUT that were held possible before there was a block.
        goal_ff: FF, likewise.
        mhz: Clock rate of the set placed and routed, as `make fmax` records it (fmax.py).
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1)]
    parameters: dict[str, int | str]
    tie: dict[str, Literal[0, 1]] = {}
    open: list[str] = []
    family: Literal["xc7", "xcup"] = "xc7"
    frontend: Literal["verilog", "slang"]
    lut: Count
    ff: Count
    bram: Annotated[float, Field(ge=0, multiple_of=0.5)]
    uram: Count
    levels: Count
    latency: Annotated[int, AfterValidator(_not_nothing)]
    rate: Annotated[float, Field(gt=0)]
    peer: Annotated[str, Field(min_length=1)] | None = None
    peer_lut: Count | None = None
    peer_ff: Count | None = None
    goal_lut: Count | None = None
    goal_ff: Count | None = None
    mhz: Annotated[float, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _whole(self) -> Budget:
        given = [value is not None for value in (self.peer, self.peer_lut, self.peer_ff)]
        if any(given) != all(given):
            raise ValueError("peer, peer_lut and peer_ff go together")
        return self

    def subject(self, name: str) -> Subject:
        """Return what is measured, when `name` is the block."""
        return block(name, self.parameters, self.tie, self.open, self.frontend)

    def limits(self) -> list[tuple[str, int, int]]:
        """Return what is over a limit that others set: words, figure, limit."""
        bounds = [
            ("LUT levels; the most allowed are", self.levels, MOST_LEVELS),
            ("LUT; the goal is", self.lut, self.goal_lut),
            ("FF; the goal is", self.ff, self.goal_ff),
            (f"LUT; {self.peer} has", self.lut, self.peer_lut),
            (f"FF; {self.peer} has", self.ff, self.peer_ff),
        ]
        return [(words, is_, most) for words, is_, most in bounds if most is not None and is_ > most]

    def differences(self, cost: Cost) -> list[str]:
        """Return, one line each, where a measurement is not what this budget says."""
        lines = []
        for figure in ("lut", "ff", "bram", "uram", "levels"):
            said, found = getattr(self, figure), getattr(cost, figure)
            if found > said:
                lines.append(f"{figure}: Yosys finds {found:g}, the budget is {said:g}")
            elif found < said:
                lines.append(f"{figure}: the budget of {said:g} is looser than the truth, {found:g}")
        if cost.dsp:
            lines.append(f"dsp: Yosys finds {cost.dsp}, no block may have one")
        return lines


class Tree(BaseModel):
    """An emitted AXI-Lite tree over equal slaves of 4 KiB, and what it costs; fields as in `Budget`.

    With ``sweep`` synthesis takes so long that only `make test-sweep` does it.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1)]
    slaves: Annotated[int, Field(gt=0)]
    frontend: Literal["verilog", "slang"]
    lut: Count
    ff: Count
    levels: Annotated[int, Field(ge=0, le=MOST_LEVELS)]
    mhz: Annotated[float, Field(gt=0)] | None = None
    sweep: bool = False


def hardware(root: Path = IP) -> list[str]:
    """Return the names of all blocks that become hardware."""
    return sorted(set(rtl_blocks(root)) - SIMULATION_ONLY)


def missing(root: Path = IP) -> list[str]:
    """Return the blocks of hardware without a costs.toml."""
    return [name for name in hardware(root) if not any(root.glob(f"**/{name}/costs.toml"))]


def load(file: Path) -> list[Budget]:
    """Return the sets of a costs.toml.

    Raises:
        ValueError: Not TOML, or a field is wrong, missing or unknown; every fault of the file is listed, with
            the name of the set.
    """
    where = f"{file.parent.name}/{file.name}"
    content = _content(file)
    unknown = set(content) - {"set", "tree"}
    problems = [f"{where}: {key}: unknown; a file holds [[set]] and [[tree]]" for key in sorted(unknown)]
    budgets, wrong = _records(where, "set", content.get("set", []), Budget)
    problems += [] if content.get("set") else [f"{where}: no [[set]]"]
    problems += wrong
    if problems:
        raise ValueError("\n".join(problems))
    return budgets


def load_trees(file: Path) -> list[Tree]:
    """Return the trees of a costs.toml, mostly none.

    Raises:
        ValueError: As `load`.
    """
    trees, problems = _records(
        f"{file.parent.name}/{file.name}", "tree", _content(file).get("tree", []), Tree
    )
    if problems:
        raise ValueError("\n".join(problems))
    return trees


def _content(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="ascii"))
    except ValueError as error:
        raise ValueError(f"{file.parent.name}/{file.name}: {error}") from None


Table = TypeVar("Table", Budget, Tree)


def _records(where: str, kind: str, tables: Any, record: type[Table]) -> tuple[list[Table], list[str]]:
    """Return the tables of a kind as records, and a line for every fault."""
    found: list[Table] = []
    problems: list[str] = []
    for k, fields in enumerate(tables if isinstance(tables, list) else []):
        try:
            found.append(record.model_validate(fields))
        except ValidationError as error:
            label = f"{where}: {kind} {fields.get('name', k)!r}"
            for fault in error.errors():
                path = ".".join(map(str, fault["loc"]))
                problems.append(f"{label}: {path}: {fault['msg']}" if path else f"{label}: {fault['msg']}")
    names = [each.name for each in found]
    problems += [
        f"{where}: two {kind}s are named {name!r}" for name in sorted(set(names)) if names.count(name) > 1
    ]
    return found, problems
