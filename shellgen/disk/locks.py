# SPDX-License-Identifier: BSD-3-Clause
"""Locks that are held as long as any process has their descriptor."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LOG = logging.getLogger(__name__)
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


@contextmanager
def locked(file: Path, *, wait: bool = False, remove: bool = True, shared: bool = False) -> Iterator[int]:
    """Hold a lock file and return its descriptor, which a child process can inherit to hold it, too.

    A file left by a killed process blocks no other process. The path is never followed through a symbolic
    link, and the file is never truncated.

    Args:
        file: The lock file, in a folder that only this user can write to, such as `private_folder`.
        wait: Whether to wait for the holder.
        remove: Whether to remove the file at the end, if it is not shared. No child may hold it by then.
        shared: Whether other processes may share it.

    If the file system has no locks (NFS without lockd, Lustre without ``-o flock``), a warning is printed,
    and no process is blocked.

    Raises:
        BlockingIOError: Another process holds it, and the caller does not wait.
        OSError: The file cannot be opened, or it is not a plain file.
    """
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(file, flags, 0o644)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(0, "is not a plain file", str(file))
            _lock(
                descriptor,
                file,
                (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB),
            )
            with suppress(FileNotFoundError):
                if os.path.samestat(file.lstat(), os.fstat(descriptor)):
                    break  # otherwise its holder has removed it, and others may lock a new file
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
    try:
        yield descriptor
    finally:
        if remove:
            _remove(descriptor, file, shared=shared)
        os.close(descriptor)


def _lock(descriptor: int, file: Path, how: int) -> None:
    try:
        fcntl.flock(descriptor, how)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        said = f"this file system has no locks ({error.strerror}), so run one command at a time there"
        _LOG.warning("%s: %s", file.parent, said)


def _remove(descriptor: int, file: Path, *, shared: bool) -> None:
    with suppress(OSError):  # other processes share it, or the folder has become read-only
        if shared:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.unlink(missing_ok=True)


def holder(file: Path) -> str:
    """Return the holder of a lock: process and command, as far as visible on this machine."""
    with suppress(OSError):
        if pid := _process(file):
            words = Path("/proc", pid, "cmdline").read_bytes().rstrip(b"\0").decode(errors="replace")
            return f"process {pid}, {' '.join(_short(words.split(chr(0))))}"
    return "a process that this machine does not show"


def held_here(file: Path) -> bool:
    """Tell whether a thread of this process holds a lock."""
    return _process(file) == str(os.getpid())


def _process(file: Path) -> str:
    """Return the number of the process that holds a lock; empty if this machine does not show it."""
    with suppress(OSError, ValueError, IndexError):
        found = file.stat()
        place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
        for line in Path("/proc/locks").read_text().splitlines():
            # 1: FLOCK  ADVISORY  WRITE 4711 fd:01:12345 0 EOF, or "1: -> FLOCK ..." for a waiting process
            kind, pid, at = (line.split()[index] for index in (1, 4, 5))
            if kind == "FLOCK" and at == place:
                return pid
    return ""


def _short(command: list[str]) -> list[str]:
    """Strip the interpreter and the folder of the program."""
    if len(command) > 1 and Path(command[0]).name.startswith("python") and not command[1].startswith("-"):
        command = command[1:]
    return [Path(command[0]).name, *command[1:]]


def private_folder() -> Path:
    """Return a folder below ``$TMPDIR`` that only this user can write to, for locks on other resources.

    Raises:
        OSError: A link, a file, or a folder of another user has its name.
    """
    folder = Path(tempfile.gettempdir()) / f"shellgen-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise OSError(0, "is not a folder of yours, so nothing is written there", str(folder))
    if stat.S_IMODE(found.st_mode) != 0o700:
        folder.chmod(0o700)
    return folder
