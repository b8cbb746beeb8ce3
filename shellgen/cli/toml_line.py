# SPDX-License-Identifier: BSD-3-Clause
"""The line of a TOML file that a problem is about."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from shellgen.errors import Problem, ShellgenError
from vivado_check.formats.data import read_text

_WHERE = re.compile(r"(?P<file>.+?\.toml): (?P<field>[\w.\[\]-]+)")
_MOST_LINES = 1000  # each line costs a parse of all lines before it; a generated file may have more


def with_line(problem: Problem) -> Problem:
    """Return a problem with the line of its field: ``cluster.toml:7: node[1].board``.

    A field that is missing has the line of the table that lacks it. A problem without a TOML file and a field
    stays as it is, and so does one whose file cannot be read again.
    """
    found = _WHERE.fullmatch(problem.where)
    if not found:
        return problem
    try:
        text = read_text(Path(found["file"]), found["file"], "")
    except ShellgenError:
        return problem
    line = line_of(text, re.findall(r"[^.\[\]]+", found["field"]))
    return replace(problem, where=f"{found['file']}:{line}: {found['field']}") if line else problem


def line_of(text: str, path: Sequence[str]) -> int:
    """Return the line, from 1, where the value of a path begins, or the deepest table on its way; 0: none.

    Only a TOML parser knows where a value begins, and Python's keeps no positions. A file cut off after a
    line is TOML again unless the cut is inside a value, so the value begins behind the last such cut that
    lacks it.
    """
    lines = text.splitlines()
    deepest = 0
    where = 0
    after = 0  # the last cut that is TOML
    for end in range(1, min(len(lines), _MOST_LINES) + 1):
        try:
            data = tomllib.loads("\n".join(lines[:end]))
        except (tomllib.TOMLDecodeError, RecursionError):
            continue
        depth = _depth(data, path)
        if depth > deepest:
            deepest, where = depth, after + 1
        after = end
    return where


def _depth(data: object, path: Sequence[str]) -> int:
    """Return how many steps of a path exist."""
    depth = 0
    for step in path:
        if isinstance(data, dict) and step in data:
            data = data[step]
        elif isinstance(data, list) and step.isdigit() and int(step) < len(data):
            data = data[int(step)]
        else:
            break
        depth += 1
    return depth
