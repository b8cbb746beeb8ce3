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
_MOST_PROBLEMS = 100  # a damaged file may have thousands


def with_lines(problems: Sequence[Problem]) -> list[Problem]:
    """Return problems with the lines of their fields: ``cluster.toml:7: node[1].board``.

    A field that is missing has the line of the table that lacks it. A problem without a TOML file and a field
    stays as it is, and so do one whose file cannot be read again, and those after the first
    ``_MOST_PROBLEMS``.
    """
    found = [_WHERE.fullmatch(problem.where) for problem in problems[:_MOST_PROBLEMS]]
    lines: dict[tuple[str, str], int] = {}
    for file in dict.fromkeys(one["file"] for one in found if one):
        try:
            text = read_text(Path(file), file, "")
        except ShellgenError:
            continue
        fields = [one["field"] for one in found if one and one["file"] == file]
        paths = [re.findall(r"[^.\[\]]+", field) for field in fields]
        lines |= {(file, field): line for field, line in zip(fields, lines_of(text, paths), strict=True)}
    placed = []
    for problem, one in zip(problems, found, strict=False):
        line = lines.get((one["file"], one["field"]), 0) if one else 0
        placed.append(
            replace(problem, where=f"{one['file']}:{line}: {one['field']}") if one and line else problem
        )
    return [*placed, *problems[len(placed) :]]


def lines_of(text: str, paths: Sequence[Sequence[str]]) -> list[int]:
    """Return the line, from 1, where the value of each path begins, or the deepest table on its way; 0: none.

    Only a TOML parser knows where a value begins, and Python's keeps no positions. A file cut off after a
    line is TOML again unless the cut is inside a value, so the value begins behind the last such cut that
    lacks it.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    deepest, where = [0] * len(paths), [0] * len(paths)
    after = 0  # the last cut that is TOML
    for end in range(1, min(len(lines), _MOST_LINES) + 1):
        try:
            data = tomllib.loads("\n".join(lines[:end]))
        except (tomllib.TOMLDecodeError, RecursionError):
            continue
        for at, path in enumerate(paths):
            depth = _depth(data, path)
            if depth > deepest[at]:
                deepest[at], where[at] = depth, after + 1
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
