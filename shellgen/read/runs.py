# SPDX-License-Identifier: BSD-3-Clause
"""Several runs of one network in one folder: FINN_BUILD_DIR keeps every stitched design, and one is final.

FINN stitches a network several times, each time in a new ``vivado_stitch_proj_<8 characters>``: with FIFOs
that count words, to find their depths (ports ``maxcount``), for simulation, and at last for synthesis. The
design of a whole network has one name, ``finn_design``; partitions of one network have different names.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path

from shellgen.errors import InputError, Problem
from vivado_check.formats.files import file_bytes, file_text
from vivado_check.formats.looks import children, glob, is_dir

_LOG = logging.getLogger("shellgen.read")
_RUN = re.compile(r"vivado_stitch_proj_.{8}", re.DOTALL)
_BLOCKS = ("finn_vivado_stitch_proj.gen", "finn_vivado_stitch_proj.srcs")
_DATE = re.compile(
    r"^//\s*Date\s*:\s*\w{3} (\w{3}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})\s*$", re.MULTILINE
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SIZING = re.compile(r"\bmaxcount(?:_\d+)?\b")
_HEAD = 1 << 16  # characters of a wrapper: its header and its ports


def final_runs(build: Path, folders: Sequence[Path]) -> list[Path]:
    """Return the folders without the earlier runs of a network, in the same order.

    The final run is one that does not measure FIFOs; of several, one that a model of the build records, and
    then the newest, by the date that Vivado writes into the wrapper. A note names it and the others;
    ``shellgen init --run`` chooses another.
    """
    runs = [(name, folder) for folder in folders if _RUN.fullmatch(folder.name) and (name := _block(folder))]
    dropped: set[Path] = set()
    for name, group in groupby(sorted(runs), key=lambda run: run[0]):
        same = [folder for _, folder in group]
        if len(same) > 1:
            recorded = _recorded(build, same)
            final = max(same, key=lambda run: (not is_sizing(run), run in recorded, _newest(run), run.name))
            dropped |= {folder for folder in same if folder != final}
            text = "%s: it holds %d runs of %s, and %s is taken%s; `shellgen init --run` takes another: %s"
            others = ", ".join(_described(folder) for folder in same if folder != final)
            why = ", although it measures the depths of FIFOs" if is_sizing(final) else ""
            _LOG.warning(text, build, len(same), name, final.name, why, others)
    return [folder for folder in folders if folder not in dropped]


def run_of(build: Path, name: str) -> Path:
    """Return the folder of a run that a user names.

    Raises:
        InputError: The build does not hold it.
    """
    folder = build / name
    runs = sorted(path.name for path in children(build) if _block(path)) if is_dir(build) else []
    if name in runs:
        return folder
    remedy = f"Name one of {', '.join(runs)}" if runs else "Leave --run out"
    raise InputError(Problem("shellgen init: --run", f"{build} holds no run {name}", remedy))


def is_sizing(run: Path) -> bool:
    """Whether a stitched design measures the depths of FIFOs: it has ports that tell their largest counts."""
    return any(_SIZING.search(text) for text in _heads(run))


def _recorded(build: Path, runs: Sequence[Path]) -> set[Path]:
    """Return the runs that a model of the build names."""
    models = [file_bytes(path) for path in sorted({*glob(build, "*.onnx"), *glob(build, "*/*.onnx")})]
    return {run for run in runs if any(run.name.encode() in model for model in models)}


def _newest(run: Path) -> datetime:
    return max((_date(text) for text in _heads(run)), default=datetime.min)


def _described(run: Path) -> str:
    return f"{run.name} (measures FIFOs)" if is_sizing(run) else run.name


def _block(run: Path) -> str:
    """Return the name of the block design of a run; empty if there is none, or several."""
    folders = [folder for base in _BLOCKS for folder in glob(run, f"{base}/sources_1/bd/*")]
    names = {folder.name for folder in folders if is_dir(folder) and folder.name != "mref"}
    return names.pop() if len(names) == 1 else ""


def _heads(run: Path) -> Iterable[str]:
    """Return the beginnings of the wrappers of a run."""
    paths = [path for base in _BLOCKS for path in glob(run, f"{base}/sources_1/bd/*/hdl/*.v")]
    return [file_text(path, errors="replace")[:_HEAD] for path in paths]


def _date(text: str) -> datetime:
    match = _DATE.search(text)
    if not match or match[1] not in _MONTHS:
        return datetime.min
    try:
        day, hour, minute, second, year = (int(match[index]) for index in (2, 3, 4, 5, 6))
        return datetime(year, _MONTHS.index(match[1]) + 1, day, hour, minute, second)
    except ValueError:
        return datetime.min
