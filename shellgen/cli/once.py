# SPDX-License-Identifier: BSD-3-Clause
"""Answers of commands that are kept, as long as all that they followed from is as it was.

A kept answer needs none of the packages that plan: they take longer to import than the rest of the command.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shellgen.cache.folders import digest
from shellgen.cache.heard import heard, say_again
from shellgen.cache.loads import Kept, find, keep
from shellgen.cache.own import has_plugins, own, surroundings
from shellgen.model import Artifact
from shellgen.progress import step
from shellgen.table import terminal_width
from vivado_check.formats.looks import recording

if TYPE_CHECKING:
    from shellgen.model.base import Json


@dataclass(frozen=True)
class Made:
    """All that an answer needs.

    Attributes:
        told: Texts and numbers, a JSON document.
        files: Files that the command writes.
    """

    told: dict[str, Any]
    files: tuple[Artifact, ...] = ()


def once(name: str, asked: Sequence[str], make: Callable[[], Made]) -> Made:
    """Return what an answer needs from the cache, with its warnings, or make it.

    Args:
        name: Of the command.
        asked: Arguments that decide it; terminal, current folder and environment are known.
        make: Makes it.
    """
    if has_plugins():
        return make()
    key = digest(["answer", name, *asked, str(terminal_width()), *surroundings(), *own()])
    if (kept := find(key)) and (found := _restored(kept)):
        step("planning", "as before")
        return found
    with recording() as looks, heard() as said:
        made = make()
    if record := looks.record():
        files = {one.sha256: one.content for one in made.files}
        listed = [[one.path, one.sha256, one.fixes] for one in made.files]
        document: Json = {"said": said, "told": made.told, "files": listed}
        keep(key, record, Kept(b"", files, json.dumps(document)))
    return made


def _restored(kept: Kept) -> Made | None:
    """Return what was kept, and say again what was said; None if this is no such entry."""
    with suppress(ValueError, KeyError, TypeError):
        document = json.loads(kept.told)
        files = tuple(
            Artifact(path, kept.files[sha256], tuple(fixes)) for path, sha256, fixes in document["files"]
        )
        made = Made(document["told"], files)
        say_again(document["said"])
        return made
    return None
