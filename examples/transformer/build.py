# SPDX-License-Identifier: BSD-3-Clause
"""Make ``transformer.onnx``: one encoder block for 8x8 digits, whose tokens are the rows of an image.

``python examples/transformer/build.py``. Embedding, attention and MLP are random and stay so; only the last
matrix is fitted by ridge regression, on what they make of the training images. All types are integers, in the
form that FINN's streamlining leaves: products of matrices, thresholds, sums.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.append(str(Path(__file__).parents[1] / "digits"))
from network import load_split

HERE = Path(__file__).parent
TOKENS, PIXELS, WIDTH, HIDDEN, CLASSES = 8, 8, 16, 32, 10
SEED = 5
RIDGE = 30.0
LEVELS = 15
Array = np.ndarray


class Network:
    """The graph as it grows; thresholds follow from the values of a tensor for all images."""

    def __init__(self, images: Array) -> None:
        self.rng = np.random.default_rng(SEED)
        self.values: dict[str, Array] = {}
        self._types: dict[str, str] = {}
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self.add("pixels", images, "UINT4")

    def add(self, name: str, values: Array, kind: str) -> str:
        """Register a tensor."""
        self.values[name], self._types[name] = values, kind
        return name

    def constant(self, name: str, values: Array, kind: str) -> str:
        """Register a constant."""
        self._constants.append(numpy_helper.from_array(values.astype(np.float32), name))
        self._types[name] = kind
        return name

    def times(self, left: str, right: str | Array, name: str) -> str:
        """Multiply with weights, or with another tensor."""
        if isinstance(right, np.ndarray):
            values = right
            right = self.constant(f"{name}_weights", right, f"INT{int(np.abs(right).max()).bit_length() + 1}")
        else:
            values = self.values[right]
        self._nodes.append(helper.make_node("MatMul", [left, right], [name], name))
        return self.add(name, self.values[left] @ values, "INT32")

    def weights(self, rows: int, columns: int) -> Array:
        """Random weights of 4 bits."""
        drawn = self.rng.normal(size=(rows, columns))
        return np.asarray(np.rint(drawn / np.abs(drawn).max() * 7))

    def quantised(self, tensor: str, name: str, *, signed: bool) -> str:
        """Normalise each channel and round to 4 bits, as thresholds: a batch norm and a quantiser in one.

        Unsigned values start at the mean, so that half of them is zero, as after a ReLU.
        """
        values = self.values[tensor].reshape(-1, self.values[tensor].shape[-1])
        mean, spread = values.mean(axis=0), values.std(axis=0) + 1
        places = np.arange(1, LEVELS + 1) - 0.5
        steps = (places - 8) / 3.5 if signed else places / 6
        table = np.ceil(mean[:, np.newaxis] + spread[:, np.newaxis] * steps)
        self.constant(f"{name}_steps", table, "INT24")
        low = -8 if signed else 0
        found = (self.values[tensor][..., np.newaxis] >= table).sum(axis=-1) + low
        kind = "INT4" if signed else "UINT4"
        self._nodes.append(
            helper.make_node(
                "MultiThreshold",
                [tensor, f"{name}_steps"],
                [name],
                name,
                domain="qonnx.custom_op.general",
                out_dtype=kind,
                out_bias=float(low),
                data_layout="NWC",
            )
        )
        return self.add(name, found, kind)

    def transposed(self, tensor: str, name: str) -> str:
        """Exchange tokens and channels."""
        self._nodes.append(helper.make_node("Transpose", [tensor], [name], name, perm=[0, 2, 1]))
        return self.add(name, self.values[tensor].swapaxes(1, 2), self._types[tensor])

    def total(self, left: str, right: str, name: str) -> str:
        """Add two tensors of 4 bits."""
        self._nodes.append(helper.make_node("Add", [left, right], [name], name))
        return self.add(name, self.values[left] + self.values[right], "INT5")

    def flat(self, tensor: str, name: str) -> str:
        """Put all tokens into one vector."""
        values = self.values[tensor].reshape(len(self.values[tensor]), -1)
        shape = numpy_helper.from_array(np.array([1, values.shape[1]], np.int64), f"{name}_shape")
        self._constants.append(shape)
        self._nodes.append(helper.make_node("Reshape", [tensor, shape.name], [name], name))
        return self.add(name, values, self._types[tensor])

    def save(self, result: str, path: Path) -> None:
        """Write the model."""
        infos = {
            name: helper.make_tensor_value_info(name, TensorProto.FLOAT, (1, *values.shape[1:]))
            for name, values in self.values.items()
        }
        inner = [info for name, info in infos.items() if name not in ("pixels", result)]
        graph = helper.make_graph(
            self._nodes, "encoder", [infos["pixels"]], [infos[result]], self._constants, value_info=inner
        )
        for name, kind in self._types.items():
            note = graph.quantization_annotation.add(tensor_name=name)
            note.quant_parameter_tensor_names.add(key="finn_datatype", value=kind)
        opsets = [helper.make_opsetid("", 13), helper.make_opsetid("qonnx.custom_op.general", 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def build(path: Path) -> float:
    """Write the model; returns the share of held-out images that it gets right."""
    images, labels, held_out, answers = load_split()
    net = Network(np.concatenate([images, held_out]).reshape(-1, TOKENS, PIXELS))
    first = net.quantised(net.times("pixels", net.weights(PIXELS, WIDTH), "embed"), "tokens", signed=True)
    queries, keys, values = (
        net.quantised(net.times(first, net.weights(WIDTH, WIDTH), f"{name}_sums"), name, signed=True)
        for name in ("queries", "keys", "values")
    )
    scores = net.times(queries, net.transposed(keys, "keys_t"), "scores")
    # In place of a softmax, which FINN has in floating point only: scores below the mean count as zero.
    weights = net.quantised(scores, "attention", signed=False)
    mixed = net.quantised(net.times(weights, values, "mixed_sums"), "mixed", signed=True)
    side = net.quantised(net.times(mixed, net.weights(WIDTH, WIDTH), "side_sums"), "side", signed=True)
    second = net.quantised(net.total(first, side, "attended"), "normed", signed=True)
    hidden = net.quantised(net.times(second, net.weights(WIDTH, HIDDEN), "up"), "hidden", signed=False)
    down = net.quantised(net.times(hidden, net.weights(HIDDEN, WIDTH), "down"), "lowered", signed=True)
    third = net.quantised(net.total(second, down, "summed"), "encoded", signed=True)
    flat = net.flat(third, "features")
    features = net.values[flat].astype(float)
    matrix = fitted(features[: len(images)], labels)
    net.save(net.times(flat, np.rint(matrix / np.abs(matrix).max() * 31), "logits"), path)
    return float((net.values["logits"][len(images) :].argmax(axis=1) == answers).mean())


def fitted(features: Array, labels: Array) -> Array:
    """Fit (features, 10) to the labels, without a bias."""
    wanted = np.eye(CLASSES)[labels] * 2 - 1
    gram = features.T @ features / features.std() ** 2 + RIDGE * np.eye(features.shape[1])
    return np.linalg.solve(gram, features.T @ wanted / features.std() ** 2)


if __name__ == "__main__":
    print(f"{build(HERE / 'transformer.onnx'):.2%} of the held-out images")
