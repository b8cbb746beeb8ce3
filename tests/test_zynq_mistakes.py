# SPDX-License-Identifier: BSD-3-Clause
"""One mistake in a script or in the core, and a check must say so: by the rule that is about it."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import pytest
from vivado_session import Vivado, run_script, texts
from zynq_project import node_plan, write_project

from shellgen.model import Plan

_KEPT = TemporaryDirectory(prefix="shellgen_nodes_")  # removed at exit


@cache
def _made(board: str, double_clock: bool) -> tuple[Plan, Path]:
    """Write each node once."""
    plan, network = node_plan(board, "1rx_1tx", double_clock)
    folder = Path(mkdtemp(dir=_KEPT.name))
    write_project(plan, network, folder)
    return plan, folder


def build_with(
    folder: Path, file: str, old: str, new: str, board: str = "zedboard", double_clock: bool = False
) -> str:
    """Check a node after one replacement in one file; return what is said."""
    plan, made = _made(board, double_clock)
    shutil.copytree(made, folder, dirs_exist_ok=True)
    node = folder / plan.nodes[0].name
    path = node / file
    text = path.read_text()
    assert old in text, f"{file} has no {old!r}"
    path.write_text(text.replace(old, new, 1))
    vivado = Vivado("2022.2" if board == "zedboard" else "2024.2")
    run_script(vivado, node / "vivado" / "build.tcl")
    return texts(vivado.said(plan))


# What is replaced in vivado/bd.tcl, by what, and what the model must say.
MISTAKES = {
    "DMA clock forgotten": ("    axi_dma_0/m_axi_mm2s_aclk\n", "", "clock-not-driven: BD 41-758"),
    "core reset forgotten": ("    core_0/aresetn\n", "", "reset-not-driven: BD 41-759 /core_0/aresetn"),
    "interconnect port without reset": (
        "    lite_interconnect/M01_ARESETN\n",
        "",
        "/lite_interconnect/M01_ARESETN: nothing drives",
    ),
    "PS port without clock": (
        "    zynq_ps/S_AXI_HP0_ACLK\n",
        "",
        "clock-not-driven: BD 41-758 /zynq_ps/S_AXI_HP0_ACLK",
    ),
    "parameter misspelt": (
        "CONFIG.c_sg_length_width",
        "CONFIG.c_sg_lenght_width",
        "parameter-unknown: BD 41-1276",
    ),
    "parameter of hls4ml": (
        "CONFIG.c_s_axis_s2mm_tdata",
        "CONFIG.c_s_axis_s2mm_data",
        "parameter-unknown: BD 41-1276",
    ),
    "value out of range": (
        "CONFIG.c_sg_length_width 26",
        "CONFIG.c_sg_length_width 27",
        "parameter-range: IP_Flow 19-3461",
    ),
    "scatter-gather left on": (
        "CONFIG.c_include_sg 0",
        "CONFIG.c_include_sg 1",
        "clock-not-driven: BD 41-758 /axi_dma_0/m_axi_sg_aclk",
    ),
    "width left to propagation": (
        "{c_s_axis_s2mm_tdata_width c_m_axi_s2mm_data_width}",
        "{}",
        "parameter-derived: BD 41-737",
    ),
    "registers unassigned": (
        "shellgen::place zynq_ps/Data axi_dma_0/S_AXI_LITE/* 0x60000000 0x00010000\n",
        "",
        "address-unassigned: BD 41-1356",
    ),
    "DDR unassigned": (
        "shellgen::place axi_dma_0/Data_S2MM zynq_ps/S_AXI_HP0/HP0_DDR_LOWOCM 0x00000000 0x20000000\n",
        "",
        "address-unassigned: BD 41-1356",
    ),
    "not aligned": ("S_AXI_LITE/* 0x60000000", "S_AXI_LITE/* 0x60001000", "address-alignment: BD 41-1075"),
    "overlap": ("S_AXI_LITE/* 0x60000000", "S_AXI_LITE/* 0x40000000", "address-overlap: BD 41-1075"),
    "outside the window": (
        "S_AXI_LITE/* 0x60000000",
        "S_AXI_LITE/* 0x80000000",
        "address-aperture: BD 41-1075",
    ),
    "more DDR than there is": (
        "LOWOCM 0x00000000 0x20000000",
        "LOWOCM 0x00000000 0x40000000",
        "plan-memory: ",
    ),
    "range below the slave": ("0x40000000 0x00002000", "0x40000000 0x00001000", "plan-registers: "),
    "bracket missing": ("$space] $segment -force", "$space $segment -force", "missing close-bracket"),
    "too many ports": (
        "CONFIG.NUM_MI 3",
        "CONFIG.NUM_MI 4",
        "clock-not-driven: BD 41-758 /lite_interconnect/M03_ACLK",
    ),
    "too few ports": ("CONFIG.NUM_MI 3", "CONFIG.NUM_MI 2", "address-path: BD 41-1075"),
    "two masters": (
        "shellgen::bus axi_dma_0/M_AXIS_MM2S core_0/s_axis_0",
        "shellgen::bus axi_dma_0/M_AXIS_MM2S core_0/m_axis_0",
        "bus-twice: ",
    ),
    "stream to memory port": (
        "shellgen::bus axi_dma_0/M_AXIS_MM2S core_0/s_axis_0",
        "shellgen::bus axi_dma_0/M_AXIS_MM2S memory_interconnect/S00_AXI",
        "bus-kinds: ",
    ),
    "bus forgotten": ("shellgen::bus core_0/m_axis_0 axi_dma_0/S_AXIS_S2MM\n", "", "bus-not-connected: "),
    "two drivers": ("/peripheral_aresetn {", "/peripheral_aresetn {\n core_0/aclk", "/aclk"),
    "wrong polarity": ("_0/interconnect_aresetn", "_0/bus_struct_reset", "bus_struct_reset"),
    "clock on a reset": (
        "    axi_dma_0/axi_resetn\n",
        "}\nshellgen::wire zynq_ps/FCLK_CLK0 {axi_dma_0/axi_resetn\n",
        "driver-kind: BD 41-1731",
    ),
    "DDR not external": ('make_external "FIXED_IO, DDR"', 'make_external "FIXED_IO"', "ps-external: "),
    "stream widths differ": (
        "axis_mm2s_tdata_width 32",
        "axis_mm2s_tdata_width 64",
        "stream-width: BD 41-237",
    ),
    "no such memory width": (
        "axi_mm2s_data_width 64",
        "axi_mm2s_data_width 16",
        "parameter-range: IP_Flow 19-3461",
    ),
    "pin of a feature that is off": (
        "# ---- buses",
        "shellgen::wire clk_wiz_0/locked proc_sys_reset_0/dcm_locked\n#",
        "expected one pin",
    ),
    "interrupt forgotten": ("    xlconcat_0/In1\n", "", "interrupt-open: "),
    "fewer interrupts than there are": ("CONFIG.NUM_PORTS 2", "CONFIG.NUM_PORTS 1", "unknown-pin: BD 41-701"),
    "interrupts as edges": ("KIND_OF_INTR 0x00000000", "KIND_OF_INTR 0xFFFFFFFF", "interrupt-edge: "),
    "kind of interrupts not owned": (
        "axi_intc {C_KIND_OF_INTR}",
        "axi_intc {}",
        "parameter-derived: BD 41-737",
    ),
    "interrupt on a bus": ("CONFIG.C_IRQ_CONNECTION 1", "CONFIG.C_IRQ_CONNECTION 0", "C_IRQ_CONNECTION"),
    "interrupts of the PS off": (
        "CONFIG.PCW_IRQ_F2P_INTR 1",
        "CONFIG.PCW_IRQ_F2P_INTR 0",
        "unknown-pin: BD 41-701",
    ),
    "controller without clock": ("    axi_intc_0/s_axi_aclk\n", "", "clock-not-driven: BD 41-758"),
    "controller not on the bus": (
        "shellgen::bus lite_interconnect/M02_AXI axi_intc_0/s_axi\n",
        "",
        "address-path: BD 41-1075",
    ),
    "wrapper of an unsaved design": ("save_bd_design\n", "", "flow-validated: "),
    "name too long": (
        "::cell lite_interconnect",
        "::cell lite_interconnect_of_the_board",
        "expected one pin",
    ),
    "no such module": ("-reference n0_core", "-reference n1_core", "module-reference: filemgmt 56-587"),
    "option misspelt": ("make_wrapper -files", "make_wrapper -fils", "unknown-option: "),
    "command of a later Tcl": (
        "create_bd_design top",
        "lmap x {1} {set x}\ncreate_bd_design top",
        "tcl-version: ",
    ),
    "release written down": ("[newest_ip $ip]", "xilinx.com:ip:$ip:3.3", "unknown-vlnv: BD 5-390"),
    "parameter without value": ("CONFIG.NUM_MI 3", "CONFIG.NUM_MI", "a name without a value"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_in_the_block_design(name: str, tmp_path: Path) -> None:
    old, new, expected = MISTAKES[name]
    said = build_with(tmp_path, "vivado/bd.tcl", old, new)
    assert expected in said, said


@pytest.mark.parametrize(
    ("parameter", "value", "said"),
    [
        (
            "C_KIND_OF_INTR",
            "0xFFFFFFFF",
            "changed C_KIND_OF_INTR of axi_intc_0 from 0x00000000 to 0xFFFFFFFF",
        ),
        ("c_s_axis_s2mm_tdata_width", "8", "changed c_s_axis_s2mm_tdata_width of axi_dma_0 from 32 to 8"),
        ("C_KIND_OF_INTR", "0x0", ""),
    ],
)
def test_what_validation_changes_is_noticed(parameter: str, value: str, said: str, tmp_path: Path) -> None:
    vivado = Vivado("2022.2", derives={parameter: value})
    node = write_project(*node_plan("zedboard", "1rx_1tx"), tmp_path)
    outcome = run_script(vivado, node / "vivado" / "build.tcl")
    assert outcome.code == bool(said)
    assert said in outcome.error


def test_axi4_needs_an_interconnect_on_the_way_to_ps7(tmp_path: Path) -> None:
    """The DMA's other channel and the interconnect are taken away, so that only the protocol is wrong."""
    node = write_project(*node_plan("zedboard", "rx_only"), tmp_path)
    script = node / "vivado" / "bd.tcl"
    lines = [line for line in script.read_text().splitlines() if "memory_interconnect" not in line]
    bus = "shellgen::bus axi_dma_0/M_AXI_MM2S zynq_ps/S_AXI_HP0\n"
    text = "\n".join(lines).replace("# ---- addresses", f"{bus}# ---- addresses")
    start = text.index("    CONFIG.NUM_SI 1\n    CONFIG.NUM_MI 1\n")
    script.write_text(text[:start] + text[text.index("}", start) + 1 :] + "\n")
    vivado = Vivado("2022.2")
    run_script(vivado, node / "vivado" / "build.tcl")
    said = texts(vivado.said())
    assert "axi-protocol: BD 41-1285" in said, said


ULTRASCALE = {
    "preset leaves a port on": ("    CONFIG.PSU__USE__M_AXI_GP1 0\n", "", "PSU__USE__M_AXI_GP1"),
    "memory port off": (
        "CONFIG.PSU__USE__S_AXI_GP2 1",
        "CONFIG.PSU__USE__S_AXI_GP2 0",
        "PSU__USE__S_AXI_GP2",
    ),
    "other segments": ("shellgen::exclude_others axi_dma_0/Data_MM2S", "list", "BD 41-1356"),
}


@pytest.mark.parametrize("name", ULTRASCALE)
def test_mistake_on_ultrascale(name: str, tmp_path: Path) -> None:
    old, new, expected = ULTRASCALE[name]
    said = build_with(tmp_path, "vivado/bd.tcl", old, new, "zcu104")
    assert expected in said, said


def test_two_clocks_of_one_stream_differ(tmp_path: Path) -> None:
    old = "    core_0/aclk\n"
    new = f"}}\nshellgen::wire clk_wiz_0/clk_out2 {{\n{old}}}\nshellgen::wire clk_wiz_0/clk_out1 {{\n"
    said = build_with(tmp_path, "vivado/bd.tcl", old, new, double_clock=True)
    assert "clock-domains: " in said, said


CORE = {
    "no TLAST": ("m_axis_0 TLAST", "m_axis_0 TUSER", "stream-last: "),
    "no TREADY": ("s_axis_0 TREADY", "s_axis_0 TRDY", "bus-signals: "),
    "interface without clock": ("s_axil:s_axis_0:m_axis_0", "s_axil:s_axis_0", "bus-clock: BD 41-967"),
    "reset active high": ("POLARITY ACTIVE_LOW", "POLARITY ACTIVE_HIGH", "reset-polarity: BD 41-238"),
}


@pytest.mark.parametrize("name", CORE)
def test_mistake_in_the_core(name: str, tmp_path: Path) -> None:
    old, new, expected = CORE[name]
    said = build_with(tmp_path, "n0_core.v", old, new)
    assert expected in said, said


BUILD = {
    "top not set": (
        "vivado/build.tcl",
        "set_property top top_wrapper [current_fileset]\n",
        "",
        "flow-top: ",
    ),
    "weights not added": (
        "vivado/bd.tcl",
        "Memory Initialization Files}",
        "Verilog}",
        "memory-file: Synth 8-4445",
    ),
    "no bitstream": (
        "vivado/build.tcl",
        "-to_step write_bitstream",
        "-to_step route",
        "flow-runs: ",
    ),
    "source missing": ("vivado/build.tcl", "rtl/shell_status.sv", "rtl/shell_state.sv", "does not exist"),
}


@pytest.mark.parametrize("name", BUILD)
def test_mistake_in_the_build(name: str, tmp_path: Path) -> None:
    file, old, new, expected = BUILD[name]
    said = build_with(tmp_path, file, old, new)
    assert expected in said, said


@pytest.mark.parametrize("run", ["synth_1", "impl_1"])
def test_a_failed_run_fails_the_build(run: str, tmp_path: Path) -> None:
    node = write_project(*node_plan("zedboard", "1rx_1tx"), tmp_path)
    vivado = Vivado("2022.2", failing_run=run)
    outcome = run_script(vivado, node / "vivado" / "build.tcl")
    assert outcome.code == 1
    assert f"{run} failed" in outcome.printed[-1]


@pytest.mark.parametrize(("slack", "value"), [("WNS", "-0.001"), ("WHS", "-0.5"), ("WNS", "")])
def test_timing_that_is_not_met_fails_the_build(slack: str, value: str, tmp_path: Path) -> None:
    """The bitstream is there all the same, under a name that nobody loads by mistake."""
    node = write_project(*node_plan("zedboard", "1rx_1tx"), tmp_path)
    vivado = Vivado("2022.2", slack={"WNS": "0.3", "WHS": "0.02", slack: value})
    outcome = run_script(vivado, node / "vivado" / "build.tcl")
    assert outcome.code == 1
    assert f"timing is not met: {slack} is '{value}' ns" in outcome.printed[-1]
    assert 'set strategy = "performance"' in outcome.printed[-1]
    out = node / "vivado" / "out"
    assert not list(out.rglob("n0.*"))
    assert all((out / f"n0_timing_failed.{kind}").exists() for kind in ("bit", "hwh"))


def test_lost_weights_never_reach_a_bitstream(tmp_path: Path) -> None:
    """Their files hold noise, for simulation only."""
    plan, network = node_plan("zedboard", "1rx_1tx")
    (part,) = plan.partitions
    lost = part.model_copy(update={"lost_weights": ("MVAU_3",)})
    node = write_project(plan.model_copy(update={"partitions": (lost,)}), network, tmp_path)
    outcome = run_script(Vivado("2022.2"), node / "vivado" / "build.tcl")
    assert outcome.code == 1
    assert "the weights of MVAU_3 are lost" in outcome.error
