# SPDX-License-Identifier: BSD-3-Clause
"""Descriptions of a card for v++ and XRT, against the plan: right as generated, and each mistake found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_design import SmallCatalogue
from vitis_project import cards, write_cards

from shellgen.check.rules.base import RULES, Context, all_rules
from shellgen.emit.memory_map import memory_map
from vivado_check.recording import Recording
from vivado_check.report import Message, Verdict

RULES_OF_CARDS = ("plan-link", "plan-link-streams", "plan-kernel", "plan-kernel-wires")


def judge(out: Path, *boards: str, **more: Any) -> list[Message]:
    all_rules()
    plan, _ = cards(*boards, **more)
    found = memory_map(plan)
    messages: list[Message] = []
    for node in plan.nodes:
        recording = Recording("2022.2", out)
        context = Context(recording, SmallCatalogue(), out, None, node.name, plan, found)
        messages += [message for name in RULES_OF_CARDS for message in RULES[name].judge(context)]
    return messages


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"compute_mhz": 250.0},
        {"vitis": {"slr": 0, "strategy": "default", "ila": True}},
        {"vitis": {"memory": ["HBM[3]", "HBM[4]"]}},
    ],
)
@pytest.mark.parametrize("boards", [("u280", "u50"), ("u55c",)])
def test_right_ones(boards: tuple[str, ...], more: dict[str, Any], tmp_path: Path) -> None:
    write_cards(tmp_path, *boards, **more)
    assert judge(tmp_path, *boards, **more) == []


# File, what is there, what somebody writes instead, and the rule that tells.
PORT = '<port name="s_axis_0" mode="read_only" range="" dataWidth="512" portType="stream"/>'
MISTAKES = {
    "clock": ("link.cfg", "kernel_frequency=0:210", "kernel_frequency=0:100", "plan-link"),
    "kernel": ("link.cfg", "nk=card0_kernel:1:core_0", "nk=card0_kernel:1:core_1", "plan-link"),
    "count": ("link.cfg", "nk=krnl_mm2s:1:krnl_mm2s_0", "nk=krnl_mm2s:2:krnl_mm2s_0", "plan-link"),
    "forgotten": ("link.cfg", "nk=cmac_0:1:cmac_0\n", "", "plan-link"),
    "key": ("link.cfg", "slr=cmac_0:SLR2", "slt=cmac_0:SLR2", "plan-link"),
    "region": ("link.cfg", "slr=cmac_0:SLR2", "slr=cmac_0:SLR1", "plan-link"),
    "unit": ("link.cfg", "slr=cmac_0:SLR2", "slr=cmac_1:SLR2", "plan-link"),
    "section": ("link.cfg", "[connectivity]", "[vivado]", "plan-link"),
    "bank": ("link.cfg", "HBM[0]", "HBM[1]", "plan-link"),
    "strategy": ("link.cfg", "NetDelay_low", "NetDelay_high", "plan-link"),
    "stream": ("link.cfg", "core_0.s_axis_0", "core_0.s_vnx0", "plan-link-streams"),
    "crossed": (
        "link.cfg",
        "krnl_mm2s_0.k2n:core_0.s_axis_0",
        "core_0.s_axis_0:krnl_mm2s_0.k2n",
        "plan-link-streams",
    ),
    "MAC": (
        "link.cfg",
        "stream_connect=cmac_0.M_AXIS:networklayer_0.S_AXIS_eth2nl\n",
        "",
        "plan-link-streams",
    ),
    "name": ("kernel.xml", 'kernel name="card0_kernel"', 'kernel name="card1_kernel"', "plan-kernel"),
    "protocol": ("kernel.xml", "ap_ctrl_none", "ap_ctrl_hs", "plan-kernel"),
    "vlnv": ("kernel.xml", "shellgen:kernel:card0_kernel:1.0", "shellgen:kernel:card0:1.0", "plan-kernel"),
    "way": (
        "kernel.xml",
        'name="s_vnx0" mode="read_only"',
        'name="s_vnx0" mode="write_only"',
        "plan-kernel",
    ),
    "width": ("kernel.xml", 'range="" dataWidth="512"', 'range="" dataWidth="256"', "plan-kernel"),
    "window": ("kernel.xml", 'range="0x2000"', 'range="0x1000"', "plan-kernel"),
    "port": ("kernel.xml", 'port name="m_vnx0"', 'port name="m_vnx1"', "plan-kernel"),
    "offset": ("kernel.xml", 'offset="0x18"', 'offset="0x1c"', "plan-kernel"),
    "argument": ("kernel.xml", "status_control", "status_controls", "plan-kernel"),
    "id": ("kernel.xml", 'id="7"', 'id="6"', "plan-kernel"),
    "type": ("kernel.xml", "ap_axiu&lt;512,0,0,16&gt;", "ap_axiu&lt;512,0,0,8&gt;", "plan-kernel"),
    "twice": ("kernel.xml", "    <args>", f"    {PORT}\n    <args>", "plan-kernel"),
    "XML": ("kernel.xml", "</kernel>", "", "plan-kernel"),
    "wire": (
        "card0_kernel.v",
        ".s_axis_0_tvalid(s_axis_0_tvalid)",
        ".s_axis_0_tvalid(s_vnx0_tvalid)",
        "plan-kernel-wires",
    ),
    "channel": (
        "card0_kernel.v",
        ".s_axil_awvalid(s_axi_control_awvalid)",
        ".s_axil_awvalid(s_axi_control_arvalid)",
        "plan-kernel-wires",
    ),
    "reset": ("card0_kernel.v", ".aresetn(ap_rst_n)", ".aresetn(ap_clk)", "plan-kernel-wires"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str, tmp_path: Path) -> None:
    file, old, new, rule = MISTAKES[name]
    path = write_cards(tmp_path, "u280", "u50") / "vitis" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    found = judge(tmp_path, "u280", "u50")
    assert found
    assert (
        {message.rule for message in found} <= {rule, "plan-link"} if rule == "plan-link-streams" else {rule}
    )
    assert all(message.verdict is Verdict.FINDING for message in found)
    assert all(message.origin.file == f"card0/vitis/{file}" for message in found)


def test_other_order_and_spelling(tmp_path: Path) -> None:
    path = write_cards(tmp_path, "u280", "u50") / "vitis/link.cfg"
    lines = path.read_text().splitlines()
    connects = [line for line in lines if line.startswith("stream_connect")]
    kept = [line.replace("=", " = ", 1) for line in lines if line not in connects and "nk=" not in line]
    units = [line for line in lines if line.startswith("nk=")]
    at = next(index for index, line in enumerate(kept) if line == "[connectivity]") + 1
    kept[at:at] = [*units, *(f"{line}:16" for line in reversed(connects))]
    path.write_text("\n".join(kept))
    assert judge(tmp_path, "u280", "u50") == []
