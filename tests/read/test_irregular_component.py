# SPDX-License-Identifier: BSD-3-Clause
"""component.xml and the boundary of real stitched IPs: what is missing, renamed, of odd width, too much."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fake_network import chain, one_each, partition, plan_of
from read.build_fixture import Build, child, make_model, node, put, save, write_stitched

from shellgen.errors import InputError
from shellgen.model import OtherPort
from shellgen.plan import make_plan
from shellgen.read import read_network
from shellgen.read.component import read_component
from shellgen.read.described import memory_layer
from shellgen.read.finn_onnx import load_model
from shellgen.read.pins import Pin, is_dma
from shellgen.read.verilog import Verilog, read_text
from shellgen.read.wrapper import group_ports, read_ifnames, wrapper_boundary

MAP = r"\s*<spirit:portMap>\s*<spirit:logicalPort>\s*<spirit:name>(?:{})</spirit:name>.*?</spirit:portMap>"


def component(tmp_path: Path, build: Build | None = None) -> Path:
    return write_stitched(tmp_path / "conv", build or Build()) / "ip/component.xml"


def edit(path: Path, pattern: str, new: str) -> None:
    text, count = re.subn(pattern, new, path.read_text(), flags=re.DOTALL)
    assert count, pattern
    path.write_text(text)


def test_there_is_no_memory_map_and_the_address_width_gives_the_range(tmp_path: Path) -> None:
    path = component(tmp_path)
    assert "memoryMap" not in path.read_text()
    (lite,) = read_network(path.parent.parent).partitions[0].axilite
    assert lite.addr_bits == 5


def test_an_axi_lite_slave_of_hls_has_no_prot(tmp_path: Path) -> None:
    """s_axilite has AWPROT and ARPROT, s_axi_control of HLS has neither."""
    path = component(tmp_path)
    edit(path, MAP.format("AWPROT|ARPROT"), "")
    edit(path, r"\s*<spirit:port>\s*<spirit:name>s_axilite_0_a[rw]prot</spirit:name>.*?</spirit:port>", "")
    (lite,) = read_network(path.parent.parent).partitions[0].axilite
    assert not {"AWPROT", "ARPROT"} & set(lite.ports)


def test_clock_and_reset_interfaces_have_dots_in_their_names(tmp_path: Path) -> None:
    found = {entry.name: entry for entry in read_component(component(tmp_path)).boundary.interfaces}
    assert found["CLK.AP_CLK"].kind == "clock"
    assert found["CLK.AP_CLK"].ports == {"CLK": "ap_clk"}
    assert found["RST.AP_RST_N"].kind == "reset"
    assert (found["s_axis_0"].kind, found["s_axis_0"].master) == ("stream", False)
    assert (found["m_axis_0"].kind, found["m_axis_0"].master) == ("stream", True)
    assert found["s_axilite_0"].kind == "lite"


def test_cells_of_hls_call_their_streams_in0_v_and_out_v() -> None:
    signals = [("TDATA", 8), ("TVALID", 1), ("TREADY", 1)]
    pins = [Pin(f"in0_V_{name}", "out" if name == "TREADY" else "in", bits) for name, bits in signals]
    pins += [Pin(f"out_V_{name}", "in" if name == "TREADY" else "out", bits) for name, bits in signals]
    found = [(entry.name, entry.kind, entry.master) for entry in group_ports(tuple(pins))]
    assert found == [("in0_V", "stream", False), ("out_V", "stream", True)]


@pytest.mark.parametrize("views", ["xilinx_implementation", "xilinx_softwaredriver", ""])
def test_views_and_file_sets_vary_and_some_only_refer_to_other_ip(tmp_path: Path, views: str) -> None:
    path = component(tmp_path)
    reference = (
        "<spirit:fileSet><spirit:name>xilinx_anylanguagesynthesis_view_fileset</spirit:name>"
        "<spirit:file><spirit:name>src/finn_design_MVAU_rtl_0_0.xci</spirit:name></spirit:file></spirit:fileSet>"
        "<spirit:fileSet><spirit:name>__ref_view_fileset</spirit:name></spirit:fileSet>"
    )
    edit(path, "</spirit:fileSets>", f"{reference}</spirit:fileSets>")
    if views:
        view = f"<spirit:view><spirit:name>{views}</spirit:name></spirit:view>"
        edit(path, "</spirit:views>", f"{view}</spirit:views>")
    assert read_network(path.parent.parent).partitions[0].top == "finn_design_wrapper"


@pytest.mark.parametrize(
    ("datatype", "per_word", "bits"),
    [("INT21", 1, 24), ("INT8", 10, 80), ("UINT8", 49, 392), ("INT3", 576, 1728), ("INT27", 1, 32)],
)
def test_widths_are_no_powers_of_two_and_words_are_padded(datatype: str, per_word: int, bits: int) -> None:
    shape = ((datatype, per_word, per_word * 2),)
    network = chain(partition("a", shape, shape))
    plan = plan_of(network, one_each(network))
    assert {port.tdata_bits for port in plan.partitions[0].streams} == {bits}
    assert {path.tdata_bits for node in plan.nodes for path in node.ends} == {bits}


AXI3 = [
    ("AWADDR", 64),
    ("AWLEN", 8),
    ("AWLOCK", 2),
    ("AWREGION", 4),
    ("AWVALID", 1),
    ("WID", 1),
    ("WDATA", 32),
]


def test_the_ports_are_believed_and_not_the_widths_of_the_metadata(tmp_path: Path) -> None:
    """odma0 of HLS: 8 or 16 bits says the ONNX, HLS makes 32; and it has leftovers of AXI3."""
    ports = [f"output [{bits - 1}:0] m_axi_gmem0_{name}" for name, bits in (*AXI3, ("WDATA", 32))]
    ports += ["input [15:0] s_axis_0_tdata", "input s_axis_0_tvalid", "output s_axis_0_tready"]
    path = put(tmp_path / "odma0.v", f"module odma0({', '.join(ports)});\nendmodule\n")
    names = (
        '{"clk": [], "rst": [], "s_axis": [["s_axis_0", 16]], "m_axis": [], "aximm": [["m_axi_gmem0", 16]]}'
    )
    found = wrapper_boundary(Verilog(read_text(path), str(path)), "odma0", read_ifnames(names, "odma0.onnx"))
    assert {pin.name: pin.bits for pin in found.pins}["m_axi_gmem0_WDATA"] == 32
    assert is_dma(found)


# ---- what a boundary can have besides one stream a side ----------------------------------------------------
def test_several_inputs_and_outputs_of_one_partition_in_the_order_of_their_numbers() -> None:
    streams = (("UINT4", 2, 16), ("INT3", 4, 8), ("UINT8", 1, 4))
    network = chain(partition("a", streams, streams))
    plan = make_plan(one_each(network), network, {"n0": plan_of(network, one_each(network)).nodes[0].board})
    ends = [str(boundary.consumer or boundary.producer) for boundary in plan.boundaries]
    assert ends == [f"a.{side}_axis_{index}" for side in "sm" for index in range(3)]


def test_plain_ports_are_tied_off_or_left_open_and_plan_says_so(tmp_path: Path) -> None:
    """maxcount of FINN's FIFOs, sim_finish and base_address of newer releases: ap_none to the packager."""
    others = (
        OtherPort(name="base_address", direction="in", bits=64),
        OtherPort(name="StreamingFIFO_0_maxcount", direction="out", bits=9),
    )
    (part,) = read_network(write_stitched(tmp_path / "conv", Build(others=others))).partitions
    assert set(part.others) == set(others)
    assert part.remarks == (
        "inputs tied to 0: base_address",
        "outputs left open: StreamingFIFO_0_maxcount",
    )


def test_tuser_and_its_like_are_ports_like_any_other(tmp_path: Path) -> None:
    path = component(tmp_path)
    user = (
        "<spirit:portMap><spirit:logicalPort><spirit:name>TUSER</spirit:name></spirit:logicalPort>"
        "<spirit:physicalPort><spirit:name>user</spirit:name></spirit:physicalPort></spirit:portMap>"
    )
    edit(path, r"(<spirit:name>s_axis_0</spirit:name>.*?)</spirit:portMaps>", rf"\1{user}</spirit:portMaps>")
    port = (
        "<spirit:port><spirit:name>user</spirit:name><spirit:wire><spirit:direction>in</spirit:direction>"
        "</spirit:wire></spirit:port>"
    )
    edit(path, "</spirit:ports>", f"{port}</spirit:ports>")
    (part,) = read_network(path.parent.parent).partitions
    assert set(part.streams[0].ports) == {"TDATA", "TVALID", "TREADY"}
    assert part.others == (OtherPort(name="user", direction="in", bits=1),)


def test_a_memory_port_is_refused_with_port_layer_and_remedy(tmp_path: Path) -> None:
    build = Build()
    path = component(tmp_path, build)
    bus = re.search(
        r"<spirit:busInterface>\s*<spirit:name>s_axilite_0.*?</spirit:busInterface>",
        path.read_text(),
        re.DOTALL,
    )
    assert bus
    path.write_text(path.read_text().replace(bus[0], bus[0].replace("<spirit:slave/>", "<spirit:master/>")))
    model = child(build)
    model.graph.node[1].attribute.append(
        node("x", [], ["x"], mem_mode="external_mem").attribute[0]  # of newer FINN
    )
    save(model, path.parent.parent / "conv.onnx")
    with pytest.raises(InputError) as caught:
        read_network(path.parent.parent)
    (problem,) = caught.value.problems
    assert "s_axilite_0: it is an AXI memory port of layer MVAU_rtl_0" in str(problem)
    assert "mem_mode internal_decoupled" in problem.remedy


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("FINNLoop", "node MVAU_rtl_0: it is a loop of FINN's (multi-layer offload)"),
        ("NodeContainer", "node MVAU_rtl_0: it holds several networks, of which one runs at a time"),
    ],
)
def test_layers_that_no_shell_can_carry(tmp_path: Path, kind: str, found: str) -> None:
    """One sentence for the layer, none for the ports that it brings."""
    build = Build()
    path = write_stitched(tmp_path / "net/conv", build) / "ip/component.xml"
    path.write_text(path.read_text().replace("<spirit:slave/>", "<spirit:master/>"))
    model = child(build)
    model.graph.node[1].op_type = kind
    save(model, path.parent.parent / "conv.onnx")
    with pytest.raises(InputError) as caught:
        read_network(path.parent.parent)
    (problem,) = caught.value.problems
    assert found in str(problem)


def test_the_layer_of_a_memory_port_by_name_and_by_place(tmp_path: Path) -> None:
    nodes = [node("IODMA_hls", ["a"], ["b"], name="IODMA_0"), node("IODMA_hls", ["b"], ["c"], name="IODMA_1")]
    model = load_model(save(make_model(nodes, {"a": (1,)}, {"c": (1,)}), tmp_path / "m.onnx"))
    assert memory_layer(model, "m_axi_IODMA_1", 0) == "IODMA_1"
    assert memory_layer(model, "m_axi_gmem0", 1) == "IODMA_1"
    assert memory_layer(model, "m_axi_gmem0", 2) is None
    assert memory_layer(None, "m_axi_gmem0", 0) is None


# ---- IP without RTL ----------------------------------------------------------------------------
PROTECTED = """`pragma protect begin_protected
`pragma protect encrypt_agent = "VIVADO"
`pragma protect data_block
bW9kdWxlIG1lbXN0cmVhbQ//*(* "
`pragma protect end_protected
"""


def test_encrypted_sources_make_a_black_box(tmp_path: Path) -> None:
    ip = write_stitched(tmp_path / "conv", Build())
    path = next(ip.rglob("memstream.v"))
    path.write_text(f"module memstream #(parameter INIT_FILE = 1) (input clock);\n{PROTECTED}")
    network = read_network(ip)
    assert network.partitions[0].black_box == "memstream.v is encrypted"
    kept = next(entry for entry in network.partitions[0].sources if entry.name == "memstream.v")
    assert PROTECTED in network.files[kept.sha256].decode()
    assert network.partitions[0].remarks == ("no simulator can run it: memstream.v is encrypted",)


def test_a_top_that_is_encrypted_altogether(tmp_path: Path) -> None:
    path = component(tmp_path, Build(wrapper=False))
    block = next(path.parent.parent.rglob("synth/finn_design.v"))
    block.write_text(PROTECTED)
    (part,) = read_network(path.parent.parent).partitions
    assert (part.top, part.black_box) == ("finn_design", "finn_design.v is encrypted")


def only_netlist(tmp_path: Path, *files: str) -> Path:
    """An IP as a catalogue has it: component.xml and these files, no RTL."""
    text = component(tmp_path / "made").read_text()
    names = "".join(f"<spirit:file><spirit:name>{name}</spirit:name></spirit:file>" for name in files)
    head, _, rest = text.partition("<spirit:fileSet>")
    rest = rest[rest.rindex("</spirit:fileSet>") :]
    text = f"{head}<spirit:fileSet><spirit:name>all</spirit:name>{names}{rest}"
    return put(tmp_path / "net/conv/component.xml", text)


STUB = """module finn_design(ap_clk) /* synthesis syn_black_box black_box_pad_pin="ap_clk" */;
input ap_clk;
endmodule
"""


def test_component_netlist_and_stub_make_a_black_box(tmp_path: Path) -> None:
    path = only_netlist(tmp_path, "finn_design.dcp", "finn_design_stub.v", "finn_design_sim_netlist.v")
    put(path.with_name("finn_design.dcp"), b"PK\x03\x04 a checkpoint")
    put(path.with_name("finn_design_stub.v"), STUB)
    put(
        path.with_name("finn_design_sim_netlist.v"),
        "module finn_design(input ap_clk);\n  FDCE x();\nendmodule\n",
    )
    network = read_network(path.parent)
    (part,) = network.partitions
    assert (part.top, part.black_box) == ("finn_design", "finn_design.dcp is a netlist")
    assert [(entry.name, entry.kind) for entry in part.sources] == [
        ("finn_design_stub.v", "verilog"),
        ("finn_design.dcp", "netlist"),
    ]
    assert network.files[part.sources[1].sha256] == b"PK\x03\x04 a checkpoint"


def test_two_netlists_of_one_module_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        path = only_netlist(tmp_path / name, "finn_design.dcp", "finn_design_stub.v")
        put(tmp_path / "both" / name / "component.xml", path.read_bytes())
        put(tmp_path / "both" / name / "finn_design.dcp", f"netlist {name}")
        put(tmp_path / "both" / name / "finn_design_stub.v", f"// {name}\n{STUB}")
    with pytest.raises(InputError) as caught:
        read_network(tmp_path / "both")
    (problem,) = caught.value.problems
    assert problem.where == "both/b"
    assert (
        "its module finn_design, in finn_design.dcp, has a name that is another partition's" in problem.found
    )


def test_a_netlist_without_stub_gets_one_from_the_component(tmp_path: Path) -> None:
    path = only_netlist(tmp_path, "finn_design.edf")
    put(path.with_name("finn_design.edf"), "(edif finn_design)")
    network = read_network(path.parent)
    (part,) = network.partitions
    assert part.black_box == "finn_design.edf is a netlist"
    stub = network.files[part.sources[0].sha256].decode()
    assert "(* black_box *)\nmodule finn_design (" in stub
    assert "input  wire [15:0] s_axis_0_tdata" in stub


def test_a_stub_whose_netlist_is_not_there(tmp_path: Path) -> None:
    path = only_netlist(tmp_path, "finn_design_stub.v")
    put(path.with_name("finn_design_stub.v"), STUB)
    (part,) = read_network(path.parent).partitions
    assert part.black_box == "finn_design_stub.v is a stub, and the netlist with its logic is not there"


def test_a_component_with_nothing_else_is_refused(tmp_path: Path) -> None:
    path = only_netlist(tmp_path)
    with pytest.raises(InputError, match="no source defines the top module"):
        read_network(path.parent)
