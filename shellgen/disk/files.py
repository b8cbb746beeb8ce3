# SPDX-License-Identifier: BSD-3-Clause
"""Atomic writes of single files, and whether anybody has written to one."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


def write_whole(path: Path, content: bytes, *, replace: bool = True, sync: bool = False) -> None:
    """Write a file atomically: a kill leaves the old or the new file and almost nothing else.

    The content is written to an unnamed file, if the file system supports it (``O_TMPFILE``), which gets its
    name when it is complete.

    Args:
        path: The file; a missing folder is created.
        content: Its content.
        replace: Whether to replace an existing file.
        sync: Whether to flush it to the disk before it gets its name, to survive a power failure.

    Raises:
        FileExistsError: It exists, and must not be replaced.
        OSError: A disk error; an existing file is unchanged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path = path.parent.resolve() / path.name
    if replace and path.is_symlink():
        path = path.resolve()
    if replace and path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(0, "is not a plain file", str(path))  # root could replace /dev/null
    scratch = (
        path.parent / f".{path.name}.new"
    )  # a fixed name, so that the leftover of a kill is replaced later
    with suppress(FileNotFoundError):
        scratch.unlink()
    if not replace and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    try:
        _nameless(scratch if replace else path, content, sync=sync)
        if not replace:
            return
    except OSError:  # a file system or kernel without unnamed files
        with scratch.open("xb") as file:
            try:
                _fill(file, content, sync=sync)
            except OSError as error:  # of a full disk, which does not name the file
                scratch.unlink(missing_ok=True)
                raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        if replace:
            scratch.replace(path)
        else:
            os.link(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)


def stamp(path: Path) -> str:
    """Return inode and time of the last change of a file, which differ after its content was restored."""
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{found.st_ino}:{found.st_ctime_ns}"


def _nameless(path: Path, content: bytes, *, sync: bool) -> None:
    descriptor = os.open(path.parent, os.O_WRONLY | os.O_TMPFILE | os.O_CLOEXEC, 0o666)
    with os.fdopen(descriptor, "wb") as file:
        _fill(file, content, sync=sync)
        # With a folder given, Python calls linkat, which follows the link in /proc.
        os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor)


def _fill(file: BinaryIO, content: bytes, *, sync: bool) -> None:
    file.write(content)
    file.flush()
    if sync:
        os.fsync(file.fileno())
