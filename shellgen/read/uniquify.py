# SPDX-License-Identifier: BSD-3-Clause
"""Making module and file names unique over all partitions, so that they can share one simulation.

Every FINN build calls its top ``finn_design_wrapper``. A file is shared if two partitions have the same
bytes and mean the same by every name in it; otherwise what it defines is renamed in the partition that came
later, where its syntax tree has a name of a module, package or interface, and nowhere else.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from shellgen.model import Partition, SourceFile
from shellgen.read.outline import Outline, Outlines, texts
from shellgen.read.verilog import Verilog, encoded
from shellgen.resources import known_blocks, sim_models, vendor_models


@dataclass
class _Unit:
    """One source file of one partition.

    Attributes:
        entry: The file.
        verilog: Its text, or None.
        outline: What is known of the text, so that it need not be parsed.
        version: Stands for its bytes and all that it refers to.
    """

    entry: SourceFile
    verilog: Verilog | None
    outline: Outline | None = None
    version: str = ""

    @cached_property
    def names(self) -> frozenset[str]:
        """Global names that the file defines: modules, or its own name for a header."""
        if self.verilog is None:
            return frozenset()
        if self.entry.kind == "header":
            return frozenset({self.entry.name})
        return frozenset(self.outline.defined) if self.outline else self.verilog.defined

    @cached_property
    def needs(self) -> frozenset[str]:
        """Names that the file refers to, wherever they are defined."""
        if self.verilog is None:
            return frozenset()
        return (
            frozenset(self.outline.needs) if self.outline else self.verilog.used | set(self.verilog.included)
        )


def uniquify(
    partitions: tuple[Partition, ...],
    files: dict[str, bytes],
    outlines: Mapping[str, Outlines] | None = None,
) -> tuple[tuple[Partition, ...], dict[str, bytes]]:
    """Rename colliding modules and files.

    Args:
        partitions: In network order; the first user of a name keeps it, unless shellgen uses it.
        files: Content by sha256.
        outlines: What is known of the sources of a partition, by its name.

    Returns:
        Partitions whose modules and file names mean one thing each, and the files they refer to.
    """
    known = outlines or {}
    units = [_units(partition, files, known.get(partition.name, {})) for partition in partitions]
    versions: dict[str, dict[str, str]] = defaultdict(dict)
    for name in _our_modules():
        versions[name] = {"ours": name}
    for partition, own in zip(partitions, units, strict=True):
        _set_versions(own)
        for unit in own:
            for name in unit.names:
                taken = versions[name]
                taken.setdefault(unit.version, _new_name(name, partition.name) if taken else name)
    result = _Result(files)
    renamed = [_renamed(*pair, versions, result) for pair in zip(partitions, units, strict=True)]
    return tuple(renamed), result.files


def _our_modules() -> tuple[str, ...]:
    """Names of the modules that stand around the partitions; users' libraries have an axis_fifo too."""
    parts = (name for name in vendor_models() if name.startswith("vendor_"))  # of models of Vivado's modules
    return (*known_blocks(), *sim_models(), *parts, "bench_top")


def _units(partition: Partition, files: dict[str, bytes], known: Outlines) -> list[_Unit]:
    found = texts(partition, files)
    return [_Unit(entry, found.get(entry.name), known.get(entry.sha256)) for entry in partition.sources]


def _new_name(name: str, partition: str) -> str:
    stem, dot, suffix = name.partition(".")
    return f"{stem}__{partition}{dot}{suffix}"


def _set_versions(units: list[_Unit]) -> None:
    """Hash every file with all that it refers to within the partition: by the hashes of those, each once."""
    maker = {name: number for number, unit in enumerate(units) for name in unit.names}
    uses = [sorted({maker[name] for name in unit.needs if name in maker}) for unit in units]
    for group in _groups(uses):  # files that refer to each other have all in common
        inside = sorted(f"{units[number].entry.sha256} {units[number].entry.kind}" for number in group)
        beyond = {one for number in group for one in uses[number]}.difference(group)
        text = "\n".join([*inside, "", *sorted(units[number].version for number in beyond)])
        for number in group:
            unit = units[number]
            unit.version = hashlib.sha256(f"{unit.entry.sha256}\n{text}".encode()).hexdigest()


def _groups(uses: list[list[int]]) -> Iterator[list[int]]:
    """Yield the strongly connected components of a graph, each after those that it refers to.

    Source: R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972), without
    recursion, since a chain of modules may be thousands long.
    """
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    held: list[int] = []
    inside: set[int] = set()
    for root in range(len(uses)):
        pending = [(root, iter(uses[root]))] if root not in order else []
        while pending:
            at, left = pending[-1]
            if at not in order:
                order[at] = low[at] = len(order)
                held.append(at)
                inside.add(at)
            following = next((one for one in left if one not in order or one in inside), None)
            if following is None:
                pending.pop()
                if pending:
                    low[pending[-1][0]] = min(low[pending[-1][0]], low[at])
                if low[at] == order[at]:
                    group = [held.pop()]
                    while group[-1] != at:
                        group.append(held.pop())
                    inside.difference_update(group)
                    yield group
            elif following in order:
                low[at] = min(low[at], order[following])
            else:
                pending.append((following, iter(uses[following])))


class _Result:
    """Files after renaming: a name has one content, and a source's content has one name."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.before = files
        self.files: dict[str, bytes] = {}
        self._content_of: dict[str, str] = {}
        self._name_of: dict[str, str] = {}

    def add(self, entry: SourceFile, name: str, content: bytes, partition: str) -> SourceFile:
        """Take a file over; equal sources get one name, else their modules would come twice."""
        sha256 = hashlib.sha256(content).hexdigest()
        if entry.kind in {"verilog", "systemverilog"}:
            name = self._name_of.get(sha256, name)
        if self._content_of.setdefault(name, sha256) != sha256:
            name = _new_name(name, partition)
            self._content_of[name] = sha256
        self._name_of.setdefault(sha256, name)
        self.files[sha256] = content
        return entry.model_copy(update={"name": name, "sha256": sha256})


def _renamed(
    partition: Partition, units: list[_Unit], versions: dict[str, dict[str, str]], result: _Result
) -> Partition:
    names = {name: versions[name][unit.version] for unit in units for name in unit.names}
    changed = {name: new for name, new in names.items() if new != name}
    headers = {name: new for name, new in changed.items() if "." in name}
    sources = []
    for unit in units:
        content = result.before[unit.entry.sha256]
        if unit.verilog and not (unit.names | unit.needs).isdisjoint(changed):
            content = encoded(unit.verilog.renamed(changed, headers))
        name = changed.get(unit.entry.name, unit.entry.name)
        sources.append(result.add(unit.entry, name, content, partition.name))
    top = changed.get(partition.top, partition.top)
    return partition.model_copy(update={"top": top, "sources": tuple(dict.fromkeys(sources))})
