# SPDX-License-Identifier: BSD-3-Clause
"""Listing and clearing of the cache."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shellgen.disk.locks import locked

# Folder in the cache -> its kind and contents. Other folders are never changed.
FOLDERS = {
    "verilator": ("models", "cluster models for Verilator"),
    "icarus": ("models", "cluster models for Icarus"),
    "bare": ("models", "partitions under their names in the bench"),
    "partitions": ("models", "large partitions, compiled once"),
    "blocks": ("models", "single RTL blocks, for the tests"),
    "parts": ("models", "costs of parts of cores by Yosys"),
    "cores": ("models", "cores for rehearse, as shared libraries"),
    "nodes": ("models", "shellgen-node, for rehearse"),
    "node_units": ("models", "parts of shellgen-node, compiled"),
    "headers": ("models", "Verilator's headers, precompiled"),
    "header_units": ("models", "how many units have read them as they are"),
    "runtime": ("models", "Verilator's runtime, for cocotb"),
    "templates": ("models", "compiled templates"),
    "reports": ("reports", "reports of runs that passed, for make and demo"),
    "loads": ("plans", "plans, and what was read of builds for them"),
    "reads": ("plans", "partitions, as they were read of builds"),
    "stitched": ("finn", "builds of models, by stitch"),
    "surveys": ("finn", "layers and foldings of models, for split"),
    "finn-1.6": ("finn", "FINN, in an environment of its own"),
    "finn-venv": ("finn", "FINN 1.3, for earlier releases of shellgen"),
}
KINDS = tuple(dict.fromkeys(kind for kind, _ in FOLDERS.values()))
DAY = 24 * 3600


@dataclass(frozen=True)
class Kept:
    """One folder of the cache.

    Attributes:
        folder: Name in the cache.
        kind: One of `KINDS`.
        what: Its contents.
        entries: Number of entries.
        bytes: Their size on disk, hard links counted once.
        idle_days: Days since the last use of any entry; None if it is empty.
    """

    folder: str
    kind: str
    what: str
    entries: int
    bytes: int
    idle_days: float | None


def contents(cache: Path) -> list[Kept]:
    """Return the contents of the cache, folder by folder; missing folders are omitted."""
    found = []
    for folder, (kind, what) in FOLDERS.items():
        if (cache / folder).is_dir():
            entries = list(_entries(cache / folder))
            size = sum(_size(entry) for entry in entries)
            ages = [_idle_days(entry) for entry in entries]
            found.append(Kept(folder, kind, what, len(entries), size, min(ages, default=None)))
    return found


def clear(cache: Path, kinds: Sequence[str] = KINDS, idle_days: float = 0) -> tuple[int, int]:
    """Remove entries that have not been used for a number of days, except those that a process is creating.

    A running model is in the memory of its simulator, so removing it does not affect the run.

    Args:
        cache: Folder of the cache.
        kinds: Of `KINDS`.
        idle_days: Minimum number of days without use.

    Returns:
        Removed entries and bytes.
    """
    count = size = 0
    for folder, (kind, _) in FOLDERS.items():
        if kind not in kinds or not (cache / folder).is_dir():
            continue
        for entry in list(_entries(cache / folder)):
            if _idle_days(entry) < idle_days:
                continue
            bytes_before = _size(entry)
            if remove(entry):
                count, size = count + 1, size + bytes_before
    return count, size


def _entries(folder: Path) -> Iterator[Path]:
    if FOLDERS[folder.name][0] == "finn":
        yield folder
        yield from sorted(folder.parent.glob(f"{folder.name}.part-*"))
        return
    yield from sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())


def _size(folder: Path) -> int:
    """Return the bytes of an entry on disk; another process may remove it meanwhile."""
    sizes = {}
    for parent, folders, files in os.walk(folder):
        for name in (*files, *folders):
            with suppress(FileNotFoundError):
                found = Path(parent, name).lstat()
                if not stat.S_ISDIR(found.st_mode):
                    sizes[found.st_dev, found.st_ino] = found.st_blocks * 512
    return sum(sizes.values())


def _idle_days(entry: Path) -> float:
    with suppress(FileNotFoundError):  # its creator has just finished
        return max(0.0, time.time() - entry.stat().st_mtime) / DAY
    return 0.0


def remove(entry: Path) -> bool:
    """Remove an entry unless its lock is held; the lock of x also covers a scratch folder ``x.part-y``."""
    lock = entry.parent / f"{entry.name.partition('.part-')[0]}.lock"
    try:
        with locked(lock):
            if ".part-" not in entry.name:  # a kill must not leave a partial entry under its name
                entry = entry.rename(entry.with_name(f"{entry.name}.part-{os.getpid()}"))
            shutil.rmtree(entry)
    except (BlockingIOError, FileNotFoundError):  # the second: another process has just removed it
        return False
    return True
