# SPDX-License-Identifier: BSD-3-Clause
"""A system that is right, ways to change it, and what the rules on nets say then."""

from __future__ import annotations

from collections.abc import Callable, Collection

from small_design import Block, SmallIp, clock, memory, reset, stream
from small_system import system

from vivado_check.ip.facts import IpPort
from vivado_check.report import Verdict
from vivado_check.rules.base import all_rules

AXIMM_RTL, AXIS_RTL = "xilinx.com:interface:aximm_rtl:1.0", "xilinx.com:interface:axis_rtl:1.0"
S2MM_CLOCKS = ("/dma/m_axi_s2mm_aclk", "/mem/S01_ACLK")
Change = Callable[[Block], None]
# Files of rules, by the test that has their mistakes.
SUBJECTS = {
    "names": ("net_names", "catalogue_names", "params"),
    "nets": ("net_drivers", "interrupts", "processing_system"),
    "buses": ("bus_links", "bus_protocol"),
    "clocks": ("clocks", "resets"),
}


def rules_on(subject: str) -> set[str]:
    modules = SUBJECTS[subject]
    return {rule.name for rule in all_rules() if rule.judge.__module__.rpartition(".")[2] in modules}


OURS = sorted(name for subject in SUBJECTS for name in rules_on(subject))
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


def only(rule: str, change: Change, also: frozenset[str] | set[str]) -> None:
    """Assert that one rule tells of a change, and no other but those that tell of it, too."""
    made = system()
    made.ours = rule in OWN
    change(made)
    rules = found(made)
    assert rule in rules
    assert set(rules) - {rule} <= also


def silent(change: Change) -> None:
    """Assert that no rule finds anything wrong with a change."""
    made = system()
    change(made)
    assert {rule: v for rule, v in found(made).items() if v is not Verdict.NOT_MODELLED} == {}


def complete(subject: str, mistakes: Collection[tuple[str, Change]]) -> None:
    """Assert that every rule of a subject has a mistake that it must tell of, and a source."""
    here = rules_on(subject)
    assert {rule for rule, _ in mistakes} | (OWN & here) == here
    assert all(rule.source for rule in all_rules() if rule.name in here)


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


def rewire(made: Block, driver: str, *pins: str) -> None:
    made.unwire(*pins)
    made.wire(driver, *pins)


def rebus(made: Block, first: str, second: str) -> None:
    made.unwire(first, second)
    made.bus(first, second)


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
