# SPDX-License-Identifier: BSD-3-Clause
"""Golden vectors: the two ``.npy`` files that ``[verify]`` names."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np
import numpy.typing as npt

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
            # read_array, because numpy.load takes archives and pickles too.
            array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
        except FileNotFoundError:
            problems.append(Problem(where, "the file is missing", "Correct the path in cluster.toml"))
            continue
        except OSError as error:
            found = f"cannot be read: {error.strerror}"
            problems.append(Problem(where, found, "Correct the path in cluster.toml"))
            continue
        except (ValueError, EOFError):
            problems.append(Problem(where, "it is not a .npy file", "Write it with numpy.save"))
            continue
        if not _whole_frames(array):
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
        input_range=(int(given.min()), int(given.max())),
        output_range=(int(wanted.min()), int(wanted.max())),
    )
    return golden, files


def _whole_frames(array: npt.NDArray[np.generic]) -> bool:
    """Whether there are frames, and nothing but whole numbers in them."""
    numeric = np.issubdtype(array.dtype, np.integer) or np.issubdtype(array.dtype, np.floating)
    if not numeric or array.ndim < 2 or not array.size:
        return False
    values = array.astype(np.float64)
    return bool(np.isfinite(values).all() and np.array_equal(values, np.rint(values)))
