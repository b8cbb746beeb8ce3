# SPDX-License-Identifier: BSD-3-Clause
"""Steps of `make` and `demo` that an earlier run completed, and whether their results are still there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

from shellgen.cache import default_cache_dir, once
from shellgen.cache.sealed import damage
from shellgen.disk.files import write_whole
from shellgen.errors import InputError
from shellgen.model.bench_report import RunReport
from shellgen.report.write import page_of, write_ran
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.simulate.outcome import REPORT
from shellgen.simulate.tools import Simulator, find_cocotb, find_icarus, find_verilator
from shellgen.stitch import code
from vivado_check.formats.data import read_json
from vivado_check.formats.files import file_bytes

_STATE = "make.json"


class _Done(TypedDict):
    """A step that was completed: digest of its inputs, and of each file that it made."""

    inputs: str
    files: dict[str, str]


@dataclass
class Steps:
    """The steps that were completed, in the working folder.

    Attributes:
        path: Their file.
        done: By step.
        reused: Steps that need not run again.
        shared: Those of them whose results come from another folder.
    """

    path: Path
    done: dict[str, _Done] = field(default_factory=dict)
    reused: list[str] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, out: Path, state: str = _STATE) -> Steps:
        """Read what earlier runs completed; a damaged file, or one of an earlier release, counts as none.

        Args:
            out: Working folder.
            state: Name of the file there.
        """
        path = out / state
        try:
            found = read_json(path, str(path), "") if path.is_file() else {}
        except InputError:
            found = {}
        told = found.items() if isinstance(found, dict) else ()
        return cls(path, {name: done for name, one in told if (done := _read(one)) is not None})

    def is_done(self, step: str, inputs: str) -> bool:
        """Tell whether a step was completed with the same inputs, and nobody changed or removed its files."""
        done = self.done.get(step)
        if done is None or done["inputs"] != inputs:
            return False
        if any(_content(self.path.parent / name) != was for name, was in done["files"].items()):
            return False
        self.reused.append(step)
        return True

    def begin(self, step: str) -> None:
        """Forget a step before it runs: if it is interrupted, its files may be of neither run."""
        self.done[step] = {"inputs": "", "files": {}}
        self._write()

    def has_begun(self, step: str) -> bool:
        """Tell whether a run has begun this step, so that its folder is no other program's."""
        return step in self.done

    def complete(self, step: str, inputs: str, files: Sequence[Path]) -> None:
        """Record a step at once, so that a later one that fails does not cost it."""
        folder = self.path.parent
        made = {path.relative_to(folder).as_posix(): _content(path) for path in files}
        self.done[step] = {"inputs": inputs, "files": made}
        self._write()

    def _write(self) -> None:
        write_whole(self.path, (json.dumps(self.done, indent=1, sort_keys=True) + "\n").encode())


def origin(texts: Sequence[str], files: Sequence[Path]) -> str:
    """Return a digest of the inputs of a step, and of shellgen itself."""
    state = hashlib.sha256(code().encode())
    for chunk in [*(text.encode() for text in texts), *(file_bytes(path) for path in files)]:
        state.update(len(chunk).to_bytes(8, "little") + chunk)
    return state.hexdigest()


def reports_folder() -> Path:
    """Return where reports of runs that passed are kept, for all folders of this machine."""
    return default_cache_dir() / "reports"


def proved(  # noqa: PLR0913 - inputs of a run
    steps: Steps,
    step: str,
    generated: Path,
    simulator: Simulator,
    options: SimulateOptions,
    inputs: Sequence[str],
    labels: Path | None = None,
) -> tuple[RunReport, Path]:
    """Simulate, or read the report of a run that had the same files, options and tools, and passed.

    That run was in this folder, or in another one of this machine: the cache keeps reports of runs that
    passed under the digest of all that decides them.

    Args:
        steps: Steps of the working folder.
        step: Name of this one there.
        generated: What `shellgen generate` wrote, with no file edited since.
        simulator: ``verilator`` or ``icarus``.
        options: Options of the run.
        inputs: What else decides it: the sources of the partitions.
        labels: Of the frames, for the accuracy.

    Returns:
        The report, and its page.
    """
    tool = find_verilator() if simulator == "verilator" else find_icarus()
    files = [generated / "manifest.json", *([labels] if labels else [])]
    own = origin([*inputs, simulator, repr(options), tool.identity, find_cocotb().identity], files)
    page = page_of(generated, simulator)
    kept = page.with_name(REPORT)
    if steps.is_done(step, own):
        if told := _passed(kept):
            return told, page
        steps.reused.remove(step)
    steps.begin(step)
    entry = reports_folder() / own
    report = _copied(entry / REPORT, kept) if damage(entry) == "" else None
    if report:
        steps.reused.append(step)
        steps.shared.append(step)
    else:
        report = simulate(generated, simulator, options, labels)
    write_ran(generated, report)
    if report.passed:
        steps.complete(step, own, [kept, page])
        once(entry, lambda scratch: write_whole(scratch / REPORT, file_bytes(kept)))
    return report, page


def _copied(path: Path, to: Path) -> RunReport | None:
    """Copy a report of a run that passed, and return it; None if the cache is being cleared."""
    to.parent.mkdir(parents=True, exist_ok=True)
    try:
        write_whole(to, file_bytes(path))
    except InputError:
        return None
    return _passed(to)


def _passed(path: Path) -> RunReport | None:
    """Return the report in a file, if it is one of a run that passed."""
    try:
        told = RunReport.from_data(read_json(path, str(path), ""), path)
    except InputError:
        return None
    return told if told.passed else None


def _content(path: Path) -> str:
    """Return a digest of a file; empty if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _read(one: object) -> _Done | None:
    """Return a record as it is in the file, if it is one."""
    if not isinstance(one, dict) or set(one) != {"inputs", "files"}:
        return None
    inputs, files = one["inputs"], one["files"]
    if not isinstance(inputs, str) or not isinstance(files, dict):
        return None
    if not all(isinstance(digest, str) for digest in files.values()):
        return None
    return {"inputs": inputs, "files": {str(name): str(digest) for name, digest in files.items()}}
