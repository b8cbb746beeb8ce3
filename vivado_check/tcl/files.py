# SPDX-License-Identifier: BSD-3-Clause
"""Tcl's commands on files, as a script in the sandbox sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..record.commands import ToolError
from .arguments import join_list
from .glob import matching
from .handles import Handles
from .memory import QuotaError
from .programs import as_file_command
from .sandbox import OutsideError
from .trace import StopError

if TYPE_CHECKING:
    from .interpreter import Answering

_TESTS = ("exists", "executable", "isdirectory", "isfile", "owned", "readable", "writable")
_ANY = 1 << 20


def _refuse(found: str) -> ToolError:
    """Return what Tcl would say, too."""
    return ToolError(found, rule="tcl", remedy="Correct the script")


def _forbid(found: str, remedy: str) -> ToolError:
    """Return what only a check says."""
    return ToolError(found, rule="sandbox", remedy=remedy)


class FileCommands:
    """File access of a script; paths are relative to the session's folder.

    Attributes:
        sourced: Scripts that were read, in order.
    """

    def __init__(self, session: Answering) -> None:
        self.session = session
        self.sandbox = session.sandbox
        self.sourced: list[str] = []
        self.handles = Handles(session.sandbox)
        # By name: the function, how many words it takes, and how Tcl writes them.
        self._commands: dict[str, tuple[Callable[..., object], int, int, str]] = {
            "pwd": (self._pwd, 0, 0, ""),
            "cd": (self._cd, 0, 1, "?dirName?"),
            "glob": (self._glob, 0, _ANY, "?-option value ...? ?--? ?name ...?"),
            "open": (self._open, 2, 2, "fileName ?access? ?permissions?"),
            "close": (self.handles.close, 1, 1, "channelId"),
            "read": (self.handles.read, 2, 2, "channelId count"),
            "write": (self.handles.write, 2, 2, "channelId data"),
            "seek": (self.handles.seek, 3, 3, "channelId offset origin"),
            "source": (self._source, 1, 1, "?-encoding name? fileName"),
            "file": (self._file, 1, _ANY, "subcommand ?arg ...?"),
            "forbidden": (self._forbidden, 1, _ANY, "?arg ...?"),
        }
        self._options: dict[str, tuple[Callable[..., object], int, int, str]] = {
            **{name: (self._tester(name), 1, 1, "name") for name in _TESTS},
            "normalize": (self._path, 1, 1, "name"),
            "size": (self._file_size, 1, 1, "name"),
            "mtime": (self._file_mtime, 1, 2, "name ?time?"),
            "atime": (self._file_mtime, 1, 2, "name ?time?"),
            "stat": (self._file_stat, 1, 1, "name varName"),
            "lstat": (self._file_stat, 1, 1, "name varName"),
            "type": (self._file_type, 1, 1, "name"),
            "attributes": (self._file_attributes, 1, _ANY, "name ?-option value ...?"),
            "link": (self._file_link, 1, 3, "?-linktype? linkname ?target?"),
            "readlink": (self._file_readlink, 1, 1, "name"),
            "system": (self._file_system, 1, 1, "name"),
            "volumes": (self._file_volumes, 0, 0, ""),
            "tempfile": (self._file_tempfile, 0, 2, "?nameVar? ?template?"),
            "mkdir": (self._file_mkdir, 0, _ANY, "?dir ...?"),
            "delete": (self._file_delete, 0, _ANY, "?-option value ...? ?pathname ...?"),
            "copy": (self._file_copy, 2, _ANY, "?-option value ...? source ?source ...? target"),
            "rename": (self._file_rename, 2, _ANY, "?-option value ...? source ?source ...? target"),
        }

    def knows(self, command: str) -> bool:
        """Tell whether a command is one of files."""
        return command in self._commands

    def call(self, command: str, words: list[str]) -> str:
        """Answer a command.

        Raises:
            ToolError: It cannot be done, which Tcl would say too, or it may not be done here.
            StopError: It writes without end.
        """
        try:
            return _answer(command, self._commands[command], words)
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
            self.sandbox.stat(path)
            raise FileNotFoundError(name)
        self.session.folder = path
        return ""

    def _glob(self, *words: str) -> str:
        return join_list(matching(list(words), self.sandbox, self.session.folder))

    # ---- content ---------------------------------------------------------------------------------------
    def _open(self, name: str, access: str) -> str:
        if name.startswith("|"):
            return self._forbidden("open", name)
        return join_list(self.handles.open(name, self._path(name), access))

    def _source(self, name: str) -> str:
        path = self._path(name)
        try:
            content = self.sandbox.read_bytes(path)
        except FileNotFoundError:
            raise FileNotFoundError(f"couldn't read file {name!r}") from None
        self.sourced.append(path)
        return join_list((path, content.decode("latin-1")))

    # ---- file ------------------------------------------------------------------------------------------
    def _file(self, option: str, *words: str) -> str:
        if option not in self._options:
            raise _refuse(f"bad option {option!r} of file")
        return _answer(f"file {option}", self._options[option], words)

    def _tester(self, option: str) -> Callable[[str], int]:
        return lambda name: int(self._test(option, name))

    def _test(self, option: str, name: str) -> bool:
        path = self._path(name)
        if option == "isdirectory":
            return self.sandbox.is_dir(path)
        if option == "isfile":
            return self.sandbox.is_file(path)
        if option == "executable" and self.sandbox.is_file(path):
            return bool(self.sandbox.stat(path)[1] & 0o111)
        return self.sandbox.exists(path)

    def _file_size(self, name: str) -> int:
        return self.sandbox.stat(self._path(name))[0]

    def _file_mtime(self, name: str, *_: str) -> int:
        return self.sandbox.stat(self._path(name))[2]

    def _file_stat(self, name: str) -> str:
        size, mode, time = self.sandbox.stat(self._path(name))
        values = {"size": size, "mode": mode, "type": self._file_type(name), "mtime": time}
        values |= {"atime": time, "ctime": time, "nlink": 1}
        values |= dict.fromkeys(("dev", "ino", "uid", "gid"), 0)
        return join_list(str(part) for pair in values.items() for part in pair)

    def _file_type(self, name: str) -> str:
        self.sandbox.stat(self._path(name))
        return "directory" if self.sandbox.is_dir(self._path(name)) else "file"

    def _file_attributes(self, name: str, *words: str) -> str:
        self.sandbox.stat(self._path(name))
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
                self.sandbox.stat(source)
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


def _answer(name: str, entry: tuple[Callable[..., object], int, int, str], words: Sequence[str]) -> str:
    function, least, most, usage = entry
    if not least <= len(words) <= most:
        raise _refuse(f'wrong # args: should be "{f"{name} {usage}".rstrip()}"')
    return str(function(*words))


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
