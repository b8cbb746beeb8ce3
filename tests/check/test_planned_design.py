# SPDX-License-Identifier: BSD-3-Clause
"""The recorded block design against the platform's own: one difference at a time, on both kinds of design."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shellgen.check.run import Options, check
from tools.mutants.clusters import CLUSTERS
from vivado_check.report import Message, Verdict

BD = {"zynq": ("zedboard", "vivado/bd.tcl"), "coyote_v1": ("u55c", "coyote/hw/accl_bd.tcl")}
# Script of a cluster; what is replaced, by what, and what the rule says of which cell or pin.
DIFFERENCES = [
    (
        "zynq",
        "CONFIG.c_s2mm_burst_size 16",
        "CONFIG.c_s2mm_burst_size 32",
        "/axi_dma_0: CONFIG.c_s2mm_burst_size",
        "it is 32",
    ),
    ("zynq", "    CONFIG.c_include_sg 0\n", "", "/axi_dma_0 c_include_sg", "1"),
    ("zynq", "    core_0/aresetn\n", "", "/core_0/aresetn", "nothing drives this reset"),
    ("zynq", "MM2S core_0/s_axis_0", "MM2S core_0/s_axis_1", "/core_0/s_axis_0", "it is not connected"),
    (
        "zynq",
        "proc_sys_reset {} {\n}",
        "proc_sys_reset {} {\n}\nshellgen::cell a xlconstant {} {}",
        "/a",
        "not in the plan",
    ),
    (
        "zynq",
        "xlconcat_0 xlconcat {}",
        "xlconcat_0 xlslice {}",
        "/xlconcat_0",
        "it is xilinx.com:ip:xlslice",
    ),
    ("zynq", "{C_KIND_OF_INTR}", "{}", "/axi_intc_0: CONFIG.C_KIND_OF_INTR", "Vivado derives it"),
    (
        "zynq",
        "axi_intc_0/S_AXI/* 0x60010000 0x00010000",
        "axi_intc_0/S_AXI/* 0x60010000 0x00008000",
        "",
        "0x8000 bytes",
    ),
    (
        "coyote_v1",
        "HAS_TLAST 1\n    CONFIG.HAS_TSTRB",
        "HAS_TLAST 0\n    CONFIG.HAS_TSTRB",
        "/s_axis_command: CONFIG.HAS_TLAST",
        "it is 0",
    ),
    ("coyote_v1", "    hostctrl_0/ap_clk\n", "", "/hostctrl_0/ap_clk", "nothing drives it"),
    (
        "coyote_v1",
        "hostctrl_0/cmd client_arbiter_0/cmd_clients_0",
        "hostctrl_0/cmd client_arbiter_0/cmd_cclo",
        "",
        "",
    ),
    ("coyote_v1", "interface:axis_rtl:1.0", "interface:aximm_rtl:1.0", "/m_axis_krnl", "it is a Master of"),
    (
        "coyote_v1",
        "POLARITY ACTIVE_LOW",
        "POLARITY ACTIVE_HIGH",
        "/aresetn: CONFIG.POLARITY",
        "it is ACTIVE_HIGH",
    ),
    (
        "coyote_v1",
        "0x00002000 0x00002000",
        "0x00004000 0x00002000",
        "/hostctrl_0/s_axi_control",
        "it is at 0x4000",
    ),
]


@pytest.fixture(scope="module")
def outs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("planned")
    return {name: CLUSTERS[name](folder / name) for name in BD}


def told(out: Path, node: str) -> tuple[Message, ...]:
    return check(out, Options(nodes=(node,))).messages


def said(out: Path, node: str) -> list[str]:
    """Return errors and findings of a node; what another rule finds, too, is in its words."""
    found = [one for one in told(out, node) if one.verdict is not Verdict.NOT_MODELLED]
    return [f"{one.where}: {one.found}" for one in found]


@pytest.mark.parametrize("cluster", BD)
def test_what_we_write_is_what_we_planned(cluster: str, outs: dict[str, Path]) -> None:
    assert said(outs[cluster], BD[cluster][0]) == []


@pytest.mark.parametrize(("cluster", "old", "new", "where", "found"), DIFFERENCES)
def test_a_difference(
    cluster: str, old: str, new: str, where: str, found: str, outs: dict[str, Path]
) -> None:
    node, file = BD[cluster]
    path = outs[cluster] / node / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    try:
        messages = said(outs[cluster], node)
    finally:
        path.write_text(text)
    assert any(one.startswith(where) and found in one for one in messages), messages


@pytest.mark.parametrize(
    ("old", "new", "rule", "where", "expected"),
    [
        ("core_0/aclk\n", "", "clock-not-driven", "/core_0/aclk", "; by the plan /zynq_ps/FCLK_CLK0"),
        ("length_width 26", "length_width 99", "parameter-range", "length_width", "8 to 26; by the plan 26"),
        ("{C_KIND_OF_INTR}", "{}", "parameter-derived", "OF_INTR", "; by the plan USER"),
        (
            "shellgen::bus axi_dma_0/M_AXI_MM2S memory_interconnect/S00_AXI\n",
            "",
            "bus-not-connected",
            "/memory_interconnect/S00_AXI",
            "; by the plan /axi_dma_0/M_AXI_MM2S",
        ),
    ],
)
def test_one_mistake_gives_one_message(
    old: str, new: str, rule: str, where: str, expected: str, outs: dict[str, Path]
) -> None:
    """Vivado's message takes over the details of the comparison."""
    path = outs["zynq"] / "zedboard/vivado/bd.tcl"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    try:
        messages = [one for one in told(outs["zynq"], "zedboard") if where in one.where]
    finally:
        path.write_text(text)
    assert {one.rule for one in messages} == {rule}
    assert any(expected in one.expected for one in messages)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("CONFIG.c_include_sg 0", "CONFIG.C_INCLUDE_SG {0}"),
        ("KIND_OF_INTR 0x00000000", "KIND_OF_INTR 0x0"),
        ("proc_sys_reset {} {\n}", "proc_sys_reset {} {\n    CONFIG.C_EXT_RESET_HIGH 0\n}"),
        ("PERIPHERAL_FREQMHZ 100", "PERIPHERAL_FREQMHZ {100.000000}"),
    ],
)
def test_the_same_in_other_words(old: str, new: str, outs: dict[str, Path]) -> None:
    path = outs["zynq"] / "zedboard/vivado/bd.tcl"
    text = path.read_text()
    assert re.search(re.escape(old), text)
    path.write_text(text.replace(old, new, 1))
    try:
        assert said(outs["zynq"], "zedboard") == []
    finally:
        path.write_text(text)


def test_a_folder_of_headers_that_is_not_there(outs: dict[str, Path]) -> None:
    path = outs["zynq"] / "zedboard/vivado/bd.tcl"
    text = path.read_text()
    assert "shellgen_root partition] " in text
    path.write_text(text.replace("shellgen_root partition] ", "shellgen_root parttiion] ", 1))
    try:
        found = check(outs["zynq"], Options(nodes=("zedboard",))).messages
    finally:
        path.write_text(text)
    assert [one.where for one in found if one.rule == "include-folder"] == ["zedboard/parttiion"]
