# SPDX-License-Identifier: BSD-3-Clause
"""Check a generated folder, or any third-party script."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from shellgen.disk.changes import settle
from shellgen.errors import InputError, Problem, offer
from shellgen.progress import step
from shellgen.read.output import read_map, read_plan
from vivado_check import run
from vivado_check.coverage import coverage_of
from vivado_check.formats.files import StrPath
from vivado_check.ip.catalogue import catalogue_of
from vivado_check.ip.modules import WithModules
from vivado_check.plugins import load_rules
from vivado_check.report import Message, Report
from vivado_check.rules.bare_vivado import RULE as BARE_RULE
from vivado_check.rules.base import Context as AnyContext
from vivado_check.run import DEFAULT_RELEASE, Checked, start
from vivado_check.script import REMEDY
from vivado_check.sessions import node_recorded

from .duplicates import first_of, without_repeats
from .expected import scripts_of
from .rules.base import Context, all_rules
from .rules.planned_design import PARTS

__all__ = ["Checked", "Options", "check", "judged", "load", "scripts_of", "start"]

_REMEDY = "Give a Tcl script, or the folder that `shellgen generate` wrote"


@dataclass(frozen=True)
class Options(run.Options):
    """The user's choices for a check.

    Attributes:
        nodes: Nodes of an output folder; empty: all.
        hdl: Also elaborate with Verilator, which takes seconds.
    """

    nodes: tuple[str, ...] = ()
    hdl: bool = False


def check(path: StrPath, options: Options) -> Checked:
    """Check what is at a path.

    Raises:
        InputError: It is neither an output folder nor a script, or an option cannot be.
    """
    path = Path(path)
    options.checked()
    if path.is_dir():
        # Scripts see absolute paths, so the folder must be absolute for comparison.
        return _folder(path.resolve(), options)
    try:
        return run.check(path, options, step)
    except InputError as error:
        raise InputError(*map(_advised, error.problems)) from error


def _advised(problem: Problem) -> Problem:
    """Return a problem whose remedy names all that can be checked here."""
    return replace(problem, remedy=_REMEDY) if problem.remedy == REMEDY else problem


def load() -> None:
    """Load the rules: those about the plan first, so that one of another package cannot take their name."""
    all_rules()
    load_rules()


def _folder(out: Path, options: Options) -> Checked:
    settle(out)
    plan, memory_map = read_plan(out), read_map(out)
    names = {node.name for node in plan.cores}
    if unknown := [name for name in options.nodes if name not in names]:
        found = f"there is no node {unknown[0]!r}"
        raise InputError(Problem("--node", found, offer(unknown[0], sorted(names))))
    release = options.release or DEFAULT_RELEASE
    start()
    catalogue = catalogue_of(options.learn)
    nodes = [node for node in plan.cores if not options.nodes or node.name in options.nodes]
    reports, recordings, coverages = {}, {}, {}
    for node in nodes:
        step(f"checking {node.name}")
        scripts = scripts_of(node)
        with node_recorded(out, node.name, scripts, release, catalogue) as recording:
            known = WithModules(catalogue, recording)
            whole = Context(recording, known, out, None, node.name, plan, memory_map, options.hdl)
            report = reports[node.name] = Report.of(judged(whole))
        recordings[node.name] = recording
        coverages[node.name] = coverage_of(recording, report.messages, scripts=bool(scripts), planned=True)
    return Checked(release, reports, recordings, coverages)


def judged(whole: AnyContext) -> list[Message]:
    """Return what the recorder and all rules have to say."""
    all_rules()
    return first_of(without_repeats(run.judged(whole), PARTS), BARE_RULE)
