# SPDX-License-Identifier: BSD-3-Clause
"""Modules that a partition instantiates and no source of it defines: Vivado's own, or lost files."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping

from shellgen.model import MissingModule, Partition
from shellgen.read.verilog import Verilog, decoded
from shellgen.resources import vendor_models

_LOG = logging.getLogger(__name__)


def with_missing(partitions: tuple[Partition, ...], files: Mapping[str, bytes]) -> tuple[Partition, ...]:
    """Return the partitions with the modules that they lack; warn of those that nobody will find.

    Args:
        partitions: With the names that their modules have in the end; what one defines, all have.
        files: Content by sha256.
    """
    texts = [_texts(partition, files) for partition in partitions]
    defined = {name for own in texts for verilog in own.values() for name in verilog.defined}
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


def _texts(partition: Partition, files: Mapping[str, bytes]) -> dict[str, Verilog]:
    texts = {
        source.name: decoded(files[source.sha256])
        for source in partition.sources
        if source.kind in ("verilog", "systemverilog", "header")
    }
    return {
        source.name: Verilog(texts[source.name], source.name, texts)
        for source in partition.sources
        if source.kind in ("verilog", "systemverilog")
    }


def missing_modules(top: str, texts: Mapping[str, Verilog]) -> Iterator[MissingModule]:
    """Yield each module once that is instantiated below ``top`` and defined nowhere.

    The simulator decides which branches of a ``generate`` or an ``ifdef`` are used, so a module in a branch
    is not certain to be needed.
    """
    owner = {name: file for file, verilog in texts.items() for name in verilog.defined}
    seen: dict[str, bool] = {}
    lost: dict[str, MissingModule] = {}
    pending = [(top, True)]
    while pending:
        name, certain = pending.pop(0)
        known = seen.get(name)
        if name not in owner or known or known == certain:
            continue
        seen[name] = certain
        verilog = texts[owner[name]]
        for use in verilog.instances(name):
            sure = certain and use.certain
            if use.name in owner:
                pending.append((use.name, sure))
            elif use.name not in lost or (sure and not lost[use.name].certain):
                line = verilog.line(use.start)
                lost[use.name] = MissingModule(module=use.name, file=owner[name], line=line, certain=sure)
    yield from (lost[name] for name in sorted(lost))
