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
    """

    path: str
    content: bytes

    @staticmethod
    def text(path: str, text: str) -> Artifact:
        """Make an artifact of text (UTF-8, LF)."""
        return Artifact(path, text.encode())
