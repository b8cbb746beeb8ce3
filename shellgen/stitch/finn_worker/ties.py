# SPDX-License-Identifier: BSD-3-Clause
"""Sums that lie halfway between two results of a quantiser.

A Quant with ROUND takes the even one (numpy.round in qonnx, custom_op/general/intquant.py), and the
thresholds that FINN makes of it always the upper one. With scales that are powers of two that is one sum in
dozens. A threshold on whole numbers can have it either way: it is the tie itself where the upper result is
even, and the next number where it is odd.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compare import lowest_of, mark_of

_NOISE, _MOST = 2.0**-20, 0.02  # of a threshold, and of the step between sums: the error of float32


def even_ties(model: Any) -> dict[str, int]:
    """Return the lowest result, in steps, of each marked Quant that rounds half to even, by mark.

    Args:
        model: An export that is cleaned up, before its quantisers are changed.
    """
    found = {}
    for node in model.graph.node:
        mode = next((one.s.decode() for one in node.attribute if one.name == "rounding_mode"), "ROUND")
        if not mark_of(node) or node.op_type == "BipolarQuant" or mode.upper() != "ROUND":
            continue
        zero, bits = (model.get_initializer(name) for name in node.input[2:4])
        if zero is not None and bits is not None and zero.size == bits.size == 1:
            found[node.doc_string] = lowest_of(model, node, zero, bits)
    return found


def settle_ties(model: Any, lowest: dict[str, int]) -> None:
    """Let thresholds decide ties as the quantisers that they were made of, in place.

    Args:
        model: Streamlined.
        lowest: As `even_ties` returns it.
    """
    for node in model.graph.node:
        if node.op_type != "MultiThreshold" or node.doc_string not in lowest:
            continue
        thresholds = model.get_initializer(node.input[1]).astype(np.float64)
        upper = lowest[node.doc_string] + 1 + np.arange(thresholds.shape[1])
        odd = np.broadcast_to(upper % 2 != 0, thresholds.shape)
        if model.get_tensor_datatype(node.input[0]).is_integer():
            whole = np.rint(thresholds)
            near = np.abs(thresholds - whole) <= np.minimum(_NOISE * np.maximum(np.abs(whole), 1), _MOST)
            settled = np.where(near, whole + odd, thresholds)
        else:
            above = np.nextafter(thresholds.astype(np.float32), np.float32(np.inf))
            settled = np.where(odd, above, thresholds)
        model.set_initializer(node.input[1], settled.astype(np.float32))
