# SPDX-License-Identifier: BSD-3-Clause
"""Comparison of generated files with their digests in ``manifest.json``."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shellgen.errors import InputError, Problem
from shellgen.model.file_names import is_file_name
from vivado_check.formats.data import read_json
from vivado_check.formats.files import NoPlainFileError, StrPath, open_file

MANIFEST = "manifest.json"
_PLAN = "plan.json"
_RENEW = "Generate the folder again"
GENERATE_FIRST = "Run `shellgen generate cluster.toml -o <folder>` first and give that folder"
_SPLIT = "split.json"  # of `shellgen split`, and of `shellgen make` beside what it generates
_BELOW = "generated"  # where `shellgen make` and FINN's step let it be written


def is_output(folder: Path) -> bool:
    """Tell whether `shellgen generate` has written a folder."""
    return (folder / MANIFEST).is_file() and (folder / _PLAN).is_file()


@dataclass(frozen=True)
class Differing:
    """Files that differ from the generated ones.

    Attributes:
        edited: Files with other content, or that are not regular files any more.
        missing: Missing files.
    """

    edited: tuple[str, ...]
    missing: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.edited or self.missing)


def not_generated(out: Path, path: Path) -> Problem:
    """Return the problem that a folder lacks a file which `shellgen generate` writes."""
    if out.is_file():
        return Problem(str(out), "it is a file, and a generated folder is needed", GENERATE_FIRST)
    below = out / _BELOW
    wrote = (below / MANIFEST).is_file()
    if (out / _SPLIT).is_file() and not wrote:
        found = "it is a folder of `shellgen split`, which generates nothing"
        remedy = f"Make the build as the last line of `split` says, and give {out / 'cluster.toml'}"
        return Problem(str(out), found, remedy)
    remedy = f"The generated folder is {below}: give that one" if wrote else GENERATE_FIRST
    return Problem(str(path), "the file is missing", remedy)


def differing(out: Path, entries: Mapping[str, str]) -> Differing:
    """Compare files with their digests.

    Args:
        out: Output folder.
        entries: Path and sha256 of each file.

    Raises:
        OSError: A file cannot be read.
    """
    found = {path: sha256_of(out / path) for path in entries if os.path.lexists(out / path)}
    edited = tuple(path for path in sorted(found) if found[path] != entries[path])
    return Differing(edited, tuple(sorted(set(entries) - set(found))))


def sha256_of(path: Path) -> str:
    """Return the digest of a regular file, an empty text for anything else.

    Raises:
        OSError: The file cannot be read.
    """
    try:
        with open_file(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (NoPlainFileError, FileNotFoundError):  # the latter is a dangling symbolic link
        return ""


def is_entry_name(path: str) -> bool:
    """Return whether a path can belong to a generated file: it must not lead out of the folder."""
    return all(is_file_name(part) for part in path.split("/"))


def link_before(out: Path, path: str) -> Path | None:
    """Return the folder below ``out`` that is a symbolic link and leads a path outside."""
    folder = out
    for part in path.split("/")[:-1]:
        folder = folder / part
        if folder.is_symlink():
            return folder
    return None


def read_manifest(out: StrPath) -> dict[str, str]:
    """Return path and sha256 of every generated file of an output folder.

    Raises:
        InputError: The folder has no manifest, or not one of this version.
    """
    path = Path(out) / MANIFEST
    if not path.is_file():
        raise InputError(not_generated(Path(out), path))
    found = read_json(path, str(path), GENERATE_FIRST, _RENEW)
    if not isinstance(found, dict):
        raise InputError(Problem(str(path), "it is not a manifest of shellgen", _RENEW))
    files = {name: sha256 for name, sha256 in found.items() if isinstance(sha256, str)}
    if len(found) - len(files) > 1 or not all(map(is_file_name, "/".join(files).split("/"))):
        raise InputError(Problem(str(path), "it is not a manifest of shellgen", _RENEW))
    return files
