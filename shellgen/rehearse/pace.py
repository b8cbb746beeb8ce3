# SPDX-License-Identifier: BSD-3-Clause
"""A rehearsal at the pace of boards: golden frames in place of cores, at the times of the estimate."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shellgen.errors import InputError, Problem, one
from shellgen.estimate import estimate, timing
from shellgen.estimate.paces import NodePace, PartPace, node_paces
from shellgen.formats.npy import read_npy
from shellgen.model import Plan
from shellgen.model.bench import Bench
from shellgen.model.memory_map import MemoryMap
from shellgen_host.packing import Layout


@dataclass(frozen=True)
class Pace:
    """Speed of a rehearsal.

    Attributes:
        slower: Times that everything takes of what it takes on the boards.
        frames_per_second: What the estimate says, of boards that are so much slower.
    """

    slower: float
    frames_per_second: float


def estimated(plan: Plan, slower: float, in_flight: int, patience: float) -> Pace:
    """Return the rate that is to come.

    Args:
        plan: Of the cluster.
        slower: Times that everything takes longer.
        in_flight: Frames under way.
        patience: Seconds without a result after which frames are sent again.

    Raises:
        InputError: A frame takes about as long.
    """
    found = timing(plan, most=estimate(plan).frames_per_second, in_flight=(in_flight,))
    rate = next(each.frames_per_second for each in found.regimes if each.in_flight == in_flight)
    rate = min(rate, found.streaming)
    longest = max(found.first_frame, 1 / rate)
    if slower * longest > patience / 2:
        takes = f"a frame takes {slower * longest:.3g} s then"
        late = f"what has no result in {patience:g} s is sent again"
        most = max(1, math.floor(patience / 2 / longest))
        raise one(InputError, f"--pace {slower:.10g}", f"{takes}, and {late}", f"Give {most} at most")
    return Pace(slower, rate / slower)


def write_paces(  # noqa: PLR0913 - all of a generated folder
    out: Path, plan: Plan, bench: Bench, found: MemoryMap, slower: float, folder: Path
) -> dict[str, Path]:
    """Write what each node is started with in place of a core; return its file.

    Args:
        out: Generated folder.
        plan: Of the cluster.
        bench: With the golden vectors of all boundaries of the host.
        found: With the layout of frames.
        slower: Times that everything takes longer.
        folder: To write to.

    Raises:
        InputError: A core deals frames to replicas.
    """
    dealing = [node.name for node in found.nodes if node.turns or node.period != 1]
    if dealing:
        why = "it deals frames to replicas, gathers them, or is one, which only a core can do"
        where = f"{out}: node {dealing[0]}"
        raise InputError(Problem(where, f"it has no pace: {why}", "Rehearse without --pace"))
    paces = node_paces(plan)
    parts = [(name, part) for name, pace in paces.items() for part in pace.parts]
    frames = _all_frames(out, bench, found, parts)
    files = {}
    for name, pace in paces.items():
        folder.joinpath(name).mkdir(parents=True)
        entries = []
        for index, part in enumerate(pace.parts):
            vectors = folder / name / f"part_{index}.bin"
            edges = [frames[edge] for edge in (*part.inputs, *part.outputs)]
            vectors.write_bytes(b"".join(b"".join(each) for each in zip(*edges, strict=False)))
            entries.append(_part(part, vectors, slower))
        files[name] = folder / name / "pace.json"
        files[name].write_text(json.dumps({"parts": entries, "ways": _ways(pace, slower)}))
    return files


def _all_frames(
    out: Path, bench: Bench, found: MemoryMap, parts: list[tuple[str, PartPace]]
) -> dict[str, list[bytes]]:
    """Return the frames of each boundary.

    Where a cut has no golden vectors, a digest of what its part has got stands for each frame: it tells the
    next part which frame it is, and a wrong bit is seen as in any other.
    """
    streams = {
        (node["name"], stream["boundary"]): stream
        for node in json.loads(found.to_json())["nodes"]
        for stream in node["streams"]
    }
    frames: dict[str, list[bytes]] = {}
    layouts = {boundary: Layout.of(stream) for (_, boundary), stream in streams.items()}
    for boundary in bench.boundaries:
        if boundary.golden and boundary.name in layouts:
            path = out / "bench" / boundary.golden
            layout, values = layouts[boundary.name], read_npy(path, boundary.golden)
            frames[boundary.name] = [row.tobytes() for row in layout.pack(layout.frames(values))]
    left = parts
    while left:
        ready = [(name, part) for name, part in left if all(edge in frames for edge in part.inputs)]
        assert ready, "frames come from the host"
        left = [each for each in left if each not in ready]
        for name, part in ready:
            got = [b"".join(each) for each in zip(*(frames[edge] for edge in part.inputs), strict=False)]
            for edge in part.outputs:
                stream = streams[name, edge]
                size = stream["frame_bytes"]
                made = [hashlib.shake_256(edge.encode() + each).digest(size) for each in got]
                frames.setdefault(edge, made)
                frames |= {copy["boundary"]: frames[edge] for copy in stream["copies"]}
    return frames


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
