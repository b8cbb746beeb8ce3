# SPDX-License-Identifier: BSD-3-Clause
"""Partitions that are read once: what was read of one is kept until something of it changes.

A build has as many partitions as boards, and an edit of one, or of cluster.toml, leaves the others as they
were. An error is never kept, nor is anything that was read after one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from shellgen.cache import digest
from shellgen.cache.heard import heard, say_again
from shellgen.cache.reads import Reads
from shellgen.errors import InputError, Problem
from shellgen.model import Partition, StreamPort, StreamSpec
from shellgen.model.base import Frozen
from shellgen.read.outline import Outline, outlines
from shellgen.read.partition import Read
from shellgen.read.top import Found
from shellgen.read.tree import LayerFolders
from vivado_check.formats.looks import recording


class _Told(Frozen):
    """A `Read` without the contents of its files, and the warnings of reading it, with their loggers."""

    partition: Partition
    unknown: tuple[StreamPort, ...]
    outlines: dict[str, Outline]
    said: tuple[tuple[str, str], ...]


_Reader = Callable[[Found, Sequence[StreamSpec], list[Problem], LayerFolders], Read | None]


def kept_read(  # noqa: PLR0913 - what reading takes, and where it is kept
    kept: Reads,
    found: Found,
    streams: Sequence[StreamSpec],
    problems: list[Problem],
    layers: LayerFolders,
    read: _Reader,
) -> Read | None:
    """Return what was read of a partition, or read it.

    Args:
        kept: What is kept of its build.
        found: The partition.
        streams: Ports described in cluster.toml.
        problems: Empty; receives every reason why it cannot be used.
        layers: Folders of layers of the build.
        read: Reads it.
    """
    key = _key(found, streams, layers)
    if known := kept.find(found.name, key):
        with suppress(ValueError):
            told = _Told.model_validate_json(known[0])
            say_again(told.said)
            return Read(told.partition, known[1], told.unknown, told.outlines)
    before = [found.model.path] if found.model else []
    with recording(*before) as looks, heard() as said:
        made = read(found, streams, problems, layers)
    record = looks.record() if made and not problems else None
    if made and record:
        with suppress(InputError, ValueError):  # the second: a name that is no UTF-8
            sources = outlines(made.partition, made.files)
            told = _Told(partition=made.partition, unknown=made.unknown, outlines=sources, said=tuple(said))
            kept.keep(found.name, key, record, told.model_dump_json(), made.files)
            return replace(made, outlines=sources)
    return made


def _key(found: Found, streams: Sequence[StreamSpec], layers: LayerFolders) -> str:
    """Return a digest of all that decides what is read of a partition, and that the record does not tell."""
    own = [one.model_dump_json() for one in streams if one.port.partition(".")[0] == found.name]
    model = str(found.model.path) if found.model else ""
    return digest([str(found.folder), found.origin, model, layers.told(found.folder), *own])
