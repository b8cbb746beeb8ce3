# SPDX-License-Identifier: BSD-3-Clause
"""The oracle: both forms of a .bd and a .hwh are read, and a script that differs from them is reported."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tools.oracle import bd_json, bd_xml, hwh
from tools.oracle.__main__ import LIST, entries
from tools.oracle.real import Mapped
from tools.oracle.run import Entry, run

SCRIPT = """
set scripts_vivado_version 2019.1
create_project one one -part xc7z020clg400-1
create_bd_design top
create_bd_cell -type hier sub
create_bd_pin -dir I -type clk sub/clk
create_bd_port -dir O -from 3 -to 0 leds
create_bd_intf_port -mode Master -vlnv xilinx.com:interface:uart_rtl:1.0 uart
create_bd_cell -type ip -vlnv xilinx.com:user:core:5.5 ps
set gpio [create_bd_cell -type ip -vlnv xilinx.com:user:pins:2.0 sub/gpio]
set_property -dict [list CONFIG.C_GPIO_WIDTH {4} CONFIG.C_ALL_OUTPUTS {1}] $gpio
connect_bd_net [get_bd_pins ps/FCLK_CLK0] [get_bd_pins sub/clk]
connect_bd_net [get_bd_pins sub/clk] [get_bd_pins sub/gpio/s_axi_aclk]
connect_bd_net [get_bd_ports leds] [get_bd_pins ps/GPIO_O]
connect_bd_intf_net [get_bd_intf_ports uart] [get_bd_intf_pins ps/UART_0]
assign_bd_address -offset 0x41200000 -range 64K -target_address_space [get_bd_addr_spaces ps/Data] \\
    [get_bd_addr_segs sub/gpio/S_AXI/Reg]
save_bd_design
"""
PARAMETERS = {"C_GPIO_WIDTH": {"value": "4"}}
SEGMENT = {"address_block": "/sub/gpio/S_AXI/Reg", "offset": "0x41200000", "range": "64K"}
JSON = {
    "design": {
        "ports": {"leds": {"direction": "O", "left": "3", "right": "0"}},
        "interface_ports": {"uart": {"mode": "Master", "vlnv": "xilinx.com:interface:uart_rtl:1.0"}},
        "components": {
            "ps": {"vlnv": "xilinx.com:user:core:5.5"},
            "sub": {
                "ports": {"clk": {"type": "clk", "direction": "I"}},
                "components": {"gpio": {"vlnv": "xilinx.com:user:pins:2.0", "parameters": PARAMETERS}},
                "nets": {"clk_1": {"ports": ["clk", "gpio/s_axi_aclk"]}},
            },
        },
        "interface_nets": {"ps_UART_0": {"interface_ports": ["uart", "ps/UART_0"]}},
        "nets": {
            "ps_FCLK_CLK0": {"ports": ["ps/FCLK_CLK0", "sub/clk"]},
            "ps_GPIO_O": {"ports": ["leds", "ps/GPIO_O"]},
        },
        "addressing": {"/ps": {"address_spaces": {"Data": {"segments": {"SEG_gpio_Reg": SEGMENT}}}}},
    }
}


def _id(vendor: str, library: str, name: str, version: str = "1.0") -> str:
    return (
        f"<s:vendor>{vendor}</s:vendor><s:library>{library}</s:library>"
        f"<s:name>{name}</s:name><s:version>{version}</s:version>"
    )


def _instance(name: str, library: str, kind: str, version: str, values: str = "") -> str:
    return (
        f"<s:componentInstance><s:instanceName>{name}</s:instanceName><s:componentRef s:vendor='xilinx.com' "
        f"s:library='{library}' s:name='{kind}' s:version='{version}'/><s:configurableElementValues>{values}"
        "</s:configurableElementValues></s:componentInstance>"
    )


XML = f"""<?xml version="1.0"?>
<bd:repository xmlns:bd="http://www.xilinx.com/bd"
  xmlns:s="http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009">
<s:component>{_id("xilinx.com", "BlockDiagram", "top")}
  <s:busInterfaces><s:busInterface><s:name>uart</s:name><s:master/>
    <s:abstractionType s:vendor="xilinx.com" s:library="interface" s:name="uart_rtl" s:version="1.0"/>
  </s:busInterface></s:busInterfaces>
  <s:model><s:ports><s:port><s:name>leds</s:name><s:wire><s:direction>out</s:direction>
    <s:vector><s:left>3</s:left><s:right>0</s:right></s:vector></s:wire></s:port></s:ports></s:model>
</s:component>
<s:design>{_id("xilinx.com", "BlockDiagram", "top_imp")}<s:componentInstances>
    {_instance("ps", "user", "core", "5.5")}{_instance("sub", "BlockDiagram/top_imp", "sub", "1")}
  </s:componentInstances>
  <s:adHocConnections>
    <s:adHocConnection><s:name>a</s:name>
      <s:internalPortReference s:componentRef="ps" s:portRef="FCLK_CLK0"/>
      <s:internalPortReference s:componentRef="sub" s:portRef="clk"/></s:adHocConnection>
    <s:adHocConnection><s:name>b</s:name><s:externalPortReference s:portRef="leds"/>
      <s:internalPortReference s:componentRef="ps" s:portRef="GPIO_O"/></s:adHocConnection>
  </s:adHocConnections>
  <s:hierConnections><s:hierConnection s:interfaceRef="uart/ps_UART_0">
    <s:activeInterface s:busRef="UART_0" s:componentRef="ps"/></s:hierConnection></s:hierConnections>
</s:design>
<s:component>{_id("xilinx.com", "BlockDiagram/top_imp", "sub")}
  <s:model><s:ports><s:port><s:name>clk</s:name><s:wire><s:direction>in</s:direction></s:wire></s:port>
  </s:ports></s:model></s:component>
<s:design>{_id("xilinx.com", "BlockDiagram/top_imp", "sub_imp")}<s:componentInstances>
    {
    _instance(
        "gpio",
        "user",
        "pins",
        "2.0",
        "<s:configurableElementValue s:referenceId='bd:xciName'>top_gpio_0</s:configurableElementValue>"
        "<s:configurableElementValue s:referenceId='C_GPIO_WIDTH'>4</s:configurableElementValue>",
    )
}
  </s:componentInstances><s:adHocConnections><s:adHocConnection><s:name>c</s:name>
    <s:externalPortReference s:portRef="clk"/>
    <s:internalPortReference s:componentRef="gpio" s:portRef="s_axi_aclk"/></s:adHocConnection>
  </s:adHocConnections></s:design>
<s:component>{_id("xilinx.com", "Addressing/ps", "core")}
  <s:addressSpaces><s:addressSpace><s:name>Data</s:name><s:segments>
    <s:segment><s:name>SEG_gpio_Reg</s:name><s:displayName>/sub/gpio/S_AXI/Reg</s:displayName>
      <s:addressOffset>0x41200000</s:addressOffset><s:range>64K</s:range></s:segment>
    </s:segments></s:addressSpace></s:addressSpaces></s:component>
</bd:repository>
"""
HWH = """<EDKSYSTEM><MODULES>
<MODULE FULLNAME="/ps" INSTANCE="ps"><MEMORYMAP><MEMRANGE ADDRESSBLOCK="Reg" BASEVALUE="0x41200000"
  HIGHVALUE="0x4120FFFF" INSTANCE="sub_gpio" SLAVEBUSINTERFACE="S_AXI"/></MEMORYMAP></MODULE>
<MODULE FULLNAME="/sub/gpio" INSTANCE="sub_gpio"/></MODULES></EDKSYSTEM>"""


@pytest.fixture
def checkouts(tmp_path: Path) -> Path:
    folder = tmp_path / "who+what"
    for name, text in {
        "bd.tcl": SCRIPT,
        "json/top.bd": json.dumps(JSON),
        "xml/top.bd": "\ufeff" + XML,
        "top.hwh": HWH,
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def _entry(form: str) -> Entry:
    return Entry("who/what", "0" * 40, "bd.tcl", f"{form}/top.bd", "top.hwh")


def test_both_forms_say_the_same(checkouts: Path) -> None:
    folder = checkouts / "who+what"
    one, other = bd_json.read(folder / "json/top.bd"), bd_xml.read(folder / "xml/top.bd")
    assert one.cells == other.cells
    assert one.nets == other.nets
    assert one.interface_nets == other.interface_nets
    assert one.ports == other.ports
    assert one.config["/sub/gpio"] == other.config["/sub/gpio"] == {"C_GPIO_WIDTH": "4"}
    assert one.segments == other.segments
    assert one.segments == {Mapped("/ps/Data", "/sub/gpio/S_AXI/Reg", 0x41200000, 0x10000)}
    assert hwh.read(folder / "top.hwh") == {("/ps", "/sub/gpio", "Reg", 0x41200000, 0x4120FFFF)}


@pytest.mark.parametrize("form", ["json", "xml"])
def test_the_script_of_a_design_is_as_it_really_is(checkouts: Path, form: str) -> None:
    result = run(_entry(form), checkouts)
    assert (result.verdict, result.lines) == ("ok", [])
    kinds = ("cells", "parameters", "ports", "interfaces", "nets", "interface nets", "segments", "ranges")
    equal = {part.kind: part.equal for part in result.parts}
    assert equal == dict(zip(kinds, (3, 1, 2, 1, 3, 1, 1, 1), strict=True))


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("user:pins:2.0", "user:pins:1.0", "cells"),
        ("C_GPIO_WIDTH {4}", "C_GPIO_WIDTH {5}", "parameters"),
        ("-from 3", "-from 4", "ports"),
        ("uart_rtl", "gpio_rtl", "interfaces"),
        ("gpio/s_axi_aclk]", "gpio/s_axi_aresetn]", "nets"),
        ("ps/UART_0", "ps/UART_1", "interface nets"),
        ("0x41200000", "0x41210000", "segments"),
        ("64K", "32K", "ranges"),
    ],
)
@pytest.mark.parametrize("form", ["json", "xml"])
def test_a_script_that_differs_is_told(checkouts: Path, form: str, old: str, new: str, kind: str) -> None:
    script = checkouts / "who+what/bd.tcl"
    script.write_text(SCRIPT.replace(old, new))
    result = run(_entry(form), checkouts)
    assert result.verdict.startswith("no: ")
    assert f"{kind} differ" in result.verdict


def _called(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=False, cwd=Path(__file__).parents[2], capture_output=True, text=True)


def test_what_is_missing_is_skipped_and_refuses_alone(checkouts: Path) -> None:
    (checkouts / "list.toml").write_text(
        '[[script]]\nrepository = "who/else"\ncommit = "0"\nscript = "bd.tcl"\n'
        '[[script]]\nrepository = "who/what"\ncommit = "0"\nscript = "bd.tcl"\ndesign = "json/top.bd"\n'
    )
    command = [sys.executable, "-m", "tools.oracle", str(checkouts), "--list", str(checkouts / "list.toml")]
    both = _called(command)
    assert both.returncode == 0, both.stderr
    assert "1 of 1 scripts as they really are, 1 skipped" in both.stdout
    assert "skipped: who/else: bd.tcl: no bd.tcl in who+else" in both.stdout
    (checkouts / "who+what/bd.tcl").write_text(SCRIPT + "connect_bd_net [get_bd_pins nothere/x]\n")
    wrong = _called([*command, "--details"])
    assert wrong.returncode == 1
    assert "too-few-pins" in wrong.stdout


def test_the_list_names_enough() -> None:
    listed = entries(LIST)
    assert len(listed) >= 30
    assert len({(entry.repository, entry.script) for entry in listed}) == len(listed)
    assert any(entry.script.endswith("Pynq-Z2/base/base.tcl") for entry in listed)
    assert sum(bool(entry.design) for entry in listed) >= 30
    assert all(re.fullmatch(r"[0-9a-f]{40}", entry.commit) for entry in listed)
    assert tomllib.loads(LIST.read_text()).keys() == {"script"}
