# SPDX-License-Identifier: BSD-3-Clause
"""Transposes as FINN's InnerShuffle, which exchanges the last two dimensions of a matrix, and nothing else.

Two neighbouring groups of dimensions change places by one such exchange where nothing follows them. Otherwise
it takes two: first the second group exchanges places with what follows, then the first group with both.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
from onnx import helper
from qonnx.util.basic import get_by_name

from .ends import DOMAIN

Exchange = tuple[int, int, int]


def infer_transposes(model: Any) -> Any:
    """Replace transposes of integers between two layers; a last Reshape gives the tensor its shape."""
    for node in [node for node in model.graph.node if node.op_type == "Transpose"]:
        kind, shape = model.get_tensor_datatype(node.input[0]), model.get_tensor_shape(node.input[0])
        if not kind.is_integer() or shape is None:
            continue
        axes = get_by_name(node.attribute, "perm")
        order = list(axes.ints) if axes else list(range(len(shape)))[::-1]
        place = list(model.graph.node).index(node)
        model.graph.node.remove(node)
        _insert(model, place, node, exchanges(order, [int(size) for size in shape]))
    return model


def exchanges(order: list[int], shape: list[int]) -> list[Exchange]:
    """Return (matrices, rows, columns) of the fewest exchanges that lead to an order of the dimensions."""
    wanted = tuple(axis for axis in order if shape[axis] > 1)
    best: dict[tuple[int, ...], list[Exchange]] = {tuple(sorted(wanted)): []}
    waiting = list(best)
    while waiting:
        now = waiting.pop(0)
        for first, second, end in combinations(range(len(now) + 1), 3):
            then = (*now[:first], *now[second:end], *now[first:second], *now[end:])
            parts = (now[:first], now[first:second], now[second:end], now[end:])
            before, moved, over, behind = (math.prod(shape[axis] for axis in part) for part in parts)
            steps = [(before, moved, over)]
            if behind > 1:
                steps = [(before * moved, over, behind), (before, moved * behind, over)]
            if then not in best or len(best[then]) > len(best[now]) + len(steps):
                best[then] = best[now] + steps
                waiting.append(then)
    return best[wanted]


def _insert(model: Any, place: int, node: Any, steps: list[Exchange]) -> None:
    """Put the exchanges where a transpose was."""
    tensor, kind = node.input[0], model.get_tensor_datatype(node.input[0])
    shape, fresh = model.get_tensor_shape(tensor), []
    wanted = [int(size) for size in model.get_tensor_shape(node.output[0])]
    for matrices, rows, columns in steps:
        logical = [matrices, rows, columns]
        if (matrices, rows, columns) == steps[-1] and wanted == [matrices, columns, rows]:
            target = node.output[0]
        else:
            target = model.make_new_valueinfo_name()
        model.set_tensor_shape(target, [matrices, columns, rows])
        model.set_tensor_datatype(target, kind)
        fresh.append(
            helper.make_node(
                "InnerShuffle",
                [tensor],
                [target],
                domain=DOMAIN,
                backend="fpgadataflow",
                in_shape=[int(size) for size in shape],
                transpose_in_shape=logical,
                data_type=kind.name,
                SIMD=1,
            )
        )
        tensor, shape = target, [matrices, columns, rows]
    if tensor != node.output[0]:  # nothing moves, or the last exchange has groups of dimensions
        name = f"{node.output[0]}_shape"
        model.set_initializer(name, np.array(wanted, np.int64))
        fresh.append(helper.make_node("Reshape", [tensor, name], [node.output[0]]))
        model.set_tensor_datatype(node.output[0], kind)
    for offset, one in enumerate(fresh):
        model.graph.node.insert(place + offset, one)
