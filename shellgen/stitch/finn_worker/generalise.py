# SPDX-License-Identifier: BSD-3-Clause
"""Take back FINN's choice of HLS and RTL: layers of a flow that would have gone through Vitis and Vivado.

FIFOs and width converters are removed, because they are inserted again; the preceding layers keep the depths.
Thresholds inside a matrix unit become a layer of their own, since FINN's RTL has none inside.
"""

from __future__ import annotations

import re
from typing import Any

from onnx import TensorProto, helper
from qonnx.core.datatype import DataType
from qonnx.custom_op.registry import getCustomOp
from qonnx.transformation.infer_datatypes import InferDataTypes
from qonnx.transformation.infer_shapes import InferShapes

from .ends import DOMAIN
from .own import ELEMENTWISE
from .problems import stop_if

_BETWEEN = ("StreamingFIFO", "StreamingDataWidthConverter")
_AROUND = ("IODMA", "TLastMarker", "CheckSum")


def is_specialised(model: Any) -> bool:
    """Tell whether FINN has chosen HLS or RTL for a layer, or has put thresholds into a matrix unit."""
    nodes = model.graph.node
    return any(node.domain.startswith(f"{DOMAIN}.") or _has_thresholds(node) for node in nodes)


def _has_thresholds(node: Any) -> bool:
    known = node.domain == DOMAIN and node.op_type in ("MVAU", "VVAU")
    return known and not getCustomOp(node).get_nodeattr("noActivation")


def is_rtl(model: Any) -> bool:
    """Tell whether all layers of a partition have FINN's RTL or ours, so that they can stay as they are."""
    ours = {*ELEMENTWISE, "DuplicateStreams", "MVAU", "Pool", "StreamingConcat", "StreamingSplit", "VVAU"}
    nodes = model.graph.node
    return all(n.op_type.endswith("_rtl") or (n.op_type in ours and not _has_thresholds(n)) for n in nodes)


def generalise(model: Any, where: str) -> Any:
    """Return the model with layers as they were before SpecializeLayers; all others are left alone.

    Raises:
        FoundProblems: FINN's own DMA, which takes the place of the shell.
    """
    nodes = [node for node in model.graph.node if node.domain.startswith(f"{DOMAIN}.")]
    remedy = "Take the model from before FINN inserts its DMA: the shell has one"
    stop_if(
        [
            (f"{where}: node {node.name}", f"{node.op_type} is part of FINN's own shell", remedy)
            for node in nodes
            if node.op_type.startswith(_AROUND)
        ]
    )
    for node in nodes:
        if node.op_type.startswith(_BETWEEN):
            _remove(model, node)
        else:
            node.op_type = re.sub("_(hls|rtl)$", "", node.op_type)
            node.domain = DOMAIN
    for node in [node for node in model.graph.node if _has_thresholds(node)]:
        _split(model, node)
    for step in (InferShapes(), InferDataTypes()):
        model = model.transform(step)
    return model


def _remove(model: Any, node: Any) -> None:
    (source,), (target,) = node.input, node.output
    producer, readers = model.find_producer(source), model.find_consumers(target) or []
    if producer is not None and node.op_type.startswith("StreamingFIFO"):
        layer, index = getCustomOp(producer), list(producer.output).index(source)
        if producer.domain.startswith(DOMAIN) and "outFIFODepths" in layer.get_nodeattr_types():
            depths = [*layer.get_nodeattr("outFIFODepths"), *[2] * len(producer.output)]
            depths[index] = max(depths[index], getCustomOp(node).get_nodeattr("depth"))
            layer.set_nodeattr("outFIFODepths", depths[: len(producer.output)])
    model.graph.node.remove(node)
    for reader in readers:
        reader.input[list(reader.input).index(target)] = source
    if producer is not None and target in {tensor.name for tensor in model.graph.output}:
        producer.output[list(producer.output).index(source)] = target


def _split(model: Any, node: Any) -> None:
    """Make a Thresholding of the activation of a matrix unit."""
    layer = getCustomOp(node)
    thresholds, target = node.input[2], node.output[0]
    steps = model.get_tensor_shape(thresholds)[-1]
    shape = layer.get_normal_output_shape()
    inner = model.make_new_valueinfo_name()
    model.graph.value_info.append(helper.make_tensor_value_info(inner, TensorProto.FLOAT, list(shape)))
    sums = DataType["INT32"]
    model.set_tensor_datatype(inner, sums)
    compare = helper.make_node(
        "Thresholding",
        [inner, thresholds],
        [target],
        f"{node.name}_thresholds",
        domain=DOMAIN,
        backend="fpgadataflow",
        NumChannels=int(shape[-1]),
        PE=layer.get_nodeattr("PE"),
        numSteps=int(steps),
        inputDataType=sums.name,
        weightDataType=model.get_tensor_datatype(thresholds).name,
        outputDataType=layer.get_nodeattr("outputDataType"),
        numInputVectors=[int(size) for size in shape[:-1]],
        ActVal=layer.get_nodeattr("ActVal"),
        partition_id=layer.get_nodeattr("partition_id"),
        device_id=layer.get_nodeattr("device_id"),
        slr=layer.get_nodeattr("slr"),
        outFIFODepths=layer.get_nodeattr("outFIFODepths"),
    )
    del node.input[2]
    node.output[0] = inner
    for key, value in (("noActivation", 1), ("ActVal", 0), ("outputDataType", sums.name)):
        layer.set_nodeattr(key, value)
    model.graph.node.insert(list(model.graph.node).index(node) + 1, compare)


def flatten(parent: Any, children: list[Any]) -> Any:
    """Put the children of a partitioned model in the place of their nodes, with partition numbers."""
    graph = parent.graph
    nodes = [node for node in graph.node if node.op_type == "StreamingDataflowPartition"]
    for number, (place, child) in enumerate(zip(nodes, children, strict=True)):
        names = {value.name: outer for value, outer in zip(child.graph.input, place.input, strict=False)}
        names |= {value.name: outer for value, outer in zip(child.graph.output, place.output, strict=True)}

        def renamed(name: str, names: dict[str, str] = names, number: int = number) -> str:
            return names.get(name, f"part{number}_{name}") if name else name

        for tensor in child.graph.initializer:
            tensor.name = renamed(tensor.name)
            graph.initializer.append(tensor)
        for value in (*child.graph.value_info, *child.graph.input):
            known = {other.name for other in (*graph.input, *graph.output, *graph.value_info)}
            value.name = renamed(value.name)
            if value.name not in known:
                graph.value_info.append(value)
        noted = {note.tensor_name for note in graph.quantization_annotation}
        for note in child.graph.quantization_annotation:
            note.tensor_name = renamed(note.tensor_name)
            if note.tensor_name not in noted:
                graph.quantization_annotation.append(note)
        at = list(graph.node).index(place)
        graph.node.remove(place)
        for offset, node in enumerate(child.graph.node):
            node.input[:] = [renamed(name) for name in node.input]
            node.output[:] = [renamed(name) for name in node.output]
            node.name = f"part{number}_{node.name}"
            getCustomOp(node).set_nodeattr("partition_id", number)
            graph.node.insert(at + offset, node)
    parent.cleanup()
    return parent
