# SPDX-License-Identifier: BSD-3-Clause
"""Products of bipolar numbers: FINN's layers count equal bits, and the MatMul that they are made of does not.

Of K products that are +1 or -1, p are +1: the sum is 2p - K. A layer hands out p, so that a sum of at least t
is a count of at least (t + K) / 2. Values stay -1 and +1 in every tensor, for all that read them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from finn.custom_op.fpgadataflow.matrixvectoractivation import MVAU
from finn.custom_op.fpgadataflow.vectorvectoractivation import VVAU
from qonnx.core.datatype import DataType
from qonnx.custom_op.registry import getCustomOp

BIPOLAR = DataType["BIPOLAR"]


def count_equal_bits(model: Any) -> None:
    """Move the thresholds behind a bipolar MatMul to counts; where none follow, let the layer multiply.

    Weights of type INT2 have the same values, and no layer counts bits with them.
    """
    for node in list(model.graph.node):
        if node.op_type != "MatMul" or not _is_bipolar(model, node):
            continue
        readers = model.find_consumers(node.output[0]) or []
        sparse = model.get_tensor_sparsity(node.input[1]) is not None
        if sparse or len(readers) != 1 or readers[0].op_type != "MultiThreshold":
            model.set_tensor_datatype(node.input[1], DataType["INT2"])
            continue
        (compare,) = readers
        steps = model.get_initializer(compare.input[1])
        products = model.get_initializer(node.input[1]).shape[0]
        own = f"{compare.output[0]}_counts"
        model.set_initializer(own, np.ceil((steps + products) / 2).astype(np.float32))
        model.set_tensor_datatype(own, DataType["INT32"])
        compare.input[1] = own


def _is_bipolar(model: Any, node: Any) -> bool:
    weights = model.get_initializer(node.input[1])
    return weights is not None and all(model.get_tensor_datatype(name) == BIPOLAR for name in node.input)


def padded_problems(model: Any, where: str) -> list[tuple[str, str, str]]:
    """Find zeros around an image of numbers that cannot be zero."""
    return [
        (
            f"{where}: node {node.name}",
            "it pads an image of BIPOLAR values with 0, which hardware would send as -1",
            "Use INT2 activations there, or a convolution without padding",
        )
        for node in model.graph.node
        if node.op_type == "Im2Col"
        and any(getCustomOp(node).get_nodeattr("pad_amount"))
        and model.get_tensor_datatype(node.input[0]) == BIPOLAR
    ]


def fix_widths() -> None:
    """Keep bipolar weights at one bit, and give counts of equal bits the width of a count.

    FINN takes the smallest type with both -1 and +1 for INT2, and the range of a count for that of a sum.
    """
    for kind in (MVAU, VVAU):
        kind.minimize_weight_bit_width = _keeping(kind.minimize_weight_bit_width)
        kind.minimize_accumulator_width = _counting(kind.minimize_accumulator_width)


def _keeping(known: Any) -> Any:
    def minimise(self: Any, model: Any, **how: Any) -> Any:
        kind = self.get_input_datatype(1)
        return kind if kind == BIPOLAR else known(self, model, **how)

    return minimise


def _counting(known: Any) -> Any:
    def minimise(self: Any, model: Any, **how: Any) -> Any:
        found = known(self, model, **how)
        both = all(self.get_input_datatype(index) == BIPOLAR for index in range(2))
        if not both and not self.get_nodeattr("binaryXnorMode"):
            return found
        is_matrix = "MW" in self.get_nodeattr_types()
        most = self.get_nodeattr("MW") if is_matrix else int(np.prod(self.get_nodeattr("Kernel")))
        bits = int(most).bit_length()
        if self.get_nodeattr("noActivation"):
            if model.find_direct_successors(self.onnx_node) is None:
                bits = -(-bits // 8) * 8  # whole bytes leave the network, as FINN has it
            self.set_nodeattr("outputDataType", f"UINT{bits}")
        self.set_nodeattr("accDataType", f"UINT{bits}")
        return DataType[f"UINT{bits}"]

    return minimise
