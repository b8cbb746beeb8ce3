# SPDX-License-Identifier: BSD-3-Clause
"""Outcomes of simulations and tool runs, kept in the repository: `make verdicts`.

A run of a simulator is a function of its sources, parameters, arguments, data files and of the tool: `kept`
returns its recorded exit code and output where all of these are the same, and runs it otherwise. The test
around it always runs, and judges both alike. Outcomes are recorded only of tests that passed, one file for
each test file, ``tests/verdicts/<test file>.json``.

With SHELLGEN_VERDICTS=run in the environment everything runs (`make test-sweep`), and an outcome that differs
from the recorded one is a failure. Outside the tests of RECORDED everything runs.
"""

from __future__ import annotations

import argparse
import base64
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shellgen.simulate.tools import find_icarus, find_verilator

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "verdicts"
# Environment: ``run`` to run everything; a folder for outcomes, which only this module's command sets.
MODE, TARGET = "SHELLGEN_VERDICTS", "SHELLGEN_VERDICTS_TO"
# Tests whose runs depend on sources in the repository and on what the test itself writes, not on FINN.
RECORDED = ("tests/blocks/", "tests/test_accl_model.py", "tests/test_vnx_model.py")
# The mark of tests of whole clusters whose runs are recorded: see tools/blocks/cluster_runs.py.
MARK = "recorded"
# Output that is longer is compressed in the record.
LONG = 400

Outcome = tuple[int, str]

__all__ = [
    "FOLDER",
    "MARK",
    "MODE",
    "RECORDED",
    "TARGET",
    "begin",
    "discard",
    "file_digest",
    "finish",
    "kept",
    "kept_as",
    "knows",
    "marked_module",
    "merge",
    "significant",
    "stale",
]


@dataclass
class _Tally:
    """Runs of the present test, and whether it is marked."""

    marked: bool = False

    kept: int = 0
    ran: int = 0
    entries: dict[str, list[Any]] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)

    def clear(self) -> None:
        self.kept = self.ran = 0
        for table in (self.entries, self.sources, self.tools):
            table.clear()


_tally = _Tally()


def significant(text: str, mark: str = "//") -> str:
    """Return a source without blank lines and without comments that no tool reads."""
    lines = []
    for line in text.splitlines():
        code, found, comment = line.partition(mark)
        read = re.search("verilator|synopsys|synthesis|pragma|translate", comment, re.IGNORECASE)
        string = '"' in line or (mark == "#" and "'" in line)  # the mark may be in it
        lines.append(line if read or string or not found else code)
    return "\n".join(line.rstrip() for line in lines if line.strip())


@functools.cache
def _content(file: Path, _changed: int) -> str:
    """Return the digest of a file's significant text; the time of its last change is for the cache."""
    data = file.read_bytes()
    mark = {".sv": "//", ".v": "//", ".py": "#"}.get(file.suffix)
    if mark:
        data = significant(data.decode(), mark).encode()
    return hashlib.sha256(data).hexdigest()[:16]


def file_digest(file: Path) -> str:
    """Return the digest of a file; of a source without comments."""
    return _content(file, file.stat().st_mtime_ns)


@functools.cache
def tool_version(tool: str) -> str:
    """Return the version of a simulator, of the C++ compiler, or of a package from PyPI."""
    if tool == "icarus":
        return _first_line(find_icarus().compiler, "-V")
    if tool == "verilator":
        return _first_line(find_verilator().binary, "--version")
    if tool == "c++":
        return _first_line(find_verilator().compiler, "--version").rpartition(" ")[2]
    return version(tool)


def _first_line(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.partition("\n")[0]


@functools.cache
def _record(module: str) -> dict[str, Any]:
    return _record_of(FOLDER, module)


def _record_of(folder: Path, module: str) -> dict[str, Any]:
    file = folder / f"{Path(module).stem}.json"
    found: dict[str, Any] = json.loads(file.read_text()) if file.is_file() else {}
    return found


def _module() -> str:
    """Return the file of the test that runs, or nothing where none of RECORDED does."""
    module = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
    return module if module.startswith(RECORDED) else ""


def begin(item: pytest.Item) -> None:
    """Take note of the test that begins: whether it is marked ``recorded``."""
    _tally.marked = item.get_closest_marker(MARK) is not None


def marked_module() -> str:
    """Return the file of the test that runs if it is marked ``recorded``, or else nothing."""
    return os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0] if _tally.marked else ""


def kept(
    label: str, tools: Sequence[str], parts: Sequence[str], files: Iterable[Path], run: Callable[[], Outcome]
) -> Outcome:
    """Return the exit code and the output of a run, from the record if nothing has changed since.

    Args:
        label: Top and tool, for readers of the record.
        tools: Whose versions the outcome depends on.
        parts: Parameters, options, arguments, without paths.
        files: Sources, data and the code that runs them, each with a name of its own.
        run: Runs it.
    """
    module = _module()
    if not module:
        return run()
    files = list(files)
    versions = {tool: tool_version(tool) for tool in tools}
    said = [label, versions, list(parts), [(file.name, file_digest(file)) for file in files]]
    outcome = _kept(module, said, label, versions, run, files)
    if TARGET in os.environ:
        ours = (file for file in files if file.is_relative_to(ROOT))
        _tally.sources |= {file.relative_to(ROOT).as_posix(): file_digest(file) for file in ours}
    return outcome


def kept_as(
    said: Sequence[object], label: str, versions: Mapping[str, str], run: Callable[[], Outcome]
) -> Outcome:
    """Return the same for a run of a test marked ``recorded``.

    Args:
        said: Everything that the outcome depends on, except for the tools.
        label: For readers of the record; its last word is what `knows` is asked for.
        versions: Of the tools.
        run: Runs it; if it raises, nothing is recorded.
    """
    return _kept(marked_module(), [*said, dict(versions)], label, versions, run)


def knows(word: str) -> bool:
    """Whether the record of the present test file may be used, and has a label that ends in this word."""
    entries = _record(marked_module()).get("runs", {}).values()
    return os.environ.get(MODE) != "run" and any(label.endswith(f" {word}") for label, *_ in entries)


def _kept(
    module: str,
    said: Sequence[object],
    label: str,
    versions: Mapping[str, str],
    run: Callable[[], Outcome],
    files: Sequence[Path] = (),
) -> Outcome:
    key = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:32]
    entry = _record(module).get("runs", {}).get(key)
    if entry and os.environ.get(MODE) != "run":
        _tally.kept += 1
        outcome = _unpack(entry)
    else:
        outcome = run()
        _tally.ran += 1
        packed = _pack(label, outcome, files)
        assert not entry or entry == packed, f"{label}: not as recorded in {FOLDER.name}: {outcome}"
        entry = packed
    if TARGET in os.environ:
        _tally.entries[key] = entry
        _tally.tools |= versions
    return outcome


def _clean(text: str) -> str:
    """Return an output without folders of this machine; a cached bench names those that it was built in."""
    for folder in {str(ROOT), str(Path.cwd())}:
        text = text.replace(folder, ".")
    return re.sub(r"(?<![\w.])(?:/[\w.+@-]+)+/([\w.+-]+)", r"\1", text)


def _pack(label: str, outcome: Outcome, files: Sequence[Path]) -> list[Any]:
    """Return label, exit code and output, and a 1 if that is compressed."""
    code, text = outcome
    for file in files:
        text = text.replace(str(file), file.name)
    text = _clean(text)
    if len(text) <= LONG:
        return [label, code, text]
    return [label, code, base64.b85encode(zlib.compress(text.encode(), 9)).decode(), 1]


def _unpack(entry: Sequence[Any]) -> Outcome:
    _, code, text, *packed = entry
    return code, zlib.decompress(base64.b85decode(text)).decode() if packed else text


# ---- hooks of tests/conftest.py -----------------------------------------------------------------------
def discard() -> None:
    """Forget the runs of a test that failed."""
    _tally.clear()


def finish(test: str) -> tuple[int, int]:
    """Write the outcomes of a test that passed, if they are asked for; return how many were kept, and ran."""
    counts = (_tally.kept, _tally.ran)
    if _tally.entries:
        day = datetime.now(UTC).date().isoformat() if _tally.ran else ""
        content = {"sources": _tally.sources, "tools": _tally.tools, "runs": _tally.entries, "ran": day}
        name = hashlib.sha256(test.encode()).hexdigest()[:16]
        part = Path(os.environ[TARGET]) / f"{name}.json"
        part.write_text(json.dumps({"module": test.partition("::")[0], **content}))
    discard()
    return counts


# ---- the record ---------------------------------------------------------------------------------------
def stale(folder: Path = FOLDER, root: Path = ROOT) -> list[str]:
    """Return what in the record is of other files than those of the repository."""
    found = []
    for file in sorted(folder.glob("*.json")):
        content = json.loads(file.read_text())
        if not (root / content["module"]).is_file():
            found.append(f"{file.name}: there is no {content['module']}")
        for name, digest in content["sources"].items():
            if not (root / name).is_file():
                found.append(f"{file.name}: there is no {name}")
            elif file_digest(root / name) != digest:
                found.append(f"{file.name}: {name} has changed")
    return found


def _text(content: Mapping[str, Any]) -> str:
    """Return a record as text, a run in a line."""
    lines = []
    for table, entries in sorted(content.items()):
        if isinstance(entries, str):
            lines.append(f"{json.dumps(table)}: {json.dumps(entries)}")
            continue
        inner = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in sorted(entries.items())]
        lines.append(f"{json.dumps(table)}: {{\n" + ",\n".join(inner) + "\n}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def merge(parts: Path, folder: Path, modules: Sequence[str] = ()) -> int:
    """Write the record of some test files, or of all, from what their tests wrote; return how many runs."""
    merged: dict[str, dict[str, Any]] = {}
    for part in sorted(parts.glob("*.json")):
        content = json.loads(part.read_text())
        module = content.pop("module")
        one = merged.setdefault(module, {"module": module, "sources": {}, "tools": {}, "runs": {}, "ran": ""})
        one["ran"] = max(one["ran"], content.pop("ran"))
        for table, entries in content.items():
            one[table] |= entries
    folder.mkdir(exist_ok=True)
    for module, content in merged.items():  # all is as recorded: the day stays, too
        content["ran"] = content["ran"] or _record_of(folder, module).get("ran", "")
    for old in folder.glob("*.json"):
        if not modules or json.loads(old.read_text())["module"] in modules:
            old.unlink()
    for module, content in merged.items():
        (folder / f"{Path(module).stem}.json").write_text(_text(content))
    return sum(len(content["runs"]) for content in merged.values())


def marked_files(root: Path = ROOT) -> list[str]:
    """Return the test files with tests marked ``recorded``."""
    files = sorted((root / "tests").glob("**/test_*.py"))
    return [file.relative_to(root).as_posix() for file in files if f"pytest.mark.{MARK}" in file.read_text()]


def _main() -> int:
    parser = argparse.ArgumentParser(description="Run the tests whose runs are recorded, and record these.")
    parser.add_argument("module", nargs="*", help="test files; all of them by default")
    parser.add_argument("--workers", default="2")
    parser.add_argument("--anew", action="store_true", help="run what is recorded, too")
    parser.add_argument("--list", action="store_true", help="print the test files with recorded runs")
    options = parser.parse_args()
    if options.list:
        print(*sorted(json.loads(file.read_text())["module"] for file in FOLDER.glob("*.json")))
        return 0
    clusters = marked_files()
    if unknown := [name for name in options.module if not name.startswith((*RECORDED, *clusters))]:
        parser.error(f"no runs are recorded of {unknown[0]}: it has no test marked {MARK}")
    chosen = options.module or [*RECORDED, *clusters]
    command = [sys.executable, "-m", "pytest", "-n", options.workers, "--dist", "loadgroup", "-m"]
    with tempfile.TemporaryDirectory() as scratch:
        environment = {**os.environ, MODE: "run" if options.anew else "", TARGET: scratch}
        code = 0
        for tests, mark in (
            ([name for name in chosen if name not in clusters], "not sweep"),
            ([name for name in chosen if name in clusters], f"{MARK} and not sweep"),
        ):
            if tests:
                done = subprocess.run([*command, mark, *tests], cwd=ROOT, env=environment, check=False)
                code = max(code, done.returncode)
        if code not in {0, 1}:  # no tests ran, or not all
            return code
        count = merge(Path(scratch), FOLDER, options.module)
    print(f"{FOLDER.relative_to(ROOT)}: {count} runs")
    return code


if __name__ == "__main__":
    sys.exit(_main())
