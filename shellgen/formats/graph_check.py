# SPDX-License-Identifier: BSD-3-Clause
"""Faults of a network's graph that FINN would meet somewhere else, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from shellgen.errors import Problem
from shellgen.formats.onnx import tensor_values

_SAVE = "Correct the model, and export it again"
# Places of scale and bit width of QONNX's quantisers (qonnx, docs/qonnx-custom-ops).
_SCALES = {"Quant": 1, "IntQuant": 1, "BipolarQuant": 1, "Trunc": 1}
_WIDTHS = {"Quant": (3,), "IntQuant": (3,), "Trunc": (3, -1)}
_MOST_BITS = 64
# A bound or a mask may be infinite, a factor not.
_FACTORS = ("Conv", "ConvTranspose", "Gemm", "MatMul", *_SCALES)


def graph_problems(model: onnx.ModelProto, path: Path) -> list[Problem]:
    """Return what is wrong with a network.

    Args:
        model: As read.
        path: Its file; external data lies beside it.

    Raises:
        InputError: A tensor's values are not what its shape and type say, or are in a file that is missing.
    """
    graph = model.graph
    found = [*_ends(graph), *_tensors(graph), *_cycles(graph)]
    found += _values(graph, {tensor.name: tensor_values(tensor, path) for tensor in graph.initializer})
    return [Problem(str(path), text, _SAVE) for text in found]


def _named(node: onnx.NodeProto) -> str:
    return f"{node.op_type} {node.name}" if node.name else f"{node.op_type} of {node.output[0]}"


def _ends(graph: onnx.GraphProto) -> Iterator[str]:
    if not graph.output:
        yield "the graph has no output"
    held = {tensor.name for tensor in graph.initializer}
    inputs = [one for one in graph.input if one.name not in held]
    if not inputs:
        yield "the graph has no input"
    for one in inputs:
        if not one.type.tensor_type.HasField("shape"):
            yield f"input {one.name} has no shape"


def _tensors(graph: onnx.GraphProto) -> Iterator[str]:
    """Yield tensors that come from nowhere, or from two nodes."""
    made = Counter(name for node in graph.node for name in node.output if name)
    for name in sorted(name for name, count in made.items() if count > 1):
        yield f"{made[name]} nodes compute the tensor {name}"
    known = {*made, *(one.name for one in graph.input), *(one.name for one in graph.initializer)}
    known |= {one.values.name for one in graph.sparse_initializer}
    for node in graph.node:
        for name in node.input:
            if name and name not in known:
                yield f"input {name} of {_named(node)} comes from nowhere"
    for one in graph.output:
        if one.name not in known:
            yield f"output {one.name} comes from nowhere"


def _cycles(graph: onnx.GraphProto) -> Iterator[str]:
    """Yield a node of each group that waits for itself: what is left once all that can run has run."""
    makers = {name: index for index, node in enumerate(graph.node) for name in node.output if name}
    waits = [{makers[name] for name in node.input if name in makers} for node in graph.node]
    readers: list[list[int]] = [[] for _ in graph.node]
    for index, needed in enumerate(waits):
        for one in needed:
            readers[one].append(index)
    ready = [index for index, needed in enumerate(waits) if not needed]
    left = [len(needed) for needed in waits]
    ran = 0
    while ready:
        ran += 1
        for index in readers[ready.pop()]:
            left[index] -= 1
            if not left[index]:
                ready.append(index)
    if ran < len(graph.node):
        stuck = next(node for node, count in zip(graph.node, left, strict=True) if count)
        yield f"the graph has a cycle: {_named(stuck)} waits for its own output"


def _values(graph: onnx.GraphProto, values: dict[str, Any]) -> Iterator[str]:
    factors = {name for node in graph.node if node.op_type in _FACTORS for name in node.input}
    for name, array in values.items():
        if array.dtype.kind == "f" and np.isnan(array).any():
            yield f"tensor {name} holds NaN"
        elif array.dtype.kind == "f" and name in factors and np.isinf(array).any():
            yield f"tensor {name} holds infinity"
    for node in graph.node:
        if node.op_type in _SCALES and len(node.input) > _SCALES[node.op_type]:
            scale = values.get(node.input[_SCALES[node.op_type]])
            if scale is not None and not scale.all():
                yield f"{_named(node)} has a scale of 0"
        for place in _WIDTHS.get(node.op_type, ()):
            bits = values.get(node.input[place]) if len(node.input) > 3 else None
            if bits is not None and not ((bits >= 1) & (bits <= _MOST_BITS) & (bits == np.round(bits))).all():
                found = f"{_named(node)} has a bit width of {bits.min():g}"
                yield f"{found}, not a whole number from 1 to {_MOST_BITS}"
