# SPDX-License-Identifier: BSD-3-Clause
"""The report of a run: what the bench noted, how the simulator ended, and what follows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from shellgen.errors import SimulationError
from shellgen.model.bench import Bench
from shellgen.model.bench_findings import Failure, Findings
from shellgen.model.bench_report import Conclusion, Outcome
from shellgen.simulate.options import RunOptions
from shellgen.simulate.progress import FILE, describe
from shellgen.simulate.required import Required, not_proved
from shellgen.simulate.results import TestsFailedError
from shellgen.simulate.verdict import conclude
from vivado_check.formats.data import read_json

REPORT = "report.json"  # written once a run has been judged
_FINDINGS = "findings.json"  # which the bench keeps while it runs


def outcome(
    run_dir: Path,
    bench: Bench,
    required: Required,
    options: RunOptions,
    ran: Sequence[str] | SimulationError,
) -> Outcome:
    """Return what a run has come to.

    Args:
        run_dir: Where it ran.
        bench: ``bench.json``.
        required: What it must show.
        options: What was asked for.
        ran: The tests that ran, if all passed, or why the run did not pass.

    Raises:
        InputError: The bench was edited, and ``findings.json`` is not what a bench writes.
    """
    found = _read(run_dir / _FINDINGS, options.golden.note)
    failed = 0
    if isinstance(ran, TestsFailedError):
        tests, failed = len(ran.tests), len(ran.failures)
        found = found.model_copy(update={"failures": _unexplained(ran, found)})
    elif isinstance(ran, SimulationError):
        found = found.model_copy(update={"crash": _crash(run_dir, ran)})
        sections = (found.control, found.weights, found.loaded, found.full_rate, found.stalled)
        tests = sum(section is not None for section in sections)
    else:
        tests = len(ran)
        if lacking := not_proved(found, required, options, ran):
            failures = tuple(Failure(test="not proved", text=text) for text in lacking)
            found = found.model_copy(update={"failures": failures})
    judged = conclude(found, bench, required, options)
    unshown = [proof for proof in judged.proofs if proof.required and proof.state != "OK"]
    error = ran if isinstance(ran, SimulationError) else None
    passed = not error and not found.failures and not unshown
    problem = "" if passed else _problem(found, judged) or str(error or "")
    return Outcome(
        passed=passed,
        problem=problem,
        tests=tests,
        failed_tests=failed,
        **found.sections(),
        **dict(judged),
    )


def _read(path: Path, golden: str) -> Findings:
    """Return the findings; a bench that ended early may have written none."""
    where = str(path)
    told = read_json(path, where, "") if path.exists() else {}
    return Findings.from_data({"golden": golden} | (told if isinstance(told, dict) else {}), where)


def _unexplained(error: TestsFailedError, found: Findings) -> tuple[Failure, ...]:
    """Add what the results file says of tests that noted nothing, and what the HDL complained of."""
    failures = list(found.failures)
    noted = {failure.test for failure in failures} | {"streams_stalled", "streams_full_rate", "weights"}
    noted |= {found.limit.test} if found.limit else set()
    failures += [
        Failure(test=name, text=text.strip()) for name, text in error.failures.items() if name not in noted
    ]
    if error.said:
        failures.append(Failure(test="simulator", text=error.said.removeprefix("; ")))
    return tuple(failures)


def _crash(run_dir: Path, error: SimulationError) -> str:
    """Describe how the simulator ended, with the last progress that it reported."""
    try:
        last = f" It last responded at: {describe(json.loads((run_dir / FILE).read_text()))}."
    except (OSError, ValueError, KeyError):
        last = ""
    return f"{error}{last}"


def _problem(found: Findings, judged: Conclusion) -> str:
    """Join all that is wrong into one text, first what ended the run."""
    wrong = [found.crash] if found.crash else []
    wrong += [found.limit.text] if found.limit else []
    wrong += [f"{failure.test}: {failure.text}" for failure in found.failures]
    wrong += [f"{memory.region}: {memory.detail}" for memory in found.weights or () if not memory.passed]
    wrong += [f"{one.name}: {one.detail or 'nothing crossed'}" for one in judged.differences]
    wrong += [
        f"{proof.name} {proof.state}: {proof.note}" if proof.note else f"{proof.name} {proof.state}"
        for proof in judged.proofs
        if proof.required and proof.state in ("not shown", "not run") and not wrong
    ]
    wrong += [judged.conclusion] if judged.conclusion else []
    return "; ".join(wrong)
