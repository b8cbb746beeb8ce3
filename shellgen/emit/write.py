# SPDX-License-Identifier: BSD-3-Clause
"""The only file of ``emit`` that writes. All or nothing: a failure leaves earlier output untouched."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shellgen.errors import InputError, Problem
from shellgen.formats.data import read_json
from shellgen.model import Artifact
from shellgen.model.names import is_file_name
from shellgen.progress import step

MANIFEST = "manifest.json"
_SHA256 = re.compile(r"[0-9a-f]{64}")
MENDED = "mended"  # the one key of a manifest that is no path


@dataclass(frozen=True)
class Written:
    """What changed on disk: counts, and the paths of an earlier run that are produced no longer."""

    changed: int
    unchanged: int
    removed: tuple[str, ...]


def manifest(artifacts: tuple[Artifact, ...], others: Mapping[str, str] | None = None) -> Artifact:
    """Return ``manifest.json``: path and sha256 of every artifact, and of others that stay, sorted.

    Files of the user's build that were mended are listed once more under ``mended``, with the reasons.
    """
    files = dict(others or {})
    files |= {artifact.path: hashlib.sha256(artifact.content).hexdigest() for artifact in artifacts}
    mended = {artifact.path: artifact.mended for artifact in artifacts if artifact.mended}
    last = {MENDED: dict(sorted(mended.items()))} if mended else {}
    return Artifact.text(MANIFEST, json.dumps({**dict(sorted(files.items())), **last}, indent=1) + "\n")


def write(artifacts: tuple[Artifact, ...], out: Path, *, keep: bool = False) -> Written:
    """Write into a staging folder, then rename file by file.

    A file whose bytes did not change keeps its time stamp, so that Vivado and make do not rebuild. Files
    that an earlier run wrote and this one does not are removed; anything else in ``out`` (a Vivado
    project, say, or a file of that name with other content) is left alone.

    Args:
        artifacts: What to write; the manifest is added.
        out: Missing, empty, or a folder that an earlier run wrote.
        keep: Leave the earlier run's other files, and their manifest entries.

    Raises:
        InputError: ``out`` cannot be written, or holds something that shellgen did not make.
    """
    try:
        before = _earlier(out)
        artifacts = (*artifacts, manifest(artifacts, before if keep else {}))
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as staging:
            step("writing", f"{len(artifacts)} files")
            changed = [a for a in artifacts if not _same(out / a.path, a.content)]
            staged = [Path(staging, str(number)) for number in range(len(changed))]
            for path, artifact in zip(staged, changed, strict=True):
                path.write_bytes(artifact.content)
            _check_target(out, changed)
            paths = {artifact.path for artifact in artifacts}
            stale = [] if keep else sorted(path for path in before if path not in paths)
            removed = [path for path in stale if _is_still(out / path, before[path])]
            _take_away(out, removed, Path(staging))
            for folder in _folders(changed):
                (out / folder).mkdir(exist_ok=True)
            for path, artifact in zip(staged, changed, strict=True):
                path.replace(out / artifact.path)
        for gone in removed:
            _remove_empty(out, gone)
    except OSError as error:
        found = f"cannot be written ({error.strerror or error})"
        raise InputError(Problem(f"{out}: output folder", found, "Choose another with -o")) from None
    return Written(len(changed), len(artifacts) - len(changed), tuple(removed))


def write_file(path: Path, text: str, *, force: bool = False) -> None:
    """Write one file that is the user's from then on.

    Raises:
        InputError: It is there already, and ``force`` is not set.
    """
    if path.exists() and not force:
        raise InputError(Problem(str(path), "it already exists", "Choose another with -o, or add --force"))
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as staged:
        staged.write(text)
    Path(staged.name).replace(path)


def _earlier(out: Path) -> dict[str, str]:
    """Return path and sha256 of what an earlier run wrote; refuse a folder with content that is not ours."""
    if not out.exists():
        return {}
    if not out.is_dir():
        raise InputError(Problem(f"{out}: output folder", "it is a file", "Choose another with -o"))
    path = out / MANIFEST
    if not path.exists():
        if any(out.iterdir()):
            found = f"it is not empty and has no {MANIFEST}, so shellgen did not make it"
            raise InputError(Problem(f"{out}: output folder", found, "Choose a new folder with -o"))
        return {}
    remedy = "Remove that folder, or choose another with -o"
    try:
        entries = read_json(path, str(path), remedy)
    except InputError:
        entries = None
    if isinstance(entries, dict):
        entries.pop(MENDED, None)
    if not isinstance(entries, dict) or not all(_is_inside(key, entries[key]) for key in entries):
        raise InputError(Problem(str(path), "it is not a manifest of ours", remedy))
    linked = {path: folder for path in entries if (folder := _link(out, path))}
    if linked:
        found = "it is a symbolic link, and nothing is written or removed behind one"
        raise InputError(*(Problem(str(folder), found, remedy) for folder in dict.fromkeys(linked.values())))
    return entries


def _is_inside(path: str, sha256: object) -> bool:
    """Whether an entry can be ours; one that points elsewhere must never lead us to remove a file there."""
    names = all(is_file_name(part) for part in path.split("/"))
    return names and isinstance(sha256, str) and bool(_SHA256.fullmatch(sha256))


def _link(out: Path, path: str) -> Path | None:
    """Return the folder below ``out`` that leads a path somewhere else."""
    folder = out
    for part in path.split("/")[:-1]:
        folder = folder / part
        if folder.is_symlink():
            return folder
    return None


def _same(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


def _is_still(path: Path, sha256: str) -> bool:
    """Whether a file is as an earlier run wrote it; what the user put there since is the user's."""
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256


def _take_away(out: Path, removed: list[str], staging: Path) -> None:
    """Move files out of the folder; all of them, or none and an OSError."""
    moved: list[tuple[Path, Path]] = []
    try:
        for number, path in enumerate(removed):
            kept = staging / f"removed_{number}"
            (out / path).replace(kept)
            moved.append((out / path, kept))
    except OSError:
        for place, kept in moved:
            kept.replace(place)
        raise


def _remove_empty(out: Path, removed: str) -> None:
    """Remove the folders that held nothing but a file that is gone."""
    for folder in (out / removed).parents:
        if folder == out or not folder.is_dir() or any(folder.iterdir()):
            break
        folder.rmdir()


def _check_target(out: Path, changed: list[Artifact]) -> None:
    """Find out before the first rename whether the target takes every file."""
    out.mkdir(exist_ok=True)
    wrong = {path: "a folder" for a in changed if (path := out / a.path).is_dir()}
    wrong |= {path: "a file" for folder in _folders(changed) if (path := out / folder).is_file()}
    wrong |= {path: "a link" for folder in _folders(changed) if (path := out / folder).is_symlink()}
    if wrong:
        remedy = "Remove it, or choose another with -o"
        raise InputError(
            *(
                Problem(f"{path}: output folder", f"{what} is in the way of generated files", remedy)
                for path, what in wrong.items()
            )
        )
    probe = Path(tempfile.mkdtemp(dir=out, prefix=".shellgen-"))
    shutil.rmtree(probe)


def _folders(artifacts: list[Artifact]) -> list[str]:
    """Return every folder that these files lie in, outer ones first."""
    found: set[str] = set()
    for artifact in artifacts:
        folder = artifact.path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return sorted(found)
