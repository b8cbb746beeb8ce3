# SPDX-License-Identifier: BSD-3-Clause
"""A run as test cases: of every end that it can come to, in a file that CI reads."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import small_report
from cluster_bench import generate_fake
from fake_network import chain, one_each, partition

from shellgen.cli import main
from shellgen.errors import InputError
from shellgen.model.bench_findings import Failure, Findings, MemoryWalk, NodeControl
from shellgen.model.bench_limit import TimeUp
from shellgen.model.bench_report import ProofState, RunReport
from shellgen.model.bench_verdict import Verdict
from shellgen.simulate import cluster as simulation
from shellgen.simulate.cases import Case, Outline, report_cases, unbuilt_cases
from shellgen.simulate.junit import Suite, write_junit

CLUSTER = Outline(("host_to_a", "a_to_b", "b_to_host"), ("b_to_host",))
WALK = MemoryWalk(region="r", words=1, of=1, passed=False, detail="read 1")
LIMIT = TimeUp(
    test="stalled", kind="time", text="the time was up", option="--timeout", timeout=1.0, phase="", advice=""
)
ALL = [
    "run build",
    "run to the end",
    "run as generated",
    "control registers",
    "control weights",
    "control protocol",
    "control wrong transfers",
    "control directed tests",
    "control load",
    "control resets in mid-flight",
    "control pins",
    "control reset of a node by CONTROL",
    "control reset of a node by its pin",
    "control resets where numbered frames meet",
    "control without a replica",
    "boundaries host_to_a",
    "boundaries a_to_b",
    "boundaries b_to_host",
    "boundaries flags and counters",
    "results monolith",
    "results golden",
]


def verdict(boundary: str, proof: str = "boundary", **more: Any) -> Verdict:
    return small_report.verdict(proof, f"{proof} {boundary}", boundary, **more)


def report(*verdicts: Verdict, **more: Any) -> RunReport:
    every = [verdict(name) for name in CLUSTER.boundaries] + [verdict("b_to_host", "monolith")]
    said = {(one.boundary, one.proof): one for one in (*every, *verdicts)}
    found = Findings(
        golden="golden not run: the plan has no vectors",
        control={"n0": NodeControl(build_id="0" * 16)},
        weights=(),
        full_rate=small_report.streams(*said.values()),
    )
    passed = all(one.passed for one in said.values())
    return small_report.report_of(found, **{"passed": passed, "seconds": 2.0, "built_in": 1.5} | more)


def states(cases: list[Case]) -> dict[str, str]:
    assert [f"{case.group} {case.name}" for case in cases] == ALL
    return {f"{case.group} {case.name}": case.state for case in cases if case.state != "passed"}


UNASKED = {name: "skipped" for name in ALL if name.startswith("control ") and name != "control registers"}


def test_every_end_of_a_run_has_all_cases() -> None:
    left_out = UNASKED | {"results golden": "skipped"}
    assert states(report_cases(CLUSTER, report())) == left_out
    wrong = report(verdict("a_to_b", wrong=3), conclusion="the fault lies between them")
    assert states(report_cases(CLUSTER, wrong)) == left_out | {"boundaries a_to_b": "failed"}
    case = report_cases(CLUSTER, wrong)[ALL.index("boundaries a_to_b")]
    assert case.text.splitlines() == [
        "at full rate: boundary a_to_b: frame 3, element [1]: got 1, expected 2",
        "the fault lies between them",
    ]
    drifts = report(verdict("a_to_b", "drift", wrong=1), verdict("b_to_host", "golden"))
    assert states(report_cases(CLUSTER, drifts)) == {
        **UNASKED,
        "boundaries a_to_b": "failed",
    }
    flagged = report(verdict("", "status", wrong=1))
    assert states(report_cases(CLUSTER, flagged)) == left_out | {"boundaries flags and counters": "failed"}
    early = report(verdict("b_to_host", missing=4), limit=LIMIT)
    assert states(report_cases(CLUSTER, early)) == left_out | {
        "run to the end": "error",
        "boundaries b_to_host": "error",
        "boundaries flags and counters": "skipped",
    }
    incomplete = (ProofState(name="boundaries", state="incomplete", note="exact at full rate"),)
    half = states(report_cases(CLUSTER, report(limit=LIMIT, proofs=incomplete)))
    assert {half[name] for name in ALL if name.startswith("boundaries ") and "flags" not in name} == {"error"}
    crashed = report(passed=False, crash="the simulator died", full_rate=None, control=None)
    assert set(states(report_cases(CLUSTER, crashed)).values()) == {"error", "skipped"}
    nobody = report(passed=False, problem="test_cluster ran no test")
    assert report_cases(CLUSTER, nobody)[1] == Case(
        "run", "to the end", "error", "test_cluster ran no test", seconds=2.0
    )
    assert states(unbuilt_cases(CLUSTER, "no compiler"))["run build"] == "error"
    walked = report(passed=False, weights=(WALK,))
    assert states(report_cases(CLUSTER, walked))["control weights"] == "failed"
    control = report(passed=False, failures=(Failure(test="control", text="no core answers"),))
    assert states(report_cases(CLUSTER, control))["control registers"] == "failed"
    link = Failure(test="directed_tests", text="vnx_udp: packets are sent again")
    directed = states(report_cases(CLUSTER, report(passed=False, directed_tests={}, failures=(link,))))
    assert directed["control directed tests"] == "failed"
    assert "run to the end" not in directed


def check(path: Path) -> ElementTree.Element:
    """Return the root of a file that has the shape of the schemas that Jenkins, GitHub and GitLab read by."""
    root = ElementTree.parse(path).getroot()  # noqa: S314 - our own file
    assert root.tag == "testsuites"
    for suite in root:
        assert suite.tag == "testsuite"
        assert suite.get("name")
        tags = [child.tag for child in suite]
        inner = tags[1:] if tags[:1] == ["properties"] else tags
        inner = inner[:-1] if inner[-1:] == ["system-out"] else inner
        assert set(inner) <= {"testcase"}, "properties come first, the output last"
        cases = suite.findall("testcase")
        kinds = Counter(child.tag for case in cases for child in case)
        counted = {"failures": kinds["failure"], "errors": kinds["error"], "skipped": kinds["skipped"]}
        assert {name: int(suite.attrib[name]) for name in counted} == counted
        assert int(suite.attrib["tests"]) == len(cases)
        float(suite.attrib["time"])
        for case in cases:
            assert set(case.attrib) == {"classname", "name", "time"}
            assert len(case) <= 1
            for child in case:
                assert child.tag in ("failure", "error", "skipped")
                assert child.get("message")
                assert (child.get("type") is None) == (child.tag == "skipped")
        assert len({(case.get("classname"), case.get("name")) for case in cases}) == len(cases)
    for name in ("tests", "failures", "errors", "skipped"):
        assert int(root.attrib[name]) == sum(int(suite.attrib[name]) for suite in root)
    return root


def test_no_text_breaks_the_file(tmp_path: Path) -> None:
    text = 'a \x1b[31m<b> & "c" ]]> \x00 \ud800 \ufffe\nsecond line \u20ac'
    cases = (Case("boundaries", "<&\x07>", "failed", text), Case("run", "build", "skipped", text))
    path = tmp_path / "new" / "junit.xml"
    write_junit(path, [Suite("icarus", cases)])
    failure = check(path).find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.get("message") == 'a \\x1b[31m<b> & "c" ]]> \\x00 \\ud800 \\ufffe'
    assert failure.text == f"{failure.get('message')}\nsecond line \u20ac"
    assert [entry.name for entry in path.parent.iterdir()] == ["junit.xml"]
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file/junit\.xml: --junit: the file cannot be written"):
        write_junit(tmp_path / "file" / "junit.xml", [])


def test_it_takes_the_place_of_no_generated_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network = chain(partition("a"), partition("b"))
    out = generate_fake(network, one_each(network), tmp_path / "out")
    for name in ("plan.json", "manifest.json", "bench/../n0/n0_core.v"):
        before = (out / name).read_bytes()
        assert main(["simulate", str(out), "--junit", str(out / name)]) == 2
        assert "it is a generated file of the folder that is simulated" in capsys.readouterr().err
        assert (out / name).read_bytes() == before
    given = tmp_path / "cluster.toml"
    given.write_text('name = "mine"\n')
    for option in ("--junit", "--summary"):
        assert main(["simulate", str(out), option, str(given)]) == 2
        assert "it exists, and is no file that this option has written" in capsys.readouterr().err
    assert given.read_text() == 'name = "mine"\n'
    pipe = tmp_path / "pipe"  # root could also replace /dev/null
    os.mkfifo(pipe)
    assert main(["simulate", str(out), "--junit", str(pipe)]) == 2
    assert "is not a plain file" in capsys.readouterr().err
    assert pipe.is_fifo()


@pytest.mark.sweep
@pytest.mark.xdist_group("waves")
def test_the_command_writes_it_whatever_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    network = chain(partition("a"), partition("b"))
    out = generate_fake(network, one_each(network), tmp_path / "out")
    path = tmp_path / "junit.xml"

    def run(simulator: str, *more: str) -> tuple[int, list[Counter[str]]]:
        write_junit(path, [])  # of an earlier run
        common = ["simulate", str(out), "--simulator", simulator, "--junit", str(path), "--quiet", "--json"]
        code = main([*common, "--frames", "4", *more])
        return code, [
            Counter(child.tag for case in suite.findall("testcase") for child in case)
            for suite in check(path).findall("testsuite")
        ]

    assert run("icarus") == (0, [Counter(skipped=6)])
    (suite,) = check(path)
    figures = {one.get("name"): float(str(one.get("value"))) for one in suite.iter("property")}
    assert set(figures) == {"clock_mhz", "frames_per_second", "cycles"}
    assert min(figures.values()) > 0
    said = str(suite.findtext("system-out"))
    assert said.endswith(": PASS")
    assert f"{figures['frames_per_second']:,.0f} frames/s at {figures['clock_mhz']:g} MHz" in said
    names = [case.get("name") for case in check(path).iter("testcase")]
    known = [name.partition(" ")[2] for name in ALL]
    assert names == [name for name in known if "numbered" not in name and "replica" not in name]
    source = out / "n0" / "partition" / "a.v"
    whole = source.read_text()
    source.write_text(whole.replace("endmodule", "wire ;\nendmodule"))
    code, suites = run("both", "--edited")
    assert code == 2
    assert suites == [Counter(error=1, skipped=18)] * 2, "the second was never reached"
    assert not list(check(path).iter("property"))
    error = next(check(path).iter("error"))
    assert "does not accept this file of the build" in str(error.get("message"))
    source.write_text(whole)
    assert run("icarus", "--frames", "1") == (2, [Counter(error=1, skipped=18)])

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(simulation, "dump_waves", interrupted)
    assert run("icarus", "--waves", "all") == (130, [Counter(skipped=6)]), "the verdict is not undone"
    assert json.loads((out / "bench" / "run_icarus" / "report.json").read_text())["passed"]
    document = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (document["passed"], document["problems"], document["ok"]) == (True, ["interrupted"], False)
    monkeypatch.setattr(simulation, "simulate", interrupted)
    assert run("icarus") == (130, [Counter(error=1, skipped=18)])
    (out / "bench" / "bench.json").unlink()
    monkeypatch.undo()
    assert run("icarus")[0] == 2
    assert "bench.json: the file is missing" in str(next(check(path).iter("error")).get("message"))
