# SPDX-License-Identifier: BSD-3-Clause
"""Looks at the folders of third parties, and a record of them that tells later whether all is as it was.

Who keeps what was made of a build must know when the build is another one. So whatever decides a result is
opened by `files.open_file` or looked at by a function of this module, and `recording` writes it down: the
content of a file, the names in a folder, and what has a name, also where nothing has it.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeAlias, TypeVar

# Size or 0, times in ns and number of a file or folder, and a digest of its bytes or names.
State: TypeAlias = "tuple[int, int, int, int, str]"
_COARSE_NS = 3_000_000_000  # two changes within this time may leave one time stamp (FAT counts in 2 s)
_NOTHING, _FILE, _FOLDER, _OTHER = "", "file", "folder", "other"
SeenT = TypeVar("SeenT")
_Stamps: TypeAlias = "tuple[int, int, int, int]"


class Looks:
    """Looks at files and folders.

    Attributes:
        files: Time stamps of each opened file, by path.
        folders: Those of each folder whose names were read.
        kinds: What had a name: ``file``, ``folder``, ``other``, or nothing.
    """

    def __init__(self, outer: Looks | None = None) -> None:
        self.files: dict[str, _Stamps] = {}
        self.folders: dict[str, _Stamps] = {}
        self.kinds: dict[str, str] = {}
        self._begun = time.time_ns()
        # Stamps and digest, by path, as far as an inner recording or a record that holds has them.
        self._known: dict[str, State] = {}
        # What need not be looked at again at the end: an inner record has just compared it.
        self._sure: set[str] = set()
        self._outer = outer

    def read(self, path: str, content: bytes) -> None:
        """Take the digest of a file while its content is at hand."""
        if path in self.files and path not in self._known:
            self._known[path] = (*self.files[path], hashlib.sha256(content).hexdigest())

    def record(self) -> str | None:
        """Return the record as a line of JSON, or None if something has changed since it was looked at."""
        found: dict[str, dict[str, State]] = {"files": {}, "folders": {}}
        for name, seen, digest in (("files", self.files, _content), ("folders", self.folders, _names)):
            for path, stamps in seen.items():
                known = self._known.get(path)
                if known and known[:4] == stamps and path in self._sure:
                    found[name][path] = known
                    continue
                try:
                    told = known[4] if known and known[:4] == stamps else digest(path)
                    same = _stamps(_status(path)) == stamps
                except OSError:
                    return None
                if not same:
                    return None
                self._known[path] = found[name][path] = (*stamps, told)
        if any(_kind(path) != kind for path, kind in self.kinds.items() if path not in self._sure):
            return None
        self._sure.update(self.files, self.folders, self.kinds)
        if self._outer:
            self._outer._learn(self)
        return json.dumps({"at": self._begun, **found, "kinds": self.kinds})

    def add(self, other: Looks) -> None:
        """Take over what another recording saw; where both looked at the same, the first look counts."""
        _fill(self.files, other.files)
        _fill(self.folders, other.folders)
        _fill(self.kinds, other.kinds)
        self._learn(other)

    def _learn(self, other: Looks) -> None:
        """Take over what another recording knows, but of what was otherwise when it was first looked at."""
        _fill(self._known, other._known)
        known, kinds = other._known, other.kinds
        self._sure |= {
            path
            for path in other._sure
            if self._known.get(path) == known.get(path) and self.kinds.get(path) == kinds.get(path)
        }

    def holds(self, record: str | bytes) -> bool:
        """Tell whether a record still holds (`hold`), and take over what it saw."""
        try:
            told = json.loads(record)
            at, kinds = told["at"], told["kinds"]
            if any(_kind(path) != kind for path, kind in kinds.items()):
                return False
            for mine, seen, digest in (
                (self.files, told["files"], _content),
                (self.folders, told["folders"], _names),
            ):
                for path, state in seen.items():
                    stamps = _stamps(_status(path))
                    if not _as_it_was(path, state, stamps, at, digest):
                        return False
                    mine.setdefault(path, stamps)
                    self._known[path] = (*stamps, state[4])
        except (OSError, KeyError, TypeError, ValueError, AttributeError):
            return False
        _fill(self.kinds, kinds)
        self._sure.update(told["files"], told["folders"], kinds)
        self._sure -= {path for path, kind in kinds.items() if self.kinds[path] != kind}
        return True


def _fill(mine: dict[str, SeenT], others: Mapping[str, SeenT]) -> None:
    """Add what is not there; in place, since there are as many inner recordings as partitions."""
    for path, seen in others.items():
        mine.setdefault(path, seen)


_looks: ContextVar[Looks | None] = ContextVar("looks", default=None)


@contextmanager
def recording(*before: Path) -> Iterator[Looks]:
    """Record every look of this block; if it is inside another one, that one records it, too.

    Args:
        before: Files that the outer block has opened, and that count for this one.
    """
    outer = _looks.get()
    looks = Looks(outer)
    for path in map(str, before):
        if outer and path in outer.files:
            looks.files[path] = outer.files[path]
            if path in outer._known:
                looks._known[path] = outer._known[path]
    token = _looks.set(looks)
    try:
        yield looks
    finally:
        _looks.reset(token)
        if outer:
            outer.add(looks)


def hold(record: str | bytes) -> bool:
    """Tell whether all is as it was when a record was made; one that cannot be read tells nothing.

    Time stamps decide where they are older than the record by more than their own steps; else the content.
    A recording around it takes over what the record saw.
    """
    return (_looks.get() or Looks()).holds(record)


@contextmanager
def unrecorded() -> Iterator[None]:
    """Record no look of this block: at files of our own, such as those of a cache."""
    token = _looks.set(None)
    try:
        yield
    finally:
        _looks.reset(token)


def _as_it_was(
    path: str, state: Sequence[int | str], stamps: _Stamps, at: int, digest: Callable[[str], str]
) -> bool:
    if list(stamps) == list(state[:4]) and max(stamps[1], stamps[2]) < at - _COARSE_NS:
        return True
    return digest(path) == state[4]


def opened(path: str, found: os.stat_result) -> None:
    """Record a file that has been opened."""
    if (looks := _looks.get()) is not None:
        looks.files.setdefault(path, _stamps(found))


def read(path: str, content: bytes) -> None:
    """Record the content of a file that has been opened, so that it need not be read again for its digest."""
    if (looks := _looks.get()) is not None:
        looks.read(path, content)


def is_file(path: Path) -> bool:
    """Tell whether a path is that of a file."""
    return _looked(path) == _FILE


def is_dir(path: Path) -> bool:
    """Tell whether a path is that of a folder."""
    return _looked(path) == _FOLDER


def size_of(path: Path) -> int:
    """Return the bytes of a file that is opened next.

    Raises:
        OSError: There is none.
    """
    try:
        return path.stat().st_size
    except OSError:
        missed(path)
        raise


def missed(path: Path) -> None:
    """Record a file that could not be opened."""
    _looked(path)


def exists(path: Path) -> bool:
    """Tell whether anything has this path."""
    return _looked(path) != _NOTHING


def children(folder: Path) -> list[Path]:
    """Return what is in a folder, sorted.

    Raises:
        OSError: It is no folder, or may not be read.
    """
    _folder(str(folder))
    return sorted(folder.iterdir())


def below(root: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield every folder below one, as `os.walk` does."""
    for place, folders, names in os.walk(root):
        _folder(place)
        yield place, folders, names
    if not root.is_dir():
        _looked(root)


def glob(folder: Path, pattern: str) -> list[Path]:
    """Return the paths below a folder that match a pattern without ``**``, sorted."""
    part, _, rest = pattern.partition("/")
    if not any(char in part for char in "*?["):
        found = [folder / part] if exists(folder / part) else []
    elif is_dir(folder):
        found = [path for path in _readable(folder) if fnmatchcase(path.name, part)]
    else:
        found = []
    return sorted(inside for path in found for inside in glob(path, rest)) if rest else found


def _readable(folder: Path) -> list[Path]:
    try:
        return children(folder)
    except PermissionError:
        return []


def _looked(path: Path) -> str:
    text = str(path)
    kind = _kind(text)
    if (looks := _looks.get()) is not None:
        looks.kinds.setdefault(text, kind)
    return kind


def _kind(path: str) -> str:
    try:
        mode = _status(path).st_mode
    except (OSError, ValueError):  # the second: a name with a NUL
        return _NOTHING
    return _FILE if stat.S_ISREG(mode) else _FOLDER if stat.S_ISDIR(mode) else _OTHER


def _folder(path: str) -> None:
    if (looks := _looks.get()) is not None and path not in looks.folders:
        looks.folders[path] = _stamps(_status(path))


def _status(path: str) -> os.stat_result:
    return os.stat(path)  # noqa: PTH116 - a Path of each takes longer than the look


def _stamps(found: os.stat_result) -> _Stamps:
    size = 0 if stat.S_ISDIR(found.st_mode) else found.st_size
    return size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _content(path: str) -> str:
    with open(path, "rb") as file:  # noqa: PTH123 - thousands of them
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(0, "is no plain file", path)
        return hashlib.file_digest(file, "sha256").hexdigest()


def _names(path: str) -> str:
    """Return a digest of the names in a folder, and which of them are folders."""
    with os.scandir(path) as entries:
        names = sorted(f"{entry.name}/" if entry.is_dir() else entry.name for entry in entries)
    return hashlib.sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()


NOTHING_SEEN = Looks().record() or ""  # of what no file decides
