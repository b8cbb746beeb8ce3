# SPDX-License-Identifier: BSD-3-Clause
"""Who works in a generated folder: many may read it, and who changes it is alone there."""

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
    """Have a folder for as long as the context lasts; return the descriptor of the lock.

    Args:
        folder: What the message names.
        lock: Lock file; `LOCK` of a generated folder, which its readers share.
        shared: The folder is only read.

    Raises:
        InputError: Others work there.
        OSError: The lock cannot be made.
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
    """Make sure that nobody reads a folder that is to be changed.

    Raises:
        InputError: Somebody does.
    """
    if os.path.lexists(folder / LOCK):
        with in_use(folder, folder / LOCK):
            pass
