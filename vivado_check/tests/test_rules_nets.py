# SPDX-License-Identifier: BSD-3-Clause
"""Drivers, interrupts, the processing system: one mistake in a system that is right, and one rule says so."""

from __future__ import annotations

from dataclasses import replace

import pytest
from net_rules import (
    OURS,
    Change,
    complete,
    external_stream,
    found,
    only,
    rewire,
    silent,
    swap,
)
from small_design import Block
from small_system import DMA, system

from vivado_check.design import Automation, Setting
from vivado_check.ip.facts import IpPort


def coherent(
    made: Block, prot: str = "2", pins: tuple[str, ...] = ("awcache", "arcache", "awprot", "arprot")
) -> None:
    made.cell("/psu", "zynq_ultra_ps_e", preset="some")
    made.cell("/c", "xlconstant", CONST_VAL="15")
    made.cell("/p", "xlconstant", CONST_VAL=prot)
    for pin in pins:
        made.wire("/c/dout" if "cache" in pin else "/p/dout", f"/psu/saxigp0_{pin}")


def automated(made: Block) -> None:
    """Automation connects whatever it likes."""
    made.unwire("/dma/s_axi_lite_aclk", "/dma/axi_resetn", "/DDR", "/FIXED_IO", "/dma/S_AXI_LITE")
    config = {"Master": "/ps/M_AXI_GP0"}
    made.design.automations.append(Automation("axi4", config, "/dma/S_AXI_LITE", made.next()))


def too_wide(made: Block) -> None:
    """Elsewhere the lower bits may be meant."""
    made.ours = True
    rewire(made, "/dma/axi_dma_tstvec", "/core/mode")


def edges(made: Block) -> None:
    made.unwire("/concat/In0", "/concat/In1")
    made.wire("/core/irq", "/concat/In0")
    made.set("/intc", C_KIND_OF_INTR="0x1")


ODD = ("", "-1", "9" * 5000, "0x" + "f" * 5000, "1e400", "nan", chr(0x663), "0b", "{", "08", "1.5")


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
    "vector too wide": ("width-mismatch", too_wide),
    "clock too fast": ("ps-clock-range", lambda b: b.set("/ps", PCW_FPGA0_PERIPHERAL_FREQMHZ="1000")),
    "interrupts as edges": ("interrupt-edge", lambda b: b.set("/intc", C_KIND_OF_INTR="0xFFFFFFFF")),
    "too many interrupts": ("interrupt-count", lambda b: b.set("/concat", NUM_PORTS="33")),
    "DDR inside": ("ps-external", lambda b: b.unwire("/DDR")),
    "not secure": ("coherent-port", lambda b: coherent(b, "0")),
    "one of four forgotten": ("coherent-port", lambda b: coherent(b, pins=("awcache", "awprot", "arprot"))),
}  # fmt: skip
# Mistakes of which Vivado says something else, too.
ALSO: dict[str, set[str]] = {
    "too many ports": {"reset-not-driven"},
    "constant on a clock": {"clock-domains", "reset-domain"},
    "too many interrupts": {"interrupt-open"},
    "two drivers": {"clock-domains"},
}
# What Vivado accepts, and a rule might take for a mistake.
LEGAL: dict[str, Change] = {
    "automation": automated,
    "coherent": coherent,
    "spare interrupt line": lambda b: b.set("/concat", NUM_PORTS="4"),
    "lower bits are taken": lambda b: rewire(b, "/dma/axi_dma_tstvec", "/core/mode"),
    "clock at its limit": lambda b: b.set("/ps", PCW_FPGA0_PERIPHERAL_FREQMHZ="250.000000"),
    "edges that are edges": edges,
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str) -> None:
    only(*MISTAKES[name], ALSO.get(name, set()))


@pytest.mark.parametrize("name", LEGAL)
def test_what_is_legal_is_silent(name: str) -> None:
    silent(LEGAL[name])


def test_every_rule_has_a_mistake_and_a_source() -> None:
    complete("nets", MISTAKES.values())


def test_a_system_that_is_right_is_silent() -> None:
    assert system().judge(*OURS) == []
    made = system()
    made.ours = True
    assert made.judge(*OURS) == []


def test_a_reset_with_a_default_is_used_in_a_design_of_ours() -> None:
    made = system()
    ports = (IpPort("axi_resetn", "in", default="1"),)
    swap(made, replace(DMA, ports=ports))
    made.unwire("/dma/axi_resetn")
    assert made.judge("reset-not-driven") == []
    made.ours = True
    (message,) = made.judge("reset-not-driven")
    assert (message.where, message.vivado) == ("/dma/axi_resetn", "")


def test_messages_name_their_line() -> None:
    made = system()
    rewire(made, "/rst/peripheral_reset", "/dma/axi_resetn")
    (message,) = made.judge("reset-polarity")
    assert (message.origin.file, message.origin.line) == ("bd.tcl", made.line)
    assert message.where == "/dma/axi_resetn"
    assert message.vivado == "BD 41-238"


def test_an_interrupt_is_forgotten() -> None:
    made = system()
    made.ours = True
    made.unwire("/concat/In1")
    assert [message.where for message in made.judge("interrupt-open")] == ["/concat/In1"]
    made = system()
    made.ours = True
    made.unwire("/intc/irq")
    assert [message.where for message in made.judge("interrupt-open")] == ["/ps/IRQ_F2P"]


@pytest.mark.parametrize("ended", [1, None])
def test_nothing_is_missing_where_a_script_stopped(ended: int | None) -> None:
    """It had no time to say it; once it was validated it had."""
    made = system()
    made.ours, made.ended = True, ended
    made.unwire("/dma/m_axi_mm2s_aclk", "/core/aresetn", "/core/m_axis", "/DDR", "/concat/In1", "/core/mode")
    assert made.judge(*OURS) == []
    made.design.validated.append(made.next())
    assert set(found(made)) >= {"clock-not-driven", "reset-not-driven", "bus-not-connected", "ps-external"}


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
