# SPDX-License-Identifier: BSD-3-Clause
"""`make test` compiles tests once: those without compiled code that is as new as they are."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tools import compile_tests
from tools.compile_tests import FOLDERS, main, uncompiled


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "test_one.py").write_text("def test_one() -> None:\n    assert 1 + 1 == 2\n")
    monkeypatch.setattr(compile_tests, "ROOT", tmp_path)
    # Compiled code must lie beside the tests here, whatever the caller's environment says.
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    return tmp_path


def test_what_is_compiled_is_left(root: Path) -> None:
    files = uncompiled(root)
    assert len(files) == len(FOLDERS)
    assert main() == 0
    assert uncompiled(root) == []
    os.utime(files[0], (files[0].stat().st_mtime + 60,) * 2)
    assert uncompiled(root) == files[:1]


def test_nothing_is_compiled_where_python_must_not(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert main() == 0
    assert len(uncompiled(root)) == len(FOLDERS)
