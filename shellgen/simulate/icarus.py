# SPDX-License-Identifier: BSD-3-Clause
"""Compile a design with Icarus Verilog."""

from __future__ import annotations

import re
from pathlib import Path

from shellgen.errors import Problem, RefusedSourceError, SimulationError
from shellgen.process.kept import run_kept
from shellgen.simulate.environment import compiler_environment
from shellgen.simulate.frontend import Design
from shellgen.simulate.tools import Icarus
from shellgen.simulate.vendor import unknown_module

_SHOWN = 2000  # characters of what Icarus says
_UNKNOWN = re.compile(r"^(.+:\d+): error: Unknown module type: (\w+)$", re.MULTILINE)


def compile_icarus(tool: Icarus, design: Design, scratch: Path) -> None:
    """Leave ``model.vvp`` in ``scratch``.

    Raises:
        SimulationError: Icarus does not take the sources.
    """
    # Files without a `timescale of their own count in ps, as with Verilator's --timescale. One path a line,
    # as it is: Icarus knows no quotes there, and needs none for spaces, # and +.
    lines = ["+timescale+1ps/1ps", *(str(source) for source in design.sources)]
    (scratch / "sources.f").write_text("".join(f"{line}\n" for line in lines))
    command = [
        str(tool.compiler),
        "-g2012",
        *("-s", design.top),
        *("-o", str(scratch / "model.vvp")),
        *("-f", str(scratch / "sources.f")),
        *design.options,
    ]
    code, said = run_kept(command, compiler_environment())
    if code:
        raise _refusal(design, said.strip())


def _refusal(design: Design, said: str) -> SimulationError:
    """Blame the partition where it is to blame: Icarus 11 cannot parse FINN's own RTL."""
    places = {module: place for place, module in reversed(_UNKNOWN.findall(said))}
    if places:
        return SimulationError(*(unknown_module(module, places[module]) for module in sorted(places)))
    first = said.partition("\n")[0]
    if any(str(path) in first for path in design.foreign):
        found = f"Icarus cannot parse the RTL of this partition ({first})"
        remedy = "Use `--simulator verilator`; Icarus takes the reference partitions"
        return SimulationError(Problem(design.top, found, remedy))
    shown = "; ".join(said.splitlines())[:_SHOWN]  # others follow from the first
    found, remedy = f"Icarus refuses this source: {shown}", "Correct it, or generate the folder again"
    return RefusedSourceError(Problem(first.partition(": ")[0] or design.top, found, remedy))
