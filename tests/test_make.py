# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen make`: its refusals, and which steps run again after inputs or results have changed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, NoReturn

import pytest

from shellgen.cli import main
from shellgen.errors import InputError, one
from shellgen.resources import data_dir
from shellgen.resumed import Steps, origin


@pytest.mark.parametrize(
    ("words", "wanted"), [(["--frames", "1"], "--frames: got 1. Give at least 2"), ([], "--boards")]
)
def test_make_refuses(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    wanted: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.onnx").write_bytes(b"")
    assert main(["make", "net.onnx", *words, "-o", "out"]) == 2
    assert wanted in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_folder_in_which_another_command_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def second(*_: object) -> NoReturn:
        assert (
            main(["make", "net.onnx", "--boards", "zedboard", "-o", str(tmp_path / "x" / ".." / "out")]) == 2
        )
        raise one(InputError, "the first", "it ends here", "Do nothing")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("shellgen.cli.all_steps.split_of", second)
    words = ["make", "net.onnx", "--boards", "zedboard", "-o"]
    assert main([*words, "out"]) == 2
    said = capsys.readouterr().err
    assert "out: another command works in this folder (process" in said
    assert "Wait until it ends, or end it" in said
    assert "the first: it ends here" in said


def completed(out: Path) -> Path:
    """A folder in which an earlier run completed a step that made one file."""
    made = out / "build/a.v"
    made.parent.mkdir(parents=True)
    made.write_text("module a;")
    Steps.of(out).complete("stitch", "inputs", [made])
    return made


def test_a_step_with_the_same_inputs_and_results_is_done(tmp_path: Path) -> None:
    made = completed(tmp_path)
    (made.parent / "mine.txt").write_text("a file of the user beside it")
    steps = Steps.of(tmp_path)
    assert not steps.is_done("stitch", "other inputs")
    assert not steps.is_done("simulate", "inputs")
    assert steps.reused == []
    assert steps.is_done("stitch", "inputs")
    assert steps.reused == ["stitch"]


def test_a_step_whose_results_are_not_what_it_made_is_not_done(tmp_path: Path) -> None:
    made = completed(tmp_path)
    made.write_text("module b;")
    assert not Steps.of(tmp_path).is_done("stitch", "inputs")
    made.unlink()
    assert not Steps.of(tmp_path).is_done("stitch", "inputs")
    made.mkdir()
    assert not Steps.of(tmp_path).is_done("stitch", "inputs")
    made.rmdir()
    made.write_text("module a;")
    assert Steps.of(tmp_path).is_done("stitch", "inputs")


def test_a_step_that_was_interrupted_is_not_done(tmp_path: Path) -> None:
    """Neither with its new inputs nor, when these are taken back, with the old ones."""
    completed(tmp_path)
    steps = Steps.of(tmp_path)
    assert not steps.has_begun("simulate")
    steps.begin("stitch")
    later = Steps.of(tmp_path)
    assert not later.is_done("stitch", "inputs")
    assert later.has_begun("stitch")  # so the folder is no other program's


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"stitch": "0123"}',
        '{"stitch": {"inputs": 3, "files": {}}}',
        '{"stitch": {"inputs": "inputs", "files": []}}',
        '{"stitch": {"inputs": "inputs", "files": {"a": 1}}}',
    ],
)
def test_a_record_that_cannot_be_read_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "make.json").write_text(text)
    steps = Steps.of(tmp_path)
    assert steps.done == {}
    steps.complete("stitch", "inputs", [])
    assert Steps.of(tmp_path).is_done("stitch", "inputs")


def test_origin_tells_inputs_and_releases_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "net.onnx"
    file.write_bytes(b"ab")
    told = origin(["c"], [file])
    assert told == origin(["c"], [file])
    assert told != origin(["ca"], [file])
    file.write_bytes(b"abc")
    assert told != origin([""], [file])
    file.write_bytes(b"ab")
    monkeypatch.setattr("shellgen.resumed.code", lambda: "another release")
    assert told != origin(["c"], [file])


@pytest.mark.finn
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "lut", "dsp", "frames"),
    [("digits", 0.86, 0.98, 40), ("residual", 0.7, 0.9, 8)],  # a chain; a cut through branches
)
def test_make_proves_and_resumes(
    name: str, lut: float, dsp: float, frames: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """FINN's own layers on two boards that are nearly full: all proofs, then nothing left to do."""
    model = data_dir("examples") / name / f"{name}.onnx"
    limits = ["--reserve", f"lut={lut}", f"dsp={dsp}"]
    out = tmp_path / "out"
    words = ["make", str(model), "--boards", "zedboard*2", *limits, "-o", str(out), "--json"]

    def made(*more: str) -> Any:
        assert main([*words, *(more or ("--frames", str(frames)))]) == 0
        return json.loads(capsys.readouterr().out)

    first = made()
    assert first["report"]["passed"] is True
    assert (len(first["split"]["boards"]), first["reused"]) == (2, [])
    arrived = first["estimate"]["arrived"]
    cycles = (arrived[-1] - arrived[len(arrived) // 2]) / (len(arrived) - 1 - len(arrived) // 2)
    promised = max(board["cycles"] for board in first["split"]["boards"])
    assert cycles == pytest.approx(promised, rel=0.05)
    again = made()
    assert again["reused"] == ["stitch", "simulate"]
    assert again["split"] == first["split"]
    # A step whose results were lost or edited runs, and what follows from them is as it was.
    partition = next(out.glob("build/StreamingDataflowPartition_*"))
    shutil.rmtree(partition)
    assert made()["reused"] == ["simulate"]
    (out / "build/dataflow_parent.onnx").unlink()
    assert made()["reused"] == ["simulate"]
    source = next(partition.rglob("*.v"))
    source.write_text(source.read_text() + "// edited\n")
    assert made()["reused"] == ["simulate"]
    assert made()["reused"] == ["stitch", "simulate"]
    (out / "generated/bench/run_verilator/report.html").unlink()
    assert made()["reused"] == ["stitch"]
    assert made("--frames", "5")["reused"] == ["stitch"]
