# SPDX-License-Identifier: BSD-3-Clause
"""The layers of a build that is there, with the foldings that they could have, as `split` takes them.

FINN's converters and FIFOs are left out: other foldings and cuts have others. Memories are counted as block
RAM of 36 by 512 bits where they are deep, since FINN is not asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from shellgen import costs
from shellgen.errors import InputError, one
from shellgen.estimate.figures import GIVEN, Layer, layers_of
from shellgen.model import ElementType, Network, Partition, Plan, Usage
from shellgen.model.folding import Attribute, Folding, SplitLayer, SplitNetwork, SplitStream
from shellgen.read.cycles import folded_cycles
from shellgen.read.finn_onnx import FinnModel, Node

# Attribute of the folding, and what it must divide.
_DIVIDES = {
    "MVAU": (("SIMD", "MW"), ("PE", "MH")),
    "VVAU": (("PE", "Channels"),),
    "Pool": (("PE", "Channels"),),
    "ConvolutionInputGenerator": (("SIMD", "IFMChannels"),),
    "FMPadding": (("SIMD", "NumChannels"),),
    "Crop": (("SIMD", "NumChannels"),),
    **dict.fromkeys(
        ("Thresholding", "Requant", "AddStreams", "DuplicateStreams", "ChannelwiseOp"),
        (("PE", "NumChannels"),),
    ),
}
_PASSED = ("StreamingFIFO", "StreamingDataWidthConverter")
_SHALLOW = 128  # words of a memory that is made of LUTs
_BLOCK_BITS, _BLOCK_WORDS = 36, 512  # of a block RAM of 18 Kbit (UG473, UG573)
_REMEDY = "Leave out --scale for the estimate without it"


@dataclass(frozen=True)
class _Source:
    """The source of a tensor: a layer (empty for the host) and the number of its output."""

    layer: str
    output: int


def built_network(plan: Plan, network: Network, part: str, where: str) -> SplitNetwork:
    """Return the layers of a build in network order, and the streams between them.

    Raises:
        InputError: A partition has no model, or a layer or stream has no figures.
    """
    layers: list[SplitLayer] = []
    streams: list[SplitStream] = []
    ends = {str(edge.consumer): str(edge.producer) for edge in network.edges}
    taken = set(ends.values())
    made: dict[tuple[str, str], _Source] = {}  # by partition and port
    for partition in network.partitions:
        model = network.models.get(partition.name)
        if not isinstance(model, FinnModel):
            said = f"{partition.name} has no model of its layers ({model or 'no ONNX beside its IP'})"
            raise one(InputError, where, f"{said}, so that no curve of a chain can be made", _REMEDY)
        sources = _entering(partition, model, ends, made, where)
        kept = []
        for node, figure in zip(model.nodes, layers_of(plan, plan.partition(partition.name)), strict=True):
            if node.op.startswith(_PASSED):
                sources[node.outputs[0]] = sources[node.inputs[0]]
                continue
            # Layers of two builds may have the same name.
            own = f"{partition.name}_{partition.short(node.name)}"
            kept.append(_layer(model, replace(node, name=own), figure, where))
            took = [name for name in node.inputs if name in sources]
            for number, name in enumerate(took):
                streams.append(_stream(model, name, sources[name], (own, number), where))
            sources |= {name: _Source(own, number) for number, name in enumerate(node.outputs)}
        layers += kept
        for port, name in zip(partition.outputs, model.outputs, strict=True):
            made[partition.name, port.name] = sources[name]
            if f"{partition.name}.{port.name}" not in taken:
                streams.append(_stream(model, name, sources[name], ("", 0), where))
    return SplitNetwork(part=part, layers=tuple(layers), streams=tuple(streams))


def _entering(
    partition: Partition,
    model: FinnModel,
    ends: Mapping[str, str],
    made: Mapping[tuple[str, str], _Source],
    where: str,
) -> dict[str, _Source]:
    """Return the sources of a partition's inputs."""
    ports = [port for port in partition.inputs if port.role == "data"]
    if len(ports) > len(model.inputs) or len(partition.outputs) != len(model.outputs):
        said = f"{partition.name} has other streams than its model, so that no curve of a chain can be made"
        raise one(InputError, where, said, _REMEDY)
    found = {}
    for port, name in zip(ports, model.inputs, strict=False):
        producer = ends.get(f"{partition.name}.{port.name}")
        found[name] = _Source("", 0)
        if producer is not None:
            before, _, at = producer.rpartition(".")
            if (before, at) not in made:
                said = f"the input of {partition.name} comes from a later partition"
                raise one(InputError, where, f"{said}, so that no curve of a chain can be made", _REMEDY)
            found[name] = made[before, at]
    return found


def _stream(model: FinnModel, name: str, source: _Source, target: tuple[str, int], where: str) -> SplitStream:
    tensor = model.tensor(name)
    if tensor.shape is None or tensor.datatype is None:
        said = f"{model.path.name} tells no shape or type of tensor {name}"
        raise one(InputError, where, f"{said}, so that no curve of a chain can be made", _REMEDY)
    return SplitStream(
        producer=source.layer,
        output=source.output,
        consumer=target[0],
        input=target[1],
        datatype=tensor.datatype,
        bits=ElementType.parse(tensor.datatype).bits,
        shape=tensor.shape,
    )


def _bits(model: FinnModel, name: str) -> int:
    datatype = model.tensor(name).datatype
    return ElementType.parse(datatype).bits if datatype else 8


def _layer(model: FinnModel, node: Node, figure: Layer, where: str) -> SplitLayer:
    """Return a layer with its foldings; one whose folding is unknown has that of the build."""
    if figure.cycles is None:
        said = f"the cycles of layer {figure.name} are not known, so that no curve of a chain can be made"
        raise one(InputError, where, said, "Give them in [estimate.layers] of cluster.toml")
    limits = {key: size for key, name in _DIVIDES.get(node.op, ()) if (size := node.integer(name))}
    data = [name for name in node.inputs if name not in model.initialisers]
    parameters = next((name for name in node.inputs if name in model.initialisers), None)
    constants = prod(model.initialisers[parameters].dims) if parameters else 0
    layer = SplitLayer(
        name=node.name,
        kind=node.op,
        rtl=node.op_type.endswith("_rtl"),
        attributes={key: one_ for key, one_ in node.attributes.items() if not isinstance(one_, float)},
        reads=tuple(_bits(model, name) for name in data),
        writes=tuple(_bits(model, name) for name in node.outputs),
        weights=_bits(model, parameters) if parameters else 0,
        constants=constants,
        limits=limits,
        foldings=(),
        source="the build",
    )
    # What another source than the formula says of a layer holds for all of its foldings, in proportion.
    formula = folded_cycles(node)
    ratio = figure.cycles / formula if formula else 1.0
    foldings = []
    for values in product(*(_divisors(size) for size in limits.values())) if formula else ():
        attributes: dict[str, Attribute] = dict(zip(limits, values, strict=True))
        cycles = folded_cycles(replace(node, attributes={**node.attributes, **attributes}))
        if cycles:
            foldings.append(_folding(layer, node, attributes, max(1, round(cycles * ratio))))
    own: dict[str, Attribute] = {key: node.integer(key) or 1 for key in limits}
    given = figure.source == GIVEN
    return layer.model_copy(
        update={
            "foldings": tuple(foldings)
            if foldings and not given
            else (_folding(layer, node, own, figure.cycles),)
        }
    )


def _folding(layer: SplitLayer, node: Node, attributes: Mapping[str, Attribute], cycles: int) -> Folding:
    simd, pe = attributes.get("SIMD", 1), attributes.get("PE", 1)
    assert isinstance(simd, int), "a divisor"
    assert isinstance(pe, int), "a divisor"
    matrix = layer.kind == "MVAU"
    lanes = simd * pe
    takes, style = _memory(layer, node, lanes)
    told: dict[str, int | str] = {key: int(str(value)) for key, value in attributes.items()}
    if style:
        told["ram_style"] = style
    return Folding(
        attributes=told,
        cycles=cycles,
        takes=takes,
        reads=tuple(simd if matrix else lanes for _ in layer.reads),
        writes=tuple(pe if matrix else lanes for _ in layer.writes),
    )


def _memory(layer: SplitLayer, node: Node, lanes: int) -> tuple[Usage, str]:
    """Return what weights, or the rows of a window, take, and of which memory weights are made."""
    if layer.kind in ("MVAU", "VVAU") and layer.constants:
        width, words = lanes * layer.weights, -(-layer.constants // lanes)
        if words <= _SHALLOW or node.text("ram_style") == "distributed":
            return Usage(), "distributed"
        return Usage(bram18=-(-width // _BLOCK_BITS) * -(-words // _BLOCK_WORDS)), "block"
    if layer.kind == "ConvolutionInputGenerator":
        kernel, size = node.integers("ConvKernelDim") or (1, 1), node.integers("IFMDim") or (1, 1)
        channels = node.integer("IFMChannels") or 1
        return costs.fifo(lanes * layer.reads[0], max(2, kernel[0] * size[-1] * channels // lanes)), ""
    return Usage(), ""


def _divisors(number: int) -> list[int]:
    return [one_ for one_ in range(1, number + 1) if number % one_ == 0]
