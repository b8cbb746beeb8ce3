# SPDX-License-Identifier: BSD-3-Clause
"""`--json`: one document for every use and every end of a command, an internal error included."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bad_input import PROGRESS, System, copy_system
from small_report import report_of

import shellgen.api
from shellgen.cli import main
from shellgen.cli.entry import parser
from shellgen.errors import ShellgenError, ToolMissingError, one
from shellgen.model.bench_findings import Findings
from shellgen.model.bench_report import RunReport

COMMANDS = sorted(next(a.choices for a in parser()._actions if isinstance(a.choices, dict)))


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "cache"))
    return copy_system(tmp_path)


def document(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, dict[str, Any]]:
    """Run; stdout must be one document, whose ``ok`` is the exit code's."""
    capsys.readouterr()
    code = main(argv)
    (line,) = capsys.readouterr().out.splitlines()
    record = json.loads(line)
    assert isinstance(record, dict)
    assert record["ok"] == (code == 0)
    return code, record


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("at")
def test_json_before_and_after_every_command(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    for rest in ((), ("--no-such-option",), ("--help",)):
        before = document(capsys, "--json", command, *rest)
        assert before == document(capsys, command, *rest, "--json")
    assert document(capsys, "--json", command, "--no-such-option")[0] == 2
    assert f"shellgen {command}" in document(capsys, command, "--help", "--json")[1]["help"]


@pytest.mark.usefixtures("at")
def test_json_of_every_ordinary_use(capsys: pytest.CaptureFixture[str]) -> None:
    for argv in (
        ("plan", "cluster.toml", "-o", "x"),
        ("generate", "cluster.toml", "-o", "x"),
        ("generate", "cluster.toml", "-o", "x", "--dry-run"),
        ("weights", "cluster.toml", "-o", "w"),
        ("map", "x"),
        ("init", "build/parent.onnx"),
        ("init", "build/parent.onnx", "-o", "new.toml"),
        ("list", "boards"),
        ("cache",),
        ("completion", "bash"),
        ("help", "map"),
        ("--version",),
    ):
        assert document(capsys, "--json", *argv)[0] == 0, argv
        if argv != ("--version",):
            assert document(capsys, *argv, *(["--force"] if "new.toml" in argv else []), "--json")[0] == 0


def ctrl_c(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def terminate(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(10)


@pytest.mark.parametrize(
    ("end", "code", "word"), [(ctrl_c, 130, "interrupted"), (terminate, 143, "terminated")]
)
@pytest.mark.usefixtures("at")
def test_who_ends_a_command_gets_an_answer(
    end: Callable[..., None],
    code: int,
    word: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(shellgen.api, "emitted", end)
    argv = ("generate", "cluster.toml", "-o", "x")
    assert main(argv) == code
    said = capsys.readouterr()
    assert (said.out, PROGRESS.sub("", said.err)) == ("", f"shellgen: {word}\n")
    assert document(capsys, *argv, "--json") == (code, {"ok": False, "problems": [word]})
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


@pytest.mark.usefixtures("at")
def test_a_defect_of_ours_is_a_document_and_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shellgen.api, "emitted", lambda *_, **__: 1 // 0)
    assert main(["generate", "cluster.toml", "-o", "x", "--json"]) == 70
    said = capsys.readouterr()
    assert json.loads(said.out)["ok"] is False
    assert "Traceback" in said.err
    assert "ZeroDivisionError" in said.err


@pytest.mark.parametrize(
    ("second", "wanted"),
    [(True, 0), (False, 1), (one(ToolMissingError, "icarus", "it is missing", "Get it"), 2)],
)
def test_both_simulators_are_one_document(
    second: bool | ShellgenError,
    wanted: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The result of one is reported, whatever happens to the other."""

    def simulate(_: object, simulator: str, *__: object, **___: object) -> RunReport:
        ok = simulator == "verilator" or second
        if isinstance(ok, ShellgenError):
            raise ok
        return report_of(Findings(), simulator=simulator, passed=ok)

    monkeypatch.setattr("shellgen.simulate.cluster.simulate", simulate)
    monkeypatch.setattr("shellgen.simulate.report.format_report", lambda report, _: str(report))
    monkeypatch.setattr("shellgen.simulate.journal.report_cases", lambda *_: [])
    monkeypatch.setattr("shellgen.simulate.journal.format_report", lambda report, *_: str(report))
    monkeypatch.setattr("shellgen.report.write.write_ran", lambda out, report: out / report.simulator)
    code, record = document(capsys, "simulate", "out", "--simulator", "both", "--json")
    assert (code, record.get("passed")) == (wanted, wanted == 0), record
    names = ["verilator", "icarus"] if wanted < 2 else ["verilator"]
    assert [report["simulator"] for report in record["reports"]] == names
    assert record.get("problems", []) == (["icarus: it is missing. Get it."] if wanted == 2 else [])
    assert main(["simulate", "out", "--simulator", "both"]) == wanted
    shown = capsys.readouterr().out
    assert [f"report: out/{name}" in shown for name in names] == [True] * len(names)
