# SPDX-License-Identifier: BSD-3-Clause
"""Viewers of waves: which there are, and how each opens a dump with its view."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from shellgen.errors import InputError, Problem
from shellgen.quote import shell_quote
from shellgen.simulate.outcome import REPORT
from shellgen.simulate.tools import SIMULATORS

# By program, in the order in which they are tried: arguments for a dump and its view, if there is one.
# Documented by `surfer --help` and gtkwave(1).
VIEWERS: Mapping[str, Callable[[str, str], list[str]]] = MappingProxyType(
    {
        "surfer": lambda dump, view: [*(["-c", view] if view else []), dump],
        "gtkwave": lambda dump, view: [dump, *([view] if view else [])],
    }
)
_VIEWS = {"surfer": ".sucl", "gtkwave": ".gtkw"}
_STDERR = 2  # the file descriptor


def find_waves(out: Path, simulator: str | None) -> Path:
    """Return the dump to open: of the simulator, of the first one whose run failed, or of the first one.

    Args:
        out: Folder that was simulated.
        simulator: ``verilator``, ``icarus``, or None.

    Raises:
        InputError: There is no dump.
    """
    if not (out / "bench").is_dir():
        remedy = "Give a folder that `shellgen generate` wrote and `shellgen simulate --waves` ran in"
        raise InputError(Problem(str(out / "bench"), "the folder is missing", remedy))
    runs = [out / "bench" / f"run_{name}" for name in SIMULATORS if simulator in (None, name)]
    dumps = [dump for run in runs for kind in ("fst", "vcd") if (dump := run / f"waves.{kind}").is_file()]
    if not dumps:
        where = str(out / "bench" / f"run_{simulator or '*'}")
        named = f" --simulator {simulator}" if simulator else ""
        remedy = f"Run `shellgen simulate {shell_quote(out)}{named} --waves`; add `all` if the run passes"
        raise InputError(Problem(where, "there are no waves", remedy))
    return next((dump for dump in dumps if _failed(dump.parent)), dumps[0])


def commands(dump: Path) -> dict[str, str]:
    """Return the command of each viewer, ready for a shell."""
    return {name: command(name, str(dump), _view(name, dump)) for name in VIEWERS}


def command(viewer: str, dump: str, view: str) -> str:
    """Return the command that opens a dump with its view, or without one if that is empty."""
    return " ".join([viewer, *map(shell_quote, VIEWERS[viewer](dump, view))])


def choose(asked: str | None) -> str | None:
    """Return the viewer that was asked for, or the first one, if it is on PATH."""
    return next((name for name in VIEWERS if asked in (None, name) and shutil.which(name)), None)


def start(viewer: str, dump: Path) -> int:
    """Open a dump, wait until the viewer is closed, and return its exit code.

    Its output goes to stderr: stdout holds the answer of the command.
    """
    arguments = VIEWERS[viewer](str(dump), _view(viewer, dump))
    return subprocess.run([viewer, *arguments], stdout=_STDERR, check=False).returncode


def _view(viewer: str, dump: Path) -> str:
    """Return the view beside a dump, if it is there."""
    view = dump.with_suffix(_VIEWS[viewer])
    return str(view) if view.is_file() else ""


def _failed(run: Path) -> bool:
    """Whether the report of a run says that it failed; a report that cannot be read says nothing."""
    try:
        report = json.loads((run / REPORT).read_text())
    except (OSError, ValueError):
        return False
    return isinstance(report, dict) and report.get("passed") is False
