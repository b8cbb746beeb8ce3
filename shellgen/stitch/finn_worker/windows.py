# SPDX-License-Identifier: BSD-3-Clause
"""Rewrites padding that FINN's steps do not take, or take for other padding, in an equivalent form."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import helper
from qonnx.util.basic import get_by_name

from .problems import stop_if
from .tensors import tensor_like

_KEEPS = ("MaxPool", "Transpose", "Reshape", "Flatten", "Identity", "Dropout")  # values, or some of them
_REMEDY = "Put a Quant node of constant scale directly in front of the pool"


def fix_windows(model: Any, where: str) -> None:
    """Rewrite padding, in place; tensors have shapes.

    Padding that ONNX computes is written out, and so is a size that is rounded up. FINN pads with zeros, the
    least of unsigned values: signed ones become unsigned for a MaxPool, between two quantisers.

    Raises:
        FoundProblems: Pools that have no equal.
    """
    problems = []
    for node in [node for node in model.graph.node if node.op_type in ("Conv", "MaxPool")]:
        if len(model.get_tensor_shape(node.input[0]) or ()) != 4:
            continue
        _write_out(model, node)
        if node.op_type == "Conv":
            continue
        place = f"{where}: node {node.name}"
        if max(_numbers(node, "dilations", 1)) > 1:
            found = "FINN's step InferPool makes no window with dilations of this MaxPool"
            problems.append((place, found, "Export it without dilations, or use a Conv with a stride"))
        if any(_numbers(node, "pads", 0)) and not _is_positive(model, node.input[0]):
            quantiser = _quantiser(model, node)
            if quantiser is not None:
                _lift(model, node, quantiser)
                continue
            found = "FINN's step InferConvInpGen pads this MaxPool with zeros, and its values may be negative"
            problems.append((place, found, _REMEDY))
    stop_if(problems)


def _numbers(node: Any, name: str, otherwise: int) -> list[int]:
    """Return an attribute of a window, of four numbers if it is padding."""
    entry = get_by_name(node.attribute, name)
    return list(entry.ints) if entry else [otherwise] * (4 if name == "pads" else 2)


def _write_out(model: Any, node: Any) -> None:
    """Make ``pads`` of ``auto_pad`` and ``ceil_mode``."""
    kernel, strides, dilations = (
        _numbers(node, name, 1) for name in ("kernel_shape", "strides", "dilations")
    )
    pads = _numbers(node, "pads", 0)
    given: dict[str, Any] = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
    automatic = given.pop("auto_pad", b"NOTSET").decode() or "NOTSET"
    sizes, made = (model.get_tensor_shape(name)[2:] for name in (node.input[0], node.output[0]))
    for axis in (0, 1):
        reach = (made[axis] - 1) * strides[axis] + (kernel[axis] - 1) * dilations[axis] + 1
        needed = max(reach - sizes[axis], 0)
        if automatic == "VALID":
            pads[axis] = pads[2 + axis] = 0
        elif automatic != "NOTSET":
            less, more = needed // 2, needed - needed // 2
            pads[axis], pads[2 + axis] = (less, more) if automatic == "SAME_UPPER" else (more, less)
        elif given.get("ceil_mode"):
            pads[2 + axis] = max(needed - pads[axis], 0)
    given |= {"kernel_shape": kernel, "strides": strides, "dilations": dilations, "pads": pads}
    given |= {"ceil_mode": 0} if node.op_type == "MaxPool" else {"group": given.get("group", 1)}
    del node.attribute[:]
    node.attribute.extend(helper.make_attribute(name, value) for name, value in given.items())


def _is_positive(model: Any, tensor: str) -> bool:
    """Tell values that cannot be less than zero."""
    node = model.find_producer(tensor)
    if node is None:
        return False
    signed = get_by_name(node.attribute, "signed")
    if node.op_type == "Relu" or (node.op_type == "Quant" and signed is not None and not signed.i):
        return True
    return node.op_type in _KEEPS and _is_positive(model, node.input[0])


def _quantiser(model: Any, pool: Any) -> Any:
    """Return the signed Quant in front of a pool; None if there is no such."""
    node = model.find_producer(pool.input[0])
    while node is not None and node.op_type in _KEEPS:
        node = model.find_producer(node.input[0])
    if node is None or node.op_type != "Quant":
        return None
    return None if any(model.get_initializer(name) is None for name in node.input[1:]) else node


def _lift(model: Any, pool: Any, quantiser: Any) -> None:
    """Pool unsigned values, which are higher by the lowest signed one, and quantise again behind it."""
    graph = model.graph
    scale, zero, bits = (model.get_initializer(name) for name in quantiser.input[1:])
    offset = scale * 2.0 ** (bits - 1)
    kinds = {"scale": scale, "zero": np.zeros_like(zero), "bits": bits, "up": offset, "down": -offset}
    constants = {}
    for key, value in kinds.items():
        constants[key] = model.make_new_valueinfo_name()
        model.set_initializer(constants[key], np.asarray(value, np.float32))
    outer, result = pool.input[0], pool.output[0]
    lifted, positive, counted, pooled, lowered = (
        tensor_like(model, like) for like in (outer, outer, outer, result, result)
    )
    types = [constants[key] for key in ("scale", "zero", "bits")]
    how = {"narrow": 0, "rounding_mode": "ROUND", "domain": quantiser.domain}
    before = [
        helper.make_node("Add", [outer, constants["up"]], [lifted], f"{pool.name}_up"),
        helper.make_node("Relu", [lifted], [positive], f"{pool.name}_positive"),
        helper.make_node("Quant", [positive, *types], [counted], f"{pool.name}_counted", signed=0, **how),
    ]
    behind = [
        helper.make_node("Add", [pooled, constants["down"]], [lowered], f"{pool.name}_down"),
        helper.make_node("Quant", [lowered, *types], [result], f"{pool.name}_again", signed=1, **how),
    ]
    pool.input[0], pool.output[0] = counted, pooled
    at = list(graph.node).index(pool)
    for place, nodes in ((at + 1, behind), (at, before)):
        for node in reversed(nodes):
            graph.node.insert(place, node)
