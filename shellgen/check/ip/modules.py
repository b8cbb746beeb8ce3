# SPDX-License-Identifier: BSD-3-Clause
"""A catalogue with the modules that a session's files declare, as Vivado finds those of module references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from ..recording import Recording
from .facts import Catalogue, Ip
from .header import Head, read_head
from .module import ModuleIp

_LIBRARY = "xilinx.com:module_ref:"
_SUFFIXES = (".v", ".sv", ".vh", ".svh")
_LARGEST = 64 << 20


@lru_cache(maxsize=256)
def _head(text: str, module: str) -> Head | None:
    return read_head(text, module)


@dataclass
class WithModules:
    """A catalogue (`shellgen.check.ip.facts.Catalogue`) that looks module references up in a recording."""

    base: Catalogue
    recording: Recording
    _texts: dict[Path, str] = field(default_factory=dict)
    _found: dict[tuple[str, int], Ip | None] = field(default_factory=dict)

    def find(self, vlnv: str, release: str) -> Ip | None:
        """Return the IP of a VLNV, or the module that a module reference names; None if it is not known."""
        if not vlnv.startswith(_LIBRARY):
            return self.base.find(vlnv, release)
        count = sum(len(project.files) for project in self.recording.projects)
        key = (vlnv, count)
        if key not in self._found:
            self._found[key] = self._module(vlnv)
        return self._found[key]

    def versions(self, vlnv: str, release: str) -> tuple[str, ...] | None:
        """Return what the base knows of a pattern."""
        return self.base.versions(vlnv, release)

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
