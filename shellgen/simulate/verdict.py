# SPDX-License-Identifier: BSD-3-Clause
"""What follows from a run: which proofs ran, what differed first, and where the fault must be."""

from __future__ import annotations

from typing import Any

from shellgen.model.bench import Bench
from shellgen.simulate.required import Required, golden_required
from shellgen.simulate.sight import sights

# The runs of the streams in the order of the bench, and how a message calls them.
RUNS = {"full_rate": "at full rate", "stalled": "under back-pressure"}
_UNKNOWN = "unknown bits (X)"
_TOLD = ("producer", "consumer", "datatype", "link")  # of a boundary, with each difference there
_CROSSING = ("boundary", "inside", "framing", "ahead", "drift", "status")


def conclude(
    found: dict[str, Any], bench: Bench, required: Required, options: dict[str, Any]
) -> dict[str, Any]:
    """Judge what the bench found.

    Args:
        found: Sections of the bench's report.
        bench: ``bench.json``.
        required: What the run must show.
        options: ``options.json``.

    Returns:
        proofs: of each its name, state (``OK``, ``FAIL``, ``incomplete``, ``not shown``, ``not run``), a
            note, and whether it is required.
        line: The same in a line.
        differences: Comparisons that failed, first things first, each with ``runs`` and with the ends of its
            boundary; what differs alike in both runs is there once.
        conclusion: What follows, or an empty string where nothing failed.
    """
    differences = _differences(found, bench)
    streams = bool(options["stalled"] or options["full_rate"])
    proofs = [
        _single("control", "control", found, found.get("control"), "" if options["control"] else "left out"),
        _walk(found, options),
        *_loads(found, options),
        _required(_compared("boundaries", _CROSSING, found), streams),
        _required(_compared("monolith", ("monolith",), found), streams),
        _golden(found, golden_required(required, found, options)),
    ]
    return {
        "proofs": proofs,
        "line": ", ".join(_said(proof) for proof in proofs),
        "differences": differences,
        "conclusion": _conclusion({p["name"]: p["state"] for p in proofs}, differences, found),
    }


def _proof(name: str, state: str, note: str = "") -> dict[str, Any]:
    return {"name": name, "state": state, "note": note, "required": False}


def _required(proof: dict[str, Any], required: bool) -> dict[str, Any]:
    return proof | {"required": required}


def _said(proof: dict[str, Any]) -> str:
    if proof["state"] in ("not run", "not shown"):
        note = f": {proof['note']}" if proof["note"] else ""
        left = " (not required)" if proof["name"] == "golden" and not proof["required"] else ""
        return f"{proof['name']} {proof['state']}{note}{left}"
    return f"{proof['name']} {proof['state']}" + (f" ({proof['note']})" if proof["note"] else "")


def _single(name: str, test: str, found: dict[str, Any], findings: Any, left_out: str) -> dict[str, Any]:
    if any(failure["test"] == test for failure in found.get("failures", ())):
        return _proof(name, "FAIL")
    if findings:
        return _proof(name, "OK")
    ended = found.get("limit", {}).get("test") == test
    return _proof(name, "incomplete") if ended else _proof(name, "not run", left_out)


def _walk(found: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    findings = found.get("weights")
    if findings and not all(finding["passed"] for finding in findings):
        return _proof("weights", "FAIL")
    left_out = "--walk none" if options["walk"] == "none" else "no memory to write" if findings == [] else ""
    return _single("weights", "weights", found, findings, left_out)


def _golden(found: dict[str, Any], required: bool) -> dict[str, Any]:
    """Judge the golden proof: vectors of one value throughout would agree with words in any order."""
    proof = _compared("golden", ("golden",), found, found["golden"].partition("golden not run: ")[2])
    if proof["state"] == "OK":
        blind = [name for of, name, sight in sights(found) if of == "golden" and sight["value"] is not None]
        if blind:
            which = (
                "" if blind == ["golden"] else f" of {', '.join(name.partition(' of ')[2] for name in blind)}"
            )
            note = f"all values of the vectors{which} are the same, so no exchanged word would show"
            proof = _proof("golden", "not shown", note)
    if required and proof["state"] == "not shown":
        proof["note"] += "; give [verify] frames whose outputs differ, or remove it"
    elif required and proof["state"] == "not run" and not _ended(found):
        proof["note"] += "; give [verify] outputs as well, or remove it"
        proof["state"] = "not shown"
    return _required(proof, required)


def _ended(found: dict[str, Any]) -> bool:
    return bool(found.get("limit") or found.get("crash"))


def _loads(found: dict[str, Any], options: dict[str, Any]) -> list[dict[str, Any]]:
    return [_single("load", "load", found, found.get("loaded"), "")] if options["weights"] else []


def _compared(name: str, kinds: tuple[str, ...], found: dict[str, Any], left_out: str = "") -> dict[str, Any]:
    """Tell the state of a proof over both runs; a run that was not reached leaves it incomplete."""
    verdicts = [
        verdict
        for run in RUNS
        for verdict in found.get(run, {}).get("verdicts", ())
        if (verdict["alone"] and name == "monolith") or (verdict["proof"] in kinds and not verdict["alone"])
    ]
    wrong = {verdict["name"] for verdict in verdicts if verdict["mismatches"]}
    names = {
        verdict["name"] for verdict in verdicts if verdict["proof"] in ("boundary", "monolith", "golden")
    }
    if wrong:
        few = wrong & names
        return _proof(name, "FAIL", f"{len(few)} of {len(names)}" if few and len(names) > 1 else "")
    stopped = found.get("limit") or found.get("crash")
    if not verdicts:
        return _proof(name, "not run", left_out or ("the run was ended before" if stopped else ""))
    exact = [RUNS[run] for run in RUNS if found.get(run, {}).get("arrived")]
    if stopped or not all(verdict["passed"] for verdict in verdicts):
        return _proof(name, "incomplete", f"exact {exact[0]}" if exact else "")
    return _proof(name, "OK")


def _differences(found: dict[str, Any], bench: Bench) -> list[dict[str, Any]]:
    ends = {boundary.name: boundary for boundary in bench.boundaries}
    merged: dict[tuple[str, str], dict[str, Any]] = {}
    for run in RUNS:
        for verdict in found.get(run, {}).get("verdicts", ()):
            # A run that ended early has not come to all; that is told once, and not of each stream.
            if verdict["passed"] or (found[run]["arrived"] is False and not verdict["mismatches"]):
                continue
            key = (verdict["name"], verdict["detail"])
            boundary = ends.get(verdict["boundary"])
            more = boundary.model_dump(include={*_TOLD}) if boundary else dict.fromkeys(_TOLD)
            merged.setdefault(key, {**verdict, **more, "runs": []})["runs"].append(run)
    order = [boundary.name for boundary in bench.boundaries]
    kinds = ("boundary", "inside", "framing", "drift", "ahead", "monolith", "golden", "status")
    rank = {kind: place for place, kind in enumerate(kinds)}
    late = {"monolith", "golden", "status"}
    return sorted(
        merged.values(),
        key=lambda one: (
            one["proof"] in late,
            order.index(one["boundary"]) if one["boundary"] in order else len(order),
            rank[one["proof"]],
        ),
    )


def _conclusion(states: dict[str, str], differences: list[dict[str, Any]], found: dict[str, Any]) -> str:
    limit = found.get("limit", {})
    if limit.get("kind") == "overrun":
        return f"{limit['first']} hands out words that nothing asks for: the partition differs, not the shell"
    if not differences:
        return ""
    crossing = [one for one in differences if one["proof"] in _CROSSING]
    text = _of_crossing(crossing, differences) if crossing else _of_results(states)
    compared = [run for run in RUNS if found.get(run, {}).get("arrived")]
    failing = {run for one in differences for run in one["runs"]}
    if len(compared) == len(RUNS) and len(failing) == 1:
        run = failing.pop()
        what = (
            "something loses, repeats or mixes words when it has to wait"
            if run == "stalled"
            else "it is the pace"
        )
        text += f"; only {RUNS[run]}, so {what}"
    return text


def _of_results(states: dict[str, str]) -> str:
    """Conclude where every boundary is exact."""
    if states["monolith"] != "FAIL":
        return "boundaries and monolith agree: the partition or the vectors differ, not the shell"
    if states["golden"] == "OK":
        return (
            "the cluster is right by the vectors and every boundary is exact: only the partitions without "
            "shells answer otherwise, so one of them depends on its pace or on its AXI-Lite inputs"
        )
    return (
        "every boundary is exact and yet the partitions answer otherwise without shells: what one of them "
        "answers depends on the pace of its streams or on its AXI-Lite inputs, not on what the shell carries"
    )


def _of_crossing(crossing: list[dict[str, Any]], differences: list[dict[str, Any]]) -> str:
    """Conclude from the first boundary that is not exact, in network order."""
    first = crossing[0]
    producer, consumer = _end(first["producer"]), _end(first["consumer"])
    if first["proof"] == "status":
        return "the streams are exact: what differs are the counters or flags of the cores"
    if first["proof"] in ("drift", "ahead"):
        if any(one["alone"] for one in crossing) or first["proof"] == "ahead":
            return (
                f"{producer} does not hand out one frame for each that it takes, without shells either: the "
                "partition differs, not the shell"
            )
        return f"words are lost or added between {producer} and {consumer}"
    seen = first["difference"]
    if seen and seen["got"] == seen["expected"] == _UNKNOWN:
        return f"{producer} itself hands out unknown bits: it reads what was neither reset nor written"
    results = [one for one in differences if one["proof"] in ("monolith", "golden")]
    after = "what differs after it follows from it" if results else "the result is right nevertheless"
    between = f"the {first['link']} link" if first["link"] else "the FIFO or width converter"
    took = "takes" if first["consumer"] else "receives"
    gave = "hands out" if first["producer"] else "sends"
    return (
        f"what {consumer} {took} is not what {producer} {gave}: the fault lies between them, in {between} or "
        f"the shell's framing, and not in a partition; {after}"
    )


def _end(end: dict[str, str] | None) -> str:
    return f"{end['partition']}.{end['port']}" if end else "the host"
