# SPDX-License-Identifier: BSD-3-Clause
"""Content-addressed folders: created once, by one process, visible only when complete."""

from __future__ import annotations

import atexit
import errno
import hashlib
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from shellgen.cache.sealed import damage, seal
from shellgen.disk.locks import held_here, holder, locked, private_folder
from shellgen.errors import printable

_LOG = logging.getLogger(__name__)
_REFUSED = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EEXIST, errno.ELOOP)
_FULL = (errno.ENOSPC, errno.EDQUOT)
_ROOM = 256 << 20  # bytes that a large model needs during compilation


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


class Entry(NamedTuple):
    """A folder of the cache, and whether it existed already."""

    folder: Path
    was_there: bool


def once(folder: Path, make: Callable[[Path], None]) -> Entry:
    """Return a folder; if it is missing, ``make`` fills a scratch folder, which is then renamed.

    If several processes need the same folder, one creates it and the others wait. Leftovers of a ``make``
    that raised or was killed never get the final name. A folder whose content has changed is rebuilt, with a
    warning. If the cache is not writable, the folder is created elsewhere and removed with this process.

    Returns:
        The folder to use.
    """
    spare = _spare() / folder.parent.name / folder.name
    for place in (folder, spare):
        if damage(place) == "":
            _touch(place)
            return Entry(place, was_there=True)
    try:
        return _kept(folder, make)
    except Exception as error:
        why = _unusable(folder.parent, error)
        if not why:
            raise
    _LOG.warning("%s cannot be used (%s), so this model is made for this run only", folder.parent.parent, why)
    _begin_spare()
    return _kept(spare, make)


def _kept(folder: Path, make: Callable[[Path], None]) -> Entry:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder.parent / f"{folder.name}.lock"):
        wrong = damage(folder)
        if wrong == "":
            return Entry(folder, was_there=True)
        _sweep(folder.parent, folder.name)
        scratch = Path(tempfile.mkdtemp(prefix=f"{folder.name}.part-", dir=folder.parent))
        try:
            if wrong:
                _LOG.warning("%s is damaged (%s), so it is rebuilt", folder, wrong)
                folder.rename(scratch / "damaged")
                _discard(scratch / "damaged")
            make(scratch)
            seal(scratch, folder)
            scratch.chmod(0o755)
            scratch.rename(folder)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return Entry(folder, was_there=False)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Hold the lock of an entry; say so where another command makes the same one, which may take minutes."""
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(lock, remove=False))
        except BlockingIOError:
            if not held_here(lock):  # by another thread, whose entry is the same
                _LOG.warning("%s makes the same, and this command waits for it", printable(holder(lock)))
            stack.enter_context(locked(lock, wait=True, remove=False))
        yield


def _sweep(parent: Path, name: str) -> None:
    """Remove partial folders of killed processes; the caller holds the lock of ``name``."""
    for part in parent.glob("*.part-*"):
        whose = part.name.partition(".part-")[0]
        with suppress(OSError), ExitStack() as stack:
            if whose != name:  # BlockingIOError: it is being created
                stack.enter_context(locked(parent / f"{whose}.lock", remove=False))
            _discard(part)


def _discard(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _touch(folder: Path) -> None:
    """Mark an entry as used now."""
    with suppress(OSError):  # a read-only cache is allowed
        os.utime(folder)


def _unusable(parent: Path, error: Exception) -> str:
    """Return how the cache causes an error, read-only or full; empty if it does not."""
    if isinstance(error, OSError) and error.errno in (*_REFUSED, *_FULL):
        return os.strerror(error.errno)
    if os.strerror(errno.ENOSPC) in str(error) or os.strerror(errno.EDQUOT) in str(error):
        return os.strerror(errno.ENOSPC)
    try:
        with tempfile.TemporaryFile(dir=parent) as file:
            os.posix_fallocate(file.fileno(), 0, _ROOM)
    except OSError as refused:
        return os.strerror(refused.errno) if refused.errno in _FULL else ""
    return ""


def _spare() -> Path:
    """Return the temporary replacement of the cache for this process."""
    return Path(tempfile.gettempdir(), f"shellgen-{os.getuid()}", f"cache-{os.getpid()}")


def _begin_spare() -> None:
    """Create the temporary replacement, and remove those of killed processes."""
    private = private_folder()
    for other in private.glob("cache-*"):
        if not Path("/proc", other.name.removeprefix("cache-")).exists():
            shutil.rmtree(other, ignore_errors=True)
    spare = private / _spare().name
    if not spare.is_dir():
        spare.mkdir()
        atexit.register(shutil.rmtree, spare, ignore_errors=True)
