# SPDX-License-Identifier: BSD-3-Clause
"""The fuzzers of shellgen-node: they compile, run, and find a mistake."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tools.host import fuzz

pytestmark = pytest.mark.sweep


@pytest.mark.parametrize("target", fuzz.TARGETS, ids=lambda one: one.name)
def test_nothing_is_found(target: fuzz.Target, tmp_path: Path) -> None:
    runs = round(200_000 * target.share)
    assert fuzz.fuzz(target, tmp_path, runs, 1) >= runs


def test_a_mistake_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Letters that a terminal obeys, in the quickest of them."""
    copy = tmp_path / "node"
    shutil.copytree(fuzz.NODE, copy)
    file, old, new = "text.h", "letter < 32 ||", "letter < 0 ||"
    text = (copy / file).read_text()
    assert text.count(old) == 1
    (copy / file).write_text(text.replace(old, new))
    monkeypatch.setattr(fuzz, "NODE", copy)
    monkeypatch.setattr(
        fuzz, "FLAGS", tuple(word.replace(str(fuzz.ROOT / "host" / "node"), str(copy)) for word in fuzz.FLAGS)
    )
    with pytest.raises(subprocess.CalledProcessError):
        fuzz.fuzz(fuzz.TARGETS[0], tmp_path, 100_000, 1)
