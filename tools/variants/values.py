# SPDX-License-Identifier: BSD-3-Clause
"""The same values, written otherwise; other values that are as good."""

from __future__ import annotations

import re

from .variant import BD, Texts, variant

PYNQ_BASE = "Xilinx/PYNQ, boards/Pynq-Z2/base/base.tcl"
LOGICTOOLS = "Xilinx/PYNQ, boards/Pynq-Z1/logictools/logictools.tcl"
F2OPT = "shakeelakram00/F2Opt, Aopt/Build_tfc/vivado_zynq_proj_b0y0bmk4/ip_config.tcl"
UG835 = "UG835"
PG021 = "PG021"
RANGE = r"( 0x[0-9A-F]{8}) 0x([0-9A-F]{8})$"


def _in_units(match: re.Match[str]) -> str:
    size = int(match[2], 16)
    return f"{match[1]} {size >> 20}M" if size >> 20 else f"{match[1]} {size >> 10}K"


@variant(
    "ranges with K and M",
    "Xilinx/PYNQ, boards/ip/address_remap_1.0/example_designs/debug_hw_design",
    ours=True,
)
def _(texts: Texts) -> None:
    texts.sub(RANGE, _in_units)


@variant("ranges with a small k", "lblQubic/gateware, top/zcu216_8_2/bram_range.tcl", ours=True)
def _(texts: Texts) -> None:
    texts.sub(RANGE, lambda match: _in_units(match).replace("K", "k"))


@variant("ranges in decimal", f"{UG835}, assign_bd_address", ours=True)
def _(texts: Texts) -> None:
    texts.sub(RANGE, lambda match: f"{match[1]} {int(match[2], 16)}")


@variant(
    "addresses without leading zeros, small letters", f"{UG835}, assign_bd_address", node="zcu104", ours=True
)
def _(texts: Texts) -> None:
    texts.sub(r" 0x0*([0-9A-F]+)(?= |$)", lambda match: f" 0x{match[1].lower()}")


@variant("parameters in a list with braces", PYNQ_BASE, ours=True)
def _(texts: Texts) -> None:
    texts.sub(r"^(    CONFIG\.\w+) (\w+)$", r"\1 {\2}")


@variant("values in quotes", f"{UG835}, set_property", ours=True)
def _(texts: Texts) -> None:
    texts.sub(r"^(    CONFIG\.\w+) (\w+)$", r'\1 "\2"')


@variant(
    "one set_property for each parameter",
    "Xilinx/xup_vitis_network_example, Ethernet/post_sys_link.tcl",
    ours=True,
)
def _(texts: Texts) -> None:
    texts.swap(
        "            set_property -dict $config $cell\n",
        "            foreach {name value} $config {\n                set_property $name $value $cell\n"
        "            }\n",
    )


@variant("cells found again by get_bd_cells", PYNQ_BASE, ours=True)
def _(texts: Texts) -> None:
    texts.swap("-dict $config $cell", "-dict $config [get_bd_cells $name]")


@variant("cells found again by a whole path", F2OPT, ours=True)
def _(texts: Texts) -> None:
    texts.swap("-dict $config $cell", "-dict $config [get_bd_cells /$name]")


@variant(
    "-name, -value, -objects", "Xilinx/PYNQ, boards/ip/io_switch_1.1/example_designs/bfm_design", ours=True
)
def _(texts: Texts) -> None:
    texts.swap(
        "set_property CONFIG.$parameter.VALUE_SRC USER $cell",
        "set_property -name CONFIG.$parameter.VALUE_SRC -value USER -objects $cell",
    )


@variant("a strategy of Vivado's", "UG904", ours=False)
def _(texts: Texts) -> None:
    texts.swap("Flow_PerfOptimized_high", "Flow_AlternateRoutability")
    texts.swap("Performance_ExtraTimingOpt", "Performance_Explore")


@variant("no strategy", "UG904")
def _(texts: Texts) -> None:
    texts.cut(r"strategy|STEPS\.\w+\.(ARGS|IS_ENABLED)")


@variant("a smaller length register", f"{PG021}, c_sg_length_width")
def _(texts: Texts) -> None:
    texts.swap("CONFIG.c_sg_length_width 26", "CONFIG.c_sg_length_width 23")


@variant("longer bursts", f"{PG021}, burst size")
def _(texts: Texts) -> None:
    texts.swap("CONFIG.c_s2mm_burst_size 16", "CONFIG.c_s2mm_burst_size 64")
    texts.swap("CONFIG.c_mm2s_burst_size 16", "CONFIG.c_mm2s_burst_size 128")


@variant("a narrower memory side", f"{PG021}, memory map data width")
def _(texts: Texts) -> None:
    texts.swap("CONFIG.c_m_axi_mm2s_data_width 64", "CONFIG.c_m_axi_mm2s_data_width 32")


@variant("realignment in the DMA", LOGICTOOLS)
def _(texts: Texts) -> None:
    texts.swap(
        "    CONFIG.c_include_mm2s 1\n", "    CONFIG.c_include_mm2s 1\n    CONFIG.c_include_mm2s_dre 1\n"
    )


@variant("a memory port of 32 bits", "PG082, PCW_S_AXI_HP0_DATA_WIDTH")
def _(texts: Texts) -> None:
    texts.swap("PCW_S_AXI_HP0_DATA_WIDTH 64", "PCW_S_AXI_HP0_DATA_WIDTH 32")


@variant("half the clock", "PG082, PCW_FPGA0_PERIPHERAL_FREQMHZ")
def _(texts: Texts) -> None:
    texts.swap("PCW_FPGA0_PERIPHERAL_FREQMHZ 100", "PCW_FPGA0_PERIPHERAL_FREQMHZ 50")
    texts.sub("100000000|10000000", lambda match: str(int(match[0]) // 2))


@variant("the clock with a point", PYNQ_BASE, ours=True)
def _(texts: Texts) -> None:
    texts.swap("PCW_FPGA0_PERIPHERAL_FREQMHZ 100", "PCW_FPGA0_PERIPHERAL_FREQMHZ {100.000000}")


@variant("the defaults of a reset block said aloud", "Xilinx/PYNQ, boards/ZCU104/base/base.tcl", ours=True)
def _(texts: Texts) -> None:
    texts.swap(
        "proc_sys_reset_0 proc_sys_reset {} {\n",
        "proc_sys_reset_0 proc_sys_reset {} {\n    CONFIG.C_EXT_RESET_HIGH 0\n"
        "    CONFIG.C_AUX_RESET_HIGH 0\n",
    )


@variant("registers elsewhere", "UG585, M_AXI_GP0")
def _(texts: Texts) -> None:
    texts.sub("0x60000000", "0x40400000")
    texts.sub("0x60010000", "0x41800000")


@variant("comments, empty lines, semicolons", "Tcl", ours=True)
def _(texts: Texts) -> None:
    texts.sub(r"^validate_bd_design$", "  ; # now\n\tvalidate_bd_design ; # and again\n;validate_bd_design;")
    assert "now" in texts.texts[BD]
