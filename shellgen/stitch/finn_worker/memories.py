# SPDX-License-Identifier: BSD-3-Clause
"""Weights of matrix units that have our RTL: FINN's memory hands them out, as it does for FINN's RTL."""

from __future__ import annotations

from typing import Any

from finn.util.basic import make_build_dir
from qonnx.custom_op.registry import getCustomOp

from .own import MATRICES, is_own


def write_memories(model: Any, part: str) -> None:
    """Generate the memory of each such layer; FINN's PrepareIP leaves out layers that it has no RTL for."""
    for node in model.graph.node:
        kind = node.op_type
        if kind not in MATRICES or not is_own(node):
            continue
        layer = getCustomOp(node)
        folder = make_build_dir(prefix=f"code_gen_ipgen_{node.name}_")
        layer.set_nodeattr("code_gen_dir_ipgen", folder)
        layer.generate_params(model, folder)
        if layer.get_nodeattr("mem_mode") == "internal_decoupled":
            node.op_type = f"{kind}_hls"  # the memory is the same, and FINN asks for a variant by name
            layer.generate_hdl_memstream(part)
            node.op_type = kind
