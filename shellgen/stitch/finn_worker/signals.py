# SPDX-License-Identifier: BSD-3-Clause
"""Networks on signals, (frames, channels, samples): operators that qonnx's step to images leaves out."""

from __future__ import annotations

from typing import Any

from qonnx.transformation import change_3d_tensors_to_4d

# Each of these computes the same where every tensor of three dimensions gets a fourth of one.
_SAME = {"GlobalAveragePool", "GlobalMaxPool", "Relu", "Sub", "Sigmoid", "Tanh", "Identity"}
_find_invalid = change_3d_tensors_to_4d._find_invalid_nodes
_BY_AXIS = {"Concat", "Split"}  # along a dimension that is counted from the front


def widen_signals(model: Any, where: str) -> list[tuple[str, str, str]]:
    """Prepare what qonnx's step leaves out, in place; that step then takes the network.

    Returns:
        Operators that stay unknown, if they work on signals.
    """
    unknown = set(_find_invalid(model)) - _SAME - _BY_AXIS - {"Squeeze"}
    problems = []
    for node in model.graph.node:
        on_signals = any(len(model.get_tensor_shape(name) or ()) == 3 for name in (*node.input, *node.output))
        if not on_signals:
            continue
        if node.op_type in unknown:
            found = f"this {node.op_type} works on a signal of one dimension, where `stitch` does not know it"
            remedy = "Export the network on images, with a width of 1, or leave this operator to the host"
            problems.append((f"{where}: node {node.name}", found, remedy))
        elif node.op_type in _BY_AXIS:
            for entry in node.attribute:
                if entry.name == "axis":
                    entry.i %= 3
        elif node.op_type == "Squeeze" and len(model.get_tensor_shape(node.output[0])) == 2:
            node.op_type = "Flatten"
            del node.attribute[:], node.input[1:]
            node.attribute.add(name="axis", i=1, type=2)
    change_3d_tensors_to_4d._find_invalid_nodes = lambda _: []
    return problems
