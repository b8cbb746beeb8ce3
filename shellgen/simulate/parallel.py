# SPDX-License-Identifier: BSD-3-Clause
"""Calls that run at the same time, and end at the first that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from shellgen.process.kept import end_running

T = TypeVar("T")
R = TypeVar("R")


def in_parallel(function: Callable[[T], R], items: Iterable[T], workers: int | None = None) -> list[R]:
    """Return what the function gives for each item, computed by ``workers`` threads (one per core if None).

    After an exception nothing more is begun; Ctrl-C and SIGTERM also end the compilers that run.
    """
    pool = ThreadPoolExecutor(workers)
    try:
        return list(pool.map(function, items))
    except KeyboardInterrupt:
        end_running()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
