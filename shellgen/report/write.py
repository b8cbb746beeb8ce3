# SPDX-License-Identifier: BSD-3-Clause
"""Writes the report of a run beside its report.json, and a Markdown summary for CI services."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from shellgen.disk.files import write_whole
from shellgen.errors import InputError, Problem
from shellgen.model.bench_report import RunReport
from shellgen.read.output import read_plan
from shellgen.report import REPORT
from shellgen.report.page import report_page
from shellgen.report.ran import ran
from shellgen.report.summary import summary
from shellgen.simulate.journal import refuse_other

# A file to which GitHub's runners show what a step has appended.
GITHUB = "GITHUB_STEP_SUMMARY"
_PENDING = "shellgen did not finish this run"


def write_ran(out: Path, report: RunReport) -> Path:
    """Write the page with what a run has proved; return its path."""
    path = page_of(out, report.simulator)
    write_whole(path, report_page(read_plan(out), ran(report)).encode())
    return path


def page_of(out: Path, simulator: str) -> Path:
    """Return the page of a run with a simulator."""
    return out / "bench" / f"run_{simulator}" / REPORT


class Summary:
    """The Markdown summary of a command; until the run has ended, its file says that it has not."""

    def __init__(self, path: Path | None, out: Path, taken: Path | None = None) -> None:
        """Check the file and mark it as unfinished.

        Args:
            path: File to write; None for none.
            out: Folder that is simulated.
            taken: Another file that the command writes.

        Raises:
            InputError: The file is a generated one, or the other file, or cannot be written.
        """
        self._path, self._out = path, out
        if path is None:
            return
        refuse_other(path, out, "--summary", b"## ")
        if taken and taken.resolve() == path.resolve():
            found = "it is the file of --junit as well"
            raise InputError(Problem(f"simulate: --summary {path}", found, "Choose another file"))
        self._write(path, summary((), self._out, _PENDING))

    def close(self, reports: Sequence[RunReport], problem: str = "") -> None:
        """Write what has become of the run, also for GitHub if a step of it is running."""
        step = os.getenv(GITHUB)
        text = summary(reports, self._out, problem) if self._path or step else ""
        if self._path:
            self._write(self._path, text)
        if step:
            # Not asked for on the command line, so a verdict must not be lost over it.
            with suppress(OSError), Path(step).open("a", encoding="utf-8") as file:
                file.write(text)

    @staticmethod
    def _write(path: Path, text: str) -> None:
        try:
            write_whole(path, text.encode())
        except OSError as error:
            found = f"it cannot be written ({error.strerror or error})"
            problem = Problem(f"simulate: --summary {path}", found, "Choose another file")
            raise InputError(problem) from None
