# SPDX-License-Identifier: BSD-3-Clause
"""The model's names of the streams between the host and the partitions, in the model's order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from shellgen.errors import printable
from shellgen.model import Endpoint, Partition
from shellgen.read.external import stream_inputs
from shellgen.read.finn_onnx import FinnModel, Node


def host_tensors(
    parent: FinnModel,
    partitions: Collection[str],
    takers: Sequence[tuple[str, Endpoint]],
    makers: Mapping[str, Endpoint],
) -> dict[Endpoint, str]:
    """Return the tensor of each port that the host feeds or reads, inputs first.

    Nodes between the model's ends and the partitions are the host's; a port behind them gets the name of the
    tensor at the port. FINN's DMA partitions change nothing, so a port behind one gets the model's name.

    Args:
        parent: The partitioned model.
        partitions: Names of the nodes that are partitions here; DMA partitions are not.
        takers: Each tensor that a partition takes, with its port.
        makers: The port that makes a tensor.
    """
    others = [node for node in parent.nodes if node.name not in partitions]
    found: dict[Endpoint, str] = {}
    taken = {tensor for tensor, _ in takers}
    after = [(node, node.inputs, node.outputs) for node in others]
    for name in parent.inputs:
        for tensor, called in _reached(name, after, taken).items():
            found |= {end: called for one, end in takers if one == tensor}
    before = [(node, node.outputs, node.inputs) for node in others]
    for name in parent.outputs:
        found |= {makers[tensor]: called for tensor, called in _reached(name, before, makers).items()}
    return found


def own_tensors(model: FinnModel, partition: Partition) -> dict[Endpoint, str]:
    """Return the same for a network of one partition, whose own model is the whole."""
    found: dict[Endpoint, str] = {}
    sides = ((stream_inputs(model), partition.inputs), (model.outputs, partition.outputs))
    for tensors, ports in sides:
        if len(tensors) == len(ports):
            found |= {
                Endpoint(partition=partition.name, port=port.name): printable(tensor)
                for tensor, port in zip(tensors, ports, strict=True)
                if not port.carries_weights
            }
    return found


def _reached(
    start: str, nodes: Sequence[tuple[Node, Sequence[str], Sequence[str]]], known: Collection[str]
) -> dict[str, str]:
    """Return the known tensors that lead to or from a tensor, each with the name to use for it."""
    names, waiting = {start: start}, [start]
    while waiting:
        tensor = waiting.pop(0)
        for node, near, far in nodes:
            if tensor in near:
                moves = node.op == "StreamingDataflowPartition"
                new = [name for name in far if name and name not in names]
                names |= {name: names[tensor] if moves else name for name in new}
                waiting += new
    return {tensor: printable(called) for tensor, called in names.items() if tensor in known}
