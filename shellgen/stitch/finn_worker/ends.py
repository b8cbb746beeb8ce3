# SPDX-License-Identifier: BSD-3-Clause
"""Cut off what stays with the host: operators before the first layer and behind the last one.

Typical are the quantisation of a float input and its transpose to channels last, and at the other end the
scale and bias of the last layer, which streamlining has moved there, Softmax or TopK.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from qonnx.core.modelwrapper import ModelWrapper

from .problems import stop_if

DOMAIN = "finn.custom_op.fpgadataflow"  # of FINN's layers; of those with a back end, the first part
# Never left to the host in silence: this is what the FPGA is for.
_HEAVY = {"MatMul", "XnorPopcountMatMul", "Conv", "ConvTranspose", "Gemm", "Im2Col", "GlobalAccPool"}
_LAYERS = _HEAVY | {"MultiThreshold", "MaxPoolNHWC", "QuantAvgPool2d", "Concat", "Split", "TopK"}
_MOVES = ("Im2Col", "Transpose", "Reshape", "Flatten", "Pad")
_REMEDY = "Put a Quant node there in the training framework, or annotate an integer data type"


@dataclass
class Ends:
    """A model in three parts.

    Attributes:
        core: What becomes layers.
        before: From the inputs of the model to those of the core, or None if they are the same.
        after: From the outputs of the core to those of the model, or None.
        inputs: What the partitions call the inputs of the core, by their names; known once it is lowered.
        outputs: The same for its outputs.
        said: What came of streamlining, for the user.
        export: The `verify.Export` that they were made of, if it is one.
    """

    core: Any
    before: Any
    after: Any
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    export: Any = None

    def notes(self) -> list[str]:
        """Say what streamlining did, and what the host has to compute."""
        found = list(self.said)
        for part, place in ((self.before, "before the first layer"), (self.after, "behind the last layer")):
            if part is not None:
                names = ", ".join(f"{node.op_type} ({node.name})" for node in part.graph.node)
                found.append(f"left to the host, {place}: {names}")
        return found


def cut_ends(model: Any, where: str) -> Ends:
    """Split a streamlined model; nodes between two layers stay in the core, whatever they are.

    Raises:
        FoundProblems: Matrices and convolutions that work on numbers that are not integers; no layer at all.
    """
    nodes = list(model.graph.node)
    layers = [_is_layer(model, node) for node in nodes]
    reached = _reached(nodes, layers, forward=True)
    needed = _reached(nodes, layers, forward=False)
    # Where FINN has chosen the layers already, it has left to the host what lies around them.
    chosen = any(is_hardware(node) for node in nodes)
    problems = [
        problem
        for node, layer, late, early in zip(nodes, layers, reached, needed, strict=True)
        if not layer and node.op_type in _HEAVY and not (chosen and late != early)
        for problem in _not_integer(model, node, where)
    ]
    stop_if(problems)
    if not any(layers):
        stop_if([(where, "nothing in it works on integers", _REMEDY)])
    before = [
        node for node, layer, flag in zip(nodes, layers, reached, strict=True) if not layer and not flag
    ]
    after = [
        node
        for node, layer, late, early in zip(nodes, layers, reached, needed, strict=True)
        if not layer and late and not early
    ]
    core = [node for node in nodes if node not in before and node not in after]
    # A tensor that crosses takes the place of the model's input or output that it belongs to.
    up, down = (
        _ranks({value.name: place for place, value in enumerate(ends)}, nodes, forward=forward)
        for ends, forward in ((model.graph.input, True), (model.graph.output, False))
    )
    return Ends(_part(model, core, up, down), _part(model, before, up, up), _part(model, after, down, down))


def _is_layer(model: Any, node: Any) -> bool:
    if is_hardware(node):
        return True
    streams = [tensor for tensor in node.input if tensor and model.get_initializer(tensor) is None]
    adds = node.op_type == "Add" and len(streams) == 2
    if not adds and node.op_type not in _LAYERS:
        return False
    wanted = node.input[:2] if node.op_type == "MatMul" else streams
    return all(model.get_tensor_datatype(tensor).is_integer() for tensor in wanted)


def is_hardware(node: Any) -> bool:
    """Tell a layer of FINN's hardware, whether its back end is chosen or not."""
    return bool(node.domain.startswith(DOMAIN))


def _not_integer(model: Any, node: Any, where: str) -> list[tuple[str, str, str]]:
    problems = []
    kinds = [(tensor, model.get_tensor_datatype(tensor)) for tensor in node.input[:2]]
    others = [(tensor, kind) for tensor, kind in kinds if not kind.is_integer()]
    for tensor, kind in others:
        if not _is_window(model, node, tensor):
            constant = model.get_initializer(tensor) is not None
            what = "weights" if constant and node.op_type != "Im2Col" else "input"
            found = (
                f"the {what} of this {node.op_type} ({tensor}) are {kind.name}, and hardware takes integers"
            )
            found = found.replace("input", "input values", 1)
            cause, remedy = ("", _REMEDY) if constant else _cause(model, tensor)
            problems.append((f"{where}: node {node.name}", found + cause, remedy))
    if not others:
        remedy = "Streamline the network with FINN by hand first, or use an operator that FINN can lower"
        found = f"FINN's streamlining leaves this {node.op_type} as it is"
        problems.append((f"{where}: node {node.name}", found, remedy))
    return problems


def _is_window(model: Any, node: Any, tensor: str) -> bool:
    """Tell the windows of a convolution, whose Im2Col is named already."""
    maker = model.find_producer(tensor)
    return node.op_type == "MatMul" and maker is not None and maker.op_type == "Im2Col"


def _cause(model: Any, tensor: str) -> tuple[str, str]:
    """Return why values are no integers, though a quantiser is in front of them, and the remedy."""
    node = model.find_producer(tensor)
    while node is not None and node.op_type in _MOVES:
        node = model.find_producer(node.input[0])
    if node is not None and node.op_type == "Quant":
        return f"; {node.name} is too wide for thresholds", "Give it at most 16 bits"
    if node is None or not any(_is_counted(model, name) for name in node.input):
        return "", _REMEDY
    cause = f"; FINN's streamlining cannot move scale and bias of the quantiser past {node.name}"
    if node.op_type == "Mul":
        cause = f"; FINN's streamlining cannot move the scale in {node.name} past it"
        return cause, "Give the quantiser in front of it one scale for all channels"
    if node.op_type == "Add":
        cause = f"; FINN's streamlining cannot move the sum in {node.name} past it"
        return cause, "Leave out the bias or zero point behind this quantiser, or the padding behind that"
    return cause, f"Put a Quant node behind this {node.op_type}, or export the network without it"


def _is_counted(model: Any, tensor: str) -> bool:
    """Tell integers, or integers with a scale and a bias."""
    node = model.find_producer(tensor)
    if model.get_tensor_datatype(tensor).is_integer():
        return node is not None and node.op_type not in _HEAVY  # sums were not quantised at all
    return node is not None and node.op_type in (*_MOVES, "Mul", "Add") and _is_counted(model, node.input[0])


def _reached(nodes: list[Any], layers: list[bool], *, forward: bool) -> list[bool]:
    """Tell for each node whether a layer lies before it (forward) or behind it; nodes are sorted."""
    own = [node for node, layer in zip(nodes, layers, strict=True) if layer]
    ranks = _ranks(
        {tensor: 0 for node in own for tensor in _sides(node, forward=forward)[1]}, nodes, forward=forward
    )
    return [any(tensor in ranks for tensor in _sides(node, forward=forward)[0]) for node in nodes]


def _ranks(known: dict[str, int], nodes: list[Any], *, forward: bool) -> dict[str, int]:
    """Spread ranks of tensors to those that they lead to (forward) or that lead to them: the lowest."""
    ranks = dict(known)
    for node in nodes if forward else reversed(nodes):
        near, far = _sides(node, forward=forward)
        lowest = min((ranks[tensor] for tensor in near if tensor in ranks), default=None)
        if lowest is not None:
            ranks.update({tensor: min(lowest, ranks.get(tensor, lowest)) for tensor in far})
    return ranks


def _sides(node: Any, *, forward: bool) -> tuple[Any, Any]:
    return (node.input, node.output) if forward else (node.output, node.input)


def _part(model: Any, nodes: list[Any], in_order: dict[str, int], out_order: dict[str, int]) -> Any:
    """Return a model of some of the nodes, or None; its ends are the tensors that cross."""
    if not nodes:
        return None
    names = {node.name for node in nodes}
    part = ModelWrapper(copy.deepcopy(model.model))
    graph = part.graph
    for node in list(graph.node):
        if node.name not in names:
            graph.node.remove(node)
    made = {tensor for node in nodes for tensor in node.output}
    read = [tensor for node in nodes for tensor in node.input]
    inside = {tensor.name for tensor in graph.initializer}
    outside = {tensor for node in model.graph.node if node.name not in names for tensor in node.input}
    outside |= {tensor.name for tensor in model.graph.output}
    inputs = [tensor for tensor in dict.fromkeys(read) if tensor and tensor not in made | inside]
    outputs = [tensor for node in nodes for tensor in node.output if tensor in outside]
    inputs.sort(key=lambda tensor: in_order.get(tensor, len(in_order)))
    outputs.sort(key=lambda tensor: out_order.get(tensor, len(out_order)))
    _set_ends(model, graph, inputs, outputs)
    part.cleanup()
    return part


def _set_ends(model: Any, graph: Any, inputs: list[str], outputs: list[str]) -> None:
    known = [*model.graph.input, *model.graph.output, *model.graph.value_info]
    by_name = {value.name: value for value in known}
    for ends, names in ((graph.input, inputs), (graph.output, outputs)):
        del ends[:]
        ends.extend(copy.deepcopy(by_name[name]) for name in names)
    crossing = {*inputs, *outputs}
    for value in [value for value in graph.value_info if value.name in crossing]:
        graph.value_info.remove(value)
