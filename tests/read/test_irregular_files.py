# SPDX-License-Identifier: BSD-3-Clause
"""Names, folders and files of real builds that no rule of FINN's or Vivado's would make one expect."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from read.build_fixture import Build, child, put, save, write_network, write_stitched
from read.network_fixture import problems_of, texts

from shellgen.api import generate
from shellgen.read import read_network
from shellgen.read.device import BuiltFor, built_for, frequency, read_xci
from shellgen.read.finn_onnx import Node
from shellgen.read.pins import Pin
from shellgen.read.verilog import Verilog
from shellgen.read.wrapper import ports_of_module

BD = "finn_vivado_stitch_proj.gen/sources_1/bd/finn_design"


def listed(ip: Path, *names: str) -> None:
    """Put more files on the source list, as paths of the machine that built them."""
    path = ip / "all_verilog_srcs.txt"
    first = path.read_text().splitlines()[0]
    prefix = first[: first.index("/finn_vivado_stitch_proj")]
    path.write_text(path.read_text() + "".join(f"{prefix}/{name}\n" for name in names))


def test_the_module_to_run_is_the_wrapper_and_the_component_names_the_block(tmp_path: Path) -> None:
    ip = write_stitched(tmp_path / "conv", Build())
    assert "<spirit:modelName>finn_design</spirit:modelName>" in (ip / "ip/component.xml").read_text()
    assert not list((ip / "ip").rglob("*_wrapper.v"))
    assert read_network(ip).partitions[0].top == "finn_design_wrapper"


def test_a_zynq_build_calls_its_partitions_by_number_and_its_dma_idma0_and_odma0(tmp_path: Path) -> None:
    parts = read_network(write_network(tmp_path, 2, dma=True)).partitions
    assert [(part.name, part.top) for part in parts] == [
        (f"StreamingDataflowPartition_{index}", f"StreamingDataflowPartition_{index}_wrapper")
        for index in range(2)
    ]


def test_an_instance_has_two_files_of_one_module_in_synth_and_in_sim_and_the_list_names_one(
    tmp_path: Path,
) -> None:
    ip = write_stitched(tmp_path / "conv", Build())
    layer = "finn_design_MVAU_rtl_0_0"
    other = f"module {layer}(input ap_clk);\n  sim_only x();\nendmodule\n"
    put(ip / BD / f"ip/{layer}/sim/{layer}.v", other)
    assert "sim_only" not in texts(read_network(ip))[f"{layer}.v"]


def test_without_a_list_the_file_for_synthesis_is_taken(tmp_path: Path) -> None:
    """An IP inside a Vivado project: synth/, sim/ and a stub define its module, and no list says which."""
    module = "module top_Partition_0(input ap_clk, input ap_rst_n, {0}, output [7:0] m_axis_0_tdata,"
    module += "output m_axis_0_tvalid, input m_axis_0_tready);\n{1}endmodule\n"
    stream = "input [7:0] s_axis_0_tdata, input s_axis_0_tvalid, output s_axis_0_tready"
    ip = tmp_path / "top_Partition_0"
    put(ip / "synth/top_Partition_0.v", module.format(stream, "  core x();\n"))
    put(ip / "sim/top_Partition_0.v", module.format(stream, "  sim_only y();\n"))
    put(ip / "ip/hls/unused.v", "module hls_unused(input x);\nendmodule\n")
    put(ip / "top_Partition_0_stub.v", "(* black_box *)\n" + module.format(stream, ""))
    network = read_network(ip)
    (part,) = network.partitions
    assert sorted(texts(network)) == ["top_Partition_0.v", "unused.v"]
    assert "core x();" in texts(network)["top_Partition_0.v"]
    assert (part.top, part.black_box) == ("top_Partition_0", None)
    assert [entry.module for entry in part.missing] == ["core"]


def test_what_ips_of_a_project_share_is_read_by_the_list_beside_them(tmp_path: Path) -> None:
    """The packaged module lies in ipshared/, twice, and nothing else that the list names outside is read."""
    ports = "input ap_clk, input ap_rst_n, input [7:0] s_axis_0_tdata, input s_axis_0_tvalid,"
    ports += "output s_axis_0_tready, output [7:0] m_axis_0_tdata, output m_axis_0_tvalid,"
    ports += "input m_axis_0_tready"
    ip, shared = tmp_path / "bd/top/ip/top_P_0", tmp_path / "bd/top/ipshared/1a2b"
    put(ip / "synth/top_P_0.v", f"module top_P_0({ports});\n  core x();\nendmodule\n")
    put(ip / "top_P_0_stub.v", f"(* black_box *)\nmodule top_P_0({ports});\nendmodule\n")
    put(shared / "src/core.v", "module core;\n  wire for_synthesis;\nendmodule\n")
    put(shared / "sim/core.v", "module core;\n  wire for_simulation;\nendmodule\n")
    put(shared / "src/unlisted.v", "module unlisted;\nendmodule\n")
    put(tmp_path / "bd/secret.v", "module secret;\nendmodule\n")
    names = ["synth/top_P_0.v", "../../ipshared/1a2b/sim/core.v", "../../ipshared/1a2b/src/core.v"]
    (shared / "src/link.v").symlink_to(tmp_path / "bd/secret.v")
    names += ["../../ipshared/1a2b/src/lost.v", "../../ipshared/1a2b/src/link.v"]
    names += ["../../ipshared/../../secret.v", str(tmp_path / "bd/secret.v")]
    listed = "".join(f"<file><name>{name}</name></file>" for name in names)
    put(ip / "top_P_0.xml", f"<component><fileSets><fileSet>{listed}</fileSet></fileSets></component>")
    network = read_network(ip)
    assert sorted(texts(network)) == ["core.v", "top_P_0.v"]
    assert "for_synthesis" in texts(network)["core.v"]
    assert network.partitions[0].missing == ()

    put(ip / "top_P_0.xml", "<component>")
    assert [entry.module for entry in read_network(ip).partitions[0].missing] == ["core"]


@pytest.mark.parametrize(
    ("operator", "op"),
    [
        ("StreamingFCLayer_Batch", "MVAU"),
        ("MatrixVectorActivation", "MVAU"),
        ("MVAU_hls", "MVAU"),
        ("MVAU_rtl", "MVAU"),
        ("Vector_Vector_Activate_Batch", "VVAU"),
        ("ConvolutionInputGenerator1D", "ConvolutionInputGenerator"),
        ("ConvolutionInputGenerator_rtl", "ConvolutionInputGenerator"),
        ("Thresholding_Batch", "Thresholding"),
        ("StreamingDataWidthConverter_Batch", "StreamingDataWidthConverter"),
        ("StreamingFIFO_rtl", "StreamingFIFO"),
    ],
)
@pytest.mark.parametrize("domain", ["", ".hls", ".rtl"])
def test_an_operator_is_called_otherwise_by_every_age_of_finn(operator: str, op: str, domain: str) -> None:
    made = Node(operator, f"{operator}_0", f"finn.custom_op.fpgadataflow{domain}", (), (), {})
    assert (made.op, made.is_hardware) == (op, True)


def test_a_node_has_the_partition_in_its_name_and_its_folder_has_not(tmp_path: Path) -> None:
    """kernel_partitions: StreamingDataflowPartition_1_MVAU_rtl_0 was built in code_gen_ipgen_MVAU_rtl_0_*."""
    build = Build(data=False)
    ip = write_stitched(tmp_path / "conv", build)
    model = child(build)
    for entry in model.graph.node:
        entry.name = f"StreamingDataflowPartition_1_{entry.name}"
    save(model, ip / "conv.onnx")
    network = read_network(ip)
    (lite,) = network.partitions[0].axilite
    assert lite.memory is not None
    assert lite.memory.layer == "StreamingDataflowPartition_1_MVAU_rtl_0"
    assert "conv__MVAU_rtl_0__memblock.dat" in texts(network), (
        "the weights of that node, which the folder lost"
    )


def test_duplicate_modules_with_equal_content_and_lines_that_repeat(tmp_path: Path) -> None:
    extra = {
        f"ipshared/{copy}a/hdl/regslice_core.v": f"// copy {copy}\nmodule regslice_core;\nendmodule\n"
        for copy in range(16)
    }
    ip = write_stitched(tmp_path / "conv", Build(extra=extra))
    lines = (ip / "all_verilog_srcs.txt").read_text()
    (ip / "all_verilog_srcs.txt").write_text(lines + lines)
    names = [entry.name for entry in read_network(ip).partitions[0].sources]
    assert names.count("regslice_core.v") == names.count("Q_srl.v") == 1
    assert len(set(names)) == len(names)


def test_a_module_that_two_files_define_differently(tmp_path: Path) -> None:
    extra = {"ipshared/5e6f/hdl/Q_srl.v": "module Q_srl(input clock, input other);\nendmodule\n"}
    (problem,) = problems_of(write_stitched(tmp_path / "conv", Build(extra=extra)))
    assert "module Q_srl is defined differently" in problem
    assert "5e6f" in problem


def test_packages_come_before_their_users_whatever_the_list_says(tmp_path: Path) -> None:
    extra = {
        "a_user.sv": "module a_user import swg::*; (input x);\n  other::t v;\nendmodule\n",
        "b_other.sv": "package other; import swg::*; typedef int t;\nendpackage\n",
        "c_swg_pkg.sv": "package swg;\n  typedef int s;\nendpackage\n",
    }
    order = list(texts(read_network(write_stitched(tmp_path / "conv", Build(extra=extra)))))
    assert order.index("c_swg_pkg.sv") < order.index("b_other.sv") < order.index("a_user.sv")


def test_stray_files_that_the_list_does_not_name(tmp_path: Path) -> None:
    ip = write_stitched(tmp_path / "conv", Build())
    before = read_network(ip)
    layer = "module finn_design_MVAU_rtl_0_0(input other);\nendmodule\n"
    for name in ("test_for_finn.v", "Untitled 4", "finn.xdc", "vivado_12.backup.jou", "vivado_pid3.str"):
        put(ip / name, layer)
    for name in ("runs/synth_1/a.v", "sim/sim_1/b.sv", "ip_user_files/c.v", "cache/d.vh"):
        put(ip / f"finn_vivado_stitch_proj.{name}", layer)
    after = read_network(ip)
    assert (after.partitions, after.files) == (before.partitions, before.files)


def test_folders_with_a_plus_and_spaces_in_their_names(tmp_path: Path) -> None:
    build = Build()
    home = tmp_path / "my net+more (2)"
    save(child(build), write_stitched(home / "build +" / "conv 1", build) / "conv 1.onnx")
    put(
        home / "cluster.toml",
        'build = "build +"\n[[node]]\nname = "zed"\nboard = "zedboard"\npartitions = [0]\n',
    )
    plan, _ = generate(home / "cluster.toml", home / "out +")
    assert [partition.name for partition in plan.partitions] == ["conv_1"]
    assert (home / "out +" / "zed" / "partition" / "finn_design_wrapper.v").is_file()


def test_a_thousand_sources_and_more(tmp_path: Path) -> None:
    """HLS writes some 25 files a layer; each is read once, and none is lost or taken twice."""
    extra = {
        f"ip/layer_{n // 25}/hdl/verilog/layer_{n // 25}_part_{n % 25}.v": (
            f"module layer_{n // 25}_part_{n % 25}(input x);\nendmodule\n"
        )
        for n in range(1300)
    }
    names = list(texts(read_network(write_stitched(tmp_path / "conv", Build(extra=extra)))))
    assert len(names) == len(set(names)) > 1300


# ---- .xci, .bd and frequencies -----------------------------------------------------------------------------
VALUE = " <spirit:configurableElementValue spirit:referenceId='{}'>{}</spirit:configurableElementValue>\n"
OLD = {"DEVICE": "xc7z020", "PACKAGE": "clg400", "SPEEDGRADE": "-1", "TEMPERATURE_GRADE": ""}
PROJECT = {"DEVICE": "xczu7ev", "PACKAGE": "ffvc1156", "SPEEDGRADE": "-2", "TEMPERATURE_GRADE": "E"}


def xci_xml(clock: str) -> str:
    """An .xci up to Vivado 2022.1."""
    values = [VALUE.format("BUSIFPARAM_VALUE.AP_CLK.FREQ_HZ", clock)]
    values += [VALUE.format(f"PROJECT_PARAM.{name}", value) for name, value in OLD.items()]
    scheme = "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"
    return (
        f'<?xml version="1.0"?>\n<spirit:design xmlns:spirit="{scheme}">\n{"".join(values)}</spirit:design>\n'
    )


def xci_json(clock: str) -> str:
    """An .xci of Vivado 2022.2."""
    parameters = {"project_parameters": {name: [{"value": value}] for name, value in PROJECT.items()}}
    interfaces = {
        "in0_V": {"parameters": {"FREQ_HZ": [{"value": "1"}]}},
        "ap_clk": {"parameters": {"FREQ_HZ": [{"value": clock}]} if clock else {}},
    }
    return json.dumps({"ip_inst": {"parameters": parameters, "boundary": {"interfaces": interfaces}}})


@pytest.mark.parametrize(
    ("written", "hertz"),
    [("100000000.000000", 100_000_000), ("100000000", 100_000_000), ("83333333", 83_333_333), ("", None)],
)
def test_an_xci_is_xml_or_json_and_writes_its_frequency_in_four_ways(
    tmp_path: Path, written: str, hertz: int | None
) -> None:
    assert frequency(written) == hertz
    found = read_xci(put(tmp_path / "old.xci", xci_xml(written)))
    assert found == BuiltFor("xc7z020clg400-1", None, hertz)
    found = read_xci(put(tmp_path / "new.xci", xci_json(written)))
    assert found == BuiltFor("xczu7ev-ffvc1156-2-e", None, hertz)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"ip_inst": 3}', "<a", "<a/>", "\x00\xff"])
def test_an_xci_that_is_neither_tells_nothing(tmp_path: Path, content: str) -> None:
    assert read_xci(put(tmp_path / "x.xci", content)) == BuiltFor()


def test_a_block_design_is_json_and_tells_part_vivado_and_clock(tmp_path: Path) -> None:
    ip = write_stitched(tmp_path / "conv", Build())
    path = "finn_vivado_stitch_proj.srcs/sources_1/bd/finn_design/{}"
    put(ip / path.format("ip/finn_design_MVAU_rtl_0_0/finn_design_MVAU_rtl_0_0.xci"), xci_json("83333333"))
    assert built_for(ip) == BuiltFor("xczu7ev-ffvc1156-2-e", None, 83_333_333)
    put(ip / path.format("finn_design.bd"), "<?xml version='1.0'?><old/>")
    assert built_for(ip) == BuiltFor("xczu7ev-ffvc1156-2-e", None, 83_333_333)
    info = {"device": "xc7z020clg484-1", "tool_version": "2020.1.1"}
    ports = {"ap_clk": {"parameters": {"FREQ_HZ": {"value": "100000000.000000"}}}}
    put(ip / path.format("finn_design.bd"), json.dumps({"design": {"design_info": info, "ports": ports}}))
    assert built_for(ip) == BuiltFor("xc7z020clg484-1", "2020.1.1", 100_000_000)


# ---- text ------------------------------------------------------------------------------------------------
VIVADO = """
(* CORE_GENERATION_INFO = "top,IP_Integrator,{x_ipVendor=a.b,
x_ipName=top // no comment }" *)
module top
   (ap_clk, data, (* keep *) valid); // ); not the end
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 CLK.AP_CLK CLK" *)
  (* X_INTERFACE_PARAMETER = "XIL_INTERFACENAME CLK.AP_CLK, FREQ_HZ 100000000,
PHASE 0.0" *) input ap_clk;
  output [63:0]data;
  output valid;
  wire [3:0] ap_not_a_port;
endmodule
"""


def test_attributes_of_vivado_with_raw_newlines_in_their_strings() -> None:
    assert ports_of_module(Verilog(VIVADO, "top.v"), "top") == (
        Pin("ap_clk", "in", 1),
        Pin("data", "out", 64),
        Pin("valid", "out", 1),
    )


@pytest.mark.parametrize(
    ("style", "literal", "data"),
    [
        ("file", '"conv__MVAU_rtl_0__memblock.dat"', ["conv__MVAU_rtl_0__memblock.dat"]),
        (
            "folder",
            '"conv__MVAU_rtl_0__"',
            ["conv__MVAU_rtl_0__memblock_sim_0.dat", "conv__MVAU_rtl_0__memblock_synth_0.dat"],
        ),
        (
            "prefix",
            '"conv__MVAU_rtl_0_"',
            ["conv__MVAU_rtl_0_threshs_0_0.dat", "conv__MVAU_rtl_0_threshs_0_1.dat"],
        ),
        ("bare", '"conv__MVAU_rtl_0_rom.dat"', ["conv__MVAU_rtl_0_rom.dat"]),
        ("here", '"conv__MVAU_rtl_0_rom.dat"', ["conv__MVAU_rtl_0_rom.dat"]),
    ],
)
def test_a_data_file_is_named_absolutely_or_here_or_barely(
    tmp_path: Path, style: str, literal: str, data: list[str]
) -> None:
    found = texts(read_network(write_stitched(tmp_path / "conv", Build(memory=style))))
    assert f".INIT_FILE({literal})" in found["finn_design_MVAU_rtl_0_0.v"]
    assert [name for name in found if name.endswith(".dat")] == data
    # What a module opens for writing, or glues to a folder's name, stays as it is.
    assert '$fopen("deadlock_db.dat", "w")' in found["memstream.v"]
    assert style != "folder" or '{INIT_FILE, "memblock_sim_0.dat"}' in found["memstream.v"]
