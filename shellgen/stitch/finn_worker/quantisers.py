# SPDX-License-Identifier: BSD-3-Clause
"""Rewrites quantisers that FINN's steps take for others, or do not take, in an equivalent form."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from onnx import helper
from qonnx.custom_op.general.intquant import int_quant
from qonnx.util.basic import get_by_name

from .tensors import own_constant, tensor_like
from .zero_points import centre, split_scale

_NEAREST = {"ROUND", "HALF_EVEN", "HALF_UP", "HALF_DOWN"}  # they differ where a value is on a threshold
_KNOWN = {*_NEAREST, "FLOOR"}
_BIASED = ("Conv", "ConvTranspose", "Gemm")


def fix_quantisers(model: Any, where: str) -> list[tuple[str, str, str]]:
    """Rewrite quantisers, in place.

    A bias behind a Quant becomes a constant, since qonnx does not take a zero point without dimensions.
    Each reader of a Relu gets one of its own, since FINN removes it with the first quantiser. A signed Quant
    of a Relu loses the half of its range that no value has. Rounding down becomes rounding to the nearest, of
    values that are less by half a step. FINN takes neither zero points, nor a sign with a scale, nor
    weights of several layers.

    Returns:
        Rounding modes that have no equal, and types that are not constant.
    """
    problems = []
    for node in list(model.graph.node):
        if node.op_type in ("Quant", "BipolarQuant") and model.get_initializer(node.input[0]) is not None:
            _separate(model, node)
    for node in list(model.graph.node):
        if node.op_type in _BIASED and len(node.input) > 2:
            _fold_bias(model, node)
        if node.op_type == "Relu":
            _separate(model, node)
    for node in list(model.graph.node):
        is_constant = model.get_initializer(node.input[0]) is not None
        if node.op_type == "BipolarQuant" and not is_constant:
            split_scale(model, node)
        if node.op_type != "Quant":
            continue
        found, remedy = _unknown(model, node, is_constant)
        if found:
            problems.append((f"{where}: node {node.name or node.output[0]}", found, remedy))
            continue
        centre(model, node)
        if not is_constant:
            _round_down(model, node)
            _drop_sign(model, node)
    return problems


def _unknown(model: Any, node: Any, is_constant: bool) -> tuple[str, str]:
    """Return what has no equal in a Quant, and the remedy; two empty strings if all has."""
    scale, zero, bits = (model.get_initializer(name) for name in node.input[1:])
    if scale is None or zero is None or bits is None or bits.size != 1:
        found = "its scale, zero point or width is no constant of one width, and thresholds are constants"
        return found, "Export it with constant ones, and one width for all channels"
    if is_constant:
        return "", ""
    if np.any(zero) and scale.size * zero.size != 1:
        return "its scale or its zero point differs by channel", "Export it with zero points of 0"
    mode = _mode(node)
    if mode not in _KNOWN:
        found = f"it rounds by {mode}, and thresholds of FINN's layers round to the nearest"
        return found, "Export it with ROUND or FLOOR"
    return "", ""


def _mode(node: Any) -> str:
    entry = get_by_name(node.attribute, "rounding_mode")
    return entry.s.decode().upper() if entry else "ROUND"


def _fold_bias(model: Any, node: Any) -> None:
    maker = model.find_producer(node.input[2])
    if maker is None or maker.op_type != "Quant":
        return
    values = [model.get_initializer(name) for name in maker.input]
    if any(value is None for value in values):
        return
    how = {entry.name: helper.get_attribute_value(entry) for entry in maker.attribute}
    signed, narrow = how.get("signed", 1), how.get("narrow", 0)
    mode = how.get("rounding_mode", b"ROUND").decode()
    left = maker.output[0]
    own_constant(model, node, 2, int_quant(*values, signed, narrow, mode))
    if not model.find_consumers(left):
        model.graph.node.remove(maker)


def _separate(model: Any, node: Any) -> None:
    """Give each reader but the first a copy."""
    for reader in (model.find_consumers(node.output[0]) or [])[1:]:
        _branch(model, node, reader)


def _branch(model: Any, node: Any, reader: Any) -> None:
    """Give a reader a copy of a node."""
    graph = model.graph
    other = copy.deepcopy(node)
    other.output[0] = tensor_like(model, node.output[0])
    other.name = f"{node.name}_of_{reader.name}"
    graph.node.insert(list(graph.node).index(node) + 1, other)
    for index, tensor in enumerate(reader.input):
        if tensor == node.output[0]:
            reader.input[index] = other.output[0]


def _round_down(model: Any, node: Any) -> None:
    """Take half a step from what is rounded down, before a Relu if there is one."""
    if _mode(node) != "FLOOR":
        return
    get_by_name(node.attribute, "rounding_mode").s = b"ROUND"
    scale = model.get_initializer(node.input[1])
    maker = model.find_producer(node.input[0])
    reader = maker if maker is not None and maker.op_type == "Relu" else node
    half, less = (model.make_new_valueinfo_name() for _ in range(2))
    model.set_initializer(half, np.asarray(-scale / 2, np.float32))
    model.set_tensor_shape(less, model.get_tensor_shape(reader.input[0]))
    add = helper.make_node("Add", [reader.input[0], half], [less], f"{node.name}_half")
    model.graph.node.insert(list(model.graph.node).index(reader), add)
    reader.input[0] = less


def _drop_sign(model: Any, node: Any) -> None:
    maker, bits = model.find_producer(node.input[0]), model.get_initializer(node.input[3])
    signed, narrow = (get_by_name(node.attribute, name) for name in ("signed", "narrow"))
    if maker is None or maker.op_type != "Relu" or bits is None or signed is None or not signed.i:
        return
    own_constant(model, node, 3, bits - 1)
    signed.i = 0
    if narrow is not None:
        narrow.i = 0
