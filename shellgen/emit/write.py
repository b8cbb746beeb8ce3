# SPDX-License-Identifier: BSD-3-Clause
"""The only file of ``emit`` that writes. All or nothing: a failure leaves earlier output untouched."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from shellgen.errors import InputError, Problem
from shellgen.model import Artifact

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Written:
    """What changed on disk: counts, and the paths of an earlier run that are produced no longer."""

    changed: int
    unchanged: int
    removed: tuple[str, ...]


def manifest(artifacts: tuple[Artifact, ...]) -> Artifact:
    """Return ``manifest.json``: path and sha256 of every artifact, sorted."""
    entries = {artifact.path: hashlib.sha256(artifact.content).hexdigest() for artifact in artifacts}
    return Artifact.text(MANIFEST, json.dumps(dict(sorted(entries.items())), indent=1) + "\n")


def write(artifacts: tuple[Artifact, ...], out: Path) -> Written:
    """Write into a staging folder, then rename file by file.

    A file whose bytes did not change keeps its time stamp, so that Vivado and make do not rebuild. Files
    that an earlier run wrote and this one does not are removed; anything else in ``out`` (a Vivado
    project, say) is left alone.

    Raises:
        InputError: ``out`` cannot be written, or holds something that shellgen did not make.
    """
    artifacts = (*artifacts, manifest(artifacts))
    try:
        before = _earlier(out)
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as staging:
            changed = [a for a in artifacts if not _same(out / a.path, a.content)]
            for artifact in changed:
                path = Path(staging, artifact.path)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(artifact.content)
            _check_target(out)
            for artifact in changed:
                target = out / artifact.path
                target.parent.mkdir(parents=True, exist_ok=True)
                Path(staging, artifact.path).replace(target)
        removed = sorted(before - {artifact.path for artifact in artifacts})
        for stale in removed:
            (out / stale).unlink(missing_ok=True)
    except OSError as error:
        found = f"cannot be written ({error.strerror or error})"
        raise InputError(Problem(f"{out}: output folder", found, "Choose another with -o")) from None
    return Written(len(changed), len(artifacts) - len(changed), tuple(removed))


def _earlier(out: Path) -> set[str]:
    """Return the paths an earlier run wrote; refuse a folder with content that is not ours."""
    if not out.exists():
        return set()
    if not out.is_dir():
        raise InputError(Problem(f"{out}: output folder", "it is a file", "Choose another with -o"))
    path = out / MANIFEST
    if not path.exists():
        if any(out.iterdir()):
            found = f"it is not empty and has no {MANIFEST}, so shellgen did not make it"
            raise InputError(Problem(f"{out}: output folder", found, "Choose a new folder with -o"))
        return set()
    try:
        entries = json.loads(path.read_text())
        return {str(key) for key in entries}
    except (ValueError, TypeError):
        raise InputError(
            Problem(str(path), "it is not a manifest of ours", "Choose another folder")
        ) from None


def _same(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


def _check_target(out: Path) -> None:
    """Find out before the first rename whether the target takes files at all."""
    out.mkdir(exist_ok=True)
    probe = Path(tempfile.mkdtemp(dir=out, prefix=".shellgen-"))
    shutil.rmtree(probe)
