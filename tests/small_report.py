# SPDX-License-Identifier: BSD-3-Clause
"""Findings and reports that no simulator made: complete records, of which a test says what matters to it."""

from __future__ import annotations

from typing import Any

from shellgen.model.bench_findings import Findings
from shellgen.model.bench_report import RunReport
from shellgen.model.bench_verdict import StreamsRun, Verdict

_QUIET = dict.fromkeys(("own", "stall", "hold", "spell", "reach", "seed", "frame", "of", "ports", "turns"), 0)


def verdict(
    proof: str, name: str, boundary: str, *, wrong: int = 0, missing: int = 0, **more: Any
) -> Verdict:
    """A comparison of eight words, ``wrong`` of which differ."""
    known: dict[str, Any] = {
        "name": name,
        "boundary": boundary,
        "proof": proof,
        "words": 8,
        "mismatches": wrong,
        "missing": missing,
        "detail": "frame 3, element [1]: got 1, expected 2" if wrong else "",
        "passed": not wrong and not missing,
    }
    return Verdict(**known | more)


def streams(*verdicts: Verdict, **more: Any) -> StreamsRun:
    """A run of four frames without stalls."""
    known: dict[str, Any] = _QUIET | {"frames": 4, "cycles": 400, "timed": 4, "arrived": True}
    return StreamsRun(**known | {"per_transfer": (1, 1), "links": {}, "verdicts": verdicts} | more)


def report_of(found: Findings, **more: Any) -> RunReport:
    """A report of these findings, in which nothing follows from them."""
    known: dict[str, Any] = {
        "simulator": "icarus",
        "seconds": 1.0,
        "built_in": 0.0,
        "frames": 4,
        "golden_frames": 0,
        "clock_hz": 100_000_000,
        "settings": {},
        "edited": (),
        "repeat": "shellgen simulate out --seed 1",
        "accuracy": None,
        "passed": True,
        "problem": "",
        "tests": 4,
        "failed_tests": 0,
        "proofs": (),
        "line": "",
        "differences": (),
        "conclusion": "",
    }
    return RunReport(**known | found.sections() | more)
