# SPDX-License-Identifier: BSD-3-Clause
"""Execution of one stitched graph on integers, in the order in which its streams carry the elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from shellgen.golden import elementwise, image, matrix, requant, tokens
from shellgen.golden.layer import Integers, Layer, NoGoldenError, bounds, compact, held
from shellgen.model import ElementType
from shellgen.read.finn_onnx import FinnModel, Node

_OPERATORS: dict[str, Callable[[Layer, list[Integers]], list[Integers]]] = {
    "MVAU": matrix.matrix_vector,
    "VVAU": matrix.depthwise,
    "Thresholding": matrix.thresholding,
    "ConvolutionInputGenerator": image.windows,
    "FMPadding": image.padding,
    "FMPadding_Pixel": image.pixel_padding,
    "StreamingMaxPool": image.max_pool,
    "Pool": image.pool,
    "GlobalAccPool": image.global_sum,
    "UpsampleNearestNeighbour": image.upsample,
    "DownSampler": image.downsample,
    "AddStreams": elementwise.add_streams,
    "StreamingEltwise": elementwise.eltwise,
    "Concat": elementwise.concat,
    "Split": elementwise.split,
    "ChannelwiseOp": elementwise.channelwise,
    "LabelSelect": elementwise.labels,
    "Lookup": elementwise.lookup,
    "Requant": requant.requant,
    "Crop": tokens.crop,
    "SelectToken": tokens.select_token,
    "Pad1D": tokens.pad_tokens,
    "InnerShuffle": tokens.inner_shuffle,
    "HWWhere": tokens.where,
}
# Neither these operators nor ONNX's of the same names change a stream.
_SHAPES = {"Reshape", "Squeeze", "Unsqueeze", "Flatten"}
_PASSES = {"DuplicateStreams", "ReplicateStream", "StreamingFIFO", "StreamingDataWidthConverter"}
_PASSES |= {"TLastMarker", "CheckSum", "IODMA"} | _SHAPES
_OPERATORS |= dict.fromkeys(_PASSES, elementwise.passes)
_TYPES: tuple[str, ...] = ("outputDataType", "OutputDataType", "out_dtype", "EmbeddingType", "dataType")
_TYPES += ("dtype", "DataType", "data_type")
_MOVES = {"FMPadding", "FMPadding_Pixel"}
_AT_ONCE = 1 << 22  # elements of the largest tensor, over all frames of a batch


@dataclass
class Execution:
    """The result of an execution.

    Attributes:
        outputs: By tensor, (frames, *shape); flattened, in the order of the stream.
        work: Multiplications and moved elements of one frame, roughly.
    """

    outputs: dict[str, Integers]
    work: int


def execute(model: FinnModel, inputs: Mapping[str, Integers]) -> Execution:
    """Execute a stitched graph.

    Args:
        model: Stitched graph: hardware operators only.
        inputs: By tensor, (frames, elements...), element values of the tensor's type. A tensor of external
            weights has one frame: the values of one pass.

    Raises:
        NoGoldenError: An operator that is unknown or lacks a parameter, or a value beyond its data type.
    """
    frames = max(len(values) for values in inputs.values())
    weights = {name: values for name, values in inputs.items() if name in _weight_tensors(model)}
    data = {name: values for name, values in inputs.items() if name not in weights}
    first, work, widest = _run(model, {name: values[:1] for name, values in data.items()} | weights)
    at_once = max(1, _AT_ONCE // max(1, widest))
    found = {name: [values] for name, values in first.items()}
    for start in range(1, frames, at_once):
        some = {name: values[start : start + at_once] for name, values in data.items()}
        for name, values in _run(model, some | weights)[0].items():
            found[name].append(values)
    return Execution({name: np.concatenate(parts) for name, parts in found.items()}, work)


def operator_of(node: Node) -> Callable[[Layer, list[Integers]], list[Integers]]:
    """Return the function that executes a node.

    Raises:
        NoGoldenError: The operator is unknown.
    """
    if node.is_hardware or node.op in _SHAPES:
        if node.op in _OPERATORS:
            return _OPERATORS[node.op]
        if node.op.startswith("Elementwise"):
            return elementwise.elementwise
    raise NoGoldenError(f"operator {node.op_type} is unknown")


def _weight_tensors(model: FinnModel) -> set[str]:
    """Return the tensors between a port and the second input of an MVAU."""
    found = {
        node.inputs[1]
        for node in model.nodes
        if node.op == "MVAU"
        and len(node.inputs) > 1
        and not (node.text("mem_mode") == "dynamic" or node.integer("dynamic_input"))
    }
    for node in reversed(model.nodes):
        if found & set(node.outputs):
            found |= set(node.inputs[:1])
    return found


def _run(model: FinnModel, inputs: Mapping[str, Integers]) -> tuple[dict[str, Integers], int, int]:
    """Execute some frames; return the outputs, the work per frame and the size of the largest tensor."""
    known = dict(inputs)
    uses: dict[str, int] = {}
    for node in model.nodes:
        for name in node.inputs:
            uses[name] = uses.get(name, 0) + 1
    work = widest = 0
    for node in model.nodes:
        layer = Layer(node, model)
        run = operator_of(node)
        given = [known[name] for name in node.inputs if name in known]
        missing = {name for name in node.inputs if name} - set(known) - set(model.initialisers)
        if not given or missing:
            raise layer.refuse("has an input that nothing drives")
        results = run(layer, given)
        if len(results) != len(node.outputs):
            raise layer.refuse(f"has {len(node.outputs)} outputs but computes {len(results)}")
        for name, values in zip(node.outputs, results, strict=True):
            known[name] = _checked(layer, name, values)
            widest = max(widest, values[0].size)
            work += values[0].size + given[0][0].size
        if node.op == "MVAU":
            work += given[0][0].size * layer.size("MH")
        for name in node.inputs:
            uses[name] -= 1
            if not uses[name] and name not in model.outputs:
                known.pop(name, None)
    lost = [name for name in model.outputs if name not in known]
    if lost:
        raise NoGoldenError(f"the model does not compute its output {lost[0]}")
    flat = {name: known[name].reshape(len(known[name]), -1) for name in model.outputs}
    return flat, work, widest


def _checked(layer: Layer, tensor: str, values: Integers) -> Integers:
    """Check that a result fits its stream; the hardware's behaviour is undefined otherwise."""
    low, high = bounds(values)
    element = None if layer.node.op in _PASSES else _element(layer, tensor)
    if element is not None and not held(element, values, low, high):
        raise layer.refuse(f"computes values from {low} to {high}, outside of {element.name}")
    return compact(values, low, high)


def _element(layer: Layer, tensor: str) -> ElementType | None:
    """Return the type of a result; FINN assigns FLOAT32 to a tensor without annotation."""
    names = [layer.node.text(name) for name in _TYPES]
    if layer.node.op in _MOVES:
        names.append(layer.node.text("inputDataType"))
    own = next((name for name in names if name), None)
    try:
        return ElementType.parse(own or layer.model.tensor(tensor).datatype or "")
    except ValueError:
        if own is None:
            return None
        raise layer.refuse(f"makes {own}") from None
