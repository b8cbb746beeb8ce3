# SPDX-License-Identifier: BSD-3-Clause
"""Where the four data folders are: beside the package in a checkout, inside it once installed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_dir(name: str) -> Path:
    """Return the folder ``templates``, ``ip``, ``sim`` or ``boards``."""
    for base in (_PACKAGE / "_data", _PACKAGE.parent):
        if (base / name).is_dir():
            return base / name
    raise AssertionError(f"shellgen is installed without its {name}/ folder")


def rtl_file(module: str) -> Path:
    """Return the source of one of our own blocks: ``ip/<module>/<module>.sv``."""
    return data_dir("ip") / module / f"{module}.sv"


def rtl_closure(modules: Iterable[str]) -> tuple[str, ...]:
    """Return these blocks of ``ip/`` and all blocks that they instantiate, each once, sorted.

    A block is a folder with a file of its name; an instance starts its line with the block's name and goes on
    with ``#(`` or ``u_`` (house rule for names of instances).
    """
    found: set[str] = set()
    pending = list(modules)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(_instances(rtl_file(name).read_text()))
    return tuple(sorted(found))


def rtl_blocks() -> tuple[str, ...]:
    """Return the names of all our blocks, sorted."""
    return tuple(path.name for path in sorted(data_dir("ip").iterdir()) if rtl_file(path.name).is_file())


@cache
def _instances(text: str) -> tuple[str, ...]:
    names = "|".join(map(re.escape, rtl_blocks()))
    return tuple(re.findall(rf"^\s*({names}) (?:#\(|u_)", text, re.MULTILINE))
