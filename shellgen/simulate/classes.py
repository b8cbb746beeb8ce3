# SPDX-License-Identifier: BSD-3-Clause
"""Classes of frames: those that labels name, and that of a result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shellgen.errors import InputError, Problem
from shellgen.formats.npy import read_npy

Values = npt.NDArray[Any]


def class_of(scores: Values) -> int:
    """Return the class of an output: its only number, or the place of the largest, the first of equals."""
    return int(scores.reshape(-1)[0] if scores.size == 1 else scores.argmax())


def read_labels(path: Path, where: str) -> Values:
    """Return the classes in a file.

    Raises:
        InputError: It has no list of whole numbers from 0.
    """
    found = read_npy(path, where)
    if found.ndim != 1 or not found.size or not np.issubdtype(found.dtype, np.number):
        said = f"its array is {found.dtype} {found.shape}, and labels have shape (frames,)"
        raise InputError(Problem(where, said, "Write one number for each frame with numpy.save"))
    wrong = np.flatnonzero(~((found >= 0) & (found == np.floor(found))))
    if wrong.size:
        said = f"label {found[wrong[0]]} of frame {wrong[0]} is no class"
        raise InputError(Problem(where, said, "Give whole numbers from 0, the classes of the model"))
    return found


def check_classes(labels: Values, scores: int, where: str) -> None:
    """Raise InputError for a label beyond the last class; one score is the class itself."""
    wrong = np.flatnonzero(labels >= scores)
    if scores > 1 and wrong.size:
        said = f"label {labels[wrong[0]]} of frame {wrong[0]}, and the model has {scores} classes"
        raise InputError(Problem(where, said, f"Give labels from 0 to {scores - 1}"))
