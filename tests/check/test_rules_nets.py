# SPDX-License-Identifier: BSD-3-Clause
"""One mistake in a system that is right, and one rule says so; and what is right but looks wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from small_design import Block, SmallIp, clock, memory, reset, stream
from small_system import ALL, CLOCKED, DMA, WIZARD, system

from shellgen.check.clocking import given_hertz
from shellgen.check.design import Automation, Setting
from shellgen.check.ip.facts import AXIMM, IpInterface, IpPort, Parameter, Resolved
from shellgen.check.report import Verdict
from shellgen.check.rules.base import RULES, all_rules

AXIMM_RTL, AXIS_RTL = "xilinx.com:interface:aximm_rtl:1.0", "xilinx.com:interface:axis_rtl:1.0"
S2MM_CLOCKS = ("/dma/m_axi_s2mm_aclk", "/mem/S01_ACLK")
Change = Callable[[Block], None]
MODULES = {
    *("net_names", "net_drivers", "bus_links", "bus_protocol", "clocks", "resets", "params", "interrupts"),
    *("processing_system", "catalogue_names"),
}
OURS = sorted(rule.name for rule in all_rules() if rule.judge.__module__.rpartition(".")[2] in MODULES)


def swap(made: Block, module: SmallIp) -> None:
    """Use other facts of one IP."""
    made.catalogue.ips[module.vlnv] = module


def core(
    *, last: str = "1", count: int = 4, out: int = 4, protocol: str = "AXI4LITE", **clocked: str
) -> SmallIp:
    listed = {"ASSOCIATED_BUSIF": "s_axil:s_axis:m_axis", "ASSOCIATED_RESET": "aresetn"} | clocked
    return SmallIp(
        "xilinx.com:module_ref:core:1.0",
        (
            memory("s_axil", "slave", protocol, DATA_WIDTH="32"),
            stream("s_axis", "slave", count, HAS_TLAST="1"),
            stream("m_axis", "master", out, HAS_TLAST=last),
            clock("aclk", **listed),
            reset("aresetn"),
        ),
        (IpPort("irq", "out"), IpPort("mode", "in", 3, 0)),
    )


def second_clock(made: Block, *pins: str) -> None:
    made.unwire(*pins)
    made.wire("/ps/FCLK_CLK1", *pins)


def between(made: Block, name: str, **config: str) -> None:
    """Put an IP between the core and the DMA."""
    made.unwire("/core/m_axis", "/dma/S_AXIS_S2MM")
    made.cell("/fifo", name)
    made.set("/fifo", **config)
    made.bus("/core/m_axis", "/fifo/S_AXIS")
    made.bus("/fifo/M_AXIS", "/dma/S_AXIS_S2MM")
    made.wire("/ps/FCLK_CLK0", "/fifo/s_axis_aclk")
    made.wire("/rst/peripheral_aresetn", "/fifo/s_axis_aresetn")


def no_tlast_behind(made: Block, name: str) -> None:
    swap(made, core(last="0"))
    between(made, name)


def width_behind_a_fifo(made: Block) -> None:
    swap(made, core(out=8))
    between(made, "axis_data_fifo")


def narrowed(made: Block) -> None:
    swap(made, core(out=8))
    between(made, "axis_dwidth_converter", M_TDATA_NUM_BYTES="4")


def two_resets(made: Block) -> None:
    """The DMA is reset by a module on another clock."""
    made.cell("/rst1", "proc_sys_reset")
    made.wire("/ps/FCLK_CLK1", "/rst1/slowest_sync_clk")
    made.wire("/ps/FCLK_RESET0_N", "/rst1/ext_reset_in")
    made.unwire("/dma/axi_resetn")
    made.wire("/rst1/peripheral_aresetn", "/dma/axi_resetn")


def rewire(made: Block, driver: str, *pins: str) -> None:
    made.unwire(*pins)
    made.wire(driver, *pins)


def rebus(made: Block, first: str, second: str) -> None:
    made.unwire(first, second)
    made.bus(first, second)


def direct_axi3(made: Block) -> None:
    swap(made, core(protocol="AXI4"))
    rebus(made, "/ps/M_AXI_GP0", "/core/s_axil")


def direct_64_bits(made: Block) -> None:
    swap(made, core(protocol="AXI4"))
    rebus(made, "/dma/M_AXI_MM2S", "/core/s_axil")


def default_memory(made: Block) -> None:
    made.design.cells["/dma"].config.pop("c_m_axi_mm2s_data_width")
    made.set("/dma", c_m_axis_mm2s_tdata_width="64")


def newer(made: Block) -> None:
    """The first one is what the release has."""
    swap(made, SmallIp("xilinx.com:ip:proc_sys_reset:5.1"))
    made.cell("/reset", "xilinx.com:ip:proc_sys_reset:5.1")


def never(made: Block) -> None:
    made.ours = True
    made.cell("/reset", "xilinx.com:ip:proc_sys_reset:3.3")


def older(made: Block) -> None:
    swap(made, SmallIp("xilinx.com:ip:proc_sys_reset:4.0"))
    made.cell("/reset", "xilinx.com:ip:proc_sys_reset:4.0")


def trdy(made: Block) -> None:
    ip = core()
    names = {"TDATA": "s_axis_tdata", "TVALID": "s_axis_tvalid", "TRDY": "s_axis_tready"}
    buses = [replace(one, ports=names) if one.name == "s_axis" else one for one in ip.interfaces]
    swap(made, replace(ip, interfaces=tuple(buses)))


def button(made: Block) -> None:
    made.pin("/", "button", "I", "rst", POLARITY="ACTIVE_LOW")
    rewire(made, "/button", "/core/aresetn")


def external_stream(made: Block, rate: str) -> None:
    """A stream enters the design, with a clock that says another frequency."""
    made.unwire("/dma/M_AXIS_MM2S", "/core/s_axis")
    made.bus_pin("/", "S", "Slave", AXIS_RTL, FREQ_HZ=rate, TDATA_NUM_BYTES="4", HAS_TLAST="1")
    made.pin("/", "clk", "I", "clk", FREQ_HZ="100000000", ASSOCIATED_BUSIF="S", ASSOCIATED_RESET="aresetn")
    made.cell("/fifo", "axis_data_fifo")
    made.bus("/S", "/fifo/S_AXIS")
    made.wire("/clk", "/fifo/s_axis_aclk")
    made.pin("/", "aresetn", "I", "rst", POLARITY="ACTIVE_LOW")
    made.wire("/aresetn", "/fifo/s_axis_aresetn")


def coherent(
    made: Block, prot: str = "2", pins: tuple[str, ...] = ("awcache", "arcache", "awprot", "arprot")
) -> None:
    made.cell("/psu", "zynq_ultra_ps_e", preset="some")
    made.cell("/c", "xlconstant", CONST_VAL="15")
    made.cell("/p", "xlconstant", CONST_VAL=prot)
    for pin in pins:
        made.wire("/c/dout" if "cache" in pin else "/p/dout", f"/psu/saxigp0_{pin}")


def hierarchy(made: Block, mode: str) -> None:
    made.hier("/h")
    made.bus_pin("/h", "S", mode, AXIMM_RTL)
    made.cell("/h/dma", "axi_dma", c_m_axi_mm2s_data_width="64")
    made.bus("/h/S", "/h/dma/S_AXI_LITE", hier="/h")
    made.bus("/lite/M03_AXI", "/h/S")
    made.set("/lite", NUM_MI="4")
    pins = ("s_axi_lite_aclk", "m_axi_mm2s_aclk", "m_axi_s2mm_aclk")
    made.wire("/ps/FCLK_CLK0", "/lite/M03_ACLK", *(f"/h/dma/{pin}" for pin in pins))
    made.wire("/rst/peripheral_aresetn", "/lite/M03_ARESETN", "/h/dma/axi_resetn")


def inside_out(made: Block, direction: str) -> None:
    """The clock comes from a hierarchy."""
    made.hier("/h")
    made.pin("/h", "clk", direction, "clk")
    made.cell("/h/wiz", "clk_wiz")
    made.wire("/h/clk", "/h/wiz/clk_out1", hier="/h")
    made.wire("/ps/FCLK_CLK1", "/h/wiz/clk_in1")
    made.cell("/rst1", "proc_sys_reset")
    made.wire("/h/clk", "/rst1/slowest_sync_clk")
    made.wire("/ps/FCLK_RESET0_N", "/rst1/ext_reset_in")


# What is changed, and the rule that must say so, alone.
MISTAKES: dict[str, tuple[str, Change]] = {
    "DMA clock forgotten": ("clock-not-driven", lambda b: b.unwire("/dma/m_axi_mm2s_aclk")),
    "PS port without clock": ("clock-not-driven", lambda b: b.unwire("/ps/S_AXI_HP0_ACLK")),
    "too many ports": ("clock-not-driven", lambda b: b.set("/lite", NUM_MI="4")),
    "core reset forgotten": ("reset-not-driven", lambda b: b.unwire("/core/aresetn")),
    "interconnect port without reset": ("reset-not-driven", lambda b: b.unwire("/lite/M01_ARESETN")),
    "two drivers": ("several-drivers", lambda b: b.wire("/ps/FCLK_CLK1", "/core/aclk")),
    "IRQ_F2P twice": ("several-drivers", lambda b: b.wire("/dma/mm2s_introut", "/ps/IRQ_F2P")),
    "clock on a reset": ("driver-kind", lambda b: rewire(b, "/ps/FCLK_CLK0", "/dma/axi_resetn")),
    "constant on a clock": ("driver-kind", lambda b: rewire(b, "/mode/dout", "/core/aclk")),
    "mode forgotten": ("input-not-driven", lambda b: b.unwire("/core/mode")),
    "vector too narrow": ("width-mismatch", lambda b: rewire(b, "/core/irq", "/core/mode")),
    "vector too wide": ("width-mismatch", lambda b: rewire(b, "/dma/axi_dma_tstvec", "/core/mode")),
    "pin misspelt": ("unknown-pin", lambda b: b.wire("/ps/FCLK_CLK0", "/dma/m_axi_sg_aclk")),
    "port that is off": ("unknown-pin", lambda b: b.wire("/ps/FCLK_CLK0", "/lite/M05_ACLK")),
    "interface misspelt": ("unknown-interface", lambda b: b.bus("/ps/M_AXI_GP1", "/lite/S01_AXI")),
    "version of another time": ("unknown-vlnv", newer),
    "no facts": ("unknown-ip", lambda b: b.cell("/strange", "some.com:ip:strange:1.0")),
    "stream to memory port": ("bus-kinds", lambda b: rebus(b, "/dma/M_AXIS_MM2S", "/mem/S00_AXI")),
    "two masters": ("bus-modes", lambda b: rebus(b, "/dma/M_AXIS_MM2S", "/core/m_axis")),
    "two slaves": ("bus-modes", lambda b: rebus(b, "/core/s_axil", "/intc/s_axi")),
    "bus twice": ("bus-twice", lambda b: b.bus("/dma/M_AXI_S2MM", "/mem/S00_AXI")),
    "bus forgotten": ("bus-not-connected", lambda b: b.unwire("/core/m_axis", "/dma/S_AXIS_S2MM")),
    "input driven from inside": ("boundary-directions", lambda b: inside_out(b, "I")),
    "boundary inverted": ("boundary-modes", lambda b: hierarchy(b, "Master")),
    "AXI3 to AXI4": ("axi-protocol", direct_axi3),
    "memory widths": ("axi-width", direct_64_bits),
    "stream widths": ("stream-width", lambda b: swap(b, core(count=8))),
    "no VLNV": ("interface-vlnv", lambda b: b.bus_pin("/", "odd", "Slave", "ACTIVE_LOW")),
    "signal misspelt": ("bus-signals", trdy),
    "version that never was": ("unknown-vlnv", never),
    "version that no release has": (
        "unknown-vlnv",
        lambda b: b.cell("/d", "xilinx.com:ip:axi_dma:7.3"),
    ),
    "version that is past": ("unknown-vlnv", lambda b: b.cell("/f", "xilinx.com:ip:axis_data_fifo:1.1")),
    "version to come": ("unknown-vlnv", lambda b: b.cell("/u", "xilinx.com:ip:zynq_ultra_ps_e:3.5")),
    "name misspelt": ("misspelt-ip", lambda b: b.cell("/d", "xilinx.com:ip:axi_dmma:7.1")),
    "vendor misspelt": ("misspelt-ip", lambda b: b.cell("/d", "xilnix.com:ip:axi_dma:7.1")),
    "clock too fast": ("ps-clock-range", lambda b: b.set("/ps", PCW_FPGA0_PERIPHERAL_FREQMHZ="1000")),
    "no TLAST": ("stream-last", lambda b: swap(b, core(last="0"))),
    "no TLAST behind a FIFO": ("stream-last", lambda b: no_tlast_behind(b, "axis_data_fifo")),
    "no TLAST behind a converter": ("stream-last", lambda b: no_tlast_behind(b, "axis_dwidth_converter")),
    "width behind a FIFO": ("stream-width", width_behind_a_fifo),
    "width behind a converter": (
        "stream-width",
        lambda b: between(b, "axis_dwidth_converter", M_TDATA_NUM_BYTES="8"),
    ),
    "FIFO of another width": ("stream-width", lambda b: between(b, "axis_data_fifo", TDATA_NUM_BYTES="8")),
    "FIFO without TLAST": ("stream-last", lambda b: between(b, "axis_data_fifo", HAS_TLAST="0")),
    "stream wider than memory": ("dma-width", lambda b: b.set("/dma", c_m_axis_mm2s_tdata_width="128")),
    "bus without clock": ("bus-clock", lambda b: swap(b, core(ASSOCIATED_BUSIF="s_axil:s_axis"))),
    "clock names none": ("clock-names", lambda b: swap(b, core(ASSOCIATED_BUSIF="s_axil:s_axis:m_axis:x"))),
    "clock names no reset": ("clock-names", lambda b: swap(b, core(ASSOCIATED_RESET="rstn"))),
    "other clock on a port": ("clock-domains", lambda b: second_clock(b, *S2MM_CLOCKS)),
    "module with a rate": ("clock-rates", lambda b: swap(b, core(FREQ_HZ="200000000"))),
    "port with a rate": ("clock-rates", lambda b: external_stream(b, "50000000")),
    "wrong polarity": ("reset-polarity", lambda b: rewire(b, "/rst/peripheral_reset", "/dma/axi_resetn")),
    "reset of another clock": ("reset-domain", two_resets),
    "reset of the PS": ("reset-asynchronous", lambda b: rewire(b, "/ps/FCLK_RESET0_N", "/core/aresetn")),
    "interrupts as edges": ("interrupt-edge", lambda b: b.set("/intc", C_KIND_OF_INTR="0xFFFFFFFF")),
    "too many interrupts": ("interrupt-count", lambda b: b.set("/concat", NUM_PORTS="33")),
    "reset of a button": ("reset-asynchronous", button),
    "DDR inside": ("ps-external", lambda b: b.unwire("/DDR")),
    "not secure": ("coherent-port", lambda b: coherent(b, "0")),
    "one of four forgotten": ("coherent-port", lambda b: coherent(b, pins=("awcache", "awprot", "arprot"))),
    "no such parameter": ("parameter-unknown", lambda b: b.set("/dma", c_s_axis_s2mm_data_width="32")),
    "value of no choice": ("parameter-range", lambda b: b.set("/dma", c_include_s2mm="2")),
    "value out of range": ("parameter-range", lambda b: b.set("/dma", c_sg_length_width="27")),
    "value that is ignored": ("parameter-disabled", lambda b: b.set("/dma", c_num_mm2s_channels="4")),
    "value that Vivado derives": (
        "parameter-derived",
        lambda b: b.set("/dma", c_s_axis_s2mm_tdata_width="32"),
    ),
}  # fmt: skip
# Mistakes of which Vivado says something else, too.
ALSO = {
    "too many ports": {"reset-not-driven"},
    "constant on a clock": {"clock-domains", "reset-domain"},
    "reset of another clock": {"clock-domains"},
    "version that never was": {"unknown-ip"},
    "version that no release has": {"unknown-ip"},
    "version that is past": {"unknown-ip"},
    "version to come": {"unknown-ip"},
    "name misspelt": {"unknown-ip"},
    "vendor misspelt": {"unknown-ip"},
    "other clock on a port": {"reset-domain"},
    "too many interrupts": {"interrupt-open"},
    "bus twice": {"bus-not-connected"},
    "two drivers": {"clock-domains"},
}
# Only a design of shellgen's own is judged so.
OWN = {
    "bus-not-connected",
    "parameter-derived",
    "parameter-disabled",
    "interrupt-open",
    "ps-preset",
    "reset-before-lock",
}


def found(made: Block) -> dict[str, Verdict]:
    return {message.rule: message.verdict for message in made.judge(*OURS)}


def test_a_system_that_is_right_is_silent() -> None:
    assert system().judge(*OURS) == []
    made = system()
    made.ours = True
    assert made.judge(*OURS) == []


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str) -> None:
    rule, change = MISTAKES[name]
    made = system()
    made.ours = rule in OWN or name == "vector too wide"
    change(made)
    rules = found(made)
    assert rule in rules
    assert set(rules) - {rule} <= ALSO.get(name, set())


def test_every_rule_has_a_mistake_and_a_source() -> None:
    assert {rule for rule, _ in MISTAKES.values()} | OWN | {"monitor-clock"} == set(OURS)
    assert all(RULES[name].source for name in OURS)


def test_a_reset_with_a_default_is_used_in_a_design_of_ours() -> None:
    made = system()
    ports = (IpPort("axi_resetn", "in", default="1"),)
    swap(made, replace(DMA, ports=ports))
    made.unwire("/dma/axi_resetn")
    assert made.judge("reset-not-driven") == []
    made.ours = True
    (message,) = made.judge("reset-not-driven")
    assert (message.where, message.vivado) == ("/dma/axi_resetn", "")


@pytest.mark.parametrize(("bits", "rules"), [(8, ["axi-protocol"]), (4, []), (None, [])])
def test_a_protocol_is_known_by_its_bursts(bits: int | None, rules: list[str]) -> None:
    made = system()
    master = IpInterface("M", "master", AXIMM, {}, {"ARLEN": "m_arlen"})
    swap(made, SmallIp("xilinx.com:ip:odd:1.0", (master,), (IpPort("m_arlen", "out", bits and bits - 1, 0),)))
    made.cell("/odd", "odd")
    rebus(made, "/odd/M", "/ps/S_AXI_HP0")
    assert [message.rule for message in made.judge("axi-protocol")] == rules


def test_messages_name_their_line() -> None:
    made = system()
    rewire(made, "/rst/peripheral_reset", "/dma/axi_resetn")
    (message,) = made.judge("reset-polarity")
    assert (message.origin.file, message.origin.line) == ("bd.tcl", made.line)
    assert message.where == "/dma/axi_resetn"
    assert message.vivado == "BD 41-238"


# What Vivado accepts, and a rule might take for a mistake.
def two_clocks(made: Block) -> None:
    """An interconnect takes one port to another clock, with its own reset."""
    second_clock(made, *S2MM_CLOCKS)
    made.cell("/rst1", "proc_sys_reset")
    made.wire("/ps/FCLK_CLK1", "/rst1/slowest_sync_clk")
    made.wire("/ps/FCLK_RESET0_N", "/rst1/ext_reset_in")
    rewire(made, "/rst1/peripheral_aresetn", "/mem/S01_ARESETN")
    made.unwire("/core/m_axis", "/dma/S_AXIS_S2MM")


def smart(made: Block) -> None:
    """A SmartConnect on two clocks."""
    made.cell("/smc", "smartconnect", NUM_CLKS="2", NUM_SI="1")
    made.unwire("/dma/M_AXI_S2MM", "/mem/S01_AXI", "/dma/m_axi_s2mm_aclk")
    made.wire("/ps/FCLK_CLK1", "/smc/aclk1", "/dma/m_axi_s2mm_aclk")
    made.wire("/ps/FCLK_CLK0", "/smc/aclk")
    made.wire("/rst/peripheral_aresetn", "/smc/aresetn")
    made.bus("/dma/M_AXI_S2MM", "/smc/S00_AXI")
    made.bus("/smc/M00_AXI", "/mem/S01_AXI")
    made.unwire("/core/m_axis", "/dma/S_AXIS_S2MM")


def wizard(made: Block) -> None:
    """Two clocks of one Clocking Wizard, and one reset for both."""
    made.unwire(*CLOCKED)
    made.cell("/wiz", "clk_wiz", CLKOUT1_REQUESTED_OUT_FREQ="100", CLKOUT2_REQUESTED_OUT_FREQ="200")
    made.wire("/ps/FCLK_CLK0", "/wiz/clk_in1")
    made.wire("/wiz/clk_out1", *(pin for pin in CLOCKED if pin != "/core/aclk"))
    made.wire("/wiz/clk_out2", "/core/aclk")
    made.unwire("/core/s_axil", "/core/s_axis", "/core/m_axis")


def through_a_hierarchy(made: Block) -> None:
    made.design.cells["/dma"].config.pop("c_include_mm2s")
    hierarchy(made, "Slave")


def automated(made: Block) -> None:
    """Automation connects whatever it likes."""
    made.unwire("/dma/s_axi_lite_aclk", "/dma/axi_resetn", "/DDR", "/FIXED_IO", "/dma/S_AXI_LITE")
    config = {"Master": "/ps/M_AXI_GP0"}
    made.design.automations.append(Automation("axi4", config, "/dma/S_AXI_LITE", made.next()))


def monitor(made: Block) -> None:
    made.cell("/ila", "system_ila")
    made.wire("/ps/FCLK_CLK0", "/ila/clk")
    made.wire("/rst/peripheral_aresetn", "/ila/resetn")
    made.bus("/dma/M_AXI_MM2S", "/ila/SLOT_0_AXI")


def strange_neighbours(made: Block) -> None:
    """Whatever touches an IP that nobody knows is not judged."""
    made.cell("/strange", "some.com:ip:strange:1.0")
    for pin in ("/dma/axi_resetn", "/core/aclk"):
        made.unwire(pin)
        made.wire(f"/strange/{pin[1:4]}", pin)
    rebus(made, "/strange/M", "/core/s_axis")


def external_reset(made: Block) -> None:
    """Both may belong together, without the script saying so."""
    external_stream(made, "100000000")
    del made.design.cells["/"].pins["clk"].config["ASSOCIATED_RESET"]


def leaving(made: Block) -> None:
    """As a design that is a part of another: its clock leaves it beside the bus."""
    made.bus_pin("/", "M", "Master", AXIMM_RTL)
    made.pin("/", "clk_out", "O", "clk", ASSOCIATED_BUSIF="M", FREQ_HZ="100000000")
    made.wire("/ps/FCLK_CLK0", "/clk_out")
    rebus(made, "/lite/M02_AXI", "/M")


def by_board(made: Block) -> None:
    swap(made, replace(WIZARD, complete=False))
    made.cell("/wiz", "clk_wiz")
    made.set("/wiz", CLK_IN1_BOARD_INTERFACE="sysclk")


def edges(made: Block) -> None:
    made.unwire("/concat/In0", "/concat/In1")
    made.wire("/core/irq", "/concat/In0")
    made.set("/intc", C_KIND_OF_INTR="0x1")


LEGAL: dict[str, Change] = {
    "two clocks": two_clocks,
    "SmartConnect on two clocks": smart,
    "two clocks of a wizard": wizard,
    "hierarchy": through_a_hierarchy,
    "clock that leaves a hierarchy": lambda b: inside_out(b, "O"),
    "automation": automated,
    "monitor": monitor,
    "unknown IP": strange_neighbours,
    "coherent": coherent,
    "stream from outside": lambda b: external_stream(b, "100000000"),
    "reset and clock from outside": external_reset,
    "spare interrupt line": lambda b: b.set("/concat", NUM_PORTS="4"),
    "spare port": lambda b: b.unwire("/lite/M02_AXI", "/intc/s_axi"),
    "lower bits are taken": lambda b: rewire(b, "/dma/axi_dma_tstvec", "/core/mode"),
    "limits of what is not used": lambda b: b.set("/dma", c_unused="100"),
    "limits that the default breaks": lambda b: b.set("/dma", c_odd="7"),
    "number as a choice writes it": lambda b: b.set("/dma", c_real="1"),
    "number with zeros in front": lambda b: b.set("/dma", c_sg_length_width="014"),
    "value as hexadecimal": lambda b: b.set("/dma", c_sg_length_width="0x1A"),
    "value that is taken over": lambda b: b.set(
        "/dma", c_s_axis_s2mm_tdata_width__VALUE_SRC="USER", c_s_axis_s2mm_tdata_width="32"
    ),
    "reset straight into a reset module": lambda b: rewire(b, "/ps/FCLK_RESET0_N", "/rst/aux_reset_in"),
    "older version, which may still be there": older,
    "memory port that follows its stream": default_memory,
    "name of the user's own": lambda b: b.cell("/d", "xilinx.com:ip:axi_dmma:1.0"),
    "number of the user's own": lambda b: b.cell("/d", "xilinx.com:ip:axi_dma2:7.1"),
    "version after all that are known": lambda b: b.cell("/p", "xilinx.com:ip:axi_pcie:2.9"),
    "clock at its limit": lambda b: b.set("/ps", PCW_FPGA0_PERIPHERAL_FREQMHZ="250.000000"),
    "clock and bus that leave": leaving,
    "what one card offers": lambda b: b.set("/dma", WHATEVER_BOARD_INTERFACE="leds", c_other="9"),
    "stream through a width converter": narrowed,
    "clock that the card chooses": by_board,
    "edges that are edges": edges,
}


@pytest.mark.parametrize("name", LEGAL)
def test_what_is_legal_is_silent(name: str) -> None:
    made = system()
    LEGAL[name](made)
    assert {rule: v for rule, v in found(made).items() if v is not Verdict.NOT_MODELLED} == {}


def test_a_monitor_on_another_clock() -> None:
    made = system()
    monitor(made)
    second_clock(made, "/ila/clk")
    assert set(found(made)) == {"monitor-clock"}


def test_a_reset_that_does_not_wait_for_the_clock() -> None:
    made = system()
    made.ours = True
    made.cell("/wiz", "clk_wiz")
    made.wire("/ps/FCLK_CLK0", "/wiz/clk_in1")
    rewire(made, "/wiz/clk_out1", "/rst/slowest_sync_clk")
    assert [message.rule for message in made.judge("reset-before-lock")] == ["reset-before-lock"]
    made.wire("/wiz/locked", "/rst/dcm_locked")
    assert made.judge("reset-before-lock") == []


def test_a_port_of_ours_needs_a_clock_and_a_sink_of_ours_its_tlast() -> None:
    made = system()
    external_stream(made, "100000000")
    made.design.cells["/"].interfaces["S"].config["HAS_TLAST"] = Setting("0", made.next())
    rebus(made, "/S", "/core/s_axis")
    del made.design.cells["/"].pins["clk"].config["ASSOCIATED_BUSIF"]
    assert made.judge("bus-clock", "stream-last") == []
    made.ours = True
    found = [(message.rule, message.where) for message in made.judge("bus-clock", "stream-last")]
    assert found == [("bus-clock", "/S"), ("stream-last", "/core/s_axis")]


def test_an_interrupt_is_forgotten() -> None:
    made = system()
    made.ours = True
    made.unwire("/concat/In1")
    assert [message.where for message in made.judge("interrupt-open")] == ["/concat/In1"]
    made = system()
    made.ours = True
    made.unwire("/intc/irq")
    assert [message.where for message in made.judge("interrupt-open")] == ["/ps/IRQ_F2P"]


class Preset(SmallIp):
    """A PS whose master port is off by default."""

    def resolve(self, config: Mapping[str, str]) -> Resolved:
        on = config.get("PCW_USE_M_AXI_GP0", "0") == "1"
        return SmallIp(self.vlnv, (memory("M_AXI_GP0", "master"),) if on else ()).resolve(config)


def preset(board: str, **config: str) -> set[Verdict]:
    """Use the port of a PS that a preset was applied to, and return what is said of it."""
    made = Block(*ALL)
    swap(made, Preset("xilinx.com:ip:processing_system7:5.5", parameters=(Parameter("PCW_USE_M_AXI_GP0"),)))
    made.board = board
    made.cell("/ps", "processing_system7")
    made.set("/ps", **config)
    if board:
        wanted = {"apply_board_preset": "1"}
        made.design.automations.append(Automation("processing_system7", wanted, "/ps", made.next(), True))
    made.cell("/lite", "axi_interconnect")
    made.bus("/ps/M_AXI_GP0", "/lite/S00_AXI")
    return {message.verdict for message in made.judge("unknown-interface")}


def test_what_a_preset_switches_on_is_known_for_known_boards() -> None:
    assert preset("") == {Verdict.ERROR}
    assert preset("", preset="ZedBoard") == set()
    assert preset("somebody.com:some_board:part0:1.0") == set()
    assert preset("tul.com.tw:pynq-z2:part0:1.0") == set()
    assert preset("avnet.com:microzed_7020:part0:1.3") == {Verdict.ERROR}
    assert preset("avnet.com:microzed_7020:part0:1.3", PCW_USE_M_AXI_GP0="1") == set()


@pytest.mark.parametrize("ended", [1, None])
def test_nothing_is_missing_where_a_script_stopped(ended: int | None) -> None:
    """It had no time to say it; once it was validated it had."""
    made = system()
    made.ours, made.ended = True, ended
    made.unwire("/dma/m_axi_mm2s_aclk", "/core/aresetn", "/core/m_axis", "/DDR", "/concat/In1", "/core/mode")
    assert made.judge(*OURS) == []
    made.design.validated.append(made.next())
    assert set(found(made)) >= {"clock-not-driven", "reset-not-driven", "bus-not-connected", "ps-external"}


@pytest.mark.parametrize(
    ("asked", "given"), [("100", 100_000_000), ("150", 142_857_142), ("50.5", 50_000_000)]
)
def test_a_processing_system_gives_what_its_divisors_can(asked: str, given: int) -> None:
    made = system()
    made.set("/ps", PCW_FPGA0_PERIPHERAL_FREQMHZ=asked)
    assert given_hertz(made.graph, "/ps/FCLK_CLK0") == given
    assert given_hertz(made.graph, "/ps/FCLK_CLK1") is None


def test_a_rate_on_a_pin_counts_as_that_of_its_ip() -> None:
    made = system()
    for rate, rules in (("100000000", []), ("200000000", ["clock-rates"])):
        made.design.cells["/core"].properties["aclk/CONFIG.FREQ_HZ"] = Setting(rate, made.next())
        assert [message.rule for message in made.judge("clock-rates")] == rules


def test_an_ip_that_is_not_known_whole_is_no_error() -> None:
    made = system()
    swap(made, SmallIp("xilinx.com:ip:proc_sys_reset:5.0", (), (), (), complete=False))
    verdicts = {message.verdict for message in made.judge(*OURS)}
    assert verdicts == {Verdict.NOT_MODELLED}


ODD = ("", "-1", "9" * 5000, "0x" + "f" * 5000, "1e400", "nan", chr(0x663), "0b", "{", "08", "1.5")


@pytest.mark.parametrize("value", ODD)
def test_no_value_of_a_script_ends_a_rule(value: str) -> None:
    made = system()
    coherent(made, value)
    external_stream(made, value)
    names = (
        *("NUM_PORTS", "C_KIND_OF_INTR", "c_m_axis_mm2s_tdata_width", "c_m_axi_mm2s_data_width", "HAS_TLAST"),
        *("PCW_FPGA0_PERIPHERAL_FREQMHZ", "c_sg_length_width", "c_include_mm2s", "TDATA_NUM_BYTES"),
    )
    for cell in ("/ps", "/dma", "/concat", "/intc", "/core", "/fifo", "/rst"):
        made.set(cell, **dict.fromkeys(names, value))
    for name in ("ASSOCIATED_BUSIF", "ASSOCIATED_RESET", "FREQ_HZ"):
        made.design.cells["/"].pins["clk"].config[name] = Setting(value, made.next())
    made.design.cells["/core"].properties["aclk/CONFIG.FREQ_HZ"] = Setting(value, made.next())
    for ours in (False, True):
        made.ours = ours
        made.judge(*OURS)
