# SPDX-License-Identifier: BSD-3-Clause
"""Trunc of QONNX, which drops the lowest bits of a sum, as the Quant that it equals."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import helper
from qonnx.util.basic import get_by_name

from .tensors import tensor_like

_FORMER = 5  # inputs before qonnx 1.0, which has another scale behind the fourth
_KEEP_SIGNS = ("AveragePool", "GlobalAveragePool", "MaxPool", "Flatten", "Reshape", "Transpose")


def quantise_truncations(model: Any) -> None:
    """Write each Trunc with constant parameters and without a zero point as a Quant, in place.

    FINN's steps know a Trunc behind an AveragePool of images only, and only in its former form.
    """
    for node in [node for node in model.graph.node if node.op_type == "Trunc"]:
        values = [model.get_initializer(name) for name in node.input[1:]]
        if all(value is not None and value.size == 1 for value in values) and not values[1].any():
            _replace(model, node, [float(value.flat[0]) for value in values])


def _replace(model: Any, node: Any, values: list[float]) -> None:
    scale, bits = values[0], values[-1]
    mode = {"rounding_mode": _attribute(node, "rounding_mode", b"FLOOR"), "signed": 1, "narrow": 0}
    if len(node.input) == _FORMER:
        # The former one clips nothing, so a sign costs a bit where nobody says that there is none.
        step, unit = scale * 2.0 ** (values[2] - bits), scale
        mode["signed"] = int(not _is_unsigned(model, node.input[0]))
        bits += mode["signed"]
    else:
        step = unit = values[3]
        mode["signed"], mode["narrow"] = (
            _attribute(node, *entry) for entry in (("signed", 1), ("narrow", 0))
        )
    source = node.input[0]
    made = []
    if step > scale:
        # Values are multiples of `scale`; half of one keeps errors of float32 off the thresholds.
        source = tensor_like(model, node.output[0])
        inputs = [node.input[0], _constant(model, scale / 2)]
        made.append(helper.make_node("Add", inputs, [source], f"{node.name}_half"))
    quantised = node.output[0] if unit == step else tensor_like(model, node.output[0])
    inputs = [source, *(_constant(model, value) for value in (step, 0.0, bits))]
    made.append(helper.make_node("Quant", inputs, [quantised], node.name, domain=node.domain, **mode))
    if unit != step:
        ratio = _constant(model, unit / step)
        made.append(helper.make_node("Mul", [quantised, ratio], [node.output[0]], f"{node.name}_unit"))
    place = list(model.graph.node).index(node)
    model.graph.node.remove(node)
    for new in reversed(made):
        model.graph.node.insert(place, new)


def _constant(model: Any, value: float) -> str:
    name = str(model.make_new_valueinfo_name())
    model.set_initializer(name, np.asarray(value, np.float32))
    return name


def _attribute(node: Any, name: str, default: Any) -> Any:
    entry = get_by_name(node.attribute, name)
    return helper.get_attribute_value(entry) if entry else default


def _is_unsigned(model: Any, name: str) -> bool:
    """Tell whether a value comes from a quantiser without a sign, through operators that keep signs."""
    maker = model.find_producer(name)
    while maker is not None:
        if maker.op_type == "Quant":
            return not _attribute(maker, "signed", 1)
        if maker.op_type == "Relu":
            return True
        factor = model.get_initializer(maker.input[1]) if maker.op_type in ("Mul", "Div") else None
        if maker.op_type not in _KEEP_SIGNS and (factor is None or (factor <= 0).any()):
            return False
        maker = model.find_producer(maker.input[0])
    return False
