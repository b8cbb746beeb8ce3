# SPDX-License-Identifier: BSD-3-Clause
"""Finds the files of IP in checkouts and reads them, each configuration once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from shellgen.errors import InputError
from vivado_check.ip.component import Component
from vivado_check.ip.instances import read_bd, read_xci, vlnv_of_xci
from vivado_check.ip.ipxact import read_ipxact

# IP inside other IP: no script names them.
_INNER = ("bd_0", "bd_1")


def collect(checkouts: Iterable[Path]) -> Iterator[Component]:
    """Yield what every file in the checkouts says, in a fixed order.

    Args:
        checkouts: Folders ``<owner>+<name>`` or ``<owner>/<name>``, which name their repository.
    """
    for root in sorted(checkouts):
        yield from _Checkout(root).components()


class _Checkout:
    """One repository on this machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.repository = (
            root.name.replace("+", "/", 1) if "+" in root.name else f"{root.parent.name}/{root.name}"
        )

    def components(self) -> Iterator[Component]:
        sheets = self._sheets()
        for path in sorted(self.root.rglob("*.xci")):
            if not _inner(path):
                yield from self._tried(partial(self._configured, path, sheets), path)
        for path in sorted(self.root.rglob("*.bd")):
            if not _inner(path):
                yield from self._tried(read_bd, path)

    def _sheets(self) -> dict[str, Path]:
        """Return the IP-XACT of instances by their place, which is the same in ``.gen`` and ``.srcs``."""
        found: dict[str, Path] = {}
        for path in sorted(self.root.rglob("*.xml")):
            if path.stem == path.parent.name and not _inner(path):
                found.setdefault(self._place(path), path)
        return found

    def _configured(self, path: Path, sheets: dict[str, Path], content: bytes, name: str) -> list[Component]:
        vlnv = vlnv_of_xci(content, name)
        known = read_xci(content, name)
        found = [known] if known else []
        sheet = sheets.pop(self._place(path), None)
        if sheet:
            found += [
                replace(one, vlnv=vlnv)
                for one in self._tried(lambda text, at: [read_ipxact(text, at)], sheet)
                if one.instance
            ]
        return found

    def _tried(self, read: Callable[[bytes, str], list[Component]], path: Path) -> list[Component]:
        """Return what a file says; a damaged one says nothing."""
        try:
            return read(path.read_bytes(), f"{self.repository}: {path.relative_to(self.root).as_posix()}")
        except (InputError, ValueError, OSError):
            return []

    def _place(self, path: Path) -> str:
        parts = [part.replace(".gen", ".srcs") for part in path.relative_to(self.root).parts]
        return "/".join((*parts[:-1], path.stem))


def _inner(path: Path) -> bool:
    return any(part in _INNER for part in path.parts)
