# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a sequence or an image: Gather and Slice as FINN's Crop, Pad as its Pad1D.

FINN converts a Gather only, and its streamlining moves scales past a Slice only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import helper
from qonnx.util.basic import get_by_name

from .ends import DOMAIN

_TOKENS, _IMAGE = 3, 4  # dimensions


def slice_gathers(model: Any) -> Any:
    """Write a Gather of neighbouring constant indices as Slice; a Reshape drops the axis of a single one."""
    for node in [node for node in model.graph.node if node.op_type == "Gather"]:
        indices, shape = model.get_initializer(node.input[1]), model.get_tensor_shape(node.input[0])
        if indices is None or shape is None or indices.ndim > 1:
            continue
        axis = get_by_name(node.attribute, "axis")
        place = (axis.i if axis else 0) % len(shape)
        wanted = np.atleast_1d(indices) % shape[place]
        if not np.array_equal(wanted, np.arange(wanted[0], wanted[0] + len(wanted))):
            continue
        name, cut = node.output[0], node.output[0]
        index = list(model.graph.node).index(node)
        model.graph.node.remove(node)
        if indices.ndim == 0:
            cut = f"{name}_slice"
            model.set_initializer(f"{name}_shape", np.array(model.get_tensor_shape(name), np.int64))
            model.graph.node.insert(index, helper.make_node("Reshape", [cut, f"{name}_shape"], [name]))
            model.set_tensor_shape(cut, [*shape[:place], 1, *shape[place + 1 :]])
            model.set_tensor_datatype(cut, model.get_tensor_datatype(name))
        parts = {"starts": wanted[0], "ends": wanted[-1] + 1, "axes": place}
        for key, value in parts.items():
            model.set_initializer(f"{name}_{key}", np.array([value], np.int64))
        inputs = [node.input[0], *(f"{name}_{key}" for key in parts)]
        model.graph.node.insert(index, helper.make_node("Slice", inputs, [cut], node.name))
    return model


def infer_sequences(model: Any) -> Any:
    """Replace slices and constant padding of integers by FINN's layers, where these have such a shape."""
    for node in list(model.graph.node):
        if node.op_type not in ("Slice", "Pad"):
            continue
        kind, shape = model.get_tensor_datatype(node.input[0]), model.get_tensor_shape(node.input[0])
        if shape is None or not kind.is_integer() or len(shape) not in (_TOKENS, _IMAGE):
            continue
        made = (_crop if node.op_type == "Slice" else _pad)(model, node, [int(size) for size in shape])
        if made is not None:
            place = list(model.graph.node).index(node)
            model.graph.node.remove(node)
            model.graph.node.insert(place, made)
            model.set_tensor_datatype(node.output[0], kind)
    return model


def _crop(model: Any, node: Any, shape: list[int]) -> Any:
    given: list[Any] = [model.get_initializer(name) if name else None for name in node.input[1:]]
    if len(given) < 2 or any(values is None for values in given[:2]):
        return None
    starts, ends = given[:2]
    axes = given[2] if len(given) > 2 and given[2] is not None else np.arange(len(starts))
    if len(given) > 3 and given[3] is not None and (given[3] != 1).any():
        return None
    kept = [(0, size) for size in shape]
    for axis, start, end in zip(axes, starts, ends, strict=True):
        kept[axis] = slice(int(start), int(end)).indices(shape[axis])[:2]
    cuts = [(start, size - end) for (start, end), size in zip(kept, shape, strict=True)]
    image = cuts[-3:-1]  # rows and columns; one sequence is an image of one row
    if any(before or after for before, after in (cuts[-1], *cuts[:-3])):
        return None
    attributes: dict[str, Any] = {"ImgDim": shape[-3:-1], "NumChannels": shape[-1], "SIMD": 1}
    attributes |= {"CropNorth": image[0][0], "CropSouth": image[0][1]}
    attributes |= {"CropWest": image[1][0], "CropEast": image[1][1]}
    attributes["DataType"] = model.get_tensor_datatype(node.input[0]).name
    attributes["numInputVectors"] = shape[:-3] or [0]
    return _layer("Crop", [node.input[0]], node, attributes)


def _pad(model: Any, node: Any, shape: list[int]) -> Any:
    """Pad tokens with one value: FINN pads images by FMPadding, which streamlining makes of convolutions."""
    mode = get_by_name(node.attribute, "mode")
    around = model.get_initializer(node.input[1]) if len(node.input) > 1 else None
    if around is None or (mode and mode.s != b"constant") or len(shape) != _TOKENS or shape[0] != 1:
        return None
    value = model.get_initializer(node.input[2]) if len(node.input) > 2 and node.input[2] else np.zeros(1)
    first, left, inner, last, right, outer = (int(count) for count in around)
    if first or inner or last or outer or min(left, right) < 0 or value is None:
        return None
    kind, names = model.get_tensor_datatype(node.input[0]), []
    if not kind.allowed(float(np.ravel(value)[0])):
        return None
    for side in ("left", "right"):
        name = f"{node.output[0]}_{side}"
        model.set_initializer(name, np.full((1, 1, shape[2]), np.ravel(value)[0], np.float32))
        model.set_tensor_datatype(name, kind)
        names.append(name)
    attributes: dict[str, Any] = {"NumTokens": shape[1], "NumChannels": shape[2], "SIMD": 1}
    attributes |= {
        "PadLeft": left,
        "PadRight": right,
        "inputDataType": kind.name,
        "outputDataType": kind.name,
    }
    return _layer("Pad1D", [node.input[0], *names], node, attributes)


def _layer(kind: str, inputs: list[str], node: Any, attributes: dict[str, Any]) -> Any:
    return helper.make_node(
        kind, inputs, [node.output[0]], domain=DOMAIN, backend="fpgadataflow", **attributes
    )
