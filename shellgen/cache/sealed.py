# SPDX-License-Identifier: BSD-3-Clause
"""Digests of cached folders: damaged, missing, replaced or added files are detected before use."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from shellgen.errors import printable

SEAL = ".sha256"  # a line with the entry's name, and one per file: digest, x if executable, and path
_ENTRY = "entry "


def seal(folder: Path, place: Path) -> None:
    """Record the digests of a folder, and its name.

    Args:
        folder: Where it is made.
        place: Where it will be.

    Raises:
        OSError: An entry is not a regular file, or cannot be read.
    """
    lines = [_name(place), *sorted(_line(path, folder) for path in _files(folder))]
    (folder / SEAL).write_text(
        "".join(f"{line}\n" for line in lines), encoding="utf-8", errors="surrogateescape"
    )


def damage(folder: Path) -> str | None:
    """Return the damage of a sealed folder: an empty text if there is none, None if the folder is missing."""
    if not os.path.lexists(folder):
        return None
    if folder.is_symlink() or not folder.is_dir():
        return "it is no folder"
    try:
        written = (folder / SEAL).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        found = {_line(path, folder) for path in _files(folder)}
    except FileNotFoundError:
        return f"there is no {SEAL}"
    except OSError as error:
        return _said(error)
    # The name is the digest of the sources, so a folder under another name is a model of other sources.
    names = {line for line in written if line.startswith(_ENTRY)}  # none in entries of earlier versions
    if names - {_name(folder)}:
        return "it was kept under another name"
    wrong = sorted({line.rpartition(" ")[2] for line in found ^ (set(written) - names)})
    return f"{printable(', '.join(wrong[:3]))}: not what was kept" if wrong else ""


def _name(folder: Path) -> str:
    return f"{_ENTRY}{folder.parent.name}/{folder.name}"


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder, onerror=_raise):
        for name in (*files, *(name for name in folders if Path(place, name).is_symlink())):
            if (path := Path(place, name)) != folder / SEAL:
                yield path


def _line(path: Path, folder: Path) -> str:
    mode = path.lstat().st_mode
    if not stat.S_ISREG(mode):
        raise OSError(0, "is no plain file", str(path))
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{digest} {'x' if mode & stat.S_IXUSR else '-'} {path.relative_to(folder)}"


def _raise(error: OSError) -> None:
    raise error


def _said(error: OSError) -> str:
    return f"{Path(str(error.filename)).name}: {error.strerror}"
