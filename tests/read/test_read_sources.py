# SPDX-License-Identifier: BSD-3-Clause
"""Sources and data files: found wherever they went, each once, in an order a compiler can read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from read.build_fixture import DEAD, Build, child, put, save, write_stitched
from read.contents_fixture import placed
from read.network_fixture import problems_of, texts

from shellgen.read import read_network
from shellgen.read.blackbox import black_box, find_netlists
from shellgen.read.sources import Source
from shellgen.read.tree import node_of_folder
from shellgen.read.verilog import Verilog


def test_a_source_that_nobody_has(tmp_path: Path) -> None:
    ip = write_stitched(tmp_path / "conv", Build())
    lost = next(ip.rglob("memstream.v"))
    lost.unlink()
    (problem,) = problems_of(ip)
    line = (
        (ip / "all_verilog_srcs.txt")
        .read_text()
        .splitlines()
        .index(
            next(
                entry
                for entry in (ip / "all_verilog_srcs.txt").read_text().splitlines()
                if "memstream.v" in entry
            )
        )
    )
    assert f"all_verilog_srcs.txt:{line + 1}: {DEAD}" in problem
    assert "memstream.v is nowhere in this build" in problem
    assert "Copy memstream.v into" in problem


def test_an_incomplete_clone_is_one_line(tmp_path: Path) -> None:
    extra = {f"ipshared/5e6f/hdl/m{index}.v": f"module m{index};\nendmodule\n" for index in range(9)}
    ip = write_stitched(tmp_path / "conv", Build(extra=extra))
    for path in [path for path in ip.rglob("*") if "ipshared" in path.parts and path.is_file()]:
        path.unlink()
    next(ip.rglob("finn_design_MVAU_rtl_0_0.v")).unlink()
    (problem,) = problems_of(ip)
    assert "14 of the 16 files that it lists are missing: 13 of ipshared/, 1 of" in problem
    assert "the first is finn_design_MVAU_rtl_0_0.v in line 1" in problem
    assert problem.count(str(ip)) == 1


def test_a_source_of_another_run_is_not_taken(tmp_path: Path) -> None:
    """Both runs call the wrapper of a layer alike; eight characters of a folder tell them apart."""
    ip = write_stitched(tmp_path / "conv", Build(layout="flat"))
    lost = next(ip.rglob("finn_design_MVAU_rtl_0_0.v"))
    put(tmp_path / "code_gen_ipgen_MVAU_rtl_0_otherrun" / lost.name, lost.read_bytes())
    lost.unlink()
    (problem,) = problems_of(ip)
    assert "finn_design_MVAU_rtl_0_0.v is nowhere in this build" in problem


def test_a_flat_copy_with_modules_that_nothing_uses(tmp_path: Path) -> None:
    """HLS leaves monitors for its own simulation; only the design has streams on both sides."""
    ports = "input ap_clk, input ap_rst_n, input [7:0] s_axis_0_tdata, input s_axis_0_tvalid,"
    ports += "output s_axis_0_tready, output [7:0] m_axis_0_tdata, output m_axis_0_tvalid,"
    ports += "input m_axis_0_tready"
    put(tmp_path / "net/finn_design.v", f"module finn_design({ports});\n leaf u();\nendmodule\n")
    put(tmp_path / "net/leaf.v", "module leaf;\nendmodule\n")
    put(tmp_path / "net/monitor.v", "module MVAU_hls_0_hls_deadlock_idx0_monitor(input clock);\nendmodule\n")
    (part,) = read_network(tmp_path / "net").partitions
    assert part.top == "finn_design"
    put(tmp_path / "net/twin.v", f"module another({ports});\nendmodule\n")
    assert read_network(tmp_path / "net").partitions[0].top == "finn_design"


@pytest.mark.parametrize("tells", [True, False])
def test_a_lost_rom_of_hls_is_noise_as_lost_weights_are(
    tmp_path: Path, tells: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """FINN's HLS keeps thresholds in ROMs; one whose size nobody knows cannot be simulated."""
    size = (
        "parameter DataWidth = 6;\nparameter AddressWidth = 2;\nparameter AddressRange = 4;\n"
        if tells
        else ""
    )
    folder = f"{DEAD}/code_gen_ipgen_MVAU_hls_1_gzdibb17/project_MVAU_hls_1/sol1/impl/ip/hdl/verilog"
    rom = f"module rom(input clk);\n{size}reg [5:0] rom0[0:3];\n"
    rom += (
        f'initial begin\n $readmemh("{folder}/MVAU_hls_1_threshs_0_ROM_AUTO_1R.dat", rom0);\nend\nendmodule\n'
    )
    used = "module Q_srl(input clock);\n rom r(.clk(clock));\nendmodule\n"
    ip = write_stitched(tmp_path / "conv", Build(extra={"ipshared/9a9a/rom.v": rom}))
    for path in ip.rglob("Q_srl.v"):
        put(path, used)
    if not tells:
        (problem,) = problems_of(ip)
        assert "MVAU_hls_1_threshs_0_ROM_AUTO_1R.dat, which is nowhere in the build" in problem
        return
    network = read_network(ip)
    assert network.partitions[0].lost_weights == ("MVAU_hls_1",)
    assert "the weights of MVAU_hls_1 are lost" in caplog.text
    (data,) = [entry for entry in network.partitions[0].sources if "ROM_AUTO_1R.dat" in entry.name]
    assert len(network.files[data.sha256].split()) == 4


def test_a_source_of_another_language(tmp_path: Path) -> None:
    ip = write_stitched(tmp_path / "conv", Build())
    path = ip / "all_verilog_srcs.txt"
    put(path, path.read_text() + f"{DEAD}/x.vhd\n")
    (problem,) = problems_of(ip)
    assert "x.vhd is not Verilog" in problem


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("`ifdef NEVER\n", "missing `endif"),
        ("`endif\n", "unexpected conditional directive"),
        ("/* open\n", "block comment unclosed"),
    ],
)
def test_a_source_that_leaves_something_open(end: str, said: str, tmp_path: Path) -> None:
    """The files after it would be read differently, and an error would name one of those."""
    ip = write_stitched(tmp_path / "conv", Build())
    path = next(ip.rglob("memstream.v"))
    put(path, path.read_text() + end)
    (problem,) = problems_of(ip)
    assert re.match(rf"{re.escape(str(path))}:\d+: {re.escape(said)}", problem)
    assert "the files after it would be read wrongly" in problem


def test_a_file_that_moved_to_another_folder_of_the_build(tmp_path: Path) -> None:
    ip = write_stitched(tmp_path / "conv", Build())
    lost = next(ip.rglob("memstream.v"))
    put(ip / "elsewhere" / "memstream.v", lost.read_bytes())
    lost.unlink()
    assert "memstream.v" in texts(read_network(ip))


def test_without_list_the_component_names_the_files(tmp_path: Path) -> None:
    ip = write_stitched(tmp_path / "conv", Build(listed=False))
    assert set(texts(read_network(ip))) == set(
        texts(read_network(write_stitched(tmp_path / "x/conv", Build())))
    )


def test_a_bare_top_with_its_files_in_one_folder(tmp_path: Path) -> None:
    """The reading of last resort: no list, no component, no ONNX."""
    ports = (
        "input wire ap_clk, input wire ap_rst_n, input wire [7:0] s_axis_0_tdata, input wire s_axis_0_tvalid,"
    )
    ports += "output wire s_axis_0_tready, output wire [W-1:0] m_axis_0_tdata, output wire m_axis_0_tvalid,"
    ports += "input wire m_axis_0_tready"
    put(
        tmp_path / "net/top.sv",
        f"module net_top #(parameter int unsigned W = 3 * 8) ({ports});\n leaf u();\nendmodule\n",
    )
    put(tmp_path / "net/leaf.v", "module leaf;\nendmodule\n")
    (part,) = read_network(tmp_path / "net").partitions
    assert part.top == "net_top"
    assert [(port.name, port.tdata_bits) for port in part.streams] == [("s_axis_0", 8), ("m_axis_0", 24)]


def test_a_header_with_two_contents(tmp_path: Path) -> None:
    extra = {"ipshared/5e6f/hdl/infra.vh": "`define INFRA_W 5\n"}
    (problem,) = problems_of(write_stitched(tmp_path / "conv", Build(extra=extra)))
    assert "header infra.vh is defined differently" in problem


def test_two_modules_in_files_of_one_name(tmp_path: Path) -> None:
    extra = {"x/core.v": "module core_x;\nendmodule\n", "y/core.v": "module core_y;\nendmodule\n"}
    found = texts(read_network(write_stitched(tmp_path / "conv", Build(extra=extra))))
    assert "core_x" in found["core.v"]
    assert "core_y" in found["core__2.v"]


def test_a_folder_that_lacks_its_top(tmp_path: Path) -> None:
    ip = write_stitched(tmp_path / "conv", Build())
    put(ip / "all_verilog_srcs.txt", (ip / "all_verilog_srcs.txt").read_text().splitlines()[1] + "\n")
    (problem,) = problems_of(ip)
    assert "no source defines the top module finn_design" in problem


@pytest.mark.parametrize("style", ["file", "folder", "prefix", "bare", "here"])
def test_a_data_file_that_nobody_has(tmp_path: Path, style: str) -> None:
    ip = write_stitched(tmp_path / "conv", Build(memory=style, data=False))
    (problem,) = problems_of(ip)
    assert "finn_design_MVAU_rtl_0_0.v:4: it reads the data" in problem
    assert "which is nowhere in the build" in problem


def test_weights_elsewhere_below_the_build(tmp_path: Path) -> None:
    """FINN generates layers beside its projects; they are copied anywhere, as are those of other runs."""
    ip = write_stitched(tmp_path / "build/conv", Build())
    (path,) = ip.rglob("memblock.dat")
    content = path.read_bytes()
    put(tmp_path / "build/layers/new/code_gen_ipgen_MVAU_rtl_0_otherrun/memblock.dat", "f\nf\nf\nf\n")
    put(tmp_path / "build/layers/old" / path.parent.name / path.name, content)
    path.unlink()
    network = read_network(tmp_path / "build")
    (data,) = [entry for entry in network.partitions[0].sources if entry.kind == "data"]
    assert network.files[data.sha256] == content
    assert "which is nowhere in the build" in problems_of(ip)[0]


def test_another_layers_memblock_is_not_taken(tmp_path: Path) -> None:
    """All layers call it memblock.dat; with one copy left, only its own layer may have it."""
    ip = write_stitched(tmp_path / "conv", Build(data=False))
    put(ip / "code_gen_ipgen_MVAU_rtl_1_abcd_fgh/memblock.dat", "00\n")
    (problem,) = problems_of(ip)
    assert "memblock.dat, which is nowhere in the build" in problem


def test_lost_weights_of_a_folder_come_from_the_onnx(tmp_path: Path) -> None:
    build = Build(data=False, memory="folder")
    ip = write_stitched(tmp_path / "conv", build)
    save(child(build), ip / "conv.onnx")
    found = texts(read_network(ip))
    assert found["conv__MVAU_rtl_0__memblock_sim_0.dat"] == found["conv__MVAU_rtl_0__memblock_synth_0.dat"]
    assert "conv__MVAU_rtl_0__memblock_0.dat" not in found, "this revision of memstream does not read it"
    assert len(found["conv__MVAU_rtl_0__memblock_sim_0.dat"].splitlines()) == 4


@pytest.mark.parametrize(
    ("folder", "node"),
    [
        ("code_gen_ipgen_MVAU_hls_0_9tmw50rx", "MVAU_hls_0"),
        ("code_gen_ipgen_StreamingFIFO_rtl_2_0__32roo90", "StreamingFIFO_rtl_2_0"),
        ("code_gen_ipgen_MVAU_2_aat5dj0_", "MVAU_2"),
        ("MVAU_rtl_0", "MVAU_rtl_0"),
    ],
)
def test_the_node_in_a_folders_name(folder: str, node: str) -> None:
    assert node_of_folder(folder) == node


# The core has all its choices in it, beside expressions with the names of its parameters.
CORE = """module mvu_vvu_axi #(int IS_MVU, int VERSION = 1, bit FORCE_BEHAVIORAL = 0) ();
  localparam int unsigned ACT_PE = IS_MVU? 1 : 2;
  if (VERSION == 2) mvu #(.VERSION(2)) core (.clk(ACT_PE));
endmodule
"""


@pytest.mark.parametrize(
    ("parameters", "dsp"),
    [
        ("parameter IS_MVU = 1, parameter VERSION = 1, parameter FORCE_BEHAVIORAL = 0", "DSP48E1"),
        ("parameter IS_MVU = 1, parameter VERSION = 2, parameter FORCE_BEHAVIORAL = 0", "DSP48E2"),
        ("parameter IS_MVU = 0, parameter VERSION = 3, parameter FORCE_BEHAVIORAL = 0", "DSP58"),
        ("parameter IS_MVU = 1, parameter VERSION = 2, parameter FORCE_BEHAVIORAL = 1", None),
        (
            'parameter IS_MVU = 1, COMPUTE_CORE = "mvu_4sx4u_dsp48e2", FORCE_BEHAVIORAL = 0',
            "DSP48E2",
        ),
        ("parameter IS_MVU = 1, parameter VERSION = 32'd2, parameter FORCE_BEHAVIORAL = 1'b0", "DSP48E2"),
    ],
)
def test_the_dsp_slice_of_an_rtl_layer(tmp_path: Path, parameters: str, dsp: str | None) -> None:
    """FINN 0.10 names the core, later ones number the slice."""
    names = ".IS_MVU(IS_MVU), .VERSION(VERSION), .FORCE_BEHAVIORAL(FORCE_BEHAVIORAL)"
    layer = f"module MVU_7 #({parameters}) ();\n  mvu_vvu_axi #({names}) inst ();\nendmodule\n"
    assert slices(tmp_path, layer + CORE) == ([("MVU_7", dsp)] if dsp else [])


def slices(folder: Path, text: str) -> list[tuple[str, str]]:
    """Layers and slices of a partition in which this text's MVU_7 stands."""
    build = Build(extra={"a/layer.sv": text})
    ip = placed(write_stitched(folder / "conv", build), "MVU_7")
    save(child(build), ip / "conv.onnx")
    (part,) = read_network(ip).partitions
    return [(entry.layer, entry.dsp) for entry in part.dsp_layers]


WRAPPER = """module inner #(parameter VERSION = 1, parameter FORCE_BEHAVIORAL = 0) ();
  mvu_vvu_axi #(.IS_MVU(1), .VERSION(VERSION), .FORCE_BEHAVIORAL(FORCE_BEHAVIORAL)) inst ();
endmodule
"""
HLS = "module MVU_7 (); mac_DSP48_0 u_mac (.clk(1'b0)); endmodule\nmodule mac_DSP48_0 (input clk);\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("module MVU_7 (); inner #(.VERSION(2)) u_inner (); endmodule\n" + WRAPPER, "DSP48E2"),
        (
            "module MVU_7 (); inner #(.VERSION(2), .FORCE_BEHAVIORAL(1)) u_inner (); endmodule\n" + WRAPPER,
            None,
        ),
        ("module MVU_7 (); inner u_inner (); endmodule\n" + WRAPPER, "DSP48E1"),
        ("module MVU_7 (); mvu_vvu_axi #(.IS_MVU(1)) u_core (); endmodule\n", "DSP48E1"),
        (
            "module MVU_7 (); endmodule\nmodule spare (); inner #(.VERSION(3)) u (); endmodule\n" + WRAPPER,
            None,
        ),
        (HLS + "  wire [47:0] p = a * b; // DSP48E2\nendmodule\n", None),
        (HLS + "  DSP48E2 #(.AREG(1)) u_dsp (.CLK(clk));\nendmodule\n", "DSP48E2"),
        (HLS + "  DSP58 u_dsp (.CLK(clk));\nendmodule\n", "DSP58"),
        (HLS + "  generate if (V == 3) DSP58 u_dsp (.CLK(clk)); endgenerate\nendmodule\n", None),
    ],
)
def test_the_dsp_slice_is_what_the_instance_gets(tmp_path: Path, text: str, found: str | None) -> None:
    """An instance overrules its wrapper, a wrapper the library; HLS counts only if it names a slice."""
    core = CORE if "mvu_vvu_axi" in text else ""
    layers = slices(tmp_path, text + core)
    assert [slice_ for _, slice_ in layers] == ([found] if found else [])
    assert all(layer in {"MVU_7", "mac_DSP48_0", "mvu_vvu_axi", "inner"} for layer, _ in layers)


@pytest.mark.parametrize(("body", "black"), [("assign y = x;", False), ("", True)])
def test_a_checkpoint_is_a_black_box_only_without_rtl(body: str, black: bool, tmp_path: Path) -> None:
    """FINN packages a checkpoint of the same name beside its RTL, for Vitis."""
    (tmp_path / "dcp").mkdir()
    (tmp_path / "dcp" / "top.dcp").write_bytes(b"PK")
    text = f"module top (input wire x, output wire y);\n{body}\nendmodule\n"
    sources = (Source(tmp_path / "top.v", "verilog", Verilog(text), "list"),) if body else ()
    found = find_netlists(tmp_path, ["src/top.v", "dcp/top.dcp"], sources)
    assert [path.name for path in found] == (["top.dcp"] if black else [])
    assert (black_box(sources, found, "top") == "top.dcp is a netlist") == black
