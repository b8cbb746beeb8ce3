# SPDX-License-Identifier: BSD-3-Clause
"""Constants of an export as initializers, which is where qonnx and FINN look for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import helper, numpy_helper
from qonnx.transformation.fold_constants import FoldConstants
from qonnx.transformation.infer_shapes import InferShapes

_QUANTISERS = ("Quant", "BipolarQuant")
_ELEMENTWISE = ("Add", "Sub", "Mul", "Div")
_SINGLE = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}


def fold_constants(model: Any) -> Any:
    """Return the model without Constant nodes, and without operators on constants but quantisers."""
    graph = model.graph
    for node in [node for node in graph.node if node.op_type == "Constant" and len(node.attribute) == 1]:
        (entry,) = node.attribute
        if entry.name == "value":
            values = numpy_helper.to_array(entry.t)
        elif entry.name in _SINGLE:
            values = np.asarray(helper.get_attribute_value(entry), _SINGLE[entry.name])
        else:
            continue
        graph.initializer.append(numpy_helper.from_array(values, node.output[0]))
        graph.node.remove(node)
    known = {tensor.name for tensor in graph.initializer}
    left = [node for node in graph.node if node.op_type not in _QUANTISERS and set(node.input) <= known]
    if not left:
        return model
    name_domains(model)
    return model.transform(InferShapes()).transform(FoldConstants(list(_QUANTISERS)))


def name_domains(model: Any) -> None:
    """Give quantisers the domain that they have in qonnx, in place; shapes are not inferred otherwise."""
    for node in model.graph.node:
        if node.op_type in (*_QUANTISERS, "Trunc"):
            node.domain = "qonnx.custom_op.general"


def drop_constant_outputs(model: Any) -> list[str]:
    """Remove outputs that depend on no input, in place; Brevitas returns scales beside the values.

    Returns:
        What the user should know.
    """
    graph = model.graph
    moving = {tensor.name for tensor in graph.input} - {tensor.name for tensor in graph.initializer}
    for node in model.graph.node:  # in ONNX, nodes are in topological order
        if moving & set(node.input):
            moving |= set(node.output)
    still = [tensor for tensor in graph.output if tensor.name not in moving]
    if not still or len(still) == len(graph.output):
        return []
    for tensor in still:
        graph.output.remove(tensor)
    _drop_unused(graph)
    names = ", ".join(tensor.name for tensor in still)
    return [f"left out, as they are the same for every frame: outputs {names}"]


def _drop_unused(graph: Any) -> None:
    """Remove nodes whose results nobody reads."""
    wanted = {tensor.name for tensor in graph.output}
    for node in reversed(list(graph.node)):
        if wanted & set(node.output):
            wanted |= set(node.input)
        else:
            graph.node.remove(node)


def widen_constants(model: Any) -> None:
    """Give constants that are added to vectors, or multiplied by them, both dimensions, in place.

    FINN takes a list of numbers for one of them where its layout says that it has two.
    """
    for node in model.graph.node:
        if node.op_type not in _ELEMENTWISE or len(model.get_tensor_shape(node.output[0]) or ()) != 2:
            continue
        for index, name in enumerate(node.input):
            values = model.get_initializer(name)
            if values is not None and values.ndim == 1 and values.size > 1:
                node.input[index] = model.make_new_valueinfo_name()
                model.set_initializer(node.input[index], values.reshape(1, -1))
