# SPDX-License-Identifier: BSD-3-Clause
"""Golden vectors of a run: those of the build, or those of the weights that it loads."""

from __future__ import annotations

from pathlib import Path

from shellgen.disk.manifest import MANIFEST, differing, read_manifest, sha256_of
from shellgen.errors import InputError, Problem
from shellgen.formats.npy import read_npy
from shellgen.model.bench import Bench
from shellgen.simulate.options import RunVectors, SimulateOptions
from vivado_check.formats.data import read_json

_REPACK = "Run `shellgen weights` again"
_CHANGED = "it is missing, or not what `shellgen weights` has written"


def edited_weights(options: SimulateOptions) -> list[str]:
    """Return the files of the packed weights that are not as packed, for a run of edited files.

    Raises:
        InputError: There are some, and the options do not allow edited files.
    """
    folder = Path(options.weights)
    if not options.weights or not (folder / MANIFEST).exists():  # weights by other programs
        return []
    found = differing(folder, read_manifest(folder))
    changed = [str(folder / name) for name in sorted((*found.edited, *found.missing))]
    if changed and not options.edited:
        remedy = f"{_REPACK}, or add --edited if that is on purpose: the verdict will say so"
        raise InputError(*(Problem(path, _CHANGED, remedy) for path in changed))
    return changed


def choose_golden(out: Path, bench: Bench, options: SimulateOptions) -> RunVectors:
    """Choose the golden vectors: those beside the weights, if they are of these streams; else the build's.

    There are none beside weights of a network that cannot be executed. The build id may differ: where FINN's
    memory files are lost, retrained weights are in what replaces them.
    """
    own = (Path(options.weights) / "golden").resolve()
    described = own / "golden.json"
    if options.weights and described.exists():
        told = read_json(described, str(described), _REPACK)
        if not isinstance(told, dict) or not isinstance(told.get("note"), str):
            raise InputError(Problem(str(described), "it is not what `shellgen weights` writes", _REPACK))
        same = told.get("streams") == {boundary.name: boundary.elements for boundary in bench.boundaries}
        files = {name: own / name for name in _unchanged(own, told.get("vectors"))} if same else {}
        if files:
            vectors = [read_npy(path, str(path)) for path in files.values()]
            frames = min((len(array) if array.ndim else 0 for array in vectors), default=0)
            note = f"{told['note']}; of the weights that were loaded"
            return RunVectors(str(own), tuple(files), frames, note, of_build=False)
    folder = str((out / "bench").resolve())
    known = tuple(boundary.golden for boundary in bench.boundaries if boundary.golden)
    return RunVectors(folder, known, bench.golden_frames, bench.golden_note, of_build=True)


def _unchanged(folder: Path, digests: object) -> list[str]:
    """Return the names of the vectors beside weights, all of which must be as they were computed."""
    if not isinstance(digests, dict):
        found = "it does not name its vectors: it is of another version of shellgen"
        raise InputError(Problem(str(folder / "golden.json"), found, _REPACK))
    wrong = [folder / str(name) for name, sha256 in digests.items() if sha256_of(folder / name) != sha256]
    if wrong:
        raise InputError(*(Problem(str(path), _CHANGED, _REPACK) for path in sorted(wrong)))
    return sorted(digests)
