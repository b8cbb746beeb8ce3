# SPDX-License-Identifier: BSD-3-Clause
"""Results of a run: its log, and the results file, which alone decides which tests ran and passed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from shellgen.errors import Problem, SimulationError

LOG = "simulation.log"
RESULTS = "results.xml"

# Both simulators go on with zeros or unknowns when a memory file is missing or has too few words.
_MISSING_FILE = re.compile(
    r"^.*(?:readmem file not found"  # Verilator
    r"|\$readmem[hb]: Unable to open"  # Icarus
    r").*$",
    re.MULTILINE,
)
_SHORT_FILE = re.compile(
    r"^.*(?:\$readmem file ended before specified final address"  # Verilator
    r"|\$readmem[hb]\([^)]*\): Not enough words"  # Icarus
    r").*$",
    re.MULTILINE,
)


# How the simulators begin the line of a $fatal or $error of the HDL. Icarus goes on after an $error.
_HDL_ERROR = re.compile(r"^(?:\[\d+\] )?(?:%Fatal|%Error|FATAL|ERROR): .*$", re.MULTILINE)


class TestsFailedError(SimulationError):
    """Tests ran, and some failed.

    Attributes:
        tests: Names of the tests that ran.
        failures: By name of each that failed, what it said.
        said: What the HDL complained of, or an empty string.
    """

    __test__ = False  # its name is not to make pytest collect it

    def __init__(self, log: Path, tests: tuple[str, ...], failures: dict[str, str], said: str) -> None:
        told = "; ".join(f"{name}: {message}" for name, message in failures.items())
        found = f"{len(failures)} of {len(tests)} tests failed: {told}{said}"
        super().__init__(Problem(str(log), found, "Read this log"))
        self.tests, self.failures, self.said = tests, failures, said


def failure(log: Path, found: str, remedy: str) -> SimulationError:
    """Return what is wrong with a run, by its log."""
    return SimulationError(Problem(str(log), found, remedy))


def refuse_memory_files(log: Path, text: str) -> None:
    """Raise if the simulator went on without the words of a memory.

    Raises:
        SimulationError: A file was missing, or too short.
    """
    problems = []
    for pattern, wrong, remedy in (
        (_MISSING_FILE, "missing", "Put it into the run folder"),
        (_SHORT_FILE, "too short", "Copy it again, or generate it with the folding of this build"),
    ):
        lines = sorted({match[0].strip() for match in pattern.finditer(text)})
        problems += [Problem(str(log), f"a memory file is {wrong}: {line}", remedy) for line in lines]
    if problems:
        raise SimulationError(*problems)


def complaint(text: str) -> str:
    """Return the line of a log with which the HDL ended the run, or an empty string."""
    found = _HDL_ERROR.search(text)
    return found[0] if found else ""


def read_results(results: Path, log: Path, said: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the names of the tests that ran and, with their messages, of those that failed.

    Raises:
        SimulationError: There are no results.
    """
    try:
        root = ElementTree.parse(results).getroot()  # noqa: S314 - written by our own cocotb
    except (OSError, ElementTree.ParseError):
        tail = log.read_text(errors="replace")[-800:].strip()
        raise failure(
            log, f"the simulator left no results{said}; it said last: {tail}", "Read this log"
        ) from None
    tests, failures = [], {}
    for case in root.iter("testcase"):
        if case.find("skipped") is not None:
            continue
        name = str(case.get("name"))
        tests.append(name)
        bad = next((child for child in case if child.tag in ("failure", "error")), None)
        if bad is not None:
            message = bad.get("error_msg") or bad.get("message") or (bad.text or "").strip()
            failures[name] = str(message)
    return tuple(tests), failures


@dataclass(frozen=True)
class Lap:
    """A test of a run: its name, how it ended, and its simulated time in ps."""

    name: str
    passed: bool
    began_ps: int
    ended_ps: int


def read_laps(run_dir: Path) -> list[Lap]:
    """Return the tests that a run came to, in order; none if the simulator died."""
    try:
        root = ElementTree.parse(run_dir / RESULTS).getroot()  # noqa: S314 - written by our own cocotb
    except (OSError, ElementTree.ParseError):
        return []
    laps = []
    for case in root.iter("testcase"):
        told = {str(entry.get("name")): str(entry.get("value")) for entry in case.iter("property")}
        if case.find("skipped") is not None or "sim_time_stop" not in told:
            continue
        began, ended = (round(1000 * float(told[f"sim_time_{name}"])) for name in ("start", "stop"))
        passed = case.find("failure") is None and case.find("error") is None
        laps.append(Lap(str(case.get("name")), passed, began, ended))
    return laps
