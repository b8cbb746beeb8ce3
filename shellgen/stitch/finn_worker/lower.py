# SPDX-License-Identifier: BSD-3-Clause
"""QONNX to FINN layers in RTL, with folding and partition numbers.

The order of the steps matters: thresholds are inferred before matrix units, so that these get no
built-in activation (their RTL has none); width converters come before the cut, so that each child is
complete.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from finn.transformation.fpgadataflow.convert_to_hw.binary_matrix_vector_activation import (
    InferBinaryMatrixVectorActivation,
)
from finn.transformation.fpgadataflow.convert_to_hw.concat import InferConcatLayer
from finn.transformation.fpgadataflow.convert_to_hw.conv_inp_gen import InferConvInpGen
from finn.transformation.fpgadataflow.convert_to_hw.duplicate_streams import InferDuplicateStreamsLayer
from finn.transformation.fpgadataflow.convert_to_hw.elementwise_binary_operation import (
    InferElementwiseBinaryOperation,
)
from finn.transformation.fpgadataflow.convert_to_hw.global_acc_pool import InferGlobalAccPoolLayer
from finn.transformation.fpgadataflow.convert_to_hw.label_select import InferLabelSelectLayer
from finn.transformation.fpgadataflow.convert_to_hw.pool import InferPool
from finn.transformation.fpgadataflow.convert_to_hw.quantized_matrix_vector_activation import (
    InferQuantizedMatrixVectorActivation,
)
from finn.transformation.fpgadataflow.convert_to_hw.reshape import InferReshape
from finn.transformation.fpgadataflow.convert_to_hw.split import InferSplitLayer
from finn.transformation.fpgadataflow.convert_to_hw.thresholding import InferThresholdingLayer
from finn.transformation.fpgadataflow.convert_to_hw.upsample import InferUpsample
from finn.transformation.fpgadataflow.convert_to_hw.vector_vector_activation import (
    InferVectorVectorActivation,
)
from finn.transformation.fpgadataflow.insert_dwc import InsertDWC
from finn.transformation.fpgadataflow.minimize_accumulator_width import MinimizeAccumulatorWidth
from finn.transformation.fpgadataflow.minimize_weight_bit_width import MinimizeWeightBitWidth
from finn.transformation.move_reshape import RemoveCNVtoFCFlatten
from finn.transformation.streamline.absorb import AbsorbConsecutiveTransposes
from finn.transformation.streamline.round_thresholds import RoundAndClipThresholds
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.custom_op.registry import getCustomOp
from qonnx.transformation.general import (
    GiveReadableTensorNames,
    GiveUniqueNodeNames,
    RemoveStaticGraphInputs,
)
from qonnx.transformation.infer_datatypes import InferDataTypes
from qonnx.transformation.infer_shapes import InferShapes

from .activations import FALLING
from .bipolar import count_equal_bits, padded_problems
from .constants import fold_constants
from .dynamic import dynamic_problems, is_dynamic
from .ends import Ends, cut_ends, is_hardware
from .fifos import deepen_forks
from .folding import apply_folding
from .generalise import generalise, is_specialised
from .matrices import widen_types
from .older import modernise
from .operators import unknown_operators
from .own import annotate_layouts, give_depths, is_own, specialise
from .pixels import transpose_pixels
from .problems import stop_if
from .sequences import infer_sequences, slice_gathers
from .steps import tell
from .streamline import needs_streamlining
from .transposes import infer_transposes
from .truncations import quantise_truncations
from .verify import Export


def _is_whole(model: Any, node: Any) -> bool:
    """Tell a sum, difference or product of whole numbers; FINN would take any type, and other operators."""
    if node.op_type not in ("Add", "Sub", "Mul"):
        return False
    values = [model.get_initializer(tensor) for tensor in node.input]
    return all(
        model.get_tensor_datatype(tensor).is_integer() if value is None else (value == np.rint(value)).all()
        for tensor, value in zip(node.input, values, strict=True)
    )


_LAYERS: tuple[Callable[[], Any], ...] = (
    InferDataTypes,
    InferPool,
    InferConvInpGen,
    InferThresholdingLayer,
    InferVectorVectorActivation,
    InferBinaryMatrixVectorActivation,
    InferQuantizedMatrixVectorActivation,
    partial(InferElementwiseBinaryOperation, _is_whole),
    InferGlobalAccPoolLayer,
    InferUpsample,
    InferConcatLayer,
    InferSplitLayer,
    InferLabelSelectLayer,
    RemoveCNVtoFCFlatten,
    InferReshape,
    InferDuplicateStreamsLayer,
)
_CARRIED = ("Mul", "Add", "Sub", "Div", "Transpose")
_REMEDY = "Only layers with an RTL variant can be built without Vitis HLS; move it to the host"
_FLOAT = (
    "it computes in float32, in DSPFP32 of Versal or Vitis HLS, and its stream has no integers",
    "Move it to the host, or use {}",
)
_WITHOUT = {
    "HWSoftmax": (_FLOAT[0], _FLOAT[1].format("thresholds, which keep the order of its values")),
    "LayerNorm": (_FLOAT[0], _FLOAT[1].format("BatchNormalization, which folds into thresholds")),
    "PWPolyF": (_FLOAT[0], _FLOAT[1].format("thresholds")),
}
_REMEDIES = {
    "MVAU": "Use inputs and signed weights of 2 to 8 bits; on DSP48E1 no weight may be the most negative one",
    "StreamingDataWidthConverter": "Choose PE and SIMD so that one divides the other, or cut there",
}


def load(job: dict[str, Any]) -> Any:
    """Read the model of a job.

    Some exporters list parameters as inputs of the graph, too; nobody feeds these.
    """
    model = modernise(ModelWrapper(job["model"]))
    check_kinds(model, job["name"], job)
    stop_if(unknown_operators(model, job["name"]))
    if is_partitioned(model):
        return model
    model = fold_constants(model.transform(RemoveStaticGraphInputs()))
    quantise_truncations(model)
    return transpose_pixels(model)


def check_kinds(model: Any, where: str, job: dict[str, Any]) -> None:
    """Refuse layers that no shell can carry, and those that this FINN does not know.

    Raises:
        FoundProblems: There are such layers.
    """
    refused = job["unsupported"]
    remedy = "Start from the export, or from a model before FINN chose layers (step_streamline.onnx)"
    problems = []
    for node in model.graph.node:
        place = f"{where}: node {node.name}"
        if node.op_type in refused:
            problems.append((place, *refused[node.op_type]))
        elif is_hardware(node) and not _is_known(node):
            problems.append((place, f"finn-plus 1.6 has no layer {node.op_type}", remedy))
    stop_if(problems)


def _is_known(node: Any) -> bool:
    try:
        getCustomOp(node)
    except KeyError:
        return False
    return True


def prepare(model: Any, job: dict[str, Any]) -> tuple[Ends, Any]:
    """Streamline a model if it is an export, and cut off what stays with the host.

    Returns:
        The parts, and the model to compare their results with; None if there is but the core as it was.
    """
    origin, export = None, None
    said: list[str] = []
    if is_specialised(model):
        model = generalise(model, job["name"])
    if needs_streamlining(model):
        export = Export(model, job["name"])
        origin = export.model
        model = export.streamline(model, said)
    else:
        for step in (InferShapes(), GiveUniqueNodeNames(), InferDataTypes()):
            model = model.transform(step)
    ends = cut_ends(model, job["name"])
    ends.export = export
    ends.said += said
    if origin is None and (ends.before or ends.after):
        origin = model
    return ends, origin


def is_partitioned(model: Any) -> bool:
    """Tell whether the model is a parent of dataflow partitions already."""
    return any(node.op_type == "StreamingDataflowPartition" for node in model.graph.node)


def infer_layers(model: Any, where: str) -> Any:
    """Return the model as FINN layers that are not yet folded, named by kind and number.

    Raises:
        FoundProblems: Nodes that FINN makes no layer of.
    """
    annotate_layouts(model)
    model = model.transform(InferShapes())
    _bipolar(model)
    stop_if(padded_problems(model, where))
    count_equal_bits(model)
    model = infer_sequences(slice_gathers(model))
    for index, infer in enumerate(_LAYERS, 1):
        tell("FINN chooses layers", f"step {index} of {len(_LAYERS)}")
        model = model.transform(infer())
    model = infer_transposes(model.transform(AbsorbConsecutiveTransposes()))
    for step in (InferReshape(), GiveUniqueNodeNames(), InferShapes(), InferDataTypes()):
        model = model.transform(step)
    left = [node for node in model.graph.node if not is_hardware(node)]
    # Scales, biases and transposes in front of an operator that is no layer stay because of it.
    causes = [node for node in left if node.op_type not in _CARRIED]
    stop_if([_not_a_layer(model, node, where) for node in causes or left])
    return model


def choose_types(ends: Ends, job: dict[str, Any]) -> tuple[Any, list[str], list[str]]:
    """Return the core as RTL-specialised layers with final types, notes, and the user's names of the layers.

    Raises:
        FoundProblems: As `lower`.
    """
    where = job["name"]
    model = infer_layers(ends.core, where)
    notes = apply_folding(model, job)
    give_depths(model)
    deepen_forks(model)
    called = {node.output[0]: node.name for node in model.graph.node}
    names = [node.name for node in model.graph.node]
    model = specialise(model, job)
    check_rtl(model, where, called)
    steps = (
        GiveUniqueNodeNames(),
        RoundAndClipThresholds(),  # the next steps want whole thresholds, which streamlining seldom leaves
        MinimizeWeightBitWidth(),
        RoundAndClipThresholds(),
        MinimizeAccumulatorWidth(),
        InferDataTypes(),
        RoundAndClipThresholds(),
        MinimizeWeightBitWidth(),
        InferDataTypes(),
    )
    for index, step in enumerate(steps, 1):
        tell("FINN chooses types", f"step {index} of {len(steps)}")
        model = model.transform(step)
    widen_types(model)
    model = model.transform(InferDataTypes())
    return model, notes, names


def lower(ends: Ends, job: dict[str, Any]) -> tuple[Any, list[str]]:
    """Return the core as RTL-specialised FINN layers with partition numbers, and what the user should know.

    Its inputs and outputs get new names and a new order, which ``ends`` records.

    Raises:
        FoundProblems: Nodes that FINN has no layer or no RTL for, and folding that does not fit.
    """
    model, notes, _ = choose_types(ends, job)
    model = _convert_widths(model, job)
    found = {}
    for side in ("input", "output"):
        # Setting a shape moves an input to the end, so that places mean nothing; renaming keeps them.
        found[side] = [value.name for value in getattr(model.graph, side)]
    model = model.transform(GiveReadableTensorNames())
    ends.inputs = dict(zip(found["input"], (value.name for value in model.graph.input), strict=True))
    ends.outputs = dict(zip(found["output"], (value.name for value in model.graph.output), strict=True))
    for step in (InferShapes(), InferDataTypes()):
        model = model.transform(step)
    return model, notes


def _bipolar(model: Any) -> None:
    """Leave scale and bias of a sign to its type, as FINN's layer of thresholds does."""
    for node in model.graph.node:
        if node.op_type == "MultiThreshold":
            compare = getCustomOp(node)
            values = [compare.get_nodeattr(key) for key in ("out_dtype", "out_scale", "out_bias")]
            if values == ["BIPOLAR", 2.0, -1.0]:
                compare.set_nodeattr("out_scale", 1.0)
                compare.set_nodeattr("out_bias", 0.0)


def _not_a_layer(model: Any, node: Any, where: str) -> tuple[str, str, str]:
    remedy = "Move it before the first or behind the last layer, where the host can compute it, or replace it"
    found = f"FINN makes no hardware layer of this {node.op_type}"
    order = next((list(entry.ints) for entry in node.attribute if entry.name == "perm"), None)
    if node.op_type == "Transpose" and order:
        found += f", which puts dimensions {order} of {model.get_tensor_shape(node.input[0])} in place"
        remedy = (
            "Streams have channels last: export the network so that layers before and behind it agree on "
        )
        remedy += "the order, or end it here and start another one behind it, with the host in between"
    if node.op_type in FALLING:
        found += ", and no thresholds take its place, since it falls somewhere"
        remedy = "Use a function that never falls (Relu, Clip, LeakyRelu, Tanh) with a Quant behind it"
    producer, readers = model.find_producer(node.input[0]), model.find_consumers(node.output[0]) or []
    ends = [end.name for end in (producer, *readers) if end is not None]
    if ends:
        found += f" (beside {', '.join(ends)})"
    return (f"{where}: node {node.name}", found, remedy)


def check_rtl(model: Any, where: str, called: dict[str, str] | None = None) -> None:
    """Refuse layers that only Vitis HLS can build; ``called`` has the user's names by output tensor."""
    problems = []
    for node in model.graph.node:
        kind = node.op_type.removesuffix("_hls").removesuffix("_rtl")
        if kind in _WITHOUT:
            place = f"{where}: node {(called or {}).get(node.output[0], node.name)}"
            problems.append((place, *_WITHOUT[kind]))
            continue
        if is_dynamic(node) and not node.op_type.endswith("_rtl"):
            place = f"{where}: node {(called or {}).get(node.output[0], node.name)}"
            problems += dynamic_problems(model, node, place)
            continue
        if not node.op_type.endswith("_rtl") and not is_own(node):
            place = f"{where}: node {(called or {}).get(node.output[0], node.name)}"
            if kind == "StreamingDataWidthConverter":
                place = f"{where}: {_neighbours(model, node)}"
            found = f"FINN has this {kind} in Vitis HLS only"
            problems.append((place, found, _REMEDIES.get(kind, _REMEDY)))
    stop_if(problems)


def _neighbours(model: Any, node: Any) -> str:
    """Tell the user between which of their layers a converter stands."""
    producer, consumer = model.find_producer(node.input[0]), model.find_consumers(node.output[0])[0]
    sizes = (
        getCustomOp(producer).get_folded_output_shape(list(producer.output).index(node.input[0]))[-1],
        getCustomOp(consumer).get_folded_input_shape(list(consumer.input).index(node.output[0]))[-1],
    )
    ends = [
        f"{re.sub('_(rtl|hls)', '', end.name)} ({size} elements a word)"
        for end, size in zip((producer, consumer), sizes, strict=True)
    ]
    return f"between {ends[0]} and {ends[1]}"


def _convert_widths(model: Any, job: dict[str, Any]) -> Any:
    """Insert width converters inside partitions only: at a cut the shell repacks element by element."""
    for step in (InsertDWC(), GiveUniqueNodeNames()):
        model = model.transform(step)
    for node in [node for node in model.graph.node if node.op_type == "StreamingDataWidthConverter"]:
        producer, consumer = model.find_producer(node.input[0]), model.find_consumers(node.output[0])[0]
        ids = [getCustomOp(end).get_nodeattr("partition_id") for end in (producer, consumer)]
        if ids[0] == ids[1]:
            getCustomOp(node).set_nodeattr("partition_id", ids[0])
            continue
        for index, tensor in enumerate(consumer.input):
            if tensor == node.output[0]:
                consumer.input[index] = node.input[0]
        model.graph.node.remove(node)
    model = specialise(model, job)
    check_rtl(model, job["name"])
    return model.transform(GiveUniqueNodeNames())
