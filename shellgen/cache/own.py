# SPDX-License-Identifier: BSD-3-Clause
"""Files that tell this shellgen from another one: for what is kept and was made by it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from shellgen.resources import BOARDS, PLUGINS, data_dir, installed
from vivado_check.formats import files

_DATA = ("templates", "ip", "sim", "boards", "host")  # what shellgen reads of its own


def has_plugins() -> bool:
    """Tell whether other packages bring kinds of their own, which may read anything."""
    return any(installed(group) for group in PLUGINS)


@cache
def own() -> tuple[str, ...]:
    """Return what tells this shellgen, Python and its packages from others."""
    packages = [Path(__file__).parents[1], Path(files.__file__).parents[1], *map(data_dir, _DATA)]
    found = find_spec("pydantic")
    assert found
    assert found.origin
    beside = Path(found.origin).parents[1].stat().st_mtime_ns  # of the packages: pip changes it
    return (
        sys.version,
        str(sys.flags.optimize),
        str(beside),
        *(line for folder in packages for line in _stamps(str(folder))),
    )


def surroundings() -> tuple[str, str]:
    """Return what decides which files a command reads beside its arguments."""
    return str(Path.cwd()), os.environ.get(BOARDS, "")


def _stamps(folder: str) -> Iterator[str]:
    """Yield the files below a folder with sizes and times, in a stable order."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if not entry.is_dir():
                found = entry.stat()
                yield f"{entry.path} {found.st_size} {found.st_mtime_ns}"
            elif entry.name != "__pycache__":
                yield from _stamps(entry.path)
