# SPDX-License-Identifier: BSD-3-Clause
"""Golden vectors: the two ``.npy`` files that ``[verify]`` names."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np

from shellgen.errors import InputError, Problem
from shellgen.model import Golden, VerifySpec


def read_golden(folder: Path, spec: VerifySpec) -> tuple[Golden, dict[str, bytes]]:
    """Read the vectors.

    Args:
        folder: Folder of cluster.toml; the paths are relative to it.
        spec: The ``[verify]`` table.

    Returns:
        Their description, and their content by sha256.

    Raises:
        InputError: A file that is missing, not ``.npy``, not of integers, or files of unequal length.
    """
    problems: list[Problem] = []
    arrays, files = [], {}
    for field, name in (("input", spec.input), ("output", spec.output)):
        where = f"{name}: verify.{field}"
        try:
            content = (folder / name).read_bytes()
            array = np.load(io.BytesIO(content), allow_pickle=False)
        except OSError:
            problems.append(Problem(where, "the file is missing", "Correct the path in cluster.toml"))
            continue
        except (ValueError, EOFError):
            problems.append(Problem(where, "it is not a .npy file", "Write it with numpy.save"))
            continue
        if array.ndim < 2 or not len(array) or not np.array_equal(array, np.rint(array)):
            found = f"shape {array.shape} of {array.dtype}"
            problems.append(Problem(where, found, "Give whole numbers of shape (frames, *shape of a frame)"))
            continue
        files[hashlib.sha256(content).hexdigest()] = content
        arrays.append((array, hashlib.sha256(content).hexdigest()))
    if len(arrays) == 2 and len(arrays[0][0]) != len(arrays[1][0]):
        found = f"{len(arrays[0][0])} input frames and {len(arrays[1][0])} output frames"
        problems.append(Problem(f"{spec.output}: verify.output", found, "Give as many as input frames"))
    if problems:
        raise InputError(*problems)
    (given, given_hash), (wanted, wanted_hash) = arrays
    golden = Golden(
        input_sha256=given_hash,
        output_sha256=wanted_hash,
        frames=len(given),
        input_elements=int(given[0].size),
        output_elements=int(wanted[0].size),
    )
    return golden, files
