# SPDX-License-Identifier: BSD-3-Clause
"""Facts from the user's own files: a project, a packaged IP, an instance, a hand-off (``--learn``)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from vivado_check.errors import InputError, Problem
from vivado_check.formats.xml import MOST_BYTES

from .component import Component
from .handoff import read_handoff
from .instances import read_bd, read_xci, vlnv_of_xci
from .ipxact import read_ipxact

MOST_FILES = 20_000
_SUFFIXES = (".xml", ".xci", ".bd", ".hwh")


def learn(paths: tuple[Path, ...]) -> dict[str, list[Component]]:
    """Return what files, or all files of folders, tell of IP, by VLNV.

    Args:
        paths: component.xml, ``<instance>.xml`` with its .xci beside it, .xci, .bd, .hwh, or folders with
            such files, as a Vivado project is one.

    Raises:
        InputError: A path is not there, a file that is named cannot be read, or nothing tells of an IP.
    """
    found: dict[str, list[Component]] = {}
    for path in paths:
        count = 0
        for file in _files(path):
            for one in _read(file, named=file == path):
                if one.vlnv.count(":") == 3:
                    found.setdefault(one.vlnv, []).append(one)
                    count += 1
        if not count:
            raise InputError(Problem(str(path), "nothing in it tells of an IP", _WANTED))
    return dict(sorted(found.items()))


_WANTED = "Give a Vivado project, a component.xml, or a .hwh, .xci or .bd"


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        raise InputError(Problem(f"--learn {path}", "there is no such file or folder", "Check the path"))
    count = 0
    for folder, below, names in os.walk(path):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(_SUFFIXES):
                count += 1
                if count > MOST_FILES:
                    found = f"it has more than {MOST_FILES:,} files of IP"
                    raise InputError(Problem(f"--learn {path}", found, "Give the folder of one project"))
                yield Path(folder, name)


def _read(path: Path, *, named: bool) -> list[Component]:
    """Return what a file tells; one that a folder merely holds may be anything."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES >> 20} MiB")
        return _components(path, path.read_bytes())
    except OSError as error:
        raise InputError(Problem(str(path), error.strerror or str(error), "Check the path")) from error
    except (ValueError, InputError) as error:
        if not named:
            return []
        if isinstance(error, InputError):
            raise
        raise InputError(Problem(str(path), f"cannot be read: {error}", _WANTED)) from None


def _components(path: Path, content: bytes) -> list[Component]:
    where = path.name
    if path.suffix == ".hwh":
        return read_handoff(content, where)
    if path.suffix == ".bd":
        return read_bd(content, where)
    if path.suffix == ".xci":
        one = read_xci(content, where)
        return [one] if one else []
    if path.suffix != ".xml":
        raise ValueError("its name has none of the endings that are known")
    one = read_ipxact(content, where)
    if one.instance:
        one.vlnv = _configured(path)
    return [one]


def _configured(sheet: Path) -> str:
    """Return the VLNV of an instance from its .xci, in ``.srcs`` where the IP-XACT is in ``.gen``."""
    parts = [part.replace(".gen", ".srcs") for part in sheet.parts]
    for beside in (sheet, Path(*parts)):
        file = beside.with_suffix(".xci")
        if file.is_file() and file.stat().st_size <= MOST_BYTES:
            return vlnv_of_xci(file.read_bytes(), file.name)
    return ""
