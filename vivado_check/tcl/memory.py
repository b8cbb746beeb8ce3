# SPDX-License-Identifier: BSD-3-Clause
"""Files that scripts have written: a tree in memory."""

from __future__ import annotations

import errno
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MOST_BYTES = 256 << 20
MOST_FILES = 5_000
LARGEST = 64 << 20  # bytes of a file
LONGEST, LONGEST_NAME, DEEPEST = 4095, 200, 100  # of a path, of a name in it, folders
_LOOK = 1 << 20  # bytes that may be written before all are counted again


class QuotaError(Exception):
    """More was written than any build script does."""


@dataclass(eq=False)
class Blob:
    """The content of a file.

    Attributes:
        laid: Its place on the disk, for processes that read it there; None if none does.
        changed: Whether it has changed since.
    """

    data: bytearray = field(default_factory=bytearray)
    laid: Path | None = None
    changed: bool = True


class Memory:
    """Files and folders by absolute path."""

    def __init__(self) -> None:
        self.files: dict[str, Blob] = {}
        self._folders: dict[str, set[str]] = {"/": set()}
        self._blobs: weakref.WeakSet[Blob] = weakref.WeakSet()  # also those that are open and have no name
        self._made = self._since = 0

    def is_folder(self, path: str) -> bool:
        """Tell whether there is a folder."""
        return path in self._folders

    def names(self, folder: str) -> set[str]:
        """Return what is in a folder; nothing if there is no such folder."""
        return self._folders.get(folder, set())

    def add_folder(self, path: str) -> None:
        """Make a folder and those above it.

        Raises:
            QuotaError: There are too many.
            OSError: The name is longer than Linux takes.
        """
        self._check_name(path)
        missing = []
        while path not in self._folders:
            missing.append(path)
            path = path.rpartition("/")[0] or "/"
        for one in reversed(missing):
            self._count_one()
            above, _, name = one.rpartition("/")
            self._folders[above or "/"].add(name)
            self._folders[one] = set()

    def add_file(self, path: str) -> Blob:
        """Make an empty file in place of whatever file has that name, and the folders above it.

        Raises:
            QuotaError: There are too many.
        """
        self._check_name(path)
        above, _, name = path.rpartition("/")
        self.add_folder(above or "/")
        if path not in self.files:
            self._count_one()
        self._folders[above or "/"].add(name)
        blob = self.files[path] = Blob()
        self._blobs.add(blob)
        return blob

    def remove(self, path: str) -> list[Blob]:
        """Remove a file or a folder with all that is in it, if it is there; return the files."""
        todo, found = [path], []
        while todo:
            one = todo.pop()
            if one in self.files:
                found.append(self.files.pop(one))
            todo += [f"{one.rstrip('/')}/{name}" for name in self._folders.pop(one, ())]
        self._folders.setdefault("/", set())
        above, _, name = path.rpartition("/")
        self._folders.get(above or "/", set()).discard(name)
        return found

    def put(self, blob: Blob, at: int, data: bytes) -> None:
        """Write bytes into a file; what lies between its end and them is zero.

        Raises:
            QuotaError: The file is too large, or all are.
        """
        end = at + len(data)
        if end > LARGEST:
            raise QuotaError(f"it writes a file of more than {LARGEST >> 20} MB")
        self._since += max(0, end - len(blob.data))
        if self._since > min(_LOOK, MOST_BYTES):
            self._since = max(0, end - len(blob.data))
            if sum(len(one.data) for one in self._blobs) + self._since > MOST_BYTES:
                raise QuotaError(f"more than {MOST_BYTES >> 20} MB were written")
        if at > len(blob.data):
            blob.data.extend(bytes(at - len(blob.data)))
        blob.data[at:end] = data
        blob.changed = True

    @staticmethod
    def _check_name(path: str) -> None:
        names = path.split("/")
        if len(path) > LONGEST or len(names) > DEEPEST or max(map(len, names)) > LONGEST_NAME:
            raise OSError(errno.ENAMETOOLONG, "file name too long")

    def walk(self, folder: str) -> Iterator[str]:
        """Yield every file below a folder, in order."""
        for path in sorted(self.files, key=lambda path: path.split("/")):
            if path.startswith(folder.rstrip("/") + "/"):
                yield path

    def _count_one(self) -> None:
        self._made += 1
        if self._made > MOST_FILES:
            raise QuotaError(f"more than {MOST_FILES} files were written")
