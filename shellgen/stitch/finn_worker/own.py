# SPDX-License-Identifier: BSD-3-Clause
"""Layers that FINN has as Vitis HLS only and that get shellgen's RTL: found, marked and described.

Such a node keeps the abstract ``op_type`` that it had before SpecializeLayers. FINN therefore generates
nothing for it and executes it in numpy, and a reader of the model sees that it is not an HLS layer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from finn.custom_op.fpgadataflow.pool import Pool
from finn.transformation.fpgadataflow.specialize_layers import SpecializeLayers
from qonnx.core.data_layout import NC, NHWC
from qonnx.custom_op.registry import getCustomOp
from qonnx.transformation.infer_data_layouts import InferDataLayouts

from .dynamic import is_dynamic
from .ends import DOMAIN

_WAITING = "later."
_WIDEST = 8  # bits of an operand of FINN's matrix unit; signed inputs may have one more
MATRICES = ("MVAU", "VVAU")
ELEMENTWISE = ("ElementwiseAdd", "ElementwiseSub", "ElementwiseAbsDiff", "ElementwiseMul")
# Layers that take several words of one pixel at a time, or count words: PE and SIMD must divide these.
DIVIDES = {
    **dict.fromkeys(ELEMENTWISE, (("PE", "out_shape"),)),
    "DuplicateStreams": (("PE", "NumChannels"),),
    "GlobalAccPool": (("PE", "NumChannels"),),
    "LabelSelect": (("PE", "Labels"),),
    "Pool": (("PE", "Channels"),),
    "UpsampleNearestNeighbour": (("SIMD", "NumChannels"),),
}


def annotate_layouts(model: Any) -> None:
    """Say that channels are innermost, as in all that FINN lowers; qonnx would take images for NCHW."""
    for tensor in model.graph.input:
        layout = {4: NHWC, 2: NC}.get(len(model.get_tensor_shape(tensor.name)))
        if (
            model.get_initializer(tensor.name) is None
            and model.get_tensor_layout(tensor.name) is None
            and layout
        ):
            model.set_tensor_layout(tensor.name, layout)
            model.transform(InferDataLayouts(), make_deepcopy=False)


def give_depths(model: Any) -> None:
    """Give each stream of a layer a FIFO depth; FINN has one for a layer, whatever streams it has."""
    for node in model.graph.node:
        layer = getCustomOp(node)
        for attribute, streams in (("inFIFODepths", node.input), ("outFIFODepths", node.output)):
            depths = [*layer.get_nodeattr(attribute), *[2] * len(streams)]
            layer.set_nodeattr(attribute, depths[: len(streams)])


def specialise(model: Any, job: dict[str, Any]) -> Any:
    """Choose FINN's RTL variant of each layer, and ours where there is none."""
    for node in model.graph.node:
        if node.domain == DOMAIN and node.op_type == "MVAU" and _is_wide(getCustomOp(node)):
            getCustomOp(node).set_nodeattr("preferred_impl_style", "hls")
    for index, part in enumerate(job["parts"]):
        others = [node for node in model.graph.node if not _is_for(node, index, job)]
        for node in others:
            node.domain = _WAITING + node.domain  # which FINN leaves alone
        model = model.transform(SpecializeLayers(part))
        for node in model.graph.node:
            node.domain = node.domain.removeprefix(_WAITING)
    for node in model.graph.node:
        kind = node.op_type.removesuffix("_hls")
        if node.op_type.endswith("_hls") and kind in job["own_layers"] and not is_dynamic(node):
            node.op_type, node.domain = kind, DOMAIN
    return model


def _is_wide(layer: Any) -> bool:
    """Tell operands that FINN's RTL takes since 1.6 only; ours is tested with such widths."""
    data, weights = (layer.get_input_datatype(index) for index in range(2))
    return bool(data.bitwidth() > _WIDEST + data.signed() or weights.bitwidth() > _WIDEST)


def _is_for(node: Any, index: int, job: dict[str, Any]) -> bool:
    if len(job["parts"]) == 1 or node.domain != DOMAIN:
        return True
    return bool(getCustomOp(node).get_nodeattr("partition_id") == index)


def fix_finn() -> None:
    """Correct FINN's class of a layer that it has as HLS only.

    A pool executes on the output of the window generator before it: windows in groups of PE channels. FINN's
    generator orders them so once it is specialised, and its pool takes them as if PE were all channels.
    """
    known = Pool.execute_node

    def execute(self: Any, context: Any, graph: Any) -> None:
        if not any(node.op_type.startswith("ConvolutionInputGenerator_") for node in graph.node):
            known(self, context, graph)
            return
        name = self.onnx_node.input[0]
        lanes, channels = self.get_nodeattr("PE"), self.get_nodeattr("Channels")
        as_given = context[name]
        grouped = as_given.reshape(*as_given.shape[:-1], channels // lanes, -1, lanes)
        context[name] = np.moveaxis(grouped, -3, -2).reshape(as_given.shape)
        known(self, context, graph)
        context[name] = as_given

    Pool.execute_node = execute


def is_own(node: Any) -> bool:
    """Tell whether a specialised node gets our RTL."""
    return bool(node.domain == DOMAIN)


def pool_problems(model: Any, where: str) -> list[tuple[str, str, str]]:
    """Find pools that take channels in other groups than the window generator before them hands them out."""
    problems = []
    for node in model.graph.node:
        if node.op_type not in ("Pool", "VVAU"):
            continue
        windows = model.find_producer(node.input[0])
        if windows is None or not windows.op_type.startswith("ConvolutionInputGenerator"):
            continue
        simd, lanes = getCustomOp(windows).get_nodeattr("SIMD"), getCustomOp(node).get_nodeattr("PE")
        if simd != lanes:
            found = f"PE {lanes} of {node.name} is not SIMD {simd} of {windows.name}"
            remedy = "Give both the same number: the words of a window come in groups of it"
            problems.append((f"{where}: folding.{node.name}.PE", found, remedy))
    return problems


def describe_own(model: Any, node: Any) -> dict[str, Any]:
    """Return what `shellgen.stitch.own_layers` must know of a node, as plain data."""
    layer = getCustomOp(node)
    names = layer.get_verilog_top_module_intf_names()
    place = {f"in{index}_V": index for index in range(len(node.input))}
    streams = dict(names["s_axis"])
    if node.op_type in MATRICES:  # FINN leaves out the port behind its memory of weights
        streams["in1_V"] = layer.get_instream_width_padded(1)
    inputs = [
        {"name": port, "bits": int(bits), "type": layer.get_input_datatype(place[port]).name}
        for port, bits in streams.items()
    ]
    outputs = [
        {"name": port, "bits": int(bits), "type": layer.get_output_datatype(index).name}
        for index, (port, bits) in enumerate(names["m_axis"])
    ]
    constants, kind = [], ""
    if node.op_type in ELEMENTWISE:
        for index, tensor in enumerate(node.input):
            values = model.get_initializer(tensor)
            if values is not None:
                constants = [int(value) for value in values.flatten()]
                kind = layer.get_input_datatype(index).name
    return {
        "name": node.name,
        "kind": node.op_type.removesuffix("_rtl"),
        "attributes": _attributes(layer),
        "inputs": inputs,
        "outputs": outputs,
        "constants": constants,
        "constant_type": kind,
    }


def _attributes(layer: Any) -> dict[str, Any]:
    """Numbers, strings and lists of both; tensors among the attributes are FINN's own business."""
    found: dict[str, Any] = {}
    for name, (kind, *_) in layer.get_nodeattr_types().items():
        if kind in ("i", "s", "ints", "strings"):
            value = layer.get_nodeattr(name)
            found[name] = (
                [_plain(entry) for entry in value] if kind.endswith("s") and kind != "s" else _plain(value)
            )
    return found


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else int(value)
