# SPDX-License-Identifier: BSD-3-Clause
"""A FINN model as plain records. Attributes are read from the protobuf; FINN itself is not needed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import onnx

from shellgen.formats.onnx import load_onnx
from shellgen.model import ElementType

Attribute = int | float | str | tuple[int, ...] | tuple[str, ...]
DOMAIN = "finn.custom_op.fpgadataflow"
# Operators by the age of FINN: StreamingFCLayer_Batch -> MatrixVectorActivation -> MVAU_hls / MVAU_rtl.
_RENAMED = {
    "StreamingFCLayer": "MVAU",
    "MatrixVectorActivation": "MVAU",
    "VectorVectorActivation": "VVAU",
    "Vector_Vector_Activate": "VVAU",
    "ConvolutionInputGenerator1D": "ConvolutionInputGenerator",
    "StreamingConcat": "Concat",
    "StreamingSplit": "Split",
}


@dataclass(frozen=True)
class Tensor:
    """A tensor: its shape (None if the model does not say) and its annotated QONNX data type."""

    name: str
    shape: tuple[int, ...] | None
    datatype: str | None


@dataclass(frozen=True)
class Node:
    """A node with its attributes as Python values."""

    op_type: str
    name: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Attribute]

    @cached_property
    def op(self) -> str:
        """Operator without the marks of its age and back end, e.g. ``MVAU``."""
        base = self.op_type
        for suffix in ("_hls", "_rtl", "_Batch"):
            base = base.removesuffix(suffix)
        return _RENAMED.get(base, base)

    @property
    def is_hardware(self) -> bool:
        """Whether FINN makes hardware of it (domain ``...fpgadataflow``, ``.hls`` or ``.rtl``)."""
        return self.domain.startswith(DOMAIN) or str(self.attributes.get("backend")) == "fpgadataflow"

    def integer(self, name: str, default: int | None = None) -> int | None:
        """Return an integer attribute."""
        value = self.attributes.get(name, default)
        return value if isinstance(value, int) else default

    def integers(self, name: str) -> tuple[int, ...] | None:
        """Return a non-empty attribute that is a list of integers."""
        value = self.attributes.get(name)
        if isinstance(value, tuple) and value and all(isinstance(item, int) for item in value):
            return tuple(int(item) for item in value)
        return None

    def text(self, name: str) -> str | None:
        """Return a non-empty string attribute."""
        value = self.attributes.get(name)
        return value if isinstance(value, str) and value else None

    def element(self, name: str) -> ElementType | None:
        """Return a data type attribute, if it is one that we know."""
        try:
            return ElementType.parse(self.text(name) or "")
        except ValueError:
            return None


@dataclass(frozen=True)
class FinnModel:
    """A parent or child model.

    Attributes:
        path: Where it was read.
        nodes: In graph order.
        declared: All graph inputs, in order.
        inputs: Those that are no initialisers.
        outputs: Graph outputs, in order.
        tensors: Every tensor with a known shape or data type, by name.
        initialisers: Weights and thresholds, by tensor name.
        metadata: From the model or from its graph, whichever has it.
    """

    path: Path
    nodes: tuple[Node, ...]
    declared: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    tensors: dict[str, Tensor]
    initialisers: dict[str, onnx.TensorProto]
    metadata: dict[str, str]

    @property
    def partitions(self) -> tuple[Node, ...]:
        """The ``StreamingDataflowPartition`` nodes of a parent, named by their place where FINN did not."""
        nodes = [node for node in self.nodes if node.op == "StreamingDataflowPartition"]
        return tuple(
            replace(node, name=node.name or f"partition_{index}") for index, node in enumerate(nodes)
        )

    def tensor(self, name: str) -> Tensor:
        """Return a tensor, of unknown shape and type if the model does not describe it."""
        return self.tensors.get(name, Tensor(name, None, None))

    def digest(self) -> str | None:
        """Return a digest of all but the path; None if values lie in other files."""
        if any(one.data_location == onnx.TensorProto.EXTERNAL for one in self.initialisers.values()):
            return None
        told = (self.nodes, self.declared, self.inputs, self.outputs, sorted(self.tensors.items()))
        found = hashlib.sha256(repr((told, sorted(self.metadata.items()))).encode())
        for name, values in sorted(self.initialisers.items()):
            content = values.SerializeToString(deterministic=True)
            found.update(f"{name} {len(content)} ".encode())
            found.update(content)
        return found.hexdigest()


def load_model(path: Path) -> FinnModel:
    """Read an ONNX file.

    Raises:
        InputError: It cannot be read, is not ONNX, or has invalid text.

    Source: qonnx 0.4 and 1.0, which moved the metadata from ModelProto to GraphProto.
    """
    model = load_onnx(path)
    graph = model.graph
    initialisers = {tensor.name: tensor for tensor in graph.initializer}
    return FinnModel(
        path=path,
        nodes=tuple(_node(node) for node in graph.node),
        declared=tuple(value.name for value in graph.input),
        inputs=tuple(value.name for value in graph.input if value.name not in initialisers),
        outputs=tuple(value.name for value in graph.output),
        tensors=_tensors(graph),
        initialisers=initialisers,
        metadata=_metadata(model),
    )


def _metadata(model: onnx.ModelProto) -> dict[str, str]:
    found = {entry.key: entry.value for entry in getattr(model.graph, "metadata_props", [])}
    found.update({entry.key: entry.value for entry in model.metadata_props})
    return found


def _tensors(graph: onnx.GraphProto) -> dict[str, Tensor]:
    types = {}
    for annotation in graph.quantization_annotation:
        for entry in annotation.quant_parameter_tensor_names:
            if entry.key == "finn_datatype":
                types[annotation.tensor_name] = entry.value
    shapes: dict[str, tuple[int, ...] | None] = dict.fromkeys(types)
    for value in (*graph.input, *graph.output, *graph.value_info):
        dims = value.type.tensor_type.shape.dim
        known = bool(dims) and all(dim.dim_value > 0 for dim in dims)
        shapes[value.name] = tuple(dim.dim_value for dim in dims) if known else None
    return {name: Tensor(name, shape, types.get(name)) for name, shape in shapes.items()}


def _node(node: onnx.NodeProto) -> Node:
    attributes = {}
    for attribute in node.attribute:
        value = _value(attribute)
        if value is not None:
            attributes[attribute.name] = value
    inputs, outputs = tuple(node.input), tuple(node.output)
    return Node(node.op_type, node.name, node.domain, inputs, outputs, attributes)


def _value(attribute: onnx.AttributeProto) -> Attribute | None:
    kind = attribute.type
    if kind == onnx.AttributeProto.INT:
        return int(attribute.i)
    if kind == onnx.AttributeProto.FLOAT:
        return float(attribute.f)
    if kind == onnx.AttributeProto.STRING:
        return str(attribute.s.decode("utf-8", "replace"))
    if kind == onnx.AttributeProto.INTS:
        return tuple(int(item) for item in attribute.ints)
    if kind == onnx.AttributeProto.STRINGS:
        return tuple(item.decode("utf-8", "replace") for item in attribute.strings)
    return None
