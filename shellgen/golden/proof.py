# SPDX-License-Identifier: BSD-3-Clause
"""The golden proof of a planned system: its frames, their source, and the expected outputs."""

from __future__ import annotations

import hashlib
import io
import logging
from collections.abc import Mapping

import numpy as np

from shellgen.errors import PlanError, Problem
from shellgen.golden.given import host_sources, host_streams
from shellgen.golden.layer import Integers, NoGoldenError, bounds, compact
from shellgen.golden.search import different, drawn, search
from shellgen.golden.walk import Inside, walk
from shellgen.model import Endpoint, Golden, GoldenVectors, Plan
from shellgen.model.replicas import without_replicas

_LOG = logging.getLogger("shellgen.golden")
# Two are enough to detect a shifted stream; more frames and the search must not take seconds.
_LEAST, _WORK, _MOST_TRIED = 2, 2_000_000_000, 96


def make_golden(
    plan: Plan, models: Mapping[str, object], weights: Mapping[Endpoint, bytes], given: Mapping[str, Integers]
) -> tuple[Golden, dict[str, bytes]]:
    """Plan the golden proof.

    Args:
        plan: The system.
        models: `Network.models`.
        weights: One pass of each weight port with known values.
        given: Frames by boundary, from ``[verify]``: for all streams from the host, or none.

    Returns:
        The proof, and the files that it refers to by sha256. If given outputs differ from those that the
        models compute, the given ones are used, with a warning.
    """
    plan = without_replicas(plan)
    lost = [layer for partition in plan.partitions for layer in partition.lost_weights]
    if lost:
        text = f"golden not run: the weights of {', '.join(lost)} are lost; boundaries and monolith only"
        return Golden(note=text, asked=bool(given)), {}
    inside = Inside(models, weights)
    outputs = host_streams(plan, "output")
    missing = [b.name for b in outputs if b.name not in given]
    known = dict(given)
    sent = {b.name: given[b.name] for b in host_streams(plan, "input")} if given else _random(plan)
    frames = len(next(iter(sent.values()), ()))
    least = frames if given and missing else _LEAST
    try:
        computed, work = _compute(plan, inside, sent, least)
    except NoGoldenError as reason:
        if not given:
            return Golden(note=f"golden not run: {reason}"), {}
        note = f"golden: {_frames(frames)} of [verify], not recomputed: {reason}"
        if len(missing) == len(outputs):
            note = f"golden not run: {reason}; the frames are those of [verify]"
        return _golden(note, known, asked=True)
    if not given:
        return _golden(*_searched(plan, inside, sent, computed, work), asked=False)
    wrong = _disagreement(given, computed)
    known |= {name: computed[name] for name in missing}
    if wrong:
        _LOG.warning("[verify]: %s", wrong)
        return _golden(f"golden: {_frames(frames)} of [verify]; {wrong}", known, asked=True)
    how = "outputs by the model's ONNX" if missing else "and the model's ONNX agrees"
    some = len(computed[outputs[0].name])
    how += f" on the first {some}" if some < frames else ""
    return _golden(f"golden: {_frames(frames)} of [verify], {how}", known, asked=True)


def check_weights(plan: Plan, weights: Mapping[Endpoint, bytes], where: str) -> None:
    """Refuse ``[verify]`` if the result depends on unknown weights.

    Raises:
        PlanError: With a problem for each port, and for each partition with lost weights.
    """
    problems = [
        Problem(
            f"{where}: verify",
            f"the result depends on the weights of {boundary.consumer}, which are not known",
            f'Add [[weights]] with port = "{boundary.consumer}" and file, or remove [verify]',
        )
        for boundary in without_replicas(plan).boundaries
        if boundary.carries_weights and boundary.consumer not in weights
    ]
    problems += [
        Problem(
            f"{where}: verify",
            f"the result depends on the weights of {', '.join(partition.lost_weights)}, which are lost",
            "Put their files or the ONNX into the build, or remove [verify]",
        )
        for partition in without_replicas(plan).partitions
        if partition.lost_weights
    ]
    if problems:
        raise PlanError(*problems)


def _frames(count: int) -> str:
    return f"{count} frame{'s' if count != 1 else ''}"


def _random(plan: Plan) -> dict[str, Integers]:
    """Return frames for each stream from the host; a stream always gets the same frames."""
    return {
        one.name: frames for group in host_sources(plan) for frames in [drawn(group[0], 0)] for one in group
    }


def _searched(
    plan: Plan, inside: Inside, sent: Mapping[str, Integers], computed: Mapping[str, Integers], work: int
) -> tuple[str, dict[str, Integers]]:
    """Replace random frames by frames with different outputs, and report their number."""
    inputs = host_sources(plan)
    most = min(_MOST_TRIED, _WORK // max(1, work))
    try:
        found = search(inputs, lambda frames: walk(plan, inside, frames)[0], sent, computed, most)
    except NoGoldenError:  # from a frame with a value outside its type; the frames before it are valid
        frames = len(next(iter(computed.values())))
        found = {name: values[:frames] for name, values in sent.items()}, dict(computed), frames
    chosen, answers, tried = found
    frames = len(next(iter(answers.values())))
    count = len(different(list(answers.values())))
    among = f" among {tried} tried" if tried > frames else ""
    note = f"golden: {_frames(frames)} at random, by the model's ONNX"
    note += f"; {count} different output{'s' if count != 1 else ''}{among}{_dull(answers)}"
    return note, chosen | answers


def _compute(
    plan: Plan, inside: Inside, sent: Mapping[str, Integers], least: int
) -> tuple[dict[str, Integers], int]:
    """Compute a minimum of frames, and more if they are cheap; also return the work of one."""
    if not sent:
        raise NoGoldenError("the host sends nothing")
    total = len(next(iter(sent.values())))
    first, work = walk(plan, inside, {name: values[:_LEAST] for name, values in sent.items()})
    count = min(total, max(least, _WORK // max(1, work)))
    if count <= _LEAST:
        return first, work
    rest, _ = walk(plan, inside, {name: values[_LEAST:count] for name, values in sent.items()})
    return {name: np.concatenate([first[name], rest[name]]) for name in first}, work


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
    """Warn if the proof is weak: a shift of a constant stream is invisible."""
    constant = [name for name, values in computed.items() if (values == values[0, 0]).all()]
    return (
        f"; every value of {', '.join(constant)} is the same, so real frames would prove more"
        if constant
        else ""
    )


def _golden(note: str, known: Mapping[str, Integers], *, asked: bool) -> tuple[Golden, dict[str, bytes]]:
    files: dict[str, bytes] = {}
    vectors = []
    for name, values in known.items():
        content = io.BytesIO()
        np.lib.format.write_array(content, np.ascontiguousarray(compact(values, *bounds(values))))
        sha256 = hashlib.sha256(content.getvalue()).hexdigest()
        files[sha256] = content.getvalue()
        vectors.append(GoldenVectors(boundary=name, sha256=sha256))
    frames = len(next(iter(known.values())))
    return Golden(note=note, asked=asked, frames=frames, vectors=tuple(vectors)), files
