# SPDX-License-Identifier: BSD-3-Clause
"""Unknown parts: a typo in device, package or speed grade."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from ..report import Message, Verdict
from .base import Context, rule

# Families that DS180 and DS190 list to the last device.
_LISTED = re.compile(r"x[ac]7[asz]\w+-\d[a-z]{0,2}")


@cache
def _table() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return all parts of parts.toml, and the devices of which it lists none; in small letters."""
    table = tomllib.loads(Path(__file__).parent.with_name("parts.toml").read_text(encoding="utf-8"))
    parts = {
        f"{device}{package}-{grade.lower()}"
        for entry in table["devices"]
        for device in entry["names"]
        for package in entry["packages"]
        for grade in entry["grades"]
    }
    return frozenset(parts), tuple(table["others"])


@rule("part-unknown", scope="session", source="DS180, DS190: devices, packages and speed grades")
def part_unknown(context: Context) -> Iterator[Message]:
    """Find projects for an unknown part of the Artix-7, Spartan-7 or Zynq-7000 families."""
    parts, others = _table()
    for project in context.recording.projects:
        part = project.part.lower()
        if part in parts or part.startswith(others) or not _LISTED.fullmatch(part):
            continue
        later = project.properties.get("part")
        near = get_close_matches(part, sorted(parts), 2, 0.85)
        yield Message(
            "part-unknown",
            Verdict.ERROR,
            later.origin if later else project.origin,
            project.name,
            f"there is no part {project.part}",
            f"a part, such as {' or '.join(near)}" if near else "a part",
            "correct device, package or speed grade",
            "" if later else "Coretcl 2-106",
        )
