# SPDX-License-Identifier: BSD-3-Clause
"""Load weights by libshellgen_host, whose accesses take a tenth of the time. Python 3.8 or later.

Source: docs/host.md of shellgen, which says how to compile it; host/node/shellgen_host.h.
"""

import ctypes
import os
from pathlib import Path

from shellgen_bus import HostError

VERSION = 1  # of shellgen_host.h
_TEXTS = ("map", "node", "registers", "buffers", "sysfs", "weights", "device", "xclbin")


class _Options(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("version", ctypes.c_uint32),
        *((name, ctypes.c_char_p) for name in _TEXTS),
        ("own_registers", ctypes.c_void_p),
        ("own_memory", ctypes.c_void_p),
    )


class _Load(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("folder", ctypes.c_char_p),
        ("check", ctypes.c_int),
        ("partial", ctypes.c_int),
        ("progress", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("memories", ctypes.c_uint32),
        ("registers", ctypes.c_uint64),
    )


def _open(path):
    """Return the library with the functions that are used here."""
    try:
        found = ctypes.CDLL(str(Path(path).resolve()))
        version = found.shellgen_version()
        for name, result, kinds in (
            ("open", ctypes.c_int, (ctypes.c_void_p, ctypes.c_void_p)),
            ("load", ctypes.c_int, (ctypes.c_void_p, ctypes.c_void_p)),
            ("error", ctypes.c_char_p, (ctypes.c_void_p,)),
            ("close", None, (ctypes.c_void_p,)),
        ):
            function = getattr(found, "shellgen_" + name)
            function.restype, function.argtypes = result, kinds
    except (OSError, AttributeError) as error:
        text = "--library {}: {}; compile libshellgen_host for this board, or leave the option out"
        raise HostError(text.format(path, error)) from None
    if version != VERSION:
        text = "--library {}: its version is {}, and this program is for {}; take both from one release"
        raise HostError(text.format(path, version, VERSION))
    return found


def load(path, options, entry, device, xclbin):
    """Load a node or compare it; return the numbers of memories and registers.

    Args:
        path: Of the library.
        options: Command line of the loader.
        entry: Of the node in the map.
        device: What reaches it, as `shellgen_open.ways` returns it.
        xclbin: The same.

    Raises:
        HostError: The library is not there or another one, or says what is wrong.
    """
    found, handle = _open(path), ctypes.c_void_p()
    own = Path(options.weights) / entry["name"]
    folder = own if own.is_dir() else options.weights
    given = _Options(size=ctypes.sizeof(_Options), version=VERSION)
    given.map, given.node = os.fsencode(options.map), entry["name"].encode()
    if entry["bus"] == "xrt":
        given.device, given.xclbin = os.fsencode(str(device)), os.fsencode(str(xclbin))
    else:
        given.registers = os.fsencode(str(device))
    job = _Load(size=ctypes.sizeof(_Load), folder=os.fsencode(folder))
    job.check, job.partial = options.check, options.partial
    try:
        if found.shellgen_open(ctypes.byref(given), ctypes.byref(handle)) or found.shellgen_load(
            handle, ctypes.byref(job)
        ):
            raise HostError(found.shellgen_error(handle).decode(errors="replace"))
    finally:
        found.shellgen_close(handle)
    return job.memories, job.registers
