# SPDX-License-Identifier: BSD-3-Clause
"""The run of `make` and `demo`: its report counts until files, options, labels, tools or shellgen change."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from small_report import report_of

from shellgen import resumed
from shellgen.cache.sealed import SEAL, seal
from shellgen.model.bench_findings import Findings
from shellgen.model.bench_report import RunReport
from shellgen.simulate.cluster import SimulateOptions
from shellgen.simulate.tools import find_verilator


class Bench:
    """Stands for the bench: counts its runs, and writes the report of each."""

    def __init__(self, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.out, self.runs, self.passes = out, 0, True
        self.generated, self.labels = out / "generated", out / "labels.npy"
        (self.generated / "bench/run_verilator").mkdir(parents=True)
        (self.generated / "manifest.json").write_text("{}")
        self.labels.write_bytes(b"0123")
        monkeypatch.setattr(resumed, "simulate", self.simulate)
        monkeypatch.setattr(resumed, "write_ran", self.page)
        monkeypatch.setattr(resumed, "reports_folder", lambda: out.parent / "reports")
        self.shared: list[str] = []

    def simulate(self, generated: Path, *_: object) -> RunReport:
        self.runs += 1
        report = report_of(Findings(), passed=self.passes)
        (generated / "bench/run_verilator/report.json").write_text(json.dumps(report.document()))
        return report

    def page(self, generated: Path, _: RunReport) -> None:
        (generated / "bench/run_verilator/report.html").write_text(f"run {self.runs}")

    def again(self, inputs: str = "a", options: SimulateOptions | None = None) -> int:
        """Ask for the report; return how often the bench has run."""
        steps = resumed.Steps.of(self.out)
        report, page = resumed.proved(
            steps,
            "simulate",
            self.generated,
            "verilator",
            options or SimulateOptions(),
            [inputs],
            self.labels,
        )
        self.shared = steps.shared
        assert report.passed == self.passes
        assert page.is_file()
        return self.runs


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path / "out", monkeypatch)


def test_a_run_that_passed_counts(bench: Bench) -> None:
    assert [bench.again(), bench.again()] == [1, 1]


def other_file(bench: Bench, _: pytest.MonkeyPatch) -> None:
    (bench.generated / "manifest.json").write_text("{ }")


def other_labels(bench: Bench, _: pytest.MonkeyPatch) -> None:
    bench.labels.write_bytes(b"0124")


def other_simulator(_: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(find_verilator(), identity="another")
    monkeypatch.setattr(resumed, "find_verilator", lambda: other)


def other_release(_: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resumed, "code", lambda: "another")


@pytest.mark.parametrize("change", [other_file, other_labels, other_simulator, other_release])
def test_what_changes_runs_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, change: Callable[[Bench, pytest.MonkeyPatch], None]
) -> None:
    bench.again()
    change(bench, monkeypatch)
    assert bench.again() == 2


@pytest.mark.parametrize("file", ["report.json", "report.html"])
def test_a_report_that_was_edited_is_replaced(bench: Bench, file: str) -> None:
    bench.again()
    path = bench.generated / "bench/run_verilator" / file
    made = path.read_text()
    path.write_text("edited")
    assert bench.again() == 1
    assert path.read_text() == made
    assert bench.shared == ["simulate"]


def test_a_run_in_another_folder_counts(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.again()
    other = Bench(tmp_path / "other", monkeypatch)
    assert other.again() == 0
    assert other.shared == ["simulate"]
    assert other.again() == 0
    assert other.shared == []
    (other.generated / "manifest.json").write_text("{ }")
    assert other.again() == 1


@pytest.mark.parametrize("wrong", ["damaged", "failed", "another name"])
def test_a_kept_report_that_cannot_be_trusted_runs_again(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    bench.again()
    (entry,) = (path for path in (tmp_path / "reports").iterdir() if path.is_dir())
    kept = entry / "report.json"
    if wrong == "another name":
        bench.labels.write_bytes(b"0124")
        bench.again()
        (newer,) = (path for path in entry.parent.iterdir() if path.is_dir() and path != entry)
        shutil.rmtree(entry)
        newer.rename(entry)
        bench.labels.write_bytes(b"0123")
    else:
        told = json.loads(kept.read_text()) | {"passed": wrong == "damaged"}
        kept.chmod(0o644)
        kept.write_text(f"{json.dumps(told)}\n")
    if wrong == "failed":
        (entry / SEAL).unlink()
        seal(entry, entry)
    before = bench.runs
    other = Bench(tmp_path / "other", monkeypatch)
    assert other.again() == 1
    assert bench.runs == before
    assert other.shared == []


def test_options_and_inputs_run_again(bench: Bench) -> None:
    bench.again()
    assert bench.again(options=SimulateOptions(frames=3)) == 2
    assert bench.again(inputs="b") == 3


def test_a_run_that_failed_never_counts(bench: Bench) -> None:
    bench.passes = False
    assert [bench.again(), bench.again()] == [1, 2]


def test_an_interrupted_run_does_not_count(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.again()

    def stopped(*_: object) -> RunReport:
        raise KeyboardInterrupt

    monkeypatch.setattr(resumed, "simulate", stopped)
    bench.labels.write_bytes(b"0124")
    with pytest.raises(KeyboardInterrupt):
        bench.again()
    monkeypatch.setattr(resumed, "simulate", bench.simulate)
    assert bench.again() == 2
    assert bench.shared == []
