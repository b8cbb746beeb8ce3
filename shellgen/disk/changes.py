# SPDX-License-Identifier: BSD-3-Clause
"""Atomic changes to a folder: all of them or none, even if the process is killed.

New files are staged in `WORK`, a hidden folder inside, so that both are on one file system even if the folder
is a mount point or a link. Then one rename publishes a journal that lists every file: before it nothing has
changed, after it everything will. The files are moved to their places one by one, old files are kept aside,
and the journal is removed. If the process is killed in between, the next command that opens the folder finds
the journal and completes the work; after a disk error in between, everything is rolled back.

The folder itself is never replaced, since vendor builds run in it, users keep files in it and shells have it
as working directory.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from shellgen.disk.in_use import refuse_readers
from shellgen.disk.locks import locked
from shellgen.disk.manifest import is_entry_name, link_before, sha256_of
from shellgen.errors import InputError, Problem
from vivado_check.formats.data import read_json

WORK = ".shellgen-changes"
_LOCK, _JOURNAL, _BACK = "lock", "journal", "journal.back"
_FOLDER = "folder"  # instead of a digest


class Changes:
    """Collected changes to a folder; they are applied when `changing` ends."""

    def __init__(self, folder: Path, work: Path) -> None:
        self._folder, self._work = folder, work
        self._put: list[tuple[str, str]] = []
        self._removed: list[tuple[str, str]] = []
        self._staged: dict[str, str] = {}  # folders that are staged as a whole, and those in them
        self._there: set[str] = set()  # folders that are not

    def write(self, path: str, content: bytes) -> None:
        """Give a file this content."""
        parent, _, name = path.rpartition("/")
        if folder := self._folder_of(parent):
            _write(f"{folder}/{name}", content)
            return
        staged = self._next()
        _write(f"{self._work}/{staged}", content)
        self._put.append((staged, path))

    def _folder_of(self, path: str) -> str:
        """Return where the files of a new folder are staged; empty for one that is there.

        A new folder gets its place by one rename, and so do all files in it.
        """
        if not path or path in self._there:
            return ""
        if path not in self._staged:
            outer, _, name = path.rpartition("/")
            if inside := self._folder_of(outer):
                folder = f"{inside}/{name}"
            elif os.path.lexists(self._folder / path):
                self._there.add(path)
                return ""
            else:
                staged = self._next()
                self._put.append((staged, path))
                folder = f"{self._work}/{staged}"
            Path(folder).mkdir()
            self._staged[path] = folder
        return self._staged[path]

    def bring(self, path: str, source: Path) -> None:
        """Replace a path by a copy of a file or of a whole folder."""
        self._there.update(_outer(path))
        staged = self._next()
        copy = shutil.copytree if source.is_dir() else shutil.copyfile
        copy(source, self._work / staged)
        self._put.append((staged, path))

    def remove(self, path: str) -> None:
        """Remove a file or a whole folder; files written to the same path replace it."""
        self._removed.append((self._next(), path))

    def _next(self) -> str:
        return str(len(self._put) + len(self._removed))

    def commit(self) -> None:
        """Apply all changes; roll back after an error."""
        if not self._put and not self._removed:
            return
        removed = [(number, path, _state(self._folder / path)) for number, path in self._removed]
        gone = {path for _, path in self._removed}
        new = self._new_folders(gone)
        missing = set(new)  # nothing is in these
        put = [
            (
                number,
                path,
                None
                if path.rpartition("/")[0] in missing or _goes(path, gone)
                else _state(self._folder / path),
            )
            for number, path in self._put
        ]
        journal = {"put": put, "removed": removed, "folders": new}
        part = self._work / f"{_JOURNAL}.part"
        part.write_text(json.dumps(journal))
        part.replace(self._work / _JOURNAL)
        try:
            _forward(self._folder, self._work, journal)
        except BaseException:  # a disk error, or Ctrl-C
            (self._work / _JOURNAL).replace(self._work / _BACK)
            _back(self._folder, self._work, journal)
            raise

    def _new_folders(self, gone: set[str]) -> list[str]:
        """Return the folders that are missing, outer ones first."""
        parents = {folder for _, path in self._put for folder in _outer(path)} - self._staged.keys()
        return sorted(one for one in parents if _goes(one, gone) or not (self._folder / one).is_dir())


def _write(path: str, content: bytes) -> None:
    """Make a file; `open` asks the system five times as much."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    try:
        left = memoryview(content)
        while left:
            left = left[os.write(descriptor, left) :]
    finally:
        os.close(descriptor)


def _outer(path: str) -> Iterator[str]:
    """Yield the folders around a path of a journal, inner ones first."""
    while path := path.rpartition("/")[0]:
        yield path


def _goes(path: str, gone: set[str]) -> bool:
    """Return whether a path is removed before anything new is written there."""
    return bool(gone) and (path in gone or any(folder in gone for folder in _outer(path)))


@contextmanager
def changing(folder: Path) -> Iterator[Changes]:
    """Collect changes to a folder, create it if it is missing, and apply them at the end of the block.

    Raises:
        InputError: Another process is writing into the folder, or simulates it.
        OSError: A disk error; the folder is unchanged.
    """
    new = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with _working(folder) as work:
            refuse_readers(folder)  # a later process finds the work folder
            changes = Changes(folder, work)
            yield changes
            changes.commit()
    except BaseException:
        for one in new:
            with suppress(OSError):
                one.rmdir()
        raise


def settle(folder: Path) -> bool:
    """Complete the changes of a killed process in a folder, and remove its leftovers.

    Returns:
        True if there were changes to finish.

    Raises:
        InputError: A process is writing into the folder, or the changes cannot be finished.
    """
    work = folder / WORK
    if not os.path.lexists(work):
        return False
    begun = _begun(work)
    try:
        with _working(folder):
            return begun
    except OSError as error:
        if not begun:
            return False  # leftovers in a read-only folder
        why = error.strerror or str(error)
        found = f"a command was killed while it wrote here, and what it began cannot be finished ({why})"
        remedy = "Generate the folder again, or let its owner run `shellgen check` on it"
        raise InputError(Problem(str(folder), found, remedy)) from None


@contextmanager
def _working(folder: Path) -> Iterator[Path]:
    """Lock the work folder, after the changes of an earlier process are complete."""
    work = folder / WORK
    with ExitStack() as held:
        held.callback(_remove, work)
        while True:
            with suppress(FileExistsError):
                work.mkdir()
            if work.is_symlink() or not work.is_dir():
                found = "it is not a folder of shellgen"
                raise InputError(Problem(str(work), found, "Remove it"))
            try:
                held.enter_context(locked(work / _LOCK))
            except FileNotFoundError:  # its last holder has just removed the folder
                continue
            except BlockingIOError:
                found = "another shellgen is writing into it"
                raise InputError(Problem(str(folder), found, "Wait until that one has finished")) from None
            break
        _finish(folder, work)
        held.callback(_leave, work)
        yield work


def _finish(folder: Path, work: Path) -> None:
    """Complete or roll back the changes of a journal, and leave the work folder empty."""
    for name, do in ((_BACK, _back), (_JOURNAL, _forward)):
        if (work / name).exists():
            journal = _read(folder, work / name)
            do(folder, work, journal)
    _clear(work)


def _read(folder: Path, path: Path) -> dict[str, Any]:
    """Read a journal; it may come with a third-party folder, so all paths must be inside."""
    remedy = f"Remove {path.parent}, and generate the folder again"
    wrong = InputError(Problem(str(path), "it is not a journal of shellgen", remedy))
    found = read_json(path, str(path), remedy, remedy)
    if not isinstance(found, dict) or set(found) != {"put", "removed", "folders"}:
        raise wrong
    steps = [step for kind in ("put", "removed") for step in _list(found[kind])]
    if not all(isinstance(one, list) and len(one) == 3 for one in steps):
        raise wrong
    paths = [path for _, path, _ in steps] + _list(found["folders"])
    numbers = [number for number, _, _ in steps]
    known = all(state is None or isinstance(state, str) for _, _, state in steps)
    if not (known and all(isinstance(one, str) and one.isdecimal() for one in numbers)):
        raise wrong
    if not all(isinstance(one, str) and is_entry_name(one) for one in paths):
        raise wrong
    if any(link_before(folder, one) for one in paths):
        raise wrong
    return found


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [None]


def _forward(folder: Path, work: Path, journal: dict[str, Any]) -> None:
    """Apply the changes that have not been applied yet."""
    for number, path, before in journal["removed"]:
        old = work / f"{number}.old"
        if before is not None and not os.path.lexists(old) and _state(folder / path) == before:
            (folder / path).rename(old)
    for one in journal["folders"]:
        (folder / one).mkdir(parents=True, exist_ok=True)
    for number, path, before in journal["put"]:  # texts: thousands of paths take time
        new, place = f"{work}/{number}", f"{folder}/{path}"
        if not os.path.lexists(new):
            continue
        if os.path.lexists(place) and not os.path.lexists(f"{new}.old"):
            if _state(Path(place)) != before:
                continue  # changed by the user since
            _keep(Path(place), Path(f"{new}.old"))
        Path(new).replace(place)
    for _, path, _ in journal["removed"]:
        for parent in (folder / path).parents:
            if parent == folder:
                break
            with suppress(OSError):  # it contains something else
                parent.rmdir()
    (work / _JOURNAL).unlink()


def _back(folder: Path, work: Path, journal: dict[str, Any]) -> None:
    """Roll back all changes."""
    for number, path, before in reversed(journal["put"]):
        staged, target, old = work / number, folder / path, work / f"{number}.old"
        if os.path.lexists(old):
            if not os.path.lexists(staged) and (target.is_dir() or old.is_dir()):
                target.rename(staged)
            old.replace(target)
        elif before is None and not os.path.lexists(staged) and os.path.lexists(target):
            target.rename(staged)
    for one in reversed(journal["folders"]):
        with suppress(OSError):
            (folder / one).rmdir()
    for number, path, _ in reversed(journal["removed"]):
        if os.path.lexists(old := work / f"{number}.old"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            old.replace(folder / path)
    (work / _BACK).unlink()


def _keep(target: Path, old: Path) -> None:
    """Keep the old content under another name; if possible, a file also stays in its place."""
    if target.is_symlink() or not target.is_dir():
        with suppress(OSError):  # a file system without hard links
            os.link(target, old, follow_symlinks=False)
            return
    target.rename(old)


def _state(path: Path) -> str | None:
    """Return the state of a path: missing, a folder, or a file with this digest."""
    if not os.path.lexists(path):
        return None
    return _FOLDER if path.is_dir() and not path.is_symlink() else sha256_of(path)


def _leave(work: Path) -> None:
    if not _begun(work):  # the next command completes a failed rollback
        _clear(work)


def _remove(work: Path) -> None:
    with suppress(OSError):  # it is not empty, or another process holds it
        work.rmdir()


def _begun(work: Path) -> bool:
    return any(os.path.lexists(work / name) for name in (_JOURNAL, _BACK))


def _clear(work: Path) -> None:
    for path in work.iterdir():
        if path.name == _LOCK:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
