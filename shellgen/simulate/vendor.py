# SPDX-License-Identifier: BSD-3-Clause
"""Sources for modules that partitions use but do not define: a model, Vivado's source, or an error."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shellgen.errors import InputError, Problem
from shellgen.model.bench import Bench

_DEFINES = re.compile(r"^\s*(?:\(\*[^\n]*\*\)\s*)?module\s+(\w+)", re.MULTILINE)
XPM_REMEDY = "give Vivado's own with `--xpm <Vivado>/data/ip/xpm`"


@dataclass(frozen=True)
class Vendor:
    """Sources beside those of the generated folder.

    Attributes:
        models: Ours, of modules that Vivado has.
        originals: Vivado's.
    """

    models: tuple[Path, ...]
    originals: tuple[Path, ...]


def vendor_sources(out: Path, bench: Bench, xpm: str) -> Vendor:
    """Return replacements for modules that no source of a partition defines.

    Args:
        out: The generated folder.
        bench: Its bench.json.
        xpm: Folder of Vivado's XPM sources; empty to use our models.

    Raises:
        InputError: A partition is a black box, a module that it surely needs is nowhere, or ``xpm`` holds no
            sources.
    """
    boxes = [
        Problem(
            f"partition {box.partition}",
            f"it cannot be simulated: {box.reason}",
            "What was generated around it is whole; simulate with a build that has its RTL",
        )
        for box in bench.black_boxes
    ]
    if boxes:
        raise InputError(*boxes)
    originals = _originals(Path(xpm)) if xpm else {}
    lacking = [one for one in bench.missing if one.certain and one.module not in originals]
    if lacking:
        raise InputError(*(unknown_module(one.module, str(out / one.place)) for one in lacking))
    models = [out / name for name in bench.sources.vendor]
    files = tuple(dict.fromkeys(originals.values()))
    return Vendor(tuple(path for path in models if path.stem not in originals), files)


def unknown_module(module: str, place: str) -> Problem:
    """Say that a module is nowhere.

    Args:
        module: Its name.
        place: File and line of the instance.
    """
    remedy = "Add the file that defines it to the build's all_verilog_srcs.txt and generate again"
    if module.startswith("xpm_"):
        remedy = f"It is a macro of Vivado's: {XPM_REMEDY}"
    found = f"it instantiates {module}, which no source of the build defines and shellgen has no model of"
    return Problem(place, found, remedy)


def _originals(folder: Path) -> dict[str, Path]:
    """Return the file of each module below ``<Vivado>/data/ip/xpm``."""
    files: Sequence[Path] = sorted(folder.glob("xpm_*/hdl/*.sv")) if folder.is_dir() else []
    found = {name: file for file in files for name in _DEFINES.findall(file.read_text(errors="replace"))}
    if not found:
        remedy = "Name the folder of a Vivado installation that holds xpm_fifo/hdl/xpm_fifo.sv, data/ip/xpm"
        raise InputError(Problem(f"simulate: --xpm {folder}", "it holds no XPM sources", remedy))
    return found
