# SPDX-License-Identifier: BSD-3-Clause
"""Compiled templates, kept on disk: compiling them takes longer than generating two boards."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from jinja2.bccache import Bucket, FileSystemBytecodeCache

from shellgen.cache.folders import default_cache_dir, digest


class _Templates(FileSystemBytecodeCache):
    """Jinja's cache in a folder; one that cannot be read or written saves nothing, and is no error."""

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            super().load_bytecode(bucket)
        except (OSError, EOFError, ValueError, TypeError):  # the last three: a truncated or damaged file
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        try:
            super().dump_bytecode(bucket)
        except OSError:
            return


def compiled(filters: Iterable[Path]) -> FileSystemBytecodeCache | None:
    """Return the cache of compiled templates, or none if there is no place for it.

    Args:
        filters: Sources of what templates call: Jinja computes a filter of a constant when it compiles, and
            compares the text of the template only.
    """
    key = digest([version("jinja2"), *(path.read_bytes() for path in filters)])
    folder = default_cache_dir() / "templates" / key
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return _Templates(str(folder))
