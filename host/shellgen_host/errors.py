# SPDX-License-Identifier: BSD-3-Clause
"""Errors of this package; each is one sentence that says what to do."""

from __future__ import annotations


class HostError(Exception):
    """Base of all errors of this package."""


class InputError(HostError):
    """A file, a value or an argument is wrong."""


class LostError(HostError):
    """A node was not reached for too long, or a frame failed too often.

    Attributes:
        frame: Number of the frame that has no result, if it is about one.
    """

    def __init__(self, text: str, frame: int | None = None) -> None:
        super().__init__(text)
        self.frame = frame


class RefusedError(HostError):
    """A node refused a connection.

    Attributes:
        code: Number of the fault, see `shellgen_host.protocol.FAULTS`.
    """

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


def printable(text: str) -> str:
    """Return a text from elsewhere without anything that a terminal obeys."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
