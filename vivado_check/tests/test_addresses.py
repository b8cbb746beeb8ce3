# SPDX-License-Identifier: BSD-3-Clause
"""The address map: what a space reaches, and every rule on where segments are, each broken once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from small_design import Block, SmallIp, memory, stream

from vivado_check.addresses import amount
from vivado_check.design import Automation
from vivado_check.ip.facts import AddressBlock, IpInterface
from vivado_check.report import Verdict
from vivado_check.rules.base import RULES, all_rules

GIGA = 1 << 30


def master(name: str, space: str, *apertures: tuple[int, int]) -> IpInterface:
    return replace(memory(name, "master"), space=space, apertures=apertures)


def slave(name: str, map_: str) -> IpInterface:
    return replace(memory(name, "slave"), memory=map_)


PS = SmallIp(
    "xilinx.com:ip:ps:1.0",
    (
        master("M_GP0", "Data", (0x4000_0000, GIGA)),
        master("M_GP1", "Data", (0x8000_0000, GIGA)),
        slave("S_HP0", "HP"),
    ),
    blocks=(
        AddressBlock("HP", "DDR", 0, GIGA // 2, "memory", absolute=True),
        AddressBlock("HP", "OCM", 0xFFFC_0000, 0x4_0000, "memory", absolute=True),
        AddressBlock("HP", "HIGH", 0x8_0000_0000, GIGA, "memory", absolute=True),
    ),
    spaces={"Data": 4 * GIGA},
)
DMA = SmallIp(
    "xilinx.com:ip:dma:1.0",
    (slave("S_AXI_LITE", "S_AXI_LITE"), master("M_AXI", "Data_MM2S"), stream("M_AXIS", "master")),
    blocks=(AddressBlock("S_AXI_LITE", "Reg", 0, 4096, "register"),),
    spaces={"Data_MM2S": 4 * GIGA},
)
BRAM = SmallIp(
    "xilinx.com:ip:bram:1.0",
    (slave("S_AXI", "S_AXI"),),
    blocks=(AddressBlock("S_AXI", "Mem0", 0, 0x8000, "memory"),),
)
CROSS = SmallIp(
    "xilinx.com:ip:cross:1.0",
    (memory("S00", "slave"), memory("S01", "slave"), memory("M00", "master"), memory("M01", "master")),
)
UNKNOWN = "example.com:user:thing:1.0"


def system() -> Block:
    """A PS that controls a DMA and a memory, which the DMA reaches as well, beside the DDR."""
    block = Block(PS, DMA, BRAM, CROSS)
    for path, name in (
        ("/ps", "ps"),
        ("/dma", "dma"),
        ("/bram", "bram"),
        ("/lite", "cross"),
        ("/mem", "cross"),
    ):
        block.cell(path, name)
    block.hier("/box")
    block.bus_pin("/box", "S", "Slave", "xilinx.com:interface:aximm_rtl:1.0")
    block.cell("/box/last", "cross")
    block.bus("/ps/M_GP0", "/lite/S00")
    block.bus("/lite/M00", "/dma/S_AXI_LITE")
    block.bus("/lite/M01", "/box/S")
    block.bus("/box/S", "/box/last/S00", hier="/box")
    block.bus("/box/last/M00", "/mem/S01", hier="/box")
    block.bus("/dma/M_AXI", "/mem/S00")
    block.bus("/mem/M00", "/ps/S_HP0")
    block.bus("/mem/M01", "/bram/S_AXI")
    return block


def placed() -> Block:
    """The same with an address for everything that is reached."""
    block = system()
    block.place("/ps/Data", "/dma/S_AXI_LITE/Reg", 0x4040_0000, 0x1_0000)
    block.place("/ps/Data", "/bram/S_AXI/Mem0", 0x5000_0000, 0x8000)
    block.place("/dma/Data_MM2S", "/bram/S_AXI/Mem0", 0x5000_0000, 0x8000)
    block.place("/dma/Data_MM2S", "/ps/HP/DDR", 0, GIGA // 2)
    for name in ("DDR", "OCM", "HIGH"):
        block.exclude("/ps/Data", f"/ps/HP/{name}")
    block.exclude("/dma/Data_MM2S", "/ps/HP/OCM")
    return block


def changed(space: str, segment: str, offset: int | None, size: int | None) -> Block:
    block = placed()
    for one in block.design.segments:
        if (one.space, one.segment) == (space, segment):
            one.offset, one.range = offset, size
    return block


def addresses(block: Block) -> list[tuple[str, str]]:
    """Return which rule says what, of all about addresses."""
    names = [name for name in sorted(r.name for r in all_rules()) if name.startswith("address-")]
    return [(message.rule, message.found) for message in block.judge(*names)]


def test_a_space_reaches_through_interconnects_and_hierarchies() -> None:
    map_ = system().context().addresses
    assert list(map_.spaces) == ["/ps/Data", "/dma/Data_MM2S"]
    reached = map_.reach(map_.spaces["/ps/Data"])
    assert set(reached.targets) == {
        *("/dma/S_AXI_LITE/Reg", "/bram/S_AXI/Mem0"),
        *("/ps/HP/DDR", "/ps/HP/OCM", "/ps/HP/HIGH"),
    }
    assert reached.whole
    assert reached.targets["/bram/S_AXI/Mem0"].masters == ("/ps/M_GP0",)


def test_ports_of_the_design_are_spaces_and_segments() -> None:
    block = Block(CROSS)
    block.cell("/x", "cross")
    vlnv = "xilinx.com:interface:aximm_rtl:1.0"
    block.bus_pin("/", "S_AXI", "Slave", vlnv, ADDR_WIDTH="16")
    block.bus_pin("/", "M_AXI", "Master", vlnv)
    block.bus("/S_AXI", "/x/S00")
    block.bus("/x/M00", "/M_AXI")
    map_ = block.context().addresses
    assert list(map_.reach(map_.spaces["/S_AXI"]).targets) == ["/M_AXI/Reg"]
    block.place("/S_AXI", "/M_AXI/Reg", 0x1_0000, 0x1000)
    assert [rule for rule, _ in addresses(block)] == ["address-aperture"]


def test_a_bridge_says_itself_where_it_leads() -> None:
    one = replace(memory("S00", "slave"), bridges=("M01",))
    block = Block(PS, DMA, BRAM, replace(CROSS, interfaces=(one, *CROSS.interfaces[1:])))
    for path in ("ps", "dma", "bram"):
        block.cell(f"/{path}", path)
    block.cell("/lite", "cross")
    block.bus("/ps/M_GP0", "/lite/S00")
    block.bus("/lite/M00", "/dma/S_AXI_LITE")
    block.bus("/lite/M01", "/bram/S_AXI")
    map_ = block.context().addresses
    assert list(map_.reach(map_.spaces["/ps/Data"]).targets) == ["/bram/S_AXI/Mem0"]


def test_a_whole_map_is_right() -> None:
    assert addresses(placed()) == []


# The right map has the DDR of 512 MiB at 0 and windows of 1 GiB at 0x4000_0000 and 0x8000_0000, of which the
# second is not connected.
@pytest.mark.parametrize(
    ("where", "offset", "size", "rule"),
    [
        (("/ps/Data", "/dma/S_AXI_LITE/Reg"), 0x4040_0000, 0x1800, "address-size"),
        (("/ps/Data", "/dma/S_AXI_LITE/Reg"), 0x4040_0000, 0x40, "address-size"),
        (("/ps/Data", "/dma/S_AXI_LITE/Reg"), 0x4040_8000, 0x1_0000, "address-alignment"),
        (("/ps/Data", "/dma/S_AXI_LITE/Reg"), 0x5000_0000, 0x1_0000, "address-overlap"),
        (("/ps/Data", "/dma/S_AXI_LITE/Reg"), 0x3000_0000, 0x1_0000, "address-aperture"),
        (("/ps/Data", "/dma/S_AXI_LITE/Reg"), 0x8000_0000, 0x1_0000, "address-aperture"),
        (("/ps/Data", "/dma/S_AXI_LITE/Reg"), None, 0x1_0000, "address-automatic"),
        (("/dma/Data_MM2S", "/ps/HP/DDR"), 0x2000_0000, GIGA // 2, "address-fixed"),
        (("/dma/Data_MM2S", "/ps/HP/DDR"), 0, GIGA, "address-fixed"),
        (("/dma/Data_MM2S", "/bram/S_AXI/Mem0"), 0x6000_0000, 0x8000, "address-views"),
    ],
)
def test_wrong_places(where: tuple[str, str], offset: int | None, size: int, rule: str) -> None:
    found = [name for name, _ in addresses(changed(*where, offset, size))]
    assert rule in found
    assert set(found) <= {rule, "address-overlap"}


def test_a_part_of_the_memory_is_right() -> None:
    """As a public overlay has it for the second DMA of a board."""
    assert addresses(changed("/dma/Data_MM2S", "/ps/HP/DDR", 0x1000_0000, 0x1000_0000)) == []


def test_what_a_master_cannot_address() -> None:
    block = placed()
    block.place("/dma/Data_MM2S", "/ps/HP/HIGH", 0x8_0000_0000, GIGA)
    assert [rule for rule, _ in addresses(block)] == ["address-aperture"]


def test_slaves_without_an_address() -> None:
    block = placed()
    gone = block.design.segments.pop(0)
    (message,) = block.judge("address-unassigned")
    assert message.where == f"{gone.segment} in {gone.space}"
    assert message.verdict is Verdict.FINDING
    assert message.vivado == "BD 41-1356"


def test_a_block_that_may_be_switched_off_may_be_left_out() -> None:
    block = placed()
    block.catalogue.ips[BRAM.vlnv] = replace(BRAM, doubtful=frozenset({"S_AXI/Mem0"}))
    block.design.segments[:] = [one for one in block.design.segments if "bram" not in one.segment]
    assert addresses(block) == []
    block.catalogue.ips[BRAM.vlnv] = BRAM
    assert {rule for rule, _ in addresses(block)} == {"address-unassigned"}


def test_a_slave_and_its_map_may_be_called_alike() -> None:
    block = placed()
    block.catalogue.ips[BRAM.vlnv] = replace(BRAM, interfaces=(memory("S_AXI", "slave"),))
    assert addresses(block) == []


def test_a_memory_map_without_blocks_is_not_known() -> None:
    block = placed()
    block.catalogue.ips[BRAM.vlnv] = replace(BRAM, blocks=())
    assert {rule for rule, _ in addresses(block)} == {"address-lost"}


def test_memory_beyond_the_space_needs_no_exclusion() -> None:
    """`placed` does not exclude HIGH from the DMA's space of 4 GiB."""
    assert ("/dma/Data_MM2S", "/ps/HP/HIGH") not in {(s.space, s.segment) for s in placed().design.segments}


def test_what_is_left_to_vivado_is_counted() -> None:
    block = system()
    block.design.automations.append(Automation("assign_bd_address", {}, "", block.next()))
    assert {rule for rule, _ in addresses(block)} == {"address-automatic"}
    assert all(m.verdict is Verdict.NOT_MODELLED for m in block.judge("address-automatic"))


def test_memory_that_vivado_can_only_place_at_its_own_address() -> None:
    """By name, or with all that is left; registers may go anywhere."""
    for whole in (False, True):
        block = system()
        if whole:
            block.design.automations.append(Automation("assign_bd_address", {}, "", block.next()))
        else:
            block.place("/dma/Data_MM2S", "/ps/HP/DDR", None, None)
        placed_ = block.context().addresses.placed["/dma/Data_MM2S"]
        there = {one.segment.segment: (one.offset, one.range) for one in placed_}
        assert there["/ps/HP/DDR"] == (0, GIGA // 2)
        assert "/ps/HP/HIGH" not in there
        assert "/bram/S_AXI/Mem0" not in there
    assert "address-overlap" not in {rule for rule, _ in addresses(block)}


def test_no_way_to_the_slave() -> None:
    block = placed()
    block.design.interface_nets = {
        key: net for key, net in block.design.interface_nets.items() if "/dma/S_AXI_LITE" not in net.members
    }
    assert [rule for rule, _ in addresses(block)] == ["address-path"]
    block = placed()
    block.place("/dma/Data_S2MM", "/ps/HP/DDR", 0, GIGA)
    assert ("address-path", "there is no such space") in addresses(block)


def test_nothing_is_said_of_what_is_not_known() -> None:
    block = placed()
    block.cell("/thing", UNKNOWN)
    block.bus("/ps/M_GP1", "/thing/S_AXI")
    block.place("/ps/Data", "/thing/S_AXI/Reg", 0x8000_0000, 0x1_0000)
    block.place("/thing/Data", "/ps/HP/DDR", 0, GIGA // 2)
    assert {rule for rule, _ in addresses(block)} == {"address-lost"}


def test_every_rule_has_a_source() -> None:
    all_rules()
    assert all(rule.source for name, rule in RULES.items() if name.startswith("address-"))


@pytest.mark.parametrize(("value", "text"), [(65536, "64K"), (GIGA, "1G"), (0x1800, "6K"), (0x180, "0x180")])
def test_amounts(value: int, text: str) -> None:
    assert amount(value) == text
