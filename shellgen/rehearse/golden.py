# SPDX-License-Identifier: BSD-3-Clause
"""Golden vectors of a rehearsal: frames to give in, and the results that must come."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from shellgen.errors import InputError, Problem
from shellgen.formats.npy import read_npy
from shellgen.model.bench import Bench
from shellgen_host.cluster_map import ClusterMap

Integers = npt.NDArray[np.int64]
_REMEDY = "Give frames and results under [verify] in cluster.toml, and generate the folder again"


@dataclass(frozen=True)
class Vectors:
    """Golden frames by boundary of the host, (frames, *shape).

    Attributes:
        inputs: Of the boundaries that the client feeds.
        outputs: Of those that it reads.
        count: Frames of each.
    """

    inputs: dict[str, Integers]
    outputs: dict[str, Integers]
    count: int

    def difference(self, number: int, payload: bytes, order: list[str]) -> str:
        """Return a text on the first value of a result that is not the golden one; empty if there is none.

        Args:
            number: Of the frame.
            payload: Its results as int64, one output after the other.
            order: Boundaries of the outputs.
        """
        found = np.frombuffer(payload, "<i8")
        if found.size != sum(self.outputs[name][0].size for name in order):
            return f"{found.size} values"
        at = 0
        for name in order:
            wanted = self.outputs[name][number % self.count].reshape(-1)
            got = found[at : at + wanted.size]
            at += wanted.size
            if (bad := np.flatnonzero(got != wanted)).size:
                first = int(bad[0])
                return f"{name}, element {first}: got {got[first]}, expected {wanted[first]}"
        return ""


def golden_vectors(out: Path, bench: Bench, cluster: ClusterMap) -> Vectors:
    """Return the golden vectors of a generated folder.

    Raises:
        InputError: It has none, or not of all boundaries of the host.
    """
    ends = [one for one in bench.boundaries if one.role == "data" and None in (one.producer, one.consumer)]
    lacking = [one.name for one in ends if one.golden is None]
    if lacking or not ends:
        found = f"there are no golden vectors of {', '.join(lacking) or 'any boundary'}"
        raise InputError(Problem(str(out / "bench"), f"{found} ({bench.golden_note})", _REMEDY))
    arrays = {one.name: read_npy(out / "bench" / str(one.golden), str(one.golden)) for one in ends}
    count = min(len(array) for array in arrays.values())
    if not count:
        raise InputError(Problem(str(out / "bench"), "its golden vectors have no frame", _REMEDY))
    # Boundaries with replicas have the frames of all, as the client gives and takes them.
    return Vectors(
        {one.name: arrays[one.name].astype(np.int64) for one in cluster.inputs},
        {one.name: arrays[one.name].astype(np.int64) for one in cluster.outputs},
        count,
    )
