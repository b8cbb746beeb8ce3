# SPDX-License-Identifier: BSD-3-Clause
"""A report as test cases: one per boundary and per proof, however the run ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from shellgen.model.bench import Bench
from shellgen.model.bench_report import RunReport
from shellgen.model.bench_verdict import RunName, Verdict
from shellgen.simulate.as_generated import said_of_edited
from shellgen.simulate.sight import gaps_of

State = Literal["passed", "failed", "error", "skipped"]
_RUNS: dict[RunName, str] = {"stalled": "under back-pressure", "full_rate": "at full rate"}
_RESULTS = ("monolith", "golden")
_FLAGS = "flags and counters"  # of cores and links, which belong to no boundary
_MEMORIES = ("weights", "loaded")  # sections that are empty where there is nothing to write
_NOT_RUN = "golden not run: "
# Cases that are a test of the bench each: the test, and the section of the report where it notes.
_TESTS = {
    "registers": ("control", "control"),
    "weights": ("weights", "weights"),
    "protocol": ("protocol", "protocol"),
    "wrong transfers": ("faults", "faults"),
    "directed tests": ("directed_tests", "directed_tests"),
    "load": ("load", "loaded"),
    "resets in mid-flight": ("flight", "flight"),
    "pins": ("pins", "pins"),
    "reset of a node by CONTROL": ("reset_control", "reset_control"),
    "reset of a node by its pin": ("reset_pin", "reset_pin"),
    "resets where numbered frames meet": ("meets", "meets"),
    "without a replica": ("absent", "absent"),
}


@dataclass(frozen=True)
class Case:
    """One test case.

    Attributes:
        group: ``run``, ``control``, ``boundaries`` or ``results``.
        name: Unique in its group, and the same in every run of a cluster.
        state: ``error``: it ended before it could be judged; ``skipped``: not asked for, or not reached.
        text: Why, if it did not pass; what it cannot see, if it did.
        seconds: Wall time; none for what the run judges by the way.
    """

    group: str
    name: str
    state: State = "passed"
    text: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Outline:
    """Items of a cluster that have test cases.

    Attributes:
        boundaries: Names, in network order.
        outputs: Those of them that a host receives.
        tests: Cases that are a test of the bench each, of `_TESTS`.
    """

    boundaries: tuple[str, ...]
    outputs: tuple[str, ...]
    tests: tuple[str, ...] = tuple(_TESTS)

    def results(self) -> Iterator[tuple[str, str, str]]:
        """Yield the name of a case, its proof and its boundary."""
        for proof in _RESULTS:
            for output in self.outputs:
                yield (f"{proof} of {output}" if len(self.outputs) > 1 else proof), proof, output

    def names(self) -> list[tuple[str, str]]:
        """Return group and name of all cases, in their order."""
        control = [("control", name) for name in self.tests]
        boundaries = [("boundaries", name) for name in (*self.boundaries, _FLAGS)]
        results = [("results", name) for name, _, _ in self.results()]
        run = [("run", name) for name in ("build", "to the end", "as generated")]
        return [*run, *control, *boundaries, *results]


def outline(bench: Bench) -> Outline:
    """Read from ``bench.json`` what there are cases for."""
    without = {
        "directed tests": not any(link.directed_test for link in bench.links),
        "resets where numbered frames meet": not bench.meets,
        "without a replica": not bench.spares,
    }
    return Outline(
        tuple(boundary.name for boundary in bench.boundaries),
        tuple(bench.boundaries[output.boundary].name for output in bench.monolith.outputs),
        tuple(name for name in _TESTS if not without.get(name)),
    )


def unbuilt_cases(cluster: Outline, problem: str) -> list[Case]:
    """Return the cases of a run that came to nothing."""
    first, *rest = cluster.names()
    return [Case(*first, "error", problem), *(Case(*name, "skipped", "it was not built") for name in rest)]


def interrupted_cases(cluster: Outline) -> list[Case]:
    """Return the cases of a run that was interrupted before its report."""
    end = ("run", "to the end")
    return [
        Case(*name, "error" if name == end else "skipped", "it was interrupted") for name in cluster.names()
    ]


def report_cases(cluster: Outline, report: RunReport) -> list[Case]:
    """Return the cases of a run.

    Args:
        cluster: What there are cases for.
        report: Of `shellgen.simulate.cluster.simulate`.
    """
    cases = [
        *_control(cluster.tests, report),
        *(_compared("boundaries", name, _crossing(report, name), report) for name in cluster.boundaries),
        _flags(cluster, report),
        *(
            _compared("results", name, _result(report, proof, boundary), report)
            for name, proof, boundary in cluster.results()
        ),
    ]
    build = Case("run", "build", seconds=report.built_in)
    ran = replace(_run(report, cases), seconds=report.seconds)
    return [build, ran, _files(report), *cases]


def _files(report: RunReport) -> Case:
    """Say whether the verdict is one on what was generated; to edit it on purpose is no failure."""
    edited = said_of_edited(report.edited)
    return Case("run", "as generated", *(("skipped", f"--edited: {edited}") if edited else ()))


def _ended(report: RunReport) -> str:
    """Return what ended the run early, if anything did."""
    return report.crash or (report.limit.text if report.limit else "")


def _run(report: RunReport, cases: Sequence[Case]) -> Case:
    if text := _ended(report):
        return Case("run", "to the end", "error", text)
    blamed = any(case.state in ("failed", "error") for case in cases)
    # What is nobody's in particular: no test ran, the HDL complained, a memory file was missing.
    fine = report.passed or blamed
    return Case("run", "to the end") if fine else Case("run", "to the end", "error", report.problem)


def _control(tests: Sequence[str], report: RunReport) -> Iterator[Case]:
    said = {failure.test: failure.text for failure in report.failures}
    early = _ended(report)
    wrong = [f"{memory.region}: {memory.detail}" for memory in report.weights or () if not memory.passed]
    for name in tests:
        test, section = _TESTS[name]
        found = getattr(report, section)
        if test in said:
            yield Case("control", name, "failed", said[test])
        elif name == "weights" and wrong:
            yield Case("control", name, "failed", "\n".join(wrong))
        elif found or (found is not None and section not in _MEMORIES):
            yield Case("control", name)
        else:
            why = "nothing to write" if found is not None else "the run ended before" if early else "not run"
            yield Case("control", name, "skipped", why)


def _verdicts(report: RunReport) -> Iterator[tuple[RunName, Verdict]]:
    for name in _RUNS:
        if run := report.runs.get(name):
            yield from ((name, verdict) for verdict in run.verdicts)


def _crossing(report: RunReport, boundary: str) -> list[tuple[RunName, Verdict]]:
    return [
        (run, verdict)
        for run, verdict in _verdicts(report)
        if verdict.boundary == boundary and verdict.proof not in _RESULTS and not verdict.alone
    ]


def _flags(cluster: Outline, report: RunReport) -> Case:
    """Judge what is of no boundary; it is noted only where it is wrong."""
    wrong = [
        f"{_RUNS[run]}: {one.name}: {one.detail}"
        for run, one in _verdicts(report)
        if one.boundary not in cluster.boundaries and not one.passed
    ]
    if wrong:
        return Case("boundaries", _FLAGS, "failed", "\n".join(wrong))
    if any(run.arrived for run in report.runs.values()) and not _ended(report):
        return Case("boundaries", _FLAGS)
    return Case("boundaries", _FLAGS, "skipped", "the run ended before" if _ended(report) else "not run")


def _result(report: RunReport, proof: str, boundary: str) -> list[tuple[RunName, Verdict]]:
    return [
        (run, verdict)
        for run, verdict in _verdicts(report)
        if verdict.boundary == boundary
        and (verdict.proof == proof or (proof == "monolith" and verdict.alone))
    ]


def _compared(group: str, name: str, found: list[tuple[RunName, Verdict]], report: RunReport) -> Case:
    """Judge what was compared in all runs together."""
    texts = {
        True: [f"{_RUNS[run]}: {one.name}: {one.detail}" for run, one in found if one.mismatches],
        False: [
            f"{_RUNS[run]}: {one.name}: {one.detail or 'nothing crossed'}"
            for run, one in found
            if not one.passed and not one.mismatches
        ],
    }
    if texts[True]:
        return Case(group, name, "failed", "\n".join(filter(None, [*texts[True], report.conclusion])))
    early = _ended(report)
    if texts[False]:
        return Case(group, name, "error" if early else "failed", "\n".join(texts[False]))
    proofs = {proof.name: proof for proof in report.proofs}
    proof = proofs.get(group if group == "boundaries" else name.partition(" of ")[0])
    if proof and proof.state == "incomplete" and early:
        text = f"{proof.note}; the run ended before the rest" if proof.note else "the run ended before"
        return Case(group, name, "error", text)
    if proof and proof.state == "not shown":
        return Case(group, name, "failed" if proof.required else "skipped", proof.note)
    if found:
        notes = (proof.note if proof else "", gaps_of(report, name))
        return Case(group, name, text="; ".join(filter(None, notes)))
    known = report.golden.startswith(_NOT_RUN) and name.startswith("golden")
    told = report.golden.removeprefix(_NOT_RUN) if known else "not asked for"
    why = "the run ended before" if early else told
    return Case(group, name, "skipped", why)
