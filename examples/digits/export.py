# SPDX-License-Identifier: BSD-3-Clause
"""Write the integer network as QONNX: MatMul and MultiThreshold with annotated data types."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from network import Stage
from onnx import TensorProto, helper, numpy_helper

QONNX = "qonnx.custom_op.general"


def integer_type(values: np.ndarray) -> str:
    """Name the smallest signed QONNX type that holds these whole numbers."""
    bits = 2
    while values.min() < -(1 << (bits - 1)) or values.max() >= 1 << (bits - 1):
        bits += 1
    return f"INT{bits}"


def save_onnx(stages: list[Stage], path: Path) -> None:
    """Write the model; its bytes depend on the stages only. Shapes are (1, channels).

    The output is that of the last stage: logits, or UINT4 if it has thresholds.
    """
    nodes, values, weights = [], [], []
    types = {"global_in": "UINT4"}
    source = "global_in"
    for index, stage in enumerate(stages):
        inputs, outputs = stage.weights.shape
        last = index == len(stages) - 1
        target = "global_out" if stage.thresholds is None else f"sum_{index}"
        weights.append(numpy_helper.from_array(stage.weights.astype(np.float32), f"weights_{index}"))
        types[f"weights_{index}"] = "INT4"
        nodes.append(helper.make_node("MatMul", [source, f"weights_{index}"], [target], f"MatMul_{index}"))
        types[target] = integer_type(np.array([-1, 1]) * inputs * 15 * 7)
        if stage.thresholds is not None:
            thresholds, active = f"thresholds_{index}", "global_out" if last else f"activation_{index}"
            weights.append(numpy_helper.from_array(stage.thresholds.astype(np.float32), thresholds))
            types |= {thresholds: types[target], active: "UINT4"}
            nodes.append(_multi_threshold(index, target, thresholds, active))
            values += [_tensor(name, outputs) for name in (target, active) if name != "global_out"]
            source = active
    ends = [_tensor("global_in", len(stages[0].weights))], [_tensor("global_out", outputs)]
    graph = helper.make_graph(nodes, "digits", *ends, initializer=weights, value_info=values)
    for tensor, name in types.items():
        annotation = graph.quantization_annotation.add()
        annotation.tensor_name = tensor
        annotation.quant_parameter_tensor_names.add(key="finn_datatype", value=name)
    opsets = [helper.make_opsetid("", 11), helper.make_opsetid(QONNX, 1)]
    model = helper.make_model(graph, opset_imports=opsets, producer_name="shellgen", ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString(deterministic=True))


def _tensor(name: str, channels: int) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, channels])


def _multi_threshold(index: int, source: str, thresholds: str, target: str) -> onnx.NodeProto:
    return helper.make_node(
        "MultiThreshold",
        [source, thresholds],
        [target],
        f"MultiThreshold_{index}",
        domain=QONNX,
        out_dtype="UINT4",
        out_scale=1.0,
        out_bias=0.0,
    )
