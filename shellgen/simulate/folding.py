# SPDX-License-Identifier: BSD-3-Clause
"""Weights that do not fit: refused before a run, whose loader would refuse them after minutes."""

from __future__ import annotations

import json
import re
from pathlib import Path

from shellgen.errors import InputError, Problem
from vivado_check.formats.data import read_json

_REGISTER = re.compile("[0-9a-fA-F]{1,8}")
_NONE = "Leave the option out: the weights of these partitions are constants"
_REMEDY = "Pack the weights of this build with `shellgen weights`"


def refuse_other_folding(out: Path, weights: str) -> None:
    """Compare the folding in the first line of each file of packed weights with that of its memory.

    Files of other programs have no such line; their lengths are for the loader to judge. Lines that are no
    registers are refused as well.

    Args:
        out: Folder that ``shellgen generate`` wrote.
        weights: Folder with ``<node>/<region>.dat``; nothing is compared without.

    Raises:
        InputError: Files are packed for another folding, or no board has a memory to load.
    """
    if not weights:
        return
    where = out / "memory_map.json"
    found = read_json(where, str(where), "Run `shellgen generate` again")
    nodes = found["nodes"] if isinstance(found, dict) else []
    if not any(node["regions"] for node in nodes):
        raise InputError(Problem(f"simulate: --weights {weights}", "no board has a memory to load", _NONE))
    problems = []
    for node in nodes:
        own = Path(weights) / node["name"]
        for region in node["regions"]:
            path = (own if own.is_dir() else Path(weights)) / region["dat"]
            if region["memory"] and (said := _difference(_packed_for(path), region["memory"])):
                problems.append(Problem(str(path), f"{said} in layer {region['layer']}", _REMEDY))
            elif line := _no_register(path):
                found = "the line is no hexadecimal number of 32 bits"
                problems.append(Problem(f"{path}:{line}", found, _REMEDY))
    if problems:
        raise InputError(*problems)


def _packed_for(path: Path) -> dict[str, object]:
    """Return the folding that a file states; nothing if it is missing or states none."""
    try:
        with path.open(encoding="ascii", errors="replace") as file:
            first = file.readline(4096)
        found = json.loads(first[first.index("{") :]) if first.startswith("//") else None
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _no_register(path: Path) -> int:
    """Return the number of the first line that holds no register; 0 if there is none, or no such file."""
    try:
        with path.open(encoding="ascii", errors="replace") as file:
            for number, line in enumerate(file, 1):
                comment = number == 1 and line.startswith("//")
                if not comment and not all(map(_REGISTER.fullmatch, line.split())):
                    return number
    except OSError:
        pass
    return 0


def _difference(packed: dict[str, object], memory: dict[str, object]) -> str:
    wrong = [name for name in sorted(packed) if packed[name] != memory.get(name, packed[name])]
    was = ", ".join(f"{name} {packed[name]}" for name in wrong)
    now = ", ".join(f"{name} {memory[name]}" for name in wrong)
    return f"it is packed for {was}, and the memory has {now}" if wrong else ""
