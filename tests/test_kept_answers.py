# SPDX-License-Identifier: BSD-3-Clause
"""Answers that are kept: the same texts, records and files, and never those of something else."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from killed import tree
from test_kept_partitions import made  # noqa: F401 - a fixture
from test_loaded import CLUSTER, EDITS, LINK, old

from shellgen import system
from shellgen.cache import loads
from shellgen.cli import main, once
from shellgen.resources import BOARDS

REAL_LOAD = system.load
Said = tuple[int, str, str]


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: F811
    folder = tmp_path / "work" / "it"
    shutil.copytree(made, folder)
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return folder / "cluster.toml"


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(once, "find", loads.find)
    monkeypatch.setattr(once, "keep", loads.keep)


class Counted:
    """Counts the answers that are made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        real = loads.keep

        def keep(*args: Any) -> None:
            self.count += 1
            real(*args)

        monkeypatch.setattr(once, "keep", keep)


def run(words: Sequence[object], capsys: pytest.CaptureFixture[str]) -> Said:
    code = main([*(str(word) for word in words), "--quiet"])
    said = capsys.readouterr()
    return code, said.out, said.err


COMMANDS = ("plan", "generate")


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("json", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_the_same(
    here: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    json: list[str],
) -> None:
    counted, out = Counted(monkeypatch), tmp_path / "out"
    words = [command, here, "-o", out, *json]
    said, files = [], []
    for _ in range(2):
        said.append(run(words, capsys))
        files.append(tree(out))
        shutil.rmtree(out)
    assert counted.count == 1
    monkeypatch.setattr(once, "find", lambda *_: None)
    said.append(run(words, capsys))
    files.append(tree(out))
    assert said[0] == said[1] == said[2]
    assert files[0] == files[1] == files[2]
    assert said[0][0] == 0


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("edit", ["its spaces", "weights", "another board", "a model less"])
def test_an_edit_is_seen(
    here: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    edit: str,
) -> None:
    old(monkeypatch)  # so that time stamps decide
    words = ["plan", here, "-o", tmp_path / "out", "--json"]
    run(words, capsys)
    EDITS[edit](here.parent)
    again, plan = run(words, capsys), tree(tmp_path / "out") if (tmp_path / "out").exists() else {}
    monkeypatch.setattr(once, "find", lambda *_: None)
    assert run(words, capsys) == again
    assert tree(tmp_path / "out") == plan


@pytest.mark.usefixtures("kept")
def test_what_is_in_no_file_counts(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    for what in ("boards", "links", "platforms", "boards"):
        run(["list", what], capsys)
    assert counted.count == 3
    monkeypatch.setenv(BOARDS, str(here.parent / "boards"))
    assert "mine" in run(["list", "boards"], capsys)[1]
    (here.parent / "boards/mine.toml").unlink()
    assert "mine" not in run(["list", "boards"], capsys)[1]
    assert counted.count == 5
    monkeypatch.chdir(here.parent)
    run(["list", "boards"], capsys)
    monkeypatch.setattr(once, "terminal_width", lambda: 60)
    run(["list", "boards"], capsys)
    assert counted.count == 7
    monkeypatch.setattr(once, "has_plugins", lambda: True)
    run(["list", "boards"], capsys)
    assert counted.count == 7


@pytest.mark.usefixtures("kept")
def test_the_output_folder_decides_for_itself(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kept answer refuses edited files, counts unchanged ones and names another cluster, too."""
    counted, out = Counted(monkeypatch), tmp_path / "out"
    words = ["generate", here, "-o", out, "--json"]
    first = json.loads(run(words, capsys)[1])
    assert json.loads(run(words, capsys)[1])["written"] == 0 < first["written"]
    (out / "a/rtl").rename(out / "a/other")
    assert json.loads(run(words, capsys)[1])["written"] > 0
    core = next((out / "a").rglob("*.v"))
    core.write_text(core.read_text() + "// mine\n")
    refused = run(words, capsys)
    assert refused[0] == 2
    assert core.name in refused[1]
    assert core.name in json.loads(run([*words, "--force"], capsys)[1])["overwritten"][0]
    plan = json.loads((out / "plan.json").read_text())
    (out / "plan.json").write_text(json.dumps(plan | {"name": "another"}))
    assert json.loads(run([*words, "--force"], capsys)[1])["replaced"] == "another"
    assert counted.count == 1


@pytest.mark.usefixtures("kept")
def test_an_error_is_not_kept(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    here.write_text(CLUSTER.replace("partitions = [1]", "partitions = [2]") + LINK)
    words = ["generate", here, "-o", tmp_path / "out"]
    said = [run(words, capsys) for _ in range(2)]
    assert said[0] == said[1]
    assert said[0][0] == 2
    assert counted.count == 0
    here.write_text(CLUSTER + LINK)
    assert run(words, capsys)[0] == 0


@pytest.mark.usefixtures("kept")
def test_warnings_and_notes_are_said_again(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def warned(*args: Any, **options: Any) -> Any:
        logging.getLogger("shellgen.read").warning("%s is odd", "this")
        return REAL_LOAD(*args, **options)

    monkeypatch.setattr(system, "load", warned)
    counted = Counted(monkeypatch)
    words = ["plan", here, "-o", tmp_path / "out"]
    said = [run(words, capsys) for _ in range(2)]
    assert said[0] == said[1]
    assert "this is odd" in said[0][2]
    assert counted.count == 1


@pytest.mark.usefixtures("kept")
def test_a_damaged_entry_is_none(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    words = ["plan", here, "-o", tmp_path / "out"]
    first = run(words, capsys)
    lost = json.dumps({"said": [], "told": {}, "files": [["a", "b", []]]})
    for text in ("[]", "{}", "no JSON", lost):
        monkeypatch.setattr(once, "find", lambda *_, text=text: loads.Kept(b"", {}, text))
        assert run(words, capsys) == first
    assert counted.count == 5


def test_a_kept_answer_imports_no_package_that_plans(here: Path, tmp_path: Path) -> None:
    """Records, numpy and templates take most of the time of a command that need not plan."""
    code = (
        "import sys; from shellgen.cli import main; code = main(sys.argv[1:]); "
        "print({one.partition('.')[0] for one in sys.modules} & {'pydantic', 'numpy', 'jinja2', 'onnx'}); "
        "sys.exit(code)"
    )
    environment = dict(os.environ, PYTHONPATH=str(Path(__file__).parents[1]))
    for words in (
        ["list", "boards"],
        *([command, str(here), "-o", str(tmp_path / command)] for command in COMMANDS),
    ):
        texts = [
            subprocess.run(
                [sys.executable, "-c", code, *words],
                env=environment,
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            for _ in range(2)
        ]
        assert "pydantic" in texts[0]
        assert texts[1].endswith("set()\n")
