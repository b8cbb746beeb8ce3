# SPDX-License-Identifier: BSD-3-Clause
"""Run the cocotb test suites of verilog-axis with our blocks in place of theirs.

python -m benchmarks.peers /path/to/verilog-axis [--suite axis_register] [--sources FILE ...]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tools.blocks.block_bench import closure

HERE = Path(__file__).resolve().parent
# Their suite, our blocks.
SUITES = {
    "axis_register": ("axis_register",),
    "axis_fifo": ("axis_fifo", "axis_frame_fifo"),
    "axis_adapter": ("axis_width_last",),
}
# They use names of cocotb 1 that cocotb 2 still knows.
QUIET = ["-W", "ignore::DeprecationWarning"]


@dataclass(frozen=True)
class Outcome:
    """What a suite did: parameter sets passed, failed, not run by reason; cocotb tests that passed."""

    suite: str
    passed: int
    failed: tuple[str, ...]
    skipped: dict[str, int]
    tests: int

    @property
    def good(self) -> bool:
        """Tell whether something ran and nothing failed."""
        return bool(self.passed and self.tests >= self.passed and not self.failed)


def run_suite(
    checkout: Path, suite: str, out: Path, workers: int, sources: list[Path] | None = None
) -> Outcome:
    """Run one suite.

    Args:
        checkout: Of verilog-axis; nothing is written there.
        suite: Folder in its ``tb``.
        out: Folder for logs; removed first.
        workers: Processes at a time.
        sources: Our blocks and what they instantiate, when not those of ``ip/``.
    """
    shutil.rmtree(out / suite, ignore_errors=True)
    (out / suite).mkdir(parents=True)
    hdl = [
        HERE / f"peer_{suite}.sv",
        *(sources or [file for block in SUITES[suite] for file in closure(block)]),
    ]
    report = out / suite / "pytest.xml"
    root = HERE.parents[1]
    path = os.pathsep.join(map(str, [HERE / "stand_in", root]))
    variables = os.environ | {
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PEER_SOURCES": os.pathsep.join(map(str, hdl)),
        "PEER_OUT": str(out),
    }
    test = checkout / "tb" / suite / f"test_{suite}.py"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, *QUIET]
    command += ["--rootdir", out, "-n", str(workers), f"--junitxml={report}", "--tb=short", test]
    with (out / suite / "pytest.log").open("wb") as log:
        subprocess.run(command, env=variables, stdout=log, stderr=log, check=False)
    return _read(suite, report, out / suite)


def _read(suite: str, report: Path, folder: Path) -> Outcome:
    failed: list[str] = []
    skipped: dict[str, int] = {}
    passed = 0
    if not report.is_file():
        return Outcome(suite, 0, (f"pytest left no report, see {folder / 'pytest.log'}",), {}, 0)
    for case in ElementTree.parse(report).getroot().iter("testcase"):  # noqa: S314 - our own pytest wrote it
        skip, bad = case.find("skipped"), case.find("failure")
        bad = bad if bad is not None else case.find("error")
        if skip is not None:
            reason = skip.get("message") or "no reason"
            skipped[reason] = skipped.get(reason, 0) + 1
        elif bad is not None:
            failed.append(f"{case.get('name')}: {(bad.get('message') or '')[:300]}")
        else:
            passed += 1
    notes = [json.loads(file.read_text())["tests"] for file in folder.glob("*/passed.json")]
    if len(notes) != passed or 0 in notes:
        failed.append(f"{passed} parameter sets passed, but {len(notes)} noted cocotb tests")
    return Outcome(suite, passed, tuple(failed), skipped, sum(notes))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--suite", action="append", choices=list(SUITES))
    parser.add_argument("--sources", type=Path, nargs="+", help="our blocks, when not those of ip/")
    parser.add_argument("--out", type=Path, default=Path("out/peers"))
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    checkout = options.checkout.resolve()
    if not (checkout / "tb" / "axis_fifo" / "test_axis_fifo.py").is_file():
        parser.error(f"{checkout}: not a checkout of verilog-axis, tb/axis_fifo/test_axis_fifo.py is missing")
    sources = [path.resolve() for path in options.sources or []]
    good = True
    print(f"{'suite':<16}{'sets passed':>12}{'cocotb tests':>14}{'failed':>8}{'not run':>9}")
    for suite in options.suite or SUITES:
        outcome = run_suite(checkout, suite, options.out.resolve(), options.workers, sources)
        good &= outcome.good
        counts = f"{len(outcome.failed):>8}{sum(outcome.skipped.values()):>9}"
        print(f"{suite:<16}{outcome.passed:>12}{outcome.tests:>14}{counts}", flush=True)
        for reason, number in sorted(outcome.skipped.items()):
            print(f"    not run: {number} sets: {reason}")
        for line in outcome.failed:
            print(f"    FAILED: {line}")
    print("PASS" if good else "FAIL")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
