# SPDX-License-Identifier: BSD-3-Clause
"""The QONNX graphs that reference partitions are made from: a chain of MatMul and MultiThreshold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx

from shellgen.errors import InputError, Problem
from shellgen.formats.onnx import load_onnx, tensor_values
from shellgen.model import ElementType
from vivado_check.formats.files import StrPath

Integers = npt.NDArray[np.int64]
THRESHOLD_DOMAIN = "qonnx.custom_op.general"
_DOMAINS = {"MatMul": ("", "ai.onnx"), "MultiThreshold": (THRESHOLD_DOMAIN,)}


@dataclass(frozen=True, eq=False)
class Layer:
    """A matrix product, thresholds, or a matrix product and the thresholds that follow it.

    Attributes:
        name: Name of the first node, for messages.
        input_type: Of the activations that come in.
        features_in: Elements of a vector that come in.
        weights: (features_in, features_out), or None when the layer only compares.
        weight_type: Of the weights.
        thresholds: (features_out, steps), or None. An integer value reaches a fractional threshold where
            it reaches the next integer, so they are rounded up.
        activation_type: Of the thresholds' result.
        bias: What a count of zero becomes, as an element value.
        scale: Element value per count: 2 for BIPOLAR, else 1.
        vectors: Vectors of ``features_in`` elements in a frame; the layer treats each alike.
    """

    name: str
    input_type: ElementType
    features_in: int
    weights: Integers | None = None
    weight_type: ElementType | None = None
    thresholds: Integers | None = None
    activation_type: ElementType | None = None
    bias: int = 0
    scale: int = 1
    vectors: int = 1

    @property
    def features_out(self) -> int:
        """Elements of a frame that go out."""
        return self.features_in if self.weights is None else int(self.weights.shape[1])


def read_model(model: onnx.ModelProto | StrPath) -> onnx.ModelProto:
    """Return the model, loading it if a path is given.

    Raises:
        InputError: The file is missing or no ONNX model.
    """
    if isinstance(model, onnx.ModelProto):
        return model
    return load_onnx(Path(model), "Export it again")


def load_layers(model: onnx.ModelProto | StrPath) -> tuple[Layer, ...]:
    """Read the layers of a chain of MatMul and MultiThreshold nodes, in order.

    Raises:
        InputError: With every problem found: an unknown operator, weights that are not constant or not of
            their annotated type, a type that is not annotated, a graph that is no chain.
    """
    where = "model" if isinstance(model, onnx.ModelProto) else str(model)
    reader = _Reader(read_model(model), where)
    layers = reader.layers()
    if reader.problems:
        raise InputError(*reader.problems)
    return layers


class _Reader:
    """One pass over a graph; collects problems instead of stopping at the first."""

    def __init__(self, model: onnx.ModelProto, where: str) -> None:
        self.graph = model.graph
        self.where = where
        self.problems: list[Problem] = []
        self.constants = {i.name: tensor_values(i, Path(where)) for i in self.graph.initializer}
        self.types = {
            annotation.tensor_name: entry.value
            for annotation in self.graph.quantization_annotation
            for entry in annotation.quant_parameter_tensor_names
            if entry.key == "finn_datatype"
        }

    def layers(self) -> tuple[Layer, ...]:
        """Follow the chain from the only input."""
        inputs = [value for value in self.graph.input if value.name not in self.constants]
        if len(inputs) != 1 or len(self.graph.output) != 1:
            found = f"it has {len(inputs)} inputs and {len(self.graph.output)} outputs"
            self._problem("graph", found, "Use a graph with one of each")
            return ()
        tensor = inputs[0].name
        shape = [int(dim.dim_value) for dim in inputs[0].type.tensor_type.shape.dim]
        features = shape[-1] if shape else 0
        current = self._type(f"input {tensor}", tensor)
        layers: list[Layer] = []
        for node in self.graph.node:
            layer = None
            if self._is_next(node, tensor) and current is not None:
                previous = layers.pop() if layers and layers[-1].thresholds is None else None
                if node.op_type == "MultiThreshold":
                    layer = self._threshold(node, previous or Layer(self._name(node), current, features))
                elif previous is not None:
                    remedy = "Put a MultiThreshold in front of it"
                    self._problem(self._name(node), "it follows a MatMul without thresholds", remedy)
                else:
                    layer = self._matmul(node, current, features)
            if layer is None:
                break  # what follows has no meaning without this node
            layers.append(layer)
            tensor, features = node.output[0], layer.features_out
            current = layer.activation_type or current
        if not self.problems and tensor != self.graph.output[0].name:
            self._problem("graph", "the last node does not make the output", "Use a plain chain of nodes")
        if not self.problems and not layers:
            self._problem("graph", "it has no nodes", "Use a chain of MatMul and MultiThreshold")
        vectors = prod(shape[:-1]) or 1
        return tuple(replace(layer, vectors=vectors) for layer in layers)

    def _is_next(self, node: onnx.NodeProto, tensor: str) -> bool:
        if node.op_type not in _DOMAINS or node.domain not in _DOMAINS[node.op_type]:
            operator = f"{node.domain}.{node.op_type}".lstrip(".")
            remedy = "Lower the model to MatMul and MultiThreshold (QONNX streamlining) first"
            self._problem(self._name(node), f"operator {operator} is not known here", remedy)
            return False
        if (len(node.input), len(node.output)) != (2, 1):
            found = f"it has {len(node.input)} inputs and {len(node.output)} outputs, and takes 2 to make 1"
            self._problem(self._name(node), found, "Export the model again")
            return False
        if node.input[0] != tensor:
            self._problem(self._name(node), f"it does not read {tensor}", "Use a plain chain of nodes")
            return False
        return True

    def _matmul(self, node: onnx.NodeProto, input_type: ElementType, features: int) -> Layer | None:
        name = self._name(node)
        weight_type = self._type(f"{name}, weights {node.input[1]}", node.input[1])
        weights = self.constants.get(node.input[1])
        if weights is None or weights.ndim != 2:
            self._problem(name, "its weights are not a constant matrix", "Fold constants in the model first")
            return None
        if weights.shape[0] != features:
            found = f"its weights have {weights.shape[0]} rows for {features} inputs"
            self._problem(name, found, "Correct the shapes in the model")
            return None
        if not np.array_equal(weights, np.round(weights)):
            remedy = "Move the scale into the thresholds (QONNX streamlining) first"
            self._problem(name, "its weights are not integers", remedy)
            return None
        if weight_type is None:
            return None
        if not _fits(weights, weight_type):
            found = (
                f"its weights reach from {weights.min():g} to {weights.max():g}, beyond {weight_type.name}"
            )
            self._problem(name, found, "Correct the weights or their finn_datatype annotation")
            return None
        values = weights.astype(np.int64)
        return Layer(name, input_type, int(values.shape[0]), weights=values, weight_type=weight_type)

    def _threshold(self, node: onnx.NodeProto, layer: Layer) -> Layer | None:
        name = self._name(node)
        attributes = _attributes(node)
        thresholds = self.constants.get(node.input[1])
        out = str(attributes.get("out_dtype", "")) or self.types.get(node.output[0], "")
        try:
            bias, scale = float(attributes.get("out_bias", 0)), float(attributes.get("out_scale", 1))
            if not np.isfinite([bias, scale]).all():
                raise ValueError
        except ValueError:
            self._problem(name, "its out_bias or out_scale is not a number", "Correct the model")
            return None
        try:
            out_type = ElementType.parse(out)
        except ValueError as error:
            self._problem(name, f"out_dtype: {error}", "Set the attribute out_dtype")
            return None
        rows = (1, layer.features_out)
        told = thresholds is not None and bool(np.isfinite(thresholds).all())
        if thresholds is None or not told or thresholds.ndim != 2 or thresholds.shape[0] not in rows:
            found = f"its thresholds are not a constant of shape (1 or {layer.features_out}, steps)"
            self._problem(name, found, "Fold constants in the model first")
            return None
        if bias != int(bias) or scale != (2 if out_type.name == "BIPOLAR" else 1):
            found = f"out_scale {scale:g} and out_bias {bias:g} do not make {out_type.name}"
            self._problem(name, found, "Use an integer bias, and scale 1 (2 for BIPOLAR)")
            return None
        highest = int(bias + scale * thresholds.shape[1])
        if not (out_type.low <= bias and highest <= out_type.high):
            found = f"it makes values from {bias:g} to {highest}, beyond {out_type.name}"
            self._problem(name, found, "Correct out_dtype, out_bias or the number of thresholds")
            return None
        whole = np.ceil(np.broadcast_to(thresholds, (layer.features_out, thresholds.shape[1])))
        return replace(
            layer,
            thresholds=whole.astype(np.int64),
            activation_type=out_type,
            bias=int(bias),
            scale=int(scale),
        )

    def _type(self, what: str, tensor: str) -> ElementType | None:
        try:
            return ElementType.parse(self.types[tensor])
        except KeyError:
            found = "its data type is not annotated"
        except ValueError as error:
            found = str(error)
        self._problem(what, found, "Annotate the tensor with an integer finn_datatype")
        return None

    def _name(self, node: onnx.NodeProto) -> str:
        return f"node {node.name or next(iter(node.output), node.op_type)}"

    def _problem(self, place: str, found: str, remedy: str) -> None:
        self.problems.append(Problem(f"{self.where}: {place}", found, remedy))


def _attributes(node: onnx.NodeProto) -> dict[str, float | str]:
    """Return numbers and texts; what is of another kind is as good as not there."""
    found: dict[str, float | str] = {}
    for item in node.attribute:
        if item.type == onnx.AttributeProto.FLOAT:
            found[item.name] = item.f
        elif item.type == onnx.AttributeProto.INT:
            found[item.name] = item.i
        elif item.type == onnx.AttributeProto.STRING:
            found[item.name] = item.s.decode("utf-8", "replace")
    return found


def _fits(values: npt.NDArray[np.generic], kind: ElementType) -> bool:
    if kind.name == "BIPOLAR":
        return bool(np.all(np.abs(values) == 1))
    return bool(kind.low <= values.min() and values.max() <= kind.high)
