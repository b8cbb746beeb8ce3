# SPDX-License-Identifier: BSD-3-Clause
"""Operators that a build leaves to the host, in a form that onnxruntime executes.

`stitch` writes them beside the parent ONNX: ``host_before.onnx`` from the inputs of the model to those of the
boards, ``host_after.onnx`` from their outputs to those of the model. FINN's MultiThreshold, which no runtime
knows, becomes a binary search over the sorted thresholds, of operators of the ONNX standard.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

from shellgen.formats.onnx import load_onnx
from vivado_check.formats.looks import is_dir, is_file

HOST_MODELS = ("host_before.onnx", "host_after.onnx")
_OPSET = 13  # of the operators that take the place of MultiThreshold
_QONNX = "qonnx.custom_op.general"


def host_models(build: Path) -> dict[str, bytes]:
    """Return the host's operators of a build, by file name; empty if it leaves none.

    Args:
        build: The folder of the build, or a file in it.

    Raises:
        InputError: A file is no ONNX model.
    """
    folder = build if is_dir(build) else build.parent
    found = {}
    for name in HOST_MODELS:
        path = folder / name
        if is_file(path):
            model = load_onnx(path, "Stitch the model again")
            found[name] = _standard(model).SerializeToString(deterministic=True)
    return found


def _standard(model: onnx.ModelProto) -> onnx.ModelProto:
    """Replace MultiThreshold where all about it is known; a runtime says what is left."""
    graph = model.graph
    values = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    opset = next((one.version for one in model.opset_import if not one.domain), 0)
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        known = node.op_type == "MultiThreshold" and node.input[1] in values and opset >= _OPSET
        nodes += _search(graph, node, values[node.input[1]]) if known else [node]
    del graph.node[:]
    graph.node.extend(nodes)
    used = {name for node in nodes for name in node.input}
    kept = [one for one in graph.initializer if one.name in used]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    graph.ClearField("quantization_annotation")
    graph.ClearField("value_info")
    domains = {node.domain for node in nodes}
    imports = [one for one in model.opset_import if not one.domain or one.domain in domains]
    del model.opset_import[:]
    model.opset_import.extend(imports)
    return model


def _search(
    graph: onnx.GraphProto, node: onnx.NodeProto, thresholds: npt.NDArray[Any]
) -> Iterator[onnx.NodeProto]:
    """Yield operators that count the thresholds which a value reaches, with scale and bias of the node.

    Args:
        graph: Gets their constants.
        node: MultiThreshold.
        thresholds: (channels or 1, thresholds), in any order.
    """
    given = {one.name: helper.get_attribute_value(one) for one in node.attribute}
    x, out = node.input[0], node.output[0]
    channels, count = thresholds.shape
    steps = count.bit_length()
    table = np.full((channels, (1 << steps) - 1), np.inf, np.float32)
    table[:, :count] = np.sort(thresholds.astype(np.float32), axis=1)
    # Of a value's channel: where its thresholds begin, less the one that counting from 1 adds.
    begin = np.arange(channels, dtype=np.int64) * table.shape[1] - 1
    layout = given.get("data_layout", b"NCHW")
    behind = 0 if channels == 1 or layout.endswith(b"C") else len(layout) - 2

    def constant(name: str, value: npt.NDArray[Any]) -> str:
        graph.initializer.append(numpy_helper.from_array(value, f"{out}_{name}"))
        return f"{out}_{name}"

    def made(op: str, name: str, *inputs: str, **attributes: Any) -> onnx.NodeProto:
        return helper.make_node(op, inputs, [f"{out}_{name}"], f"{out}_{name}", **attributes)

    flat = constant("thresholds", table.reshape(-1))
    first = constant("begin", begin.reshape(-1, *[1] * behind))
    yield made("Shape", "shape", x)
    zero = numpy_helper.from_array(np.zeros(1, np.int64))
    yield made("ConstantOfShape", f"count_{steps}", f"{out}_shape", value=zero)
    for step in reversed(range(steps)):
        half = constant(f"half_{step}", np.array(1 << step, np.int64))
        yield made("Add", f"more_{step}", f"{out}_count_{step + 1}", half)
        yield made("Add", f"index_{step}", f"{out}_more_{step}", first)
        yield made("Gather", f"limit_{step}", flat, f"{out}_index_{step}", axis=0)
        yield made("GreaterOrEqual", f"reached_{step}", x, f"{out}_limit_{step}")
        yield made(
            "Where", f"count_{step}", f"{out}_reached_{step}", f"{out}_more_{step}", f"{out}_count_{step + 1}"
        )
    most = constant("most", np.array(count, np.int64))
    yield made("Min", "capped", f"{out}_count_0", most)
    yield made("Cast", "float", f"{out}_capped", to=onnx.TensorProto.FLOAT)
    scale = constant("scale", np.array(given.get("out_scale", 1.0), np.float32))
    bias = constant("bias", np.array(given.get("out_bias", 0.0), np.float32))
    yield made("Mul", "scaled", f"{out}_float", scale)
    yield helper.make_node("Add", [f"{out}_scaled", bias], [out], f"{out}_biased")
