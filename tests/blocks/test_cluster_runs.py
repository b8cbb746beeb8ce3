# SPDX-License-Identifier: BSD-3-Clause
"""A run of a cluster is replaced by its record only if nothing that it depends on has changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_bench import MIXED, run

from shellgen.errors import SimulationError
from shellgen.simulate.build import Model, ModelSpec
from shellgen.simulate.results import TestsFailedError
from shellgen.simulate.run import RunResult
from tools.blocks import cluster_runs, verdicts
from tools.blocks.cluster_runs import Unbuilt, model, ran
from tools.blocks.verdicts import MODE, TARGET, discard, finish, marked_files, merge

TEST = "tests/blocks/test_cluster_runs.py::test_one"
FINDINGS = {"control": {"n0": {"build_id": "0"}}}
# A generated folder, without contents that matter here.
FILES = {
    "n0/rtl/core.v": "module core; endmodule\n",
    "n0/partition/weights.dat": "1f\n",
    "bench/test_cluster.py": "FRAMES = 3\n",
    "bench/bench.json": "{}\n",
    "plan.json": "{}\n",
    "n0/vivado/bd.tcl": "set a 1\n",
    "report.html": "<p>\n",
    "manifest.json": "{}\n",
}


@pytest.fixture(name="record")
def _record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], tuple[int, int]]]:
    """Record what has run, as `make verdicts` does; return how many runs were kept, and made."""
    parts, folder = tmp_path / "parts", tmp_path / "record"
    parts.mkdir()
    monkeypatch.setattr(verdicts, "FOLDER", folder)
    monkeypatch.setattr(verdicts._tally, "marked", True)
    monkeypatch.setenv(TARGET, str(parts))
    monkeypatch.setenv(MODE, "")
    verdicts._record.cache_clear()

    def write() -> tuple[int, int]:
        counts = finish(TEST)
        merge(parts, folder)
        verdicts._record.cache_clear()
        return counts

    yield write
    discard()
    verdicts._record.cache_clear()


class Cluster:
    """A generated folder with a model and a simulator that say what they are asked for."""

    def __init__(self, folder: Path) -> None:
        self.out, self.asked = folder / "out", {"frames": 6, "inject": {"kind": 0}, "seed": 1}
        self.asked |= dict.fromkeys(("weights", "xpm", "waves"), "") | {"timeout": None}
        self.asked["golden"] = {"folder": str(self.out / "bench")}
        self.defines: tuple[str, ...] = ()
        self.done: list[str] = []
        self.findings: dict[str, Any] = FINDINGS
        self.tests, self.fails = ("control",), False
        self.failures: dict[str, str] = {}
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        (self.out / name).parent.mkdir(parents=True, exist_ok=True)
        (self.out / name).write_text(text)

    def _build(self) -> Model:
        self.done.append("built")
        data = (self.out / "n0/partition/weights.dat",)
        return Model("icarus", "bench_top", Path("model"), data, was_cached=False, seconds=1.0)

    def _execute(self, _model: Model, _module: str, _path: object, run_dir: Path) -> RunResult:
        self.done.append("ran")
        if self.fails:
            raise SimulationError
        (run_dir / "findings.json").write_text(json.dumps(self.findings))
        np.save(run_dir / "result.npy", np.arange(3))
        if self.failures:
            raise TestsFailedError(run_dir / "simulation.log", self.tests, self.failures, "; ERROR: level")
        return RunResult(self.tests, (), 1.0, run_dir / "simulation.log")

    def simulate(self) -> tuple[list[str], RunResult]:
        """Return what was really done, and what came of it."""
        self.done.clear()
        run_dir = self.out / "bench" / "run_icarus"
        for old in run_dir.glob("*"):
            old.unlink()
        run_dir.mkdir(exist_ok=True)
        (run_dir / "options.json").write_text(json.dumps(self.asked))
        spec = ModelSpec(
            [self.out / "n0/rtl/core.v"],
            "bench_top",
            data_files=[self.out / "n0/partition/weights.dat"],
            defines=self.defines,
        )
        one = model(spec, "icarus", self._build)
        try:
            found = ran(self._execute, one, "test_cluster", [self.out / "bench"], run_dir)
        finally:
            if not self.fails:
                self._left(run_dir)
        return list(self.done), found

    def _left(self, run_dir: Path) -> None:
        assert json.loads((run_dir / "findings.json").read_text()) == self.findings
        assert np.load(run_dir / "result.npy").tolist() == [0, 1, 2]


@pytest.fixture(name="cluster")
def _cluster(tmp_path: Path, record: Callable[[], tuple[int, int]]) -> Cluster:
    """One whose run is recorded."""
    one = Cluster(tmp_path)
    assert one.simulate()[0] == ["built", "ran"]
    assert record() == (0, 1)
    return one


BOTH = ["built", "ran"]


def test_what_has_not_changed_is_not_even_built(cluster: Cluster, record: Callable[[], Any]) -> None:
    done, found = cluster.simulate()
    assert (done, found.tests, found.failures) == ([], ("control",), ())
    assert record() == (1, 0)
    assert json.loads(next(verdicts.FOLDER.glob("*.json")).read_text())["ran"], "the day of the run is kept"
    assert cluster.simulate()[0] == []


def test_files_that_no_simulator_reads_may_change(cluster: Cluster) -> None:
    for name in ("n0/vivado/bd.tcl", "report.html", "manifest.json", "bench/run_verilator/findings.json"):
        cluster.write(name, "other\n")
    assert cluster.simulate()[0] == []


@pytest.mark.parametrize("name", ["n0/rtl/core.v", "n0/partition/weights.dat", "bench/test_cluster.py"])
@pytest.mark.parametrize("text", ["other\n", ""])
def test_each_file_that_changes_is_seen(cluster: Cluster, name: str, text: str) -> None:
    cluster.write(name, text)
    assert cluster.simulate()[0] == BOTH
    cluster.write(name, FILES[name])
    assert cluster.simulate()[0] == []


def test_a_file_more_or_less_is_seen(cluster: Cluster) -> None:
    cluster.write("bench/numpy.py", "")
    assert cluster.simulate()[0] == BOTH
    (cluster.out / "bench/numpy.py").rename(cluster.out / "bench/cocotb.py")
    assert cluster.simulate()[0] == BOTH
    (cluster.out / "bench/cocotb.py").unlink()
    assert cluster.simulate()[0] == []
    (cluster.out / "plan.json").unlink()
    assert cluster.simulate()[0] == BOTH


def test_options_and_flags_are_seen(cluster: Cluster) -> None:
    for field, value in (("frames", 7), ("seed", 2), ("golden", {"folder": "/elsewhere"})):
        before = cluster.asked[field]
        cluster.asked[field] = value
        assert cluster.simulate()[0] == BOTH, field
        cluster.asked[field] = before
    cluster.defines = ("BENCH_FRAMES=9",)
    assert cluster.simulate()[0] == BOTH


@pytest.mark.parametrize("tool", ["icarus", "cocotb", "cocotb-bus", "numpy"])
def test_another_tool_is_seen(cluster: Cluster, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = verdicts.tool_version
    monkeypatch.setattr(verdicts, "tool_version", lambda one: known(one) + ("x" if one == tool else ""))
    assert cluster.simulate()[0] == BOTH


def test_the_code_that_runs_it_is_seen(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = {path.name for path in cluster_runs.runner()}
    assert names > {"build.py", "run.py", "verilate.py", "icarus.py", "keeper.py", "main.cpp", "results.py"}
    assert not names & {"report.py", "verdict.py", "outcome.py"}, "these judge every time"
    changed = tmp_path / "run.py"
    changed.write_text("WAIT = 0\n")
    monkeypatch.setattr(cluster_runs, "runner", lambda: (changed,))
    assert cluster.simulate()[0] == BOTH


@pytest.mark.parametrize(
    ("field", "value"),
    [("xpm", "x"), ("waves", "all"), ("timeout", 9.0)],
)
def test_waves_limits_and_files_from_outside_are_never_recorded(
    cluster: Cluster, record: Callable[[], Any], field: str, value: object
) -> None:
    cluster.asked[field] = value
    for _ in range(2):
        assert cluster.simulate()[0] == BOTH
        assert record() == (0, 0)


def test_weights_from_outside_are_seen(cluster: Cluster, record: Callable[[], Any], tmp_path: Path) -> None:
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights/a.dat").write_text("1\n")
    cluster.asked["weights"] = str(tmp_path / "weights")
    assert (cluster.simulate()[0], record()) == (BOTH, (0, 1))
    assert cluster.simulate()[0] == []
    (tmp_path / "weights/a.dat").write_text("2\n")
    assert cluster.simulate()[0] == BOTH


def test_a_run_that_found_something_finds_the_same_from_its_record(
    cluster: Cluster, record: Callable[[], Any]
) -> None:
    cluster.findings, cluster.asked["inject"] = {"stalled": {"verdicts": [{"passed": False}]}}, {"kind": 1}
    cluster.failures = {"streams_stalled": "word 3 is 5, not 4"}
    said = []
    for done in (BOTH, []):
        with pytest.raises(TestsFailedError) as raised:
            cluster.simulate()
        assert cluster.done == done
        record()
        said.append((raised.value.tests, raised.value.failures, raised.value.said, str(raised.value)))
    assert said[0] == said[1]


def test_what_is_injected_is_seen(cluster: Cluster) -> None:
    cluster.asked["inject"] = {"kind": 2}
    assert cluster.simulate()[0] == BOTH


def test_a_run_without_results_is_not_recorded(cluster: Cluster, record: Callable[[], Any]) -> None:
    cluster.write("n0/rtl/core.v", "module core; wrong endmodule\n")
    cluster.fails = True
    for _ in range(2):
        with pytest.raises(SimulationError):
            cluster.simulate()
        assert cluster.done == BOTH
        assert record() == (0, 0)


def test_the_sweep_runs_all_and_refuses_a_wrong_record(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MODE, "run")
    assert cluster.simulate()[0] == BOTH
    cluster.findings = {"control": None}
    with pytest.raises(AssertionError, match="not as recorded"):
        cluster.simulate()


def test_only_marked_tests_take_runs_from_the_record(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdicts._tally, "marked", False)
    assert cluster.simulate()[0] == BOTH
    assert not isinstance(model(replace(ModelSpec([], "top")), "icarus", cluster._build), Unbuilt)


def test_marked_files_are_those_with_the_mark() -> None:
    assert "tests/test_accl_cluster.py" in marked_files()
    assert "tests/test_runs_end.py" not in marked_files(), "it is about runs"


@pytest.mark.sweep
def test_the_report_of_a_real_run_is_the_same_from_its_record(
    record: Callable[[], tuple[int, int]], tmp_path: Path
) -> None:
    out = MIXED.generate(tmp_path / "mixed")
    first, counts = run(out, "icarus"), record()
    again = run(out, "icarus")
    assert (counts, record()) == ((0, 1), (1, 0))
    for field in ("seconds", "built_in"):
        first.pop(field)
        again.pop(field)
    assert first == again
