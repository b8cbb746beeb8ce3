# SPDX-License-Identifier: BSD-3-Clause
"""Whether a model tells what its stitched IP computes, and not only what its streams look like.

FINN keeps the models of all steps in one folder, and what comes before stitching may be another network. A
model belongs to the sources if the folder that it was stitched in occurs in their list, as in every build of
FINN's.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from shellgen.read.finn_onnx import FinnModel
from shellgen.read.models import recorded_project
from shellgen.read.sources import LIST
from vivado_check.formats.files import file_text


def disbelief(model: FinnModel | None, folder: Path) -> str | None:
    """Return why a model is not to be believed, or None.

    Args:
        model: The partition's model, if there is one.
        folder: Its stitched IP.
    """
    if model is None:
        return "it has no ONNX"
    name = recorded_project(model)
    if not name:
        return f"{model.path.name} is from before stitching"
    if name == folder.name:
        return None
    try:
        listed = file_text(folder / LIST, errors="replace").splitlines()
    except OSError:
        return f"nothing shows that {model.path.name} belongs to it (it has no {LIST})"
    if any(name in PurePosixPath(line.strip()).parts for line in listed):
        return None
    return f"{model.path.name} is of another run: its project {name} does not occur in {LIST}"
