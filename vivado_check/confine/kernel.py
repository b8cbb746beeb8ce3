# SPDX-License-Identifier: BSD-3-Clause
"""Requests to the kernel: Landlock, seccomp, namespaces, and to end with the parent.

Every function returns whether the kernel has done it; a caller says what is lacking.
Source: landlock(7), seccomp(2), prctl(2), unshare(2).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import struct
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every machine
_RULE_PATH_BENEATH, _VERSION = 1, 1
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SIGKILL = 9
_NEWNS, _NEWUTS, _NEWIPC, _NEWUSER, _NEWNET = 0x20000, 0x4000000, 0x8000000, 0x10000000, 0x40000000

# Rights on files, as far as the kernel knows them: execute, read a file, list a folder...
_EXECUTE, _WRITE, _READ, _LIST = 1, 2, 4, 8
_OF_FILES = _EXECUTE | _WRITE | _READ | 1 << 14 | 1 << 15  # truncate and ioctl, too
_LAST_RIGHT = ((5, 15), (3, 14), (2, 13), (1, 12))  # version of Landlock, and the last bit that it knows
_TCP, _SCOPES = 3, 3  # connect and bind; abstract sockets and signals
_HAS_TCP, _HAS_SCOPES = 4, 6

READ, WRITE, RUN = _READ | _LIST, -1, _READ | _LIST | _EXECUTE


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _prctl(*words: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    values = [ctypes.c_ulong(word) for word in (*words, 0, 0, 0, 0)[1:5]]
    return bool(_libc().prctl(words[0], *values) == 0)


def no_new_privileges() -> bool:
    """Give up what set-user-ID programs would give."""
    return _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def end_with_parent() -> bool:
    """Have the kernel end this process with the thread that has started it."""
    return _prctl(_PR_SET_PDEATHSIG, _SIGKILL)


def not_dumpable() -> bool:
    """Keep others of the same user from looking into this process, and it from writing core files."""
    return _prctl(_PR_SET_DUMPABLE, 0)


def landlock_version() -> int:
    """Return the version of Landlock's interface; 0 if the kernel has none, or does not let us use it."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, int(_libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))))


def landlock(allowed: Mapping[Path, int]) -> bool:
    """Allow nothing on files but what is listed, and no connections.

    Args:
        allowed: `READ`, `RUN` or `WRITE` by folder or file; one that is not there is left out.
    """
    version = landlock_version()
    if version < 1:
        return False
    last = next(bit for least, bit in _LAST_RIGHT if version >= least)
    every = (2 << last) - 1
    fields = [every, _TCP if version >= _HAS_TCP else 0, _SCOPES if version >= _HAS_SCOPES else 0]
    words = 3 if version >= _HAS_SCOPES else 2 if version >= _HAS_TCP else 1
    attributes = struct.pack(f"={words}Q", *fields[:words])
    libc = _libc()
    size = ctypes.c_size_t(len(attributes))
    rules = int(libc.syscall(_CREATE_RULESET, attributes, size, ctypes.c_uint32(0)))
    if rules < 0:
        return False
    try:
        for path, rights in allowed.items():
            if not _beneath(libc, rules, path, rights & every):
                return False
        return bool(libc.syscall(_RESTRICT_SELF, ctypes.c_int(rules), ctypes.c_uint32(0)) == 0)
    finally:
        os.close(rules)


def _beneath(libc: ctypes.CDLL, rules: int, path: Path, rights: int) -> bool:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return True  # nothing is there that could be allowed
    try:
        mine = rights if path.is_dir() else rights & _OF_FILES
        rule = struct.pack("=Qi", mine, place)
        numbers = ctypes.c_int(rules), ctypes.c_int(_RULE_PATH_BENEATH)
        return bool(libc.syscall(_ADD_RULE, *numbers, rule, ctypes.c_uint32(0)) == 0)
    finally:
        os.close(place)


def seccomp(program: bytes) -> bool:
    """Let a filter answer every further system call of this thread and of what it starts."""

    class _Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))

    if not sys.platform.startswith("linux"):
        return False
    given = _Program(len(program) // 8, program)
    words = ctypes.c_ulong(2), ctypes.byref(given), ctypes.c_ulong(0), ctypes.c_ulong(0)
    return bool(_libc().prctl(_PR_SET_SECCOMP, *words) == 0)


def own_namespaces(root: Path) -> bool:
    """Leave the caller's mounts, network and other shared things, with an empty folder as the root.

    Many systems refuse this to users (sysctl, AppArmor, containers).
    """
    if not sys.platform.startswith("linux"):
        return False
    libc = _libc()
    if libc.unshare(ctypes.c_int(_NEWUSER | _NEWNS | _NEWNET | _NEWIPC | _NEWUTS)) != 0:
        return False
    try:
        os.chroot(root)
        os.chdir("/")
    except OSError:
        return False
    return True


def limit(limits: Iterable[tuple[int, int]]) -> None:
    """Set limits of this process (`resource.RLIMIT_*`), hard and soft."""
    for kind, most in limits:
        _, hard = resource.getrlimit(kind)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(OSError, ValueError):  # a kind that this kernel does not have
            resource.setrlimit(kind, (least, least))
