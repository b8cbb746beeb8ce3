# SPDX-License-Identifier: BSD-3-Clause
"""Single files that are there whole, or as they were before."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


def write_whole(path: Path, content: bytes, *, replace: bool = True, sync: bool = False) -> None:
    """Write a file so that whoever is killed leaves the old or the new one, and next to nothing else.

    The content goes into a file without a name, where the file system has such files (``O_TMPFILE``), and
    gets its name when it is complete.

    Args:
        path: The file; its folder is made if it is missing.
        content: What it will hold.
        replace: Replace a file that is there.
        sync: Have it on the disk before it gets its name, which a loss of power may ask for.

    Raises:
        FileExistsError: It is there, and is not to be replaced.
        OSError: The disk refuses; a file that was there is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path = path.parent.resolve() / path.name
    if replace and path.is_symlink():
        path = path.resolve()
    scratch = path.parent / f".{path.name}.new"  # one name, so that what a kill leaves is replaced later
    with suppress(FileNotFoundError):
        scratch.unlink()
    if not replace and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    try:
        _nameless(scratch if replace else path, content, sync=sync)
        if not replace:
            return
    except OSError:  # a file system, or a kernel, without nameless files
        with scratch.open("xb") as file:
            _fill(file, content, sync=sync)
    try:
        if replace:
            scratch.replace(path)
        else:
            os.link(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)


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
