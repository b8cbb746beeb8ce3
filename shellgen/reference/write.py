# SPDX-License-Identifier: BSD-3-Clause
"""The only file of ``reference`` that writes."""

from __future__ import annotations

from pathlib import Path

from shellgen.disk.changes import changing, settle
from shellgen.errors import InputError, Problem
from shellgen.formats.onnx import is_ours
from shellgen.model import Artifact

PARENT = "parent.onnx"


def write_build(artifacts: tuple[Artifact, ...], out: Path) -> None:
    """Write a build; partitions of an earlier, longer one do not stay behind.

    Raises:
        InputError: ``out`` cannot be written, or holds something that is no build.
    """
    where = f"{out}: folder of the reference build"
    try:
        settle(out)
        if out.is_dir() and any(out.iterdir()) and not is_ours(out / PARENT):
            found = f"it is not empty and has no {PARENT} of shellgen"
            raise InputError(Problem(where, found, "Choose a new folder"))
        with changing(out) as changes:
            for stale in sorted(out.glob("partition_*")):
                changes.remove(stale.name)
            for artifact in artifacts:
                changes.write(artifact.path, artifact.content)
    except OSError as error:
        found = f"cannot be written ({error.strerror or error})"
        raise InputError(Problem(where, found, "Choose another folder")) from None
