# SPDX-License-Identifier: BSD-3-Clause
"""A network as a training framework exports it: QONNX with Quant nodes, biases and batch norms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Export:
    """A QONNX model that grows operator by operator; every method returns the tensor that it makes."""

    def __init__(self, shape: tuple[int, ...], seed: int = 1) -> None:
        self.rng = np.random.default_rng(seed)
        self._input = helper.make_tensor_value_info("global_in", TensorProto.FLOAT, shape)
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def constant(self, values: Any, kind: type = np.float32) -> str:
        """Add an initializer."""
        name = f"const_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.asarray(values, kind), name))
        return name

    def op(self, kind: str, *inputs: str, outputs: int = 1, domain: str = "", **attributes: Any) -> str:
        """Add a node; returns its last output."""
        name = f"{kind}_{len(self._nodes)}"
        names = [f"{name}_out{index}" for index in range(outputs)]
        self._nodes.append(helper.make_node(kind, inputs, names, name, domain=domain, **attributes))
        return names[-1]

    def quant(self, tensor: str, scale: Any, bits: int, *, signed: bool, narrow: bool = False) -> str:
        """Quantise, as Brevitas exports it."""
        inputs = [tensor, *(self.constant(value) for value in (scale, 0, bits))]
        mode: dict[str, Any] = {"signed": int(signed), "narrow": int(narrow), "rounding_mode": "ROUND"}
        return self.op("Quant", *inputs, domain="onnx.brevitas", **mode)

    def weights(self, *shape: int, bits: int = 4) -> str:
        """Random weights behind a narrow Quant."""
        return self.trained(self.rng.normal(size=shape), bits)

    def trained(self, values: np.ndarray, bits: int = 4) -> str:
        """Given weights behind a narrow Quant: FINN's RTL for DSP48E1 needs a symmetric range."""
        scale = np.abs(values).max() / (2 ** (bits - 1) - 1)
        return self.quant(self.constant(values), scale, bits, signed=True, narrow=True)

    def conv(self, tensor: str, channels: tuple[int, int], kernel: int = 3, **changes: Any) -> str:
        """Convolve with a bias; ``changes`` are attributes of ONNX's Conv."""
        inputs, outputs = channels
        known: dict[str, Any] = {"pads": [kernel // 2] * 4, "strides": [1, 1], "dilations": [1, 1]}
        known |= {"group": 1} | changes
        weights = self.weights(outputs, inputs // known["group"], kernel, kernel)
        bias = self.constant(self.rng.normal(size=outputs) / 2)
        return self.op("Conv", tensor, weights, bias, kernel_shape=[kernel, kernel], **known)

    def batch_norm(self, tensor: str, channels: int) -> str:
        """Normalise."""
        bounds = ((0.5, 1.5), (-0.5, 0.5), (-0.5, 0.5), (0.5, 2))
        values = [self.constant(self.rng.uniform(low, high, channels)) for low, high in bounds]
        return self.op("BatchNormalization", tensor, *values, epsilon=1e-5)

    def relu(self, tensor: str, scale: float = 0.5, bits: int = 4) -> str:
        """Quantised Relu."""
        return self.quant(self.op("Relu", tensor), scale, bits, signed=False)

    def gemm(self, tensor: str, inputs: int, outputs: int) -> str:
        """Add a fully connected layer with a bias."""
        bias = self.constant(self.rng.normal(size=outputs))
        return self.op("Gemm", tensor, self.weights(outputs, inputs), bias, transB=1)

    def model(self, tensor: str, shape: tuple[int, ...]) -> onnx.ModelProto:
        """Return the model so far, with ``tensor`` as its output."""
        end = helper.make_tensor_value_info(tensor, TensorProto.FLOAT, shape)
        graph = helper.make_graph(self._nodes, "export", [self._input], [end], self._constants)
        domains = [helper.make_opsetid("", 13), helper.make_opsetid("onnx.brevitas", 1)]
        return helper.make_model(graph, opset_imports=domains, ir_version=8)

    def save(self, tensor: str, shape: tuple[int, ...], path: Path) -> Path:
        """Write the model, whose output is ``tensor``."""
        onnx.save(self.model(tensor, shape), path)
        return path
