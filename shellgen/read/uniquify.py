# SPDX-License-Identifier: BSD-3-Clause
"""Making module and file names unique over all partitions, so that they can share one simulation.

Every FINN build calls its top ``finn_design_wrapper``. A file is shared if two partitions have the same
bytes and mean the same by every name in it; otherwise what it defines is renamed, by whole words and
only where a module name stands, in the partition that came later.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict

from shellgen.model import Partition, SourceFile
from shellgen.read.verilog import Verilog


class _Unit:
    """One source file of one partition, with what it defines and which other files it depends on."""

    def __init__(self, entry: SourceFile, content: bytes) -> None:
        self.entry = entry
        self.content = content
        self.verilog = Verilog(content.decode("utf-8", "replace"))
        self.version = ""

    @property
    def names(self) -> frozenset[str]:
        """Global names that the file defines: modules, or its own name for a header."""
        if self.entry.kind == "data":
            return frozenset()
        return frozenset({self.entry.name}) if self.entry.kind == "header" else self.verilog.defined

    @property
    def needs(self) -> frozenset[str]:
        """Names that the file refers to, whoever defines them."""
        if self.entry.kind == "data":
            return frozenset()
        headers = {token.text[1:-1].rsplit("/", 1)[-1] for token in self.verilog.includes}
        return self.verilog.used | headers


def uniquify(
    partitions: tuple[Partition, ...], files: dict[str, bytes]
) -> tuple[tuple[Partition, ...], dict[str, bytes]]:
    """Rename what collides.

    Args:
        partitions: In network order; the first user of a name keeps it.
        files: Content by sha256.

    Returns:
        Partitions whose modules and file names mean one thing each, and the files they refer to.
    """
    if len(partitions) == 1:
        return partitions, files  # reading has made them unique already
    cache: dict[tuple[str, str], _Unit] = {}
    units = []
    for partition in partitions:
        own = []
        for entry in partition.sources:
            cache.setdefault((entry.sha256, entry.kind), _Unit(entry, files[entry.sha256]))
            unit = _Unit.__new__(_Unit)
            unit.__dict__.update(cache[(entry.sha256, entry.kind)].__dict__, entry=entry)
            own.append(unit)
        _set_versions(own)
        units.append(own)
    versions: dict[str, dict[str, str]] = defaultdict(dict)
    for partition, own in zip(partitions, units, strict=True):
        for unit in own:
            for name in sorted(unit.names):
                known = versions[name]
                known.setdefault(unit.version, _new_name(name, partition.name) if known else name)
    out: dict[str, bytes] = {}
    taken: dict[str, str] = {}
    renamed = [
        _renamed(partition, own, versions, out, taken)
        for partition, own in zip(partitions, units, strict=True)
    ]
    return tuple(renamed), out


def _new_name(name: str, partition: str) -> str:
    stem, dot, suffix = name.partition(".")
    return f"{stem}__{partition}{dot}{suffix}"


def _set_versions(units: list[_Unit]) -> None:
    """Give every file a hash of its bytes and of all that it refers to within the partition."""
    maker = {name: unit for unit in units for name in unit.names}
    for unit in units:
        seen: dict[int, _Unit] = {}
        pending = [unit]
        while pending:
            current = pending.pop()
            if id(current) not in seen:
                seen[id(current)] = current
                pending += [maker[name] for name in current.needs if name in maker]
        text = "\n".join(sorted(f"{other.entry.sha256} {other.entry.kind}" for other in seen.values()))
        unit.version = hashlib.sha256(f"{unit.entry.sha256}\n{text}".encode()).hexdigest()


def _renamed(
    partition: Partition,
    units: list[_Unit],
    versions: dict[str, dict[str, str]],
    out: dict[str, bytes],
    taken: dict[str, str],
) -> Partition:
    names = {name: versions[name][unit.version] for unit in units for name in unit.names}
    changed = {name: new for name, new in names.items() if new != name}
    headers = {name: new for name, new in changed.items() if "." in name}
    sources = []
    for unit in units:
        content = unit.content
        if unit.entry.kind != "data" and (unit.names | unit.needs) & set(changed):
            content = unit.verilog.renamed(changed, headers).encode()
        sha256 = hashlib.sha256(content).hexdigest()
        name = changed.get(unit.entry.name, unit.entry.name)
        if taken.setdefault(name, sha256) != sha256:
            name = _new_name(unit.entry.name, partition.name)
            taken[name] = sha256
        out[sha256] = content
        sources.append(SourceFile(name=name, kind=unit.entry.kind, sha256=sha256))
    top = changed.get(partition.top, partition.top)
    return partition.model_copy(update={"top": top, "sources": tuple(sources)})
