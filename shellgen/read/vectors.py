# SPDX-License-Identifier: BSD-3-Clause
"""The ``.npy`` files that ``[verify]`` names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from shellgen.errors import InputError, Problem
from shellgen.formats.npy import read_npy
from shellgen.model import VerifySpec

_FOUND_WRONG = re.compile(r"verify_\w*_FAIL\w*\.npy")


# What a 64-bit integer has no place for.
_BEYOND = 2.0**63


@dataclass(frozen=True)
class Vectors:
    """One file.

    Attributes:
        side: ``input`` or ``output``.
        key: Name of the stream it is for, or its place in the model's order.
        field: Of cluster.toml, for messages.
        file: As cluster.toml names it.
        values: Whole numbers, as the file has them.
    """

    side: str
    key: str | int
    field: str
    file: str
    values: npt.NDArray[np.int64]


def read_vectors(folder: Path, spec: VerifySpec) -> list[Vectors]:
    """Read the vectors; whether they fit the host's streams is for those to tell who know them.

    Args:
        folder: Folder of cluster.toml; the paths are relative to it.
        spec: The ``[verify]`` table.

    Raises:
        InputError: A file that is missing, not ``.npy`` or not of whole numbers, or that FINN itself wrote
            with outputs which it found wrong.
    """
    problems: list[Problem] = []
    found = []
    for side, files in (("input", spec.input), ("output", spec.output or ())):
        named = files.items() if isinstance(files, dict) else enumerate(files)
        for key, name in named:
            field = f"verify.{side}" if len(files) == 1 and key == 0 else f"verify.{side}[{key}]"
            try:
                found.append(Vectors(side, key, field, name, _values(folder / name, f"{name}: {field}")))
            except InputError as error:
                problems.extend(error.problems)
    if problems:
        raise InputError(*problems)
    return found


def _values(path: Path, where: str) -> npt.NDArray[np.int64]:
    if _FOUND_WRONG.fullmatch(path.name):
        text = "FINN wrote this file because the outputs in it were wrong"
        remedy = "Name its _SUCCESS file, or leave the output out: it is computed from the model"
        raise InputError(Problem(where, text, remedy))
    array = read_npy(path, where, missing="Correct the path in cluster.toml")
    if not _whole(array):
        text = f"shape {array.shape} of {array.dtype}"
        remedy = "Give whole numbers of shape (frames, *shape of a frame)"
        raise InputError(Problem(where, text, remedy))
    whole: npt.NDArray[np.int64] = np.asarray(array).astype(np.int64)
    return whole


def _whole(array: npt.NDArray[np.generic]) -> bool:
    """Whether there is something, and nothing but whole numbers."""
    numeric = np.issubdtype(array.dtype, np.integer) or np.issubdtype(array.dtype, np.floating)
    if not numeric or not array.ndim or not array.size:
        return False
    low, high = float(array.min()), float(array.max())  # not a number, if any is
    if not (low > -_BEYOND and high < _BEYOND):
        return False
    return bool(np.issubdtype(array.dtype, np.integer) or np.array_equal(array, np.rint(array)))
