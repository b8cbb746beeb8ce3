# SPDX-License-Identifier: BSD-3-Clause
"""The HDL of a node, and the files that its memories are filled from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from recorded_node import HERE, Node

from vivado_check.design import Setting
from vivado_check.recording import File
from vivado_check.report import Verdict


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_nothing_is_found_in_what_we_write(node: Node) -> None:
    assert node.judged("hdl", "memory-file") == []


def partition(node: Node) -> Path:
    """Return the source of the partition, which fills a memory."""
    return next(
        f.path for f in node.project.files if f.path.suffix == ".v" and "memblock" in f.path.read_text()
    )


BROKEN: dict[str, tuple[Callable[[Node], object], str, str]] = {
    "file forgotten": (
        lambda node: node.project.files.remove(node.file("axis_frame_rx.sv")),
        "hdl-missing-module",
        "unknown module 'axis_frame_rx'",
    ),
    "module twice": (
        lambda node: node.file("helper.sv").path.write_text("module axis_register;\nendmodule\n"),
        "hdl-module-twice",
        "axis_register",
    ),
    "two drivers": (
        lambda node: node.edit("n0_core.v", r"endmodule", "assign m_axis_0_tdata[3] = aclk;\nendmodule"),
        "hdl-drivers",
        "m_axis_0_tdata",
    ),
    "net without driver": (
        lambda node: node.edit("n0_core.v", r"(u_reset.*?)\(inner_aresetn\)", r"\1()"),
        "hdl-undriven",
        "inner_aresetn",
    ),
    "input open": (
        lambda node: node.edit("n0_core.v", r"\.ap_clk\(aclk\),\s*", ""),
        "hdl-open-input",
        "ap_clk",
    ),
    "width lost": (
        lambda node: node.edit("n0_core.v", r"\(s_axil_wdata", "(s_axil_wdata[30:0]"),
        "hdl-port-width",
        "31 to 32 bits",
    ),
    "port that is not there": (
        lambda node: node.edit("n0_core.v", r"\.ap_clk\(aclk\)", ".ap_clok(aclk)"),
        "hdl-port",
        "ap_clok",
    ),
    "net that nobody reads": (
        lambda node: node.edit("n0_core.v", r"endmodule", "wire left_over = aclk;\nendmodule"),
        "hdl-finding",
        "left_over",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_hardware_is_found(name: str, node: Node) -> None:
    change, rule, found = BROKEN[name]
    change(node)
    messages = node.judged("hdl")
    assert any(message.rule == rule and found in message.found for message in messages), messages
    assert all(message.verdict is not Verdict.NOT_MODELLED for message in messages)
    assert node.judged("hdl", plan=False) == []


def test_style_of_others_is_not_judged(node: Node) -> None:
    """A net that nobody reads, a width that is cut, a use before the declaration: FINN's RTL has them all."""
    top = partition(node)
    top.write_text(top.read_text().replace("endmodule", "wire [3:0] few = 5'd17;\nendmodule", 1))
    assert node.judged("hdl") == []


def test_a_primitive_and_what_an_ip_may_define(node: Node) -> None:
    node.edit("n0_core.v", r"endmodule", "LUT6 u_lut (.I0(aclk));\nother u_other (.a(aclk));\nendmodule")
    assert [message.found for message in node.judged("hdl")] == ["unknown module 'other'"]
    node.project.files.append(File(node.node / "other.xci", "other.xci", "sources_1", HERE))
    assert node.judged("hdl") == []


WEIGHTS = "n0/partition/memblock.dat"


def test_a_memory_file_that_is_not_added(node: Node) -> None:
    node.project.files.remove(node.file("memblock.dat"))
    (message,) = node.judged("memory-file")
    assert message.vivado == "Synth 8-4445"
    assert message.verdict is Verdict.FINDING
    assert "filled from memblock.dat, which no file of the project is" in message.found


@pytest.mark.parametrize(
    ("property_", "value", "found"),
    [
        ("file_type", "Data Files", "typed Data Files"),
        ("file_type", "Memory File", ""),
        ("used_in_synthesis", "false", "left out of synthesis"),
        ("used_in_synthesis", "1", ""),
    ],
)
def test_a_memory_file_that_synthesis_does_not_see(
    property_: str, value: str, found: str, node: Node
) -> None:
    node.file("memblock.dat").properties[property_] = Setting(value, HERE)
    messages = node.judged("memory-file")
    assert [found in message.found for message in messages] == ([True] if found else [])


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("0000001f\n00000020\n", f"{WEIGHTS} has 2 words"),
        ("", f"{WEIGHTS} has 0 words"),
        ("10000001f\n", f"{WEIGHTS} has a word of 33 bits"),
        ("0h1f\n", f"{WEIGHTS} has '0h1f', which is no hexadecimal word"),
        ("000000001f // wide, but zeros\n", ""),
        ("@0 1f\n", ""),
        ("1xxxxxxx\n", ""),
    ],
)
def test_a_memory_file_that_does_not_fit(content: str, found: str, node: Node) -> None:
    node.file("memblock.dat").path.write_text(content)
    assert [message.found for message in node.judged("memory-file")] == ([found] if found else [])


def test_both_sides_of_a_conditional_fill_a_memory_alike(node: Node) -> None:
    top = next(
        f.path for f in node.project.files if f.path.suffix == ".v" and "memblock" in f.path.read_text()
    )
    line = 'initial $readmemh("memblock.dat", weights);'
    other = line.replace("memblock", "memblock_sim")
    both = f"`ifdef SYNTHESIS\n{line}\n`else\n{other}\n`endif\n"
    text = top.read_text()
    top.write_text(text.replace(line, both))
    copy = node.file("memblock.dat").path.with_name("memblock_sim.dat")
    copy.write_text("1F\n")
    node.project.files.append(File(copy, str(copy), "sources_1", HERE))
    assert node.judged("memory-file") == []
    copy.write_text("1e\n")
    (message,) = node.judged("memory-file")
    assert (
        message.found
        == "synthesis fills it from memblock.dat, simulation from memblock_sim.dat, and they differ"
    )
    top.write_text(text.replace(line, f"`ifndef SYNTHESIS\n{line}\n`endif\n"))
    (message,) = node.judged("memory-file")
    assert message.found.startswith("it is filled in simulation only, from memblock.dat")


def test_a_name_that_elaboration_cannot_tell_is_not_modelled(node: Node) -> None:
    top = next(
        f.path for f in node.project.files if f.path.suffix == ".v" and "memblock" in f.path.read_text()
    )
    top.write_text(
        top.read_text()
        .replace('"memblock.dat"', "a_name")
        .replace("initial $r", "reg [63:0] a_name;\ninitial $r")
    )
    assert [message.verdict for message in node.judged("memory-file")] == [Verdict.NOT_MODELLED]
