# SPDX-License-Identifier: BSD-3-Clause
"""Tcl's own library in this process, with a file system that holds nothing but what it is handed.

Whatever Tcl would ask the kernel about files, it asks the file system that is registered last for every path;
that of this module has no folder and no file, except the text that a script is about to be sourced from.

Source: Tcl 8.6, Tcl_FSRegister(3), Tcl_CreateInterp(3), Tcl_DetachChannel(3).
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

_NAMES = ("libtcl8.6.so", "libtcl8.6.so.0", "libtcl8.6.dylib", "libtcl8.7.so")
_OK = 0
_FOR_READING = 0

_Object = ctypes.c_void_p
_Path = ctypes.CFUNCTYPE(ctypes.c_int, _Object, ctypes.c_void_p)
_Access = ctypes.CFUNCTYPE(ctypes.c_int, _Object, ctypes.c_int)
_Open = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, _Object, ctypes.c_int, ctypes.c_int)

# Functions of struct Tcl_Filesystem behind its name, length and version; those not set are not supported.
_FUNCTIONS = """
pathInFilesystem dupInternalRep freeInternalRep internalToNormalized createInternalRep normalizePath
filesystemPathType filesystemSeparator stat access openFileChannel matchInDirectory utime link listVolumes
fileAttrStrings fileAttrsGet fileAttrsSet createDirectory removeDirectory deleteFile copyFile renameFile
copyDirectory lstat loadFile getCwd chdir
""".split()  # noqa: SIM905 - in the order of tcl.h


class _FileSystem(ctypes.Structure):
    _fields_ = (
        ("typeName", ctypes.c_char_p),
        ("structureLength", ctypes.c_int),
        ("version", ctypes.c_void_p),
        *((name, ctypes.c_void_p) for name in _FUNCTIONS),
    )


class NoTclError(Exception):
    """There is no library of Tcl 8.6 to be found."""


def library() -> ctypes.CDLL:
    """Load Tcl's library.

    Raises:
        NoTclError: It is nowhere to be found.
    """
    for name in _places():
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise NoTclError


def _places() -> Iterator[str]:
    yield from _NAMES
    program = shutil.which("tclsh", path=os.defpath)
    homes = [Path(sys.base_prefix), *([Path(program).resolve().parent.parent] if program else [])]
    yield from (str(home / "lib" / name) for home in homes for name in _NAMES)
    if found := ctypes.util.find_library("tcl8.6"):
        yield found


class Tcl:
    """An interpreter of Tcl.

    Attributes:
        version: Of Tcl (``8.6.13``).
    """

    def __init__(self) -> None:
        """Make one.

        Raises:
            NoTclError: There is no library of Tcl, or it does not start.
        """
        self._library = library()
        for name in ("Tcl_CreateInterp", "Tcl_GetChannel", "Tcl_GetEncoding"):
            getattr(self._library, name).restype = ctypes.c_void_p
        for name in ("Tcl_GetStringResult", "Tcl_GetString"):
            getattr(self._library, name).restype = ctypes.c_char_p
        self._library.Tcl_FindExecutable(b"tclsh")
        self._interpreter = ctypes.c_void_p(self._library.Tcl_CreateInterp())
        if self._library.Tcl_Init(self._interpreter) != _OK:
            raise NoTclError
        for encoding in self.evaluate(
            "encoding names"
        ).split():  # each of a file, which is kept once it is read
            self._library.Tcl_GetEncoding(self._interpreter, encoding.encode())
        self.version = self.evaluate("info patchlevel")
        self._callbacks = {
            "pathInFilesystem": _Path(lambda _path, _data: _OK),
            "stat": _Path(self._stat),
            "access": _Access(lambda _path, _mode: -1),
            "openFileChannel": _Open(self._open),
        }

    def evaluate(self, script: str) -> str:
        """Evaluate a script.

        Raises:
            RuntimeError: It ends with an error.
        """
        code = self._library.Tcl_EvalEx(self._interpreter, script.encode(), -1, 0)
        result = self._library.Tcl_GetStringResult(self._interpreter) or b""
        if code != _OK:
            raise RuntimeError(result.decode(errors="replace"))
        return str(result.decode(errors="replace"))

    def without_files(self) -> None:
        """Answer for every path from now on."""
        self._files = _FileSystem(b"handed", ctypes.sizeof(_FileSystem), 1)
        for name, function in self._callbacks.items():
            setattr(self._files, name, ctypes.cast(function, ctypes.c_void_p).value)
        self._library.Tcl_FSRegister(None, ctypes.byref(self._files))

    def _is_handed(self) -> bool:
        return self.evaluate("info exists front::handed") == "1"

    def _stat(self, _path: int, _found: int) -> int:
        return 0 if self._is_handed() else -1

    def _open(self, _interpreter: int, _path: int, mode: int, _permissions: int) -> int | None:
        """Return the channel of the text that is handed over; Tcl closes it, so no interpreter may own it."""
        if mode & os.O_ACCMODE != _FOR_READING or not self._is_handed():
            return None
        name = self.evaluate("front::take").encode()
        channel = ctypes.c_void_p(self._library.Tcl_GetChannel(self._interpreter, name, None))
        self._library.Tcl_DetachChannel(self._interpreter, channel)
        return channel.value
