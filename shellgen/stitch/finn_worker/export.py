# SPDX-License-Identifier: BSD-3-Clause
"""Rewrites what exporters write, but FINN's steps do not take, in an equivalent form."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import helper, numpy_helper
from qonnx.core.datatype import DataType

from .problems import stop_if
from .quantisers import fix_quantisers

_WHOLE = ("Quant", "BipolarQuant", "MaxPool", "Concat", "Split", "Resize", "Upsample")  # keep whole numbers
_INTEGERS = ("MultiThreshold", "Trunc", "MatMulInteger", "ConvInteger", "QLinearMatMul", "QLinearConv")
_WINDOWS = ("Conv", "ConvTranspose", "MaxPool", "AveragePool")


def fix_export(model: Any, where: str) -> None:
    """Write out what an export leaves to defaults, and refuse what has no equal.

    A Gemm gets its bias, an unsigned Quant the Relu that it implies.

    Raises:
        FoundProblems: No quantiser, a first dimension that is not one frame, windows in three dimensions,
            windows in one that are neither of a Conv nor of a MaxPool, rounding that thresholds do not do.
    """
    graph = model.graph
    problems = _not_quantised(model, where)
    for tensor in graph.input:
        shape = model.get_tensor_shape(tensor.name)
        if model.get_initializer(tensor.name) is None and shape and shape[0] != 1:
            found = f"its first dimension is {shape[0] or 'open'}"
            problems.append((f"{where}: input {tensor.name}", found, "Export the network for a batch of 1"))
    for node in graph.node:
        kernel = next((len(entry.ints) for entry in node.attribute if entry.name == "kernel_shape"), 2)
        if node.op_type in _WINDOWS and kernel != 2 and not is_one_dimensional(node):
            found = f"its window has {kernel} dimension{'s' * (kernel > 1)}, and FINN's layers take images"
            remedy = "Export it on images, with a kernel of [K, 1] and a width of 1 for one dimension"
            problems.append(
                (f"{where}: node {node.name or node.output[0]}", f"{node.op_type}: {found}", remedy)
            )
        if node.op_type == "ConvTranspose":
            found = "FINN has a transposed convolution in Vitis HLS only (FMPadding_Pixel)"
            remedy = "Export a Resize (nearest) and a Conv in its place"
            problems.append((f"{where}: node {node.name or node.output[0]}", found, remedy))
    stop_if([*problems, *fix_quantisers(model, where)])
    for node in list(graph.node):
        if node.op_type in ("Conv", "MaxPool"):
            _spell_out(node)
        if node.op_type == "Gemm" and len(node.input) == 2:
            bias = f"{node.output[0]}_no_bias"
            graph.initializer.append(numpy_helper.from_array(np.zeros(1, np.float32), bias))
            node.input.append(bias)
        if node.op_type == "Quant" and model.get_initializer(node.input[0]) is None:
            producer = model.find_producer(node.input[0])
            signed = next((entry.i for entry in node.attribute if entry.name == "signed"), 1)
            if not signed and (producer is None or producer.op_type != "Relu"):
                positive = f"{node.output[0]}_positive"
                relu = helper.make_node("Relu", [node.input[0]], [positive])
                graph.node.insert(list(graph.node).index(node), relu)
                node.input[0] = positive


def _not_quantised(model: Any, where: str) -> list[tuple[str, str, str]]:
    """Return a problem if nothing in the network is quantised; later it would be one for each layer.

    Names are those of the user here: FINN's steps give others.
    """
    nodes = list(model.graph.node)
    known = any("Quant" in node.op_type or node.op_type in _INTEGERS for node in nodes)
    heavy = [node for node in nodes if node.op_type in ("MatMul", "Gemm", *_WINDOWS)]
    if known or not heavy or model.graph.quantization_annotation:
        return []
    first, more = heavy[0], len(heavy) - 1
    others = f" and {more} more layer{'s' * (more > 1)}" if more else ""
    works = "work" if more else "works"
    found = f"this {first.op_type}{others} {works} on FLOAT32, and nothing in the network is quantised"
    remedy = "Train it with quantised inputs and weights, as with Brevitas, and export its Quant nodes"
    return [(f"{where}: node {first.name or first.output[0]}", found, remedy)]


def is_one_dimensional(node: Any) -> bool:
    """Tell a convolution or a pool of a signal, (frames, channels, samples)."""
    kernels = [entry.ints for entry in node.attribute if entry.name == "kernel_shape"]
    return node.op_type in ("Conv", "MaxPool", "AveragePool") and any(len(kernel) == 1 for kernel in kernels)


def _spell_out(node: Any) -> None:
    """Add the attributes that ONNX has a default for, and FINN's steps have not."""
    kernels = [entry.ints for entry in node.attribute if entry.name == "kernel_shape"]
    if not kernels or any(
        entry.name == "auto_pad" and entry.s not in (b"", b"NOTSET") for entry in node.attribute
    ):
        return
    count = len(kernels[0])
    known = {entry.name for entry in node.attribute}
    defaults: dict[str, Any] = {"strides": [1] * count, "pads": [0] * 2 * count, "dilations": [1] * count}
    defaults |= {"group": 1} if node.op_type == "Conv" else {}
    for key, value in defaults.items():
        if key not in known:
            node.attribute.append(helper.make_attribute(key, value))


def average_whole_images(model: Any) -> None:
    """Make a GlobalAveragePool of a mean over all pixels, PyTorch's ``mean([2, 3])``, in place."""
    for node in list(model.graph.node):
        shape = model.get_tensor_shape(node.input[0]) if node.op_type == "ReduceMean" else None
        if not shape or len(shape) not in (3, 4):
            continue
        known = {entry.name: entry for entry in node.attribute}
        axes = list(known["axes"].ints) if "axes" in known else None
        if len(node.input) > 1:
            axes = model.get_initializer(node.input[1])
        if axes is None or sorted(int(axis) % len(shape) for axis in axes) != list(range(2, len(shape))):
            continue
        kept = "keepdims" not in known or known["keepdims"].i
        node.op_type = "GlobalAveragePool"
        del node.attribute[:], node.input[1:]
        if not kept:
            target, pooled = node.output[0], model.make_new_valueinfo_name()
            node.output[0] = pooled
            model.set_tensor_shape(pooled, [*shape[:2], *[1] * (len(shape) - 2)])
            flatten = helper.make_node("Flatten", [pooled], [target], axis=1)
            model.graph.node.insert(list(model.graph.node).index(node) + 1, flatten)


def sum_windows(model: Any) -> None:
    """Make a depthwise convolution with weights of one, and a scale, of an average between layers, in place.

    FINN has averages of a power of two of pixels only, and only those that end in a Trunc.
    """
    graph = model.graph
    for node in list(graph.node):
        shape = model.get_tensor_shape(node.input[0]) if node.op_type == "AveragePool" else None
        producer, readers = model.find_producer(node.input[0]), model.find_consumers(node.output[0]) or []
        between = producer is not None and producer.op_type in _WHOLE
        if not shape or not between or any(reader.op_type == "Trunc" for reader in readers):
            continue
        known = {entry.name: entry for entry in node.attribute}
        kernel = list(known["kernel_shape"].ints)
        pads = list(known["pads"].ints) if "pads" in known else [0] * 2 * len(kernel)
        rounded = "ceil_mode" in known and known["ceil_mode"].i
        counted = "count_include_pad" in known and known["count_include_pad"].i
        if rounded or "auto_pad" in known or (any(pads) and not counted):
            continue
        strides = list(known["strides"].ints) if "strides" in known else [1] * len(kernel)
        target, sums, ones, scale = node.output[0], *(model.make_new_valueinfo_name() for _ in range(3))
        model.set_initializer(ones, np.ones((shape[1], 1, *kernel), np.float32))
        model.set_tensor_datatype(ones, DataType["INT2"])
        model.set_initializer(scale, np.array(1 / np.prod(kernel), np.float32))
        model.set_tensor_shape(sums, model.get_tensor_shape(target))
        fixed = {"dilations": [1] * len(kernel), "group": shape[1], "kernel_shape": kernel}
        convolve = helper.make_node(
            "Conv", [node.input[0], ones], [sums], node.name, pads=pads, strides=strides, **fixed
        )
        at = list(graph.node).index(node)
        graph.node.remove(node)
        graph.node.insert(at, helper.make_node("Mul", [sums, scale], [target], f"{node.name}_scale"))
        graph.node.insert(at, convolve)


def fit_windows(model: Any) -> None:
    """Give convolutions at small images windows that FINN's generator makes, in place.

    Only one tap of a window meets an image of a single row or column: the others go. A window of 1x1 that
    makes one pixel of several gets a second tap of zeros.
    """
    for node in model.graph.node:
        weights = model.get_initializer(node.input[1]) if node.op_type == "Conv" else None
        known = {entry.name: entry.ints for entry in node.attribute}
        if weights is None or weights.ndim != 4 or "auto_pad" in known:
            continue
        kind = model.get_tensor_datatype(node.input[1])
        sizes, made = (model.get_tensor_shape(tensor)[2:] for tensor in (node.input[0], node.output[0]))
        for axis in (0, 1):
            tap, rest = divmod(known["pads"][axis], known["dilations"][axis])
            if sizes[axis] == made[axis] == 1 and not rest and tap < weights.shape[2 + axis]:
                weights = np.take(weights, [tap], 2 + axis)
                known["pads"][axis] = known["pads"][2 + axis] = 0
                known["strides"][axis] = 1
        if weights.shape[2:] == (1, 1) and made == [1, 1] != sizes:
            weights = np.pad(weights, ((0, 0), (0, 0), *((0, min(size, 2) - 1) for size in sizes)))
        known["kernel_shape"][:] = weights.shape[2:]
        model.set_initializer(node.input[1], weights)
        model.set_tensor_datatype(node.input[1], kind)


def widen_groups(model: Any) -> list[str]:
    """Make grouped convolutions dense, with zeros between the groups; FINN lowers depthwise ones only.

    Returns:
        What this costs, for the user.
    """
    said = []
    for node in model.graph.node:
        attributes: dict[str, Any] = {entry.name: entry for entry in node.attribute}
        weights = model.get_initializer(node.input[1]) if node.op_type == "Conv" else None
        groups = attributes["group"].i if "group" in attributes else 1
        if weights is None or groups == 1:
            continue
        outputs, inputs = weights.shape[0], weights.shape[1] * groups
        if groups == inputs == outputs:
            continue
        # By what it makes: an export's names are gone by now, and the user knows the sizes.
        said.append(
            f"the convolution of {inputs} to {outputs} channels in {groups} groups ({node.name}) becomes "
            f"dense, with {groups} times its weights and cycles: FINN has depthwise and dense ones"
        )
        dense = np.zeros((outputs, inputs, *weights.shape[2:]), np.float32)
        for index, kernel in enumerate(weights):
            first = index // (outputs // groups) * weights.shape[1]
            dense[index, first : first + weights.shape[1]] = kernel
        kind = model.get_tensor_datatype(node.input[1])
        model.set_initializer(node.input[1], dense)
        model.set_tensor_datatype(node.input[1], kind)
        attributes["group"].i = 1
    return said
