# SPDX-License-Identifier: BSD-3-Clause
"""Other block designs that do the same."""

from __future__ import annotations

from .values import F2OPT, LOGICTOOLS, PG021, PYNQ_BASE, UG835
from .variant import BD, Texts, variant

ACCL = "Xilinx/ACCL, kernels/cclo/tcl/control_bd.tcl"
AX7020 = (
    "alinxalinx/AX7020_2023.1, course_s2_vitis/20_ad9238_sg_dma_hdmi/Vivado/auto_create_project/pl_config.tcl"
)
ECE530 = "19sextonom/ece530lab10, Lab10p1.srcs/sources_1/bd/system/hw_handoff/system_bd.tcl"
RFSOC = "samuelkravitz/RFSOC, project_1/design_1.tcl"
PERIPHERALS = {"axi_dma_0": "data_mover", "core_0": "network", "axi_intc_0": "lines", "xlconcat_0": "gather"}
PLUMBING = {
    "lite_interconnect": "ps7_0_axi_periph",
    "memory_interconnect": "axi_mem_intercon",
    "zynq_ps": "ps7",
}


def renamed(texts: Texts, names: dict[str, str]) -> None:
    """Give cells other names wherever they stand."""
    for old, new in names.items():
        texts.sub(rf"\b{old}\b", new)


@variant("other names of peripherals", PYNQ_BASE)
def _(texts: Texts) -> None:
    renamed(texts, PERIPHERALS)
    texts.swap('INSTANCE="core_0"', 'INSTANCE="network"', "vivado/export.tcl")


@variant("the names that Vivado gives", AX7020)
def _(texts: Texts) -> None:
    renamed(texts, PLUMBING)


@variant("another name of the design", PYNQ_BASE)
def _(texts: Texts) -> None:
    for file in (BD, "vivado/build.tcl", "vivado/export.tcl"):
        texts.sub(r"\btop(?=[._]|\b(?= hw_handoff|$))(?!_of)", "system", file)


@variant("an explicit version", PYNQ_BASE, ours=True)
def _(texts: Texts) -> None:
    texts.swap("axi_dma_0 axi_dma {", "axi_dma_0 axi_dma:7.1 {")
    texts.swap(
        "-vlnv [newest_ip $ip]",
        '-vlnv [expr {[string match *:* $ip] ? "xilinx.com:ip:$ip" : [newest_ip $ip]}]',
    )


@variant(
    "no version", "Xilinx/PYNQ, boards/ip/io_switch_1.1/example_designs/debug_hw_design/design.tcl", ours=True
)
def _(texts: Texts) -> None:
    texts.swap("[newest_ip $ip]", "xilinx.com:ip:$ip")
    texts.swap("[shellgen::newest_ip processing_system7]", "xilinx.com:ip:processing_system7")


def smart(texts: Texts, *names: str) -> None:
    """Take SmartConnects: one clock, one reset."""
    for name in names:
        texts.swap(f"shellgen::cell {name} axi_interconnect", f"shellgen::cell {name} smartconnect")
        texts.cut(rf"^    {name}/[SM]\d\d_(ACLK|ARESETN)$")
        texts.swap(f"{name}/ACLK", f"{name}/aclk")
        texts.swap(f"{name}/ARESETN", f"{name}/aresetn")


@variant("a SmartConnect to memory", RFSOC)
def _(texts: Texts) -> None:
    smart(texts, "memory_interconnect")


@variant("a SmartConnect to the registers", RFSOC)
def _(texts: Texts) -> None:
    smart(texts, "lite_interconnect")


@variant("two SmartConnects, on UltraScale+", RFSOC, node="zcu104")
def _(texts: Texts) -> None:
    smart(texts, "memory_interconnect", "lite_interconnect")


@variant("inline concatenation", "pha1aris/EncDecoder, project_1/project_1.tcl", release="2024.2")
def _(texts: Texts) -> None:
    texts.swap(
        "shellgen::cell xlconcat_0 xlconcat {} {\n    CONFIG.NUM_PORTS 2\n}\n",
        "create_bd_cell -type inline_hdl -vlnv xilinx.com:inline_hdl:ilconcat:1.0 xlconcat_0\n"
        "set_property CONFIG.NUM_PORTS 2 [get_bd_cells xlconcat_0]\n",
    )


@variant("an interconnect for speed", "PG059, interconnect optimisation", ours=True)
def _(texts: Texts) -> None:
    texts.swap(
        "    CONFIG.NUM_SI 2\n",
        "    CONFIG.STRATEGY 2\n    CONFIG.S00_HAS_DATA_FIFO 2\n    CONFIG.NUM_SI 2\n",
    )


@variant("register slices in an interconnect", "PG059, register slices", ours=True)
def _(texts: Texts) -> None:
    texts.swap("    CONFIG.NUM_SI 2\n", "    CONFIG.NUM_SI 2\n    CONFIG.M00_HAS_REGSLICE 4\n")


@variant("spare interrupt inputs at 0", LOGICTOOLS)
def _(texts: Texts) -> None:
    texts.swap("CONFIG.NUM_PORTS 2", "CONFIG.NUM_PORTS 3")
    texts.before(
        "# ---- clocks",
        "shellgen::cell idle xlconstant {} {\n    CONFIG.CONST_VAL 0\n    CONFIG.CONST_WIDTH 1\n}\n"
        "shellgen::wire idle/dout xlconcat_0/In2",
    )


@variant("a FIFO in a stream", LOGICTOOLS)
def _(texts: Texts) -> None:
    texts.before(
        "# ---- clocks",
        "shellgen::cell axis_data_fifo_0 axis_data_fifo {} {\n    CONFIG.FIFO_DEPTH 1024\n}\n"
        "shellgen::wire zynq_ps/FCLK_CLK0 axis_data_fifo_0/s_axis_aclk\n"
        "shellgen::wire proc_sys_reset_0/peripheral_aresetn axis_data_fifo_0/s_axis_aresetn",
    )
    texts.swap(
        "shellgen::bus axi_dma_0/M_AXIS_MM2S core_0/s_axis_0",
        "shellgen::bus axi_dma_0/M_AXIS_MM2S axis_data_fifo_0/S_AXIS\n"
        "shellgen::bus axis_data_fifo_0/M_AXIS core_0/s_axis_0",
    )


@variant("a wider stream behind a width converter", "PG085")
def _(texts: Texts) -> None:
    texts.swap("c_m_axis_mm2s_tdata_width 32", "c_m_axis_mm2s_tdata_width 64")
    texts.before(
        "# ---- clocks",
        "shellgen::cell narrow axis_dwidth_converter {} {\n    CONFIG.M_TDATA_NUM_BYTES 4\n}\n"
        "shellgen::wire zynq_ps/FCLK_CLK0 narrow/aclk\n"
        "shellgen::wire proc_sys_reset_0/peripheral_aresetn narrow/aresetn",
    )
    texts.swap(
        "shellgen::bus axi_dma_0/M_AXIS_MM2S core_0/s_axis_0",
        "shellgen::bus axi_dma_0/M_AXIS_MM2S narrow/S_AXIS\nshellgen::bus narrow/M_AXIS core_0/s_axis_0",
    )


@variant("streams without TKEEP", "PG021, S_AXIS_S2MM")
def _(texts: Texts) -> None:
    core = "zedboard_core.v"
    texts.sub(r"^ *\(\* X_INTERFACE_INFO = \"xilinx.com:interface:axis:1.0 m_axis_0 TKEEP\" \*\)\n", "", core)
    texts.sub(r"^( *output wire +\[3:0\] +)m_axis_0_tkeep", r"\1beat_bytes", core)
    texts.sub(r"\bm_axis_0_tkeep\b", "beat_bytes", core)


@variant("an LED at an output", PYNQ_BASE)
def _(texts: Texts) -> None:
    texts.before(
        "# ---- buses",
        "create_bd_port -dir O -from 0 -to 0 led\n"
        "connect_bd_net [get_bd_ports led] [get_bd_pins proc_sys_reset_0/peripheral_reset]",
    )


@variant("a pin made external", F2OPT)
def _(texts: Texts) -> None:
    texts.before("# ---- buses", "make_bd_pins_external [get_bd_pins proc_sys_reset_0/mb_reset]")


@variant("an analyser at a stream", "UG908")
def _(texts: Texts) -> None:
    texts.before(
        "# ---- addresses",
        "shellgen::cell look system_ila {} {\n"
        "    CONFIG.C_SLOT_0_INTF_TYPE xilinx.com:interface:axis_rtl:1.0\n}\n"
        "shellgen::wire zynq_ps/FCLK_CLK0 look/clk\n"
        "shellgen::wire proc_sys_reset_0/peripheral_aresetn look/resetn\n"
        "connect_bd_intf_net [get_bd_intf_pins look/SLOT_0_AXIS] [get_bd_intf_pins axi_dma_0/M_AXIS_MM2S]",
    )


@variant("a timer and GPIO besides", PYNQ_BASE)
def _(texts: Texts) -> None:
    texts.swap("CONFIG.NUM_MI 3", "CONFIG.NUM_MI 4")
    texts.before(
        "# ---- clocks",
        "shellgen::cell gpio axi_gpio {} {\n    CONFIG.C_ALL_OUTPUTS 1\n    CONFIG.C_GPIO_WIDTH 8\n}\n"
        "shellgen::wire zynq_ps/FCLK_CLK0 {gpio/s_axi_aclk lite_interconnect/M03_ACLK}\n"
        "shellgen::wire proc_sys_reset_0/peripheral_aresetn gpio/s_axi_aresetn\n"
        "shellgen::wire proc_sys_reset_0/interconnect_aresetn lite_interconnect/M03_ARESETN\n"
        "shellgen::bus lite_interconnect/M03_AXI gpio/S_AXI",
    )
    texts.before("# ---- finish", "shellgen::place zynq_ps/Data gpio/S_AXI/Reg 0x41200000 0x00010000\n")


@variant("clocks of a clock generator", PYNQ_BASE)
def _(texts: Texts) -> None:
    texts.before(
        "# ---- clocks",
        "shellgen::cell clk_wiz_0 clk_wiz {} {\n    CONFIG.PRIM_IN_FREQ 100\n"
        "    CONFIG.CLKOUT1_REQUESTED_OUT_FREQ 100\n"
        "    CONFIG.RESET_TYPE ACTIVE_LOW\n}\n",
    )
    texts.swap("shellgen::wire zynq_ps/FCLK_CLK0 {", "shellgen::wire clk_wiz_0/clk_out1 {")
    texts.swap(
        "shellgen::wire zynq_ps/FCLK_RESET0_N {",
        "shellgen::wire zynq_ps/FCLK_CLK0 clk_wiz_0/clk_in1\n"
        "shellgen::wire clk_wiz_0/locked proc_sys_reset_0/dcm_locked\n"
        "shellgen::wire zynq_ps/FCLK_RESET0_N {\n    clk_wiz_0/resetn",
    )


@variant("another memory port", "PG082, S_AXI_HP1")
def _(texts: Texts) -> None:
    texts.swap("S_AXI_HP1 0", "S_AXI_HPX 0")
    texts.sub("HP0", "HP1")
    texts.swap("S_AXI_HPX 0", "S_AXI_HP0 0")


@variant("the other master port", "UG585, M_AXI_GP1")
def _(texts: Texts) -> None:
    texts.swap("M_AXI_GP0 1", "M_AXI_GP0 0")
    texts.swap("M_AXI_GP1 0", "M_AXI_GP1 1")
    texts.sub(r"zynq_ps/M_AXI_GP0", "zynq_ps/M_AXI_GP1")
    for old, new in (
        ("0x40000000", "0x80000000"),
        ("0x60000000", "0xA0000000"),
        ("0x60010000", "0xA0010000"),
    ):
        texts.sub(rf"(zynq_ps/Data.*){old}", rf"\g<1>{new}")


@variant("a port for each channel of the DMA", f"{PG021}, PG082")
def _(texts: Texts) -> None:
    texts.swap("S_AXI_HP1 0", "S_AXI_HP1 1")
    texts.swap("    CONFIG.NUM_SI 2\n    CONFIG.NUM_MI 1\n", "    CONFIG.NUM_SI 1\n    CONFIG.NUM_MI 1\n")
    texts.cut("memory_interconnect/S01_A")
    texts.before(
        "# ---- clocks",
        "shellgen::cell second axi_interconnect {} {\n    CONFIG.NUM_SI 1\n    CONFIG.NUM_MI 1\n}\n"
        "shellgen::wire zynq_ps/FCLK_CLK0 {second/ACLK second/S00_ACLK second/M00_ACLK "
        "zynq_ps/S_AXI_HP1_ACLK}\n"
        "shellgen::wire proc_sys_reset_0/interconnect_aresetn {second/ARESETN second/S00_ARESETN "
        "second/M00_ARESETN}\n"
        "shellgen::bus axi_dma_0/M_AXI_S2MM second/S00_AXI\nshellgen::bus second/M00_AXI zynq_ps/S_AXI_HP1",
    )
    texts.sub(r"(Data_S2MM.*)HP0(.*)HP0", r"\1HP1\2HP1")


@variant("hierarchy around the interconnect", ACCL)
def _(texts: Texts) -> None:
    texts.before("validate_bd_design", "group_bd_cells memory [get_bd_cells memory_interconnect]")


@variant("a hierarchy made by hand", PYNQ_BASE)
def _(texts: Texts) -> None:
    texts.before(
        "# ---- clocks",
        "set outside [current_bd_instance .]\nset inside [create_bd_cell -type hier lines]\n"
        "current_bd_instance $inside\ncreate_bd_pin -dir I first\ncreate_bd_pin -dir I second\n"
        "create_bd_pin -dir O -from 1 -to 0 both\n"
        "create_bd_cell -type ip -vlnv [shellgen::newest_ip xlconcat] concat\n"
        "connect_bd_net [get_bd_pins first] [get_bd_pins concat/In0]\n"
        "connect_bd_net [get_bd_pins second] [get_bd_pins concat/In1]\n"
        "connect_bd_net [get_bd_pins concat/dout] [get_bd_pins both]\ncurrent_bd_instance $outside",
    )
    texts.swap("shellgen::cell xlconcat_0 xlconcat {} {\n    CONFIG.NUM_PORTS 2\n}\n", "")
    texts.swap("xlconcat_0/In0", "lines/first")
    texts.swap("xlconcat_0/In1", "lines/second")
    texts.swap("xlconcat_0/dout", "lines/both")


@variant("a cell created, removed and recreated", "Xilinx/ACCL, kernels/cclo/tcl/generate_sim.tcl", ours=True)
def _(texts: Texts) -> None:
    texts.before(
        "# ---- clocks",
        "create_bd_cell -type ip -vlnv [shellgen::newest_ip xlconcat] spare\n"
        "delete_bd_objs [get_bd_cells spare]\n",
    )


@variant(
    "the layout regenerated",
    "shakeelakram00/F2Opt, Aopt/Build_pynqZ2-optF/stitched_ip/make_project.tcl",
    ours=True,
)
def _(texts: Texts) -> None:
    texts.before("save_bd_design", "regenerate_bd_layout")


@variant("steps of the graphical interface", f"{UG835}, startgroup", ours=True)
def _(texts: Texts) -> None:
    texts.before("# ---- clocks", "startgroup")
    texts.before("# ---- buses", "endgroup")


@variant("create_bd_addr_seg", ECE530)
def _(texts: Texts) -> None:
    texts.swap(
        "        assign_bd_address -offset $offset -range $range -target_address_space "
        "[get_bd_addr_spaces $space] $segment -force\n",
        "        create_bd_addr_seg -range $range -offset $offset [get_bd_addr_spaces $space] $segment "
        "SEG_[string map {/ _} $segment]_[string map {/ _} $space]\n",
    )


@variant(
    "addresses that Vivado chooses",
    "Xilinx/PYNQ, boards/ip/io_switch_1.1/example_designs/bfm_design/design.tcl",
)
def _(texts: Texts) -> None:
    texts.cut(r"^shellgen::(place|exclude_others|check_placed)")
    texts.before("# ---- finish", "assign_bd_address")


@variant(
    "nothing excluded where nothing is left", "UofT-HPRC/galapagos, shells/zedboard/tclScripts/shell_bd.tcl"
)
def _(texts: Texts) -> None:
    texts.cut(r"^shellgen::exclude_others")


@variant("assign_bd_address without -force", f"{UG835}, assign_bd_address", ours=True)
def _(texts: Texts) -> None:
    texts.swap(" $segment -force", " $segment")


@variant("options by their first letters", LOGICTOOLS, ours=True)
def _(texts: Texts) -> None:
    texts.before("# ---- clocks", "foreach cell [get_bd_cells] {\n    get_bd_pins -of $cell\n}")


@variant("the preset of the board by a dictionary", F2OPT, ours=True)
def _(texts: Texts) -> None:
    texts.swap(
        '[concat {make_external "FIXED_IO, DDR" Master Disable Slave Disable} apply_board_preset '
        '[expr {$shellgen_board ne ""}]]',
        '{make_external "FIXED_IO, DDR" apply_board_preset "1" Master "Disable" Slave "Disable" }',
    )


@variant("external interfaces of the PS by hand", PYNQ_BASE)
def _(texts: Texts) -> None:
    texts.sub(
        r"^apply_bd_automation.*$",
        "create_bd_intf_port -mode Master -vlnv xilinx.com:interface:ddrx_rtl:1.0 DDR\n"
        "create_bd_intf_port -mode Master -vlnv "
        "xilinx.com:display_processing_system7:fixedio_rtl:1.0 FIXED_IO\n"
        "connect_bd_intf_net [get_bd_intf_ports DDR] [get_bd_intf_pins zynq_ps/DDR]\n"
        "connect_bd_intf_net [get_bd_intf_ports FIXED_IO] [get_bd_intf_pins zynq_ps/FIXED_IO]",
    )


@variant("messages of a script that Vivado wrote", PYNQ_BASE, ours=True)
def _(texts: Texts) -> None:
    texts.before(
        "# ---- cells",
        'catch {common::send_gid_msg -ssname BD::TCL -id 2003 -severity "INFO" "Currently there is '
        'no design"}\n'
        'if { [get_ipdefs -all xilinx.com:ip:axi_dma:7.1] eq "" } {\n'
        '    catch {common::send_gid_msg -ssname BD::TCL -id 2012 -severity "ERROR" "IP are missing"}\n}',
    )
