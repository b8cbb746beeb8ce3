# SPDX-License-Identifier: BSD-3-Clause
"""House rules for every file under version control, and for what must not be there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = {".py", ".sv", ".v", ".j2", ".toml", ".md", ".json", ".tcl", ".yml", ".txt"}
CODE = {".py", ".sv", ".v"}
# Generated files that are kept as an example: what an engineer would not write, a template may.
GENERATED = ROOT / "docs" / "example" / "out"
# Private notes that readers do not have: cite public sources, or docs/.
PRIVATE_NOTE = re.compile(r"\bfacts/\w+\.(?:md|yaml)")
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(tmp|work|root|home|farm|opt)/[A-Za-z0-9_]")


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:  # an unpacked archive has no git: everything in it counts
        return [path for path in ROOT.rglob("*") if path.is_file() and path.suffix in TEXT]
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


def problems(path: Path, text: str) -> list[str]:
    found = []
    if not text.isascii():
        found.append("not ASCII")
    if text and not text.endswith("\n"):
        found.append("no newline at the end")
    if "\t" in text and path.name not in ("Makefile", "Makefile.j2"):
        found.append("tab")
    if "\r" in text:
        found.append("carriage return")
    generated = GENERATED in path.parents
    if not generated and any(line != line.rstrip() for line in text.splitlines()):
        found.append("trailing space")
    if not generated and path.suffix in CODE and "SPDX-License-Identifier: BSD-3-Clause" not in text[:200]:
        found.append("no SPDX line")
    if MACHINE_PATH.search(text):
        found.append("a path of some machine")
    if PRIVATE_NOTE.search(text):
        found.append("a source that readers do not have")
    return found


def test_every_file_is_clean() -> None:
    files = [path for path in tracked() if path.suffix in TEXT or path.name == "Makefile"]
    assert len(files) > 50
    bad = {
        str(path.relative_to(ROOT)): found for path in files if (found := problems(path, path.read_text()))
    }
    assert not bad


def test_the_check_can_fail() -> None:
    text = "x = '/ho" + "me/someone'  # fac" + "ts/notes.md\t \r"
    assert len(problems(Path("a.py"), text)) == 7


def test_nothing_large_or_binary_is_tracked() -> None:
    for path in tracked():
        # Records of runs, one line each, grow with the blocks.
        most = 800_000 if path.parent.name == "verdicts" else 400_000
        assert path.stat().st_size < most, path
        if path.suffix != ".onnx":
            assert b"\0" not in path.read_bytes(), path
