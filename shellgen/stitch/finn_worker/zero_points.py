# SPDX-License-Identifier: BSD-3-Clause
"""Quantisers with a zero point, or a sign with a scale, as those that FINN takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import helper
from qonnx.custom_op.general.intquant import int_quant
from qonnx.util.basic import get_by_name

from .tensors import own_constant, tensor_like

_CLIPPED = 11  # opset in which the ends of a Clip became inputs


@dataclass(frozen=True)
class Centred:
    """Type of a quantiser's results less its zero point.

    Attributes:
        lowest: That it has.
        highest: That it has.
    """

    lowest: int
    highest: int

    @property
    def bits(self) -> int:
        """Width."""
        return (
            max(self.highest.bit_length(), (-1 - self.lowest).bit_length() if self.signed else 0)
            + self.signed
        )

    @property
    def signed(self) -> bool:
        """Tell whether it has a sign."""
        return self.lowest < 0

    @property
    def least(self) -> int:
        """Lowest value of the type."""
        return -(1 << (self.bits - 1)) if self.signed else 0


def centred(node: Any, zero: Any, bits: Any) -> Centred:
    """Return the type of a Quant with this zero point, of one number."""
    how = {entry.name: entry.i for entry in node.attribute if entry.name in ("signed", "narrow")}
    signed, narrow = how.get("signed", 1), how.get("narrow", 0)
    width, less = int(np.rint(bits).item()), int(np.rint(zero).item())
    count = (1 << width) - narrow
    lowest = narrow - (1 << (width - 1)) if signed else 0
    return Centred(lowest - less, lowest + count - 1 - less)


def centre(model: Any, node: Any) -> None:
    """Take a zero point out of a Quant, in place: the integers that it stands for are less by it.

    This may take a bit more. Values that the quantiser does not tell apart are clipped in front of it.
    """
    scale, zero, bits = (model.get_initializer(name) for name in node.input[1:])
    if zero.size > 1:
        own_constant(model, node, 2, np.zeros(()))  # FINN does not take several, be they all 0
    if not np.any(zero):
        return
    values = model.get_initializer(node.input[0])
    if values is None:
        kind = centred(node, zero, bits)
        # Inside the steps at both ends: on their edges, the rounding of float32 would decide.
        _clip(model, node, scale * (kind.lowest + 0.25), scale * (kind.highest + 0.25))
    else:
        how = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
        mode, signed = how.get("rounding_mode", b"ROUND").decode(), how.get("signed", 1)
        exact = int_quant(values, scale, zero, bits, signed, how.get("narrow", 0), mode)
        counts = np.rint(exact / scale)
        kind = Centred(int(min(counts.min(), -1)), int(counts.max()))
        own_constant(model, node, 0, exact)
    own_constant(model, node, 2, np.zeros(()))
    own_constant(model, node, 3, np.full_like(bits, kind.bits))
    for name, number in (("signed", kind.signed), ("narrow", False)):
        _set(node, name, int(number))


def _clip(model: Any, node: Any, low: Any, high: Any) -> None:
    """Clip what a node reads."""
    clipped = tensor_like(model, node.output[0])
    version = next((entry.version for entry in model.model.opset_import if not entry.domain), 11)
    if version < _CLIPPED:
        ends: dict[str, Any] = {"min": float(low), "max": float(high)}
        clip = helper.make_node("Clip", [node.input[0]], [clipped], f"{node.name}_clip", **ends)
    else:
        clip = helper.make_node("Clip", [node.input[0], "", ""], [clipped], f"{node.name}_clip")
        own_constant(model, clip, 1, np.reshape(low, ()))
        own_constant(model, clip, 2, np.reshape(high, ()))
    node.input[0] = clipped
    model.graph.node.insert(list(model.graph.node).index(node), clip)


def split_scale(model: Any, node: Any) -> None:
    """Leave a sign of -1 and +1, with a product by the scale behind it, in place."""
    scale = model.get_initializer(node.input[1])
    if scale is None or np.all(scale == 1):
        return
    signs = tensor_like(model, node.output[0])
    factor = node.input[1]
    own_constant(model, node, 1, np.ones((), np.float32))
    multiply = helper.make_node("Mul", [signs, factor], [node.output[0]], f"{node.name}_scale")
    node.output[0] = signs
    model.graph.node.insert(list(model.graph.node).index(node) + 1, multiply)


def _set(node: Any, name: str, value: int) -> None:
    entry = get_by_name(node.attribute, name)
    if entry is not None:
        node.attribute.remove(entry)
    node.attribute.append(helper.make_attribute(name, value))
