# SPDX-License-Identifier: BSD-3-Clause
"""The report of a run: what the bench noted, how the simulator ended, and what follows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shellgen.errors import SimulationError
from shellgen.model.bench import Bench
from shellgen.simulate.progress import FILE, describe
from shellgen.simulate.required import Required, not_proved
from shellgen.simulate.results import TestsFailedError
from shellgen.simulate.verdict import RUNS, conclude

REPORT = "report.json"  # written once a run has been judged
_FINDINGS = "findings.json"  # which the bench keeps while it runs


def outcome(
    run_dir: Path, bench: Bench, required: Required, ran: Sequence[str], error: SimulationError | None
) -> dict[str, Any]:
    """Return what a run has come to.

    Args:
        run_dir: Where it ran.
        bench: ``bench.json``.
        required: What it must show.
        ran: The tests that ran, if all passed.
        error: Why it did not pass.

    Returns:
        passed; problem: one text, empty if passed; tests and failed_tests: how many; golden; the sections of
        the bench (control, weights, loaded, full_rate, stalled, limit, failures); crash: how the simulator
        ended, if that ended the run; and what `conclude` says.
    """
    path = run_dir / _FINDINGS
    options = json.loads((run_dir / "options.json").read_text())
    found: dict[str, Any] = {"golden": options["golden"]["note"]}
    found |= json.loads(path.read_text()) if path.exists() else {}
    failed: dict[str, str] = {}
    tests = len(ran)
    if isinstance(error, TestsFailedError):
        tests, failed = len(error.tests), error.failures
        found["failures"] = _unexplained(error, found)
    elif error:
        found["crash"] = _crash(run_dir, error)
        tests = sum(section in found for section in ("control", "weights", "loaded", *RUNS))
    elif lacking := not_proved(found, required, options, ran):
        found["failures"] = [{"test": "not proved", "text": text} for text in lacking]
    found |= conclude(found, bench, required, options)
    unshown = [proof for proof in found["proofs"] if proof["required"] and proof["state"] != "OK"]
    passed = not error and not found.get("failures") and not unshown
    problem = "" if passed else _problem(found) or str(error or "")
    return {"passed": passed, "problem": problem, "tests": tests, "failed_tests": len(failed)} | found


def _unexplained(error: TestsFailedError, found: dict[str, Any]) -> list[dict[str, str]]:
    """Add what the results file says of tests that noted nothing, and what the HDL complained of."""
    failures = list(found.get("failures", ()))
    noted = {failure["test"] for failure in failures} | {"streams_stalled", "streams_full_rate", "weights"}
    noted.add(found.get("limit", {}).get("test", ""))
    failures += [
        {"test": name, "text": text.strip()} for name, text in error.failures.items() if name not in noted
    ]
    if error.said:
        failures.append({"test": "simulator", "text": error.said.removeprefix("; ")})
    return failures


def _crash(run_dir: Path, error: SimulationError) -> str:
    """Say how the simulator ended, and how far it had come by what it last told."""
    try:
        last = f" It last responded at: {describe(json.loads((run_dir / FILE).read_text()))}."
    except (OSError, ValueError, KeyError):
        last = ""
    return f"{error}{last}"


def _problem(found: dict[str, Any]) -> str:
    """Join all that is wrong into one text, first what ended the run."""
    wrong = [found["crash"]] if "crash" in found else []
    wrong += [found["limit"]["text"]] if "limit" in found else []
    wrong += [f"{failure['test']}: {failure['text']}" for failure in found.get("failures", ())]
    wrong += [f"{one['region']}: {one['detail']}" for one in found.get("weights", ()) if not one["passed"]]
    wrong += [f"{one['name']}: {one['detail'] or 'nothing crossed'}" for one in found["differences"]]
    wrong += [
        f"{proof['name']} {proof['state']}: {proof['note']}"
        if proof["note"]
        else f"{proof['name']} {proof['state']}"
        for proof in found["proofs"]
        if proof["required"] and proof["state"] in ("not shown", "not run") and not wrong
    ]
    wrong += [found["conclusion"]] if found["conclusion"] else []
    return "; ".join(wrong)
