# SPDX-License-Identifier: BSD-3-Clause
"""Random small networks in the form that FINN makes layers of, with random folding and cuts.

A network is executed in numpy while it grows, so that thresholds lie among the values that occur, and so that
what it computes is known from somewhere else than FINN. Several networks side by side are one model: FINN and
Verilator run once for all of them, and their cuts make partitions with several streams.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from shellgen.stitch import FoldableLayer

FRAMES = 4
_GENERAL = "qonnx.custom_op.general"
_SIGNED = {"INT2": 2, "INT3": 3, "INT4": 4}
# Folding attributes of what goes into a layer and of what comes out; for all others both are the same.
_ENDS = {"MVAU": ("SIMD", "PE"), "LabelSelect": ("PE", "")}


class Networks:
    """A model that grows; a tensor is its name, its values (frames, ...) are in ``values``."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.values: dict[str, np.ndarray] = {}
        self.kinds: dict[str, str] = {}
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def input(self, *shape: int) -> str:
        """Add an image or a vector."""
        kind = str(self.rng.choice(["UINT2", "UINT3", "UINT4", "INT3", "INT4"]))
        bits = int(kind[-1])
        low = -(1 << (bits - 1)) if kind in _SIGNED else 0
        values = self.rng.integers(low, low + (1 << bits), (FRAMES, *shape))
        name = f"in_{len(self.inputs)}"
        self.inputs.append(name)
        self._know(name, values, kind)
        return name

    def matrix(self, tensor: str, width: int) -> str:
        """Multiply by narrow 4-bit weights."""
        weights = self.rng.integers(-7, 8, (self.values[tensor].shape[-1], width))
        name = self._constant(weights, "INT4")
        return self._node("MatMul", [tensor, name], self.values[tensor] @ weights, "INT32")

    def windows(self, tensor: str, kernel: int, stride: int, pad: int) -> str:
        """Take windows as a convolution does."""
        values = self.values[tensor]
        found = windows(values, kernel, stride, pad)
        size = values.shape[1:]
        return self._node(
            "Im2Col",
            [tensor],
            found,
            self.kinds[tensor],
            domain=_GENERAL,
            stride=[stride] * 2,
            kernel_size=[kernel] * 2,
            pad_amount=[pad] * 4,
            input_shape=str((1, *size)),
        )

    def thresholds(self, tensor: str, kinds: Sequence[str] = ("UINT2", "UINT3", "UINT4", "INT3")) -> str:
        """Compare with as many thresholds as the output type has steps, for each channel or for all."""
        kind = str(self.rng.choice(list(kinds)))
        bits = 1 if kind == "BIPOLAR" else int(kind[-1])
        values = self.values[tensor]
        flat = values.reshape(-1, values.shape[-1])
        rows = flat.T if self.rng.random() < 0.75 else flat.reshape(1, -1)
        places = np.sort(self.rng.random((len(rows), (1 << bits) - 1)), axis=1)
        table = np.stack([np.quantile(row, place) for row, place in zip(rows, places, strict=True)])
        table = np.ceil(table) if self.rng.random() < 0.5 else np.floor(table) + 0.5
        steps = (values[..., None] >= table).sum(axis=-1)
        bias = {"BIPOLAR": -1}.get(kind, -(1 << (bits - 1)) if kind in _SIGNED else 0)
        scale = 2 if kind == "BIPOLAR" else 1
        return self._node(
            "MultiThreshold",
            [tensor, self._constant(table, "FLOAT32")],
            steps * scale + bias,
            kind,
            domain=_GENERAL,
            out_dtype=kind,
            out_scale=float(scale),
            out_bias=float(bias),
            data_layout="NHWC" if values.ndim == 4 else "NC",
        )

    def conv(self, tensor: str, width: int, kernel: int = 1, stride: int = 1, pad: int = 0) -> str:
        """Convolve; a kernel of one pixel needs no windows."""
        if kernel > 1 or stride > 1:
            tensor = self.windows(tensor, kernel, stride, pad)
        return self.matrix(tensor, width)

    def pool(self, tensor: str) -> str:
        """Take the largest of two by two."""
        channels = self.values[tensor].shape[-1]
        found = windows(self.values[tensor], 2, 2, 0)
        found = found.reshape(*found.shape[:3], 4, channels).max(axis=3)
        attributes = {"kernel_shape": [2, 2], "strides": [2, 2], "pads": [0] * 4}
        return self._node("MaxPoolNHWC", [tensor], found, self.kinds[tensor], domain=_GENERAL, **attributes)

    def add(self, left: str, right: str) -> str:
        """Add two streams."""
        return self._node("Add", [left, right], self.values[left] + self.values[right], "INT8")

    def concat(self, left: str, right: str) -> str:
        """Put the channels of two streams of one type side by side."""
        joined = np.concatenate([self.values[left], self.values[right]], axis=-1)
        return self._node("Concat", [left, right], joined, self.kinds[left], axis=-1)

    def save(self, folder: Path) -> Path:
        """Write ``model.onnx`` and ``frames.npz``."""
        inner = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, *values.shape[1:]])
            for name, values in self.values.items()
        ]
        known = {value.name: value for value in inner}
        inputs, outputs = ([known.pop(name) for name in names] for names in (self.inputs, self.outputs))
        graph = helper.make_graph(
            self._nodes, "random", inputs, outputs, self._constants, value_info=list(known.values())
        )
        for name, kind in self.kinds.items():
            entry = onnx.StringStringEntryProto(key="finn_datatype", value=kind)
            graph.quantization_annotation.append(
                onnx.TensorAnnotation(tensor_name=name, quant_parameter_tensor_names=[entry])
            )
        domains = [helper.make_opsetid("", 11), helper.make_opsetid(_GENERAL, 1)]
        onnx.save(helper.make_model(graph, opset_imports=domains, ir_version=8), folder / "model.onnx")
        frames: dict[str, Any] = {name: self.values[name][:, None] for name in self.inputs}
        np.savez(folder / "frames.npz", **frames)
        return folder / "model.onnx"

    def _constant(self, values: np.ndarray, kind: str) -> str:
        name = f"const_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(values.astype(np.float32), name))
        self.kinds[name] = kind
        return name

    def _know(self, name: str, values: np.ndarray, kind: str) -> str:
        self.values[name], self.kinds[name] = values.astype(np.int64), kind
        return name

    def _node(
        self, kind: str, inputs: list[str], values: np.ndarray, datatype: str, domain: str = "", **more: Any
    ) -> str:
        name = f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [f"{name}_out"], name, domain=domain, **more))
        return self._know(f"{name}_out", values, datatype)


def windows(values: np.ndarray, kernel: int, stride: int, pad: int) -> np.ndarray:
    """Return (frames, rows, columns, kernel * kernel * channels)."""
    padded = np.pad(values, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    height, width = ((size - kernel) // stride + 1 for size in padded.shape[1:3])
    rows = [
        padded[:, row : row + stride * height : stride, column : column + stride * width : stride]
        for row in range(kernel)
        for column in range(kernel)
    ]
    return np.concatenate([part[:, :height, :width] for part in rows], axis=-1)


def image_network(net: Networks) -> None:
    """Grow an image network of two stages and an end."""
    rng = net.rng
    size = int(rng.integers(4, 7))
    tensor = net.input(size, size, int(rng.integers(1, 4)))
    width = int(rng.choice([2, 3, 4, 6]))
    tensor = net.thresholds(
        net.conv(tensor, width, kernel=int(rng.choice([1, 2, 3])), pad=int(rng.integers(2)))
    )
    stage = rng.choice(["residual", "pool", "concat", "strided"])
    if stage == "residual":
        inner = net.thresholds(net.conv(tensor, width, kernel=3, pad=1), ["UINT3"])
        tensor = net.thresholds(net.add(net.thresholds(net.conv(inner, width), ["INT3"]), tensor))
    elif stage == "pool":
        tensor = net.pool(tensor)
    elif stage == "concat":
        sides = [net.thresholds(net.conv(tensor, count), ["UINT3"]) for count in (2, width)]
        tensor = net.concat(sides[0], sides[1])
    else:
        tensor = net.thresholds(net.conv(tensor, 4, kernel=2, stride=2))
    if net.values[tensor].shape[1] >= 3 and rng.random() < 0.5:
        tensor = net.thresholds(net.conv(tensor, 3, kernel=3, stride=2, pad=1), ["UINT4", "BIPOLAR"])
    else:
        tensor = net.conv(tensor, 5)
    net.outputs.append(tensor)


def vector_network(net: Networks) -> None:
    """Grow a fully connected network."""
    tensor = net.input(int(net.rng.choice([6, 9, 10])))
    for width in net.rng.choice([4, 6, 9, 15], 2):
        tensor = net.thresholds(net.matrix(tensor, int(width)))
    net.outputs.append(net.matrix(tensor, int(net.rng.integers(2, 8))))


def folding_of(layers: list[FoldableLayer], rng: np.random.Generator) -> dict[str, dict[str, int]]:
    """Choose PE and SIMD, odd ones too, so that the words of neighbours divide each other."""
    chosen: dict[str, dict[str, int]] = {}
    made: dict[str, int] = {}
    for layer in layers:
        name, limits = layer.name, layer.limits
        kind = name.rpartition("_")[0]
        takes, makes = _ENDS.get(kind, (next(iter(limits), ""),) * 2)
        chosen[name] = {}
        for key, limit in limits.items():
            divisors = [value for value in range(1, min(limit, 12) + 1) if limit % value == 0]
            if key == takes:
                near = [made[feed] for feed in layer.after]
                divisors = [d for d in divisors if all(max(d, n) % min(d, n) == 0 for n in near)]
                if kind == "Pool":
                    divisors = near
                elif kind == "MVAU":
                    # SIMD = MW is legal and loses words: FINN's output queue is one too short for it.
                    divisors = [d for d in divisors if d < limit] or [1]
            chosen[name][key] = int(rng.choice(divisors))
        made[name] = chosen[name].get(makes, 1)
    return chosen


def cuts_of(layers: list[FoldableLayer], rng: np.random.Generator, count: int) -> list[str]:
    """Choose layers before which a partition ends."""
    names = [layer.name for layer in layers[1:]]
    return [str(name) for name in rng.choice(names, min(count, len(names)), replace=False)]


def cluster_text(partitions: int, rng: np.random.Generator, ends: tuple[int, int]) -> str:
    """Place partitions on boards in any order, several on a board."""
    order = rng.permutation(partitions).tolist()
    boards = math.ceil(partitions / 2)
    text = 'build = "build/dataflow_parent.onnx"\n\n'
    for index in range(boards):
        board = ["zedboard", "pynq-z2"][index % 2]
        text += f'[[node]]\nname = "n{index}"\nboard = "{board}"\npartitions = {order[index::boards]}\n\n'
    files = {
        side: [f"build/{side}.npy"] if count == 1 else [f"build/{side}_{i}.npy" for i in range(count)]
        for side, count in zip(("input", "output"), ends, strict=True)
    }
    return text + "".join(["[verify]\n", *(f"{side} = {names!r}\n" for side, names in files.items())])
