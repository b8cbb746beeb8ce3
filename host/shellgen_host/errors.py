# SPDX-License-Identifier: BSD-3-Clause
"""Errors of this package; each is one sentence that says what to do."""

from __future__ import annotations

import os
import re


class HostError(Exception):
    """Base of all errors of this package."""


class InputError(HostError):
    """A file, a value or an argument is wrong."""


class NodeError(HostError):
    """The core of a node, what moves its frames, or a file of its weights is not as it must be."""


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


def reason(error: Exception) -> str:
    """Return why something was not reached, in the words of the operating system where it has some.

    asyncio says "Connect call failed" and an address, or lists what each of several addresses gave; of a
    connection that ends, it counts bytes.
    """
    if isinstance(error, EOFError):
        return "the other side ended the connection"
    text = getattr(error, "strerror", None) or str(error)
    if found := re.match(r"Multiple exceptions: \[Errno (\d+)\]", text):
        return os.strerror(int(found[1])).lower()
    if text.startswith("Connect call failed") and isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno).lower()
    return text


def printable(text: str) -> str:
    """Return a text from elsewhere without anything that a terminal obeys."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
