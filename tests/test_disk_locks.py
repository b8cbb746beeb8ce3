# SPDX-License-Identifier: BSD-3-Clause
"""Locks: one holder, nothing behind a link is touched, a dead holder locks nobody out."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from shellgen.disk.locks import locked, private_folder


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    lock = tmp_path / "x.lock"
    with locked(lock), pytest.raises(BlockingIOError), locked(lock):
        pass
    assert not lock.exists()
    with locked(lock, remove=False):
        pass
    assert lock.exists()


def test_a_killed_holder_locks_nobody_out(tmp_path: Path) -> None:
    lock = tmp_path / "x.lock"
    program = (
        "import sys; from pathlib import Path; from shellgen.disk.locks import locked\n"
        "with locked(Path(sys.argv[1])):\n print(flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout
        holder.stdout.readline()
        with pytest.raises(BlockingIOError), locked(lock):
            pass
        holder.kill()
    assert lock.exists(), "it was killed with the lock"
    with locked(lock):
        pass


def test_nothing_but_a_plain_file_is_opened(tmp_path: Path) -> None:
    victim = tmp_path / "thesis.txt"
    victim.write_text("mine")
    (tmp_path / "link").symlink_to(victim)
    (tmp_path / "dangling").symlink_to(tmp_path / "new")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for name in ("link", "dangling", "fifo", "folder", "socket"):
            with pytest.raises(OSError, match=name), locked(tmp_path / name, wait=True):
                pass
    assert victim.read_text() == "mine"
    assert not (tmp_path / "new").exists()
    with locked(victim, remove=False):
        assert victim.read_text() == "mine", "a lock truncates nothing"


def test_the_private_folder_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = private_folder()
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    assert private_folder().stat().st_mode & 0o777 == 0o700
    folder.rmdir()
    (tmp_path / "theirs").mkdir()
    folder.symlink_to(tmp_path / "theirs")
    with pytest.raises(OSError, match="is not a folder of yours"):
        private_folder()
    folder.unlink()
    folder.mkdir()
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    other = tmp_path / f"shellgen-{os.getuid()}"
    other.mkdir()
    with pytest.raises(OSError, match="is not a folder of yours"):
        private_folder()
