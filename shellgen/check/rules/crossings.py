# SPDX-License-Identifier: BSD-3-Clause
"""Timing of what crosses between clocks: scripts of constraints reach every crossing of our blocks.

They run over a model of the netlist: an instance of each block with the registers, pins and clocks of
its Verilog.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shellgen.platforms import platform_registry
from vivado_check.report import Message, Origin, Verdict
from vivado_check.rules.netlist import Block, Delay, Netlist, blocks_of
from vivado_check.tcl.interpreter import run_script
from vivado_check.tcl.sandbox import Sandbox

from .base import Context, rule
from .planned import broken, planned

RULE = "crossing"
REMEDY = "Write the script as the block's own in ip/, and read it after the clocks are made"


@dataclass(frozen=True)
class _Scripts:
    """Scripts of constraints, and the blocks of the node that have crossings."""

    paths: tuple[Path, ...]
    inside: tuple[Path, ...]
    blocks: dict[str, Block]


@rule(RULE, scope="session", source="UG903, Constraining Asynchronous Signals")
def crossings(context: Context) -> Iterator[Message]:
    """Every register that takes a value of another clock is the end of a set_max_delay -datapath_only."""
    found = _scripts(context)
    if found is None or not (found.blocks or found.inside) or context.recording.ended != 0:
        return
    delays: list[Delay] = []
    for path in found.paths:
        with Sandbox(context.folder) as sandbox:
            netlist = Netlist(sandbox, found.blocks)
            outcome = run_script(path, netlist)
            shown = sandbox.shown(path)
        delays += netlist.delays
        if outcome.message:
            yield Message(
                RULE,
                Verdict.FINDING,
                outcome.message.origin,
                shown,
                f"the constraints are not set: {outcome.message.found or outcome.error}",
                "a script that comes to its end",
                REMEDY,
            )
        if path in found.inside and not outcome.message:
            yield from _unheard(context, path, "".join(netlist.printed))
        for origin, pattern in netlist.missed:
            yield broken(
                RULE, origin, pattern, "nothing is called so in the block", "a register or pin", REMEDY
            )
    yield from _uncovered(found.blocks, delays)


def _scripts(context: Context) -> _Scripts | None:
    wanted = planned(context)
    if wanted is None:
        return None
    folder = context.folder / wanted.node.name
    scripts = platform_registry()[wanted.node.platform].scripts(wanted.node)
    inside = [folder / script.file for script in scripts if script.inside == "run"]
    files = [file for project in context.recording.projects for file in project.files]
    read = [file.path for file in files if file.path.suffix == ".tcl" and file.fileset.startswith("constrs")]
    if not inside and not any(file.fileset.startswith("constrs") for file in files):
        return None  # somebody else's project reads the constraints
    texts = [path.read_text(errors="replace") for path in sorted((folder / "rtl").glob("*.sv"))]
    return _Scripts((*inside, *read), tuple(inside), blocks_of(texts))


def _unheard(context: Context, path: Path, printed: str) -> Iterator[Message]:
    """Yield a finding if make looks in a log for a line that the script does not print."""
    makefile = path.with_name("Makefile")
    text = makefile.read_text(errors="replace") if makefile.is_file() else ""
    others = _printed_by_others(context, path)
    for wanted in re.findall(r"@grep \S+ --include='\*\.log' '([^']+)'", text):
        if wanted not in printed and wanted not in others:
            origin = Origin(path.relative_to(context.folder).as_posix())
            found, expected = "it does not print what make looks for in the logs", f"a line with '{wanted}'"
            yield broken(RULE, origin, path.name, found, expected, REMEDY)


def _printed_by_others(context: Context, path: Path) -> set[str]:
    """Return the lines that make looks for in the logs because another script prints them."""
    wanted = planned(context)
    if wanted is None:
        return set()
    folder = context.folder / wanted.node.name
    printed = platform_registry()[wanted.node.platform].commands(wanted.node).printed
    return {text for file, text in printed.items() if folder / file != path}


def _uncovered(blocks: dict[str, Block], delays: list[Delay]) -> Iterator[Message]:
    for block in blocks.values():
        for register, sources in block.crossings.items():
            place = f"{block.cell}/{register}_reg"
            ends = [delay for delay in delays if place in delay.ends]
            where = f"{block.name}.{register}"
            if not ends:
                expected = "an end of set_max_delay -datapath_only"
                yield broken(RULE, Origin(), where, "no constraint reaches it", expected, REMEDY)
            for delay in ends:
                yield from _judged(block, where, sources, delay)


def _judged(block: Block, where: str, sources: frozenset[str], delay: Delay) -> Iterator[Message]:
    if not delay.datapath_only:
        found, expected = "its delay has the skew of two clocks in it", "-datapath_only"
        yield broken(RULE, delay.origin, where, found, expected, REMEDY)
    if delay.nanoseconds not in block.periods:
        wanted = " or ".join(f"{period:g}" for period in sorted(block.periods))
        found = f"its delay is '{delay.words}', where the clocks have {wanted} ns"
        yield broken(RULE, delay.origin, where, found, "the period of one of the two clocks", REMEDY)
    begins = {re.sub(r"_reg$", "", name.rpartition("/")[2]) for name in delay.begins}
    if sources and not delay.whole and not sources & begins:
        found = f"its delay begins at {', '.join(sorted(begins)) or 'nothing'}"
        yield broken(RULE, delay.origin, where, found, f"one of {', '.join(sorted(sources))}", REMEDY)
