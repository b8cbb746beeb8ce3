# SPDX-License-Identifier: BSD-3-Clause
"""Verdict of a run: which proofs ran, the first difference, and the likely place of the fault."""

from __future__ import annotations

from collections.abc import Sequence

from shellgen.model.bench import Bench, BenchEnd
from shellgen.model.bench_findings import Findings
from shellgen.model.bench_limit import Overrun
from shellgen.model.bench_report import Conclusion, FailedVerdict, ProofState, State
from shellgen.model.bench_verdict import RunName, Verdict
from shellgen.simulate.options import RunOptions
from shellgen.simulate.required import Required, golden_required
from shellgen.simulate.sight import sights

# The runs of the streams in the order of the bench, and how a message calls them.
RUNS: dict[RunName, str] = {"full_rate": "at full rate", "stalled": "under back-pressure"}
_UNKNOWN = "unknown bits (X)"
_CROSSING = ("boundary", "inside", "framing", "ahead", "drift", "status")


def conclude(found: Findings, bench: Bench, required: Required, options: RunOptions) -> Conclusion:
    """Judge the findings of a run.

    Args:
        found: The findings.
        bench: ``bench.json``.
        required: What the run must show.
        options: What was asked for.
    """
    asked = options.asked
    differences = _differences(found, bench)
    streams = asked.stalled or asked.full_rate
    proofs = (
        _single("control", found, bool(found.control), "" if asked.control else "left out"),
        _walk(found, asked.extent),
        *([_single("load", found, bool(found.loaded), "")] if asked.weights else ()),
        *([_directed(found, asked.extent)] if required.directed_tests else ()),
        _proof("boundaries", *_compared(_CROSSING, found), required=streams),
        _proof("monolith", *_compared(("monolith",), found, alone=True), required=streams),
        _golden(found, golden_required(required, found, options), options.golden.frames),
    )
    return Conclusion(
        proofs=proofs,
        line=", ".join(_said(proof) for proof in proofs),
        differences=differences,
        conclusion=_conclusion(
            {proof.name: proof.state for proof in proofs}, differences, found, turns=bench.epoch > 1
        ),
    )


def _proof(name: str, state: State, note: str = "", *, required: bool = False) -> ProofState:
    return ProofState(name=name, state=state, note=note, required=required)


def _said(proof: ProofState) -> str:
    name = proof.name.replace("_", " ")
    if proof.state in ("not run", "not shown"):
        note = f": {proof.note}" if proof.note else ""
        left = " (not required)" if proof.name == "golden" and not proof.required else ""
        return f"{name} {proof.state}{note}{left}"
    return f"{name} {proof.state}" + (f" ({proof.note})" if proof.note else "")


def _single(test: str, found: Findings, shown: bool, left_out: str) -> ProofState:
    """Judge a test that must pass unless it is left out."""
    required = not left_out
    if any(failure.test == test for failure in found.failures):
        return _proof(test, "FAIL", required=required)
    if shown:
        return _proof(test, "OK", required=required)
    ended = found.limit is not None and found.limit.test == test
    return _proof(test, "incomplete" if ended else "not run", left_out, required=required)


def _walk(found: Findings, extent: str) -> ProofState:
    walked = found.weights
    if walked and not all(memory.passed for memory in walked):
        return _proof("weights", "FAIL", required=True)
    left_out = "--walk none" if extent == "none" else "no memory to write" if walked == () else ""
    return _single("weights", found, bool(walked), left_out)


def _directed(found: Findings, extent: str) -> ProofState:
    left_out = "--walk none" if extent == "none" else ""
    return _single("directed_tests", found, bool(found.directed_tests), left_out)


def _golden(found: Findings, required: bool, frames: int) -> ProofState:
    """Judge the golden proof: vectors of one value throughout would agree with words in any order.

    Args:
        found: The findings.
        required: The run must show it.
        frames: Those of the vectors, of which a run may send fewer.
    """
    left_out = found.golden.partition("golden not run: ")[2]
    state, note = _compared(("golden",), found, left_out)
    if state == "OK":
        sent = min(run.frames for run in found.runs.values())
        note = f"{sent} of {frames} frames compared" if sent < frames else ""
        blind = [name for of, name, sight in sights(found) if of == "golden" and sight.value is not None]
        if blind:
            which = (
                "" if blind == ["golden"] else f" of {', '.join(name.partition(' of ')[2] for name in blind)}"
            )
            note = f"all values of the vectors{which} are the same, so a swap of words would go unseen"
            state = "not shown"
    if required and state == "not shown":
        note += "; give [verify] frames whose outputs differ, or remove it"
    elif required and state == "not run" and not found.ended:
        note = f"{note}; give [verify] outputs as well, or remove it" if note else "no run came so far"
        state = "not shown"
    return _proof("golden", state, note, required=required)


def _compared(
    kinds: tuple[str, ...], found: Findings, left_out: str = "", *, alone: bool = False
) -> tuple[State, str]:
    """Return state and note of a proof over both runs; a run that was not reached leaves it incomplete.

    Args:
        kinds: Comparisons that belong to it.
        found: The findings.
        left_out: Why there may be none.
        alone: Comparisons of the monolith's own streams belong to it too.
    """
    verdicts = [
        verdict
        for run in found.runs.values()
        for verdict in run.verdicts
        if (alone if verdict.alone else verdict.proof in kinds)
    ]
    wrong = {verdict.name for verdict in verdicts if verdict.mismatches}
    names = {verdict.name for verdict in verdicts if verdict.proof in ("boundary", "monolith", "golden")}
    if wrong:
        few = wrong & names
        return "FAIL", f"{len(few)} of {len(names)}" if few and len(names) > 1 else ""
    if not verdicts:
        return "not run", left_out or ("the run was ended before" if found.ended else "")
    if found.ended or not all(verdict.passed for verdict in verdicts):
        exact = [RUNS[name] for name, run in found.runs.items() if run.arrived]
        return "incomplete", f"exact {exact[0]}" if exact else ""
    return "OK", ""


def _differences(found: Findings, bench: Bench) -> tuple[FailedVerdict, ...]:
    ends = {boundary.name: boundary for boundary in bench.boundaries}
    merged: dict[tuple[str, str], tuple[Verdict, list[RunName]]] = {}
    for name, run in found.runs.items():
        for verdict in run.verdicts:
            # A run that ended early has not reached all streams; the report says so once, and not for each.
            if not verdict.passed and (run.arrived or verdict.mismatches):
                merged.setdefault((verdict.name, verdict.detail), (verdict, []))[1].append(name)
    order = [boundary.name for boundary in bench.boundaries]
    kinds = ("boundary", "inside", "framing", "drift", "ahead", "monolith", "golden", "status")
    rank = {kind: place for place, kind in enumerate(kinds)}
    late = {"monolith", "golden", "status"}
    failed = []
    for verdict, runs in merged.values():
        at = ends.get(verdict.boundary)
        failed.append(
            FailedVerdict(
                **dict(verdict),
                producer=at.producer if at else None,
                consumer=at.consumer if at else None,
                datatype=at.datatype if at else None,
                link=at.link if at else None,
                runs=tuple(runs),
            )
        )
    failed.sort(
        key=lambda one: (
            one.proof in late,
            order.index(one.boundary) if one.boundary in order else len(order),
            rank[one.proof],
        )
    )
    return tuple(failed)


def _conclusion(
    states: dict[str, State], differences: Sequence[FailedVerdict], found: Findings, *, turns: bool
) -> str:
    """Say what follows.

    Args:
        states: Of the proofs, by name.
        differences: In network order.
        found: The findings.
        turns: Replicas take frames in turns, so the shell orders their results.
    """
    limit = found.limit
    if isinstance(limit, Overrun) and limit.boundary:
        return (
            f"more words come out of the shell of {limit.boundary} than go into it: the fault lies in its "
            "framing, its FIFOs or the link, and not in a partition"
        )
    if isinstance(limit, Overrun):
        return f"{limit.first} hands out words that nothing asks for: the partition differs, not the shell"
    if not differences:
        return ""
    crossing = [one for one in differences if one.proof in _CROSSING]
    if limit and crossing and all(one.proof == "status" for one in crossing):
        return ""  # the streams are exact only as far as they have come
    text = _of_crossing(crossing, differences) if crossing else _of_results(states, turns=turns)
    compared = [name for name, run in found.runs.items() if run.arrived]
    failing = {run for one in differences for run in one.runs}
    if len(compared) == len(RUNS) and len(failing) == 1:
        run = failing.pop()
        what = (
            "something loses, repeats or mixes words when it has to wait"
            if run == "stalled"
            else "it is the pace"
        )
        text += f"; only {RUNS[run]}, so {what}"
    return text


def _of_results(states: dict[str, State], *, turns: bool) -> str:
    """Conclude where every boundary is exact."""
    if states["monolith"] != "FAIL":
        return "boundaries and monolith agree: the partition or the vectors differ, not the shell"
    if states["golden"] == "OK":
        return (
            "the cluster is right by the vectors and every boundary is exact: only the partitions without "
            "shells answer otherwise, so one of them depends on its pace or on its AXI-Lite inputs"
        )
    if turns:
        return (
            "every boundary is exact and yet the results differ from those without shells: the fault lies in "
            "the core that puts the results of replicas in order, which no boundary compares, or a partition "
            "depends on its pace or on its AXI-Lite inputs"
        )
    return (
        "every boundary is exact and yet the partitions answer otherwise without shells: what one of them "
        "answers depends on the pace of its streams or on its AXI-Lite inputs, not on what the shell carries"
    )


def _of_crossing(crossing: Sequence[FailedVerdict], differences: Sequence[FailedVerdict]) -> str:
    """Conclude from the first boundary that is not exact, in network order."""
    first = crossing[0]
    producer, consumer = _end(first.producer), _end(first.consumer)
    if first.proof == "status":
        return "the streams are exact: what differs are the counters or flags of the cores"
    if first.proof in ("drift", "ahead"):
        if any(one.alone for one in crossing) or first.proof == "ahead":
            return (
                f"{producer} does not hand out one frame for each that it takes, without shells either: the "
                "partition differs, not the shell"
            )
        return f"words are lost or added between {producer} and {consumer}"
    seen = first.difference
    if seen and seen.got == seen.expected == _UNKNOWN:
        return f"{producer} itself hands out unknown bits: it reads what was neither reset nor written"
    results = [one for one in differences if one.proof in ("monolith", "golden")]
    after = "what differs after it follows from it" if results else "the result is right nevertheless"
    between = f"the {first.link} link" if first.link else "the FIFO or width converter"
    took = "takes" if first.consumer else "receives"
    gave = "hands out" if first.producer else "sends"
    return (
        f"what {consumer} {took} is not what {producer} {gave}: the fault lies between them, in {between} or "
        f"the shell's framing, and not in a partition; {after}"
    )


def _end(end: BenchEnd | None) -> str:
    return f"{end.partition}.{end.port}" if end else "the host"
