# SPDX-License-Identifier: BSD-3-Clause
"""Contents of a port: from cluster.toml, else from the ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from shellgen.errors import Problem
from shellgen.model import ElementType, StreamPort, StreamSpec
from shellgen.model.stream_block import is_described
from shellgen.read.finn_onnx import FinnModel
from shellgen.read.pins import Ports
from shellgen.read.shapes import NotIntegerError, Shape, ShapeMismatchError, stream_shape


def described_port(  # noqa: PLR0913 - a port, where it belongs and who may describe it
    partition: str,
    model: FinnModel | None,
    ports: Ports,
    port: StreamPort,
    streams: Sequence[StreamSpec],
    problems: list[Problem],
) -> StreamPort:
    """Return the port with data type and shapes: from cluster.toml, else from the ONNX, else unknown."""
    spec = next((entry for entry in streams if entry.port == f"{partition}.{port.name}"), None)
    if spec:
        described = _by_spec(port, spec, problems)
        if model and is_described(described):
            problems.extend(_contradiction(model, ports, port, described, spec.port))
        return described
    if model is None:
        return port
    try:
        shape = _shape_of(model, ports, port)
    except ShapeMismatchError as error:
        remedy = f'Use ONNX and IP of one build, or add [[stream]] with port = "{partition}.{port.name}"'
        problems.append(Problem(f"{model.path}: {port.name}", str(error), remedy))
        return port
    except NotIntegerError as error:
        remedy = "Build the QONNX export with `shellgen stitch`, which leaves layers with floats to the host"
        problems.append(Problem(f"{model.path}: {port.name}", str(error), remedy))
        return port
    if shape is None:
        return port
    update = {"datatype": shape.datatype, "normal_shape": shape.normal, "folded_shape": shape.folded}
    more = {"role": shape.role, "passes": shape.passes, "layer": shape.layer}
    return port.model_copy(update=update | more)


def _shape_of(model: FinnModel, ports: Ports, port: StreamPort) -> Shape | None:
    """Return what the ONNX says of a port, by its place among those of its direction; see `stream_shape`."""
    side = [other.name for other in ports.streams if other.direction == port.direction]
    return stream_shape(model, port, side.index(port.name))


def _contradiction(
    model: FinnModel, ports: Ports, port: StreamPort, described: StreamPort, name: str
) -> list[Problem]:
    """Return the first field of a [[stream]] that is not what the ONNX says, if that can be the port's."""
    try:
        shape = _shape_of(model, ports, port)
    except (ShapeMismatchError, NotIntegerError):
        return []
    if shape is None:
        return []
    fields = {
        "role": (described.role, shape.role),
        "datatype": (described.datatype, shape.datatype),
        "shape": (prod(described.normal_shape or ()), prod(shape.normal)),
        "elements_per_word": (described.elements_per_word, shape.folded[-1]),
    }
    for field, (ours, theirs) in fields.items():
        if ours != theirs:
            what = " elements" if field == "shape" else ""
            found = f"it says {ours}{what}, and {model.path} says {theirs}{what}"
            return [Problem(f"[[stream]] {name}: {field}", found, "Remove this [[stream]], or correct it")]
    return []


def _by_spec(port: StreamPort, spec: StreamSpec, problems: list[Problem]) -> StreamPort:
    where = f"[[stream]] {spec.port}"
    words = spec.elements_per_word
    try:
        bits = ElementType.parse(spec.datatype).bits
    except ValueError as error:
        problems.append(Problem(f"{where}: datatype", str(error), "Write a QONNX type, e.g. UINT4"))
        return port
    if spec.shape[-1] % words:
        found = f"{words} does not divide the innermost dimension of shape {list(spec.shape)}"
        problems.append(Problem(f"{where}: elements_per_word", found, "Give FINN's PE or SIMD of that port"))
        return port
    if bits * words > port.tdata_bits:
        found = f"{words} {spec.datatype} are {bits * words} bits, TDATA has {port.tdata_bits}"
        problems.append(Problem(f"{where}: elements_per_word", found, "Correct it or the datatype"))
        return port
    if (spec.role == "weights" and port.direction == "out") or (spec.role == "data" and spec.passes > 1):
        found = f"an {port.direction}put of {spec.passes} passes with role {spec.role!r}"
        problems.append(Problem(f"{where}: role", found, "Only inputs with role 'weights' have passes"))
        return port
    folded = (*spec.shape[:-1], spec.shape[-1] // words, words)
    update = {"datatype": spec.datatype, "normal_shape": spec.shape, "folded_shape": folded}
    return port.model_copy(update=update | {"role": spec.role, "passes": spec.passes})


def memory_layer(model: FinnModel | None, port: str, index: int) -> str | None:
    """Return the layer behind a memory port: named in it, as newer FINN does, else the one in that place."""
    nodes = (
        [node for node in model.nodes if node.op == "IODMA" or node.text("mem_mode") == "external_mem"]
        if model
        else []
    )
    named = [node.name for node in nodes if node.name and port.endswith(node.name)]
    if named:
        return named[0]
    return nodes[index].name if index < len(nodes) else None
