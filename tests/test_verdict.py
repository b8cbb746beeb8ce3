# SPDX-License-Identifier: BSD-3-Clause
"""Verdict from the proofs, in words: every combination, without a simulator."""

from __future__ import annotations

import importlib
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import pytest
import small_report

from shellgen.model.bench import Bench, BenchBoundary, BenchEnd
from shellgen.model.bench_findings import Failure, Findings, NodeControl
from shellgen.model.bench_limit import Overrun, TimeUp
from shellgen.model.bench_report import Conclusion, RunReport
from shellgen.model.bench_verdict import Difference, StreamsRun, Verdict
from shellgen.model.own_frames import OwnFrames
from shellgen.resources import data_dir
from shellgen.simulate.cases import Outline, report_cases
from shellgen.simulate.options import RunOptions, RunVectors, SimulateOptions
from shellgen.simulate.report import _counted, format_report
from shellgen.simulate.required import Required
from shellgen.simulate.verdict import RUNS, conclude

END = {"partition": "a", "port": "m_axis_0", "layer": "a_MVAU_rtl_3"}
TAKES = {"partition": "b", "port": "s_axis_0", "layer": ""}


def boundary(name: str, producer: dict[str, str], consumer: dict[str, str] | None) -> BenchBoundary:
    """With what conclusions are drawn from."""
    known: dict[str, Any] = {"name": name, "link": "tcp_dma", "datatype": "INT8"}
    ends = {end: one and BenchEnd(**one) for end, one in (("producer", producer), ("consumer", consumer))}
    return BenchBoundary.model_construct(**known | ends)


def bench(*boundaries: BenchBoundary) -> Bench:
    """Nothing else is looked at."""
    known: dict[str, Any] = {"boundaries": boundaries}
    return Bench.model_construct(**known)


BENCH = bench(boundary("a_to_b", END, TAKES), boundary("b_to_host", END | {"partition": "b"}, None))
REQUIRED = Required((), (), {}, (), (), golden_asked=False, vectors=(), own=OwnFrames(0, 0))
OPTIONS = RunOptions(SimulateOptions(walk="none"), RunVectors("", (), 0, "", of_build=True), {}, {})
DIFFERENCE = Difference(
    frame=3,
    index=(7,),
    element=7,
    got=-37,
    expected=-54,
    got_code=219,
    expected_code=202,
    tap="",
    word=0,
    bit=0,
    which="",
)
NOTE = "golden not run: no [verify]"
CONTROL = {"n": NodeControl(build_id="0" * 16)}


def verdict(proof: str, wrong: bool, name: str, boundary: str) -> Verdict:
    detail = "frame 3, element [7]: got -37, expected -54" if wrong else ""
    difference = DIFFERENCE if wrong else None
    return small_report.verdict(proof, name, boundary, wrong=int(wrong), detail=detail, difference=difference)


def run(boundary: bool, monolith: bool, golden: bool | None, **more: Any) -> StreamsRun:
    """A run in which these are right, wrong, or (None) not there."""
    verdicts = [
        verdict("boundary", not boundary, "a_to_b", "a_to_b"),
        verdict("boundary", False, "b_to_host", "b_to_host"),
        verdict("monolith", not monolith, "monolith", "b_to_host"),
    ]
    if golden is not None:
        verdicts.append(verdict("golden", not golden, "golden", "b_to_host"))
    return small_report.streams(*verdicts, **more)


def findings(stalled: StreamsRun, full_rate: StreamsRun, **more: Any) -> Findings:
    known: dict[str, Any] = {"golden": NOTE, "control": CONTROL, "stalled": stalled, "full_rate": full_rate}
    return Findings(**known | more)


def judged(stalled: StreamsRun, full_rate: StreamsRun, **more: Any) -> Conclusion:
    return conclude(findings(stalled, full_rate, **more), BENCH, REQUIRED, OPTIONS)


def reported(stalled: StreamsRun, full_rate: StreamsRun, **more: Any) -> RunReport:
    found = findings(stalled, full_rate)
    return small_report.report_of(found, **dict(conclude(found, BENCH, REQUIRED, OPTIONS)) | more)


@pytest.mark.parametrize(
    ("state", "line", "follows"),
    [
        ((True, True, True), "boundaries OK, monolith OK, golden OK", ""),
        ((True, True, None), "boundaries OK, monolith OK, golden not run: no [verify] (not required)", ""),
        (
            (True, True, False),
            "boundaries OK, monolith OK, golden FAIL",
            "boundaries and monolith agree: the partition or the vectors differ, not the shell",
        ),
        (
            (True, False, True),
            "boundaries OK, monolith FAIL, golden OK",
            "the cluster is right by the vectors and every boundary is exact",
        ),
        (
            (True, False, None),
            "boundaries OK, monolith FAIL, golden not run: no [verify] (not required)",
            "depends on the pace of its streams or on its AXI-Lite inputs",
        ),
        ((True, False, False), "boundaries OK, monolith FAIL, golden FAIL", "depends on the pace"),
        (
            (False, True, True),
            "boundaries FAIL (1 of 2), monolith OK, golden OK",
            "what b.s_axis_0 takes is not what a.m_axis_0 hands out: the fault lies between them, in the "
            "tcp_dma link or the shell's framing, and not in a partition; the result is right nevertheless",
        ),
        (
            (False, False, False),
            "boundaries FAIL (1 of 2), monolith FAIL, golden FAIL",
            "what differs after it follows from it",
        ),
    ],
)  # fmt: skip
def test_each_combination_has_a_conclusion(
    state: tuple[bool, bool, bool | None], line: str, follows: str
) -> None:
    report = judged(run(*state), run(*state))
    assert report.line == f"control OK, weights not run: --walk none, {line}"
    assert follows in report.conclusion
    # Replicas: no boundary compares the order of their results.
    turns = BENCH.model_copy(update={"epoch": 2})
    in_turns = conclude(findings(run(*state), run(*state)), turns, REQUIRED, OPTIONS).conclusion
    assert ("results of replicas in order" in in_turns) == ("what one of them answers" in report.conclusion)
    assert bool(report.conclusion) == bool(follows)
    assert all(one.runs == ("full_rate", "stalled") for one in report.differences)


def test_directed_tests_that_were_left_out_are_named() -> None:
    required = replace(REQUIRED, directed_tests=("vnx_udp",))
    found = findings(run(True, True, None), run(True, True, None))
    left_out = conclude(found, BENCH, required, OPTIONS)
    assert "directed tests not run: --walk none, boundaries OK" in left_out.line
    ran = conclude(found.model_copy(update={"directed_tests": {"vnx_udp": {}}}), BENCH, required, OPTIONS)
    assert "directed tests OK" in ran.line


def test_golden_frames_that_were_not_sent_are_counted() -> None:
    """A wrong vector among them would not show."""
    fine = run(True, True, True)
    some = replace(OPTIONS, golden=replace(OPTIONS.golden, frames=fine.frames + 1))
    found = findings(fine, fine)
    for options, said in ((OPTIONS, "golden OK"), (some, "golden OK (4 of 5 frames compared)")):
        report = conclude(found, BENCH, REQUIRED, options)
        assert report.line.endswith(f", {said}")
        case = report_cases(Outline((), ("b_to_host",)), small_report.report_of(found, **dict(report)))[-1]
        assert (case.name, case.state) == ("golden", "passed")
        assert case.text == said.removeprefix("golden OK").strip(" ()")


def test_a_fault_of_one_run_says_so() -> None:
    bad, fine = run(False, False, None), run(True, True, None)
    assert "; only under back-pressure, so something loses" in judged(bad, fine).conclusion
    assert "; only at full rate" in judged(fine, bad).conclusion


def test_surplus_words_are_those_of_who_adds_them() -> None:
    """Words too many behind the pins of the producer come from the shell."""
    fine = run(True, True, True)
    known: dict[str, Any] = {"test": "stalled", "kind": "overrun", "text": "", "crossed": (), "frames": 2}
    said = judged(fine, fine, limit=Overrun(**known, first="a.m_axis_0", boundary="")).conclusion
    assert said == "a.m_axis_0 hands out words that nothing asks for: the partition differs, not the shell"
    said = judged(fine, fine, limit=Overrun(**known, first="b.s_axis_0", boundary="a_to_b")).conclusion
    assert said.startswith("more words come out of the shell of a_to_b than go into it: the fault lies in ")


def test_what_was_not_reached_is_not_called_right() -> None:
    fine = run(True, True, True)
    late = [one.model_copy(update={"missing": 5, "passed": False}) for one in fine.verdicts]
    ended = small_report.streams(*late, arrived=False)
    known: dict[str, Any] = {"test": "stalled", "kind": "time", "text": "the time was up"}
    limit = TimeUp(**known, option="--timeout", timeout=1.0, phase="", advice="")
    flag = small_report.verdict("status", "tcp_dma", "", wrong=1, detail="a packet was too long")
    flagged = small_report.streams(*late, flag, arrived=False)
    assert judged(flagged, fine, limit=limit).conclusion == "", "not that the streams are exact"
    said = judged(ended, fine, limit=limit).line
    assert "boundaries incomplete (exact at full rate), monolith incomplete" in said
    note, crash = "golden: 4 frames of [verify]", "the system ended it with SIGKILL"
    killed = Findings(golden=note, control=CONTROL, crash=crash)
    said = conclude(killed, BENCH, REQUIRED, OPTIONS).line
    assert said.endswith(
        "boundaries not run: the run was ended before, monolith not run: the run was ended before, "
        "golden not run: the run was ended before (not required)"
    )


def test_a_report_says_which_run_sent_how_many_frames() -> None:
    def first(full: int, stalled: int, arrived: bool = True) -> str:
        runs = {"frames": full}, {"frames": stalled, "arrived": arrived}
        return _counted(dict(zip(RUNS, (small_report.streams(**run) for run in runs), strict=True)))

    assert first(9, 9) == "9 frames and one more, at full rate and under back-pressure"
    said = "frames: 9 at full rate, 6 under back-pressure (ended early), and one more each"
    assert first(9, 6, arrived=False) == said


def test_a_report_says_each_thing_once_within_a_terminal() -> None:
    bad = run(False, False, False)
    report = reported(bad, bad, passed=False, failed_tests=2)
    shown = format_report(report, 80)
    assert max(map(len, shown.splitlines())) <= 80
    flat = " ".join(shown.split())
    assert flat.count("got -37, expected -54") == 2  # at the boundary, and in the result
    assert "a_to_b: frame 3, element [7]: got -37, expected -54 (full rate and stalled)" in flat
    assert "INT8, from a.m_axis_0 (layer MVAU_rtl_3), to b.s_axis_0" in flat
    assert "monolith and golden: frame 3" in flat
    assert flat.count("It follows: ") == 1
    assert "frames/s" not in flat
    assert shown.endswith("icarus: 4 tests in 1.0 s, 2 failed: FAIL")
    failure = Failure(test="control", text="n\x1b[2J0: no core answers")
    shown = format_report(report.model_copy(update={"failures": (failure,)}))
    assert "\x1b" not in shown
    assert shown.endswith("2 failed (control): FAIL")


def test_what_stalls_cost_is_said() -> None:
    fine = run(True, True, True)
    turns: dict[str, Any] = {"stall": 64, "hold": 400, "spell": 600, "frame": 100, "ports": 5}
    turns |= {"of": 20, "turns": 20}

    def said(**changed: Any) -> str:
        return format_report(reported(run(True, True, True, **turns | changed), fine))

    cost = "stalled: 500 cycles for 4 frames (+25 % per frame); 5 ports, each in turn starved and flooded"
    assert f"{cost} for 400 cycles (4.0" in said(cycles=500)
    assert "stalled: 400 cycles for 4 frames; the stalls cost nothing" in said(cycles=400)
    assert "the run ended after 3 of 10 such intervals; a larger --frames covers them all" in said(turns=7)
    assert "transfers of" not in said()
    assert "transfers of 3 frames in and 2 out" in said(per_transfer=(3, 2))
    assert "transfers of 2 frames out" in said(per_transfer=(1, 2))
    assert "--stall 0 leaves the stalls out" in said(stall=0)
    assert "1,000,000 frames/s at 100 MHz, as simulated: without the time of hosts and drivers" in said()
    times = fine.model_copy(update={"times": (160, 240, 320, 400)})  # the first frame took twice as long
    told = format_report(reported(run(True, True, True, **turns), times))
    assert "1,000,000 frames/s at 100 MHz (1,250,000 from frame to frame), as simulated: without the" in told
    pairs = fine.model_copy(update={"times": (160, 240, 320, 400), "epoch": 2})
    assert pairs.period == 40


def test_who_waits_for_whom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two branches from a that meet again in b: one is full, the other is awaited."""
    monkeypatch.syspath_prepend(str(data_dir("sim")))
    stand = importlib.import_module("bench_stand").stand
    records = importlib.import_module("bench_records")
    ends = records.End("a", "m", "Dup_0"), records.End("b", "s", "Add_0")
    unknown = dict.fromkeys(one.name for one in fields(records.Boundary))
    known = {"producer": ends[0], "consumer": ends[1]}
    boundaries = tuple(records.Boundary(**unknown | known | {"name": name}) for name in ("short", "long"))
    taps = []
    places = []
    for index, (valid, ready) in enumerate([(1, 0), (0, 1)]):
        for side in ("made", "taken"):
            places.append(records.Tap(side, f"{side} {index}", 8, side, index))
            taps.append({"count": 3, "last": 10 + index, "valid": valid, "ready": ready})
    places.append(records.Tap("inner", "inside 0", 8, "inner", 0))
    taps.append({"count": 1, "last": 9, "valid": 1, "ready": 0})
    bench = SimpleNamespace(boundaries=boundaries, taps=tuple(places))
    state = stand(bench, taps, 4, 4, 999)
    assert state["blame"].startswith("They wait for one another: ")
    assert state["blame"].endswith(
        "A FIFO on one of two branches that meet again is too short. "
        "The FIFO of short takes no more: it holds 2 words."
    )
    assert "a waits for the shell of short at a.m (layer Dup_0)" in state["waits"]
    assert state["last"] == {"cycle": 11, "place": "taken 1"}
    taps[3]["ready"] = 0  # as a join of shellgen, which takes a word only with all others
    assert stand(bench, taps, 4, 4, 999)["blame"] == state["blame"]
    taps[3] = taps[2] = {"count": 32, "last": 11, "valid": 0, "ready": 1}
    taps[1] = {"count": 3, "last": 10, "valid": 0, "ready": 1}
    blame = stand(bench, taps, 4, 4, 999)["blame"]
    assert blame.startswith("the shell of short waits for nobody and does not take the word")
    endless = importlib.import_module("bench_stand").endless
    adds = [endless(bench, [(taps[at], places[at])], 2).record for at in (0, 1)]
    assert [one["boundary"] for one in adds] == ["", "short"]
