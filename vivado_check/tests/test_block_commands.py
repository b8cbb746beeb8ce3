# SPDX-License-Identifier: BSD-3-Clause
"""Records of the block-design commands, without knowledge of any IP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from vivado_check.design import Design
from vivado_check.record import block_properties as properties
from vivado_check.record.commands import ToolError
from vivado_check.record.session import Session
from vivado_check.recording import Project, Recording
from vivado_check.report import Origin
from vivado_check.tcl.arguments import split_list
from vivado_check.tcl.sandbox import Sandbox


class Shell:
    """A session with one block design; every line is one command with plain words."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.lines = 0

    def __call__(self, text: str) -> str:
        answer = ""
        for line in filter(None, text.splitlines()):
            self.lines += 1
            command, *words = split_list(line)
            answer = self.session.call(command, words, Origin("a.tcl", self.lines))
        return answer

    @property
    def design(self) -> Design:
        assert self.session.design is not None
        return self.session.design

    def nets(self, *, interface: bool = False) -> set[tuple[str, frozenset[str]]]:
        table = self.design.interface_nets if interface else self.design.nets
        return {(net.hier, frozenset(net.members)) for net in table.values()}


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    with Sandbox(tmp_path) as sandbox:
        found = Shell(Session(Recording("2022.2", tmp_path), sandbox))
        found("create_bd_design top")
        yield found


TWO = """
create_bd_cell -type ip -vlnv who.com:user:dma:7.1 dma
create_bd_cell -type ip -vlnv who.com:user:gpio:2.0 gpio
"""
HIER = """
create_bd_cell -type hier sub
create_bd_pin -dir I -type clk sub/clk
create_bd_intf_pin -mode Slave -vlnv xilinx.com:interface:aximm_rtl:1.0 sub/S
create_bd_cell -type ip -vlnv who.com:user:gpio:2.0 sub/gpio
"""


def test_a_net_joins_what_it_meets(shell: Shell) -> None:
    shell(TWO)
    shell("connect_bd_net -net one dma/a gpio/a")
    shell("connect_bd_net dma/b gpio/b")
    shell("connect_bd_net gpio/a {dma/c gpio/b}")
    assert shell.nets() == {("/", frozenset({"/dma/a", "/gpio/a", "/dma/b", "/gpio/b", "/dma/c"}))}
    assert list(shell.design.nets) == [("/", "one")]
    net = shell.design.nets["/", "one"]
    assert net.members["/dma/a"] == Origin("a.tcl", 4)
    assert net.members["/dma/c"] == Origin("a.tcl", 6)


def test_an_object_of_a_net_takes_more_pins(shell: Shell) -> None:
    shell(TWO)
    shell("connect_bd_intf_net -intf_net link dma/M gpio/S")
    shell(f"connect_bd_intf_net -intf_net {shell('get_bd_intf_nets link')} gpio/monitor")
    assert shell.nets(interface=True) == {("/", frozenset({"/dma/M", "/gpio/S", "/gpio/monitor"}))}


def test_a_pin_of_a_hierarchy_has_two_sides(shell: Shell) -> None:
    shell(TWO + HIER)
    shell("connect_bd_net dma/clk sub/clk")
    shell("current_bd_instance sub")
    assert shell("get_bd_pins clk") == "/sub/clk"
    shell("connect_bd_net -net inner clk gpio/clk")
    shell("connect_bd_intf_net -boundary_type lower S gpio/S_AXI")
    shell("current_bd_instance /")
    assert shell.nets() == {
        ("/", frozenset({"/dma/clk", "/sub/clk"})),
        ("/sub", frozenset({"/sub/clk", "/sub/gpio/clk"})),
    }
    assert shell("get_bd_nets -of_objects sub/clk -boundary_type lower") == "/sub/inner"
    assert shell("get_bd_nets -boundary_type upper -of_objects sub/clk") == "/dma_clk"
    assert shell.nets(interface=True) == {("/sub", frozenset({"/sub/S", "/sub/gpio/S_AXI"}))}


def test_nets_through_hierarchies_make_their_pins(shell: Shell) -> None:
    shell(TWO + HIER)
    shell("connect_bd_net dma/irq sub/gpio/in")
    assert shell.nets() == {
        ("/", frozenset({"/dma/irq", "/sub/in"})),
        ("/sub", frozenset({"/sub/in", "/sub/gpio/in"})),
    }


def test_moved_cells_stay_connected(shell: Shell) -> None:
    shell(TWO + HIER)
    shell("connect_bd_net dma/a gpio/a sub/clk")
    shell("connect_bd_net sub/clk sub/gpio/clk")
    assert shell("group_bd_cells pair dma gpio") == "/pair"
    assert set(shell.design.cells) == {"/", "/pair", "/pair/dma", "/pair/gpio", "/sub", "/sub/gpio"}
    assert ("/pair", frozenset({"/pair/dma/a", "/pair/gpio/a", "/pair/a"})) in shell.nets()
    assert ("/", frozenset({"/pair/a", "/sub/clk"})) in shell.nets()
    assert ("/sub", frozenset({"/sub/clk", "/sub/gpio/clk"})) in shell.nets()


def test_what_is_deleted_leaves_its_nets(shell: Shell) -> None:
    shell(TWO + HIER)
    shell("connect_bd_net dma/a gpio/a sub/clk")
    shell("connect_bd_net sub/clk sub/gpio/clk")
    shell("assign_bd_address -offset 0x0 -range 4K -target_address_space dma/Data sub/gpio/S_AXI/Reg")
    shell("delete_bd_objs sub")
    assert shell.nets() == {("/", frozenset({"/dma/a", "/gpio/a"}))}
    assert set(shell.design.cells) == {"/", "/dma", "/gpio"}
    assert not shell.design.segments
    shell("disconnect_bd_net dma_a gpio/a")
    assert shell.nets() == {("/", frozenset({"/dma/a"}))}
    shell("delete_bd_objs /dma_a")
    assert not shell.nets()
    with pytest.raises(ToolError, match="nothere is not in the design"):
        shell("delete_bd_objs nothere")


def test_renaming_keeps_connections_and_addresses(shell: Shell) -> None:
    shell(TWO)
    shell("make_bd_pins_external gpio/irq")
    shell("create_bd_addr_seg -offset 0x40000000 -range 64K dma/Data gpio/S_AXI/Reg SEG_gpio_Reg")
    assert properties.put(shell.session, "NAME", "leds", "/gpio")
    assert properties.put(shell.session, "name", "irq", "irq_0")
    assert not properties.put(shell.session, "NAME", "x", "/nothere")
    assert shell.nets() == {("/", frozenset({"/irq", "/leds/irq"}))}
    (segment,) = shell.design.segments
    assert (segment.space, segment.segment, segment.name) == ("/dma/Data", "/leds/S_AXI/Reg", "SEG_gpio_Reg")
    assert properties.get(shell.session, "OFFSET", "/dma/Data/SEG_gpio_Reg") == "0x0000000040000000"
    assert properties.get(shell.session, "RANGE", "dma/Data/SEG_gpio_Reg") == "0x0000000000010000"


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("get_bd_cells", "/dma /gpio /sub"),
        ("get_bd_cells -hierarchical *gpio", "/gpio /sub/gpio"),
        ("get_bd_cells -hier -filter {VLNV =~ who.com:user:gpio:* && NAME != x}", "/gpio /sub/gpio"),
        ("get_bd_cells -filter {TYPE == hier || (NAME =~ g* && !(TYPE == hier))}", "/gpio /sub"),
        ("get_bd_cells -regexp {.*(dma|sub)}", "/dma /sub"),
        ("get_bd_cells /sub/*", "/sub/gpio"),
        ("get_bd_cells nothere", ""),
        ("get_bd_cells {dma sub/gpio}", "/dma /sub/gpio"),
        ("get_bd_cells -of_objects /dma/a", "/dma /gpio"),
        ("get_bd_pins dma/anything", "/dma/anything"),
        ("get_bd_pins sub/clk", "/sub/clk"),
        ("get_bd_pins sub/nothere", ""),
        ("get_bd_pins sub/S_araddr", "/sub/S_araddr"),
        ("get_bd_pins nothere/x", ""),
        ("get_bd_pins dma/*", "/dma/a"),
        ("get_bd_pins -of sub -filter {DIR == I}", "/sub/clk"),
        ("get_bd_pins -of_objects /dma_a", "/dma/a /gpio/a"),
        ("get_bd_addr_segs dma/S_AXI_LITE/*", "/dma/S_AXI_LITE/Reg"),
        ("get_bd_addr_segs dma/S_AXI_LITE/Mem*", "/dma/S_AXI_LITE/Mem"),
        ("get_bd_addr_segs dma/S_AXI_LITE/Reg*", "/dma/S_AXI_LITE/Reg"),
        ("get_bd_addr_segs -of_objects dma/S_AXI_LITE", "/dma/S_AXI_LITE/Reg"),
        ("get_bd_addr_segs nothere/S_AXI_LITE/*", ""),
        ("get_bd_nets", "/dma_a"),
        ("get_bd_nets -of gpio", "/dma_a"),
        ("get_bd_ports", "/reset"),
        ("get_bd_ports -filter {TYPE == rst}", "/reset"),
        ("get_bd_ports {-filter} {DIR == O}", ""),
        ("get_bd_intf_ports -quiet x", ""),
    ],
)
def test_getters(shell: Shell, line: str, answer: str) -> None:
    shell(TWO + HIER)
    shell("connect_bd_net dma/a gpio/a")
    shell("create_bd_port -dir I -type rst reset")
    assert shell(line) == answer


def test_getters_look_from_the_current_hierarchy(shell: Shell) -> None:
    shell(TWO + HIER)
    shell("create_bd_port -dir I clk_in")
    assert shell("current_bd_instance .") == "/"
    assert shell("current_bd_instance sub") == "/sub"
    assert shell("get_bd_cells") == "/sub/gpio"
    assert shell("get_bd_cells /gpio") == "/gpio"
    assert shell("get_bd_ports clk_in") == "/clk_in"
    assert shell("create_bd_cell -type ip -vlnv a:b:c:1.0 x") == "/sub/x"
    with pytest.raises(ToolError, match="no hierarchy"):
        shell("current_bd_instance x")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("create_bd_cell -type ip -vlnv a:b:c:1.0 dma", "is in the design already"),
        ("create_bd_cell -type ip x", "has no -vlnv"),
        ("create_bd_cell -type thing -vlnv a:b:c:1.0 x", "-type of /x is thing"),
        ("create_bd_cell -type ip -vlnv a:b:c:1.0 nothere/x", "is no hierarchy"),
        ("connect_bd_net {} dma/a", "has 1 pin"),
        ("connect_bd_intf_net dma/a", "has 1 interface"),
        ("create_bd_design top", "in the project already"),
        ("assign_bd_address -offset 64X -range 4K -target_address_space dma/Data gpio/S_AXI/Reg", "'64X'"),
        ("create_bd_addr_seg -offset 0 -range 4K dma/Data {} SEG", "has 2 of its three words"),
        ("get_bd_cells -filter {NAME ==}", "lacks a property or a value"),
    ],
)
def test_what_is_refused(shell: Shell, line: str, found: str) -> None:
    shell(TWO)
    before = (set(shell.design.cells), shell.nets(), list(shell.design.segments))
    with pytest.raises(ToolError) as caught:
        shell(line)
    assert found in str(caught.value)
    assert before == (set(shell.design.cells), shell.nets(), list(shell.design.segments))


def test_a_hierarchy_with_a_reference_is_a_module(shell: Shell) -> None:
    shell("create_bd_cell -type hier -reference mvau core")
    assert (shell.design.cells["/core"].kind, shell.design.cells["/core"].reference) == ("module", "mvau")
    assert shell("get_bd_intf_pins core/out_V") == "/core/out_V"


def test_addresses(shell: Shell) -> None:
    shell(TWO)
    shell(
        "assign_bd_address -offset 0x40000000 -range 64K -target_address_space dma/Data gpio/S_AXI/Reg -force"
    )
    shell(
        "assign_bd_address -offset 0 -range 1G -target_address_space /dma/Data gpio/S_AXI/Mem -with_name LOW"
    )
    shell("exclude_bd_addr_seg -offset 0 -range 4K -target_address_space /dma/Data gpio/S_AXI/Other")
    shell("exclude_bd_addr_seg dma/Data/LOW")
    found = [(s.segment, s.name, s.offset, s.range, s.excluded) for s in shell.design.segments]
    assert found == [
        ("/gpio/S_AXI/Reg", "SEG_gpio_Reg", 0x4000_0000, 0x1_0000, False),
        ("/gpio/S_AXI/Mem", "LOW", 0, 1 << 30, True),
        ("/gpio/S_AXI/Other", "SEG_gpio_Other", 0, 4096, True),
    ]
    shell(f"include_bd_addr_seg {shell('get_bd_addr_segs -excluded dma/Data/LOW')}")
    assert [s.excluded for s in shell.design.segments] == [False, False, True]
    shell("assign_bd_address dma/Data/LOW -offset 0x80000000")
    assert shell.design.segments[1].offset == 0x8000_0000
    shell("assign_bd_address gpio/S_AXI/Reg2")
    shell("assign_bd_address")
    assert [(a.rule, a.target) for a in shell.design.automations] == [
        ("assign_bd_address", "/gpio/S_AXI/Reg2"),
        ("assign_bd_address", ""),
    ]


def test_a_project_has_the_file_of_its_design(shell: Shell, tmp_path: Path) -> None:
    shell.session.project = Project("p", tmp_path / "p", "part", Origin())
    shell("create_bd_design other")
    (file,) = shell.session.project.files
    assert file.name == str(tmp_path / "p/p.srcs/sources_1/bd/other/other.bd")
    assert file.path.is_file()
    assert not Path(file.name).exists()
    assert shell(f"open_bd_design {file.name}") == "other"
    assert shell("open_bd_design top") == "top"


def test_quiet_getters_and_unknown_options(shell: Shell) -> None:
    shell("current_bd_design")
    assert shell("delete_bd_objs -quiet nothere") == ""
    shell("validate_bd_design -some_new_option")
    assert [m.found for m in shell.session.recording.messages] == [
        "the option -some_new_option of validate_bd_design is not modelled"
    ]
    assert shell.design.validated
