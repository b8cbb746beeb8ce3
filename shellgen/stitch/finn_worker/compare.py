# SPDX-License-Identifier: BSD-3-Clause
"""Compare every activation of an export with the thresholds that streamlining made of it.

Both models run on the same frames. After each comparison the streamlined model continues with the export's
values: otherwise a sum that float32 moves across a threshold would change all layers behind it, and nothing
would tell this from a wrong graph.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from qonnx.core.onnx_exec import execute_node, execute_onnx
from qonnx.custom_op.registry import getCustomOp
from qonnx.util.basic import get_preferred_qonnx_opset

from .zero_points import centred

MARK = "shellgen activation "  # and a number, as doc_string: steps of FINN rename nodes and keep this
_QUANTISERS = ("Quant", "IntQuant", "BipolarQuant")
_LINEAR = ("Add", "Mul")
_TIE = 1e-4  # of a step: how near to a threshold a value may fall to either side of it
_NOISE = 4e-6  # of the largest value of a tensor: the error of a sum in float32
_CLOSE = 1e-3  # of the largest output, where no thresholds follow
_AXES = 4  # of a tensor whose dimensions may be in another order

Frame = dict[str, Any]  # by tensor


@dataclass(frozen=True)
class Activation:
    """Values of the export at one quantiser.

    Attributes:
        name: The node in the export.
        lowest: Of its values, in steps; 0 behind a Relu, whatever the type.
        counts: Steps above the lowest value.
        tied: Where float32 may fall to the next step.
    """

    name: str
    lowest: int
    counts: Any
    tied: Any


@dataclass(frozen=True)
class Exported:
    """Values of an export for one frame.

    Attributes:
        inputs: In the order of the model.
        activations: By mark.
        outputs: In the order of the model.
        scores: By place of an output that holds labels: what TopK chose among.
    """

    inputs: list[Any]
    activations: dict[str, Activation]
    outputs: list[Any]
    scores: dict[int, Any]


def mark(model: Any) -> dict[str, str]:
    """Mark the quantisers of activations, in place; returns the names of the nodes by mark."""
    names = {}
    for index, node in enumerate(model.graph.node):
        if node.op_type in _QUANTISERS and model.get_initializer(node.input[0]) is None:
            node.doc_string = f"{MARK}{index}"
            names[node.doc_string] = node.name or node.output[0]
    return names


def mark_of(node: Any) -> str:
    """Return the mark of a node, if it has one."""
    return str(node.doc_string) if node.doc_string.startswith(MARK) else ""


def marked(model: Any) -> dict[str, str]:
    """Return the marks by output tensor."""
    return {node.output[0]: node.doc_string for node in model.graph.node if node.doc_string.startswith(MARK)}


def mark_thresholds(model: Any, marks: dict[str, str]) -> None:
    """Mark the MultiThreshold that takes the place of each quantiser, in place."""
    for tensor, text in marks.items():
        node = model.find_producer(tensor)
        while (
            node is not None and node.op_type in _LINEAR and model.get_initializer(node.input[1]) is not None
        ):
            node = model.find_producer(node.input[0])
        if node is not None and node.op_type == "MultiThreshold":
            node.doc_string = text


def unmark(*models: Any) -> None:
    """Remove the marks."""
    for node in [node for model in models if model is not None for node in model.graph.node]:
        if node.doc_string.startswith(MARK):
            node.ClearField("doc_string")


def run_export(model: Any, frame: Frame, names: dict[str, str]) -> Exported:
    """Run an export that is marked."""
    values = execute_onnx(model, frame, return_full_exec_context=True)
    activations = {
        node.doc_string: _activation(model, node, values, names[node.doc_string])
        for node in model.graph.node
        if node.doc_string in names
    }
    scores = {}
    for place, tensor in enumerate(model.graph.output):
        node = model.find_producer(tensor.name)
        if node is not None and node.op_type == "TopK" and node.output[1] == tensor.name:
            scores[place] = values[node.input[0]]
    inputs = [frame[tensor.name] for tensor in model.graph.input]
    return Exported(inputs, activations, [values[tensor.name] for tensor in model.graph.output], scores)


def _activation(model: Any, node: Any, values: Frame, name: str) -> Activation:
    before = values[node.input[0]].astype(np.float64)
    if node.op_type == "BipolarQuant":
        near = np.abs(before) <= _NOISE * np.abs(before).max()
        return Activation(name, 0, _counts(node, values, 0), near)
    lowest = lowest_of(model, node, values[node.input[2]], values[node.input[3]])
    op = getCustomOp(node)
    exact = before / values[node.input[1]] + values[node.input[2]]
    down = op.get_nodeattr("rounding_mode").upper() == "FLOOR"
    shifted = exact if down else exact + 0.5  # whole numbers are thresholds
    near = np.abs(shifted - np.rint(shifted)) <= max(_TIE, _NOISE * np.abs(exact).max())
    return Activation(name, lowest, _counts(node, values, lowest), near)


def lowest_of(model: Any, node: Any, zero: Any, bits: Any) -> int:
    """Return the lowest result of a Quant in steps, its zero point included; 0 behind a Relu."""
    op, maker = getCustomOp(node), model.find_producer(node.input[0])
    if np.any(zero):
        return int(np.rint(zero).item()) + centred(node, zero, bits).least
    if op.get_nodeattr("signed") and (maker is None or maker.op_type != "Relu"):
        return int(op.get_nodeattr("narrow")) - (1 << (int(np.rint(np.max(bits))) - 1))
    return 0


def _counts(node: Any, values: Frame, lowest: int) -> Any:
    """Return the steps of an activation above the lowest value."""
    found = values[node.output[0]].astype(np.float64)
    if node.op_type == "BipolarQuant":
        return (found > 0).astype(np.int64)
    if node.op_type == "MultiThreshold":
        op = getCustomOp(node)
        return np.rint((found - op.get_nodeattr("out_bias")) / op.get_nodeattr("out_scale")).astype(np.int64)
    return np.rint(found / values[node.input[1]] + values[node.input[2]]).astype(np.int64) - lowest


def _write(node: Any, values: Frame, counts: Any, lowest: int) -> None:
    """Give an activation a value."""
    kind = values[node.output[0]].dtype
    if node.op_type == "BipolarQuant":
        found = np.where(counts > 0, 1, -1) * values[node.input[1]]
    elif node.op_type == "MultiThreshold":
        op = getCustomOp(node)
        found = counts * op.get_nodeattr("out_scale") + op.get_nodeattr("out_bias")
    else:
        found = (counts + lowest - values[node.input[2]]) * values[node.input[1]]
    values[node.output[0]] = np.asarray(found).astype(kind)


def first_difference(
    parts: Iterable[Any], inputs: list[str], outputs: list[str], exported: Exported
) -> tuple[str, str] | None:
    """Run a streamlined model in parts and find the first activation or output that is not the export's.

    Args:
        parts: One after the other, joined by the names of tensors.
        inputs: Tensors of the parts for the inputs of the export, in its order.
        outputs: The same for its outputs.
        exported: What the export computes for the same frame.

    Returns:
        Where in the export, and how large the difference is; None if there is none.
    """
    values: Frame = {}
    for name, array in zip(inputs, exported.inputs, strict=True):
        values[name] = array
    for part in parts:
        values = part.make_empty_exec_context() | values
        for tensor in part.graph.input:
            values[tensor.name] = values[tensor.name].reshape(part.get_tensor_shape(tensor.name))
        opsets = part.get_opset_imports()
        for node in part.graph.node:
            execute_node(node, values, part.graph, opsets.get(node.domain, get_preferred_qonnx_opset()))
            wanted = exported.activations.get(node.doc_string)
            found = _replaced(node, values, wanted) if wanted else None
            if found:
                return found
    for place, (name, wanted) in enumerate(zip(outputs, exported.outputs, strict=True)):
        size = _output(values[name].reshape(wanted.shape), wanted, exported.scores.get(place))
        if size:
            return (f"output {place}", size)
    return None


def _replaced(node: Any, values: Frame, wanted: Activation) -> tuple[str, str] | None:
    """Compare an activation and give it the export's values."""
    counts = _counts(node, values, wanted.lowest)
    best = None
    for order in _orders(wanted.counts.shape, counts.shape):
        steps = wanted.counts.transpose(order).reshape(counts.shape)
        off = np.abs(counts - steps)
        wrong = (off > 1) | ((off > 0) & ~wanted.tied.transpose(order).reshape(counts.shape))
        if best is None or wrong.sum() < best[0].sum():
            best = (wrong, off, steps)
        if not wrong.any():
            break
    if best is None:
        return (f"node {wanted.name}", f"{counts.size} values in place of {wanted.counts.size}")
    wrong, off, steps = best
    if wrong.any():
        found = f"{int(wrong.sum())} of {wrong.size} values differ, by up to {int(off[wrong].max())} steps"
        return (f"node {wanted.name}", found)
    _write(node, values, steps, wanted.lowest)
    return None


def _orders(exported: tuple[int, ...], streamlined: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    """Yield orders of dimensions that give a tensor the other shape, but for dimensions of one."""
    wanted = [size for size in streamlined if size > 1]
    plain = tuple(range(len(exported)))
    if np.prod(exported) == np.prod(streamlined):
        yield plain
    if len(exported) <= _AXES:
        for order in itertools.permutations(plain):
            if order != plain and [exported[axis] for axis in order if exported[axis] > 1] == wanted:
                yield order


def _output(found: Any, wanted: Any, scores: Any) -> str:
    """Compare an output; labels are right if they have the scores of the export's."""
    if scores is not None:
        found, wanted = (np.take(scores.reshape(-1), array.astype(np.int64)) for array in (found, wanted))
    off, most = np.abs(found - wanted), np.abs(wanted).max()
    wrong = int((off > _CLOSE * max(most, np.finfo(np.float32).tiny)).sum())
    return f"{wrong} of {off.size} values differ, by up to {off.max():.3g} of {most:.3g}" if wrong else ""
