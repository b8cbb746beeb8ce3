# SPDX-License-Identifier: BSD-3-Clause
"""Builds and surveys that FINN made of models, kept from one run to the next: FINN takes seconds to start."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shellgen.cache import default_cache_dir, digest, once
from shellgen.disk.files import stamp
from shellgen.errors import InputError, one
from shellgen.resources import data_dir
from vivado_check.formats.data import read_json
from vivado_check.formats.files import file_bytes

# A parent names children in files of their own, and weights may lie beside a model: then a digest of the
# model's own file tells nothing.
ELSEWHERE = (b"StreamingDataflowPartition", b"location")
_BUILD, _TOLD = "build", "told.json"


@dataclass(frozen=True)
class Job:
    """All that decides a build.

    Attributes:
        python: Of FINN's environment.
        model: The model's file.
        settings: All else that the worker is given, and names of files in its notes, as text.
        vectors: Inputs of the model, if any.
    """

    python: Path
    model: Path
    settings: str
    vectors: Path | None


@dataclass(frozen=True)
class Build:
    """A build, ready to be copied.

    Attributes:
        folder: Its files.
        partitions: Names of its partitions, in network order.
        notes: What is legal and should be known.
    """

    folder: Path
    partitions: list[str]
    notes: list[str]


@contextmanager
def build_of(job: Job, make: Callable[[Path], tuple[list[str], list[str]]]) -> Iterator[Build]:
    """Give a build, made unless an equal one is kept.

    Args:
        job: Decides what it is.
        make: Fills a folder; returns names of partitions, and notes.
    """

    def made(folder: Path) -> None:
        (folder / _BUILD).mkdir()
        partitions, notes = make(folder / _BUILD)
        (folder / _TOLD).write_text(json.dumps({"partitions": partitions, "notes": notes}))

    files = (job.model, *([job.vectors] if job.vectors else []))
    with kept("stitched", job.python, (job.settings,), files, made) as folder:
        yield _read(folder)


@contextmanager
def kept(
    kind: str, python: Path, said: Sequence[str], files: Sequence[Path], make: Callable[[Path], None]
) -> Iterator[Path]:
    """Give a folder that FINN fills, made unless one of equal origin is kept.

    Args:
        kind: Folder in the cache.
        python: Of FINN's environment.
        said: What decides the content besides the files.
        files: What FINN reads, the model first; nothing is kept of a model that names other files.
        make: Fills the folder.

    Raises:
        InputError: A file was changed while FINN read it: what was made may be of neither content.
    """
    before = [stamp(path) for path in files]
    contents = [file_bytes(path) for path in files]

    def made(folder: Path) -> None:
        make(folder)
        for path, was in zip(files, before, strict=True):
            if stamp(path) != was:
                remedy = "Run the command again"
                raise one(InputError, str(path), "it was changed while FINN read it", remedy)

    if not is_whole(contents[0]):
        with tempfile.TemporaryDirectory(prefix="shellgen_finn_") as folder:
            made(Path(folder))
            yield Path(folder)
    else:
        origin = (code(), str(python), *installed(python), *map(str, files), *said)
        yield once(default_cache_dir() / kind / digest([*origin, *contents]), made).folder


def is_whole(content: bytes) -> bool:
    """Tell whether a model has all that it is made of in its own file."""
    return not any(mark in content for mark in ELSEWHERE)


def _read(folder: Path) -> Build:
    told = read_json(folder / _TOLD, _TOLD, "")
    return Build(folder / _BUILD, list(map(str, told["partitions"])), list(map(str, told["notes"])))


def installed(python: Path) -> list[str]:
    """Return the packages of an environment, each with its release."""
    packages = python.parent.parent.glob("lib/python3*/site-packages/*.dist-info")
    return sorted(path.name for path in packages)


@cache
def code() -> str:
    """Return a digest of what turns a model into files: another release may make others."""
    package = Path(__file__).resolve().parents[1]
    found = [*package.rglob("*.py"), *data_dir("ip").rglob("*.sv"), *data_dir("templates").rglob("*.j2")]
    return digest(part for path in sorted(found) for part in (path.name, path.read_bytes()))
