# SPDX-License-Identifier: BSD-3-Clause
"""Folders named by what is in them: made once, by one process, visible only when complete."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def default_cache_dir() -> Path:
    """Return ``$SHELLGEN_CACHE``, else ``shellgen`` in ``$XDG_CACHE_HOME``, else ``~/.cache/shellgen``."""
    own = os.environ.get("SHELLGEN_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "shellgen"


def digest(parts: Iterable[str | bytes]) -> str:
    """Return 32 hex digits of SHA-256 over the parts and their lengths."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()[:32]


def once(folder: Path, make: Callable[[Path], None]) -> bool:
    """Make sure that ``folder`` exists, calling ``make`` on a scratch folder that then takes its name.

    Of several processes that want the same folder one makes it and the others wait. What ``make`` left
    behind when it raised or was killed is never seen under the final name.

    Returns:
        True if the folder was there already.
    """
    if _used(folder):
        return True
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.parent / f"{folder.name}.lock"):
        if _used(folder):
            return True
        scratch = Path(tempfile.mkdtemp(prefix=f"{folder.name}.part-", dir=folder.parent))
        try:
            make(scratch)
            scratch.chmod(0o755)
            scratch.rename(folder)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return False


@contextmanager
def locked(file: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold a lock file, which may be removed by whoever holds it.

    Raises:
        BlockingIOError: Somebody else holds it, and the caller does not wait.
    """
    while True:
        with file.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            if not (file.exists() and os.path.samestat(file.stat(), os.fstat(lock.fileno()))):
                continue  # removed while we waited: others lock another file by now
            yield
            return


def _used(folder: Path) -> bool:
    """Tell whether a folder is there, and mark it as used now."""
    with suppress(FileNotFoundError, PermissionError):  # a cache that is only read is fine
        os.utime(folder)
    return folder.is_dir()
