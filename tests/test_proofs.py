# SPDX-License-Identifier: BSD-3-Clause
"""A PASS needs every proof that was asked for: none may be left out, filtered, blind, or of other files."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_bench import read_report, report_text, within
from estimate_clusters import RATE, beside
from fake_network import chain, one_each, partition, plan_of
from waiting import PATIENCE

from shellgen.disk.manifest import sha256_of
from shellgen.disk.output import write
from shellgen.emit.whole import emit
from shellgen.errors import InputError, Problem, SimulationError
from shellgen.model import Golden, GoldenVectors
from shellgen.plan.junction import junction_files
from shellgen.simulate import RunResult, cluster
from shellgen.simulate.as_generated import refuse_unused
from shellgen.simulate.cases import outline, report_cases
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.simulate.description import read_bench
from shellgen.simulate.options import RunOptions, RunVectors
from shellgen.simulate.planned import read_plan
from shellgen.simulate.required import Required, not_proved, required_tests

FRAMES = 3
pytestmark = [pytest.mark.recorded, pytest.mark.xdist_group("proofs")]


def generated(folder: Path, frames: np.ndarray[Any, Any]) -> Path:
    """Two partitions that forward their input, with vectors of the user to compare."""
    network = chain(partition("a"), partition("b"))
    plan = plan_of(network, one_each(network))
    content = io.BytesIO()
    np.save(content, frames)
    sha256 = hashlib.sha256(content.getvalue()).hexdigest()
    vectors = [GoldenVectors(boundary=name, sha256=sha256) for name in ("host_to_a", "b_to_host")]
    note = f"golden: {len(frames)} frames of [verify]"
    golden = Golden(note=note, asked=True, frames=len(frames), vectors=tuple(vectors))
    files = {**network.files, **junction_files(plan.partitions), sha256: content.getvalue()}
    write(emit(plan.model_copy(update={"golden": golden}), files), folder / "out")
    return folder / "out"


def run(out: Path, **options: Any) -> dict[str, Any]:
    with within(int(PATIENCE)):
        asked = SimulateOptions(**{"frames": FRAMES, "idle_limit": 3000, **options})
        return simulate(out, "icarus", asked).document()


@pytest.fixture(scope="module")
def told_apart(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder whose vectors differ, and the report of its run."""
    frames = np.random.default_rng(1).integers(0, 16, (FRAMES, 16))
    out = generated(tmp_path_factory.mktemp("proofs"), frames)
    return out, run(out)


@pytest.fixture
def out(told_apart: tuple[Path, dict[str, Any]], tmp_path: Path) -> Path:
    return Path(
        shutil.copytree(told_apart[0], tmp_path / "out", ignore=shutil.ignore_patterns("run_icarus*"))
    )


def crossed_core(out: Path) -> None:
    """Exchange the half words of the bus to the first partition: constant words cross that unchanged."""
    core = out / "n0" / "n0_core.v"
    text, count = re.subn(
        r"\.s_axis_0_tdata\((\w+)\)", r".s_axis_0_tdata({\1[3:0], \1[7:4]})", core.read_text(), count=1
    )
    assert count
    core.write_text(text)


def test_every_proof_is_shown_and_said(told_apart: tuple[Path, dict[str, Any]]) -> None:
    out, report = told_apart
    assert report["passed"], report["problem"]
    assert report["full_rate"]["own"] == report["stalled"]["own"] == 7
    # Nobody knows when these layers have their first word, so only the rate can be right.
    found = beside(out, report)
    assert found.unknown
    assert found.rate_error is not None
    assert abs(found.rate_error) <= RATE
    text = report_text(report)
    assert "3 frames, 7 of the bench's own, and one more" in text
    assert "golden compares 3 different outputs" in text
    states = {proof["name"]: (proof["state"], proof["required"]) for proof in report["proofs"]}
    assert states["boundaries"] == states["monolith"] == states["golden"] == ("OK", True)
    cases = report_cases(outline(read_bench(out)), read_report(report))
    assert {case.name: case.state for case in cases if case.group == "results"} == {
        "monolith": "passed",
        "golden": "passed",
    }


def test_whatever_is_left_out_is_named(told_apart: tuple[Path, dict[str, Any]]) -> None:
    """Each test and each part of the bench's report, taken away one at a time."""
    out, report = told_apart
    required = Required.of(read_plan(out))
    golden = json.loads((out / "bench" / "run_icarus" / "options.json").read_text())["golden"]
    options = RunOptions(SimulateOptions(frames=FRAMES), RunVectors(**golden), {}, {})
    tests = required_tests(required, options.asked)
    assert len(tests) == report["tests"]
    assert not_proved(read_report(report), required, options, tests) == []
    for name in tests:
        rest = [test for test in tests if test != name]
        assert not_proved(read_report(report), required, options, rest) == [f"the test {name} did not run"]

    def lacks(change: Callable[[dict[str, Any]], Any]) -> list[str]:
        less = copy.deepcopy(report)
        change(less)
        return not_proved(read_report(less), required, options, tests)

    assert lacks(lambda less: less.pop("control")) == [
        "control: nothing was shown of node n0",
        "control: nothing was shown of node n1",
    ]
    assert lacks(lambda less: less["protocol"].pop("n1")) == ["protocol: nothing was shown of node n1"]
    assert lacks(lambda less: less.pop("directed_tests")) == [
        "directed_tests: nothing was shown of link tcp_dma"
    ]
    assert lacks(lambda less: less.pop("flight")) == ["flight: it has noted nothing"]
    for run in ("full_rate", "stalled"):
        found = lacks(lambda less: less.pop(run))  # noqa: B023 - it is called at once
        assert len(found) == 6, found
        for verdict in range(len(report[run]["verdicts"])):
            less = lacks(lambda less: less[run]["verdicts"].pop(verdict))  # noqa: B023
            kind = report[run]["verdicts"][verdict]["proof"]
            assert len(less) == (kind in ("boundary", "monolith", "golden")), (kind, less)
        assert lacks(lambda less: less[run].update(own=1)) == [  # noqa: B023
            f"streams_{run}: the bench sent 1 frame of its own, and 7 are required"
        ]


@pytest.mark.parametrize("value", [0, pytest.param(7, marks=pytest.mark.sweep)])
def test_frames_that_cannot_tell_are_no_proof(tmp_path: Path, value: int) -> None:
    """Constant vectors agree with a core whose bus is crossed; the bench's own frames do not."""
    out = generated(tmp_path, np.full((FRAMES, 16), value))
    report = run(out, walk="none")
    assert not report["passed"], "golden is required, and these vectors show nothing"
    said = "all values of the vectors are the same, so a swap of words would go unseen"
    assert f"golden not shown ({said}" in report["line"] or f"golden not shown: {said}" in report["line"]
    assert "The proof golden is required and was not shown" in report_text(report)
    assert (
        "golden compares one output only; any swap would go unseen: all values are the same"
        in report_text(report)
    )
    cases = {case.name: case for case in report_cases(outline(read_bench(out)), read_report(report))}
    assert (cases["golden"].state, cases["monolith"].state) == ("failed", "passed")
    crossed_core(out)
    with pytest.raises(InputError, match=r"n0/n0_core\.v: it is not as it was generated"):
        run(out)
    blind = run(out, walk="none", own_frames=False, edited=True, control=False, full_rate=False)
    assert "boundaries OK, monolith OK" in blind["line"]
    report = run(out, walk="none", edited=True, control=False, full_rate=False)
    assert "boundaries FAIL" in report["line"]
    assert "host_to_a: frame 2 (the bench's own), element [0]" in report["problem"]
    assert "FAIL, not as generated: n0/n0_core.v" in report_text(report)
    cases = {case.name: case for case in report_cases(outline(read_bench(out)), read_report(report))}
    assert cases["as generated"].state == "skipped"


def emptied(out: Path) -> None:
    """Leave one test that proves nothing."""
    text = "import cocotb\n\n@cocotb.test()\nasync def nothing(dut):\n    pass\n"
    (out / "bench" / "test_cluster.py").write_text(text)


def shadowed(out: Path) -> None:
    """Put a module beside the bench that Python finds before its own."""
    (out / "bench" / "numpy.py").write_text("raise SystemExit(0)\n")


EDITS: dict[str, tuple[Callable[[Path], object], str]] = {
    "test_cluster.py": (emptied, "it is not as it was generated"),
    "numpy.py": (shadowed, "it was not generated"),
    "golden_0.npy": (lambda out: (out / "bench" / "golden_0.npy").unlink(), "the file is missing"),
    "golden_2.npy": (lambda out: (out / "bench" / "golden_2.npy").unlink(), "the file is missing"),
}


@pytest.mark.parametrize("name", EDITS)
def test_edited_files_are_named_before_anything_runs(out: Path, name: str) -> None:
    change, said = EDITS[name]
    change(out)
    with pytest.raises(InputError) as caught:
        run(out)
    (problem,) = caught.value.problems
    assert problem.where == str(out / "bench" / name)
    assert said in problem.found
    assert "--edited" in problem.remedy
    assert not (out / "bench" / "run_icarus").exists()


def forged(out: Path, unless: str = "") -> None:
    """Let the manifest agree with whatever is there, and know nothing of one file."""
    path = out / "manifest.json"
    entries = {name: sha256_of(out / name) for name in json.loads(path.read_text()) if name != unless}
    path.write_text(json.dumps({name: digest for name, digest in entries.items() if digest}))


def rewritten(out: Path, name: str, **fields: Any) -> None:
    """Change fields of a JSON file."""
    path = out / "bench" / name
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def appended(path: Path) -> None:
    """Add a line that changes nothing."""
    path.write_text(path.read_text() + "\n")


FORGERIES: dict[str, Callable[[Path], object]] = {
    "bench/test_cluster.py": emptied,
    "bench/bench.json": lambda out: rewritten(out, "bench.json", golden_asked=False),
    "bench/bench.json ": lambda out: rewritten(out, "bench.json", own_frames=0, own_least=0),
    "n0/n0_core.v": crossed_core,
    "n0/n0_core.v ": crossed_core,
    "n1/partition/b.v": lambda out: appended(out / "n1" / "partition" / "b.v"),
    "bench/bench_top.sv": lambda out: appended(out / "bench" / "bench_top.sv"),
    "host/shellgen_map.py": lambda out: appended(out / "host" / "shellgen_map.py"),
    "memory_map.json": lambda out: (out / "memory_map.json").write_text("{}"),
    "plan.json": lambda out: rewritten(out, "../plan.json", boundaries=[]),
    "bench/golden_2.npy": lambda out: np.save(out / "bench" / "golden_2.npy", np.full((FRAMES, 16), 7)),
    "bench/sim/axis_monitor.sv": lambda out: (out / "bench" / "sim" / "axis_monitor.sv").write_text("\n"),
    "n0/rtl/axis_frame_rx.sv": lambda out: (out / "n0" / "rtl" / "axis_frame_rx.sv").write_text("\n"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_manifest_that_agrees_is_not_believed_alone(out: Path, name: str) -> None:
    """The folder must be the one that this version generates from its plan."""
    FORGERIES[name](out)
    forged(out, unless="n0/n0_core.v" if name == "n0/n0_core.v" else "")
    with pytest.raises(InputError) as caught:
        run(out)
    wrong = [problem.where for problem in caught.value.problems]
    assert wrong == [str(out / name.strip())] or name == "plan.json"


def restored(out: Path) -> None:
    """Exchange a module and put it back, as a script does that tries something."""
    module, kept = out / "bench" / "bench_judge.py", out / "kept"
    module.rename(kept)
    module.write_text("")
    kept.rename(module)


def test_files_that_change_during_a_run(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict would be about other files than those that are there afterwards."""
    changes = {
        "n0/n0_core.v": crossed_core,
        "bench/numpy.py": shadowed,
        "bench/golden_0.npy": lambda out: (out / "bench" / "golden_0.npy").unlink(),
        "bench/bench_judge.py": restored,
    }
    for name, change in changes.items():
        path = out / name
        kept = path.read_bytes() if path.exists() else None

        def changing(*_: Any, change: Callable[[Path], object] = change, **__: Any) -> RunResult:
            change(out)
            return RunResult(("streams_stalled",), (), 1.0, out)

        monkeypatch.setattr(cluster, "run_model", changing)
        report = run(out)
        assert not report["passed"]
        assert f"{path}: the file changed during the run" in report["problem"]
        if kept is None:
            path.unlink()
        else:
            path.write_bytes(kept)


def test_a_model_that_cannot_be_built_leaves_no_earlier_report(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = out / "bench" / "run_icarus" / "report.json"
    report.parent.mkdir()
    report.write_text('{"passed": true}')

    def fails(*_: Any, **__: Any) -> Any:
        raise SimulationError(Problem("x", "it cannot be compiled", "Correct it"))

    monkeypatch.setattr(cluster, "build_model", fails)
    with pytest.raises(SimulationError, match="it cannot be compiled"):
        run(out)
    assert not report.exists()


def test_edited_on_purpose_owes_the_same_proofs(out: Path) -> None:
    emptied(out)
    report = run(out, edited=True)
    assert not report["passed"]
    assert "the test streams_stalled did not run" in report["problem"]
    assert "FAIL, not as generated: bench/test_cluster.py" in report_text(report)
    shutil.copy(out / "bench" / "golden_0.npy", out / "bench" / "golden_2.npy")
    (out / "bench" / "golden_0.npy").unlink()
    assert not run(out, edited=True)["passed"]


def test_an_edit_that_the_bench_does_not_compile_is_refused(out: Path) -> None:
    """The bench compiles one copy of a block of several nodes: an edit of another would pass unseen."""
    compiled = {Path(name).name: name for name in read_bench(out).sources.ours}
    copies = sorted(path for path in out.glob("*/rtl/*.sv") if path.name in compiled)
    other = next(path for path in copies if path != out / compiled[path.name])
    other.write_text(other.read_text() + "// edited\n")
    taken = compiled[other.name]
    with pytest.raises(InputError, match=f"the bench compiles {taken} in its place, which differs. Edit all"):
        run(out, edited=True)
    shutil.copy(other, out / taken)
    refuse_unused(out, read_bench(out), [taken, other.relative_to(out).as_posix()])


def test_a_description_edited_on_purpose_asks_for_no_less(out: Path) -> None:
    """The required proofs follow from the plan: the bench omits those that its own description omits."""
    bench = json.loads((out / "bench" / "bench.json").read_text())
    bare = [{**boundary, "golden": None} for boundary in bench["boundaries"]]
    less: dict[str, Any] = {"own_frames": 0, "own_least": 0, "golden_asked": False, "boundaries": bare}
    rewritten(out, "bench.json", **less, golden_frames=0, golden_note="golden not run: nobody asked")
    report = run(out, edited=True, walk="none", control=False, full_rate=False)
    assert "boundaries OK, monolith OK" in report["line"]
    assert not report["passed"]
    said = [failure["text"] for failure in report["failures"]]
    assert said == [
        "streams_stalled: b_to_host was not compared with its golden vectors",
        "streams_stalled: the bench sent 0 frames of its own, and 7 are required",
    ]
    states = {proof["name"]: (proof["state"], proof["required"]) for proof in report["proofs"]}
    assert states["golden"] == ("not shown", True)
    assert "FAIL, not as generated: bench/bench.json" in report_text(report)
    (out / "plan.json").unlink()
    with pytest.raises(InputError, match="nobody knows what a run must show"):
        run(out, edited=True)


def test_without_a_manifest_nothing_is_believed(out: Path) -> None:
    (out / "manifest.json").unlink()
    with pytest.raises(InputError, match="nobody knows what was generated"):
        run(out)


def test_what_an_earlier_run_left_counts_for_nothing(
    told_apart: tuple[Path, dict[str, Any]], out: Path, tmp_path: Path
) -> None:
    """Not even where the run's folder is a link to it, or Python's own files are of another source."""
    elsewhere = shutil.copytree(told_apart[0] / "bench" / "run_icarus", tmp_path / "elsewhere")
    (out / "bench" / "run_icarus").symlink_to(elsewhere)
    cached = out / "bench" / "__pycache__"
    cached.mkdir(exist_ok=True)
    (cached / "test_cluster.cpython-311.pyc").write_bytes(b"not compiled by anybody")
    before = (elsewhere / "report.json").read_text()
    report = run(out, control=False, full_rate=False, walk="none")
    assert report["passed"], report["problem"]
    assert (elsewhere / "report.json").read_text() == before
    assert not (out / "bench" / "run_icarus").is_symlink()
