# SPDX-License-Identifier: BSD-3-Clause
"""Verilator's lint of a node's HDL; it takes seconds, so only `--hdl` runs it.

slang judges each statement; Verilator sorts the logic, and so sees combinational loops. It looks at vectors
as a whole, and suspects two of 28 public builds of FINN. So in a partition a loop is "not modelled", and all
else there is FINN's style. Verilator defines its own macro: what is judged is the bench's branch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from shellgen.errors import ToolMissingError
from vivado_check.hdl import HEADER, SYSTEM_VERILOG, VERILOG, Hdl, kind_of, shown, tops
from vivado_check.report import Message, Origin, Verdict

from .base import Context, rule

if TYPE_CHECKING:
    from shellgen.simulate.findings import Finding

LOOP = "UNOPTFLAT"
_PACKAGE = re.compile(r"^\s*package\s", re.MULTILINE)
# A reset that a partition uses asynchronously is reported where we declare it.
_THEIRS = {"SYNCASYNCNET"}


@rule("hdl-lint", scope="session", source="Verilator manual, Errors and Warnings", ours=True)
def hdl_lint(context: Context) -> Iterator[Message]:
    """Verilator finds nothing in our files, and no combinational loop anywhere."""
    if not context.hdl:
        return
    for project in context.projects:
        for top, origin in tops(context.recording).items():
            if project.defining(top):
                yield from _judged(project, top, origin, context)


def _judged(project: Hdl, top: str, origin: Origin, context: Context) -> Iterator[Message]:
    from shellgen.simulate.lint import lint  # noqa: PLC0415 - slow to import, and rarely asked for

    files = [file for file in project.files if kind_of(file) in (VERILOG, SYSTEM_VERILOG)]
    named = {file.path: shown(file, context.folder) for file in files}
    packages = [path for path in named if _PACKAGE.search(path.read_text(errors="replace"))]
    sources = [*packages, *(path for path in named if path not in packages)]
    headers = {file.path.parent for file in project.files if kind_of(file) == HEADER}
    folders = sorted({*headers, *(path.parent for path in named)})
    try:
        findings = lint(top, sources, folders)
    except ToolMissingError as error:
        found = f"it is not linted: {error.problems[0].found}"
        yield _message(Verdict.NOT_MODELLED, origin, top, found, "Verilator", error.problems[0].remedy)
        return
    for finding in findings:
        if finding.path is not None and not finding.is_error:
            name = named.get(finding.path, finding.path.name)
            theirs = "/partition/" in f"/{name}" or _at_partition(finding, context)
            yield from _told(finding, Origin(name, finding.line), top, theirs=theirs)


def _at_partition(finding: Finding, context: Context) -> bool:
    """Return whether a loop is reported at a generated net of a partition: the loop may go through it."""
    names = context.planned_node.partitions
    return finding.rule == LOOP and any(f".{name}_" in finding.text for name in names)


def _told(finding: Finding, origin: Origin, top: str, *, theirs: bool) -> Iterator[Message]:
    text = " ".join(finding.text.splitlines()[0].split(": ", 2)[-1].split())
    if finding.rule == LOOP:
        verdict = Verdict.NOT_MODELLED if theirs else Verdict.FINDING
        expected = "no combinational loop; seen bit by bit, it may be none"
        yield _message(verdict, origin, top, text, expected, "follow the signals that the message names")
    elif not theirs and finding.rule not in _THEIRS:
        remedy = "generate the folder again; if that does not help, report it as a fault of shellgen"
        yield _message(
            Verdict.FINDING, origin, top, text, "generated files without findings of Verilator", remedy
        )


def _message(verdict: Verdict, origin: Origin, top: str, found: str, expected: str, remedy: str) -> Message:  # noqa: PLR0913 - the fields of a message
    return Message("hdl-lint", verdict, origin, f"below {top}", found, expected, remedy)
