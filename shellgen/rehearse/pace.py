# SPDX-License-Identifier: BSD-3-Clause
"""A rehearsal at the pace of boards: golden frames in place of simulated cores, at the times of the estimate."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shellgen.errors import InputError, Problem
from shellgen.estimate import estimate, timing
from shellgen.estimate.paces import NodePace, PartPace, node_paces
from shellgen.formats.npy import read_npy
from shellgen.model import Plan
from shellgen.model.bench import Bench
from shellgen.model.memory_map import MemoryMap
from shellgen_host.packing import Layout

_SIMULATE = "Rehearse without --pace"


@dataclass(frozen=True)
class Pace:
    """How fast a rehearsal is to be.

    Attributes:
        slower: Times that everything takes of what it takes on the boards.
        frames_per_second: What the estimate says, of boards that are so much slower.
    """

    slower: float
    frames_per_second: float


def estimated(plan: Plan, slower: float, in_flight: int) -> Pace:
    """Return the rate that is to come.

    Args:
        plan: Of the cluster.
        slower: Times that everything takes longer.
        in_flight: Frames under way.
    """
    found = timing(plan, most=estimate(plan).frames_per_second, in_flight=(in_flight,))
    rate = next(one.frames_per_second for one in found.regimes if one.in_flight == in_flight)
    return Pace(slower, min(rate, found.streaming) / slower)


def write_paces(  # noqa: PLR0913 - all of a generated folder
    out: Path, plan: Plan, bench: Bench, found: MemoryMap, slower: float, folder: Path
) -> dict[str, Path]:
    """Write what each node is started with in place of a core; return its file.

    Args:
        out: Generated folder.
        plan: Of the cluster.
        bench: With the golden vectors.
        found: With the layout of frames.
        slower: Times that everything takes longer.
        folder: To write to.

    Raises:
        InputError: Boundaries have no golden vectors, or a core deals frames to replicas.
    """
    problems = []
    for node in found.nodes:
        if node.turns or node.period != 1:
            why = "it deals frames to replicas, gathers them, or is one, which only a core can do"
            problems.append(Problem(f"{out}: node {node.name}", f"it has no pace: {why}", _SIMULATE))
    golden = {one.name: one.golden for one in bench.boundaries}
    paces = {} if problems else node_paces(plan)
    for name in sorted(
        {name for one in paces.values() for part in one.parts for name in (*part.inputs, *part.outputs)}
    ):
        if golden.get(name) is None:
            what = f"there are no golden vectors of {name}, and a rehearsal at a pace puts out nothing else"
            problems.append(Problem(f"{out}: bench", what, _SIMULATE))
    if problems:
        raise InputError(*problems)
    arrays = {name: read_npy(out / "bench" / str(file), str(file)) for name, file in golden.items() if file}
    streams = {
        (node["name"], stream["boundary"]): stream
        for node in json.loads(found.to_json())["nodes"]
        for stream in node["streams"]
    }
    files = {}
    for node, pace in paces.items():
        folder.joinpath(node).mkdir(parents=True)
        parts = []
        for index, part in enumerate(pace.parts):
            vectors = folder / node / f"part_{index}.bin"
            vectors.write_bytes(
                _frames(
                    part,
                    {name: Layout.of(streams[node, name]) for name in (*part.inputs, *part.outputs)},
                    arrays,
                )
            )
            parts.append(_part(part, vectors, slower))
        files[node] = folder / node / "pace.json"
        files[node].write_text(json.dumps({"parts": parts, "ways": _ways(pace, slower)}))
    return files


def _part(part: PartPace, vectors: Path, slower: float) -> dict[str, Any]:
    return {
        "in": list(part.inputs),
        "out": list(part.outputs),
        "period_ns": part.period * slower * 1e9,
        "through_ns": part.through * slower * 1e9,
        "vectors": str(vectors.resolve()),
    }


def _ways(pace: NodePace, slower: float) -> list[dict[str, Any]]:
    return [
        {
            "boundary": name,
            "media": [
                {"name": medium, "frame_ns": seconds * slower * 1e9} for medium, seconds in way.items()
            ],
        }
        for name, way in pace.ways.items()
    ]


def _frames(part: PartPace, layouts: dict[str, Layout], arrays: dict[str, np.ndarray[Any, Any]]) -> bytes:
    """Return the bytes of each golden frame: all inputs, then all outputs."""
    names = (*part.inputs, *part.outputs)
    count = min(len(arrays[name]) for name in names)
    packed = [layouts[name].pack(layouts[name].frames(arrays[name][:count])) for name in names]
    return np.concatenate(packed, axis=1).tobytes()
