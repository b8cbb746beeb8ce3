# SPDX-License-Identifier: BSD-3-Clause
"""The files that a script sees: those of its own folder, and what it wrote, which is kept in memory.

Scripts keep their real paths, so that ``[info script]`` means what it says. A file that was written hides the
real one. What others of this package have to read from the disk is laid out below a temporary folder.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

from .memory import LARGEST, Blob, Memory

HOME = "/user"
_LONGEST = 4096  # characters of a path, PATH_MAX in limits.h
# Folders that are on every machine.
STANDING = {"/", HOME, "/tmp"}  # noqa: S108 - names in the overlay


class OutsideError(Exception):
    """A path that may not be read."""

    def __init__(self, path: str, root: Path) -> None:
        self.path = path
        super().__init__(f"{path} is outside {root}, and only files in there may be read")


class Sandbox:
    """A view of the disk for one or several sessions; use it as a context manager.

    Attributes:
        root: Folder whose files may be read, with all that is below it.
    """

    def __init__(self, root: Path, more: Iterable[Path] = ()) -> None:
        self.root = Path(os.path.normpath(Path.cwd() / root))
        self._readable = tuple(os.path.realpath(path) for path in (root, *more))
        self._above = {str(self.root), *map(str, self.root.parents)}
        self._folder = TemporaryDirectory(prefix="vivado_check_")
        self.overlay = Path(os.path.realpath(self._folder.name))
        self._below = str(self.overlay)
        self.memory = Memory()
        self._gone: set[str] = set()
        self._links: dict[str, str] = {}  # real folders, which no script changes, without links

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
        text = str(path).replace("\0", "\ufffd")  # which no name has
        if len(text) > _LONGEST:  # nothing has such a name, and each look at it would take its time
            text = text[:_LONGEST] + "\ufffd"
        if text == "~" or text.startswith("~/"):
            text = HOME + text[1:]
        try:
            os.fsencode(text)
        except UnicodeEncodeError:  # half a character
            text = text.encode(errors="replace").decode()
        text = os.path.normpath(os.path.join(folder or self.root, text))
        text = "/" + text.lstrip("/")
        return text.removeprefix(self._below) or "/" if _is_below(text, self._below) else text

    def shown(self, path: str | Path) -> str:
        """Return a path as the user knows it: relative to the root where it is inside."""
        text = self.absolute(path)
        inside = os.path.relpath(text, self.root)
        return text if inside.startswith("..") else inside

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
        return text in self.memory.files or self.memory.is_folder(text) or self._readable_at(text)

    def check_inside(self, path: str | Path) -> None:
        """Refuse a path that may not be read.

        Raises:
            OutsideError: It is not one of the permitted ones.
        """
        if not self.inside(path):
            raise OutsideError(self.absolute(path), self.root)

    # ---- reading ---------------------------------------------------------------------------------------
    def blob(self, path: str | Path) -> Blob | None:
        """Return the content of a file that was written, None of any other."""
        return self.memory.files.get(self.absolute(path))

    def real(self, path: str | Path) -> Path | None:
        """Return where the content of a file or folder lies now on the disk, None if there is none.

        Raises:
            OutsideError: It may not be read, whether it is there or not.
        """
        text = self.absolute(path)
        blob = self.memory.files.get(text)
        if blob is not None:
            return self.lay(text, blob)
        if self.memory.is_folder(text):
            found = Path(self._below + text)
            found.mkdir(parents=True, exist_ok=True)
            return found
        return self._on_disk(text)

    def _on_disk(self, text: str) -> Path | None:
        if not self._readable_at(text):
            raise OutsideError(text, self.root)
        return Path(text) if not self._hidden(text) and os.path.exists(text) else None

    def lay(self, path: str, blob: Blob) -> Path:
        """Lay a file out on the disk, and again if it has changed."""
        if blob.laid is None:
            blob.laid = Path(self._below + path)
            blob.laid.parent.mkdir(parents=True, exist_ok=True)
        if blob.changed:
            blob.laid.write_bytes(blob.data)
            blob.changed = False
        return blob.laid

    def settle(self, blob: Blob) -> None:
        """Bring a file that has changed up to date where it lies on the disk."""
        if blob.laid is not None and blob.changed:
            self.lay("", blob)

    def find(self, path: str | Path) -> Path | None:
        """Return where something lies, None if it is not there or may not be seen."""
        try:
            return self.real(path)
        except OutsideError:
            return None

    def _seen(self, text: str) -> Path | None:
        """Return a file or folder of the disk that a script sees, None if there is none."""
        try:
            return self._on_disk(text)
        except OutsideError:
            return None

    def is_file(self, path: str | Path) -> bool:
        """Tell whether a script sees a file."""
        text = self.absolute(path)
        if text in self.memory.files or self.memory.is_folder(text):
            return text in self.memory.files
        found = self._seen(text)
        return found is not None and found.is_file()

    def is_dir(self, path: str | Path) -> bool:
        """Tell whether a script sees a folder; those above its own are there, too."""
        text = self.absolute(path)
        if text in self._above or text in STANDING or self.memory.is_folder(text):
            return True
        found = None if text in self.memory.files else self._seen(text)
        return found is not None and found.is_dir()

    def exists(self, path: str | Path) -> bool:
        """Tell whether a script sees something."""
        text = self.absolute(path)
        return text in self.memory.files or self.is_dir(text) or self._seen(text) is not None

    def stat(self, path: str | Path) -> tuple[int, int, int]:
        """Return size, mode and time of a file or folder.

        Raises:
            OutsideError: It may not be read.
            FileNotFoundError: It is not there.
        """
        text = self.absolute(path)
        blob = self.memory.files.get(text)
        if blob is not None or self.memory.is_folder(text):
            return (len(blob.data), 0o100644, 0) if blob is not None else (4096, 0o40755, 0)
        found = self._on_disk(text)
        if found is None:
            raise FileNotFoundError(f"could not read {str(path)!r}")
        told = found.stat()
        return told.st_size, told.st_mode, int(told.st_mtime)

    def reader(self, path: str | Path) -> int:
        """Return a descriptor of a plain file of the disk, to read from.

        Raises:
            OutsideError: It may not be read.
            FileNotFoundError: It is not there, or no plain file.
        """
        found = self._on_disk(self.absolute(path))
        if found is None:
            raise FileNotFoundError(str(path))
        descriptor = os.open(found, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise FileNotFoundError(str(path))
        return descriptor

    def read_bytes(self, path: str | Path) -> bytes:
        """Return the content of a file that a script sees.

        Raises:
            OutsideError: It may not be read.
            FileNotFoundError: It is not there, or no plain file.
            OSError: It is larger than any file of a project that is text.
        """
        blob = self.blob(path)
        if blob is not None:
            return bytes(blob.data)
        with os.fdopen(self.reader(path), "rb") as stream:
            content = stream.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise OSError(errno.EFBIG, f"{self.shown(path)} has more than {LARGEST >> 20} MB")
        return content

    def read_text(self, path: str | Path) -> str:
        """Return the content of a file as text; errors as of `read_bytes`."""
        return self.read_bytes(path).decode(errors="replace").replace("\r\n", "\n")

    def names(self, folder: str | Path) -> list[str]:
        """Return what is in a folder, sorted."""
        text = self.absolute(folder)
        found = set(self.memory.names(text))
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
        for path in self.memory.walk("/"):
            with suppress(OSError):
                yield self.shown(path), self.lay(path, self.memory.files[path])

    # ---- writing ---------------------------------------------------------------------------------------
    def writable(self, path: str | Path, *, keep: bool = False) -> Blob:
        """Return the content of a file that is to be written; its folder must be there.

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
        parent = os.path.dirname(text)
        if not self.is_dir(parent) and self.inside(parent):
            raise FileNotFoundError(text)
        if self.is_dir(text):
            raise IsADirectoryError(text)
        blob = self.memory.files.get(text)
        if blob is not None and keep:
            return blob
        old = self.read_bytes(text) if keep and self._on_disk(text) else b""
        self._gone.discard(text)
        if blob is None:
            blob = self.memory.add_file(text)
            self.memory.put(blob, 0, old)
        else:
            blob.data.clear()
            blob.changed = True
        return blob

    def write(self, path: str | Path, content: str | bytes) -> None:
        """Write a file, and the folders above it."""
        self.mkdir(os.path.dirname(self.absolute(path)))
        blob = self.writable(path)
        self.memory.put(blob, 0, content if isinstance(content, bytes) else content.encode(errors="replace"))
        self.settle(blob)

    def mkdir(self, path: str | Path) -> None:
        """Make a folder and those above it.

        Raises:
            FileExistsError: There is a file of that name.
        """
        text = self.absolute(path)
        for place in (text, *_parents(text)):
            if self.memory.is_folder(place):
                break
            if self.is_file(place):
                raise FileExistsError(place)
        self.memory.add_folder(text)

    def delete(self, path: str | Path) -> None:
        """Remove a file or a folder with all that is in it; the real one stays, unseen."""
        text = self.absolute(path)
        for blob in self.memory.remove(text):
            if blob.laid is not None:
                blob.laid.unlink(missing_ok=True)
                blob.laid = None
        self._gone.add(text)

    def copy(self, source: str | Path, target: str | Path) -> None:
        """Copy a file, or a folder with all that is in it.

        Raises:
            FileNotFoundError: There is no source, or no folder to copy it into.
            OutsideError: The source may not be read.
        """
        start, end = self.absolute(source), self.absolute(target)
        if self.is_file(start):
            content = self.read_bytes(start)
            blob = self.writable(end)
            self.memory.put(blob, 0, content)
            self.settle(blob)
            return
        if not self.memory.is_folder(start) and not (self._on_disk(start) and self.is_dir(start)):
            raise FileNotFoundError(f"{start} is not there, or no plain file")
        self.mkdir(end)
        for path in list(self.walk(start)):
            self.mkdir(os.path.dirname(end + path[len(start) :]))
            self.copy(path, end + path[len(start) :])


def _is_below(path: str, folder: str) -> bool:
    """Tell whether a path is a folder or lies in it; both are absolute."""
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def _parents(path: str) -> Iterator[str]:
    """Yield the folders above an absolute path, the nearest first."""
    while path != "/":
        path = path[: path.rindex("/")] or "/"
        yield path
