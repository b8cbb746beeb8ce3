# SPDX-License-Identifier: BSD-3-Clause
"""Keeps the JUnit file of a command true at any moment: whatever ends it, no older run is in the file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from shellgen.disk.changes import settle
from shellgen.disk.manifest import MANIFEST, read_manifest
from shellgen.errors import InputError, Problem, ShellgenError, StatedError
from shellgen.model.bench_report import RunReport
from shellgen.simulate.cases import Outline, interrupted_cases, outline, report_cases, unbuilt_cases
from shellgen.simulate.description import read_bench
from shellgen.simulate.junit import Suite, write_junit
from shellgen.simulate.report import format_report

_PENDING = "shellgen did not finish this run"


class Journal:
    """Writes one suite per simulator, each as soon as it is known."""

    def __init__(self, path: Path | None, out: Path, simulators: Sequence[str]) -> None:
        """Write all suites as errors, which only a run that comes to an end replaces.

        Args:
            path: The file; None for no file at all.
            out: Folder that is simulated; it may be anything.
            simulators: Those that will run.

        Raises:
            InputError: The file cannot be written.
        """
        with suppress(ShellgenError):  # which the first run will raise again
            settle(out)
        if path:
            refuse_other(path, out, "--junit", b"<?xml")
        self._path = path
        self._cluster = _outline(out)
        pending = tuple(unbuilt_cases(self._cluster, _PENDING))
        self._suites = {name: Suite(name, pending) for name in simulators}
        self._write()

    @contextmanager
    def run(self, simulator: str) -> Iterator[Callable[[RunReport], None]]:
        """Yield what takes the report of a run; what is raised before it becomes an error case.

        A report may be followed by the same with waves; what ends the making of them changes no verdict.

        Raises:
            InputError: The file cannot be written.
        """

        known = False

        def keep(report: RunReport) -> None:
            nonlocal known
            known = True
            cases = report_cases(self._cluster, report)
            self._suites[simulator] = Suite(
                simulator, tuple(cases), _figures(report), format_report(report, None)
            )
            self._write()

        try:
            yield keep
        except (StatedError, OSError, KeyboardInterrupt) as error:
            if known:
                raise
            cut = isinstance(error, KeyboardInterrupt)
            cases = interrupted_cases(self._cluster) if cut else unbuilt_cases(self._cluster, str(error))
            self._suites[simulator] = Suite(simulator, tuple(cases))
            self._write()
            raise

    def _write(self) -> None:
        if self._path:
            write_junit(self._path, list(self._suites.values()))


def refuse_other(path: Path, out: Path, option: str, begin: bytes) -> None:
    """Refuse to write over a file that an earlier run has not written.

    Args:
        path: The file of an option.
        out: Folder that is simulated.
        option: The option.
        begin: How a file of such a run begins.

    Raises:
        InputError: It is a generated file, or another one, maybe an input.
    """
    name = os.path.relpath(path.resolve(), out.resolve())
    found = ""
    with suppress(ShellgenError):  # of no generated folder
        if name in (*read_manifest(out), MANIFEST):
            found = "it is a generated file of the folder that is simulated"
    if not found and path.is_file():
        with suppress(OSError), path.open("rb") as file:
            if (head := file.read(len(begin))) and head != begin:
                found = "it exists, and is no file that this option has written"
    if found:
        raise InputError(Problem(f"simulate: {option} {path}", found, "Choose another file"))


def _figures(report: RunReport) -> dict[str, str]:
    """Return the figures of a run that a service may plot over time."""
    run, rate = report.full_rate, report.frames_per_second
    figures = {"clock_mhz": f"{report.clock_hz / 1e6:g}"}
    if rate is not None:
        figures["frames_per_second"] = f"{rate:.1f}"
    if run is not None and run.cycles:
        figures["cycles"] = str(run.cycles)
    return figures


def _outline(out: Path) -> Outline:
    try:
        return outline(read_bench(out))
    except (ShellgenError, OSError):  # which the run itself will say
        return Outline((), ())
