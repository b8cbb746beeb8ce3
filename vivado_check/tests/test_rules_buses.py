# SPDX-License-Identifier: BSD-3-Clause
"""Buses: one mistake in a system that is right, and one rule says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from net_rules import (
    Change,
    complete,
    core,
    hierarchy,
    inside_out,
    only,
    rebus,
    silent,
    swap,
)
from small_design import Block, SmallIp
from small_system import system

from vivado_check.ip.facts import AXIMM, IpInterface, IpPort, Resolved


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


def direct_axi3(made: Block) -> None:
    swap(made, core(protocol="AXI4"))
    rebus(made, "/ps/M_AXI_GP0", "/core/s_axil")


def direct_64_bits(made: Block) -> None:
    swap(made, core(protocol="AXI4"))
    rebus(made, "/dma/M_AXI_MM2S", "/core/s_axil")


def default_memory(made: Block) -> None:
    made.design.cells["/dma"].config.pop("c_m_axi_mm2s_data_width")
    made.set("/dma", c_m_axis_mm2s_tdata_width="64")


def trdy(made: Block) -> None:
    ip = core()
    names = {"TDATA": "s_axis_tdata", "TVALID": "s_axis_tvalid", "TRDY": "s_axis_tready"}
    buses = [replace(one, ports=names) if one.name == "s_axis" else one for one in ip.interfaces]
    swap(made, replace(ip, interfaces=tuple(buses)))


def through_a_hierarchy(made: Block) -> None:
    made.design.cells["/dma"].config.pop("c_include_mm2s")
    hierarchy(made, "Slave")


# What is changed, and the rule that must say so, alone.
MISTAKES: dict[str, tuple[str, Change]] = {
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
    "signal misspelt": ("bus-signals", trdy),
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
}  # fmt: skip
# Mistakes of which Vivado says something else, too.
ALSO: dict[str, set[str]] = {
    "bus twice": {"bus-not-connected"},
}
# What Vivado accepts, and a rule might take for a mistake.
LEGAL: dict[str, Change] = {
    "hierarchy": through_a_hierarchy,
    "spare port": lambda b: b.unwire("/lite/M02_AXI", "/intc/s_axi"),
    "memory port that follows its stream": default_memory,
    "stream through a width converter": narrowed,
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str) -> None:
    only(*MISTAKES[name], ALSO.get(name, set()))


@pytest.mark.parametrize("name", LEGAL)
def test_what_is_legal_is_silent(name: str) -> None:
    silent(LEGAL[name])


def test_every_rule_has_a_mistake_and_a_source() -> None:
    complete("buses", MISTAKES.values())


@pytest.mark.parametrize(("bits", "rules"), [(8, ["axi-protocol"]), (4, []), (None, [])])
def test_a_protocol_is_known_by_its_bursts(bits: int | None, rules: list[str]) -> None:
    made = system()
    master = IpInterface("M", "master", AXIMM, {}, {"ARLEN": "m_arlen"})
    swap(made, SmallIp("xilinx.com:ip:odd:1.0", (master,), (IpPort("m_arlen", "out", bits and bits - 1, 0),)))
    made.cell("/odd", "odd")
    rebus(made, "/odd/M", "/ps/S_AXI_HP0")
    assert [message.rule for message in made.judge("axi-protocol")] == rules


def test_a_protocol_is_not_that_of_a_port_that_is_off_or_of_a_neighbour() -> None:
    made = system()
    master = IpInterface("M", "master", AXIMM, {}, {"WID": "m_wid"})
    slave = IpInterface("S", "slave", AXIMM, {"PROTOCOL": "AXI4"}, {})
    for present in (True, False):
        ports = (IpPort("m_wid", "out"),) if present else ()
        for name, it, own in (("odd", master, ports), ("even", slave, ())):
            swap(made, OwnPorts(f"xilinx.com:ip:{name}:1.0", (it,), own))
        if present:
            made.cell("/odd", "odd")
            made.cell("/even", "even")
            made.bus("/odd/M", "/even/S")
        assert bool(made.judge("axi-protocol")) is present
    following = IpInterface("M_AXI", "master", AXIMM, {"PROTOCOL": "AXI4"}, {})
    swap(made, SmallIp("xilinx.com:ip:axi_register_slice:2.1", (following,)))
    made.cell("/slice", "axi_register_slice")
    rebus(made, "/slice/M_AXI", "/ps/S_AXI_HP0")
    assert made.judge("axi-protocol") == []
    made.set("/slice", PROTOCOL="AXI4")
    assert [message.rule for message in made.judge("axi-protocol")] == ["axi-protocol"]


class OwnPorts(SmallIp):
    """An IP that has the ports that it lists, whatever its interfaces name."""

    def resolve(self, config: Mapping[str, str]) -> Resolved:
        return replace(super().resolve(config), ports={port.name: port for port in self.ports})
