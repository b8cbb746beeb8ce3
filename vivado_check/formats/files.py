# SPDX-License-Identifier: BSD-3-Clause
"""The one place where third-party files are opened: plain files of bounded size, without blocking.

A pipe without a writer would block, a device has no end, and any build may name either.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

from vivado_check.formats.looks import missed, opened, read

StrPath = str | os.PathLike[str]  # what Python callers may give for a path
MOST = 1 << 31
_KINDS = {
    stat.S_IFIFO: "is a pipe",
    stat.S_IFSOCK: "is a socket",
    stat.S_IFCHR: "is a device",
    stat.S_IFBLK: "is a device",
    stat.S_IFDIR: "is a folder",
}


class NoPlainFileError(OSError):
    """Something else has the name of a file."""


def open_file(path: Path) -> BufferedReader:
    """Open a plain file to read its bytes.

    Raises:
        NoPlainFileError: It is a pipe, a socket, a device or a folder.
        OSError: It is not there, or may not be read.
    """
    return os.fdopen(_opened(path)[0], "rb")


def _opened(path: Path) -> tuple[int, int]:
    """Return the descriptor of a plain file, and its size."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        missed(path)
        if error.errno == errno.ENXIO:  # a socket
            raise _no_file(path, path.stat().st_mode) from None
        raise
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise _no_file(path, found.st_mode)
    opened(str(path), found)
    return descriptor, found.st_size


def file_bytes(path: Path, most: int = MOST) -> bytes:
    """Return the content of a file.

    Raises:
        OSError: It is no plain file, cannot be read, or has more bytes than ``most``.
    """
    descriptor, left = _opened(path)
    try:
        if left > most:
            raise OSError(errno.EFBIG, f"has more than {most >> 20} MiB", str(path))
        pieces = []  # one, of nearly all files: a file object asks the system three times as much
        while left and (piece := os.read(descriptor, left)):
            pieces.append(piece)
            left -= len(piece)
    finally:
        os.close(descriptor)
    content = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    read(str(path), content)
    return content


def file_text(path: Path, encoding: str = "utf-8", errors: str = "strict") -> str:
    """Return the content of a text file, with line ends as Python has them.

    Raises:
        OSError: As `file_bytes`.
        UnicodeDecodeError: It is no text of this encoding.
    """
    text = file_bytes(path).decode(encoding, errors)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _no_file(path: Path, mode: int) -> NoPlainFileError:
    found = _KINDS.get(stat.S_IFMT(mode), "is something else")
    return NoPlainFileError(errno.EINVAL, f"{found} and not a file", str(path))
