# SPDX-License-Identifier: BSD-3-Clause
"""The files of a FINN-shaped build."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import onnx

from shellgen.ipxact import component_xml
from shellgen.model import Artifact, AxiLitePort, StreamPort
from shellgen.model.axilite import CHANNELS, SIGNALS
from shellgen.model.module_port import lite_ports
from shellgen.reference.finn_onnx import Part, child_model, parent_model
from shellgen.reference.folding import ReferenceFolding
from shellgen.reference.hardware import Node, Words, layer_nodes
from shellgen.reference.layers import Layer
from shellgen.render import render
from shellgen.resources import data_dir

# Users after what they instantiate, so that any compiler may read them in this order.
_LIBRARY = {
    "ref_width": ("ref_width",),
    "ref_mvau": ("ref_slice", "ref_axilite", "ref_weights", "ref_dot", "ref_product", "ref_mvau"),
    "ref_mvau_external": ("ref_slice", "ref_dot", "ref_product", "ref_mvau_external"),
    "ref_thresholding": ("ref_slice", "ref_axilite", "ref_thresholds", "ref_thresholding"),
}
# What a slave gets that is no port of the partition (addresses are as wide as the port), and what it gives.
_LITE_IDLE = {
    "awaddr": "",
    "awvalid": "1'b0",
    "wdata": "32'd0",
    "wvalid": "1'b0",
    "bready": "1'b1",
    "araddr": "",
    "arvalid": "1'b0",
    "rready": "1'b1",
}
_LITE_RESULTS = {signal: bits for signal, bits, driven in CHANNELS if bits and not driven}


@dataclass(frozen=True)
class _Instance:
    """A node in a partition's wrapper.

    Attributes:
        name: Of the instance.
        node: What it is.
        parameters: Verilog text or numbers by name.
        source: Prefix of the nets that it takes.
        result: Prefix of the nets that it gives.
        weights: Port that brings its weights, if it has none of its own.
        lite: Net by signal of its AXI-Lite slave, if it has one.
        lite_unused: Bits that a slave gives which is no port of the partition.
    """

    name: str
    node: Node
    parameters: Mapping[str, int | str]
    source: str
    result: str
    weights: str | None
    lite: Mapping[str, str]
    lite_unused: int


def make_parts(
    layers: tuple[Layer, ...], folding: ReferenceFolding, cuts: tuple[int, ...]
) -> tuple[Part, ...]:
    """Divide checked layers into partitions and name their nodes as FINN does."""
    parts = []
    for index in range(cuts[-1] + 1):
        nodes: list[Node] = []
        for place, (layer, fold, cut) in enumerate(zip(layers, folding.layers, cuts, strict=True)):
            if cut == index:
                previous = nodes[-1].result if nodes else None
                nodes += layer_nodes(layer, fold, previous, final=place == len(layers) - 1)
        name = f"StreamingDataflowPartition_{index}"
        count: dict[str, int] = {}
        named = []
        for node in nodes:
            number = count.get(node.op_type, 0)
            count[node.op_type] = number + 1
            named.append((f"{name}_{node.op_type}_{number}", node))
        parts.append(Part(name, index, tuple(named)))
    return tuple(parts)


def build_artifacts(parts: tuple[Part, ...], source: str, result: str) -> tuple[Artifact, ...]:
    """Return all files of the build; ``source`` and ``result`` name the network's tensors."""
    parent = parent_model(parts, source, result)
    files = [Artifact("parent.onnx", _bytes(parent))]
    for part in parts:
        files.append(Artifact(f"{part.folder}.onnx", _bytes(child_model(part))))
        files += _part_files(part)
    return tuple(files)


def _part_files(part: Part) -> Iterator[Artifact]:
    rtl = data_dir("sim") / "reference"
    modules = dict.fromkeys(m for _, node in part.nodes for m in _LIBRARY[node.module])
    sources = {f"{module}.sv": (rtl / f"{module}.sv").read_bytes() for module in modules}
    sources[f"{part.top}.v"] = _wrapper(part).encode()
    data = {data_file(name): _lines(node).encode() for name, node in part.nodes if node.memory_bits}
    listed = "".join(f"{part.folder}/ip/src/{name}\n" for name in sources)
    yield Artifact.text(f"{part.folder}/all_verilog_srcs.txt", listed)
    for name, content in (sources | data).items():
        yield Artifact(f"{part.folder}/ip/src/{name}", content)
    xml = component_xml(
        part.name,
        part_streams(part),
        part_axilite(part),
        clock="ap_clk",
        reset="ap_rst_n",
        others=(),
        files=[f"src/{name}" for name in (*sources, *data)],
        top=part.top,
    )
    yield Artifact.text(f"{part.folder}/ip/component.xml", xml)


def part_streams(part: Part) -> tuple[StreamPort, ...]:
    """Return the stream ports of a partition as `shellgen.read` is to find them."""
    weights = [
        _stream(f"s_axis_{index}", "in", words).model_copy(
            update={
                "normal_shape": (words.features // words.elements, words.elements),
                "folded_shape": (words.features // words.elements, 1, words.elements),
                "role": "weights",
                "passes": part.source.vectors,
            }
        )
        for index, (_, words) in enumerate(part.external, 1)
    ]
    return (_stream("s_axis_0", "in", part.source), *weights, _stream("m_axis_0", "out", part.result))


def part_axilite(part: Part) -> tuple[AxiLitePort, ...]:
    """Return the AXI-Lite slaves of a partition, without what lies behind them."""
    ports = []
    for index, (_, node) in enumerate(part.writeable):
        name = f"s_axilite_{index}"
        physical = {signal: f"{name}_{signal.lower()}" for signal in SIGNALS}
        ports.append(AxiLitePort(name=name, addr_bits=node.addr_bits, data_bits=32, ports=physical))
    return tuple(ports)


def data_file(name: str) -> str:
    """Return the bare name of a node's memory file."""
    return f"{name}.dat"


def _stream(name: str, direction: str, words: Words) -> StreamPort:
    return StreamPort.model_validate(
        {
            "name": name,
            "direction": direction,
            "tdata_bits": words.tdata_bits,
            "ports": {signal: f"{name}_{signal.lower()}" for signal in ("TDATA", "TVALID", "TREADY")},
            "datatype": words.kind.name,
            "normal_shape": words.normal_shape,
            "folded_shape": words.folded_shape,
        }
    )


def _wrapper(part: Part) -> str:
    slaves = {name: f"s_axilite_{index}" for index, (name, _) in enumerate(part.writeable)}
    external = {name: f"s_axis_{index}" for index, (name, _) in enumerate(part.external, 1)}
    nodes = []
    source = "s_axis_0"
    for unique, node in part.nodes:
        name = unique.removeprefix(f"{part.name}_")
        result = "m_axis_0" if node is part.nodes[-1][1] else name
        parameters: dict[str, int | str] = dict(node.parameters)
        lite: dict[str, str] = {}
        if node.memory_bits:
            parameters["INIT_FILE"] = f'"{data_file(unique)}"'
            lite = _lite_nets(name, node, slaves.get(unique))
        unused = sum(_LITE_RESULTS.values()) if lite and unique not in slaves else 0
        nodes.append(_Instance(name, node, parameters, source, result, external.get(unique), lite, unused))
        source = result
    lites = [(lite.name, lite_ports(lite)) for lite in part_axilite(part)]
    inputs = [port for port in part_streams(part) if port.direction == "in"]
    return render("reference/partition_wrapper.v.j2", part=part, nodes=nodes, axilite=lites, inputs=inputs)


def _lite_nets(name: str, node: Node, slave: str | None) -> dict[str, str]:
    """Return the net at each AXI-Lite pin of a node: the partition's port, or idle."""
    if slave is not None:
        return {signal: f"{slave}_{signal}" for signal in (*_LITE_IDLE, *_LITE_RESULTS)}
    address = f"{node.addr_bits}'d0"
    nets = {signal: value or address for signal, value in _LITE_IDLE.items()}
    low = 0
    for signal, bits in _LITE_RESULTS.items():
        nets[signal] = f"{name}_lite_unused[{low + bits - 1}:{low}]"
        low += bits
    return nets


def _lines(node: Node) -> str:
    digits = (node.memory_bits + 3) // 4
    return "".join(f"{word:0{digits}x}\n" for word in node.memory)


def _bytes(model: onnx.ModelProto) -> bytes:
    content = model.SerializeToString(deterministic=True)
    assert isinstance(content, bytes)
    return content
