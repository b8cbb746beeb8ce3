# SPDX-License-Identifier: BSD-3-Clause
"""Small ONNX models of what a build leaves to the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper


def threshold_model(shape: tuple[int, ...], thresholds: Any, **attributes: Any) -> onnx.ModelProto:
    """Return a model of one MultiThreshold of QONNX."""
    node = helper.make_node(
        "MultiThreshold", ["x", "t"], ["y"], domain="qonnx.custom_op.general", **attributes
    )
    ends = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name in ("x", "y")]
    constant = numpy_helper.from_array(np.asarray(thresholds, np.float32), "t")
    graph = helper.make_graph([node], "host", ends[:1], ends[1:], [constant])
    imports = [helper.make_opsetid("", 20), helper.make_opsetid("qonnx.custom_op.general", 2)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def scale_model(size: int) -> onnx.ModelProto:
    """Return a model that halves its input."""
    ends = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, (1, size)) for name in ("y", "z")]
    half = numpy_helper.from_array(np.array(0.5, np.float32), "half")
    graph = helper.make_graph(
        [helper.make_node("Mul", ["y", "half"], ["z"])], "host", ends[:1], ends[1:], [half]
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
