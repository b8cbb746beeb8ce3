# SPDX-License-Identifier: BSD-3-Clause
"""Tcl's commands on files, as a script in the sandbox sees them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..record.commands import ToolError
from .arguments import join_list
from .glob import matching
from .programs import as_file_command
from .sandbox import OutsideError, QuotaError
from .trace import StopError

if TYPE_CHECKING:
    from .interpreter import Answering

_WRITING = re.compile(r"[wa+]|WRONLY|RDWR|APPEND|CREAT|TRUNC")
_TESTS = {"exists", "executable", "isdirectory", "isfile", "owned", "readable", "writable"}


def _refuse(found: str) -> ToolError:
    """Return what Tcl would say, too."""
    return ToolError(found, rule="tcl", remedy="Correct the script")


def _forbid(found: str, remedy: str) -> ToolError:
    """Return what only a check says."""
    return ToolError(found, rule="sandbox", remedy=remedy)


class FileCommands:
    """What a script may ask of files; paths are relative to the session's folder.

    Attributes:
        sourced: Scripts that were read, in order.
    """

    def __init__(self, session: Answering) -> None:
        self.session = session
        self.sandbox = session.sandbox
        self.sourced: list[str] = []

    def call(self, command: str, words: list[str]) -> str:
        """Answer a command.

        Raises:
            ToolError: It cannot be done, which Tcl would say too, or it may not be done here.
            StopError: It writes without end.
        """
        try:
            return str(getattr(self, f"_{command}")(*words))
        except OutsideError as error:
            raise _forbid(
                str(error), "Name a folder that holds all that the script reads with --root"
            ) from None
        except QuotaError as error:
            raise StopError(str(error)) from None
        except FileNotFoundError as error:
            raise _refuse(f"{error}: no such file or directory") from None
        except (FileExistsError, IsADirectoryError) as error:
            raise _refuse(f"{error}: file already exists, or is a folder") from None
        except OSError as error:
            raise _refuse(f"{error.strerror or error}") from None

    def _path(self, name: str) -> str:
        return self.sandbox.absolute(name, self.session.folder)

    # ---- programs --------------------------------------------------------------------------------------
    def _forbidden(self, command: str, *words: str) -> str:
        instead = as_file_command(words) if command == "exec" else None
        if instead:
            return self._file(instead[0], *instead[1])
        what = " ".join((command, *words))[:200]
        raise _forbid(
            f"{what!r} is not executed: a check runs no program and opens no connection",
            "Catch the error, or ask the tool instead",
        )

    # ---- folders ---------------------------------------------------------------------------------------
    def _pwd(self) -> str:
        return self.session.folder

    def _cd(self, name: str = "~") -> str:
        path = self._path(name)
        if not self.sandbox.is_dir(path):
            self.sandbox.real(path)
            raise FileNotFoundError(name)
        self.session.folder = path
        return ""

    def _glob(self, *words: str) -> str:
        return join_list(matching(list(words), self.sandbox, self.session.folder))

    # ---- content ---------------------------------------------------------------------------------------
    def _open(self, name: str, access: str) -> str:
        if name.startswith("|"):
            return self._forbidden("open", name)
        path = self._path(name)
        if _WRITING.search(access):
            keep = not access.startswith("w") and "TRUNC" not in access
            if access in ("r+", "RDWR") and not self.sandbox.is_file(path):
                self.sandbox.real(path)
                raise FileNotFoundError(f"couldn't open {name!r}")
            return str(self.sandbox.writable(path, keep=keep))
        return str(self._content(path, f"couldn't open {name!r}"))

    def _content(self, path: str, what: str) -> Path:
        found = self.sandbox.real(path)
        if found is None or not found.is_file():
            raise FileNotFoundError(what)
        return found

    def _source(self, name: str) -> str:
        path = self._path(name)
        found = self._content(path, f"couldn't read file {name!r}")
        self.sourced.append(path)
        # The script is to see its own name, also where it was linked from elsewhere.
        return path if found == Path(path) else str(found)

    # ---- file ------------------------------------------------------------------------------------------
    def _file(self, option: str, *words: str) -> str:
        if option in _TESTS:
            return str(int(self._test(option, *words)))
        return str(getattr(self, f"_file_{option}")(*words))

    def _test(self, option: str, name: str) -> bool:
        path = self._path(name)
        if option == "isdirectory":
            return self.sandbox.is_dir(path)
        if option == "isfile":
            return self.sandbox.is_file(path)
        if option == "executable" and self.sandbox.is_file(path):
            found = self.sandbox.find(path)
            return found is not None and os.access(found, os.X_OK)
        return self.sandbox.exists(path)

    def _file_normalize(self, name: str) -> str:
        return self._path(name)

    def _stat(self, name: str) -> os.stat_result:
        found = self.sandbox.real(self._path(name))
        if found is None:
            raise FileNotFoundError(f"could not read {name!r}")
        return found.stat()

    def _file_size(self, name: str) -> int:
        return self._stat(name).st_size

    def _file_mtime(self, name: str, *_: str) -> int:
        return int(self._stat(name).st_mtime)

    _file_atime = _file_mtime

    def _file_stat(self, name: str) -> str:
        found = self._stat(name)
        kind = "directory" if self.sandbox.is_dir(self._path(name)) else "file"
        values = {"size": found.st_size, "mode": found.st_mode, "type": kind, "mtime": int(found.st_mtime)}
        values |= {"atime": int(found.st_mtime), "ctime": int(found.st_mtime), "nlink": 1}
        values |= dict.fromkeys(("dev", "ino", "uid", "gid"), 0)
        return join_list(str(part) for pair in values.items() for part in pair)

    _file_lstat = _file_stat

    def _file_type(self, name: str) -> str:
        self._stat(name)
        return "directory" if self.sandbox.is_dir(self._path(name)) else "file"

    def _file_attributes(self, name: str, *words: str) -> str:
        self._stat(name)
        return "" if words else "-group user -owner user -permissions 00644"

    def _file_link(self, *words: str) -> str:
        raise _refuse(f"file link {' '.join(words)}: links are not made in a check")

    def _file_readlink(self, name: str) -> str:
        raise _refuse(f"could not read link {name!r}: invalid argument")

    def _file_system(self, name: str) -> str:  # noqa: ARG002
        return "native"

    def _file_volumes(self) -> str:
        return "/"

    def _file_tempfile(self, *words: str) -> str:  # noqa: ARG002
        raise _refuse("file tempfile is not of Tcl 8.5")

    def _file_mkdir(self, *names: str) -> str:
        for name in names:
            self.sandbox.mkdir(self._path(name))
        return ""

    def _file_delete(self, *words: str) -> str:
        force, names = _options(words)
        for name in names:
            path = self._path(name)
            if self.sandbox.is_dir(path) and not force and self.sandbox.names(path):
                raise _refuse(f"error deleting {name!r}: directory not empty")
            if self.sandbox.exists(path):
                self.sandbox.delete(path)
        return ""

    def _pairs(self, words: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Yield source and target of each file that is copied or renamed."""
        force, names = _options(words)
        if len(names) < 2:
            raise _refuse("wrong # args: a source and a target are needed")
        *sources, last = names
        target = self._path(last)
        into = self.sandbox.is_dir(target)
        if len(sources) > 1 and not into:
            raise _refuse(f"{last!r} is no folder, and there are several files")
        for name in sources:
            source = self._path(name)
            end = f"{target}/{Path(source).name}" if into else target
            if not self.sandbox.exists(source):
                self.sandbox.real(source)
                raise FileNotFoundError(f"error copying {name!r}")
            if self.sandbox.exists(end) and not force:
                raise _refuse(f"error copying {name!r} to {end!r}: file already exists")
            yield source, end

    def _file_copy(self, *words: str) -> str:
        for source, target in self._pairs(words):
            self.sandbox.copy(source, target)
        return ""

    def _file_rename(self, *words: str) -> str:
        for source, target in self._pairs(words):
            self.sandbox.copy(source, target)
            self.sandbox.delete(source)
        return ""


def _options(words: tuple[str, ...]) -> tuple[bool, list[str]]:
    """Return whether ``-force`` is given, and the rest."""
    names = list(words)
    force = False
    while names and names[0] in ("-force", "--"):
        option = names.pop(0)
        force = force or option == "-force"
        if option == "--":
            break
    return force, names
