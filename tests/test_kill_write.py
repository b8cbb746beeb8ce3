# SPDX-License-Identifier: BSD-3-Clause
"""Killed anywhere: an output folder is the old or the new one, and whatever the user put there stays."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from killed import each_kill, killed_at, tree

from shellgen.disk.changes import WORK, changing, settle
from shellgen.disk.files import write_whole
from shellgen.disk.manifest import MANIFEST, differing, read_manifest
from shellgen.disk.output import write
from shellgen.errors import InputError
from shellgen.model import Artifact
from vivado_check.formats.files import StrPath

OLD = tuple(Artifact.text(f"n{i}/rtl/f{i}.v", f"old {i}\n") for i in range(3))
NEW = (
    Artifact.text("n0/rtl/f0.v", "new 0\n"),
    Artifact.text("n1/rtl/f1.v", "old 1\n"),
    Artifact.text("n7/deep/er/f7.v", "new 7\n"),
)

# Every fourth call in the default run, each in the sweep; the first test looks at each.
EVERY = pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.sweep)])


def users(out: Path) -> None:
    """Put what is not ours beside it."""
    (out / "n0" / "vivado").mkdir(parents=True, exist_ok=True)
    (out / "n0" / "vivado" / "run.log").write_text("mine")
    (out / "notes.md").write_text("mine")


def ends(tmp_path: Path) -> tuple[dict[str, bytes | None], dict[str, bytes | None]]:
    """Return the old and the new tree, as runs that nobody disturbs leave them."""
    write(OLD, tmp_path / "old")
    write(OLD, tmp_path / "new")
    users(tmp_path / "old")
    users(tmp_path / "new")
    write(NEW, tmp_path / "new")
    return tree(tmp_path / "old"), tree(tmp_path / "new")


def fresh(out: Path) -> Callable[[], None]:
    def reset() -> None:
        shutil.rmtree(out, ignore_errors=True)
        write(OLD, out)
        users(out)

    return reset


def test_a_kill_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    """Before every call that changes the disk, and the command that comes next is killed, too."""
    old, new = ends(tmp_path)
    out = tmp_path / "here" / "out"
    seen = []
    for number in each_kill(fresh(out), lambda: write(NEW, out)):
        killed_at(number % 7, lambda: settle(out))
        settle(out)
        found = tree(out)
        assert found in (old, new), f"mixed after kill {number}"
        assert not differing(out, read_manifest(out))
        assert [path.name for path in out.parent.iterdir()] == ["out"]
        seen.append(found == new)
    assert len(seen) > 20
    assert seen == sorted(seen), "once it was new, it is never old again"
    assert True in seen
    assert False in seen


@pytest.mark.sweep
def test_every_pair_of_kills(tmp_path: Path) -> None:
    old, new = ends(tmp_path)
    out = tmp_path / "here" / "out"
    for first in each_kill(fresh(out), lambda: write(NEW, out)):
        shutil.rmtree(tmp_path / "copy", ignore_errors=True)
        shutil.copytree(out, tmp_path / "copy")

        def again() -> None:
            shutil.rmtree(out)
            shutil.copytree(tmp_path / "copy", out)

        for second in each_kill(again, lambda: settle(out)):
            settle(out)
            assert tree(out) in (old, new), f"mixed after kills {first} and {second}"


@EVERY
def test_a_first_run_that_is_killed(tmp_path: Path, every: int) -> None:
    write(OLD, tmp_path / "whole")
    whole = tree(tmp_path / "whole")
    out = tmp_path / "deep" / "out"
    for _ in each_kill(lambda: shutil.rmtree(out.parent, ignore_errors=True), lambda: write(OLD, out), every):
        settle(out)
        assert not out.exists() or tree(out) in ({}, whole)
        write(OLD, out)
        assert tree(out) == whole


@EVERY
def test_a_refusing_disk_is_killed_while_it_takes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    """A file cannot be replaced, all that was replaced is taken back, and that is killed in turn."""
    old, _ = ends(tmp_path)
    out = tmp_path / "out"
    real = os.replace

    def refuse(source: StrPath, target: StrPath) -> None:
        if Path(target).name == MANIFEST and Path(source).suffix != ".old":
            raise PermissionError(13, "Permission denied")
        real(source, target)

    def refused() -> None:
        monkeypatch.setattr(os, "replace", refuse)
        with pytest.raises(InputError, match="Permission denied"):
            write(NEW, out)

    _, new = ends(tmp_path)
    taken_back = 0
    for _ in each_kill(fresh(out), refused, every):
        settle(out)
        assert tree(out) in (old, new)
        taken_back += tree(out) == old
    assert taken_back > 2
    fresh(out)()
    refused()
    assert tree(out) == old


@EVERY
def test_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int) -> None:
    """FAT and some network file systems have none."""
    old, new = ends(tmp_path)
    out = tmp_path / "out"

    def none(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    for _ in each_kill(fresh(out), lambda: write(NEW, out), every):
        settle(out)
        assert tree(out) in (old, new)
    assert tree(out) == new


@EVERY
def test_what_the_user_changes_after_a_kill_is_kept(tmp_path: Path, every: int) -> None:
    out = tmp_path / "out"
    kept = 0
    for _ in each_kill(fresh(out), lambda: write(NEW, out), max(1, every // 2)):
        if (out / WORK / "journal").exists() and (out / "n0/rtl/f0.v").read_text() == "old 0\n":
            (out / "n0/rtl/f0.v").write_text("mine\n")
            settle(out)
            assert (out / "n0/rtl/f0.v").read_text() in ("mine\n", "new 0\n")
            kept += (out / "n0/rtl/f0.v").read_text() == "mine\n"
    assert kept


@pytest.mark.parametrize("way", ["link", "inside", "dot"])
def test_a_folder_under_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """Through a link, from inside, as a dot: the folder stays the very same one."""
    old, new = ends(tmp_path)
    out = tmp_path / "real"
    fresh(out)()
    before = out.stat().st_ino
    (tmp_path / "link").symlink_to(out)
    monkeypatch.chdir(out / "n0" if way == "inside" else out)
    name = {"link": tmp_path / "link", "inside": Path(".."), "dot": Path()}[way]
    write(NEW, name)
    assert tree(out) == new
    assert (tmp_path / "link").is_symlink()
    assert out.stat().st_ino == before
    write(OLD, name)
    assert tree(out) == old


def test_a_new_folder_comes_as_a_whole(tmp_path: Path) -> None:
    """A new folder is renamed once, with all that is written into it and brought into it."""
    source = tmp_path / "source"
    (source / "in").mkdir(parents=True)
    (source / "in" / "b").write_bytes(b"2")
    out = tmp_path / "out"
    with changing(out) as changes:
        changes.write("new/deep/a", b"1")
        changes.bring("new/brought", source)
        changes.bring("other/brought", source)
        changes.write("other/a", b"3")
        changes.write("new/deep/er/c", b"")
    found = {name: content for name, content in tree(out).items() if content is not None}
    assert found == {
        "new/brought/in/b": b"2",
        "new/deep/a": b"1",
        "new/deep/er/c": b"",
        "other/a": b"3",
        "other/brought/in/b": b"2",
    }


def test_two_writers(tmp_path: Path) -> None:
    write(OLD, tmp_path)
    before = tree(tmp_path)
    with changing(tmp_path) as changes:
        changes.write("x", b"1")
        with pytest.raises(InputError, match="another shellgen is writing into it"):
            write(NEW, tmp_path)
        with pytest.raises(InputError, match="another shellgen is writing into it"):
            settle(tmp_path)
    assert tree(tmp_path) == before | {"x": b"1"}


@pytest.mark.parametrize(
    "journal",
    [
        '{"put": [["0", "../thesis", null]], "removed": [], "folders": []}',
        '{"put": [["0", "n0/../../thesis", null]], "removed": [], "folders": []}',
        '{"put": [["../../thesis", "x", null]], "removed": [], "folders": []}',
        '{"put": [], "removed": [["0", "/etc/passwd", "folder"]], "folders": []}',
        '{"put": [], "removed": [], "folders": ["../new"]}',
        '{"put": [["0", "away/thesis", null]], "removed": [], "folders": []}',
        '{"put": 7, "removed": [], "folders": []}',
        "[",
    ],
)
def test_a_journal_of_somebody_else(tmp_path: Path, journal: str) -> None:
    """A folder may have come from a stranger, and its journal must not lead out of it."""
    (tmp_path / "thesis").write_text("mine")
    out = tmp_path / "out"
    write(OLD, out)
    (out / "away").symlink_to(tmp_path)
    (out / WORK).mkdir()
    (out / WORK / "0").write_text("theirs")
    (out / WORK / "journal").write_text(journal)
    for _ in range(2):
        with pytest.raises(InputError, match="Remove"):
            settle(out)
    assert (tmp_path / "thesis").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "thesis"]


def test_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file alone: old or new, with the mode that the user's umask gives, with and without O_TMPFILE."""
    file = tmp_path / "here" / "cluster.toml"
    for nameless in (True, False):
        if not nameless:
            monkeypatch.setattr(os, "O_TMPFILE", 0)
        file.parent.mkdir(exist_ok=True)
        for _ in each_kill(
            lambda: file.unlink(missing_ok=True), lambda: write_whole(file, b"new", replace=False)
        ):
            assert not file.exists() or file.read_bytes() == b"new"
        for _ in each_kill(lambda: file.write_bytes(b"old"), lambda: write_whole(file, b"new", replace=True)):
            assert file.read_bytes() in (b"old", b"new")
        with pytest.raises(FileExistsError):
            write_whole(file, b"other", replace=False)
        write_whole(file, b"last", replace=True)
        assert [path.name for path in file.parent.iterdir()] == ["cluster.toml"], (
            "what kills have left is gone"
        )
        assert file.read_bytes() == b"last"
        umask = os.umask(0)
        os.umask(umask)
        assert file.stat().st_mode & 0o777 == 0o666 & ~umask
