# SPDX-License-Identifier: BSD-3-Clause
"""The golden proof of a planned system: which frames, from where, and what must come of them."""

from __future__ import annotations

import hashlib
import io
import logging
from collections.abc import Mapping
from zlib import crc32

import numpy as np

from shellgen.errors import PlanError, Problem
from shellgen.golden.given import host_streams
from shellgen.golden.layer import LIMIT, Integers, NoGoldenError, bounds, compact
from shellgen.golden.walk import Inside, walk
from shellgen.model import Boundary, ElementType, Endpoint, Golden, GoldenVectors, Plan

_LOG = logging.getLogger("shellgen.golden")
RANDOM_FRAMES = 8
# Two are enough for a stream that slips; the rest must not cost seconds.
_LEAST, _WORK = 2, 2_000_000_000


def make_golden(
    plan: Plan, models: Mapping[str, object], weights: Mapping[Endpoint, bytes], given: Mapping[str, Integers]
) -> tuple[Golden, dict[str, bytes]]:
    """Decide the golden proof.

    Args:
        plan: The system.
        models: `Network.models`.
        weights: One pass of each weights port whose values are known.
        given: Frames by boundary, from ``[verify]``: of all streams that the host sends, or none.

    Returns:
        The proof, and the files that it refers to by sha256. Where frames are given and the models compute
        something else of them, the given ones stay, and a warning says so.
    """
    lost = [layer for partition in plan.partitions for layer in partition.lost_weights]
    if lost:
        text = f"golden not run: the weights of {', '.join(lost)} are lost; boundaries and monolith only"
        return Golden(note=text), {}
    inside = Inside(models, weights)
    outputs = host_streams(plan, "output")
    missing = [b.name for b in outputs if b.name not in given]
    known = dict(given)
    sent = {b.name: given[b.name] for b in host_streams(plan, "input")} if given else _random(plan)
    frames = len(next(iter(sent.values()), ()))
    least = frames if given and missing else _LEAST
    try:
        computed = _compute(plan, inside, sent, least)
    except NoGoldenError as reason:
        if not given:
            return Golden(note=f"golden not run: {reason}"), {}
        note = f"golden: {_frames(frames)} of [verify], not recomputed: {reason}"
        if len(missing) == len(outputs):
            note = f"golden not run: {reason}; the frames are those of [verify]"
        return _golden(note, known)
    frames = len(computed[outputs[0].name]) if not given else frames
    if not given:
        known = {name: values[:frames] for name, values in (sent | computed).items()}
        note = f"golden: {_frames(frames)} at random, by the model's ONNX{_dull(computed)}"
        return _golden(note, known)
    wrong = _disagreement(given, computed)
    known |= {name: computed[name] for name in missing}
    if wrong:
        _LOG.warning("[verify]: %s", wrong)
        return _golden(f"golden: {_frames(frames)} of [verify]; {wrong}", known)
    how = "outputs by the model's ONNX" if missing else "and the model's ONNX agrees"
    some = len(computed[outputs[0].name])
    how += f" on the first {some}" if some < frames else ""
    return _golden(f"golden: {_frames(frames)} of [verify], {how}", known)


def check_weights(plan: Plan, weights: Mapping[Endpoint, bytes], where: str) -> None:
    """Refuse ``[verify]`` where the result depends on unknown weights.

    Raises:
        PlanError: With a problem for each port, and for each partition that has lost weights.
    """
    problems = [
        Problem(
            f"{where}: verify",
            f"the result depends on the weights of {boundary.consumer}, which are not known",
            f'Add [[weights]] with port = "{boundary.consumer}" and file, or remove [verify]',
        )
        for boundary in plan.boundaries
        if boundary.role == "weights" and boundary.consumer not in weights
    ]
    problems += [
        Problem(
            f"{where}: verify",
            f"the result depends on the weights of {', '.join(partition.lost_weights)}, which are lost",
            "Put their files or the ONNX into the build, or remove [verify]",
        )
        for partition in plan.partitions
        if partition.lost_weights
    ]
    if problems:
        raise PlanError(*problems)


def _frames(count: int) -> str:
    return f"{count} frame{'s' if count != 1 else ''}"


def _random(plan: Plan) -> dict[str, Integers]:
    """Frames for each stream that the host sends, the same for the same stream at all times."""
    return {boundary.name: _noise(boundary) for boundary in host_streams(plan, "input")}


def _noise(boundary: Boundary) -> Integers:
    """Every other frame has a part of the range only: trained layers answer noise with one value."""
    kind = ElementType.parse(boundary.datatype)
    random = np.random.default_rng(crc32(boundary.name.encode()))
    elements = boundary.elements_per_frame
    if kind.name == "BIPOLAR":
        chances = [(0.5, random.random())[frame % 2] for frame in range(RANDOM_FRAMES)]
        return np.stack([np.where(random.random(elements) < chance, 1, -1) for chance in chances])
    whole = (max(kind.low, -LIMIT), min(kind.high, LIMIT))
    parts = [np.sort(random.integers(*whole, 2, endpoint=True)) for _ in range(RANDOM_FRAMES)]
    ranges = [parts[frame] if frame % 2 else whole for frame in range(RANDOM_FRAMES)]
    return np.stack([random.integers(low, high, elements, endpoint=True) for low, high in ranges])


def _compute(plan: Plan, inside: Inside, sent: Mapping[str, Integers], least: int) -> dict[str, Integers]:
    """Compute at least so many frames, and more as long as they cost little."""
    if not sent:
        raise NoGoldenError("the host sends nothing")
    total = len(next(iter(sent.values())))
    first, work = walk(plan, inside, {name: values[:_LEAST] for name, values in sent.items()})
    count = min(total, max(least, _WORK // max(1, work)))
    if count <= _LEAST:
        return first
    rest, _ = walk(plan, inside, {name: values[_LEAST:count] for name, values in sent.items()})
    return {name: np.concatenate([first[name], rest[name]]) for name in first}


def _disagreement(given: Mapping[str, Integers], computed: Mapping[str, Integers]) -> str:
    """Name the first element that differs, or return an empty string."""
    for name, values in computed.items():
        if name not in given:
            continue
        wanted = given[name][: len(values)]
        differ = np.argwhere(wanted != values)
        if len(differ):
            frame, element = map(int, differ[0])
            was, found = int(wanted[frame, element]), int(values[frame, element])
            return (
                f"frame {frame}, element {element} of {name} is {was}, and {found} by the model's ONNX "
                f"({len(differ)} of {values.size} elements differ): the vectors or the build belong to "
                "another network"
            )
    return ""


def _dull(computed: Mapping[str, Integers]) -> str:
    """Say when the proof is weak: a stream that never changes may have slipped unseen."""
    constant = [name for name, values in computed.items() if (values == values[0, 0]).all()]
    return (
        f"; every value of {', '.join(constant)} is the same, so real frames would prove more"
        if constant
        else ""
    )


def _golden(note: str, known: Mapping[str, Integers]) -> tuple[Golden, dict[str, bytes]]:
    files: dict[str, bytes] = {}
    vectors = []
    for name, values in known.items():
        content = io.BytesIO()
        np.lib.format.write_array(content, np.ascontiguousarray(compact(values, *bounds(values))))
        sha256 = hashlib.sha256(content.getvalue()).hexdigest()
        files[sha256] = content.getvalue()
        vectors.append(GoldenVectors(boundary=name, sha256=sha256))
    frames = len(next(iter(known.values())))
    return Golden(note=note, frames=frames, vectors=tuple(vectors)), files
