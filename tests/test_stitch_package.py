# SPDX-License-Identifier: BSD-3-Clause
"""The stitcher without FINN: patches to the RTL, headers, and the folder that a partition becomes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from shellgen.read import read_network
from shellgen.simulate.tools import find_icarus
from shellgen.stitch.headers import port_directions
from shellgen.stitch.package import package_partition, write_parent

DIGITS = Path(__file__).parents[1] / "examples" / "digits"


def test_port_directions_of_a_generated_header() -> None:
    text = """
// module other (input no);
module layer #(
\tparameter  N = 15,\t// count, of
\tparameter  B = (N+7)/8 * 8
)(
\t(* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF in0_V:out0_V, ASSOCIATED_RESET ap_rst_n" *)
\tinput\tap_clk,
\t/* input no, */
\tinput [(((N > 2? $clog2(N) : 1)+7)/8)*8-1:0]  in1_V_TDATA, // yes
\toutput  out0_V_TVALID,
\toutput [B-1:0]  out0_V_TDATA
);
endmodule
module layer_two (output z);
endmodule
"""
    ports = {"ap_clk": "input", "in1_V_TDATA": "input", "out0_V_TVALID": "output", "out0_V_TDATA": "output"}
    assert port_directions(text, "layer") == ports
    assert port_directions(text, "layer_two") == {"z": "output"}
    with pytest.raises(KeyError):
        port_directions(text, "lay")


# --- packaging ----------------------------------------------------------------------------------------------
_LAYER = """module {name} #(
    parameter INIT_FILE = "{folder}/memblock.dat",
    parameter PREFIX = "./{name}_"
) (
    input ap_clk, input ap_rst_n,
    input s_axilite_AWVALID, output s_axilite_AWREADY, input [3:0] s_axilite_AWADDR,
    input s_axilite_WVALID, output s_axilite_WREADY,
    input [31:0] s_axilite_WDATA, input [3:0] s_axilite_WSTRB,
    output s_axilite_BVALID, input s_axilite_BREADY, output [1:0] s_axilite_BRESP,
    input s_axilite_ARVALID, output s_axilite_ARREADY, input [3:0] s_axilite_ARADDR,
    output s_axilite_RVALID, input s_axilite_RREADY,
    output [31:0] s_axilite_RDATA, output [1:0] s_axilite_RRESP,
    output [4:0] count,
    input in0_V_TVALID, output in0_V_TREADY, input [7:0] in0_V_TDATA,
    output out0_V_TVALID, input out0_V_TREADY, output [7:0] out0_V_TDATA
);
    reg [7:0] memory [0:3];
    initial $readmemh(INIT_FILE, memory);
    initial $readmemh({{PREFIX, "threshs_0_0.dat"}}, memory);
    assign out0_V_TVALID = in0_V_TVALID;
    assign in0_V_TREADY = out0_V_TREADY;
    assign out0_V_TDATA = in0_V_TDATA ^ memory[0];
endmodule
"""


def make_layer(folder: Path, name: str) -> dict[str, object]:
    own = folder / f"code_gen_ipgen_{name}_abcd1234"
    own.mkdir(parents=True)
    (own / f"{name}.v").write_text(_LAYER.format(name=name, folder=own))
    (own / "memblock.dat").write_text("05\n06\n07\n08\n")
    (own / f"{name}_threshs_0_0.dat").write_text("01\n02\n03\n04\n")
    (folder / "common.sv").write_text("module common; endmodule\n")
    return {
        "name": name,
        "module": name,
        "sources": [str(folder / "common.sv"), str(own / f"{name}.v")],
        "data": [str(own / "memblock.dat"), str(own / f"{name}_threshs_0_0.dat")],
        "folder": str(own),
    }


def make_child(path: Path, names: list[str]) -> None:
    tensors = ["global_in", *[f"t{index}" for index in range(len(names) - 1)], "global_out"]
    nodes = [
        helper.make_node(
            "StreamingFIFO_rtl",
            [tensors[index]],
            [tensors[index + 1]],
            name,
            domain="finn.custom_op.fpgadataflow.rtl",
            backend="fpgadataflow",
            folded_shape=[1, 4, 2],
            normal_shape=[1, 8],
            dataType="UINT4",
            ip_path="/dead/finn_dev_user/code",  # what FINN leaves there
        )
        for index, name in enumerate(names)
    ]
    ends = [
        helper.make_tensor_value_info(end, TensorProto.FLOAT, [1, 8]) for end in (tensors[0], tensors[-1])
    ]
    onnx.save(helper.make_model(helper.make_graph(nodes, "child", ends[:1], ends[1:])), path)


def package(folder: Path, target: Path) -> Path:
    names = ["P0_first", "P0_second"]
    make_child_path = folder / "partition_0.onnx"
    instances = [make_layer(folder, name) for name in names]
    make_child(make_child_path, names)
    description = {
        "name": "P0",
        "model": str(make_child_path),
        "part": "xczu7ev-ffvc1156-2-e",
        "instances": instances,
        "streams": [
            {"bits": 8, "driver": ["", 0], "sink": ["P0_first", "in0_V"]},
            {"bits": 8, "driver": ["P0_first", "out0_V"], "sink": ["P0_second", "in0_V"]},
            {"bits": 8, "driver": ["P0_second", "out0_V"], "sink": ["", 0]},
        ],
        "axilite": [
            {"instance": "P0_first", "addr_bits": 4, "exposed": False},
            {"instance": "P0_second", "addr_bits": 4, "exposed": True},
        ],
    }
    package_partition(description, target / "P0")
    return target / "P0"


def test_a_packaged_partition_is_read_back(tmp_path: Path) -> None:
    folder = package(tmp_path / "finn", tmp_path / "build")
    network = read_network(tmp_path / "build", ())
    (part,) = network.partitions
    assert (part.name, part.part) == ("P0", "xczu7ev-ffvc1156-2-e")
    assert [(port.name, port.folded_shape, port.tdata_bits) for port in part.streams] == [
        ("s_axis_0", (1, 4, 2), 8),
        ("m_axis_0", (1, 4, 2), 8),
    ]
    assert [(port.name, port.addr_bits) for port in part.axilite] == [("s_axilite_0", 4)]
    data = [file for file in part.sources if file.kind == "data"]
    assert sorted({network.files[file.sha256] for file in data}) == [b"01\n02\n03\n04\n", b"05\n06\n07\n08\n"]
    listed = (folder / "stitched_ip" / "all_verilog_srcs.txt").read_text().splitlines()
    assert all((folder / line).is_file() for line in listed)
    metadata = {entry.key: entry.value for entry in onnx.load(folder / "P0.onnx").metadata_props}
    assert metadata["vivado_stitch_vlnv"] == "xilinx_finn:finn:P0:1.0"
    assert json.loads(metadata["vivado_stitch_ifnames"])["axilite"] == ["s_axilite_0"]
    assert (folder / metadata["wrapper_filename"]).is_file()


def test_nothing_in_the_package_tells_where_it_was_made(tmp_path: Path) -> None:
    one, two = (package(tmp_path / where / "finn", tmp_path / where / "build") for where in ("a", "bb"))
    files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(two) for path in two.rglob("*") if path.is_file())
    for path in files:
        assert (one / path).read_bytes() == (two / path).read_bytes()
        assert b"/dead" not in (one / path).read_bytes()
        assert os.fsencode(tmp_path) not in (one / path).read_bytes()


def test_the_netlist_passes_data_through_its_layers(tmp_path: Path) -> None:
    folder = package(tmp_path / "finn", tmp_path / "build")
    bench = """`timescale 1ns/1ps
module bench;
    wire [7:0] data; wire valid, ready;
    P0_wrapper dut (.ap_clk(1'b0), .ap_rst_n(1'b1), .s_axis_0_tdata(8'h3c), .s_axis_0_tvalid(1'b1),
        .s_axis_0_tready(ready), .m_axis_0_tdata(data), .m_axis_0_tvalid(valid), .m_axis_0_tready(1'b1));
    initial #1 $display("%h %b %b", data, valid, ready);
endmodule
"""
    (tmp_path / "bench.v").write_text(bench)
    for path in (folder / "stitched_ip" / "ip" / "src").glob("*.dat"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    listed = (folder / "stitched_ip" / "all_verilog_srcs.txt").read_text().splitlines()
    icarus = find_icarus()
    sources = [str(folder / line) for line in listed]
    command = [str(icarus.compiler), "-g2012", "-s", "bench", "-o", "bench.vvp", "bench.v", *sources]
    subprocess.run(command, cwd=tmp_path, check=True)
    command = [str(icarus.runtime), "bench.vvp"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "3c 1 1", "each layer inverts the same bits, so that they cancel"


def test_the_parent_names_its_children_beside_it(tmp_path: Path) -> None:
    node = helper.make_node("StreamingDataflowPartition", ["i"], ["o"], "P7", model="/dead/partition_7.onnx")
    ends = [helper.make_tensor_value_info(end, TensorProto.FLOAT, [1, 8]) for end in ("i", "o")]
    onnx.save(
        helper.make_model(helper.make_graph([node], "parent", ends[:1], ends[1:])), tmp_path / "in.onnx"
    )
    write_parent(tmp_path / "in.onnx", tmp_path / "out.onnx")
    assert onnx.load(tmp_path / "out.onnx").graph.node[0].attribute[0].s == b"P7/P7.onnx"
