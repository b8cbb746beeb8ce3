# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen cache`: what is kept, taking it out, and leaving alone what is in use or not ours."""

from __future__ import annotations

import errno
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from waiting import PATIENCE

from shellgen import render
from shellgen.cache import clear, contents, once
from shellgen.cli import main
from shellgen.stitch.environment import FOLDER

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
    (folder / FOLDER / "bin").mkdir(parents=True)
    (folder / FOLDER / "bin" / "python").symlink_to("/usr/bin/python3")
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
    assert set(found) == {"verilator", FOLDER}
    assert found["verilator"]["entries"] == 3
    assert found["verilator"]["bytes"] >= 10_000
    assert found["verilator"]["idle_days"] < 1


def test_it_clears_what_was_not_used_lately(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "clear", "--only", "models", "--idle-days", "7"]) == 0
    assert "1 entry removed" in capsys.readouterr().out
    assert not (cache / "verilator" / "old").exists()
    assert (cache / "verilator" / "new" / "model").exists()
    assert once(cache / "verilator" / "new", lambda _: pytest.fail("it was there")).was_there


def test_using_a_model_makes_it_young(cache: Path) -> None:
    assert once(cache / "verilator" / "old", lambda _: pytest.fail("it was there")).was_there
    assert clear(cache, ("models",), 7) == (0, 0)


def test_it_clears_everything_of_ours(cache: Path) -> None:
    assert main(["cache", "clear"]) == 0
    assert contents(cache) == [item for item in contents(cache) if item.entries == 0]
    assert not (cache / FOLDER).exists()
    assert (cache / "mine").is_dir()
    assert sorted(path.name for path in (cache / "verilator").iterdir()) == []


def test_what_is_being_made_stays(cache: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def make(scratch: Path) -> None:
        begun.set()
        assert go_on.wait(PATIENCE)
        (scratch / "model").write_text("done")

    maker = threading.Thread(target=once, args=(cache / "verilator" / "slow", make))
    maker.start()
    assert begun.wait(PATIENCE)
    clear(cache)
    go_on.set()
    maker.join(PATIENCE)
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
            thread.join(PATIENCE)
        assert folder.is_dir()
        assert len(made) == 1


def test_two_may_clear_at_once(cache: Path) -> None:
    """One of them finds that files and folders have gone since it listed them."""
    for round_ in range(10):
        for entry in range(10):
            once(cache / "verilator" / f"model{entry}", _make)
        removed: list[int] = []

        def run(removed: list[int] = removed) -> None:
            removed += [clear(cache)[0]]

        clearers = [threading.Thread(target=run) for _ in range(4)]
        for thread in clearers:
            thread.start()
        for thread in clearers:
            thread.join(PATIENCE)
        assert sum(removed) == (13 if round_ == 0 else 10)
        assert len(removed) == len(clearers)


@pytest.mark.parametrize("days", ["-1", "nan", "inf", "soon"])
def test_days_are_a_number(days: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "clear", "--idle-days", days]) == 2
    assert "--idle-days" in capsys.readouterr().err


def _exchange(model: Path) -> None:
    data = bytearray(model.read_bytes())
    data[2500] ^= 1
    model.write_bytes(data)


def _link(model: Path) -> None:
    other = model.parents[2] / "mine" / "model"
    other.write_bytes(model.read_bytes())
    model.unlink()
    model.symlink_to(other)


def _pipe(model: Path) -> None:
    model.unlink()
    os.mkfifo(model)


def _link_folder(model: Path) -> None:
    moved = model.parents[2] / "mine" / "moved"
    model.parent.rename(moved)
    model.parent.symlink_to(moved)


def _empty(model: Path) -> None:
    for path in model.parent.iterdir():
        path.unlink()


def _other_entry(model: Path) -> None:
    """Put an entry here that is whole, and was made under another name."""
    other = once(model.parents[1] / "other", lambda scratch: (scratch / "model").touch(0o755)).folder
    _empty(model)
    model.parent.rmdir()
    other.rename(model.parent)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "a flipped bit": _exchange,
    "cut short": lambda model: os.truncate(model, 4000),
    "emptied": lambda model: os.truncate(model, 0),
    "lost": Path.unlink,
    "a link": _link,
    "a pipe": _pipe,
    "not to be run": lambda model: model.chmod(0o644),
    "one file more": lambda model: model.with_name("more.o").write_text("x"),
    "no digests": lambda model: model.with_name(".sha256").unlink(),
    "other digests": lambda model: model.with_name(".sha256").write_bytes(b"\xff\0\n"),
    "emptied folder": _empty,
    "the entry of other sources": _other_entry,
    "a folder elsewhere": _link_folder,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_made_again_and_said(
    damage: str, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def make(scratch: Path) -> None:
        _make(scratch)
        (scratch / "model").chmod(0o755)

    folder = once(cache / "verilator" / "run", make).folder
    DAMAGES[damage](folder / "model")
    assert once(folder, make) == (folder, False)
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith(f"{folder} is damaged (")
    assert caplog.messages[0].isprintable()
    assert (folder / "model").read_bytes() == b"x" * 5000
    assert once(folder, make).was_there
    if damage == "a folder elsewhere":
        assert (cache / "mine" / "moved" / "model").exists(), "what is behind a link is not ours"


def test_what_killed_processes_left_half_made_goes(cache: Path) -> None:
    once(cache / "verilator" / "other", _make)
    assert not (cache / "verilator" / "dead.part-1").exists()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_a_cache_that_cannot_be_written_is_done_without(
    code: int, cache: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Root is refused nothing, so what makes the entry says it, as a compiler does on a full disk."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def refused(scratch: Path) -> None:
        if cache in scratch.parents:
            raise OSError(code, os.strerror(code), str(scratch))
        _make(scratch)

    entry = once(cache / "verilator" / "run", refused)
    assert entry.folder.parents[2] == tmp_path / f"shellgen-{os.getuid()}"
    assert (entry.folder / "model").exists()
    assert once(cache / "verilator" / "run", refused) == (entry.folder, True)
    why = os.strerror(code)
    assert caplog.messages == [f"{cache} cannot be used ({why}), so this model is made for this run only"]
    assert not list((cache / "verilator").glob("run*[!k]")), "only the lock"


def test_a_file_in_the_place_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "file").write_text("")
    assert (once(tmp_path / "file" / "verilator" / "x", _make).folder / "model").exists()


def test_an_error_of_the_sources_is_not_blamed_on_the_cache(cache: Path) -> None:
    def refused(scratch: Path) -> None:
        raise ValueError(scratch.name)

    with pytest.raises(ValueError, match="run"):
        once(cache / "verilator" / "run", refused)


def test_damaged_templates_are_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So are those of a folder that cannot be made."""
    monkeypatch.setattr(render, "environment", render.environment.__wrapped__)
    answers = {"node": "a", "generator": "shellgen", "build_id": "0"}
    place = tmp_path / "kept"
    monkeypatch.setenv("SHELLGEN_CACHE", str(place))
    text = render.render("host/node_run.py.j2", **answers)
    kept = [path for path in place.rglob("*") if path.is_file()]
    assert kept
    for damage in (b"", b"x", kept[0].read_bytes()[:-9], bytes(900)):
        for path in kept:
            path.write_bytes(damage)
        assert render.render("host/node_run.py.j2", **answers) == text
    monkeypatch.setenv("SHELLGEN_CACHE", str(kept[0]))
    assert render.render("host/node_run.py.j2", **answers) == text
