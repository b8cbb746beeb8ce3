# SPDX-License-Identifier: BSD-3-Clause
"""Folders shaped like FINN's, with the irregularities of real builds.

One layer, an MVAU of 8 inputs and 4 outputs, PE 2 and SIMD 4, with run-time weights, between two FIFOs.
Words: 4 x UINT4 in (16 bits), 2 x INT13 out (26 bits, padded to 32).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from shellgen.ipxact import component_xml
from shellgen.model import AxiLitePort, OtherPort, StreamPort
from shellgen.model.axilite import CHANNELS

# Where the build was made: dead here. The random characters hold underscores, as they may.
DEAD = "/container/finn_dev_me"
LITE_ADDR_BITS = 5
WEIGHTS = np.arange(32).reshape(8, 4) % 15 - 7

Layout = Literal["gen", "srcs", "flat"]


@dataclass
class Build:
    """A build to write; the fields are the differences between real builds.

    ``gen`` is Vivado 2022 and later, ``srcs`` is 2020.1 (whose list omits headers), ``flat`` has
    module-reference RTL in ip/src.
    """

    block: str = "finn_design"
    project: str = "vivado_stitch_proj__w_hvqmd"
    layout: Layout = "gen"
    component: bool = True
    listed: bool = True
    wrapper: bool = True
    upper: bool = False
    others: tuple[OtherPort, ...] = ()
    clock2x: bool = False
    memory: str = "file"
    data: bool = True
    node: str = "MVAU_rtl_0"
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def ports(self) -> list[tuple[str, str, int]]:
        """(name, direction, bits) in the order of Vivado's wrappers: sorted."""
        rows = [("ap_clk", "input", 1), ("ap_rst_n", "input", 1)]
        rows += [("ap_clk2x", "input", 1)] if self.clock2x else []
        rows += [
            (port.name, "input" if port.direction == "in" else "output", port.bits) for port in self.others
        ]
        for name, bits, forward, back in (
            ("s_axis_0", 16, "input", "output"),
            ("m_axis_0", 32, "output", "input"),
        ):
            rows += [(f"{name}_{self.case('tdata')}", forward, bits)]
            rows += [
                (f"{name}_{self.case('tvalid')}", forward, 1),
                (f"{name}_{self.case('tready')}", back, 1),
            ]
        for signal, size, driven in CHANNELS:
            direction = "input" if driven else "output"
            rows.append((f"s_axilite_0_{self.case(signal)}", direction, size or LITE_ADDR_BITS))
        return sorted(rows)

    def case(self, name: str) -> str:
        return name.upper() if self.upper else name

    def streams(self) -> list[StreamPort]:
        return [
            StreamPort(
                name=name,
                direction="in" if name[0] == "s" else "out",
                tdata_bits=bits,
                ports={
                    signal: f"{name}_{self.case(signal.lower())}" for signal in ("TVALID", "TDATA", "TREADY")
                },
            )
            for name, bits in (("s_axis_0", 16), ("m_axis_0", 32))
        ]

    def lite(self) -> AxiLitePort:
        ports = {signal.upper(): f"s_axilite_0_{self.case(signal)}" for signal, _, _ in CHANNELS}
        return AxiLitePort(name="s_axilite_0", addr_bits=5, data_bits=32, ports=ports)


def write_stitched(folder: Path, build: Build) -> Path:
    """Write one stitched IP folder and return it."""
    base = f"finn_vivado_stitch_proj.{'srcs' if build.layout == 'srcs' else 'gen'}/sources_1/bd/{build.block}"
    layer = f"{build.block}_{build.node}_0"
    instance = f"{base}/ip/{layer}"
    files = {
        f"{instance}/synth/{layer}.v": _layer(build, layer),
        f"{base}/ipshared/1a2b/hdl/Q_srl.v": "module Q_srl(input clock);\nendmodule\n",
        f"{base}/ipshared/3c4d/hdl/Q_srl.v": "// another copy\nmodule Q_srl(input  clock);\nendmodule\n",
        f"{base}/ipshared/1a2b/hdl/memstream.v": _memstream(build),
        f"{base}/ipshared/1a2b/hdl/infra.vh": "`define INFRA_W 4\n",
        f"{base}/synth/{build.block}.v": _module(
            build, build.block, f"  {layer} {layer}_i(.ap_clk(ap_clk));\n"
        ),
    }
    if build.wrapper:
        body = f"  {build.block} {build.block}_i(.ap_clk(ap_clk));\n"
        files[f"{base}/hdl/{build.block}_wrapper.v"] = _module(build, f"{build.block}_wrapper", body)
    files |= {f"{base}/{name}": text for name, text in build.extra.items()}
    kept = [name for name in files if not (build.layout == "srcs" and name.endswith(".vh"))]
    listed = [f"{DEAD}/{build.project}/{name}" for name in kept]
    if build.layout == "flat":
        listed = [
            _mref(name, build) if "/ip/" in name or "ipshared" in name else path
            for name, path in zip(files, listed, strict=True)
        ]
        files = {_flat(name): text for name, text in files.items()}
    for name, text in files.items():
        put(folder / name, text)
    # Vivado leaves this behind; it defines the layer again, and only globbing would find it.
    put(folder / "finn_vivado_stitch_proj.sim/test_for_finn.v", f"module {layer}(input other);\nendmodule\n")
    if build.listed:
        put(folder / "all_verilog_srcs.txt", "\n".join([*listed, listed[0]]) + "\n")
    if build.component:
        put(folder / "ip/component.xml", _component(build, [] if build.listed else list(files)))
    if build.data:
        _put_data(folder, build)
    return folder


def put(path: Path, text: str | bytes) -> Path:
    """Write a file, and its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def _mref(name: str, build: Build) -> str:
    return f"{DEAD}/code_gen_ipgen_{build.node}_q7a_gh72/{Path(name).name}"


def _flat(name: str) -> str:
    return f"ip/src/{Path(name).name}" if "/ip/" in name or "ipshared" in name else name


def _module(build: Build, name: str, body: str) -> str:
    """Verilog as Vivado writes it: names first, then directions; strings that hold raw newlines."""
    names = ",\n    ".join(port for port, _, _ in build.ports)
    rows = []
    for port, direction, bits in build.ports:
        info = f'(* X_INTERFACE_INFO = "xilinx.com:signal:data:1.0 {port}\nDATA" *) '
        rows.append(f"  {info}{direction} {f'[{bits - 1}:0]' if bits > 1 else ''}{port};")
    note = f'(* CORE_GENERATION_INFO = "{name},IP_Integrator,{{x_ipVendor=a.b,\nx_ipName={name}}}" *)'
    return (
        f"`timescale 1 ps / 1 ps\n{note}\nmodule {name}\n   ({names});\n"
        + "\n".join(rows)
        + f"\n{body}endmodule\n"
    )


def _layer(build: Build, name: str) -> str:
    folder = f"{DEAD}/code_gen_ipgen_{build.node}_q7a_gh72"
    literal = {
        "file": f"{folder}/memblock.dat",
        "folder": f"{folder}/",
        "prefix": f"{folder}/{build.node}_",
        "bare": f"{build.node}_rom.dat",
        "here": f"./{build.node}_rom.dat",
    }[build.memory]
    return (
        f'(* CHECK = "{name},memstream,{{INIT_FILE={literal}}}" *)\nmodule {name}(input ap_clk);\n'
        "  Q_srl q(.clock(ap_clk));\n"
        f'  memstream #(.INIT_FILE("{literal}")) inst(.clock(ap_clk));\nendmodule\n'
    )


def _memstream(build: Build) -> str:
    opened = {
        "folder": '{INIT_FILE, "memblock_sim_0.dat"}',
        "prefix": '$sformatf("%sthreshs_%0d_%0d.dat", INIT_FILE, 0, 1)',
    }.get(build.memory, "INIT_FILE")
    return (
        '`include "infra.vh"\n`include "unlisted.vh"\n'
        'module memstream #(parameter INIT_FILE = "./") (input clock);\n'
        "  reg [31:0] mem [0:3];\n  integer fp;\n"
        f'  initial $readmemh({opened}, mem);\n  initial fp = $fopen("deadlock_db.dat", "w");\nendmodule\n'
    )


def _put_data(folder: Path, build: Build) -> None:
    node = folder / f"data/code_gen_ipgen_{build.node}_q7a_gh72"
    names = {"file": ["memblock.dat"], "folder": ["memblock_sim_0.dat"]}
    names |= {"prefix": [f"{build.node}_threshs_0_0.dat", f"{build.node}_threshs_0_1.dat"]}
    for name in names.get(build.memory, [f"{build.node}_rom.dat"]):
        put(node / name, f"// {build.block} {name}\n01\n02\n03\n04\n")
    put(folder / "finn_vivado_stitch_proj.gen/include/unlisted.vh", "`define UNLISTED 1\n")


def _component(build: Build, files: list[str]) -> str:
    return component_xml(
        build.block,
        build.streams(),
        [build.lite()],
        clock="ap_clk",
        reset="ap_rst_n",
        clock2x="ap_clk2x" if build.clock2x else None,
        others=build.others,
        files=[f"../{name}" for name in files],
    )


def node(op_type: str, inputs: list[str], outputs: list[str], **attributes: Any) -> onnx.NodeProto:
    """Make a FINN hardware node named like its first output."""
    name = attributes.pop("name", outputs[0])
    made = helper.make_node(
        op_type, inputs, outputs, name=name, domain="finn.custom_op.fpgadataflow.rtl", **attributes
    )
    made.attribute.append(helper.make_attribute("backend", "fpgadataflow"))
    return made


def make_model(
    nodes: list[onnx.NodeProto],
    inputs: dict[str, tuple[int, ...]],
    outputs: dict[str, tuple[int, ...]],
    types: dict[str, str] | None = None,
    initialisers: dict[str, np.ndarray] | None = None,
) -> onnx.ModelProto:
    """Make a model with QONNX data type annotations."""
    info = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in side.items()]
        for side in (inputs, outputs)
    ]
    tensors = [
        numpy_helper.from_array(array.astype(np.float32), name)
        for name, array in (initialisers or {}).items()
    ]
    graph = helper.make_graph(nodes, "graph", info[0], info[1], initializer=tensors)
    for name, datatype in (types or {}).items():
        entry = graph.quantization_annotation.add(tensor_name=name)
        entry.quant_parameter_tensor_names.add(key="finn_datatype", value=datatype)
    return helper.make_model(graph)


def child(build: Build, *, in_graph: bool = False, metadata: dict[str, str] | None = None) -> onnx.ModelProto:
    """Make the child model of `Build`; its metadata in the graph if qonnx is 1.0 or later."""
    fifo = {"depth": 2}
    nodes = [
        node("StreamingFIFO_rtl", ["global_in"], ["f0"], dataType="UINT4", folded_shape=[1, 2, 4], **fifo),
        node(
            "MVAU_rtl",
            ["f0", "w"],
            ["m"],
            name=build.node,
            PE=2,
            SIMD=4,
            MW=8,
            MH=4,
            inputDataType="UINT4",
            outputDataType="INT13",
            weightDataType="INT4",
            numInputVectors=[1],
            runtime_writeable_weights=1,
        ),
        node("StreamingFIFO_rtl", ["m"], ["global_out"], dataType="INT13", folded_shape=[1, 2, 2], **fifo),
    ]
    model = make_model(nodes, {"global_in": (1, 8)}, {"global_out": (1, 4)}, initialisers={"w": WEIGHTS})
    target = model.graph.metadata_props if in_graph else model.metadata_props
    for key, value in (stitch_metadata(build) if metadata is None else metadata).items():
        target.add(key=key, value=value)
    return model


def stitch_metadata(build: Build) -> dict[str, str]:
    """Metadata that CreateStitchedIP writes."""
    names = {
        "clk": ["ap_clk"],
        "rst": ["ap_rst_n"],
        "s_axis": [["s_axis_0", 16]],
        "m_axis": [["m_axis_0", 32]],
    }
    names |= {"aximm": [], "axilite": ["s_axilite_0"]}
    names |= {"clk2x": ["ap_clk2x"]} if build.clock2x else {}
    bd = f"{DEAD}/{build.project}/finn_vivado_stitch_proj.gen/sources_1/bd/{build.block}"
    return {
        "vivado_stitch_proj": f"{DEAD}/{build.project}",
        "wrapper_filename": f"{bd}/hdl/{build.block}_wrapper.v",
        "vivado_stitch_vlnv": f"xilinx_finn:finn:{build.block}:1.0",
        "vivado_stitch_ifnames": json.dumps(names),
    }


def sdp(name: str, source: str, result: str, model: str) -> onnx.NodeProto:
    """Make a StreamingDataflowPartition node of a parent."""
    return helper.make_node(
        "StreamingDataflowPartition",
        [source],
        [result],
        name=name,
        model=model,
        domain="finn.custom_op.fpgadataflow",
        partition_id=0,
    )


def save(model: onnx.ModelProto, path: Path) -> Path:
    """Save a model."""
    return put(path, model.SerializeToString(deterministic=True))


def write_network(folder: Path, count: int = 2, *, host: bool = False, dma: bool = False) -> Path:
    """Write a parent with ``count`` partitions in a row, moved since it was built; return the parent.

    Args:
        folder: Gets dataflow_parent.onnx, partition_<i>.onnx and stitched IPs.
        count: Partitions.
        host: Put a host operator before the first partition.
        dma: Put idma0 and odma0 around the others, as a ZynqBuild has them.
    """
    names = [f"StreamingDataflowPartition_{index}" for index in range(count)]
    nodes, tensor = [], "global_in"
    if host:
        nodes.append(helper.make_node("Transpose", [tensor], ["flat"], name="Transpose_0"))
        tensor = "flat"
    chain = ["idma0", *names, "odma0"] if dma else names
    for index, name in enumerate(chain):
        result = f"t{index}"
        nodes.append(sdp(name, tensor, result, f"{DEAD}/dataflow_partition_ab_d3f8_/partition_{index}.onnx"))
        if name.endswith("dma0"):
            iodma = node("IODMA_hls", ["global_in"], ["global_out"], dataType="UINT4")
            save(
                make_model([iodma], {"global_in": (1, 8)}, {"global_out": (1, 8)}),
                folder / f"partition_{index}.onnx",
            )
        else:
            project = f"vivado_stitch_proj_{index}a_b3c_d"
            build = Build(block=name, project=project, layout=("gen", "srcs", "flat")[index % 3])
            save(child(build, in_graph=index % 2 == 1), folder / f"partition_{index}.onnx")
            write_stitched(folder / project, build)
        tensor = result
    model = make_model(nodes, {"global_in": (1, 8)}, {tensor: (1, 4)})
    return save(model, folder / "dataflow_parent.onnx")
