# SPDX-License-Identifier: BSD-3-Clause
"""Modules that a partition instantiates and no source of it defines: Vivado's own, or lost files."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from shellgen.model import MissingModule, Partition
from shellgen.read.outline import Instance, Outline, Outlines
from shellgen.read.verilog import Verilog, decoded
from shellgen.resources import vendor_models
from vivado_check.syntax import Use

_LOG = logging.getLogger(__name__)


class _Asked(Protocol):
    """A source: `shellgen.read.verilog.Verilog`, or the outline of one."""

    @property
    def defined(self) -> Iterable[str]: ...

    def instances(self, unit: str) -> Sequence[Use | Instance]: ...

    def line(self, start: int) -> int: ...


@dataclass(frozen=True)
class _Told:
    """A source whose outline is known, so that nothing is parsed; see `_Asked`."""

    outline: Outline
    content: bytes
    where: str

    @property
    def defined(self) -> tuple[str, ...]:
        return self.outline.defined

    def instances(self, unit: str) -> Sequence[Instance]:
        return self.outline.instances(unit)

    def line(self, start: int) -> int:
        return Verilog(decoded(self.content), self.where).line(start)


def with_missing(
    partitions: tuple[Partition, ...],
    files: Mapping[str, bytes],
    outlines: Mapping[str, Outlines] | None = None,
) -> tuple[Partition, ...]:
    """Return the partitions with the modules that they lack; warn of those that nobody will find.

    Args:
        partitions: With the names that their modules have in the end; what one defines, all have.
        files: Content by sha256.
        outlines: What is known of the sources of a partition, if these are all of its sources.
    """
    known = outlines or {}
    texts = [_texts(partition, files, known.get(partition.name, {})) for partition in partitions]
    defined = {name for own in texts for source in own.values() for name in source.defined}
    models = vendor_models()
    result = []
    for partition, own in zip(partitions, texts, strict=True):
        lost = tuple(entry for entry in missing_modules(partition.top, own) if entry.module not in defined)
        for entry in lost:
            if entry.certain and entry.module not in models and not partition.black_box:
                _LOG.warning(
                    "%s: %s:%d instantiates %s, which no source of the build defines, so no bench can run it",
                    partition.name,
                    entry.file,
                    entry.line,
                    entry.module,
                )
        result.append(partition.model_copy(update={"missing": lost}))
    return tuple(result)


def _texts(partition: Partition, files: Mapping[str, bytes], known: Outlines) -> Mapping[str, _Asked]:
    asked = [source for source in partition.sources if source.kind in ("verilog", "systemverilog")]
    if all(source.sha256 in known for source in partition.sources if source.kind not in ("data", "netlist")):
        return {
            source.name: _Told(known[source.sha256], files[source.sha256], source.name) for source in asked
        }
    texts = {
        source.name: decoded(files[source.sha256])
        for source in partition.sources
        if source.kind in ("verilog", "systemverilog", "header")
    }
    return {source.name: Verilog(texts[source.name], source.name, texts) for source in asked}


def missing_modules(top: str, texts: Mapping[str, _Asked]) -> Iterator[MissingModule]:
    """Yield each module once that is instantiated below ``top`` and defined nowhere.

    The simulator decides which branches of a ``generate`` or an ``ifdef`` are used, so a module in a branch
    is not certain to be needed.
    """
    owner = {name: file for file, source in texts.items() for name in source.defined}
    seen: dict[str, bool] = {}
    lost: dict[str, MissingModule] = {}
    pending = [(top, True)]
    while pending:
        name, certain = pending.pop(0)
        known = seen.get(name)
        if name not in owner or known or known == certain:
            continue
        seen[name] = certain
        source = texts[owner[name]]
        for use in source.instances(name):
            sure = certain and use.certain
            if use.name in owner:
                pending.append((use.name, sure))
            elif use.name not in lost or (sure and not lost[use.name].certain):
                line = source.line(use.start)
                lost[use.name] = MissingModule(module=use.name, file=owner[name], line=line, certain=sure)
    yield from (lost[name] for name in sorted(lost))
