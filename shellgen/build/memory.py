# SPDX-License-Identifier: BSD-3-Clause
"""Memory of this machine and of process trees."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from shellgen.process.keeper import descendants, processes

GIB = 1 << 30


def available() -> int:
    """Return the bytes available to new processes: the free memory, or less in a container with a limit."""
    found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found = int(next(line for line in lines if line.startswith("MemAvailable:")).split()[1]) * 1024
    with suppress(OSError, ValueError):  # cgroup v2; "max" is no limit
        group = Path("/sys/fs/cgroup")
        limit = int((group / "memory.max").read_text())
        found = min(found, max(0, limit - int((group / "memory.current").read_text())))
    return found


def taken(roots: Iterable[int]) -> dict[int, int]:
    """Return the resident bytes of all descendants of each process."""
    size, known = os.sysconf("SC_PAGE_SIZE"), processes()
    return {root: sum(known[pid][1] for pid in descendants(root, known)) * size for root in roots}


def gib(size: int) -> str:
    """Return a number of bytes as text for people."""
    return f"{size / GIB:.1f} GiB" if size < 10 * GIB else f"{size / GIB:.0f} GiB"
