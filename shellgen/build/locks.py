# SPDX-License-Identifier: BSD-3-Clause
"""Locks that last as long as the process that was given them, whoever dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def held(file: Path) -> Iterator[int]:
    """Hold a lock file; its descriptor can be handed on to a process, which then holds it, too.

    At the end the file is removed, so nothing of that process may be left by then. A file that a killed
    command has left behind locks nobody out.

    Raises:
        BlockingIOError: Somebody else holds it.
    """
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with suppress(FileNotFoundError):
                if os.path.samestat(file.stat(), os.fstat(descriptor)):
                    break  # otherwise who held it has removed it meanwhile, and others lock another by now
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
    try:
        yield descriptor
    finally:
        file.unlink(missing_ok=True)
        os.close(descriptor)
