# SPDX-License-Identifier: BSD-3-Clause
"""Clocks and resets: one mistake in a system that is right, and one rule says so."""

from __future__ import annotations

import pytest
from net_rules import (
    AXIMM_RTL,
    S2MM_CLOCKS,
    Change,
    complete,
    core,
    external_stream,
    inside_out,
    only,
    rebus,
    rewire,
    silent,
    swap,
)
from small_design import Block
from small_system import CLOCKED, system

from vivado_check.clocking import given_hertz
from vivado_check.design import Setting


def second_clock(made: Block, *pins: str) -> None:
    made.unwire(*pins)
    made.wire("/ps/FCLK_CLK1", *pins)


def two_resets(made: Block) -> None:
    """The DMA is reset by a module on another clock."""
    made.cell("/rst1", "proc_sys_reset")
    made.wire("/ps/FCLK_CLK1", "/rst1/slowest_sync_clk")
    made.wire("/ps/FCLK_RESET0_N", "/rst1/ext_reset_in")
    made.unwire("/dma/axi_resetn")
    made.wire("/rst1/peripheral_aresetn", "/dma/axi_resetn")


def button(made: Block) -> None:
    made.pin("/", "button", "I", "rst", POLARITY="ACTIVE_LOW")
    rewire(made, "/button", "/core/aresetn")


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


def monitor(made: Block) -> None:
    made.cell("/ila", "system_ila")
    made.wire("/ps/FCLK_CLK0", "/ila/clk")
    made.wire("/rst/peripheral_aresetn", "/ila/resetn")
    made.bus("/dma/M_AXI_MM2S", "/ila/SLOT_0_AXI")


def late_monitor(made: Block) -> None:
    monitor(made)
    second_clock(made, "/ila/clk")


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


# What is changed, and the rule that must say so, alone.
MISTAKES: dict[str, tuple[str, Change]] = {
    "bus without clock": ("bus-clock", lambda b: swap(b, core(ASSOCIATED_BUSIF="s_axil:s_axis"))),
    "clock names none": ("clock-names", lambda b: swap(b, core(ASSOCIATED_BUSIF="s_axil:s_axis:m_axis:x"))),
    "clock names no reset": ("clock-names", lambda b: swap(b, core(ASSOCIATED_RESET="rstn"))),
    "other clock on a port": ("clock-domains", lambda b: second_clock(b, *S2MM_CLOCKS)),
    "module with a rate": ("clock-rates", lambda b: swap(b, core(FREQ_HZ="200000000"))),
    "port with a rate": ("clock-rates", lambda b: external_stream(b, "50000000")),
    "wrong polarity": ("reset-polarity", lambda b: rewire(b, "/rst/peripheral_reset", "/dma/axi_resetn")),
    "monitor on another clock": ("monitor-clock", late_monitor),
    "reset of another clock": ("reset-domain", two_resets),
    "reset of the PS": ("reset-asynchronous", lambda b: rewire(b, "/ps/FCLK_RESET0_N", "/core/aresetn")),
    "reset of a button": ("reset-asynchronous", button),
}  # fmt: skip
# Mistakes of which Vivado says something else, too.
ALSO: dict[str, set[str]] = {
    "reset of another clock": {"clock-domains"},
    "other clock on a port": {"reset-domain"},
}
# What Vivado accepts, and a rule might take for a mistake.
LEGAL: dict[str, Change] = {
    "two clocks": two_clocks,
    "SmartConnect on two clocks": smart,
    "two clocks of a wizard": wizard,
    "clock that leaves a hierarchy": lambda b: inside_out(b, "O"),
    "monitor": monitor,
    "stream from outside": lambda b: external_stream(b, "100000000"),
    "reset and clock from outside": external_reset,
    "reset straight into a reset module": lambda b: rewire(b, "/ps/FCLK_RESET0_N", "/rst/aux_reset_in"),
    "clock and bus that leave": leaving,
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str) -> None:
    only(*MISTAKES[name], ALSO.get(name, set()))


@pytest.mark.parametrize("name", LEGAL)
def test_what_is_legal_is_silent(name: str) -> None:
    silent(LEGAL[name])


def test_every_rule_has_a_mistake_and_a_source() -> None:
    complete("clocks", MISTAKES.values())


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
