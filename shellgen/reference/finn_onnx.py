# SPDX-License-Identifier: BSD-3-Clause
"""The ONNX side of a FINN-shaped build: one child model per partition and the parent that joins them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from shellgen.formats.onnx import PRODUCER
from shellgen.reference.annotate import annotate
from shellgen.reference.hardware import Node, Words

SDP_DOMAIN = "finn.custom_op.fpgadataflow"
RTL_DOMAIN = "finn.custom_op.fpgadataflow.rtl"


@dataclass(frozen=True, eq=False)
class Part:
    """One partition: its name, its index in the parent and its nodes with their unique names."""

    name: str
    index: int
    nodes: tuple[tuple[str, Node], ...]

    @property
    def source(self) -> Words:
        """Words at the input ``s_axis_0``."""
        return self.nodes[0][1].source

    @property
    def result(self) -> Words:
        """Words at the output ``m_axis_0``."""
        return self.nodes[-1][1].result

    @property
    def writeable(self) -> tuple[tuple[str, Node], ...]:
        """Nodes behind ``s_axilite_0``, ``s_axilite_1``... in this order."""
        return tuple((name, node) for name, node in self.nodes if node.writeable)

    @property
    def external(self) -> tuple[tuple[str, Words], ...]:
        """Nodes with external weights, ``s_axis_1``, ``s_axis_2``... in this order, and their words."""
        return tuple((name, node.weights) for name, node in self.nodes if node.weights)

    @property
    def folder(self) -> str:
        """Folder of the partition, relative to the build."""
        return f"partition_{self.index}"

    @property
    def top(self) -> str:
        """Module to instantiate."""
        return f"{self.name}_wrapper"


def child_model(part: Part) -> onnx.ModelProto:
    """Return ``partition_<i>.onnx``: FINN's operators, attributes, annotations and stitching metadata.

    Source: what finn-plus 1.3.0 writes (metadata in the ModelProto).
    """
    nodes, constants, shapes = [], [], []
    types = {"global_in": part.source.kind.name}
    tensor = "global_in"
    for index, (name, node) in enumerate(part.nodes):
        inputs = [tensor]
        if node.constant is not None:
            values, kind = node.constant
            inputs.append(f"{name}_param0")
            constants.append(numpy_helper.from_array(values.astype(np.float32), inputs[1]))
            types[inputs[1]] = kind
        tensor = "global_out" if index == len(part.nodes) - 1 else f"{name}_out0"
        types[tensor] = node.result.kind.name
        if tensor != "global_out":
            shapes.append(_value(tensor, node.result))
        nodes.append(_hardware_node(part, name, node, inputs, tensor))
    inputs_, outputs = [_value("global_in", part.source)], [_value("global_out", part.result)]
    graph = helper.make_graph(nodes, part.name, inputs_, outputs, constants, value_info=shapes)
    model = _finish(graph, types, (RTL_DOMAIN,))
    helper.set_model_props(model, _metadata(part))
    return model


def parent_model(parts: tuple[Part, ...], source: str, result: str) -> onnx.ModelProto:
    """Return ``parent.onnx``: one StreamingDataflowPartition per partition, children named relative to it.

    Args:
        parts: In network order.
        source: Name of the network's input tensor.
        result: Name of the network's output tensor.
    """
    nodes = []
    types = {source: parts[0].source.kind.name}
    shapes = []
    tensor = source
    for part in parts:
        out = result if part is parts[-1] else f"{part.name}_out0"
        node = helper.make_node(
            "StreamingDataflowPartition",
            [tensor],
            [out],
            name=part.name,
            domain=SDP_DOMAIN,
            model=f"{part.folder}.onnx",
            partition_id=part.index,
            slr=-1,
            mem_port="",
        )
        nodes.append(node)
        types[out] = part.result.kind.name
        if out != result:
            shapes.append(_value(out, part.result))
        tensor = out
    ends = [_value(source, parts[0].source)], [_value(result, parts[-1].result)]
    graph = helper.make_graph(nodes, "parent", ends[0], ends[1], value_info=shapes)
    return _finish(graph, types, (SDP_DOMAIN,))


def _hardware_node(part: Part, name: str, node: Node, inputs: list[str], out: str) -> onnx.NodeProto:
    common: dict[str, Any] = {
        "backend": "fpgadataflow",
        "partition_id": part.index,
        "device_id": 0,
        "slr": -1,
        "mem_port": "",
    }
    depths = {"inFIFODepths": [2], "outFIFODepths": [2]}
    attributes = node.attributes | common | depths | {"gen_top_module": node.module}
    return helper.make_node(node.op_type, inputs, [out], name=name, domain=RTL_DOMAIN, **attributes)


def _metadata(part: Part) -> dict[str, str]:
    interfaces = {
        "clk": ["ap_clk"],
        "rst": ["ap_rst_n"],
        "s_axis": [
            [f"s_axis_{index}", words.tdata_bits]
            for index, words in enumerate((part.source, *(words for _, words in part.external)))
        ],
        "m_axis": [["m_axis_0", part.result.tdata_bits]],
        "aximm": [],
        "axilite": [f"s_axilite_{index}" for index in range(len(part.writeable))],
    }
    return {
        "vivado_stitch_proj": part.folder,
        "vivado_stitch_ifnames": json.dumps(interfaces),
        "vivado_stitch_vlnv": f"xilinx_finn:finn:{part.name}:1.0",
        "wrapper_filename": f"{part.folder}/ip/src/{part.top}.v",
    }


def _value(name: str, words: Words) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, list(words.normal_shape))


def _finish(graph: onnx.GraphProto, types: dict[str, str], domains: tuple[str, ...]) -> onnx.ModelProto:
    annotate(graph, types)
    opsets = [helper.make_opsetid("", 11), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=opsets, producer_name=PRODUCER, ir_version=8)
