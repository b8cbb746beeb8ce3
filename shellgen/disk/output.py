# SPDX-License-Identifier: BSD-3-Clause
"""Writes the output of ``emit`` atomically: a failure or a kill leaves earlier output unchanged."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shellgen.disk.changes import WORK, changing, settle
from shellgen.disk.files import write_whole
from shellgen.disk.in_use import LOCK
from shellgen.disk.manifest import MANIFEST, is_entry_name, link_before, sha256_of
from shellgen.errors import InputError, Problem
from shellgen.model import Artifact
from shellgen.progress import step
from vivado_check.formats.data import read_json
from vivado_check.formats.files import StrPath

_SHA256 = re.compile(r"[0-9a-f]{64}")
FIXES = "fixes"  # the only key of a manifest that is not a path
PLAN = "plan.json"
_NAMED = 20  # edited files in one message


@dataclass(frozen=True)
class Written:
    """Changes on disk.

    Attributes:
        changed: Number of written files.
        unchanged: Number of unchanged files.
        removed: Paths of an earlier run that are not generated any more.
        overwritten: Paths of overwritten edited files.
        replaced: Name of another cluster, if the folder held the output of one.
    """

    changed: int
    unchanged: int
    removed: tuple[str, ...]
    overwritten: tuple[str, ...] = ()
    replaced: str = ""


def manifest(artifacts: tuple[Artifact, ...], others: Mapping[str, str] | None = None) -> Artifact:
    """Return ``manifest.json``: path and sha256 of every artifact and of other kept files, sorted.

    Fixed files of the user's build are also listed under ``fixes``, with the reasons.
    """
    files = {**(others or {}), **{artifact.path: artifact.sha256 for artifact in artifacts}}
    fixes = {artifact.path: artifact.fixes for artifact in artifacts if artifact.fixes}
    last = {FIXES: dict(sorted(fixes.items()))} if fixes else {}
    return Artifact.text(MANIFEST, json.dumps({**dict(sorted(files.items())), **last}, indent=1) + "\n")


def write(
    artifacts: tuple[Artifact, ...], out: StrPath, *, keep: bool = False, force: bool = False
) -> Written:
    """Write an output folder.

    A file whose bytes did not change keeps its time stamp, so that Vivado and make do not rebuild. Files
    that an earlier run wrote and this one does not are removed; anything else in ``out`` (such as a Vivado
    project, or a file of that name with other content) is kept.

    Args:
        artifacts: Files to write; the manifest is added.
        out: Output folder: missing, empty, or from an earlier run.
        keep: Whether to keep the earlier run's other files and their manifest entries.
        force: Whether to overwrite edited files.

    Raises:
        InputError: ``out`` cannot be written, contains foreign files or the output of another command, or
            files of the earlier run were edited.
    """
    out = Path(out)
    try:
        settle(out)
        _earlier(out)  # a foreign folder is not even opened for writing
        with changing(out) as changes:
            before = _earlier(out)
            _check_kind(out, before, artifacts)
            artifacts = (*artifacts, manifest(artifacts, before if keep else {}))
            step("writing", f"{len(artifacts)} files")
            if before or (out / MANIFEST).exists():
                changed = [a for a in artifacts if not _same(out / a.path, a.content)]
                paths = {artifact.path for artifact in artifacts}
                stale = [] if keep else sorted(path for path in before if path not in paths)
                removed = [path for path in stale if sha256_of(out / path) == before[path]]
                _check_target(out, changed)
                edited = _edited(out, changed, before)
                if edited and not force:
                    raise _edited_error(out, edited)
            else:  # an empty folder, so there is nothing to look for
                changed, removed, edited = list(artifacts), [], []
            for path in removed:
                changes.remove(path)
            for artifact in changed:
                changes.write(artifact.path, artifact.content)
    except OSError as error:
        found = f"cannot be written ({error.strerror or error})"
        raise InputError(Problem(f"{out}: output folder", found, "Choose another with -o")) from None
    return Written(len(changed), len(artifacts) - len(changed), tuple(removed), tuple(edited))


def write_file(path: Path, text: str, *, force: bool = False) -> None:
    """Write one file that belongs to the user afterwards.

    Raises:
        InputError: It exists already, and ``force`` is not set.
    """
    try:
        write_whole(path, text.encode(), replace=force)
    except FileExistsError:
        remedy = "Choose another with -o, or add --force"
        raise InputError(Problem(str(path), "it already exists", remedy)) from None


def _edited(out: Path, changed: list[Artifact], before: Mapping[str, str]) -> list[str]:
    """Return the files to write whose current content is not that of the earlier run.

    A file of that name that is in no manifest counts as edited, too.
    """
    there = [a.path for a in changed if a.path != MANIFEST and os.path.lexists(out / a.path)]
    return [path for path in there if sha256_of(out / path) != before.get(path)]


def _edited_error(out: Path, edited: list[str]) -> InputError:
    remedy = "Keep a copy of what you need, and add --force to overwrite them"
    found = "it was edited since it was generated, and would be overwritten"
    problems = [Problem(str(out / path), found, remedy) for path in edited[:_NAMED]]
    if rest := edited[_NAMED:]:
        problems.append(Problem(str(out), f"{len(rest)} more generated files were edited", remedy))
    return InputError(*problems)


def _earlier(out: Path) -> dict[str, str]:
    """Return path and sha256 of the files of an earlier run; refuse a folder with foreign content."""
    if not out.exists():
        return {}
    if not out.is_dir():
        raise InputError(Problem(f"{out}: output folder", "it is a file", "Choose another with -o"))
    path = out / MANIFEST
    if not path.exists():
        if any(inside.name not in (WORK, LOCK) for inside in out.iterdir()):
            found = f"it is not empty and has no {MANIFEST}, so shellgen did not make it"
            raise InputError(Problem(f"{out}: output folder", found, "Choose a new folder with -o"))
        return {}
    remedy = "Remove that folder, or choose another with -o"
    try:
        entries = read_json(path, str(path), remedy)
    except InputError:
        entries = None
    if isinstance(entries, dict):
        entries.pop(FIXES, None)
    if not isinstance(entries, dict) or not all(_is_inside(key, entries[key]) for key in entries):
        raise InputError(Problem(str(path), "it is not a manifest of shellgen", remedy))
    linked = {path: folder for path in entries if (folder := link_before(out, path))}
    if linked:
        found = "it is a symbolic link, and nothing is written or removed behind one"
        raise InputError(*(Problem(str(folder), found, remedy) for folder in dict.fromkeys(linked.values())))
    return entries


def _check_kind(out: Path, before: Mapping[str, str], artifacts: tuple[Artifact, ...]) -> None:
    """Refuse to replace a cluster by packed weights, or weights by a cluster, since -o was probably mistyped.

    Only the output of a cluster has a plan.
    """
    planned = any(artifact.path == PLAN for artifact in artifacts)
    if before and planned != (PLAN in before):
        kind = "packed weights" if planned else "a generated cluster"
        found = f"it holds {kind}, which would be removed"
        raise InputError(Problem(f"{out}: output folder", found, "Choose another with -o, or remove it"))


def _is_inside(path: str, sha256: object) -> bool:
    """Return whether an entry can be a generated file; an entry must never cause a removal outside."""
    return is_entry_name(path) and isinstance(sha256, str) and bool(_SHA256.fullmatch(sha256))


def _same(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


def _check_target(out: Path, changed: list[Artifact]) -> None:
    """Check before writing that the target accepts every file."""
    folders = _folders(changed)
    wrong = {path: "a folder" for a in changed if (path := out / a.path).is_dir()}
    wrong |= {path: "a file" for folder in folders if (path := out / folder).is_file()}
    wrong |= {path: "a link" for folder in folders if (path := out / folder).is_symlink()}
    if wrong:
        remedy = "Remove it, or choose another with -o"
        raise InputError(
            *(
                Problem(f"{path}: output folder", f"{what} is in the way of generated files", remedy)
                for path, what in wrong.items()
            )
        )


def _folders(artifacts: list[Artifact]) -> list[str]:
    """Return all parent folders of these files, outer ones first."""
    found: set[str] = set()
    for artifact in artifacts:
        folder = artifact.path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return sorted(found)
