# SPDX-License-Identifier: BSD-3-Clause
"""Survivors that are no mistakes: each with the reason why nothing can tell it from the original."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tools.bench_mutants.sites import Mutant

FILE = Path(__file__).with_name("equivalent.toml")


@dataclass(frozen=True)
class Known:
    """A family of mutants: a pattern for their names, and why they are equivalent."""

    pattern: re.Pattern[str]
    reason: str


def read_known(path: Path = FILE) -> tuple[Known, ...]:
    """Return the list."""
    return tuple(
        Known(re.compile(entry["mutant"]), entry["reason"])
        for entry in tomllib.loads(path.read_text()).get("equivalent", ())
    )


def reason(mutant: Mutant, known: tuple[Known, ...]) -> str:
    """Return why a mutant is equivalent, or an empty string."""
    return next((one.reason for one in known if one.pattern.search(mutant.name)), "")
