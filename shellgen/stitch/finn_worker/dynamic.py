# SPDX-License-Identifier: BSD-3-Clause
"""Matrix units whose second operand is a stream, as in attention: queries by keys, and scores by values.

FINN's loader in front of the unit takes the rows of the matrix, PE elements a word, keeps two matrices, and
repeats one for all vectors of the last dimension; then comes the next, for the next head.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

from finn.custom_op.fpgadataflow.matrixvectoractivation import MVAU
from qonnx.custom_op.registry import getCustomOp

LOADER = "dynload/hdl/dynamic_load.sv"


def is_dynamic(node: Any) -> bool:
    """Tell such a unit."""
    if not node.op_type.startswith("MVAU"):
        return False
    return bool(getCustomOp(node).get_nodeattr("mem_mode") == "dynamic")


def fix_dynamic() -> None:
    """Correct the shape of the second operand, which FINN takes for one matrix, or for one a vector."""
    known_normal, known_folded = MVAU.get_normal_input_shape, MVAU.get_folded_input_shape

    def normal(self: Any, ind: int = 0) -> Any:
        shape = known_normal(self, ind)
        if ind != 1 or self.get_nodeattr("mem_mode") != "dynamic":
            return shape
        return (*self.get_nodeattr("numInputVectors")[:-1], *shape)

    def folded(self: Any, ind: int = 0) -> Any:
        if ind != 1 or self.get_nodeattr("mem_mode") != "dynamic":
            return known_folded(self, ind)
        *rows, columns = normal(self, 1)
        lanes = self.get_nodeattr("PE")
        return (*rows, columns // lanes, lanes)

    MVAU.get_normal_input_shape, MVAU.get_folded_input_shape = normal, folded


def dynamic_problems(model: Any, node: Any, place: str) -> list[tuple[str, str, str]]:
    """Find what loader and unit cannot compute."""
    layer = getCustomOp(node)
    kind = layer.get_input_datatype(1)
    if not kind.signed():
        found = f"its second operand is {kind.name}, and FINN's RTL takes it for a signed number"
        return [(place, found, "Quantise this operand to a signed type")]
    if not node.op_type.endswith("_rtl"):
        found = "its second operand is a stream, which FINN's RTL takes on devices with DSP48E2 or DSP58 only"
        return [(place, found, "Choose a part of UltraScale+ or Versal, or give it constant weights")]
    shape = model.get_tensor_shape(node.input[1])
    if math.prod(shape) != math.prod(layer.get_normal_input_shape(1)):
        found = f"its second operand has shape {list(shape)}, and its first {layer.get_normal_input_shape(0)}"
        return [(place, found, "Give both the same dimensions in front of the last two")]
    return []


def loader_instance(node: Any, layer: Any) -> dict[str, Any]:
    """The loader in front of the unit, which FINN's file list leaves out."""
    folder = Path(layer.get_nodeattr("code_gen_dir_ipgen"))
    wrapper = next(folder.glob("*_dynamic_load_wrapper.v"))
    return {
        "name": node.name + "_wstrm",
        "module": wrapper.stem,
        "sources": [str(Path(os.environ["FINN_RTLLIB"]) / LOADER), str(wrapper)],
        "data": [],
        "folder": str(folder),
    }


def loaded_bits(layer: Any) -> int:
    """TDATA behind the loader: a word of weights, as a memory hands it out."""
    bits = layer.get_nodeattr("PE") * layer.get_nodeattr("SIMD") * layer.get_input_datatype(1).bitwidth()
    return -(-int(bits) // 8) * 8
