# SPDX-License-Identifier: BSD-3-Clause
"""Pace of partitions that are joined on one board, where a stream holds less than a frame between them.

A partition that waits for the next one takes its time, too: so the words of all partitions that streams of a
board join are followed at once, and each gets the cycles of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from shellgen.model import Endpoint, Inner, Network, NodePlan, Pace, Partition, Plan, StreamPort
from shellgen.read.external import stream_inputs
from shellgen.read.finn_onnx import DOMAIN, FinnModel, Node
from shellgen.read.flow import pace

_SLICE = 2  # words of a register slice behind a FIFO of the core


def with_coupled(plan: Plan, network: Network) -> Plan:
    """Return the plan with the pace of partitions that wait for others on their board.

    Args:
        plan: The plan.
        network: With the models of the partitions, as far as there are any.
    """
    paces: dict[str, Pace] = {}
    for node in plan.nodes:
        for names in _groups(node):
            found = _together(plan, node, names, network.models)
            for name in names if found else ():
                own = plan.partition(name).pace
                if found and own and own.source == "words" and own.period < found.period:
                    paces[name] = own.model_copy(update={"period": found.period})
    if not paces:
        return plan
    partitions = tuple(
        one.model_copy(update={"pace": paces[one.name]}) if one.name in paces else one
        for one in plan.partitions
    )
    return plan.model_copy(update={"partitions": partitions})


def _groups(node: NodePlan) -> list[tuple[str, ...]]:
    """Return the partitions of a board that streams of the board join, in the order of the board."""
    home = {name: {name} for name in node.partitions}
    for inner in node.inner:
        both = home[inner.producer.partition] | home[inner.consumer.partition]
        home |= dict.fromkeys(both, both)
    found = {id(group): group for group in home.values() if len(group) > 1}
    return [tuple(name for name in node.partitions if name in group) for group in found.values()]


def _together(
    plan: Plan, node: NodePlan, names: tuple[str, ...], models: Mapping[str, object]
) -> Pace | None:
    """Return the pace of several partitions as one; None where the layers of one are not known."""
    nodes: list[Node] = []
    tensors: dict[Endpoint, str] = {}
    ports: dict[Endpoint, StreamPort] = {}
    for name in names:
        model, partition = models.get(name), plan.partition(name)
        if not isinstance(model, FinnModel):
            return None
        nodes += [_prefixed(one, name) for one in model.nodes]
        own = _tensors(model, partition)
        tensors |= {end: f"{name}/{tensor}" for end, (tensor, _) in own.items()}
        ports |= {end: port for end, (_, port) in own.items()}
    for inner in node.inner:
        if inner.producer.partition not in names:
            continue
        made, read = tensors.pop(inner.producer, None), tensors.pop(inner.consumer, None)
        if made is None or read is None:
            return None
        nodes += _between(inner, made, read)
    inputs, outputs = (
        {end: tensor for end, tensor in tensors.items() if ports[end].direction == way}
        for way in ("in", "out")
    )
    into = tuple(inputs.values())
    whole = FinnModel(Path(), tuple(nodes), into, into, tuple(outputs.values()), {}, {}, {})
    return pace(whole, [ports[end] for end in (*inputs, *outputs)])


def _prefixed(node: Node, name: str) -> Node:
    sides = (node.inputs, node.outputs)
    inputs, outputs = (tuple(f"{name}/{tensor}" for tensor in side) for side in sides)
    return replace(node, inputs=inputs, outputs=outputs)


def _tensors(model: FinnModel, partition: Partition) -> dict[Endpoint, tuple[str, StreamPort]]:
    """Return tensor and port of each stream of data."""
    found: dict[Endpoint, tuple[str, StreamPort]] = {}
    for names, way in ((stream_inputs(model), "in"), (model.outputs, "out")):
        own = [port for port in partition.streams if port.direction == way]
        for name, port in zip(names, own, strict=False):
            if port.role == "data" and port.folded_shape:
                found[Endpoint(partition=partition.name, port=port.name)] = (name, port)
    return found


def _between(inner: Inner, made: str, read: str) -> list[Node]:
    """Return the FIFO and the converter of a core between two partitions."""
    same = inner.producer_word_bits == inner.consumer_word_bits
    held = read if same else f"{made}/held"
    depth = {"depth": inner.depth + _SLICE}
    nodes = [Node("StreamingFIFO_rtl", f"{made}/fifo", DOMAIN, (made,), (held,), {**depth})]
    if not same:
        widths = {"inWidth": inner.producer_word_bits, "outWidth": inner.consumer_word_bits}
        kind = "StreamingDataWidthConverter_rtl"
        nodes.append(Node(kind, f"{made}/width", DOMAIN, (held,), (read,), {**widths}))
    return nodes
