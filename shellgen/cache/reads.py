# SPDX-License-Identifier: BSD-3-Clause
"""Partitions of builds as they were read, one by one, as long as all that was looked at is as it was.

An entry is a folder for a build, with a file for each partition: a digest of the rest, the key, the record of
looks (`vivado_check.formats.looks`), an index, and contents one after the other. Nothing here is an error, as
in `shellgen.cache.loads`.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from shellgen.cache.contents import remove
from shellgen.cache.folders import default_cache_dir, digest
from shellgen.cache.sealed_file import PART, sealed_bytes, write_sealed
from vivado_check.formats.looks import hold

FOLDER = "reads"
MOST_BYTES = 1 << 28  # of one partition
MOST_TOGETHER = 1 << 29  # of all builds; the longest unused ones go first
MOST_BUILDS = 64


@dataclass
class Reads:
    """Partitions of one build that are kept.

    Attributes:
        build: The build, as the caller names it.
        own: All that decides what is read of a partition and is in no file that is looked at for it.
        used: Names of the files of this run.
    """

    build: str
    own: str
    used: set[str] = field(default_factory=set)

    @cached_property
    def _folder(self) -> Path:
        return default_cache_dir() / FOLDER / digest([self.build])

    def find(self, name: str, key: str) -> tuple[str, dict[str, bytes]] | None:
        """Return what is kept of a partition and still holds: the caller's text, and contents by sha256.

        Args:
            name: Of the partition.
            key: All that decides what is read of it and is neither in ``own`` nor in a file.
        """
        path = self._folder / digest([name])
        self.used.add(path.name)
        try:
            known, looks, index, contents = sealed_bytes(path).split(b"\n", 3)
            if known != self._key(key) or not hold(looks):
                return None
            entry = json.loads(index)
            files, at = {}, 0
            for sha256, size in entry["files"]:
                files[sha256] = contents[at : at + size]
                at += size
            return str(entry["told"]), files
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, name: str, key: str, looks: str, told: str, files: dict[str, bytes]) -> None:
        """Keep what was read of a partition, in place of what was kept before.

        Args:
            name: As of `find`.
            key: As of `find`.
            looks: Record of all that was looked at, a line.
            told: What was read, as the caller wrote it.
            files: Content by sha256.
        """
        if sum(map(len, files.values())) > MOST_BYTES:
            return
        index = {"told": told, "files": [[sha256, len(content)] for sha256, content in files.items()]}
        lines = (self._key(key), looks.encode(), json.dumps(index).encode())
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            write_sealed(self._folder / digest([name]), b"\n".join((*lines, b"".join(files.values()))))

    def close(self) -> None:
        """Remove partitions that the build has no more, and builds that were not used for longest."""
        with suppress(OSError):
            os.utime(self._folder)
            for path in self._folder.iterdir():
                if path.name not in self.used and PART not in path.name:
                    path.unlink(missing_ok=True)
            _bound(self._folder.parent)

    def _key(self, key: str) -> bytes:
        return digest([self.own, key]).encode()


def _bound(folder: Path) -> None:
    """Remove the entries that were not used for longest, where there are too many."""
    used = []
    for entry in folder.iterdir():
        with suppress(OSError):
            if entry.is_dir() and PART not in entry.name:
                size = sum(path.stat().st_size for path in entry.iterdir())
                used.append((entry.stat().st_mtime_ns, size, entry))
    room = MOST_TOGETHER
    for number, (_, size, entry) in enumerate(sorted(used, reverse=True)):
        room -= size
        if number and (room < 0 or number >= MOST_BUILDS):
            remove(entry)
