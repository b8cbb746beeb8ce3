# SPDX-License-Identifier: BSD-3-Clause
"""Compile the tests once, before each worker of pytest-xdist does it: `python -m tools.compile_tests`.

pytest rewrites the assertions of every test file, two thirds of the time that it takes to collect the tests
(measured: 24 of 36 s). The workers of a run start together, so in a fresh checkout each of them rewrites all
files. Here each processor takes a share of those that are not compiled yet, and only their collection runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("tests", "vivado_check/tests")


def uncompiled(root: Path) -> list[Path]:
    """Return the test files without compiled code of pytest's that is as new as they are."""
    files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("test_*.py"))]
    return [path for path in files if not _is_compiled(path)]


def _is_compiled(path: Path) -> bool:
    plain = Path(cache_from_source(str(path)))
    written = path.stat().st_mtime
    return any(found.stat().st_mtime >= written for found in plain.parent.glob(f"{plain.stem}-pytest-*.pyc"))


def main() -> int:
    """Collect what is not compiled, and say nothing: an error is reported by the run that follows."""
    if sys.dont_write_bytecode:
        return 0
    files = uncompiled(ROOT)
    count = os.cpu_count() or 1
    running = []
    for share in (files[one::count] for one in range(count)):
        if share:
            command = [
                sys.executable,
                "-m",
                "pytest",
                "--collect-only",
                "-p",
                "no:cacheprovider",
                *map(str, share),
            ]
            running.append(
                subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
    for process in running:
        process.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
