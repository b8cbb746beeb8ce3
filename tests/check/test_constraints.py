# SPDX-License-Identifier: BSD-3-Clause
"""Constraint files, run as the Tcl that they are: anybody's and ours."""

from __future__ import annotations

from pathlib import Path

import pytest
from zynq_project import node_plan

from shellgen.check.run import Options, check
from shellgen.disk.output import write
from shellgen.emit.whole import emit
from vivado_check.report import Message

TOP = "module top (input wire clk, input wire [3:0] sw, output wire [3:0] led, inout wire scl);\nendmodule\n"
SCRIPT = """create_project p p -part xc7z020clg400-1
add_files top.v
add_files -fileset constrs_1 top.xdc
set_property top top [current_fileset]
"""
RIGHT = """# of anybody
set_property -dict { PACKAGE_PIN H16 IOSTANDARD LVCMOS33 } [get_ports { clk }]; #IO_L13P
create_clock -add -name sys_clk -period 8.00 -waveform {0 4} [get_ports clk]
set_property PACKAGE_PIN R14 [get_ports led[0]]
set_property PACKAGE_PIN P14 [get_ports {led[1]}]
set_property IOSTANDARD LVCMOS33 [get_ports {led[*] sw[*]}]
set_property IOSTANDARD lvcmos33 [get_ports -filter {NAME =~ s*}]
set_property MY_OWN 3 [get_cells -hierarchical *]
set_property PULLUP true [get_ports -quiet nothing]
set_false_path -from [get_clocks sys_clk] -to [get_pins a/b/C]
create_generated_clock -name half -source [get_ports clk] -divide_by 2 [get_pins div_reg/Q]
set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]
set_property CFGBVS VCCO [current_design]
"""


def found(folder: Path, text: str) -> list[Message]:
    (folder / "top.v").write_text(TOP)
    (folder / "top.xdc").write_text(text)
    (folder / "make.tcl").write_text(SCRIPT)
    messages = check(folder / "make.tcl", Options()).messages
    return [one for one in messages if one.rule in ("constraints", "unknown-command")]


def test_what_others_write(tmp_path: Path) -> None:
    assert found(tmp_path, RIGHT) == []


MISTAKES = {
    "no such port": ("{ clk }", "{ clock }", "clock"),
    "no such bus": ("{led[1]}", "{leds[1]}", "leds[1]"),
    "a clock on no port": ("[get_ports clk]\nset", "[get_ports clkin]\nset", "sys_clk"),
    "no period": ("-period 8.00 ", "", "sys_clk"),
    "no time at all": ("-period 8.00", "-period 0", "sys_clk"),
    "a property": ("PACKAGE_PIN R14", "PACKAGEPIN R14", "PACKAGEPIN"),
    "of the bitstream": ("GENERAL.COMPRESS", "GENERAL.COMPRES", "BITSTREAM.GENERAL.COMPRES"),
    "its value": ("COMPRESS TRUE", "COMPRESS ON", "BITSTREAM.GENERAL.COMPRESS"),
    "a standard": ("LVCMOS33 }", "LVCM0S33 }", "IOSTANDARD"),
    "a pin": ("PACKAGE_PIN H16", "PACKAGE_PIN 16", "PACKAGE_PIN"),
    "a pin twice": ("PACKAGE_PIN P14", "PACKAGE_PIN R14", "led[1]"),
    "a bracket": ("[get_ports {led[1]}]", "[get_ports {led[1]}", ""),
    "Tcl that is no constraint": ("# of anybody", "foreach p {a b} { }", "foreach"),
    "a command": ("set_false_path", "set_flase_path", "set_flase_path"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake(case: str, tmp_path: Path) -> None:
    old, new, where = MISTAKES[case]
    text = RIGHT.replace(old, new, 1)
    assert text != RIGHT
    messages = found(tmp_path, text)
    assert where in {one.where for one in messages}, messages
    lines = {one.origin.line for one in messages}
    changed = next(
        k
        for k, pair in enumerate(zip(RIGHT.split("\n"), text.split("\n"), strict=True), 1)
        if pair[0] != pair[1]
    )
    assert changed in lines


def test_where_the_top_is_not_known_no_port_is_missing(tmp_path: Path) -> None:
    (tmp_path / "make.tcl").write_text(SCRIPT.replace("set_property top top [current_fileset]\n", ""))
    text = RIGHT.replace("{ clk }", "{ clock }")
    assert found(tmp_path, text)  # here it is
    (tmp_path / "make.tcl").write_text(SCRIPT.replace("set_property top top [current_fileset]\n", ""))
    messages = check(tmp_path / "make.tcl", Options()).messages
    assert [one for one in messages if one.rule == "constraints"] == []


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("bitstream.xdc", "COMPRESS", "COMPRES"),
        ("bitstream.xdc", "BITSTREAM.GENERAL.COMPRESS", "SOMETHING"),
        ("axil_cdc.tcl", "$cell/s_axil_aclk", "$cell/s_axil_clk"),
        ("axil_cdc.tcl", "s_toggle_q m_meta_q", "s_toggle_q m_mata_q"),
        ("axil_cdc.tcl", "  set_max_delay -data", "  set_max_dealy -data"),
    ],
)
def test_our_own(file: str, old: str, new: str, tmp_path: Path) -> None:
    plan, network = node_plan("zcu104", "1rx_1tx", compute_mhz=200.0)
    write(emit(plan, network.files), tmp_path / "out")
    path = tmp_path / "out" / "n0" / "vivado" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    messages = check(tmp_path / "out", Options()).messages
    assert {"constraints", "unknown-command"} & {
        one.rule for one in messages if one.origin.file.endswith(file)
    }
