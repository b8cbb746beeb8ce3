# SPDX-License-Identifier: BSD-3-Clause
"""Cycles of the layers of a plan, each with its source; what cluster.toml says comes first."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.counted import counted
from shellgen.model import Pace, Partition, Plan

GIVEN = "[estimate] of cluster.toml"
SOURCES = {
    "measured": "FINN's RTL simulation",
    "report": "FINN's estimate_layer_cycles.json",
    "estimate": "FINN's estimate in the model",
    "formula": "formula for the folding",
}
UNKNOWN = "unknown"
# FINN names layers by their operator. These have the pace of the layers around them, and no folding.
_BETWEEN = ("StreamingFIFO", "StreamingDataWidthConverter")
FACTOR = 2  # by which two sources of one figure may differ
PACES = {
    "words": "words between its layers",
    "rtlsim": "FINN's rtlsim_performance.json",
    "bench": "simulation of this build",
}


@dataclass(frozen=True)
class Layer:
    """Cycles of a layer for a frame.

    Attributes:
        name: Without the name of its partition.
        cycles: None if nothing tells.
        source: Where the figure comes from.
    """

    name: str
    cycles: int | None
    source: str


def layers_of(plan: Plan, partition: Partition) -> tuple[Layer, ...]:
    """Return the layers of a partition in graph order."""
    found = []
    for index, name in enumerate(partition.timed):
        short = partition.short(name)
        key = given_as(plan, partition, name)
        told = plan.estimate.layers[key] if plan.estimate and key else None
        by = partition.layer_sources[index] if index < len(partition.layer_sources) else ""
        cycles = partition.layer_cycles[index] if index < len(partition.layer_cycles) else None
        if told is not None:
            found.append(Layer(short, told, GIVEN))
        else:
            found.append(Layer(short, cycles, SOURCES.get(by, UNKNOWN) if cycles else UNKNOWN))
    return tuple(found)


def given_as(plan: Plan, partition: Partition, layer: str) -> str | None:
    """Return the name by which cluster.toml gives cycles of a layer, if it does.

    Builds may have layers of one name; with the name of the partition in front, it is that of one.
    """
    given = plan.estimate.layers if plan.estimate else {}
    if not given or (full := partition.full(layer)) in given:
        return full if given else None
    others = {one.full(name) for one in plan.partitions for name in one.timed}
    names = (layer, partition.short(layer))
    return next((name for name in names if name in given and name not in others), None)


def slowest_of(plan: Plan, partition: Partition) -> Layer | None:
    """Return the slowest layer of a partition, of equals the first that computes, or None."""
    known = [layer for layer in layers_of(plan, partition) if layer.cycles]
    return max(known, key=lambda one: (one.cycles or 0, not one.name.startswith(_BETWEEN)), default=None)


def period_of(plan: Plan, partition: Partition) -> int:
    """Return the cycles from frame to frame: of the layers together, or else of the slowest one.

    What cluster.toml says of a layer counts alone: nobody knows how the others wait for it then. A simulation
    of the partition, and the words between its layers, count before all formulas.
    """
    slowest = max((layer.cycles or 0 for layer in layers_of(plan, partition)), default=0)
    pace = paced(plan, partition)
    return slowest if pace is None else pace.period


def paced(plan: Plan, partition: Partition) -> Pace | None:
    """Return how the layers wait for one another, unless cluster.toml says something of one of them."""
    given = any(layer.source == GIVEN for layer in layers_of(plan, partition))
    return None if given else partition.pace


def contradictions(plan: Plan) -> tuple[str, ...]:
    """Say where cluster.toml gives a layer less than half or more than twice what another source says."""
    found = []
    for partition in plan.partitions:
        for index, layer in enumerate(layers_of(plan, partition)):
            known = partition.layer_cycles[index] if index < len(partition.layer_cycles) else None
            if layer.source != GIVEN or not known or not layer.cycles:
                continue
            if not known / FACTOR <= layer.cycles <= known * FACTOR:
                by = SOURCES.get("".join(partition.layer_sources[index : index + 1]), UNKNOWN)
                name = f"{partition.name}, layer {layer.name}"
                found.append(f"{name}: {counted(layer.cycles, 'cycle')} by {GIVEN}, {known:,} by {by}")
    return tuple(found)
