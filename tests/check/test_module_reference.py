# SPDX-License-Identifier: BSD-3-Clause
"""Modules that a block design refers to, and macros in what is packaged."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_node import HERE, Node

from vivado_check.design import Setting
from vivado_check.recording import File, Package
from vivado_check.report import Verdict

RULES = ("module-reference", "module-attributes", "xpm-libraries")


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_our_core_is_a_module_reference(node: Node) -> None:
    assert node.judged(*RULES) == []


def test_a_module_that_no_file_defines(node: Node) -> None:
    node.project.files.remove(node.file("n0_core.v"))
    (message,) = node.judged(*RULES)
    assert (message.verdict, message.vivado) == (Verdict.ERROR, "filemgmt 56-587")
    (message,) = node.judged(*RULES, plan=False)
    assert message.verdict is Verdict.NOT_MODELLED
    node.project.files.append(File(Path("core.vhd"), "core.vhd", "sources_1", HERE))
    assert node.judged(*RULES) == []


def test_manual_compile_order(node: Node) -> None:
    node.project.properties["source_mgmt_mode"] = Setting("None", HERE)
    (message,) = node.judged(*RULES, plan=False)
    assert (message.verdict, message.vivado) == (Verdict.ERROR, "filemgmt 56-587")
    node.project.properties["source_mgmt_mode"] = Setting("All", HERE)
    assert node.judged(*RULES) == []


def test_a_top_that_is_systemverilog(node: Node) -> None:
    node.file("n0_core.v").properties["file_type"] = Setting("SystemVerilog", HERE)
    (message,) = node.judged(*RULES, plan=False)
    assert (message.verdict, message.vivado) == (Verdict.ERROR, "filemgmt 56-195")
    assert "or read it as Verilog" in message.remedy


@pytest.mark.parametrize(
    ("new", "finds"),
    [
        ("xilinx.com:interface:axis:1.0 m_axis_0", True),
        ("xilinx.com:interface:axis m_axis_0 TDATA", True),
        ("xilinx.com:interface:axis:1.0  m_axis_0 TDATA ", False),
    ],
)
def test_an_attribute_that_vivado_leaves_out(new: str, finds: bool, node: Node) -> None:
    node.edit("n0_core.v", "xilinx.com:interface:axis:1.0 m_axis_0 TDATA", new)
    messages = node.judged(*RULES, plan=False)
    assert [message.vivado for message in messages] == ["IP_Flow 19-5234"] * finds


def test_macros_of_a_packaged_ip_need_their_library(node: Node) -> None:
    package = Package("package", "n0", HERE, top="n0_core")
    node.packages.append(package)
    assert node.judged(*RULES) == []
    node.edit("n0_core.v", r"endmodule", "xpm_fifo_axis u_fifo (.s_aclk(aclk));\nendmodule")
    (message,) = node.judged(*RULES)
    assert message.found == "it has macros of XPM_FIFO, which its xpm_libraries do not name"
    package.properties["xpm_libraries"] = Setting("XPM_CDC XPM_FIFO", HERE)
    assert node.judged(*RULES) == []
