# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen cache`: what is kept, taking it out, and leaving alone what is in use or not ours."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import pytest

from shellgen.cache import clear, contents, once
from shellgen.cli import main

DAY = 24 * 3600


def _make(scratch: Path) -> None:
    (scratch / "model").write_bytes(b"x" * 5000)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with two models, one of them a month old, what a killed run left, FINN, and a stranger."""
    folder = tmp_path / "kept"
    monkeypatch.setenv("SHELLGEN_CACHE", str(folder))
    for name in ("new", "old"):
        once(folder / "verilator" / name, _make)
    (folder / "verilator" / "dead.part-1").mkdir()
    (folder / "finn-venv" / "bin").mkdir(parents=True)
    (folder / "finn-venv" / "bin" / "python").symlink_to("/usr/bin/python3")
    (folder / "mine").mkdir()
    os.utime(folder / "verilator" / "old", (time.time() - 30 * DAY,) * 2)
    return folder


def test_it_shows(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"{cache}: ")
    assert max(map(len, text.splitlines()[1:])) <= 80
    assert main(["cache", "--json"]) == 0
    found = {item["folder"]: item for item in json.loads(capsys.readouterr().out)["contents"]}
    assert set(found) == {"verilator", "finn-venv"}
    assert found["verilator"]["entries"] == 3
    assert found["verilator"]["bytes"] >= 10_000
    assert found["verilator"]["idle_days"] < 1


def test_it_clears_what_was_not_used_lately(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "clear", "--only", "models", "--idle-days", "7"]) == 0
    assert "1 entry removed" in capsys.readouterr().out
    assert not (cache / "verilator" / "old").exists()
    assert (cache / "verilator" / "new" / "model").exists()
    assert once(cache / "verilator" / "new", lambda _: pytest.fail("it was there"))


def test_using_a_model_makes_it_young(cache: Path) -> None:
    assert once(cache / "verilator" / "old", lambda _: pytest.fail("it was there"))
    assert clear(cache, ("models",), 7) == (0, 0)


def test_it_clears_everything_of_ours(cache: Path) -> None:
    assert main(["cache", "clear"]) == 0
    assert contents(cache) == [item for item in contents(cache) if item.entries == 0]
    assert not (cache / "finn-venv").exists()
    assert (cache / "mine").is_dir()
    assert sorted(path.name for path in (cache / "verilator").iterdir()) == []


def test_what_is_being_made_stays(cache: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def make(scratch: Path) -> None:
        begun.set()
        assert go_on.wait(10)
        (scratch / "model").write_text("done")

    maker = threading.Thread(target=once, args=(cache / "verilator" / "slow", make))
    maker.start()
    assert begun.wait(10)
    clear(cache)
    go_on.set()
    maker.join(10)
    assert (cache / "verilator" / "slow" / "model").read_text() == "done"


def test_who_waited_for_a_lock_that_was_removed_takes_the_new_one(cache: Path) -> None:
    """Otherwise two processes would make the same model at once."""
    for round_ in range(20):
        folder = cache / "verilator" / f"raced{round_}"
        made: list[Path] = []
        makers = [threading.Thread(target=once, args=(folder, made.append)) for _ in range(3)]
        for thread in makers:
            thread.start()
        clear(cache, ("models",), 1)
        for thread in makers:
            thread.join(10)
        assert folder.is_dir()
        assert len(made) == 1


@pytest.mark.parametrize("days", ["-1", "nan", "inf", "soon"])
def test_days_are_a_number(days: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "clear", "--idle-days", days]) == 2
    assert "--idle-days" in capsys.readouterr().err
