# SPDX-License-Identifier: BSD-3-Clause
"""A single mistake in a script."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

from .text import Script


@dataclass(frozen=True)
class Mutant:
    """A single mistake.

    Attributes:
        cluster: One of `CLUSTERS`.
        script: As generated.
        kind: Class of the mistake.
        lines: That it replaces.
        new: What stands there instead.
    """

    cluster: str
    script: Script
    kind: str
    lines: range
    new: tuple[str, ...]

    @property
    def was(self) -> str:
        """Return the lines that are replaced."""
        return "\n".join(self.script.lines[k] for k in self.lines)

    @property
    def now(self) -> str:
        """Return what stands there instead."""
        return "\n".join(self.new)

    @property
    def text(self) -> str:
        """Return the script with the mistake."""
        return self.script.replaced(self.lines, self.new)

    @property
    def name(self) -> str:
        """Return its identity: it stays as long as the lines that it is about."""
        digest = crc32(f"{self.was}\0{self.now}".encode())
        return f"{self.cluster}/{self.script.name}:{self.kind}:{digest:08x}"

    @property
    def told(self) -> str:
        """Return it in one line."""
        was, now = (" | ".join(line.strip() for line in text.split("\n")) for text in (self.was, self.now))
        return f"{self.script.name}:{self.lines.start + 1}: {was}  ->  {now or '(nothing)'}"
