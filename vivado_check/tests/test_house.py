# SPDX-License-Identifier: BSD-3-Clause
"""The package stands by itself: it imports nothing of shellgen, and few modules write or start processes."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection
from importlib.util import resolve_name
from pathlib import Path

import pytest

import vivado_check

ROOT = Path(vivado_check.__file__).parent
SOURCES = ROOT.parent
FILES = sorted(path for path in ROOT.rglob("*.py") if "tests" not in path.relative_to(ROOT).parts)
# The standard library and pyslang are found by their names; nothing else may be needed.
OTHERS = {"pyslang"}
WRITES = re.compile(
    r"\.write_text\(|\.write_bytes\(|\bopen\([^)]*[\"'][wax]|subprocess\.|shutil\.(copy|move|rmtree)"
)
# What lays out what scripts wrote in a temporary folder, what starts the processes of scripts and slang,
# and what reads PYTHONPATH.
WRITERS = re.compile(r"tcl/\w+|confine/start|syntax/process|junit|search_path")


def imported(path: Path, sources: Path = SOURCES) -> set[str]:
    """Return the modules that a file imports by absolute names, relative ones resolved."""
    package = ".".join(path.relative_to(sources).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            found.add(resolve_name("." * node.level + (node.module or ""), package))
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def strangers(files: list[Path], sources: Path = SOURCES, more: Collection[str] = ()) -> list[str]:
    """Return each import of something that a stand-alone installation does not have."""
    known = {*sys.stdlib_module_names, "vivado_check", *OTHERS, *more}
    return [
        f"{path.relative_to(sources)}: {name}"
        for path in files
        for name in sorted(imported(path, sources))
        if name.partition(".")[0] not in known
    ]


def test_nothing_of_shellgen_is_imported(tmp_path: Path) -> None:
    assert len(FILES) > 100
    assert not strangers(FILES)
    bad = tmp_path / "vivado_check" / "rules" / "bad.py"
    bad.parent.mkdir(parents=True)
    bad.write_text("from shellgen.errors import Problem\nimport shellgen.cli, os\nfrom ..report import X\n")
    assert strangers([bad], tmp_path) == [
        "vivado_check/rules/bad.py: shellgen.cli",
        "vivado_check/rules/bad.py: shellgen.errors",
    ]


def test_the_tests_run_alone() -> None:
    """They import each other, pytest, and nothing from the tests of shellgen."""
    folder = Path(__file__).parent
    files = sorted(folder.rglob("*.py"))
    assert not strangers(files, folder, {"pytest", *(path.stem for path in files)})


def test_a_relative_import_stays_inside(tmp_path: Path) -> None:
    """One that leaves the package has no name to resolve to."""
    bad = tmp_path / "vivado_check" / "bad.py"
    bad.parent.mkdir()
    bad.write_text("from ...shellgen import errors\n")
    with pytest.raises(ImportError):
        strangers([bad], tmp_path)


def test_the_process_of_scripts_needs_no_package() -> None:
    """The process of a script has no search path for packages: the standard library and itself."""
    for path in (ROOT / "confine").glob("*.py"):
        names = {name for name in imported(path) if name.startswith("vivado_check.")}
        assert all(name.startswith("vivado_check.confine") for name in names), path


def test_only_writers_write() -> None:
    found = []
    for path in FILES:
        name = path.relative_to(ROOT).with_suffix("").as_posix()
        text = path.read_text()
        if not WRITERS.fullmatch(name) and (WRITES.search(text) or "os.environ" in text):
            found.append(name)
    assert not found


def test_sizes() -> None:
    assert not [path.name for path in FILES if len(path.read_text().splitlines()) > 400]
