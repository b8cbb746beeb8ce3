# SPDX-License-Identifier: BSD-3-Clause
"""Names, versions, parameters and presets: one mistake in a system that is right, and one rule says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from net_rules import (
    OURS,
    Change,
    complete,
    only,
    rebus,
    silent,
    swap,
)
from small_design import Block, SmallIp, memory
from small_system import ALL, DMA, WIZARD, system

from vivado_check.design import Automation
from vivado_check.ip.facts import Parameter, Resolved
from vivado_check.report import Verdict


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


def strange_neighbours(made: Block) -> None:
    """Whatever touches an IP that nobody knows is not judged."""
    made.cell("/strange", "some.com:ip:strange:1.0")
    for pin in ("/dma/axi_resetn", "/core/aclk"):
        made.unwire(pin)
        made.wire(f"/strange/{pin[1:4]}", pin)
    rebus(made, "/strange/M", "/core/s_axis")


def by_board(made: Block) -> None:
    swap(made, replace(WIZARD, complete=False))
    made.cell("/wiz", "clk_wiz")
    made.set("/wiz", CLK_IN1_BOARD_INTERFACE="sysclk")


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


# What is changed, and the rule that must say so, alone.
MISTAKES: dict[str, tuple[str, Change]] = {
    "pin misspelt": ("unknown-pin", lambda b: b.wire("/ps/FCLK_CLK0", "/dma/m_axi_sg_aclk")),
    "port that is off": ("unknown-pin", lambda b: b.wire("/ps/FCLK_CLK0", "/lite/M05_ACLK")),
    "interface misspelt": ("unknown-interface", lambda b: b.bus("/ps/M_AXI_GP1", "/lite/S01_AXI")),
    "version of another time": ("unknown-vlnv", newer),
    "no facts": ("unknown-ip", lambda b: b.cell("/strange", "some.com:ip:strange:1.0")),
    "no VLNV": ("interface-vlnv", lambda b: b.bus_pin("/", "odd", "Slave", "ACTIVE_LOW")),
    "version that never was": ("unknown-vlnv", never),
    "version that no release has": (
        "unknown-vlnv",
        lambda b: b.cell("/d", "xilinx.com:ip:axi_dma:7.3"),
    ),
    "version that is past": ("unknown-vlnv", lambda b: b.cell("/f", "xilinx.com:ip:axis_data_fifo:1.1")),
    "version to come": ("unknown-vlnv", lambda b: b.cell("/u", "xilinx.com:ip:zynq_ultra_ps_e:3.5")),
    "name misspelt": ("misspelt-ip", lambda b: b.cell("/d", "xilinx.com:ip:axi_dmma:7.1")),
    "vendor misspelt": ("misspelt-ip", lambda b: b.cell("/d", "xilnix.com:ip:axi_dma:7.1")),
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
ALSO: dict[str, set[str]] = {
    "version that never was": {"unknown-ip"},
    "version that no release has": {"unknown-ip"},
    "version that is past": {"unknown-ip"},
    "version to come": {"unknown-ip"},
    "name misspelt": {"unknown-ip"},
    "vendor misspelt": {"unknown-ip"},
}
# What Vivado accepts, and a rule might take for a mistake.
LEGAL: dict[str, Change] = {
    "unknown IP": strange_neighbours,
    "limits of what is not used": lambda b: b.set("/dma", c_unused="100"),
    "limits that the default breaks": lambda b: b.set("/dma", c_odd="7"),
    "number as a choice writes it": lambda b: b.set("/dma", c_real="1"),
    "number with zeros in front": lambda b: b.set("/dma", c_sg_length_width="014"),
    "value as hexadecimal": lambda b: b.set("/dma", c_sg_length_width="0x1A"),
    "value that is taken over": lambda b: b.set(
        "/dma", c_s_axis_s2mm_tdata_width__VALUE_SRC="USER", c_s_axis_s2mm_tdata_width="32"
    ),
    "older version, which may still be there": older,
    "name of the user's own": lambda b: b.cell("/d", "xilinx.com:ip:axi_dmma:1.0"),
    "number of the user's own": lambda b: b.cell("/d", "xilinx.com:ip:axi_dma2:7.1"),
    "version after all that are known": lambda b: b.cell("/p", "xilinx.com:ip:axi_pcie:2.9"),
    "what one card offers": lambda b: b.set("/dma", WHATEVER_BOARD_INTERFACE="leds", c_other="9"),
    "clock that the card chooses": by_board,
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str) -> None:
    only(*MISTAKES[name], ALSO.get(name, set()))


@pytest.mark.parametrize("name", LEGAL)
def test_what_is_legal_is_silent(name: str) -> None:
    silent(LEGAL[name])


def test_every_rule_has_a_mistake_and_a_source() -> None:
    complete("names", MISTAKES.values())


def test_what_a_preset_switches_on_is_known_for_known_boards() -> None:
    assert preset("") == {Verdict.ERROR}
    assert preset("", preset="ZedBoard") == set()
    assert preset("somebody.com:some_board:part0:1.0") == set()
    assert preset("tul.com.tw:pynq-z2:part0:1.0") == set()
    assert preset("avnet.com:microzed_7020:part0:1.3") == {Verdict.ERROR}
    assert preset("avnet.com:microzed_7020:part0:1.3", PCW_USE_M_AXI_GP0="1") == set()


def test_an_ip_that_is_not_known_whole_is_no_error() -> None:
    made = system()
    swap(made, SmallIp("xilinx.com:ip:proc_sys_reset:5.0", (), (), (), complete=False))
    verdicts = {message.verdict for message in made.judge(*OURS)}
    assert verdicts == {Verdict.NOT_MODELLED}


@pytest.mark.parametrize(
    ("value", "until", "wrong"), [("c", "2022.2", True), ("1", "2022.2", False), ("c", "2020.1", False)]
)
def test_a_choice_of_a_later_release_or_by_its_place(value: str, until: str, wrong: bool) -> None:
    made = system()
    swap(made, replace(DMA, parameters=(Parameter("kind", choices=("a", "b"), until=until),)))
    made.design.cells["/dma"].config.clear()
    made.set("/dma", kind=value)
    assert bool(made.judge("parameter-range")) is wrong
