# SPDX-License-Identifier: BSD-3-Clause
"""Weights beside the model: a step that copies, compares or infers shapes of a model moves no weights.

ONNX knows tensors whose data is elsewhere. Here it is in memory, found by its digest, so that equal models
stay equal. A model that is saved has its weights inside.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from qonnx.core.modelwrapper import ModelWrapper

_LARGE = 1 << 10  # bytes; smaller ones may be shapes, whose values inference of shapes reads
_KINDS = {TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT32, TensorProto.INT64}
_data: dict[str, bytes] = {}


def fix_weights() -> None:
    """Let models of qonnx keep their weights here."""
    plain_start, plain_array = ModelWrapper.__init__, numpy_helper.to_array

    def start(self: Any, onnx_model_proto: Any, *arguments: Any, **named: Any) -> None:
        model = onnx.load(onnx_model_proto) if isinstance(onnx_model_proto, str) else onnx_model_proto
        put_aside(model.graph.initializer)
        plain_start(self, model, *arguments, **named)

    def save(self: Any, filename: Any) -> None:
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        for tensor in model.graph.initializer:
            data = _found(tensor)
            if data is not None:
                tensor.ClearField("data_location")
                del tensor.external_data[:]
                tensor.raw_data = data
        onnx.save(model, filename)

    def to_array(tensor: Any, base_dir: str = "") -> Any:
        data = _found(tensor)
        if data is None:
            return plain_array(tensor, base_dir)
        return np.frombuffer(data, helper.tensor_dtype_to_np_dtype(tensor.data_type)).reshape(tensor.dims)

    ModelWrapper.__init__, ModelWrapper.save = start, save
    numpy_helper.to_array = to_array


def put_aside(tensors: Iterable[Any]) -> None:
    """Take the data of large tensors out of a model, in place."""
    for tensor in tensors:
        large = tensor.ByteSize() > _LARGE and tensor.data_type in _KINDS
        if large and tensor.data_location != TensorProto.EXTERNAL:
            data = numpy_helper.to_array(tensor).tobytes()
            name = hashlib.sha256(data).hexdigest()
            _data[name] = data
            for field in ("raw_data", "float_data", "double_data", "int32_data", "int64_data"):
                tensor.ClearField(field)
            tensor.data_location = TensorProto.EXTERNAL
            tensor.external_data.add(key="location", value=name)


def _found(tensor: Any) -> bytes | None:
    if tensor.data_location != TensorProto.EXTERNAL or len(tensor.external_data) != 1:
        return None
    return _data.get(tensor.external_data[0].value)
