# SPDX-License-Identifier: BSD-3-Clause
"""Execution of a whole system: from the host's input streams to its output streams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shellgen.golden.execute import execute
from shellgen.golden.layer import Integers, NoGoldenError
from shellgen.model import Boundary, Endpoint, Partition, Plan, StreamPort
from shellgen.progress import step
from shellgen.read.external import stream_inputs
from shellgen.read.finn_onnx import FinnModel


@dataclass(frozen=True)
class Inside:
    """Contents of the partitions.

    Attributes:
        models: Stitched graph of each partition, or the reason why there is none.
        weights: One pass of each weight port as a dense little-endian bit string.
    """

    models: Mapping[str, object]
    weights: Mapping[Endpoint, bytes]


def walk(plan: Plan, inside: Inside, sent: Mapping[str, Integers]) -> tuple[dict[str, Integers], int]:
    """Execute every partition.

    Args:
        plan: The system.
        inside: Models and external weights.
        sent: (frames, elements) of every data stream from the host, by boundary.

    Returns:
        The same for every stream to the host, and the work for one frame.

    Raises:
        NoGoldenError: A partition without a model, without its weights, or that cannot be executed.
    """
    known = dict(sent)
    takes = {b.consumer: b for b in plan.boundaries if b.consumer}
    makes: dict[Endpoint, list[Boundary]] = {}
    for made in plan.boundaries:
        if made.producer:
            makes.setdefault(made.producer, []).append(made)
    lacks = {p.name: {b.name for b in _data(p, takes)} - known.keys() for p in plan.partitions}
    makers: dict[str, list[Boundary]] = {p.name: [] for p in plan.partitions}
    for producer, boundaries in makes.items():
        makers[producer.partition] += boundaries
    place = {partition.name: number for number, partition in enumerate(plan.partitions)}
    frames = max((len(values) for values in sent.values()), default=0)
    work = done = 0
    ready = [number for number, partition in enumerate(plan.partitions) if not lacks[partition.name]]
    while ready:
        ahead = []
        for partition in (plan.partitions[number] for number in sorted(ready)):
            done += 1
            step("golden frames", f"{frames} through partition {done} of {len(plan.partitions)}")
            work += _run(partition, inside, takes, makes, known)
            for boundary in makers[partition.name]:
                if boundary.consumer and boundary.name in lacks[boundary.consumer.partition]:
                    lacks[boundary.consumer.partition].remove(boundary.name)
                    if not lacks[boundary.consumer.partition]:
                        ahead.append(place[boundary.consumer.partition])
        ready = ahead
    if done < len(plan.partitions):
        raise NoGoldenError("the partitions form a cycle")
    return {b.name: known[b.name] for b in plan.boundaries if b.consumer is None}, work


def _data(partition: Partition, takes: Mapping[Endpoint, Boundary]) -> list[Boundary]:
    ends = [Endpoint(partition=partition.name, port=port.name) for port in partition.inputs]
    return [takes[end] for end in ends if not takes[end].carries_weights]


def _run(
    partition: Partition,
    inside: Inside,
    takes: Mapping[Endpoint, Boundary],
    makes: Mapping[Endpoint, list[Boundary]],
    known: dict[str, Integers],
) -> int:
    if partition.junction is not None:
        _pass(partition, takes, makes, known)
        return 0
    model = inside.models.get(partition.name, "it has no ONNX")
    if not isinstance(model, FinnModel):
        raise NoGoldenError(f"partition {partition.name}: {model}")
    tensors = stream_inputs(model)
    if len(tensors) != len(partition.inputs) or len(model.outputs) != len(partition.outputs):
        raise NoGoldenError(f"partition {partition.name}: its ONNX and its sources have different streams")
    given: dict[str, Integers] = {}
    for tensor, port in zip(tensors, partition.inputs, strict=True):
        end = Endpoint(partition=partition.name, port=port.name)
        given[tensor] = known[takes[end].name] if not port.carries_weights else _weights(end, port, inside)
    try:
        found = execute(model, given)
    except NoGoldenError as error:
        raise NoGoldenError(f"{error} (partition {partition.name})") from None
    for tensor, port in zip(model.outputs, partition.outputs, strict=True):
        for boundary in makes[Endpoint(partition=partition.name, port=port.name)]:
            if found.outputs[tensor][0].size != boundary.elements_per_frame:
                raise NoGoldenError(f"partition {partition.name}: its ONNX computes frames of another size")
            known[boundary.name] = found.outputs[tensor]
    return found.work


def _pass(
    partition: Partition,
    takes: Mapping[Endpoint, Boundary],
    makes: Mapping[Endpoint, list[Boundary]],
    known: dict[str, Integers],
) -> None:
    """Compute the outputs of a junction, from tensors in the shapes of their producers."""
    given = [takes[Endpoint(partition=partition.name, port=port.name)] for port in partition.inputs]
    ends = [Endpoint(partition=partition.name, port=port.name) for port in partition.outputs]
    values = [known[boundary.name] for boundary in given]
    if partition.junction == "concat":
        shaped = [one.reshape(len(one), *b.normal_shape) for one, b in zip(values, given, strict=True)]
        found = np.concatenate([one.astype(np.int64) for one in shaped], axis=-1).reshape(len(values[0]), -1)
    elif partition.junction == "sum":
        found = np.sum([one.astype(np.int64) for one in values], axis=0)
    else:
        found = values[0]
    for boundary in (one for end in ends for one in makes[end]):
        known[boundary.name] = found


def _weights(end: Endpoint, port: StreamPort, inside: Inside) -> Integers:
    """Return the values of one pass, (1, elements)."""
    if end not in inside.weights:
        raise NoGoldenError(f"the weights of {end} are not known")
    kind, count = port.element, port.elements_per_frame
    bits = np.unpackbits(np.frombuffer(inside.weights[end], np.uint8), bitorder="little")
    codes = bits[: count * kind.bits].reshape(count, kind.bits).astype(np.int64) @ (1 << np.arange(kind.bits))
    if kind.name == "BIPOLAR":
        return (2 * codes - 1)[np.newaxis]
    return np.where(codes > kind.high, codes - (1 << kind.bits), codes)[np.newaxis]
