# SPDX-License-Identifier: BSD-3-Clause
"""Sections of report.html about a simulation: proofs, the first wrong word, and what no comparison saw."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.counted import counted
from shellgen.errors import printable
from shellgen.model.bench import BenchEnd
from shellgen.model.bench_report import RunReport
from shellgen.report.tables import Row, Table
from shellgen.simulate import report as run_text
from shellgen.simulate.sight import sight_lines
from shellgen.simulate.verdict import RUNS
from shellgen.simulate.waves import describe_waves, viewer_commands


@dataclass(frozen=True)
class Ran:
    """A run, ready for the templates.

    Attributes:
        passed: Whether it passed.
        verdict: ``PASS`` or ``FAIL`` with the simulator.
        rate: Measured rate; empty if the run did not pass.
        line: All proofs in a line.
        wrong: Sentences about all that is wrong, and what follows.
        tables: Proofs, and the comparisons that failed.
        unseen: What comparisons could not see.
        commands: What to run next: a few words, and the command.
        text: The report as the command prints it.
    """

    passed: bool
    verdict: str
    rate: str
    line: str
    wrong: tuple[str, ...]
    tables: tuple[Table, ...]
    unseen: tuple[str, ...]
    commands: tuple[tuple[str, str], ...]
    text: str


def ran(report: RunReport) -> Ran:
    """Return the sections of a run."""
    tables = [_proofs(report)]
    if report.differences:
        tables.append(_wrong(report))
    wrong = [f"{failure.test}: {failure.text}" for failure in report.failures or ()]
    wrong += [text for text in (report.crash, report.limit.text if report.limit else "") if text]
    wrong += [f"It follows: {report.conclusion}."] if report.conclusion else []
    commands = [("The same run again", report.repeat)]
    if report.waves:
        about = " ".join(describe_waves(report.waves))
        commands += [(about, command) for command in viewer_commands(report.waves)]
    elif not report.passed:
        commands.append(("Waves around the fault", f"{report.repeat} --waves"))
    return Ran(
        passed=report.passed,
        verdict=f"{report.simulator}: {'PASS' if report.passed else 'FAIL'}",
        rate=measured(report),
        line=report.line,
        wrong=tuple("\n".join(map(printable, text.split("\n"))) for text in wrong),
        tables=tuple(tables),
        unseen=tuple(sight_lines(report)),
        commands=tuple(commands),
        text=run_text.format_report(report, None),
    )


def measured(report: RunReport) -> str:
    """Say what rate the simulation has at full rate."""
    rate, run = report.frames_per_second, report.full_rate
    if rate is None or run is None:
        return ""
    sent = f"{counted(run.timed, 'frame')} in {counted(run.cycles, 'cycle')}"
    clock = f"{report.clock_hz / 1e6:g} MHz"
    return f"{rate:,.0f} frames/s at {clock} in simulation ({sent}), without hosts and drivers."


def _proofs(report: RunReport) -> Table:
    rows = tuple(
        Row(
            (one.name, one.state, "yes" if one.required else "no", one.note),
            level="limit" if one.state == "FAIL" else "",
        )
        for one in report.proofs
    )
    columns = tuple((name, False) for name in ("proof", "state", "needed to pass", "note"))
    return Table("Proofs", "proofs", columns, rows)


def _wrong(report: RunReport) -> Table:
    titles = ("comparison", "first difference", "wrong elements", "in", "from", "to", "type")
    rows = tuple(
        Row(
            (
                one.name,
                one.detail or "nothing crossed",
                f"{one.mismatches:,}",
                " and ".join(RUNS[run] for run in one.runs),
                _end(one.producer),
                _end(one.consumer),
                one.datatype or "",
            ),
            level="limit" if number == 0 else "",
        )
        for number, one in enumerate(report.differences)
    )
    columns = tuple((name, name == "wrong elements") for name in titles)
    about = "In network order: the first row is where the fault shows first."
    return Table("Wrong words", "wrong", columns, rows, about)


def _end(end: BenchEnd | None) -> str:
    if end is None:
        return "host"
    layer = f" ({end.layer.removeprefix(f'{end.partition}_')})" if end.layer else ""
    return f"{end.partition}.{end.port}{layer}"
