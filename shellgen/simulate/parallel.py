# SPDX-License-Identifier: BSD-3-Clause
"""Calls that run at the same time, and end at the first that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_parallel(function: Callable[[T], R], items: Iterable[T], workers: int | None = None) -> list[R]:
    """Return what the function gives for each item, computed by ``workers`` threads (one per core if None).

    After an exception, Ctrl-C among them, nothing more is begun: who stops a build of minutes waits only for
    the compilers that run, and a terminal has stopped those too.
    """
    pool = ThreadPoolExecutor(workers)
    try:
        return list(pool.map(function, items))
    finally:
        pool.shutdown(cancel_futures=True)
