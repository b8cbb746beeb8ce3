# SPDX-License-Identifier: BSD-3-Clause
"""One file to be written."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Artifact:
    """A generated file.

    Attributes:
        path: Relative to the output folder, with ``/``.
        content: The bytes.
        fixes: Why it differs from the user's own file; empty if it does not, or if there is none.
    """

    path: str
    content: bytes
    fixes: tuple[str, ...] = ()

    @cached_property
    def sha256(self) -> str:
        """Digest of the content."""
        return hashlib.sha256(self.content).hexdigest()

    @staticmethod
    def text(path: str, text: str) -> Artifact:
        """Make an artifact of text (UTF-8, LF)."""
        return Artifact(path, text.encode())
