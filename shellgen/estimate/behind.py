# SPDX-License-Identifier: BSD-3-Clause
"""Bounds on the stages behind a partition: its last word in, and the later inputs of a concat.

A stage has a start and an end, and words between them are taken for evenly spread. Where the last words come
late or in a burst, the bounds of this file hold: none of them is more than what the blocks do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shellgen import latencies
from shellgen.estimate.engine import Channel, Stage
from shellgen.estimate.figures import paced
from shellgen.estimate.lags import flows_of
from shellgen.estimate.ways import Draft
from shellgen.model import Flow, NodePlan, Partition, Plan

_UNBOUNDED = 1 << 20  # frames inside a bound, which is no part of the cluster


def waits_later(partition: Partition, port: str) -> bool:
    """Return whether a partition begins a frame without this input: a concat takes its first one first."""
    return partition.junction == "concat" and port != partition.inputs[0].name


def first_behind(draft: Draft, partition: Partition, out: str, hz: int) -> float:
    """Return a bound on the seconds to the first word out, by the distance of the words that come in."""
    least = 0.0
    for flow in flows_of(partition) if len(partition.inputs) == 1 else ():
        if flow.target == out and flow.known and flow.need_first:
            late = 1
            if alone(partition) or partition.junction:  # no FIFO inside takes words while a layer works
                late = max(late, _first(draft.plan, partition, flow) - flow.need_first + 1)
            taken = draft.spans.get((partition.name, flow.source), 0.0)
            least = max(least, (flow.need_first - 1) * taken / max(1, flow.words - 1) + late / hz)
    return least


def even_span(draft: Draft, partition: Partition, made: int, own: float, hz: int) -> float:
    """Return the seconds from the first word out to the last where all have one distance, else 0.

    Args:
        draft: The system so far.
        partition: Where they are made.
        made: Words of a frame.
        own: Seconds from the first word to the last, if all of the input is there.
        hz: Clock of the partition.
    """
    if partition.junction:
        spans = (draft.spans.get((partition.name, one.name), 0.0) for one in partition.inputs)
        return min(spans, default=0.0)  # the words of an input that began before the others are there
    even = alone(partition) and made > 1 and round(own * hz) % (made - 1) == 0
    return own if even else 0.0


def alone(partition: Partition) -> bool:
    """Return whether a partition is one layer with one stream in and one out."""
    return len(partition.layers) == len(partition.inputs) == len(partition.outputs) == 1


def _first(plan: Plan, partition: Partition, flow: Flow) -> int:
    pace = paced(plan, partition)
    return pace.first.get(flow.target, flow.first) if pace else flow.first


def behind(draft: Draft, node: NodePlan, partition: Partition) -> None:
    """Add the bounds behind a partition."""
    for out in partition.outputs:
        if (partition.name, out.name) not in draft.out:
            continue
        stage, lag = draft.out[partition.name, out.name]
        for port in partition.inputs:
            if (partition.name, port.name) not in draft.into:
                continue
            before, entry, _ = draft.into[partition.name, port.name]
            late = _after_all(draft.plan, partition, port.name, out.name)
            if late is not None:
                delay = entry.tail + lag.lead + (late - 1) / node.compute.hz
                draft.channels.append(Channel(before, stage, delay=max(0.0, delay)))
        if partition.junction == "concat":
            _concatenated(draft, node, partition, out.name)


def _after_all(plan: Plan, partition: Partition, source: str, target: str) -> int | None:
    """Return the cycles from the last word of an input to the first of an output that needs all of it."""
    flows = (one for one in flows_of(partition) if (one.source, one.target) == (source, target))
    flow = next(flows, None)
    if flow is None or not flow.known or flow.need_first < flow.words:
        return None
    pace = paced(plan, partition)
    if pace and target in pace.first and source in pace.tail:
        late = pace.first[target] - (pace.last - pace.tail[source]) + 1
    elif partition.junction:
        late = flow.first - flow.words + 1
    else:
        return None  # the cycles of a layer alone are an upper bound
    return late if late > 0 else None


def _concatenated(draft: Draft, node: NodePlan, partition: Partition, out: str) -> None:
    """Let the stage behind a concat take the words of each input only when they are there.

    The words of a pixel follow one another, those of the first input first (``ip/axis_concat``).
    """
    stage, lag = draft.out[partition.name, out]
    port = partition.stream(out)
    assert port is not None, "an output of the partition"
    words, pixel = port.words_per_frame, [one.shape[-2] for one in partition.inputs]
    each = draft.stages[stage].period / words  # seconds of a word there
    late = latencies.GATHER / node.compute.hz + lag.lead
    for number, one in enumerate(partition.inputs):
        if (partition.name, one.name) not in draft.into:
            continue
        before, entry, extra = draft.into[partition.name, one.name]
        name = f"{partition.name} on {node.name}: input {number}"
        if number:  # from its first word on
            first = Stage(f"{name}, first word", 0.0, (words - sum(pixel[:number])) * each)
            draft.channels.append(Channel(before, first.name, lead=entry.lead))
            _bound(draft, first, before, stage, late)
            _awaited(
                draft,
                node,
                partition,
                out,
                Channel(before, f"{name}, awaited", lead=entry.lead),
                pixel[:number],
            )
        count = 1 + extra
        last = Stage(f"{name}, last words", 0.0, (count + sum(pixel[number + 1 :])) * each)
        delay = max(0.0, entry.tail - count / node.compute.hz)
        draft.channels.append(Channel(before, last.name, delay=delay))
        _bound(draft, last, before, stage, late)


def _awaited(  # noqa: PLR0913
    draft: Draft, node: NodePlan, partition: Partition, out: str, into: Channel, before: Sequence[int]
) -> None:
    """Let the layers behind a concat begin when the later input has the words that their first word needs.

    Args:
        draft: The system so far.
        node: The board of the concat.
        partition: The concat.
        out: Its output.
        into: From the stage in front of the later input to the bound.
        before: Words of a pixel that the earlier inputs have.
    """
    lag = draft.out[partition.name, out][1]
    for inner in node.inner:
        boundary = draft.plan.boundary(inner.boundary)
        producer, consumer = boundary.producer, boundary.consumer
        if not producer or not consumer or (producer.partition, producer.port) != (partition.name, out):
            continue
        part = draft.plan.partition(consumer.partition)
        pace, hz = paced(draft.plan, part), node.compute.hz
        needs = [flow.need_first for flow in flows_of(part) if flow.source == consumer.port and flow.known]
        if pace is None or len(needs) != 1 or len(part.inputs) != 1:
            continue
        words = -(-needs[0] * inner.consumer_word_bits // inner.producer_word_bits)  # of the concat
        if words <= sum(before):
            continue
        rest = needs[0] - sum(before) * inner.producer_word_bits // inner.consumer_word_bits - 1
        cycles = latencies.GATHER + max(0, rest) + pace.last - needs[0] + 1
        after = f"{part.name} on {node.name}"
        own = Stage(into.consumer, 0.0, cycles / hz + lag.lead)
        draft.channels.append(into)
        _bound(draft, own, into.producer, after, 0.0)


def _bound(draft: Draft, own: Stage, before: str, after: str, late: float) -> None:
    """Add a stage that a stage waits for at its end."""
    replicas = draft.stages[after].replicas
    draft.stages[own.name] = replace(own, bounds=before, replicas=replicas, inside=_UNBOUNDED)
    draft.channels.append(Channel(own.name, after, lead=0.0, tail=late, end_only=True))


__all__ = ["alone", "behind", "even_span", "first_behind", "waits_later"]
