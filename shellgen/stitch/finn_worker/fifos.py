# SPDX-License-Identifier: BSD-3-Clause
"""FIFOs on every stream of a partition, with sufficient depth where streams fork and rejoin.

FINN's InsertFIFO does the same, but takes the shape of a layer's first output for all. FINN finds depths by
simulating the whole network in Vivado's simulator; here they follow from what a branch must have read before
it answers.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

from onnx import TensorProto, helper
from qonnx.custom_op.registry import getCustomOp

from .dynamic import is_dynamic
from .ends import DOMAIN
from .own import ELEMENTWISE

_SHALLOW = 2
_IN_LUTS = 256  # words up to which a FIFO takes LUTs
# Words on their way through the layers of a branch and the FIFOs between them.
_MARGIN = 64
_PIXEL_BY_PIXEL = {
    "DuplicateStreams",
    *ELEMENTWISE,
    "FMPadding",
    "MVAU",
    "Pool",
    "StreamingConcat",
    "StreamingDataWidthConverter",
    "StreamingFIFO",
    "StreamingSplit",
    "Thresholding",
    "VVAU",
}


def insert_fifos(model: Any) -> Any:
    """Put a FIFO on every stream; its depth is what the layers at its ends ask for, two words at least."""
    graph = model.graph
    inputs, outputs = {t.name for t in graph.input}, {t.name for t in graph.output}
    constants = {tensor.name for tensor in graph.initializer}
    for node in list(graph.node):
        for index, tensor in enumerate(node.input):
            if tensor in inputs and tensor not in constants:
                depth = _depth(getCustomOp(node).get_nodeattr("inFIFODepths"), index)
                node.input[index] = _behind(model, tensor, _shapes(node, index, "input"), depth)
        for index, tensor in enumerate(node.output):
            depth = _depth(getCustomOp(node).get_nodeattr("outFIFODepths"), index)
            if tensor in outputs:
                fresh = model.make_new_valueinfo_name()
                node.output[index] = fresh
                _fifo(model, fresh, tensor, _shapes(node, index, "output"), depth)
                _annotate(model, fresh, _shapes(node, index, "output"))
            for reader in model.find_consumers(tensor) or []:
                place = list(reader.input).index(tensor)
                wanted = max(depth, _depth(getCustomOp(reader).get_nodeattr("inFIFODepths"), place))
                reader.input[place] = _behind(model, tensor, _shapes(node, index, "output"), wanted)
    return model


def _depth(depths: list[int], index: int) -> int:
    return max(_SHALLOW, depths[index] if index < len(depths) else _SHALLOW)


def _shapes(node: Any, index: int, side: str) -> tuple[Any, Any, Any]:
    """Folded shape, shape and data type of a stream."""
    layer = getCustomOp(node)
    folded = getattr(layer, f"get_folded_{side}_shape")(index)
    normal = getattr(layer, f"get_normal_{side}_shape")(index)
    return folded, normal, getattr(layer, f"get_{side}_datatype")(index)


def _behind(model: Any, tensor: str, shapes: tuple[Any, Any, Any], depth: int) -> str:
    fresh: str = model.make_new_valueinfo_name()
    _fifo(model, tensor, fresh, shapes, depth)
    _annotate(model, fresh, shapes)
    return fresh


def _fifo(model: Any, source: str, target: str, shapes: tuple[Any, Any, Any], depth: int) -> None:
    folded, normal, kind = shapes
    node = helper.make_node(
        "StreamingFIFO",
        [source],
        [target],
        domain=DOMAIN,
        backend="fpgadataflow",
        depth=depth,
        folded_shape=[int(size) for size in folded],
        normal_shape=[int(size) for size in normal],
        dataType=kind.name,
        impl_style="rtl",
        # Left to itself, FINN's RTL asks for UltraRAM from 2,029 words on, which most devices do not have.
        ram_style="block" if depth > _IN_LUTS else "auto",
    )
    model.graph.node.append(node)


def _annotate(model: Any, tensor: str, shapes: tuple[Any, Any, Any]) -> None:
    _, normal, kind = shapes
    model.graph.value_info.append(helper.make_tensor_value_info(tensor, TensorProto.FLOAT, list(normal)))
    model.set_tensor_datatype(tensor, kind)


def deepen_forks(model: Any, *, alone: bool = False) -> None:
    """Let each output of a fork hold what the other branches read before they answer.

    Without that a fork stops: the join waits for the long branch, which waits for words that the fork cannot
    hand out, because the short branch is full. Depths that the user gave stay where they are larger. What
    links between partitions hold back besides, the shell's FIFOs take up.

    Args:
        model: The network, or with ``alone`` one partition of it: what leaves it may meet elsewhere, and a
            whole frame is held for that.
    """
    for fork in model.graph.node:
        if len(fork.output) > 1:
            layer = getCustomOp(fork)
            given = layer.get_nodeattr("outFIFODepths")
            depths = [_depth(given, index) for index in range(len(fork.output))]
            for index, part in _held(model, fork, alone).items():
                frame = math.prod(int(size) for size in layer.get_folded_output_shape(index)[:-1])
                depths[index] = max(depths[index], math.ceil(min(part, 1.0) * frame) + _MARGIN)
            layer.set_nodeattr("outFIFODepths", depths)


def _held(model: Any, fork: Any, alone: bool) -> dict[int, float]:
    """The part of a frame that each output of a fork must hold, for those whose branches meet others.

    One pass in graph order: for every stream, the outputs that it comes from, and the read-ahead of each
    path. Where streams from different outputs join, one waits for the other.
    """
    ahead: dict[str, dict[int, float]] = {tensor: {index: 0.0} for index, tensor in enumerate(fork.output)}
    held: dict[int, float] = {}

    def meet(came: list[dict[int, float]], least: float) -> None:
        for ways, others in permutations(came, 2):
            if ways.keys() != others.keys():
                for index in ways:
                    held[index] = max(held.get(index, 0.0), least, *others.values())

    for node in model.graph.node:
        came = [ahead[tensor] for tensor in node.input if tensor in ahead]
        meet(came, 0.0)
        if came:
            reads = _ahead(node)
            merged = {key: max(ways.get(key, 0.0) for ways in came) for key in set().union(*came)}
            for tensor in node.output:
                ahead[tensor] = {index: part + reads for index, part in merged.items()}
    if alone:
        meet([ahead[tensor.name] for tensor in model.graph.output if tensor.name in ahead], 1.0)
    return held


def _ahead(node: Any) -> float:
    """The part of its input frame that a layer reads before it answers to the first of it."""
    layer = getCustomOp(node)
    pixels = math.prod(int(size) for size in layer.get_normal_input_shape()[:-1])
    kind = node.op_type.partition("_")[0]
    if kind == "ConvolutionInputGenerator":
        height, width = layer.get_nodeattr("IFMDim")
        rows, columns = layer.get_nodeattr("ConvKernelDim")
        down, right = layer.get_nodeattr("Dilation")
        read: int = ((rows - 1) * down + 1) * width + columns * right
        return min(1.0, read / int(height * width))
    if is_dynamic(node):
        return 1.0
    return 2.0 / pixels if kind in _PIXEL_BY_PIXEL else 1.0
