# SPDX-License-Identifier: BSD-3-Clause
"""The files that a script sees: those of its own folder, and what it wrote, which lands in a temporary one.

Scripts keep their real paths, so that ``[info script]`` means what it says. A file that was written is kept
under the same path below the overlay, wherever that is, and hides the real one.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from itertools import islice, takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

HOME = "/user"
# Folders that are on every machine.
STANDING = {"/", HOME, "/tmp"}  # noqa: S108 - names in the overlay
MOST_BYTES = 256 << 20
MOST_FILES = 5_000
RECENT = 64  # as many as may be open at once


class OutsideError(Exception):
    """A path that may not be read."""

    def __init__(self, path: str, root: Path) -> None:
        self.path = path
        super().__init__(f"{path} is outside {root}, and only files in there may be read")


class QuotaError(Exception):
    """More was written than any build script does."""


class Sandbox:
    """A view of the disk for one or several sessions; use it as a context manager.

    Attributes:
        root: Folder whose files may be read, with all that is below it.
    """

    def __init__(self, root: Path, more: Iterable[Path] = ()) -> None:
        self.root = Path(os.path.normpath(Path.cwd() / root))
        self._readable = tuple(os.path.realpath(path) for path in (root, *more))
        self._above = {str(self.root), *map(str, self.root.parents)}
        self._folder = TemporaryDirectory(prefix="shellgen_check_")
        self.overlay = Path(os.path.realpath(self._folder.name))
        self._below = str(self.overlay)
        self._gone: set[str] = set()
        self._links: dict[str, str] = {}  # real folders, which no script changes, without links
        self._sizes: dict[str, int] = {}  # of what was made, in order
        self._bytes = 0

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the overlay."""
        self._folder.cleanup()

    # ---- names -----------------------------------------------------------------------------------------
    def absolute(self, path: str | Path, folder: str | Path | None = None) -> str:
        """Return a path as the script knows it, absolute and without dots."""
        text = str(path)
        if text == "~" or text.startswith("~/"):
            text = HOME + text[1:]
        text = os.path.normpath(os.path.join(folder or self.root, text))
        text = "/" + text.lstrip("/")
        return text.removeprefix(self._below) or "/" if _is_below(text, self._below) else text

    def shown(self, path: str | Path) -> str:
        """Return a path as the user knows it: relative to the root where it is inside."""
        text = self.absolute(path)
        inside = os.path.relpath(text, self.root)
        return text if inside.startswith("..") else inside

    def _kept(self, path: str) -> str:
        return self._below + path.rstrip("/")

    def _hidden(self, path: str) -> bool:
        """Tell whether the script has removed the real file or a folder above it."""
        return bool(self._gone) and any(place in self._gone for place in (path, *_parents(path)))

    def _readable_at(self, path: str) -> bool:
        folder, name = os.path.split(path)
        if folder not in self._links:
            self._links[folder] = os.path.realpath(folder)
        real = os.path.join(self._links[folder], name)
        if os.path.islink(real):
            real = os.path.realpath(real)
        return any(_is_below(real, root) for root in self._readable)

    def inside(self, path: str | Path) -> bool:
        """Tell whether a path may be read: it is in the folder, or the script wrote it."""
        text = self.absolute(path)
        return os.path.lexists(self._kept(text)) or self._readable_at(text)

    # ---- reading ---------------------------------------------------------------------------------------
    def real(self, path: str | Path) -> Path | None:
        """Return where the content of a file or folder lies now, None if there is none.

        Raises:
            OutsideError: It may not be read, whether it is there or not.
        """
        text = self.absolute(path)
        kept = self._kept(text)
        if os.path.exists(kept):
            return Path(kept)
        if not self._readable_at(text):
            raise OutsideError(text, self.root)
        return Path(text) if not self._hidden(text) and os.path.exists(text) else None

    def find(self, path: str | Path) -> Path | None:
        """Return where something lies, None if it is not there or may not be seen."""
        try:
            return self.real(path)
        except OutsideError:
            return None

    def is_file(self, path: str | Path) -> bool:
        """Tell whether a script sees a file."""
        found = self.find(path)
        return found is not None and found.is_file()

    def is_dir(self, path: str | Path) -> bool:
        """Tell whether a script sees a folder; those above its own are there, too."""
        text = self.absolute(path)
        if text in self._above or text in STANDING:
            return True
        found = self.find(text)
        return found is not None and found.is_dir()

    def exists(self, path: str | Path) -> bool:
        """Tell whether a script sees something."""
        return self.find(path) is not None or self.is_dir(path)

    def read_text(self, path: str | Path) -> str:
        """Return the content of a file that a script sees.

        Raises:
            OutsideError: It may not be read.
            FileNotFoundError: It is not there, or no plain file.
        """
        found = self.real(path)
        if found is None or not found.is_file():
            raise FileNotFoundError(str(path))
        return found.read_text(errors="replace")

    def names(self, folder: str | Path) -> list[str]:
        """Return what is in a folder, sorted."""
        text = self.absolute(folder)
        found: set[str] = set()
        kept = self._kept(text)
        if os.path.isdir(kept):
            found.update(os.listdir(kept))
        if self._readable_at(text) and not self._hidden(text) and os.path.isdir(text):
            found.update(name for name in os.listdir(text) if not self._hidden(os.path.join(text, name)))
        return sorted(found)

    def walk(self, folder: str | Path) -> Iterator[str]:
        """Yield every file below a folder, in order."""
        text = self.absolute(folder)
        for name in self.names(text):
            path = f"{text.rstrip('/')}/{name}"
            if self.is_dir(path):
                yield from self.walk(path)
            else:
                yield path

    def written(self) -> Iterator[tuple[str, Path]]:
        """Yield every file that scripts have written, as the user knows it, and where it lies."""
        found = (f"{folder}/{name}" for folder, _, names in os.walk(self._below) for name in names)
        for path in sorted(found, key=lambda path: path.split("/")):
            if os.path.isfile(path):
                yield self.shown(path), Path(path)

    # ---- writing ---------------------------------------------------------------------------------------
    def writable(self, path: str | Path, *, keep: bool = False) -> Path:
        """Return where to write a file; its folder must be there.

        Args:
            path: As the script knows it.
            keep: Whether what is in it stays.

        Raises:
            FileNotFoundError: Its folder is not there.
            IsADirectoryError: It is a folder.
            OutsideError: It is to keep what may not be read.
            QuotaError: Too much has been written.
        """
        text = self.absolute(path)
        kept = self._kept(text)
        parent = os.path.dirname(text)
        if not self.is_dir(parent) and self.inside(parent):
            raise FileNotFoundError(text)
        if self.is_dir(text):
            raise IsADirectoryError(text)
        self.check_quota(kept)
        old = self.real(text) if keep else None
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        if old is not None and str(old) != kept:
            shutil.copyfile(old, kept)
        self._gone.discard(text)
        return Path(kept)

    def write(self, path: str | Path, text: str) -> None:
        """Write a file, and the folders above it."""
        self.mkdir(os.path.dirname(self.absolute(path)))
        self.writable(path).write_text(text)

    def mkdir(self, path: str | Path) -> None:
        """Make a folder and those above it.

        Raises:
            FileExistsError: There is a file of that name.
        """
        text = self.absolute(path)
        # What is a folder in the overlay hides files of that name, and so do those above it.
        new = takewhile(lambda place: not os.path.isdir(self._kept(place)), (text, *_parents(text)))
        for place in reversed(list(new)):
            if self.is_file(place):
                raise FileExistsError(place)
        self.check_quota(self._kept(text))
        os.makedirs(self._kept(text), exist_ok=True)

    def delete(self, path: str | Path) -> None:
        """Remove a file or a folder with all that is in it; the real one stays, unseen."""
        text = self.absolute(path)
        kept = self._kept(text)
        if os.path.isdir(kept) and not os.path.islink(kept):
            shutil.rmtree(kept)
        elif os.path.exists(kept):
            os.unlink(kept)
        self._gone.add(text)

    def copy(self, source: str | Path, target: str | Path) -> None:
        """Copy a file, or a folder with all that is in it.

        Raises:
            FileNotFoundError: There is no source, or no folder to copy it into.
            OutsideError: The source may not be read.
        """
        found = self.real(source)
        if found is None:
            raise FileNotFoundError(self.absolute(source))
        if not self.is_dir(source):
            if not found.is_file():
                raise FileNotFoundError(f"{self.absolute(source)} is no plain file")
            shutil.copyfile(found, self.writable(target))
            return
        start, end = self.absolute(source), self.absolute(target)
        self.mkdir(end)
        for path in list(self.walk(start)):
            self.mkdir(os.path.dirname(end + path[len(start) :]))
            self.copy(path, end + path[len(start) :])

    def check_quota(self, path: str) -> None:
        """Count a file or folder that is about to be made, and look how much the latest ones hold.

        Raises:
            QuotaError: Too many, or too much.
        """
        for recent in islice(reversed(self._sizes), RECENT):
            size = _size(recent)
            self._bytes += size - self._sizes[recent]
            self._sizes[recent] = size
        self._sizes[path] = self._sizes.pop(path, 0)
        if self._bytes > MOST_BYTES:
            raise QuotaError(f"more than {MOST_BYTES >> 20} MB were written")
        if len(self._sizes) > MOST_FILES:
            raise QuotaError(f"more than {MOST_FILES} files were written")


def _is_below(path: str, folder: str) -> bool:
    """Tell whether a path is a folder or lies in it; both are absolute."""
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def _parents(path: str) -> Iterator[str]:
    """Yield the folders above an absolute path, the nearest first."""
    while path != "/":
        path = path[: path.rindex("/")] or "/"
        yield path


def _size(path: str) -> int:
    """Return the bytes of a plain file, 0 of anything else."""
    try:
        found = os.stat(path)
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0
