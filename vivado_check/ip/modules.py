# SPDX-License-Identifier: BSD-3-Clause
"""A catalogue with what a session's own files declare: modules of references, IP of repositories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from ..recording import Recording
from .document import DocumentedIp
from .facts import Catalogue, Ip
from .header import Head, read_head
from .ipxact import read_ipxact
from .module import ModuleIp
from .unite import unite

_LIBRARY = "xilinx.com:module_ref:"
_SUFFIXES = (".v", ".sv", ".vh", ".svh")
_LARGEST = 64 << 20


@lru_cache(maxsize=256)
def _packaged(path: Path, changed: int) -> Ip | None:  # noqa: ARG001 - a file that has changed is another one
    try:
        return DocumentedIp(unite([read_ipxact(path.read_bytes(), path.name)]))
    except (OSError, ValueError):
        return None


@lru_cache(maxsize=256)
def _head(text: str, module: str) -> Head | None:
    return read_head(text, module)


@dataclass
class WithModules:
    """A catalogue (`vivado_check.ip.facts.Catalogue`) that looks into the files of a recording first."""

    base: Catalogue
    recording: Recording
    _texts: dict[Path, str] = field(default_factory=dict)
    _found: dict[tuple[str, int], Ip | None] = field(default_factory=dict)

    def find(self, vlnv: str, release: str) -> Ip | None:
        """Return the IP of a VLNV, or the module that a module reference names; None if it is not known."""
        if not vlnv.startswith(_LIBRARY):
            return self._packaged(vlnv) or self.base.find(vlnv, release)
        count = sum(len(project.files) for project in self.recording.projects)
        key = (vlnv, count)
        if key not in self._found:
            self._found[key] = self._module(vlnv)
        return self._found[key]

    def versions(self, vlnv: str, release: str) -> tuple[str, ...] | None:
        """Return what a pattern finds in the repositories, or else what the base knows of it."""
        own = sorted(known for known in self.recording.repositories if fnmatchcase(known, vlnv))
        return tuple(own) or self.base.versions(vlnv, release)

    def _packaged(self, vlnv: str) -> Ip | None:
        """Return an IP of a repository; its version may be left out if there is one only."""
        sheets = self.recording.repositories
        named = [known for known in sheets if vlnv in (known, known.rpartition(":")[0])]
        path = sheets[named[0]] if len(named) == 1 else None
        if path is None or not path.is_file():
            return None
        return _packaged(path, path.stat().st_mtime_ns)

    def _module(self, vlnv: str) -> Ip | None:
        name = vlnv.split(":")[2]
        for path in self._paths(name):
            head = _head(self._text(path), name)
            if head is not None:
                return ModuleIp(vlnv, head)
        return None

    def _paths(self, name: str) -> Iterator[Path]:
        """Yield the Verilog files of a session, those named after the module first."""
        files = [file for project in self.recording.projects for file in project.files]
        paths = [file.path for file in files if Path(file.name).suffix.lower() in _SUFFIXES]
        yield from (path for path in paths if path.stem == name)
        yield from (path for path in paths if path.stem != name and name in self._text(path))

    def _text(self, path: Path) -> str:
        if path not in self._texts:
            try:
                small = path.stat().st_size <= _LARGEST
                self._texts[path] = path.read_text(errors="replace") if small else ""
            except OSError:
                self._texts[path] = ""
        return self._texts[path]
