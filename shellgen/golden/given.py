# SPDX-License-Identifier: BSD-3-Clause
"""From the vectors of ``[verify]`` to frames of the host's streams."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from shellgen.counted import counted
from shellgen.errors import PlanError, Problem, offer
from shellgen.golden.layer import Integers, bounds, held
from shellgen.model import Boundary, ElementType, Endpoint, Plan
from shellgen.model.replicas import without_replicas
from shellgen.read.vectors import Vectors


def host_streams(plan: Plan, side: str) -> list[Boundary]:
    """Return the streams that the host sends (``input``) or receives, in the model's order."""
    if side == "input":
        return [b for b in plan.boundaries if b.producer is None and not b.carries_weights]
    return [b for b in plan.boundaries if b.consumer is None]


def host_sources(plan: Plan) -> list[list[Boundary]]:
    """Return the streams that the host sends, those that carry the same frames together."""
    return _grouped(host_streams(plan, "input"))


def _grouped(streams: Sequence[Boundary]) -> list[list[Boundary]]:
    groups: dict[str, list[Boundary]] = {}
    for boundary in streams:
        alone = boundary.producer is not None or boundary.tensor is None
        groups.setdefault(boundary.name if alone else str(boundary.tensor), []).append(boundary)
    return list(groups.values())


def given_frames(plan: Plan, vectors: Sequence[Vectors], where: str) -> dict[str, Integers]:
    """Match files and streams.

    Args:
        plan: Plan with the streams.
        vectors: Vectors of ``[verify]``.
        where: Name of cluster.toml, for messages.

    Returns:
        (frames, elements) by boundary: of every stream from the host and of some streams to the host.

    Raises:
        PlanError: Streams without a file or with two, frames of another shape, values beyond the data
            type, or files with different numbers of frames.
    """
    plan = without_replicas(plan)
    problems: list[Problem] = []
    found: dict[str, Integers] = {}
    files: dict[str, Vectors] = {}
    for side in ("input", "output"):
        streams = host_streams(plan, side)
        for one in [one for one in vectors if one.side == side]:
            for stream in _streams(streams, one, vectors, where, problems):
                if stream.name in found:
                    text = f"{stream.name} has two files"
                    problems.append(Problem(f"{where}: {one.field}", text, "Give each stream one file"))
                    continue
                frames = _fitting(stream, one, where, problems)
                found |= {} if frames is None else {stream.name: frames}
                files[stream.name] = one
        if side == "input" and not problems:
            problems += [
                Problem(
                    f"{where}: verify.input", f"no file for {_port(b)}", f"Add one: {_named(streams, side)}"
                )
                for b in streams
                if b.name not in files
            ]
    if not problems:
        problems += _counts(plan, found, files)
    if problems:
        raise PlanError(*problems)
    return found


def _port(boundary: Boundary) -> Endpoint:
    end = boundary.consumer or boundary.producer
    assert end is not None
    return end


def _named(streams: Sequence[Boundary], side: str) -> str:
    lines = "; ".join(f'"{_port(stream)}" = "<file>.npy"' for stream in streams)
    return f"a table [verify.{side}] with {lines}"


def _streams(
    streams: Sequence[Boundary],
    one: Vectors,
    vectors: Sequence[Vectors],
    where: str,
    problems: list[Problem],
) -> list[Boundary]:
    """Return the streams that a file is for: several where the host sends the same frames."""
    groups = _grouped(streams)
    beside = [other for other in vectors if other.side == one.side]
    if isinstance(one.key, str):
        for group in groups:
            named = [stream for stream in group if one.key in (str(_port(stream)), stream.name)]
            if one.key == group[0].tensor:
                return list(group)
            if named:
                own = {other.key for other in beside if other is not one}
                rest = [b for b in group if b not in named and not own & {str(_port(b)), b.name, b.tensor}]
                return [*named, *rest]
        remedy = offer(one.key, [str(_port(stream)) for stream in streams])
        text = f"the host has no {one.side} stream {one.key}"
        problems.append(Problem(f"{where}: {one.field}", text, remedy))
        return []
    count = len(beside)
    if count == len(groups):
        return list(groups[one.key])
    if count == len(streams):
        return [streams[one.key]]
    if one.key == 0:
        text = f"the host has {counted(len(groups), f'{one.side} stream')}, and {count} files of vectors"
        if count == 1:
            text = f"the host has {counted(len(groups), f'{one.side} stream')}, and one file of vectors"
        remedy = f"Give a file for each: {_named([group[0] for group in groups], one.side)}"
        problems.append(Problem(f"{where}: verify.{one.side}", text, remedy))
    return []


def _fitting(stream: Boundary, one: Vectors, where: str, problems: list[Problem]) -> Integers | None:
    place = f"{where}: {one.field}"
    shape = tuple(size for size in stream.normal_shape if size != 1) or (1,)
    elements = stream.elements_per_frame
    values, frame = one.values, one.values.shape[1:]
    if values[0].size != elements and values.size == elements and _regroups(values.shape, shape):
        values, frame = values[np.newaxis], values.shape
    if values[0].size != elements:
        text = f"a frame has {values[0].size} elements, the stream carries {elements}"
        remedy = f"Give vectors of shape (frames, {', '.join(map(str, stream.normal_shape))})"
        problems.append(Problem(place, text, remedy))
        return None
    if not _regroups(frame, shape):
        text = f"a frame has shape {tuple(frame)}, the stream carries {stream.normal_shape}"
        problems.append(Problem(place, text, _transposed(values.shape, shape)))
        return None
    kind, (low, high) = ElementType.parse(stream.datatype), bounds(values)
    if not held(kind, values, low, high):
        text = f"values of {low} to {high}, and the stream carries {kind.name}"
        remedy = f"Give values of {kind.low} to {kind.high}"
        if kind.name == "BIPOLAR":
            remedy = "Give -1 and 1"
        problems.append(Problem(place, text, remedy))
        return None
    return values.reshape(len(values), -1)


def _regroups(given: Sequence[int], wanted: Sequence[int]) -> bool:
    """Return whether two shapes differ only in the splitting of dimensions, not in their order."""
    inner = [set(accumulate(reversed(shape), lambda a, b: a * b)) - {1} for shape in (given, wanted)]
    return inner[0] <= inner[1] or inner[1] <= inner[0]


def _transposed(given: Sequence[int], wanted: Sequence[int]) -> str:
    """Return the transpose from NCHW to FINN's NHWC, if it makes the shape fit."""
    for axes in ((0, 2, 3, 1), (0, 2, 1)):
        if len(axes) == len(given) and _regroups([given[axis] for axis in axes[1:]], wanted):
            return f"Channels come last in a stream: save x.transpose{axes}"
    return "Give the dimensions in the order of the stream"


def _counts(plan: Plan, found: dict[str, Integers], files: dict[str, Vectors]) -> list[Problem]:
    first = next(b for b in plan.boundaries if b.name in found)
    frames = len(found[first.name])
    problems = []
    for name, values in found.items():
        if len(values) != frames:
            text = f"{counted(frames, 'input frame')} and {counted(len(values), f'{files[name].side} frame')}"
            where = f"{files[name].file}: {files[name].field}"
            problems.append(Problem(where, text, "Give as many as input frames"))
    return problems
