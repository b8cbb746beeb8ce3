# SPDX-License-Identifier: BSD-3-Clause
"""Effects of automation: with facts they are in the record, without facts a message says they are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivado_check.design import Design
from vivado_check.report import Verdict
from vivado_check.run import Checked, Options, check

HEAD = """
create_project one one -part xc7z020clg400-1
create_bd_design top
create_bd_cell -type ip -vlnv xilinx.com:ip:processing_system7:5.5 processing_system7_0
apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 \\
    -config {make_external "FIXED_IO, DDR" apply_board_preset "1" Master "Disable" Slave "Disable"} \\
    [get_bd_cells processing_system7_0]
set_property -dict [list CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ 125 CONFIG.PCW_USE_M_AXI_GP0 1] \\
    [get_bd_cells processing_system7_0]
create_bd_cell -type ip -vlnv xilinx.com:ip:axi_interconnect:2.1 bus
set_property -dict [list CONFIG.NUM_SI 1 CONFIG.NUM_MI 2] [get_bd_cells bus]
connect_bd_intf_net [get_bd_intf_pins processing_system7_0/M_AXI_GP0] [get_bd_intf_pins bus/S00_AXI]
"""
CLOCK = "Clk {/processing_system7_0/FCLK_CLK0 (125 MHz)} Freq {125} Ref_Clk0 {}"


def _checked(tmp_path: Path, text: str) -> tuple[Checked, Design]:
    script = tmp_path / "a.tcl"
    script.write_text(HEAD + text)
    checked = check(script, Options(release="2020.1"))
    (recording,) = checked.recordings.values()
    assert recording.ended == 0, checked.messages
    return checked, recording.designs["top"]


def _nets(design: Design) -> set[frozenset[str]]:
    return {frozenset(net.members) for net in design.nets.values()}


def test_a_processor_brings_out_its_memory(tmp_path: Path) -> None:
    _, design = _checked(tmp_path, "")
    assert sorted(design.cells["/"].interfaces) == ["DDR", "FIXED_IO"]
    assert {frozenset(net.members) for net in design.interface_nets.values()} >= {
        frozenset({"/DDR", "/processing_system7_0/DDR"}),
        frozenset({"/FIXED_IO", "/processing_system7_0/FIXED_IO"}),
    }
    assert [automation.modelled for automation in design.automations] == [True]


def test_clocks_and_resets(tmp_path: Path) -> None:
    rule = f"apply_bd_automation -rule xilinx.com:bd_rule:clkrst -config {{{CLOCK}}}"
    text = "\n".join(f"{rule} [get_bd_pins bus/{pins}]" for pins in ("ACLK", "S00_ACLK", "M*_ACLK"))
    _, design = _checked(tmp_path, text)
    assert "/rst_ps7_0_125M" in design.cells
    assert _nets(design) == {
        frozenset(
            {
                *("/processing_system7_0/FCLK_CLK0", "/processing_system7_0/M_AXI_GP0_ACLK"),
                *("/bus/ACLK", "/bus/S00_ACLK", "/bus/M00_ACLK", "/bus/M01_ACLK"),
                "/rst_ps7_0_125M/slowest_sync_clk",
            }
        ),
        frozenset(
            {
                *("/bus/ARESETN", "/bus/S00_ARESETN", "/bus/M00_ARESETN", "/bus/M01_ARESETN"),
                "/rst_ps7_0_125M/peripheral_aresetn",
            }
        ),
        frozenset({"/processing_system7_0/FCLK_RESET0_N", "/rst_ps7_0_125M/ext_reset_in"}),
    }
    assert all(automation.modelled for automation in design.automations)


@pytest.mark.parametrize(
    "text",
    [
        "apply_bd_automation -rule xilinx.com:bd_rule:axi4 "
        "-config {Master {/processing_system7_0/M_AXI_GP0}} "
        "[get_bd_intf_pins bus/S00_AXI]",
        "apply_bd_automation -rule xilinx.com:bd_rule:clkrst -config {Clk {New Clocking Wizard}} "
        "[get_bd_pins bus/ACLK]",
        "create_bd_cell -type ip -vlnv who.com:user:core:1.0 core\n"
        f"apply_bd_automation -rule xilinx.com:bd_rule:clkrst -config {{{CLOCK}}} [get_bd_pins core/c]",
    ],
)
def test_what_facts_do_not_tell_is_said(tmp_path: Path, text: str) -> None:
    later = "set_property CONFIG.NUM_MI 1 [get_bd_cells axi_smc]"
    checked, design = _checked(tmp_path, f"{text}\n{later}\n")
    assert not design.automations[-1].modelled
    unknown = [m.found for m in checked.messages if m.verdict is Verdict.NOT_MODELLED]
    assert any("is not recorded" in found for found in unknown)
    assert [m.found for m in checked.messages if m.verdict is Verdict.ERROR] == []
