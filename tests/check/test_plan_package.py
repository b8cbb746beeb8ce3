# SPDX-License-Identifier: BSD-3-Clause
"""Effects of package.tcl and build.tcl, run in Tcl, against the plan."""

from __future__ import annotations

from pathlib import Path

import pytest
from coyote_project import vfpga, write_vfpga
from vitis_project import cards, write_cards

from shellgen.check.rules.base import RULES, Context, all_rules
from shellgen.emit.memory_map import memory_map
from shellgen.model import Plan
from vivado_check.expectation import Script
from vivado_check.ip.catalogue import catalogue_of
from vivado_check.report import Message, Verdict
from vivado_check.sessions import node_recorded


def judge(out: Path, plan: Plan, script: str) -> list[Message]:
    all_rules()
    node = plan.nodes[0].name
    map_ = memory_map(plan)
    catalogue = catalogue_of(())
    with node_recorded(out, node, (Script(file=script),), "2022.2", catalogue) as recording:
        context = Context(recording, catalogue, out, None, node, plan, map_)
        found = [m for name in ("plan-package", "plan-files") for m in RULES[name].judge(context)]
        assert recording.ended == 0 or recording.messages
        return found


def test_right_ones(tmp_path: Path) -> None:
    write_cards(tmp_path / "a", "u280", compute_mhz=250.0)
    assert judge(tmp_path / "a", cards("u280", compute_mhz=250.0)[0], "vitis/package.tcl") == []
    write_vfpga(tmp_path / "b")
    assert judge(tmp_path / "b", vfpga()[0], "coyote/package.tcl") == []


# What is there, what somebody writes instead, and the rule that tells.
MISTAKES = {
    "range": ("set_property range 8192 ", "set_property range 4096 ", "plan-package"),
    "width": ("set_property width 32 ", "set_property width 64 ", "plan-package"),
    "clock": ("-busif $name -clock ap_clk ", "-busif $name -clock ap_clk_2 ", "plan-package"),
    "reset": ("-clock ap_clk_2 -reset ap_rst_n_2 ", "-clock ap_clk_2 -reset ap_rst_n ", "plan-package"),
    "one interface": (
        "foreach name {\n    s_axi_control\n    s_axis_0\n",
        "foreach name {\n",
        "plan-package",
    ),
    "protocol": ("{ctrl_protocol ap_ctrl_none}", "{ctrl_protocol ap_ctrl_hs}", "plan-package"),
    "no kernel": ("set_property sdx_kernel true $core\n", "", "plan-package"),
    "the kernel itself": ("    vitis/card0_kernel.v \\\n", "", "plan-files"),
    "file": ("    rtl/axis_width.sv \\\n", "", "plan-files"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str, tmp_path: Path) -> None:
    old, new, rule = MISTAKES[name]
    path = write_cards(tmp_path, "u280", compute_mhz=250.0) / "vitis/package.tcl"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    found = judge(tmp_path, cards("u280", compute_mhz=250.0)[0], "vitis/package.tcl")
    assert {message.rule for message in found} == {rule}
    assert all(message.verdict is Verdict.FINDING for message in found)
