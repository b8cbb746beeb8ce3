# SPDX-License-Identifier: BSD-3-Clause
"""Golden vectors: the partitioned network and the model it came from, run by FINN and by QONNX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from finn.core.onnx_exec import execute_onnx as execute_finn
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.core.onnx_exec import execute_onnx as execute_qonnx

from .lower import is_partitioned
from .problems import stop_if

CHECKED = 8  # frames that FINN computes too; it loads every partition anew for each
# Networks of nothing else run all frames as one batch; qonnx's Im2Col would mix the frames.
_BATCHED = {"MatMul", "MultiThreshold"}


def load_vectors(model: Any, path: str) -> Any:
    """Read input vectors as float32 of shape (frames, *shape of one frame).

    Raises:
        FoundProblems: They do not fit the input of the model.
    """
    source = model.graph.input[0].name
    shape, kind = model.get_tensor_shape(source), model.get_tensor_datatype(source)
    try:
        frames = np.load(path, allow_pickle=False)
    except (ValueError, EOFError):
        stop_if([(path, "it is not a .npy file", "Write it with numpy.save")])
    problems = []
    if frames.ndim < 2 or len(frames) == 0 or frames[0].size != np.prod(shape):
        remedy = f"Give (frames, {int(np.prod(shape))}) numbers"
        problems.append((path, f"the shape is {frames.shape}", remedy))
    elif not (frames == np.rint(frames)).all() or frames.min() < kind.min() or frames.max() > kind.max():
        found = f"values of {frames.min()} to {frames.max()}"
        problems.append((path, found, f"Give whole numbers that fit {kind.name}"))
    stop_if(problems)
    return frames.reshape(-1, *shape).astype(np.float32)


def golden(parent: Any, inputs: Any, job: dict[str, Any], work: Path) -> None:
    """Write ``input.npy`` and ``output.npy``, both int32 of shape (frames, *shape of one frame).

    Raises:
        FoundProblems: The partitioned network computes anything else than the model it was made from.
    """
    original = ModelWrapper(job["model"])
    if is_partitioned(original):
        outputs = _run_partitions(parent, inputs)
    else:
        outputs = _run_model(original, inputs)
        if not np.array_equal(outputs[:CHECKED], _run_partitions(parent, inputs[:CHECKED])):
            remedy = "Check the data type annotations of the model"
            stop_if([(job["name"], "FINN's layers compute something else than the model", remedy)])
    np.save(work / "input.npy", inputs.astype(np.int32))
    np.save(work / "output.npy", outputs.astype(np.int32))


def _run_partitions(parent: Any, inputs: Any) -> Any:
    source, target = parent.graph.input[0].name, parent.graph.output[0].name
    return np.stack([execute_finn(parent, {source: frame})[target] for frame in inputs])


def _run_model(model: Any, inputs: Any) -> Any:
    source, target = model.graph.input[0].name, model.graph.output[0].name
    if not {node.op_type for node in model.graph.node} <= _BATCHED:
        return np.stack([execute_qonnx(model, {source: frame})[target] for frame in inputs])
    graph = model.graph
    constant = {tensor.name for tensor in graph.initializer}
    for value in (*graph.input, *graph.output, *graph.value_info):
        if value.name in constant:
            continue
        value.type.tensor_type.shape.dim[0].dim_value *= len(inputs)
    outputs = execute_qonnx(model, {source: inputs.reshape(-1, *inputs.shape[2:])})[target]
    return outputs.reshape(len(inputs), -1, *outputs.shape[1:])
