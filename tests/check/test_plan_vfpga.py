# SPDX-License-Identifier: BSD-3-Clause
"""A core under Coyote against the plan: right as generated in both versions, and each mistake found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from coyote_project import vfpga, write_vfpga
from small_design import SmallCatalogue

from shellgen.check.rules.base import RULES, Context, all_rules
from shellgen.emit.memory_map import memory_map
from vivado_check.recording import Recording
from vivado_check.report import Message, Verdict

OF_VFPGAS = ("plan-vfpga", "plan-shell", "plan-packaged")
SEVERAL = {"regions": 2, "region": 1, "configs": 2, "config": 1}


def judge(out: Path, **more: Any) -> list[Message]:
    all_rules()
    plan, _ = vfpga(**more)
    found = memory_map(plan)
    context = Context(Recording("2022.2", out), SmallCatalogue(), out, None, "card0", plan, found)
    return [message for name in OF_VFPGAS for message in RULES[name].judge(context)]


@pytest.mark.parametrize("coyote", [{}, {"version": "v1"}, SEVERAL, {"rdma": True}])
@pytest.mark.parametrize("more", [{}, {"rx": 2, "tx": 2}, {"clock_mhz": 200.0}])
@pytest.mark.parametrize("board", ["u55c", "u250"])
def test_right_ones(board: str, more: dict[str, Any], coyote: dict[str, Any], tmp_path: Path) -> None:
    write_vfpga(tmp_path, board, coyote=coyote, **more)
    assert judge(tmp_path, board=board, coyote=coyote, **more) == []


# Options, file, what is there, what somebody writes instead, and the rule that tells.
V2 = "hw/src/vfpga_top.svh"
V1 = "hw/user_logic.svh"
OWN = "set(EN_UCLK 1)\nset(UCLK_F 300)"
MISTAKES: dict[str, tuple[dict[str, Any], str, str, str, str]] = {
    "stream": ({}, V2, "axis_host_recv[0].tdata", "axis_host_recv[1].tdata", "plan-vfpga"),
    "way": ({}, V2, "axis_host_send[0].tdata", "axis_host_recv[0].tdata", "plan-vfpga"),
    "signal": ({}, V2, "axis_host_send[1].tlast", "axis_host_send[1].tvalid", "plan-vfpga"),
    "not joined": ({}, V2, "    .s_host_0_tkeep(axis_host_recv[0].tkeep),\n", "", "plan-vfpga"),
    "channel": ({}, V2, ".s_axil_wvalid(axi_ctrl.wvalid)", ".s_axil_wvalid(axi_ctrl.awvalid)", "plan-vfpga"),
    "address": ({}, V2, "axi_ctrl.awaddr[15:0]", "axi_ctrl.awaddr[11:0]", "plan-vfpga"),
    "reset": ({}, V2, ".aresetn(aresetn[0])", ".aresetn(aclk)", "plan-vfpga"),
    "stream of v1": ({"version": "v1"}, V1, "axis_host_0_sink.tdata", "axis_host_1_sink.tdata", "plan-vfpga"),
    "card": ({}, "hw/CMakeLists.txt", "FDEV_NAME u55c", "FDEV_NAME u280", "plan-shell"),
    "streams": ({}, "hw/CMakeLists.txt", "N_STRM_AXI 2", "N_STRM_AXI 1", "plan-shell"),
    "no streams": ({}, "hw/CMakeLists.txt", "set(EN_STRM 1)\n", "", "plan-shell"),
    "regions": (SEVERAL, "hw/CMakeLists.txt", "N_REGIONS 2", "N_REGIONS 1", "plan-shell"),
    "place": (SEVERAL, "hw/CMakeLists.txt", 'VFPGA_C1_1 "src"', 'VFPGA_C0_1 "src"', "plan-shell"),
    "card of v1": ({"version": "v1"}, "Makefile", "-DFDEV_NAME=u55c", "-DFDEV_NAME=u50", "plan-shell"),
    "no HLS in v1": ({"version": "v1"}, "Makefile", "-DEN_HLS=0", "-DEN_HLS=1", "plan-shell"),
    "misspelt in v1": ({"version": "v1"}, "Makefile", "-DEN_STRM=1", "-DEN_STR=1", "plan-shell"),
    "rate of v1": ({"version": "v1"}, "Makefile", "-DACLK_F=250", "-DACLK_F=300", "plan-shell"),
    "clock of its own": (
        {},
        "hw/CMakeLists.txt",
        "EN_PR 0)",
        "EN_PR 0)\nset(EN_UCLK 1)\nset(UCLK_F 300)",
        "plan-shell",
    ),
    "rate": ({}, "package.tcl", "value 250000000", "value 300000000", "plan-packaged"),
    "name": ({}, "hw/src/init_ip.tcl", "-name card0_core ", "-name card1_core ", "plan-packaged"),
    "module": ({}, "hw/src/init_ip.tcl", "-module_name card0_core_ip", "-module_name core", "plan-packaged"),
    "revision": ({}, "package.tcl", "core_revision ", "core_revision 1", "plan-packaged"),
    "module of v1": ({"version": "v1"}, V1, "CORE card0_core_ip", "CORE card0_ip", "plan-packaged"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str, tmp_path: Path) -> None:
    options, file, old, new, rule = MISTAKES[name]
    more: dict[str, Any] = {"rx": 2, "tx": 2, "coyote": options}
    path = write_vfpga(tmp_path, **more) / "coyote" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    found = judge(tmp_path, **more)
    assert {message.rule for message in found} == {rule}
    assert all(message.verdict is Verdict.FINDING for message in found)
