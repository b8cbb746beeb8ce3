# SPDX-License-Identifier: BSD-3-Clause
"""Compiled templates, kept on disk: compiling them takes longer than generating two boards."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from jinja2.bccache import Bucket, BytecodeCache

from shellgen.cache.folders import default_cache_dir, digest
from shellgen.cache.sealed_file import sealed_bytes, write_sealed


class _Templates(BytecodeCache):
    """A file for each template.

    One that cannot be read, was damaged or belongs to another template saves nothing, and is no error. Jinja
    itself compares the template's text only, and would run whatever code the file has.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError, ValueError):
            bucket.bytecode_from_string(sealed_bytes(self._folder / bucket.key))

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            write_sealed(self._folder / bucket.key, bucket.bytecode_to_string())


def compiled(filters: Iterable[Path]) -> BytecodeCache | None:
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
    return _Templates(folder)
