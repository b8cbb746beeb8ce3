# SPDX-License-Identifier: BSD-3-Clause
"""Run Verilator: a warning about generated code is an error, a warning about a partition is accepted.

Rules are never listed by name, since each release of FINN, HLS and Verilator brings others. The file of a
warning does not decide either: if a partition uses a reset asynchronously, Verilator reports this at the
declaration in the bench. So there are two runs: generated files with ``-Wall`` and empty modules for the
partitions, in which every warning counts, and the whole design, in which none does.
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from shellgen.errors import Problem, RefusedSourceError, SimulationError
from shellgen.process.kept import run_kept
from shellgen.simulate.ending import ending, memory_remedy
from shellgen.simulate.findings import Finding, read_findings
from shellgen.simulate.stubs import stubs
from shellgen.simulate.tools import Verilator
from shellgen.simulate.vendor import unknown_module

# Some errors have a rule and can be waived like a warning (an implicit enum conversion, which Vivado takes).
# These leave a part of the design out or change its time, so they stay errors wherever they are.
_NEVER_WAIVED = frozenset(
    {"", "ERROR", "MODMISSING", "NEEDTIMINGOPT", "NOTIMING", "PINNOTFOUND", "UNSUPPORTED"}
)
_SEPARATE = ("--no-timing", "-Wwarn-STMTDLY", "-Wwarn-ASSIGNDLY")
_SHOWN = 4000
_LOG = logging.getLogger(__name__)
_MODULE = re.compile(r"module: '(\w+)'")


@dataclass(frozen=True)
class Design:
    """Input of Verilator.

    Attributes:
        top: Top module.
        sources: All HDL in compile order, by absolute path.
        foreign: Those of them that are not ours.
        options: Include folders, macros and whatever else the caller wants.
        control: Lines of the control file (.vlt).
        prefix: Of the names in C++.
        edited: Ours, but changed by the user: their warnings are logged.
        separate: A part without time and without handles for cocotb: delays are reported and ignored.
    """

    top: str
    sources: tuple[Path, ...]
    foreign: frozenset[Path]
    options: tuple[str, ...]
    control: tuple[str, ...]
    prefix: str = "Vmodel"
    edited: frozenset[Path] = frozenset()
    separate: bool = False


def translate(tool: Verilator, design: Design, folder: Path) -> tuple[Finding, ...]:
    """Write the C++ of a design into ``folder``.

    Args:
        tool: Verilator.
        design: What to translate.
        folder: Exists; argument and control files stay in it.

    Returns:
        What Verilator found nevertheless.

    Raises:
        SimulationError: An error anywhere, or a warning about our own code.
    """
    if not design.foreign.issuperset(design.sources) and design.foreign:
        _lint(tool, design, folder)
    waived: set[tuple[str, Path]] = set()
    while True:
        control = [f'lint_off -rule {rule} -file "{path}"' for rule, path in sorted(waived)]
        run = _run(tool, folder, design, design.sources, control, lint=not design.foreign)
        errors = [finding for finding in run.findings if finding.is_error]
        fresh = {
            (finding.rule, finding.path)
            for finding in errors
            if finding.path in design.foreign and finding.rule not in _NEVER_WAIVED
        }
        fresh -= waived
        if not run.exit_code or not fresh:
            break
        waived |= {(rule, path) for rule, path in fresh if path}
    if run.exit_code:
        raise _refusal(errors, run, design.foreign)
    if not design.foreign and (ours := _accepted(run.findings, design)):
        raise _refusal(ours, run, design.foreign)
    return run.findings


@dataclass(frozen=True)
class _Run:
    exit_code: int
    findings: tuple[Finding, ...]
    said: str


def _run(  # noqa: PLR0913 - internal
    tool: Verilator,
    folder: Path,
    design: Design,
    sources: Sequence[Path],
    control: Iterable[str],
    *,
    lint: bool,
) -> _Run:
    report = folder / "findings.sarif"
    report.unlink(missing_ok=True)
    control_file, argument_file = folder / "control.vlt", folder / "arguments.f"
    control_file.write_text("\n".join(("`verilator_config", *design.control, *control)) + "\n")
    arguments = [
        *("--cc", "--quiet-stats", "-Wno-fatal"),
        *(["-Wall"] if lint else ["-Wno-lint", "-Wno-style"]),
        *(_SEPARATE if design.separate else ("--vpi", "--timing")),
        *("--diagnostics-sarif-output", str(report)),
        *("--timescale", "1ps/1ps"),
        *("--x-assign", "fast", "--x-initial", "fast"),  # hardware powers up at 0
        *("--preproc-token-limit", "1000000000"),  # HLS writes tables in one line
        *("-DBENCH_MEMORY_IN_CPP", "-DBENCH_CLOCKS_IN_CPP"),
        *("--prefix", design.prefix, "--Mdir", str(folder)),
        *("--top-module", design.top),
        *design.options,
        *(str(source) for source in sources),
        str(control_file),
    ]
    # A build may have more sources than a command line holds. Quotes keep spaces, # and // in a path.
    argument_file.write_text("".join(f"{_quoted(argument)}\n" for argument in arguments))
    command = [str(tool.binary), "-f", str(argument_file)]
    code, told = run_kept(command, tool.environment())
    said = told.strip()
    return _Run(code, read_findings(report, said), said)


def _quoted(argument: str) -> str:
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _lint(tool: Verilator, design: Design, folder: Path) -> None:
    """Refuse warnings in generated files, with third-party modules empty."""
    alone = folder / "alone"
    alone.mkdir()
    ours = [path for path in design.sources if path not in design.foreign]
    empty = alone / "stubs.sv"
    modules = stubs([path for path in design.sources if path in design.foreign], ours)
    empty.write_text("\n".join(modules.values()))
    # Public pins, or else what ends in an empty module would be removed before the late rules look.
    control = [f'public_flat_rw -module "{name}" -var "*"' for name in modules]
    run = _run(tool, alone, design, [empty, *ours], [*control, f'lint_off -file "{empty}"'], lint=True)
    # Errors are reported better with the whole design at hand.
    found = [one for one in run.findings if not one.is_error and one.path in ours]
    warnings = _accepted(found, design)
    if warnings:
        raise _refusal(warnings, run, design.foreign)
    shutil.rmtree(alone)


def _accepted(findings: Iterable[Finding], design: Design) -> list[Finding]:
    """Log the warnings of edited files; return the others."""
    found = list(findings)
    for one in found:
        if one.path in design.edited:
            _LOG.warning("%s", _line(one))
    return [one for one in found if one.path not in design.edited]


def _line(finding: Finding) -> str:
    """Return the first line of a finding; the others show the source."""
    return finding.text.partition("\n")[0]


def _refusal(findings: Sequence[Finding], run: _Run, foreign: frozenset[Path]) -> SimulationError:
    lacking = {
        match[1]: f"{finding.path}:{finding.line}"
        for finding in reversed(findings)
        if finding.rule == "MODMISSING" and (match := _MODULE.search(finding.text))
    }
    if lacking:
        return SimulationError(*(unknown_module(name, lacking[name]) for name in sorted(lacking)))
    if run.exit_code < 0 or not (findings or run.said):
        return SimulationError(
            Problem("Verilator", f"it did not finish: {ending(run.exit_code)}", memory_remedy(run.exit_code))
        )
    first = next((finding for finding in findings if finding.path), None)
    if first and first.path in foreign:
        found = f"Verilator does not accept this file of the build: {first.text[:_SHOWN]}"
        remedy = "Copy it again, or build with a FINN whose RTL simulates"
        return SimulationError(Problem(f"{first.path}:{first.line}", found, remedy))
    said = "; ".join(_line(finding) for finding in findings if finding.text) or run.said
    found = f"Verilator refuses this source: {said[:_SHOWN]}"
    where = f"{first.path}:{first.line}" if first else "Verilator"
    return RefusedSourceError(Problem(where, found, "Correct it, or generate the folder again"))
