# SPDX-License-Identifier: BSD-3-Clause
"""DepthToSpace and SpaceToDepth between two layers, as transposes of pixels with their channels last."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import helper
from qonnx.transformation.infer_shapes import InferShapes
from qonnx.util.basic import get_by_name

from .constants import name_domains

_LAYERS = ("Conv", "Gemm", "MatMul")


def transpose_pixels(model: Any) -> Any:
    """Return the model with Transpose and Reshape in place of both operators.

    Behind the last layer they stay as they are, since the host computes them.
    """
    kinds = ("DepthToSpace", "SpaceToDepth")
    found = [node.output[0] for node in model.graph.node if node.op_type in kinds and _feeds(model, node)]
    if not found:
        return model
    name_domains(model)
    model = model.transform(InferShapes())
    for node in [node for node in model.graph.node if node.output[0] in found]:
        shape = model.get_tensor_shape(node.input[0])
        if shape is not None and len(shape) == 4:
            _replace(model, node, [int(size) for size in shape])
    return model.transform(InferShapes())


def _feeds(model: Any, node: Any) -> bool:
    """Tell whether a layer reads what a node makes, directly or not."""
    waiting, seen = [node], set()
    while waiting:
        for reader in model.find_consumers(waiting.pop().output[0]) or []:
            if reader.op_type in _LAYERS:
                return True
            if reader.output[0] not in seen:
                seen.add(reader.output[0])
                waiting.append(reader)
    return False


def _replace(model: Any, node: Any, shape: list[int]) -> None:
    count, channels, rows, columns = shape
    block = get_by_name(node.attribute, "blocksize").i
    mode = get_by_name(node.attribute, "mode")
    if node.op_type == "SpaceToDepth":
        inner = [count, rows // block, block, columns // block, block, channels]
        order, last = [0, 1, 3, 2, 4, 5], [count, rows // block, columns // block, channels * block**2]
    else:
        inner, order = [count, rows, columns, block, block, channels // block**2], [0, 1, 3, 2, 4, 5]
        if mode is not None and mode.s == b"CRD":
            inner, order = [*inner[:3], channels // block**2, block, block], [0, 1, 4, 2, 5, 3]
        last = [count, rows * block, columns * block, channels // block**2]
    steps: tuple[tuple[str, list[int]], ...] = (
        ("Transpose", [0, 2, 3, 1]),
        ("Reshape", inner),
        ("Transpose", order),
        ("Reshape", last),
        ("Transpose", [0, 3, 1, 2]),
    )
    place, source = list(model.graph.node).index(node), node.input[0]
    model.graph.node.remove(node)
    for offset, (kind, numbers) in enumerate(steps):
        is_last = offset == len(steps) - 1
        target = node.output[0] if is_last else str(model.make_new_valueinfo_name())
        if kind == "Reshape":
            sizes = str(model.make_new_valueinfo_name())
            model.set_initializer(sizes, np.asarray(numbers, np.int64))
            made = helper.make_node(kind, [source, sizes], [target], f"{node.name}_{offset}")
        else:
            made = helper.make_node(kind, [source], [target], f"{node.name}_{offset}", perm=numbers)
        model.graph.node.insert(place + offset, made)
        if not is_last:
            _describe(model, target, source, kind, numbers)
        source = target


def _describe(model: Any, target: str, source: str, kind: str, numbers: list[int]) -> None:
    """Give a new tensor its shape, which also reserves its name."""
    have = model.get_tensor_shape(source)
    model.set_tensor_shape(target, numbers if kind == "Reshape" else [int(have[axis]) for axis in numbers])
