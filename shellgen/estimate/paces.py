# SPDX-License-Identifier: BSD-3-Clause
"""Times of a frame in each board and on its connections, for rehearsals without cores."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.estimate.cluster import partition_stage
from shellgen.estimate.servers import servers
from shellgen.estimate.timing import Timing, timing
from shellgen.model import End, NodePlan, Plan
from shellgen.platforms.places import media_of


@dataclass(frozen=True)
class PartPace:
    """Partitions of a board that streams inside it join; a frame of each input becomes one of each output.

    Attributes:
        inputs: Boundaries of the streams that enter.
        outputs: Boundaries of those that leave, of several consumers the first.
        period: Seconds from frame to frame, at least.
        through: Seconds from the input in memory to the output in memory.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    period: float
    through: float


@dataclass(frozen=True)
class NodePace:
    """A board.

    Attributes:
        parts: Of it.
        ways: Of each boundary, the media on its way by name, and the seconds that each takes for a frame.
    """

    parts: tuple[PartPace, ...]
    ways: dict[str, dict[str, float]]


def node_paces(plan: Plan) -> dict[str, NodePace]:
    """Return the pace of each board of a cluster."""
    times = timing(plan)
    return {node.name: NodePace(tuple(_parts(plan, node, times)), _ways(plan, node)) for node in plan.nodes}


def _parts(plan: Plan, node: NodePlan, times: Timing) -> list[PartPace]:
    groups = {name: frozenset((name,)) for name in node.partitions}
    for inner in node.inner:
        joined = groups[inner.producer.partition] | groups[inner.consumer.partition]
        groups |= dict.fromkeys(joined, joined)
    at = {one.stage: one for one in times.first}
    found = []
    for group in dict.fromkeys(groups.values()):
        ends = [end for end in node.ends if end.port.partition in group and not end.carries_weights]
        into, out = ([end for end in ends if end.direction == way] for way in ("in", "out"))
        pins = [end.beats_per_frame * plan.boundary(end.boundary).passes / node.clock_hz for end in ends]
        stages = [partition_stage(plan, node, plan.partition(name)).period for name in sorted(group)]
        began = max(at[_stage(node, end)].start for end in into)
        done = max(at[_stage(node, end)].finish for end in out)
        inputs, outputs = (tuple(end.boundary for end in each) for each in (into, out))
        found.append(PartPace(inputs, outputs, max(*pins, *stages, _alone(plan, node)), done - began))
    return found


def _stage(node: NodePlan, end: End) -> str:
    return f"{end.boundary} at {node.pin(end).name} of {node.name}"


def _alone(plan: Plan, node: NodePlan) -> float:
    """Return the seconds of a frame at a server that does all in sequence; 0 if it does not."""
    asked = plan.estimate.servers.get(node.name) if plan.estimate else None
    if asked is None or not asked.in_sequence:
        return 0.0
    return next(one.seconds for one in servers(plan) if one.server and one.node == node.name)


def _ways(plan: Plan, node: NodePlan) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    asked = plan.estimate.servers.get(node.name) if plan.estimate else None
    for place, media in media_of(node, plan.estimate):
        end = place.end
        if end.carries_weights:
            continue
        way = found.setdefault(end.boundary, {})
        way |= {one.name: one.seconds for one in media}
        if asked:
            does = "receives" if end.direction == "in" else "sends"
            way[f"server of {node.name} {does}"] = asked.seconds(end.frame_bytes)
    return found
