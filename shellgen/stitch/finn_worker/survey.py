# SPDX-License-Identifier: BSD-3-Clause
"""Layers with all their legal foldings, each with FINN's cycles and resources; and the streams between."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from onnx import AttributeProto
from qonnx.custom_op.registry import getCustomOp

from .folding import DIVIDES, size_of
from .lower import choose_types, is_partitioned, prepare
from .own import MATRICES
from .partition import load_children, unpartitioned
from .steps import tell

# FINN's RTL multiplies PE x SIMD weights in a cycle; their stream is not wider than FINN's build allows.
_WIDEST_WEIGHTS = 8192
# Where weights and windows lie; an UltraRAM starts with zeros, so that nobody gets one unasked.
_STYLES = ("block", "distributed")
_WITH_MEMORY = (*MATRICES, "ConvolutionInputGenerator")
# Attributes that say where a layer stands, not how it computes.
_PLACE = ("partition_id", "device_id", "slr", "mem_port")


def survey_of(model: Any, job: dict[str, Any]) -> dict[str, Any]:
    """Return ``layers`` and ``streams`` of a network in RTL, whatever folding and cuts the job has.

    A parent of partitions is taken as the whole network that it is.
    """
    work = Path(job["work"])
    if is_partitioned(model):
        parent = load_children(model, Path(job["model"]).parent, work, {**job, "whole": True})
        model = unpartitioned(parent, anew=True)
    ends, _ = prepare(model, job)
    layers, _, names = choose_types(ends, job)
    tell("FINN estimates", f"{len(names)} layers")
    return {"notes": ends.notes(), **_survey(layers, names, job)}


def _survey(model: Any, names: list[str], job: dict[str, Any]) -> dict[str, Any]:
    called = dict(zip((node.name for node in model.graph.node), names, strict=True))
    known: dict[str, list[dict[str, Any]]] = {}
    layers = []
    for node in model.graph.node:
        streams = _streams(model, node)
        signature = _signature(model, node)
        if signature not in known:
            known[signature] = [_option(node, folding, streams, job) for folding in _foldings(node)]
        layers.append(
            {
                "name": called[node.name],
                "kind": _kind(node),
                "rtl": node.op_type.endswith("_rtl"),
                "attributes": _attributes(node),
                **_bits(node, streams),
                "constants": _constants(model, node),
                "limits": {
                    key: size_of(getCustomOp(node), whole) for key, whole in DIVIDES.get(_kind(node), ())
                },
                "foldings": known[signature],
                "source": "FINN's estimate",
            }
        )
    return {"layers": layers, "streams": _edges(model, called)}


def _signature(model: Any, node: Any) -> str:
    kept = {key: value for key, value in _attributes(node).items() if key not in _PLACE}
    return json.dumps([node.op_type, kept, _constants(model, node)], sort_keys=True, default=str)


def _kind(node: Any) -> str:
    return str(node.op_type).removesuffix("_rtl").removesuffix("_hls")


def _streams(model: Any, node: Any) -> list[int]:
    """Inputs that are streams; the others are weights and thresholds."""
    return [index for index, tensor in enumerate(node.input) if model.get_initializer(tensor) is None]


def _attributes(node: Any) -> dict[str, Any]:
    """All attributes with FINN's defaults, and paths and text left out."""
    layer = getCustomOp(node)
    found = {}
    for key in layer.get_nodeattr_types():
        try:
            value = layer.get_nodeattr(key)
        except Exception:  # noqa: S112 - one that is required and not set
            continue
        if hasattr(value, "tolist"):
            value = value.tolist()
        if isinstance(value, int | str) or (isinstance(value, list) and len(value) < 64):
            found[key] = value
    stored = {entry.name for entry in node.attribute if entry.type == AttributeProto.TENSOR}
    return {key: value for key, value in found.items() if key not in stored}


def _foldings(node: Any) -> Iterator[dict[str, Any]]:
    """All foldings that FINN allows, the slowest first."""
    layer = getCustomOp(node)
    limits = {key: size_of(layer, whole) for key, whole in DIVIDES.get(_kind(node), ())}
    keys = list(limits)
    styles = (
        _STYLES if node.op_type.startswith(_WITH_MEMORY) and "ram_style" in layer.get_nodeattr_types() else ()
    )
    for values in product(*(_divisors(limits[key]) for key in keys)):
        folding: dict[str, Any] = dict(zip(keys, values, strict=True))
        if node.op_type.startswith("MVAU"):
            lanes = folding["SIMD"] * folding["PE"]
            if lanes * layer.get_input_datatype(1).bitwidth() > _WIDEST_WEIGHTS:
                continue
        yield from ({**folding, "ram_style": style} for style in styles)
        if not styles:
            yield folding


def _divisors(number: int) -> list[int]:
    return [one for one in range(1, number + 1) if number % one == 0]


def _option(node: Any, folding: dict[str, Any], streams: list[int], job: dict[str, Any]) -> dict[str, Any]:
    """Return one folding: FINN's cycles and estimate, and the elements of a word on each stream."""
    copy = type(node)()
    copy.CopyFrom(node)
    layer = getCustomOp(copy)
    for key, value in folding.items():
        layer.set_nodeattr(key, value)
    return {
        "attributes": folding,
        # It can make a word in each cycle, and then FINN's RTL loses words when it is stopped.
        "avoid": copy.op_type == "MVAU_rtl" and folding["SIMD"] == layer.get_nodeattr("MW") > 1,
        "cycles": int(layer.get_exp_cycles()),
        "takes": _estimate(layer, job),
        "reads": [int(layer.get_folded_input_shape(index)[-1]) for index in streams],
        "writes": [int(layer.get_folded_output_shape(index)[-1]) for index in range(len(copy.output))],
    }


def _estimate(layer: Any, job: dict[str, Any]) -> dict[str, int]:
    """Return FINN's estimate; empty where it has none for such a layer."""
    try:
        told = layer.node_res_estimation(job["parts"][0])
    except Exception:
        return {}
    names = {"lut": "LUT", "bram18": "BRAM_18K", "uram": "URAM", "dsp": "DSP"}
    return {key: math.ceil(float(told.get(name, 0) or 0)) for key, name in names.items()}


def _bits(node: Any, streams: list[int]) -> dict[str, Any]:
    """Bits of an element: of the streams in and out, and of weights or thresholds, 0 where there are none."""
    layer = getCustomOp(node)
    others = [index for index in range(len(node.input)) if index not in streams]
    keeps = others and node.op_type.startswith((*MATRICES, "Thresholding"))
    return {
        "reads": [int(layer.get_input_datatype(index).bitwidth()) for index in streams],
        "writes": [int(layer.get_output_datatype(index).bitwidth()) for index in range(len(node.output))],
        "weights": int(layer.get_input_datatype(others[0]).bitwidth()) if keeps else 0,
    }


def _constants(model: Any, node: Any) -> int:
    """Elements of the constant operands."""
    held = [model.get_initializer(tensor) for tensor in node.input]
    return sum(int(value.size) for value in held if value is not None)


def _edges(model: Any, called: dict[str, str]) -> list[dict[str, Any]]:
    """Return all streams: producer and consumer, each with the number of its stream, empty at the host.

    Streams of the host have the number of the model's input.
    """
    found = []
    inputs = [value.name for value in model.graph.input]
    outputs = {value.name for value in model.graph.output}
    for node in model.graph.node:
        layer = getCustomOp(node)
        for place, index in enumerate(_streams(model, node)):
            tensor, kind = node.input[index], layer.get_input_datatype(index)
            producer = model.find_producer(tensor)
            made, depth = inputs.index(tensor) if tensor in inputs else 0, 2
            if producer is not None:
                made = list(producer.output).index(tensor)
                depth = [*getCustomOp(producer).get_nodeattr("outFIFODepths"), *[2] * 16][made]
            source = (called[producer.name], made) if producer is not None else ("", made)
            shape = layer.get_normal_input_shape(index)
            same = producer is not None and _counts_windows(producer, node)
            found.append(_stream(source, (called[node.name], place), kind, shape, depth, same=same))
        for made, tensor in enumerate(node.output):
            if tensor in outputs:
                kind, shape = layer.get_output_datatype(made), layer.get_normal_output_shape(made)
                found.append(_stream((called[node.name], made), ("", 0), kind, shape, 2))
    return found


def _counts_windows(producer: Any, consumer: Any) -> bool:
    """Tell a window generator before a layer that takes its windows channel by channel."""
    return _kind(consumer) in ("Pool", "VVAU") and _kind(producer) == "ConvolutionInputGenerator"


def _stream(  # noqa: PLR0913 - what a stream has
    source: tuple[str, int], target: tuple[str, int], kind: Any, shape: Any, depth: int, *, same: bool = False
) -> dict[str, Any]:
    return {
        "producer": source[0],
        "output": source[1],
        "consumer": target[0],
        "input": target[1],
        "datatype": kind.name,
        "bits": int(kind.bitwidth()),
        "shape": [int(size) for size in shape],
        "words": max(2, int(depth)),
        "same": same,
    }
