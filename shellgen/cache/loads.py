# SPDX-License-Identifier: BSD-3-Clause
"""Plans that were made, with what was read for them, as long as everything that was looked at is as it was.

An entry is a folder: ``plan.json``, ``files`` with contents one after the other, and ``index.json``, with the
digest of each, and the record of looks (`vivado_check.formats.looks`) that is compared before an entry is
used. Nothing here is an error: a cache that cannot be read or written keeps nothing, and what another process
clears in between is not there.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shellgen.cache.contents import remove
from shellgen.cache.folders import default_cache_dir
from vivado_check.formats.files import file_bytes
from vivado_check.formats.looks import hold, unrecorded

FOLDER = "loads"
_INDEX, _PLAN, _FILES = "index.json", "plan.json", "files"
MOST_BYTES = 1 << 28  # of one entry
MOST_TOGETHER = 1 << 29  # of all entries; the longest unused ones go first
MOST_ENTRIES = 128
_BUFFER = 1 << 20  # bytes: thousands of short files in a few calls


@dataclass(frozen=True)
class Kept:
    """The plan of one cluster, and what belongs to it.

    Attributes:
        plan: Text of plan.json.
        files: Content by sha256; empty if only the plan was asked for.
        told: What else is known, as the caller wrote it.
    """

    plan: bytes
    files: dict[str, bytes]
    told: str


def find(key: str, *, files: bool = True) -> Kept | None:
    """Return what is kept under a key and still holds.

    Args:
        key: A digest of all that decides it and is in no file that was looked at.
        files: Whether the files are needed.
    """
    folder = default_cache_dir() / FOLDER
    with suppress(OSError):
        for entry in sorted(folder.glob(f"{key}-*")):
            if ".part-" in entry.name or not (entry / _INDEX).is_file():
                continue
            found = _read(entry, files=files)
            if found:
                os.utime(entry)
                return found
    return None


def keep(key: str, looks: str, kept: Kept) -> None:
    """Keep a plan in place of the one that was kept under this key.

    Args:
        key: As of `find`.
        looks: Record of all that was looked at, a line.
        kept: The plan and what belongs to it.
    """
    size = len(kept.plan) + sum(map(len, kept.files.values()))
    if size > MOST_BYTES:
        return
    folder = default_cache_dir() / FOLDER
    names = [[sha256, len(content)] for sha256, content in kept.files.items()]
    index = {"files": names, "told": kept.told, "plan": hashlib.sha256(kept.plan).hexdigest()}
    text = f"{looks}\n{json.dumps(index)}".encode()
    text = hashlib.sha256(text).hexdigest().encode() + b"\n" + text
    name = f"{key}-{hashlib.sha256(text).hexdigest()[:16]}"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f"{name}.part-", dir=folder))
        try:
            (scratch / _PLAN).write_bytes(kept.plan)
            with (scratch / _FILES).open("wb", _BUFFER) as file:
                file.writelines(kept.files.values())
            (scratch / _INDEX).write_bytes(text)
            for other in folder.glob(f"{key}-*"):  # of inputs that have changed since
                if ".part-" not in other.name:
                    remove(other)
            scratch.rename(folder / name)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        _bound(folder)


def own_bytes(path: Path) -> bytes:
    """Return the content of a file of the cache, on which no result depends.

    Raises:
        OSError: It is no plain file, or cannot be read.
    """
    with unrecorded():
        return file_bytes(path)


def _read(entry: Path, *, files: bool) -> Kept | None:
    """Return an entry that is whole and holds."""
    try:
        digest, _, text = own_bytes(entry / _INDEX).partition(b"\n")
        if hashlib.sha256(text).hexdigest().encode() != digest:
            return None
        looks, _, rest = text.partition(b"\n")
        index = json.loads(rest)
        plan = own_bytes(entry / _PLAN)
        if hashlib.sha256(plan).hexdigest() != index["plan"] or not hold(looks):
            return None
        found = _contents(own_bytes(entry / _FILES), index["files"]) if files else {}
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return None if found is None else Kept(plan, found, str(index["told"]))


def _contents(whole: bytes, names: list[tuple[str, int]]) -> dict[str, bytes] | None:
    found, at = {}, 0
    for sha256, size in names:
        found[sha256] = whole[at : at + size]
        at += size
        if hashlib.sha256(found[sha256]).hexdigest() != sha256:
            return None
    return found


def _bound(folder: Path) -> None:
    """Remove the entries that were not used for longest, where there are too many."""
    used = []
    for entry in folder.iterdir():
        with suppress(OSError):
            if entry.is_dir():
                size = sum(path.stat().st_size for path in entry.iterdir())
                used.append((entry.stat().st_mtime_ns, size, entry))
    room = MOST_TOGETHER
    for number, (_, size, entry) in enumerate(sorted(used, reverse=True)):
        room -= size
        if (room < 0 or number >= MOST_ENTRIES) and ".part-" not in entry.name:
            remove(entry)
