# SPDX-License-Identifier: BSD-3-Clause
"""Files that a script has open: it asks for bytes and gives bytes, and holds no descriptor itself."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass

from ..record.commands import ToolError
from .arguments import ListError, split_list
from .memory import Blob, Memory
from .sandbox import Sandbox

MOST_OPEN = 64
_LONGEST = 1 << 20  # bytes of one answer
# Modes of fopen(3): whether it reads, writes, makes, empties, appends.
_MODES = {
    "r": "r",
    "r+": "rw",
    "w": "wct",
    "w+": "rwct",
    "a": "wca",
    "a+": "rwca",
}
_FLAGS = {"RDONLY": "r", "WRONLY": "w", "RDWR": "rw", "CREAT": "c", "TRUNC": "t", "APPEND": "a", "EXCL": "x"}
_FLAGS |= {"BINARY": "b", "NOCTTY": "", "NONBLOCK": ""}


@dataclass
class _Handle:
    """An open file: of the disk by its descriptor, which is only read, or of those that were written."""

    descriptor: int = -1
    blob: Blob | None = None
    at: int = 0
    appends: bool = False

    def size(self) -> int:
        return len(self.blob.data) if self.blob is not None else os.fstat(self.descriptor).st_size


class Handles:
    """Open files; a context in which no other object has their numbers.

    Attributes:
        looked_at: Paths of the files that were opened to be read, each once.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.looked_at: dict[str, None] = {}
        self.memory: Memory = sandbox.memory
        self._open: dict[str, _Handle] = {}
        self._next = 0

    def open(self, name: str, path: str, access: str) -> tuple[str, str, str]:
        """Open a file.

        Returns:
            Its number, the modes of its channel, and whether it is binary.

        Raises:
            ToolError: Tcl has no such access.
            OSError: As open(2).
        """
        letters = _letters(access)
        if len(self._open) >= MOST_OPEN:
            raise OSError(errno.EMFILE, f"couldn't open {name!r}: too many open files")
        there = self.sandbox.is_file(path)
        if not there:
            if "c" not in letters and not self.sandbox.is_dir(path):
                raise _missing(self.sandbox, name, path)
        elif "x" in letters and "c" in letters:
            raise FileExistsError(f"couldn't open {name!r}")
        handle = self._handle(path, letters)
        if "r" in letters:
            self.looked_at[path] = None
        self._next += 1
        number = str(self._next)
        self._open[number] = handle
        modes = " ".join(word for letter, word in (("r", "read"), ("w", "write")) if letter in letters)
        return number, modes, str(int("b" in letters))

    def _handle(self, path: str, letters: str) -> _Handle:
        if "w" in letters:
            blob = self.sandbox.writable(path, keep="t" not in letters)
            self.sandbox.settle(blob)
            return _Handle(blob=blob, at=len(blob.data) if "a" in letters else 0, appends="a" in letters)
        written = self.sandbox.blob(path)
        return _Handle(blob=written) if written is not None else _Handle(self.sandbox.reader(path))

    def close(self, number: str) -> str:
        """Close a file."""
        handle = self._open.pop(number)
        if handle.blob is None:
            os.close(handle.descriptor)
        else:
            self.sandbox.settle(handle.blob)
        return ""

    def close_all(self) -> None:
        """Close what the script has left open."""
        for number in list(self._open):
            self.close(number)

    def read(self, number: str, count: str) -> str:
        """Return the next bytes, each as the character of its number."""
        handle = self._open[number]
        most = min(int(count), _LONGEST)
        if handle.blob is not None:
            found = bytes(handle.blob.data[handle.at : handle.at + most])
        else:
            found = os.pread(handle.descriptor, most, handle.at)
        handle.at += len(found)
        return found.decode("latin-1")

    def write(self, number: str, data: str) -> int:
        """Write bytes and return how many.

        Raises:
            QuotaError: Too many.
        """
        handle = self._open[number]
        assert handle.blob is not None
        content = data.encode("latin-1", errors="replace")
        if handle.appends:
            handle.at = len(handle.blob.data)
        self.memory.put(handle.blob, handle.at, content)
        handle.at += len(content)
        return len(content)

    def seek(self, number: str, offset: str, origin: str) -> int:
        """Return the new position."""
        handle = self._open[number]
        start = {"start": 0, "current": handle.at, "end": handle.size()}[origin]
        if not 0 <= start + int(offset) < 1 << 62:
            raise OSError(errno.EINVAL, "invalid argument")
        handle.at = start + int(offset)
        return handle.at


def _missing(sandbox: Sandbox, name: str, path: str) -> OSError:
    """Return the error of a file that is not there; what lies outside is refused by another."""
    if sandbox.exists(path):
        return OSError(errno.EINVAL, f"couldn't open {name!r}: it is no plain file")
    sandbox.check_inside(path)
    return FileNotFoundError(f"couldn't open {name!r}")


def _letters(access: str) -> str:
    """Return what an access asks for; this is the only place that reads it."""
    plain = access.replace("b", "", 1)
    if access[:1].islower():
        if plain not in _MODES or not access.startswith(plain[:1]):
            raise ToolError(f'illegal access mode "{access}"', rule="tcl", remedy="Correct the script")
        return _MODES[plain] + ("b" if plain != access else "")
    try:
        words = split_list(access)
    except ListError as error:
        raise ToolError(str(error), rule="tcl", remedy="Correct the script") from None
    for word in words:
        if word not in _FLAGS:
            raise ToolError(f'invalid access mode "{word}"', rule="tcl", remedy="Correct the script")
    if not {"RDONLY", "WRONLY", "RDWR"} & set(words):
        found = "access mode must include either RDONLY, RDWR, or WRONLY"
        raise ToolError(found, rule="tcl", remedy="Correct the script")
    return "".join(_FLAGS[word] for word in words)
