# SPDX-License-Identifier: BSD-3-Clause
"""Operators of images in FINN's order of dimensions, with channels last, between two transposes.

FINN's own steps do this only where a transpose is next to the operator: not behind a fork, as in every
ResNet, whose pool feeds two branches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper

_TO_LAST, _TO_FIRST = [0, 2, 3, 1], [0, 3, 1, 2]


def put_channels_last(model: Any) -> None:
    """Rewrite all MaxPool, Resize, Upsample and Split by channel of an export, in place."""
    changes = {"MaxPool": _pool, "Resize": _resize, "Upsample": _resize, "Split": _split}
    for node in list(model.graph.node):
        change = changes.get(node.op_type)
        shape = model.get_tensor_shape(node.input[0]) if change else None
        if change and shape and len(shape) == 4 and change(model, node):
            _surround(model, node)


def _pool(model: Any, node: Any) -> bool:
    del model
    kept = {"kernel_shape", "strides", "pads", "ceil_mode"}
    attributes = [entry for entry in node.attribute if entry.name in kept]
    del node.attribute[:]
    node.attribute.extend(attributes)
    node.op_type, node.domain = "MaxPoolNHWC", "qonnx.custom_op.general"
    return True


def _resize(model: Any, node: Any) -> bool:
    """Order scales or sizes; other inputs (a region) have no meaning for FINN's layer."""
    for index in range(1, len(node.input)):
        values = model.get_initializer(node.input[index])
        if values is not None and values.size == 4:
            name = model.make_new_valueinfo_name()  # two of them may share one
            node.input[index] = name
            model.set_initializer(name, np.ascontiguousarray(values[_TO_LAST]))
    return True


def _split(model: Any, node: Any) -> bool:
    del model
    (axis,) = [entry for entry in node.attribute if entry.name == "axis"] or [None]
    if axis is None or axis.i not in (1, -3):
        return False
    axis.i = -1
    return True


def _surround(model: Any, node: Any) -> None:
    """Put a transpose before the node, and one behind each output."""
    graph = model.graph
    at = list(graph.node).index(node)
    new = [(_reorder(model, node.input, 0, _TO_LAST), at)]
    new += [(_reorder(model, node.output, index, _TO_FIRST), at + 2) for index in range(len(node.output))]
    for transpose, place in new:
        graph.node.insert(place, transpose)


def _reorder(model: Any, ends: Any, index: int, order: list[int]) -> Any:
    """Give an end of a node a tensor of its own, and return the transpose between this and the old one."""
    outer, inner = ends[index], model.make_new_valueinfo_name()
    shape = model.get_tensor_shape(outer)
    value = helper.make_tensor_value_info(inner, TensorProto.FLOAT, [shape[axis] for axis in _TO_LAST])
    model.graph.value_info.append(value)
    model.set_tensor_datatype(inner, model.get_tensor_datatype(outer))
    ends[index] = inner
    named = (outer, inner) if order is _TO_LAST else (inner, outer)
    return helper.make_node("Transpose", [named[0]], [named[1]], perm=order)
