# SPDX-License-Identifier: BSD-3-Clause
"""The output folder: all or nothing, unchanged files untouched, foreign files left alone."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from shellgen.disk.manifest import MANIFEST
from shellgen.disk.output import Written, write
from shellgen.errors import InputError
from shellgen.model import Artifact

FILES = (Artifact.text("a.txt", "one\n"), Artifact.text("n0/rtl/b.v", "two\n"), Artifact("c.bin", b"\0\xff"))
LONG_AGO = 1_000_000_000


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Content and time stamp of every file."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def age(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (LONG_AGO, LONG_AGO))


def test_writes_files_and_manifest(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    assert write(FILES, out) == Written(4, 0, ())
    assert {name: content for name, (content, _) in state(out).items() if name != MANIFEST} == {
        artifact.path: artifact.content for artifact in FILES
    }
    entries = json.loads((out / MANIFEST).read_text())
    assert entries == {a.path: hashlib.sha256(a.content).hexdigest() for a in FILES}
    assert list(entries) == sorted(entries)
    assert [path.name for path in out.parent.iterdir()] == ["out"], "no staging folder is left"


def test_output_of_another_command_is_not_replaced(tmp_path: Path) -> None:
    """A mistyped -o: `weights -o out` would remove the cluster, `generate -o weights` the weights."""
    cluster = (Artifact.text("plan.json", "{}"), *FILES)
    for first, second, said in ((cluster, FILES, "a generated cluster"), (FILES, cluster, "packed weights")):
        out = tmp_path / said
        write(first, out)
        before = state(out)
        for force in (False, True):
            with pytest.raises(InputError, match=f"it holds {said}, which would be removed"):
                write(second, out, force=force)
            with pytest.raises(InputError, match=f"it holds {said}"):
                write(second[:1], out, keep=True, force=force)
        assert state(out) == before


def test_unchanged_files_keep_their_time(tmp_path: Path) -> None:
    write(FILES, tmp_path)
    age(tmp_path)
    before = state(tmp_path)
    assert write(FILES, tmp_path) == Written(0, 4, ())
    assert state(tmp_path) == before
    changed = (Artifact.text("a.txt", "new\n"), *FILES[1:])
    assert write(changed, tmp_path) == Written(2, 2, ())
    after = state(tmp_path)
    assert {name for name in after if after[name] != before[name]} == {"a.txt", MANIFEST}


def test_an_edited_file_is_overwritten_by_force_only(tmp_path: Path) -> None:
    write(FILES, tmp_path)
    (tmp_path / "c.bin").write_bytes(b"x")
    (tmp_path / "a.txt").unlink()
    before = state(tmp_path)
    with pytest.raises(InputError, match=r"c\.bin: it was edited since it was generated") as error:
        write(FILES, tmp_path)
    assert "--force" in str(error.value)
    assert state(tmp_path) == before
    assert write(FILES, tmp_path, force=True) == Written(2, 2, (), ("c.bin",))
    assert (tmp_path / "c.bin").read_bytes() == b"\0\xff"


def test_what_is_produced_no_longer_goes_and_foreign_files_stay(tmp_path: Path) -> None:
    write(FILES, tmp_path)
    (tmp_path / "vivado" / "project.runs").mkdir(parents=True)
    (tmp_path / "vivado" / "project.runs" / "log").write_text("mine")
    (tmp_path / "n0" / "notes").write_text("mine too")
    assert write(FILES[:1], tmp_path) == Written(1, 1, ("c.bin", "n0/rtl/b.v"))
    assert set(state(tmp_path)) == {"a.txt", MANIFEST, "vivado/project.runs/log", "n0/notes"}
    assert not (tmp_path / "n0" / "rtl").exists(), "an empty folder is left behind"


def test_a_foreign_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match=r"has no manifest\.json, so shellgen did not make it"):
        write(FILES, tmp_path)
    assert set(state(tmp_path)) == {"thesis.txt"}
    (tmp_path / MANIFEST).write_text("[")
    with pytest.raises(InputError, match="it is not a manifest of shellgen"):
        write(FILES, tmp_path)
    assert set(state(tmp_path)) == {"thesis.txt", MANIFEST}


@pytest.mark.parametrize("text", ["[1, 2]", "7", '"word"', '["../../thesis.txt"]', '{"a.txt": 3}'])
def test_only_a_manifest_of_ours_is_believed(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(InputError, match="it is not a manifest of shellgen"):
        write(FILES, tmp_path)
    assert set(state(tmp_path)) == {MANIFEST}


@pytest.mark.parametrize("victim", ["../thesis.txt", "n0/../../thesis.txt", "{outside}"])
def test_nothing_outside_the_folder_is_removed(tmp_path: Path, victim: str) -> None:
    """A manifest that somebody wrote, or that was copied from elsewhere."""
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("mine")
    out = tmp_path / "out"
    write(FILES, out)
    entries = json.loads((out / MANIFEST).read_text())
    entries[victim.format(outside=thesis)] = "0" * 64
    (out / MANIFEST).write_text(json.dumps(entries))
    with pytest.raises(InputError, match="it is not a manifest of shellgen"):
        write(FILES[:1], out)
    assert thesis.read_text() == "mine"
    assert (out / "c.bin").exists()


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(InputError, match="it is a file"):
        write(FILES, tmp_path / "out")
    with pytest.raises(InputError, match="cannot be written"):
        write(FILES, tmp_path / "out" / "below")
    assert (tmp_path / "out").read_text() == "mine"


def test_a_folder_in_the_place_of_a_file_changes_nothing(tmp_path: Path) -> None:
    """Found out before the first file is replaced."""
    write(FILES, tmp_path)
    (tmp_path / "c.bin").unlink()
    (tmp_path / "c.bin").mkdir()
    (tmp_path / "c.bin" / "mine").write_text("mine")
    before = state(tmp_path)
    changed = (Artifact.text("a.txt", "new\n"), *FILES[1:])
    with pytest.raises(InputError, match=r"c\.bin: .*a folder"):
        write(changed, tmp_path)
    assert state(tmp_path) == before


def test_a_file_in_the_place_of_a_folder_changes_nothing(tmp_path: Path) -> None:
    write(FILES[:1], tmp_path)
    (tmp_path / "n0").write_text("mine")
    before = state(tmp_path)
    changed = (Artifact.text("a.txt", "new\n"), *FILES[1:])
    with pytest.raises(InputError, match=r"n0: .*a file"):
        write(changed, tmp_path)
    assert state(tmp_path) == before


def test_a_failure_while_staging_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(FILES, tmp_path / "out")
    before = state(tmp_path)
    real = os.write
    room = [2]

    def full(file: int, data: bytes) -> int:
        room[0] -= 1
        if not room[0]:
            raise OSError(28, "No space left on device")
        return real(file, data)

    monkeypatch.setattr(os, "write", full)
    new = tuple(Artifact(a.path, a.content + b"new") for a in FILES)
    with pytest.raises(InputError, match="No space left on device"):
        write(new, tmp_path / "out")
    assert state(tmp_path) == before
