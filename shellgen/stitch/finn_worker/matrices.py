# SPDX-License-Identifier: BSD-3-Clause
"""Types of FINN's matrix unit after its types were minimised.

FINN checks the limits of its RTL when it chooses it, and minimises the types after that, by the values of
the weights. The RTL takes all weights for signed, whatever their type says, and ends the simulation if an
accumulator has fewer bits than a product.
"""

from __future__ import annotations

from typing import Any

from qonnx.core.datatype import DataType
from qonnx.custom_op.registry import getCustomOp

from .dynamic import is_dynamic

_RTL = ("MVAU_rtl", "VVAU_rtl")


def widen_types(model: Any) -> None:
    """Give matrix units in RTL signed weights, and accumulators that hold a product."""
    for node in model.graph.node:
        if node.op_type in _RTL:
            layer = getCustomOp(node)
            weights = layer.get_input_datatype(1)
            if not is_dynamic(node):
                weights = _signed(weights)
            layer.set_nodeattr("weightDataType", weights.name)
            model.set_tensor_datatype(node.input[1], weights)
            data, sums = layer.get_input_datatype(0), layer.get_accumulator_datatype()
            product = weights.bitwidth() + data.bitwidth() - int(data.signed())
            if sums.bitwidth() < product:
                name = f"{'INT' if sums.signed() else 'UINT'}{product}"
                layer.set_nodeattr("accDataType", name)
                layer.set_nodeattr("outputDataType", name)
                model.set_tensor_datatype(node.output[0], DataType[name])


def _signed(weights: Any) -> Any:
    return weights if weights.signed() else DataType[f"INT{weights.bitwidth() + 1}"]
