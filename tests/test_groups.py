# SPDX-License-Identifier: BSD-3-Clause
"""Tests of a group run on one worker: pytest 9.2 makes the groups of pytest-xdist 3.8 ineffective."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MODULE = """
import os
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("one")


@pytest.mark.parametrize("number", range(20))
def test_it(number: int) -> None:
    Path(f"ran_{number}_{os.environ['PYTEST_XDIST_WORKER']}").touch()
"""


def test_a_group_runs_on_one_worker(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(MODULE)
    command = [sys.executable, "-m", "pytest", "-q", "-n2", "--dist", "loadgroup", "-p", "no:cacheprovider"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    ran = [path.name.split("_") for path in tmp_path.glob("ran_*")]
    assert len(ran) == 20
    assert len({worker for *_, worker in ran}) == 1
