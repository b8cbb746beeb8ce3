# SPDX-License-Identifier: BSD-3-Clause
"""A network of nothing but layers that FINN has as Vitis HLS only, and what they cannot do without.

Streams part and meet three times: around a pool with its window generator, at once, and behind a split.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

GENERAL = "qonnx.custom_op.general"
FINN = "finn.custom_op.fpgadataflow"
SIZE, CHANNELS = 8, 6


class Network:
    """An ONNX graph that is written from the first operator to the last."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initialisers: list[onnx.TensorProto] = []
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.types: dict[str, str] = {}

    def tensor(self, name: str, shape: tuple[int, ...], kind: str) -> str:
        self.shapes[name], self.types[name] = shape, kind
        return name

    def constant(self, name: str, values: np.ndarray, kind: str) -> str:
        self.initialisers.append(numpy_helper.from_array(values.astype(np.float32), name))
        self.types[name] = kind
        return name

    def node(
        self, kind: str, inputs: list[str], outputs: list[str], domain: str = "", **attributes: Any
    ) -> None:
        self.nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **attributes))

    def save(self, path: Path, source: str, result: str, kind_out: int = TensorProto.INT64) -> None:
        values = {
            name: helper.make_tensor_value_info(
                name, kind_out if name == result else TensorProto.FLOAT, shape
            )
            for name, shape in self.shapes.items()
        }
        inner = [value for name, value in values.items() if name not in (source, result)]
        graph = helper.make_graph(
            self.nodes, "network", [values[source]], [values[result]], self.initialisers, value_info=inner
        )
        for name, kind in self.types.items():
            entry = onnx.StringStringEntryProto(key="finn_datatype", value=kind)
            graph.quantization_annotation.append(
                onnx.TensorAnnotation(tensor_name=name, quant_parameter_tensor_names=[entry])
            )
        opsets = [helper.make_opsetid("", 13), helper.make_opsetid(GENERAL, 1), helper.make_opsetid(FINN, 1)]
        model = helper.make_model(graph, opset_imports=opsets)
        model.ir_version = 8
        onnx.save(model, path)


def write_network(path: Path) -> None:
    """Write the network: (1, 8, 8, 6) of UINT4 in, the places of six sums by their size out."""
    rng = np.random.default_rng(3)
    net, image = Network(), (1, SIZE, SIZE, CHANNELS)
    x = net.tensor("x", image, "UINT4")

    # A residual block: the pool reads a row and a pixel ahead of what the skip edge must hold.
    pooled = net.tensor("pooled", image, "UINT4")
    net.node("MaxPoolNHWC", [x], [pooled], GENERAL, kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
    net.node("Add", [pooled, x], [net.tensor("added", image, "UINT5")])
    steps = net.constant("steps", np.sort(rng.integers(0, 31, (CHANNELS, 15))), "UINT5")
    net.node(
        "MultiThreshold",
        ["added", steps],
        [net.tensor("y", image, "UINT4")],
        GENERAL,
        out_dtype="UINT4",
        data_layout="NHWC",
    )

    # Both branches read the same at once, and one subtracts from the other.
    doubled = net.tensor("doubled", image, "UINT5")
    net.node("Mul", ["y", net.constant("two", np.array([1, 2, 1, 2, 2, 1]), "UINT2")], [doubled])
    net.node("Sub", ["y", doubled], [net.tensor("less", image, "INT6")])

    # Channels part, change their type each in its own way, and lie side by side again in another order.
    left = net.tensor("left", (1, SIZE, SIZE, 2), "INT6")
    right = net.tensor("right", (1, SIZE, SIZE, 4), "INT6")
    net.initialisers.append(numpy_helper.from_array(np.array([2, 4], np.int64), "parts"))
    net.node("Split", ["less", "parts"], [left, right], axis=-1)
    net.node(
        "Mul",
        [left, net.constant("scale", np.array([3, -5]), "INT4")],
        [net.tensor("scaled", (1, SIZE, SIZE, 2), "INT9")],
    )
    net.node(
        "Add",
        [right, net.constant("bias", np.array([-7, 0, 11, 3]), "INT5")],
        [net.tensor("biased", (1, SIZE, SIZE, 4), "INT7")],
    )
    net.node("Concat", ["biased", "scaled"], [net.tensor("joined", image, "INT9")], axis=-1)

    # Smaller, larger, and at last one number a channel, identified by their order.
    steps = net.constant("more_steps", np.sort(rng.integers(-22, 75, (CHANNELS, 15))), "INT9")
    net.node(
        "MultiThreshold",
        ["joined", steps],
        [net.tensor("z", image, "UINT4")],
        GENERAL,
        out_dtype="UINT4",
        data_layout="NHWC",
    )
    half = (1, SIZE // 2, SIZE // 2, CHANNELS)
    net.node(
        "QuantAvgPool2d",
        ["z"],
        [net.tensor("mean", half, "UINT4")],
        GENERAL,
        stride=2,
        kernel=2,
        ibits=4,
        obits=4,
        signed=0,
        data_layout="NHWC",
    )
    scales = np.array([1, 2, 3, 1], np.float32)
    net.initialisers.append(numpy_helper.from_array(scales, "scales"))
    net.node(
        "Resize", ["mean", "", "scales"], [net.tensor("large", (1, 8, 12, CHANNELS), "UINT4")], mode="nearest"
    )
    net.node(
        "GlobalAccPool",
        ["large"],
        [net.tensor("sums", (1, 1, 1, CHANNELS), "UINT11")],
        FINN,
        NumChannels=CHANNELS,
        PE=1,
        inputDataType="UINT4",
        numInputVectors=[1, 8, 12],
        backend="fpgadataflow",
    )
    net.initialisers.append(numpy_helper.from_array(np.array([CHANNELS], np.int64), "k"))
    net.tensor("places", (1, 1, 1, CHANNELS), "UINT8")
    net.node("TopK", ["sums", "k"], ["values", "places"], axis=-1)
    net.save(path, x, "places")


def write_two_blocks(path: Path, size: int) -> None:
    """Write two residual blocks, one after the other, each a pool beside a skip edge."""
    net, image = Network(), (1, size, size, 1)
    net.tensor("x0", image, "UINT4")
    for index in range(2):
        source, pooled, result = f"x{index}", f"p{index}", f"x{index + 1}"
        net.tensor(pooled, image, f"UINT{4 + index}")
        net.node(
            "MaxPoolNHWC",
            [source],
            [pooled],
            GENERAL,
            kernel_shape=[3, 3],
            strides=[1, 1],
            pads=[1, 1, 1, 1],
        )
        net.node("Add", [pooled, source], [net.tensor(result, image, f"UINT{5 + index}")])
    net.save(path, "x0", "x2")
