# SPDX-License-Identifier: BSD-3-Clause
"""Locks of generated folders: several readers, or one writer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from shellgen.disk.locks import holder, locked
from shellgen.errors import InputError, Problem, printable

LOCK = ".shellgen.lock"
_LONGEST = 200


@contextmanager
def in_use(folder: Path, lock: Path, *, shared: bool = False) -> Iterator[int]:
    """Lock a folder for the duration of the context; return the descriptor of the lock.

    Args:
        folder: Folder for the message.
        lock: Lock file; `LOCK` of a generated folder, which its readers share.
        shared: Whether the folder is only read.

    Raises:
        InputError: Another process works there.
        OSError: The lock cannot be created.
    """
    with ExitStack() as stack:
        try:
            descriptor = stack.enter_context(locked(lock, shared=shared))
        except BlockingIOError:
            who = printable(holder(lock))
            who = who if len(who) <= _LONGEST else f"{who[:_LONGEST]} ..."
            found = f"another command works in this folder ({who})"
            raise InputError(Problem(str(folder), found, "Wait until it ends, or end it")) from None
        yield descriptor


def refuse_readers(folder: Path) -> None:
    """Check that no process reads a folder before it is changed.

    Raises:
        InputError: A process reads it.
    """
    if os.path.lexists(folder / LOCK):
        with in_use(folder, folder / LOCK):
            pass
