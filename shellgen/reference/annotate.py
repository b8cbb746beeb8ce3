# SPDX-License-Identifier: BSD-3-Clause
"""QONNX data types of tensors."""

from __future__ import annotations

import onnx


def annotate(graph: onnx.GraphProto, types: dict[str, str]) -> None:
    """Write QONNX data types of tensors into a graph."""
    for tensor, kind in types.items():
        entry = onnx.StringStringEntryProto(key="finn_datatype", value=kind)
        annotation = onnx.TensorAnnotation(tensor_name=tensor, quant_parameter_tensor_names=[entry])
        graph.quantization_annotation.append(annotation)
