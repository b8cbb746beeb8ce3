# SPDX-License-Identifier: BSD-3-Clause
"""One file to be written."""

from __future__ import annotations

from dataclasses import dataclass


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

    @staticmethod
    def text(path: str, text: str) -> Artifact:
        """Make an artifact of text (UTF-8, LF)."""
        return Artifact(path, text.encode())
