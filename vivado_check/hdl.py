# SPDX-License-Identifier: BSD-3-Clause
"""HDL that a session gave to Vivado, as designs below their tops."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from vivado_check.syntax import Elaborated, Memory, elaborate

from .recording import File, Recording
from .report import Origin
from .tcl.arguments import split_list

VERILOG, SYSTEM_VERILOG, HEADER, VHDL = "Verilog", "SystemVerilog", "Verilog Header", "VHDL"
# Source: UG895, file types of a project; the names are those of FILE_TYPE in UG912.
MEMORY = frozenset({"Memory File", "Memory Initialization Files", "Memory Initialization File"})
_KINDS = {
    **dict.fromkeys((".v",), VERILOG),
    **dict.fromkeys((".sv",), SYSTEM_VERILOG),
    **dict.fromkeys((".vh", ".svh", ".h"), HEADER),
    **dict.fromkeys((".vhd", ".vhdl"), VHDL),
    **dict.fromkeys((".mem",), "Memory File"),
}
# What a file may hold that nobody else can read.
_CLOSED = (".xci", ".xcix", ".dcp", ".edf", ".edn", ".edif", ".ngc")
BOARD = ("SYNTHESIS",)
BENCH = ("VERILATOR",)
_CHOICES = ("SYNTHESIS", "VERILATOR", "translate_off")


def kind_of(file: File) -> str:
    """Return the FILE_TYPE of a file: as the script set it, or as its name says; empty if it says nothing."""
    said = file.properties.get("file_type")
    return said.value if said else _KINDS.get(Path(file.name).suffix.lower(), "")


@dataclass(frozen=True)
class Source:
    """A text of a design.

    Attributes:
        name: As messages say it: relative to what is checked.
        kind: Its FILE_TYPE.
        origin: Line that added it.
    """

    name: str
    kind: str
    text: str
    origin: Origin

    @property
    def foreign(self) -> bool:
        """Whether it belongs to a partition, and so is third-party."""
        return "/partition/" in f"/{self.name}"


@dataclass(frozen=True)
class Hdl:
    """Sources of a project for synthesis.

    Attributes:
        sources: Verilog and SystemVerilog, in the order in which they were added.
        headers: What they may include.
        files: All files, those of any kind.
        closed: Whether modules may be in what cannot be read: VHDL, IP, netlists.
    """

    sources: tuple[Source, ...]
    headers: tuple[Source, ...]
    files: tuple[File, ...]
    closed: bool

    def defining(self, module: str) -> Source | None:
        """Return the source that defines a module."""
        pattern = re.compile(
            rf"^[ \t]*(?:\(\*.*?\*\)\s*)?(?:macro)?module\s+{re.escape(module)}\b", re.MULTILINE
        )
        named = (source for source in self.sources if module in source.text)
        return next((source for source in named if pattern.search(source.text)), None)

    def below(self, top: str) -> Elaborated:
        """Elaborate it below a top module, as synthesis does.

        Raises:
            InputError: A text cannot be read within bounds of time, memory and nesting.
        """
        return _elaborated(*self._given, top, BOARD, judge=True)

    def in_simulation(self, top: str) -> tuple[Memory, ...]:
        """Return what fills the memories below a top module in the bench; errors as of `below`."""
        texts = [source.text for source in (*self.sources, *self.headers)]
        if not any(word in text for text in texts for word in _CHOICES):
            return self.below(top).memories
        return _elaborated(*self._given, top, BENCH, judge=False).memories

    @property
    def _given(self) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
        headers = {Path(source.name).name: source.text for source in self.headers}
        return tuple((source.name, source.text) for source in self.sources), tuple(sorted(headers.items()))


@lru_cache(maxsize=64)
def _elaborated(
    texts: tuple[tuple[str, str], ...],
    headers: tuple[tuple[str, str], ...],
    top: str,
    macros: tuple[str, ...],
    *,
    judge: bool,
) -> Elaborated:
    return elaborate(texts, dict(headers), top, macros, judge)


def projects(recording: Recording, folder: Path) -> Iterator[Hdl]:
    """Yield what each project of a session holds.

    Args:
        recording: The session.
        folder: What is checked; names are relative to it.
    """
    for project in recording.projects:
        said = project.filesets.get("sources_1", {}).get("include_dirs")
        files = [file for file in project.files if file.fileset != "constrs_1"]
        yield _hdl(files, split_list(said.value) if said else [], folder)


def _hdl(files: Sequence[File], folders: Sequence[str], folder: Path) -> Hdl:
    sources: list[Source] = []
    headers: list[Source] = []
    closed = False
    for file in files:
        kind = kind_of(file)
        closed = closed or kind.startswith(VHDL) or Path(file.name).suffix.lower() in _CLOSED
        if kind in (VERILOG, SYSTEM_VERILOG, HEADER) and file.path.is_file():
            source = Source(shown(file, folder), kind, file.path.read_text(errors="replace"), file.origin)
            (headers if kind == HEADER else sources).append(source)
    for path in sorted(path for place in folders for path in Path(place).glob("*") if Path(place).is_dir()):
        if path.is_relative_to(folder) and path.is_file() and _KINDS.get(path.suffix.lower()) == HEADER:
            text = path.read_text(errors="replace")
            headers.append(Source(path.relative_to(folder).as_posix(), HEADER, text, Origin()))
    return Hdl(tuple(sources), tuple(headers), tuple(files), closed)


def shown(file: File, folder: Path) -> str:
    """Return a file's name as the user knows it."""
    for path in (file.path, Path(file.name)):
        if path.is_absolute() and path.is_relative_to(folder):
            return path.relative_to(folder).as_posix()
    return Path(file.name).name


def tops(recording: Recording) -> dict[str, Origin]:
    """Return the modules that a session builds from HDL: references of block designs, tops of file sets."""
    found: dict[str, Origin] = {}
    for design in recording.designs.values():
        for cell in design.cells.values():
            if cell.kind == "module" and cell.reference:
                found.setdefault(cell.reference, cell.origin)
    for project in recording.projects:
        top = project.filesets.get("sources_1", {}).get("top")
        if top:
            found.setdefault(top.value, top.origin)
    return found
