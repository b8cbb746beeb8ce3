# SPDX-License-Identifier: BSD-3-Clause
"""The structs and functions of host/node/shellgen_host.h for ctypes."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

VERSION = 1
READ = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, POINTER(c_uint32))
WRITE = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint32)
PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64)
BARRIER = ctypes.CFUNCTYPE(c_int, c_void_p)


class Buffer(ctypes.Structure):
    """shellgen_host_buffer."""

    _fields_ = (("data", c_void_p), ("address", c_uint64), ("bytes", c_size_t))


ALLOCATE = ctypes.CFUNCTYPE(c_int, c_void_p, c_size_t, POINTER(Buffer))
USE = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Buffer))


class Registers(ctypes.Structure):
    """shellgen_host_registers."""

    _fields_ = (("size", c_size_t), ("context", c_void_p), ("read", READ), ("write", WRITE))


class Memory(ctypes.Structure):
    """shellgen_host_memory."""

    _fields_ = (
        ("size", c_size_t),
        ("context", c_void_p),
        *(("allocate", ALLOCATE), ("flush", USE), ("invalidate", USE), ("release", USE)),
    )


class Options(ctypes.Structure):
    """shellgen_host_options."""

    _fields_ = (
        ("size", c_size_t),
        ("version", c_uint32),
        *(
            (name, c_char_p)
            for name in ("map", "node", "registers", "buffers", "sysfs", "weights", "device", "xclbin")
        ),
        ("own_registers", POINTER(Registers)),
        ("own_memory", POINTER(Memory)),
    )


class LoadJob(ctypes.Structure):
    """shellgen_host_load."""

    _fields_ = (
        ("size", c_size_t),
        ("folder", c_char_p),
        ("check", c_int),
        ("partial", c_int),
        ("progress", PROGRESS),
        ("context", c_void_p),
        ("memories", c_uint32),
        ("registers", c_uint64),
    )


class Value(ctypes.Structure):
    """shellgen_host_value."""

    _fields_ = (("name", c_char_p), ("value", c_uint32))


class BringUpJob(ctypes.Structure):
    """shellgen_host_bring_up."""

    _fields_ = (
        ("size", c_size_t),
        ("values", POINTER(Value)),
        ("count", c_size_t),
        ("phase", c_uint32),
        ("timeout", c_double),
        ("barrier", BARRIER),
        ("context", c_void_p),
        ("done", c_uint32),
    )


class Stream(ctypes.Structure):
    """shellgen_host_stream."""

    boundary: bytes
    port: bytes
    enters: int
    weights: int
    moved: int
    frame_bytes: int

    _fields_ = (
        ("size", c_size_t),
        ("boundary", c_char_p),
        ("port", c_char_p),
        ("enters", c_int),
        ("weights", c_int),
        ("moved", c_int),
        ("frame_bytes", c_uint32),
    )

    @property
    def name(self) -> str:
        """Name of the boundary."""
        return self.boundary.decode()

    @property
    def port_name(self) -> str:
        """Name of the core's port."""
        return self.port.decode()


class RunJob(ctypes.Structure):
    """shellgen_host_run."""

    _fields_ = (
        ("size", c_size_t),
        ("frames", c_uint64),
        ("batch", c_uint32),
        ("timeout", c_double),
        ("absent", c_void_p),
        ("absent_count", c_size_t),
        ("data", c_void_p),
        ("streams", c_size_t),
        ("progress", PROGRESS),
        ("context", c_void_p),
        ("batch_used", c_uint32),
        ("marked", c_int),
        ("first_marked", c_uint32),
        ("last_marked", c_uint32),
    )


STRUCTS = {
    "registers": Registers,
    "buffer": Buffer,
    "memory": Memory,
    "options": Options,
    "load": LoadJob,
    "value": Value,
    "bring_up": BringUpJob,
    "stream": Stream,
    "run": RunJob,
}


def declare(library: Any) -> None:
    """Tell ctypes the functions; AttributeError if one is missing."""
    found = {
        "version": (c_uint32,),
        "open": (c_int, POINTER(Options), POINTER(c_void_p)),
        "close": (None, c_void_p),
        "error": (c_char_p, c_void_p),
        "build": (c_int, c_void_p, POINTER(c_uint64), POINTER(c_uint64)),
        "check": (c_int, c_void_p),
        "read": (c_int, c_void_p, c_uint64, POINTER(c_uint32)),
        "write": (c_int, c_void_p, c_uint64, c_uint32),
        "load": (c_int, c_void_p, POINTER(LoadJob)),
        "bring_up": (c_int, POINTER(c_void_p), c_size_t, POINTER(BringUpJob)),
        "streams": (c_uint32, c_void_p),
        "stream": (c_int, c_void_p, c_uint32, POINTER(Stream)),
        "share": (c_int, c_void_p, POINTER(RunJob), c_uint32, POINTER(c_uint64)),
        "run": (c_int, c_void_p, POINTER(RunJob)),
        "crc32c": (c_uint32, c_uint32, c_void_p, c_size_t),
    }
    for name, (result, *arguments) in found.items():
        function = getattr(library, f"shellgen_{name}")
        function.restype, function.argtypes = result, arguments
