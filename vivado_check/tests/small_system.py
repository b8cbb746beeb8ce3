# SPDX-License-Identifier: BSD-3-Clause
"""A small Zynq system that nothing is wrong with, and facts of its IP, for tests of rules on connections."""

from __future__ import annotations

from dataclasses import replace

from small_design import Block, SmallIp, clock, interrupt, memory, reset, stream

from vivado_check.ip.facts import AXIMM, IpInterface, IpPort, Parameter, Resolved

PS7 = SmallIp(
    "xilinx.com:ip:processing_system7:5.5",
    (
        memory("M_AXI_GP0", "master", "AXI3", DATA_WIDTH="32"),
        memory("S_AXI_HP0", "slave", "AXI3", DATA_WIDTH="64"),
        IpInterface("DDR", "master", "xilinx.com:interface:ddrx:1.0"),
        IpInterface("FIXED_IO", "master", "xilinx.com:display_processing_system7:fixedio:1.0"),
        clock("FCLK_CLK0", "master"),
        clock("FCLK_CLK1", "master"),
        reset("FCLK_RESET0_N", "master"),
        clock("M_AXI_GP0_ACLK", ASSOCIATED_BUSIF="M_AXI_GP0"),
        clock("S_AXI_HP0_ACLK", ASSOCIATED_BUSIF="S_AXI_HP0"),
        interrupt("IRQ_F2P", "slave"),
    ),
    (IpPort("IRQ_F2P", "in", sized=False),),
    (Parameter("preset"), Parameter("PCW_FPGA0_PERIPHERAL_FREQMHZ"), Parameter("PCW_USE_M_AXI_GP0")),
)
PSR = SmallIp(
    "xilinx.com:ip:proc_sys_reset:5.0",
    (
        clock("slowest_sync_clk", ASSOCIATED_RESET="mb_reset:peripheral_aresetn:peripheral_reset"),
        reset("ext_reset_in", polarity="ACTIVE_HIGH"),
        reset("aux_reset_in"),
        reset("peripheral_aresetn", "master"),
        reset("peripheral_reset", "master", "ACTIVE_HIGH"),
    ),
    (IpPort("dcm_locked", "in", default="1"), IpPort("aux_reset_in", "in", default="1")),
)
DMA = SmallIp(
    "xilinx.com:ip:axi_dma:7.1",
    (
        memory("S_AXI_LITE", "slave", "AXI4LITE", DATA_WIDTH="32"),
        memory("M_AXI_MM2S", "master", DATA_WIDTH="64"),
        memory("M_AXI_S2MM", "master", DATA_WIDTH="64"),
        stream("M_AXIS_MM2S", "master", HAS_TLAST="1"),
        stream("S_AXIS_S2MM", "slave", HAS_TLAST="1"),
        clock("s_axi_lite_aclk", ASSOCIATED_BUSIF="S_AXI_LITE", ASSOCIATED_RESET="axi_resetn"),
        clock("m_axi_mm2s_aclk", ASSOCIATED_BUSIF="M_AXI_MM2S:M_AXIS_MM2S"),
        clock("m_axi_s2mm_aclk", ASSOCIATED_BUSIF="M_AXI_S2MM:S_AXIS_S2MM"),
        reset("axi_resetn"),
        interrupt("mm2s_introut", SENSITIVITY="LEVEL_HIGH"),
        interrupt("s2mm_introut", SENSITIVITY="LEVEL_HIGH"),
    ),
    (IpPort("axi_dma_tstvec", "out", 31, 0),),
    (
        Parameter("c_include_mm2s", choices=("0", "1"), default="1"),
        Parameter("c_include_s2mm", choices=("0", "1"), default="1"),
        Parameter("c_sg_length_width", lowest=8, highest=26, default="14"),
        Parameter("c_m_axi_mm2s_data_width", choices=("32", "64", "128"), default="32"),
        Parameter("c_m_axis_mm2s_tdata_width", choices=("8", "16", "32", "64", "128"), default="32"),
        Parameter("c_m_axi_s2mm_data_width", default="32"),
        Parameter("c_s_axis_s2mm_tdata_width", default="32", derived=True),
        Parameter("WHATEVER_BOARD_INTERFACE", choices=("Custom", "switches")),
        Parameter("c_other", choices=("8",)),
        Parameter("c_real", choices=("1.000000", "2.000000")),
        Parameter("c_odd", lowest=8, highest=9, default="100"),
        Parameter("c_unused", lowest=-2, highest=-1, default="-1"),
        Parameter("c_num_mm2s_channels", lowest=1, highest=16, default="1", enabled=False),
    ),
)
CORE = SmallIp(
    "xilinx.com:module_ref:core:1.0",
    (
        memory("s_axil", "slave", "AXI4LITE", DATA_WIDTH="32"),
        stream("s_axis", "slave", HAS_TLAST="1"),
        stream("m_axis", "master", HAS_TLAST="1"),
        clock("aclk", ASSOCIATED_BUSIF="s_axil:s_axis:m_axis", ASSOCIATED_RESET="aresetn"),
        reset("aresetn"),
    ),
    (IpPort("irq", "out"), IpPort("mode", "in", 3, 0)),
)
INTC = SmallIp(
    "xilinx.com:ip:axi_intc:4.1",
    (
        memory("s_axi", "slave", "AXI4LITE", DATA_WIDTH="32"),
        clock("s_axi_aclk", ASSOCIATED_BUSIF="s_axi", ASSOCIATED_RESET="s_axi_aresetn"),
        reset("s_axi_aresetn"),
        interrupt("irq"),
    ),
    (IpPort("intr", "in", sized=False),),
    (Parameter("C_KIND_OF_INTR"),),
)
CONCAT = SmallIp(
    "xilinx.com:ip:xlconcat:2.1",
    (),
    (
        *(IpPort(f"In{i}", "in", default="0", sized=False) for i in range(32)),
        IpPort("dout", "out", sized=False),
    ),
    (Parameter("NUM_PORTS", lowest=1, highest=128, default="2"),),
)
CONSTANT = SmallIp(
    "xilinx.com:ip:xlconstant:1.1", (), (IpPort("dout", "out", 3, 0),), (Parameter("CONST_VAL"),)
)
WIZARD = SmallIp(
    "xilinx.com:ip:clk_wiz:6.0",
    (clock("clk_in1"), clock("clk_out1", "master"), clock("clk_out2", "master")),
    (IpPort("locked", "out"),),
    tuple(Parameter(f"CLKOUT{index}_REQUESTED_OUT_FREQ") for index in (1, 2)),
)
FIFO = SmallIp(
    "xilinx.com:ip:axis_data_fifo:2.0",
    (
        replace(stream("S_AXIS", "slave"), params={}),
        replace(stream("M_AXIS", "master"), params={}),
        clock("s_axis_aclk", ASSOCIATED_BUSIF="S_AXIS:M_AXIS", ASSOCIATED_RESET="s_axis_aresetn"),
        reset("s_axis_aresetn"),
    ),
    parameters=tuple(map(Parameter, ("HAS_TLAST", "TDATA_NUM_BYTES", "M_TDATA_NUM_BYTES"))),
)
NARROW = replace(FIFO, vlnv="xilinx.com:ip:axis_dwidth_converter:1.1")
ILA = SmallIp(
    "xilinx.com:ip:system_ila:1.1",
    (IpInterface("SLOT_0_AXI", "monitor", AXIMM), clock("clk"), reset("resetn")),
)
PSU = SmallIp(
    "xilinx.com:ip:zynq_ultra_ps_e:3.4",
    (clock("pl_clk0", "master"), reset("pl_resetn0", "master")),
    tuple(IpPort(f"saxigp0_a{way}cache", "in", 3, 0, default="0") for way in "wr")
    + tuple(IpPort(f"saxigp0_a{way}prot", "in", 2, 0, default="0") for way in "wr"),
    (Parameter("preset"),),
)


class Crossbar(SmallIp):
    """An interconnect with a clock and a reset for each port."""

    def resolve(self, config: object) -> Resolved:
        assert isinstance(config, dict)
        names = [f"S{i:02}" for i in range(int(config.get("NUM_SI", "1")))]
        buses = [memory(f"{name}_AXI", "slave", "") for name in names]
        others = [f"M{i:02}" for i in range(int(config.get("NUM_MI", "2")))]
        buses += [memory(f"{name}_AXI", "master", "") for name in others]
        clocks = [clock("ACLK", ASSOCIATED_RESET="ARESETN"), reset("ARESETN")]
        for name in (*names, *others):
            clocks.append(
                clock(f"{name}_ACLK", ASSOCIATED_BUSIF=f"{name}_AXI", ASSOCIATED_RESET=f"{name}_ARESETN")
            )
            clocks.append(reset(f"{name}_ARESETN"))
        return SmallIp(self.vlnv, (*buses, *clocks)).resolve(config)


INTERCONNECT = Crossbar(
    "xilinx.com:ip:axi_interconnect:2.1",
    parameters=(
        Parameter("NUM_SI", lowest=1, highest=16),
        Parameter("NUM_MI", lowest=1, highest=64),
    ),
)
SMARTCONNECT = SmallIp(
    "xilinx.com:ip:smartconnect:1.0",
    (
        memory("S00_AXI", "slave", "AXI4", DATA_WIDTH="512"),
        memory("M00_AXI", "master", "AXI4", DATA_WIDTH="512"),
        clock("aclk", ASSOCIATED_BUSIF="S00_AXI:M00_AXI", ASSOCIATED_RESET="aresetn"),
        clock("aclk1"),
        reset("aresetn"),
    ),
    parameters=(Parameter("NUM_CLKS"), Parameter("NUM_SI"), Parameter("NUM_MI")),
)
ALL = (
    PS7,
    PSR,
    DMA,
    CORE,
    INTC,
    CONCAT,
    CONSTANT,
    WIZARD,
    FIFO,
    NARROW,
    ILA,
    PSU,
    INTERCONNECT,
    SMARTCONNECT,
)
CLOCKED = (
    *("/ps/M_AXI_GP0_ACLK", "/ps/S_AXI_HP0_ACLK", "/rst/slowest_sync_clk", "/intc/s_axi_aclk"),
    *("/dma/s_axi_lite_aclk", "/dma/m_axi_mm2s_aclk", "/dma/m_axi_s2mm_aclk", "/core/aclk"),
    *(f"/lite/{name}ACLK" for name in ("", "S00_", "M00_", "M01_", "M02_")),
    *(f"/mem/{name}ACLK" for name in ("", "S00_", "S01_", "M00_")),
)
RESET = (
    *("/dma/axi_resetn", "/core/aresetn", "/intc/s_axi_aresetn"),
    *(f"/lite/{name}ARESETN" for name in ("", "S00_", "M00_", "M01_", "M02_")),
    *(f"/mem/{name}ARESETN" for name in ("", "S00_", "S01_", "M00_")),
)
BUSES = {
    "/ps/M_AXI_GP0": "/lite/S00_AXI",
    "/lite/M00_AXI": "/core/s_axil",
    "/lite/M01_AXI": "/dma/S_AXI_LITE",
    "/lite/M02_AXI": "/intc/s_axi",
    "/dma/M_AXIS_MM2S": "/core/s_axis",
    "/core/m_axis": "/dma/S_AXIS_S2MM",
    "/dma/M_AXI_MM2S": "/mem/S00_AXI",
    "/dma/M_AXI_S2MM": "/mem/S01_AXI",
    "/mem/M00_AXI": "/ps/S_AXI_HP0",
}


def system() -> Block:
    """Return a PS with a DMA, a core, an interrupt controller and two interconnects."""
    made = Block(*ALL)
    made.cell("/ps", "processing_system7", preset="ZedBoard", PCW_FPGA0_PERIPHERAL_FREQMHZ="100")
    made.bus_pin("/", "DDR", "Master", "xilinx.com:interface:ddrx_rtl:1.0")
    made.bus_pin("/", "FIXED_IO", "Master", "xilinx.com:display_processing_system7:fixedio_rtl:1.0")
    made.cell("/rst", "proc_sys_reset")
    made.cell(
        "/dma",
        "axi_dma",
        c_include_mm2s="1",
        c_sg_length_width="26",
        c_m_axi_mm2s_data_width="64",
        c_m_axis_mm2s_tdata_width="32",
    )
    made.cell("/core", "core", "module")
    made.cell("/intc", "axi_intc", C_KIND_OF_INTR="0x0")
    made.cell("/lite", "axi_interconnect", NUM_MI="3")
    made.cell("/mem", "axi_interconnect", NUM_SI="2", NUM_MI="1")
    made.cell("/concat", "xlconcat", NUM_PORTS="2")
    made.cell("/mode", "xlconstant", CONST_VAL="1")
    made.wire("/ps/FCLK_CLK0", *CLOCKED)
    made.wire("/ps/FCLK_RESET0_N", "/rst/ext_reset_in")
    made.wire("/rst/peripheral_aresetn", *RESET)
    made.wire("/mode/dout", "/core/mode")
    made.wire("/dma/mm2s_introut", "/concat/In0")
    made.wire("/dma/s2mm_introut", "/concat/In1")
    made.wire("/concat/dout", "/intc/intr")
    made.wire("/intc/irq", "/ps/IRQ_F2P")
    made.bus("/ps/DDR", "/DDR")
    made.bus("/ps/FIXED_IO", "/FIXED_IO")
    for master, slave in BUSES.items():
        made.bus(master, slave)
    return made
