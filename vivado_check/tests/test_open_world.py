# SPDX-License-Identifier: BSD-3-Clause
"""Names unseen in public projects may exist; a typo of a known name, or a disabled one, does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivado_check.report import Message, Verdict
from vivado_check.run import Options, check

HEAD = "create_project p p -part xck26-sfvc784-2LV-c\ncreate_bd_design d\n"
# As AMD's own designs have them: Xilinx/kria-vitis-platforms (KR260 TSN, KV260 BIST), XilinxCEDStore.
REAL = {
    "axi_mcdma": "create_bd_cell -type ip -vlnv xilinx.com:ip:axi_mcdma m",
    "qdma": "create_bd_cell -type ip -vlnv xilinx.com:ip:qdma:5.0 m",
    "cmac": "create_bd_cell -type ip -vlnv xilinx.com:ip:cmac m",
    "mipi_csi2_tx_subsystem": "create_bd_cell -type ip -vlnv xilinx.com:ip:mipi_csi2_tx_subsystem m",
    "ibert_ultrascale_gty": "create_bd_cell -type ip -vlnv xilinx.com:ip:ibert_ultrascale_gty m",
    "a pin of a later revision": (
        "create_bd_cell -type ip -vlnv xilinx.com:ip:axi_uartlite u\n"
        "create_bd_port -dir O txen\nconnect_bd_net [get_bd_pins u/txen] [get_bd_ports txen]"
    ),
    "a default of another family": (
        "create_bd_cell -type ip -vlnv xilinx.com:ip:axi_quad_spi s\n"
        "create_bd_port -dir O sck\nconnect_bd_net [get_bd_pins s/sck_o] [get_bd_ports sck]"
    ),
    "a width that Vivado derives": (
        "create_bd_cell -type ip -vlnv xilinx.com:ip:zynq_ultra_ps_e ps\n"
        "set_property -dict {CONFIG.PSU__GPIO_EMIO__PERIPHERAL__ENABLE 1"
        " CONFIG.PSU__GPIO_EMIO__PERIPHERAL__IO 92} [get_bd_cells ps]\n"
        "create_bd_port -dir O -from 91 -to 0 gpio\n"
        "connect_bd_net [get_bd_pins ps/emio_gpio_o] [get_bd_ports gpio]"
    ),
    "a parameter that nobody set": (
        "create_bd_cell -type ip -vlnv xilinx.com:ip:microblaze m\n"
        "set_property CONFIG.C_ENABLE_CONVERSION 0 [get_bd_cells m]"
    ),
    "another member of a family": (
        "create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect c\n"
        "set_property CONFIG.NUM_MI 18 [get_bd_cells c]\n"
        "connect_bd_intf_net [get_bd_intf_pins c/M17_AXI] [get_bd_intf_pins c/S00_AXI]"
    ),
}
WRONG = {
    "a pin with a letter lost": (
        "create_bd_cell -type ip -vlnv xilinx.com:ip:axi_uartlite u\n"
        "create_bd_port -dir O t\nconnect_bd_net [get_bd_pins u/interupt] [get_bd_ports t]",
        "u has no pin interupt",
    ),
    "an interface that the script switches off": (
        "create_bd_cell -type ip -vlnv xilinx.com:ip:axi_dma a\n"
        "set_property CONFIG.c_include_sg 0 [get_bd_cells a]\n"
        "create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect c\n"
        "connect_bd_intf_net [get_bd_intf_pins a/M_AXI_SG] [get_bd_intf_pins c/S00_AXI]",
        "no interface M_AXI_SG",
    ),
    "a parameter with a letter changed": (
        "create_bd_cell -type ip -vlnv xilinx.com:ip:axi_dma a\n"
        "set_property CONFIG.c_includ_sg 0 [get_bd_cells a]",
        "no such parameter",
    ),
    "a pin of an IP whose list is whole": (
        "create_bd_cell -type ip -vlnv xilinx.com:ip:xlconcat a\n"
        "create_bd_port -dir I t\nconnect_bd_net [get_bd_ports t] [get_bd_pins a/other]",
        "no pin other",
    ),
}  # fmt: skip


def said(folder: Path, text: str) -> list[Message]:
    script = folder / "d.tcl"
    script.write_text(f"{HEAD}{text}\n")
    names = ("unknown-pin", "unknown-interface", "parameter-unknown", "misspelt-ip", "width-mismatch")
    return [one for one in check(script, Options(release="2022.2")).messages if one.rule in names]


@pytest.mark.parametrize("name", REAL)
def test_what_was_not_mined_is_not_denied(name: str, tmp_path: Path) -> None:
    assert {one.verdict for one in said(tmp_path, REAL[name])} <= {Verdict.NOT_MODELLED}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_is_told(name: str, tmp_path: Path) -> None:
    text, found = WRONG[name]
    told = [one for one in said(tmp_path, text) if one.verdict is not Verdict.NOT_MODELLED]
    assert [one for one in told if found.removeprefix("u has ") in one.found], told


@pytest.mark.parametrize("slots", [1, 3, 4, 8, 16])
def test_an_analyser_has_a_slot_for_each_stream(slots: int, tmp_path: Path) -> None:
    """Every slot whose type says so is there, though public projects had the first three only."""
    lines = ["create_bd_cell -type ip -vlnv xilinx.com:ip:system_ila:1.1 i"]
    lines += [f"set_property CONFIG.C_NUM_MONITOR_SLOTS {slots} [get_bd_cells i]"]
    for slot in range(slots):
        lines += [
            f"set_property CONFIG.C_SLOT_{slot}_INTF_TYPE xilinx.com:interface:axis_rtl:1.0 [get_bd_cells i]",
            f"create_bd_cell -type ip -vlnv xilinx.com:ip:axis_data_fifo:2.0 f{slot}",
            f"connect_bd_intf_net [get_bd_intf_pins f{slot}/M_AXIS] [get_bd_intf_pins i/SLOT_{slot}_AXIS]",
        ]
    assert said(tmp_path, "\n".join(lines)) == []
