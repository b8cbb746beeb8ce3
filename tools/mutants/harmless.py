# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes that were looked at: those without an effect, and those that no check of scripts can see."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from .mutant import Mutant

LIST = Path(__file__).with_name("harmless.toml")


@dataclass(frozen=True)
class Entry:
    """A sort of mistake.

    Attributes:
        file: Glob of the script.
        was: Pattern of the lines as they were, or empty.
        now: Pattern of what stands there instead, or empty.
        kind: Class, or empty for any.
        reason: Why it has no effect, or why no check of these files can see it.
        harmful: Whether it has an effect, and so counts against the score.
    """

    file: str
    reason: str
    was: str = ""
    now: str = ""
    kind: str = ""
    harmful: bool = False

    def fits(self, mutant: Mutant) -> bool:
        """Tell whether a mutant is of this sort."""
        return (
            fnmatch(f"{mutant.cluster}/{mutant.script.name}", f"*{self.file}")
            and self.kind in ("", mutant.kind)
            and bool(re.search(self.was, mutant.was))
            and bool(re.search(self.now, mutant.now))
        )


def entries() -> tuple[Entry, ...]:
    """Return the committed list."""
    return tuple(Entry(**entry) for entry in tomllib.loads(LIST.read_text()).get("mistake", []))
