# SPDX-License-Identifier: BSD-3-Clause
"""The same connections, made otherwise."""

from __future__ import annotations

from .values import F2OPT, LOGICTOOLS, PYNQ_BASE
from .variant import Texts, variant

WIRE = "            connect_bd_net [pin $source] [pin $sink]\n"
BUS = "        connect_bd_intf_net [interface $master] [interface $slave]\n"
SMARTCONNECT = "Aratoud/Axi_DMA_Zynq, version 2: hw_handoff/design_1_axi_smc_0_bd.tcl"


@variant("named nets", PYNQ_BASE, ours=True)
def _(texts: Texts) -> None:
    texts.swap(WIRE, WIRE.replace("_net", "_net -net [string map {/ _} $source]"))


@variant("named buses", PYNQ_BASE, ours=True)
def _(texts: Texts) -> None:
    texts.swap(BUS, BUS.replace("intf_net [", "intf_net -intf_net [string map {/ _} $master] ["))


@variant("-boundary_type on a bus", F2OPT, ours=True)
def _(texts: Texts) -> None:
    texts.swap(BUS, BUS.replace("intf_net [", "intf_net -boundary_type upper ["))


@variant("-boundary_type between the ends of a bus", F2OPT, ours=True)
def _(texts: Texts) -> None:
    texts.swap(BUS, BUS.replace("] [", "] -boundary_type upper ["))


@variant("-boundary_type on a net", SMARTCONNECT, ours=True)
def _(texts: Texts) -> None:
    texts.swap(WIRE, WIRE.replace("_net", "_net -net [string map {/ _} $source] -boundary_type upper"))


@variant("the sink first", LOGICTOOLS, ours=True)
def _(texts: Texts) -> None:
    texts.swap(WIRE, WIRE.replace("[pin $source] [pin $sink]", "[pin $sink] [pin $source]"))


@variant("the slave first", PYNQ_BASE, ours=True)
def _(texts: Texts) -> None:
    texts.swap(
        BUS, BUS.replace("[interface $master] [interface $slave]", "[interface $slave] [interface $master]")
    )


@variant("all pins of a net at once", LOGICTOOLS, ours=True)
def _(texts: Texts) -> None:
    texts.swap(
        "        foreach sink $sinks {\n" + WIRE + "        }\n",
        "        set pins [list [pin $source]]\n"
        "        foreach sink $sinks {\n            lappend pins [pin $sink]\n        }\n"
        "        eval connect_bd_net $pins\n",
    )


@variant(
    "all pins of a net as one list", "UofT-HPRC/galapagos, shells/zedboard/tclScripts/shell_bd.tcl", ours=True
)
def _(texts: Texts) -> None:
    texts.swap(
        "        foreach sink $sinks {\n" + WIRE + "        }\n",
        "        connect_bd_net [get_bd_pins [concat $source $sinks]]\n",
    )


@variant("whole paths", F2OPT, ours=True)
def _(texts: Texts) -> None:
    texts.swap("get_bd_pins -quiet $name", "get_bd_pins -quiet /$name")
    texts.swap("get_bd_intf_pins -quiet $name", "get_bd_intf_pins -quiet /$name")


@variant("pins by their cells", "Xilinx/xup_vitis_network_example, Ethernet/post_sys_link.tcl", ours=True)
def _(texts: Texts) -> None:
    texts.swap(
        "set found [get_bd_pins -quiet $name]",
        "foreach {cell own} [split $name /] break\n"
        '        set found [get_bd_pins -quiet -of_objects [get_bd_cells $cell] -filter "NAME == $own"]',
    )


@variant("names in quotes", F2OPT, ours=True)
def _(texts: Texts) -> None:
    texts.swap("[get_bd_pins -quiet $name]", '[get_bd_pins -quiet "$name"]')
    texts.swap("[get_bd_intf_pins -quiet $name]", '[get_bd_intf_pins "$name"]')


@variant(
    "wildcards for the clocks of an interconnect",
    "UofT-HPRC/galapagos, shells/zedboard/tclScripts/shell_bd.tcl",
    ours=True,
)
def _(texts: Texts) -> None:
    texts.cut(r"^    (lite|memory)_interconnect/[SM]\d\d_ACLK")
    texts.before(
        "# ---- buses",
        "foreach name {lite_interconnect memory_interconnect} {\n"
        "    connect_bd_net [get_bd_pins zynq_ps/FCLK_CLK0] [get_bd_pins $name/S*_ACLK] "
        "[get_bd_pins $name/M*_ACLK]\n}",
    )


@variant("wires in another order", PYNQ_BASE, ours=True)
def _(texts: Texts) -> None:
    texts.section("clocks and resets", lambda found: found[::-1])


@variant("buses in another order", PYNQ_BASE, ours=True)
def _(texts: Texts) -> None:
    texts.section("buses", lambda found: found[::-1])


@variant("addresses in another order", PYNQ_BASE, ours=True)
def _(texts: Texts) -> None:
    texts.section("addresses", lambda found: found[3:5] + found[2::-1] + found[5:])


@variant("buses before wires", F2OPT, ours=True)
def _(texts: Texts) -> None:
    held: list[str] = []

    def take(found: list[str]) -> list[str]:
        held.extend(found)
        return []

    texts.section("buses", take)
    texts.section("clocks and resets", lambda found: held + found)


@variant("sources of streams and memory exchanged in the interconnect", "PG059")
def _(texts: Texts) -> None:
    texts.swap("M_AXI_MM2S memory_interconnect/S00_AXI", "M_AXI_MM2S memory_interconnect/S0X_AXI")
    texts.swap("M_AXI_S2MM memory_interconnect/S01_AXI", "M_AXI_S2MM memory_interconnect/S00_AXI")
    texts.swap("S0X_AXI", "S01_AXI")


@variant("interrupts the other way round", "PG099")
def _(texts: Texts) -> None:
    texts.sub(r"xlconcat_0/In([01])", lambda match: f"xlconcat_0/In{1 - int(match[1])}")
