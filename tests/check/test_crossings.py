# SPDX-License-Identifier: BSD-3-Clause
"""Constraint scripts over a model of the netlist: generated ones reach every crossing, mistakes are seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from shellgen.check.run import Options, check
from tools.mutants.clusters import vitis, zynq_streams
from vivado_check.report import Origin
from vivado_check.rules.netlist import Netlist, blocks_of
from vivado_check.tcl.sandbox import Sandbox

IP = Path(__file__).parents[2] / "ip"


@pytest.fixture(scope="module")
def zynq(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nodes, of which `zedboard` has a clock of its own for the partitions."""
    return zynq_streams(tmp_path_factory.mktemp("crossings") / "out")


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cards, of which u250 has one."""
    return vitis(tmp_path_factory.mktemp("crossings") / "out")


def said(out: Path, node: str, file: str, old: str, new: str) -> list[str]:
    """Return what the rule says of a node with a mistake."""
    path = out / node / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    try:
        found = check(out, Options(nodes=(node,))).messages
    finally:
        path.write_text(text)
    return [f"{one.where}: {one.found}" for one in found if one.rule == "crossing"]


@pytest.mark.parametrize(
    ("block", "registers"),
    [
        ("axil_cdc", {"s_meta_q", "m_meta_q", "s_axil_bresp", "s_axil_rresp", "s_axil_rdata", "m_ask_q"}),
        ("axis_fifo_cdc", {"s_meta_q", "m_meta_q", "ram_q"}),
        ("shell_sync", {"meta_q"}),
    ],
)
def test_crossings_are_found_in_the_verilog(block: str, registers: set[str]) -> None:
    found = blocks_of([(IP / block / f"{block}.sv").read_text()])[block]
    assert set(found.crossings) >= registers
    assert not set(found.crossings) & {"s_sync_q", "m_sync_q", "sync_q"}


def test_ours_reach_all(zynq: Path, cards: Path) -> None:
    assert said(zynq, "zedboard", "vivado/axil_cdc.tcl", "set_max_delay", "set_max_delay") == []
    assert said(cards, "u250", "vitis/before_opt.tcl", "set_max_delay", "set_max_delay") == []


MISTAKES = [
    ("axil_cdc.tcl", "m_toggle_q s_meta_q $s_period ", "", "axil_cdc.s_meta_q", "no constraint reaches it"),
    ("axil_cdc.tcl", "s_ask_q m_ask_q", "s_ask_q m_aks_q", "u_core/u_axil_cdc/m_aks_q", "called so"),
    ("axil_cdc.tcl", "s_ask_q m_ask_q", "s_toggle_q m_ask_q", "axil_cdc.m_ask_q", "its delay begins at"),
    ("axil_cdc.tcl", "get_property -min PERIOD $s", "get_property -min PERID $s", "", "no property"),
    ("axis_fifo_cdc.tcl", "set_max_delay -datapath_only", "set_max_delay", "axis_fifo_cdc", "skew"),
    ("axis_fifo_cdc.tcl", "-to $targets $period", "-to $targets 100", "axis_fifo_cdc", "its delay is '100'"),
    ("axis_fifo_cdc.tcl", "-from $sources", "-form $sources", "", "unknown option"),
    ("axis_fifo_cdc.tcl", "|| REF_NAME ==", "|| REF_NAME !=", "u_core/u_axil_cdc/s_axis_aclk", "called so"),
    ("shell_sync.tcl", "{REF_PIN_NAME == D}", "{REF_NAME == D}", "", "set_max_delay needs"),
    ("shell_sync.tcl", "REF_NAME == shell_sync ||", "REF_NAME == shell_snyc ||", "", ""),
    ("shell_sync.tcl", "foreach cell [get_cells", "foreach cell [get_clels", "", "invalid command name"),
    ("shell_sync.tcl", "$cell/meta_q_reg*", "$cell/sync_q_reg*", "shell_sync.meta_q", "no constraint"),
]


@pytest.mark.parametrize(("file", "old", "new", "where", "found"), MISTAKES)
def test_a_mistake(file: str, old: str, new: str, where: str, found: str, zynq: Path) -> None:
    messages = said(zynq, "zedboard", f"vivado/{file}", old, new)
    if not found:  # one of two names of the same block is enough
        assert messages == []
    else:
        assert any(where in one and found in one for one in messages), messages


def test_a_filter_may_select_what_is_not_ours(tmp_path: Path) -> None:
    blocks = blocks_of([(IP / "shell_sync" / "shell_sync.sv").read_text()])
    with Sandbox(tmp_path) as sandbox:
        netlist = Netlist(sandbox, blocks)
        for name, cell in (("==", "u_core/u_shell_sync"), ("!=", "u_core/u_other")):
            words = ["-hierarchical", "-filter", f"REF_NAME {name} shell_sync"]
            assert netlist.call("get_cells", words, Origin()) == cell


def test_make_looks_for_a_line(cards: Path) -> None:
    line = "puts [join {shellgen: constraints are set}"
    messages = said(cards, "u250", "vitis/before_opt.tcl", line, "puts [join {shellgen: constrains are set}")
    assert any("does not print what make looks for" in one for one in messages), messages


def test_a_script_that_is_not_read(zynq: Path) -> None:
    path = zynq / "zedboard/vivado/bd.tcl"
    text = path.read_text()
    path.write_text("".join(line for line in text.splitlines(True) if "axil_cdc.tcl" not in line))
    try:
        found = check(zynq, Options(nodes=("zedboard",))).messages
    finally:
        path.write_text(text)
    told = [f"{one.where}: {one.found}" for one in found]
    assert any("axil_cdc.m_meta_q: no constraint reaches it" in one for one in told), told
