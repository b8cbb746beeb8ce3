# SPDX-License-Identifier: BSD-3-Clause
"""Builds of `stitch` that are kept: an equal job is not done again, and any other is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shellgen.cache import default_cache_dir
from shellgen.errors import InputError
from shellgen.stitch.kept import Job, build_of


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "cache"))
    (tmp_path / "finn" / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
    for name in ("model.onnx", "vectors.npy"):
        (tmp_path / name).write_text(name)
    python = tmp_path / "finn" / "bin" / "python"
    return Job(python, tmp_path / "model.onnx", "part", tmp_path / "vectors.npy")


def made(job: Job) -> int:
    """Ask twice for a build; return how often it was made."""
    calls = []

    def make(folder: Path) -> tuple[list[str], list[str]]:
        calls.append(folder)
        (folder / "parent").write_text(job.model.read_text())
        return ["p0", "p1"], ["a note"]

    for _ in range(2):
        with build_of(job, make) as build:
            assert (build.folder / "parent").read_text() == job.model.read_text()
            assert build.partitions == ["p0", "p1"]
            assert build.notes == ["a note"]
    return len(calls)


def test_an_equal_job_is_not_done_again(job: Job) -> None:
    assert made(job) == 1
    assert made(job) == 0


def test_any_other_job_is(job: Job, tmp_path: Path) -> None:
    made(job)
    assert made(replace(job, settings="another part")) == 1
    assert made(replace(job, vectors=None)) == 1
    (tmp_path / "vectors.npy").write_text("others")
    assert made(job) == 1
    (tmp_path / "model.onnx").write_text("retrained")
    assert made(job) == 1
    (tmp_path / "finn" / "lib" / "python3.11" / "site-packages" / "finn_plus-1.6.2.dist-info").mkdir()
    assert made(job) == 1
    assert made(job) == 0


def test_files_beside_a_model_may_change(job: Job) -> None:
    """Nothing of a model whose weights or children are in other files is kept."""
    for mark in ("location", "StreamingDataflowPartition"):
        job.model.write_text(mark)
        assert made(job) == 2


def test_a_build_that_is_damaged_is_made_again(job: Job) -> None:
    made(job)
    (kept,) = (default_cache_dir() / "stitched").rglob("parent")
    kept.write_text("")
    assert made(job) == 1


@pytest.mark.parametrize("name", ["model.onnx", "vectors.npy"])
def test_a_file_that_changes_meanwhile_is_refused(job: Job, tmp_path: Path, name: str) -> None:
    """Even where its old content came back: FINN may have read the other one."""
    content = (tmp_path / name).read_text()

    def changes(_: Path) -> tuple[list[str], list[str]]:
        (tmp_path / name).write_text("another")
        (tmp_path / name).write_text(content)
        return ["p0"], []

    said = rf"{name}: it was changed while FINN read it\. Run the command again"
    with pytest.raises(InputError, match=said), build_of(job, changes):
        pass
    assert made(job) == 1


def test_a_build_that_fails_leaves_nothing(job: Job) -> None:
    def fail(folder: Path) -> tuple[list[str], list[str]]:
        (folder / "parent").write_text("half")
        raise ValueError("FINN stopped")

    with pytest.raises(ValueError, match="FINN stopped"), build_of(job, fail):
        pass
    assert made(job) == 1
