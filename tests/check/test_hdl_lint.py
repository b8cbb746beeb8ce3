# SPDX-License-Identifier: BSD-3-Clause
"""Verilator's lint of a node's HDL."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_node import Node

from shellgen.errors import Problem, ToolMissingError
from vivado_check.report import Verdict


def close_a_loop(node: Node) -> None:
    """Let a net of the core depend on itself, and something on it."""
    node.edit("n0_core.v", r"\.start\(reset_start\)", ".start(a_loop)")
    node.edit("n0_core.v", r"\n\);\n", "\n);\nwire a_loop = !(a_loop && s_axil_awvalid);\n")
    node.edit("n0_core.v", r"endmodule", "wire start_unused = reset_start;\nendmodule")


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_nothing_is_found_in_our_files_and_nothing_without_being_asked(node: Node) -> None:
    assert node.judged("hdl-lint", hdl=True) == []
    close_a_loop(node)
    assert node.judged("hdl-lint") == []


def test_a_combinational_loop(node: Node) -> None:
    close_a_loop(node)
    (message,) = node.judged("hdl-lint", hdl=True)
    assert message.verdict is Verdict.FINDING
    assert "combinational" in message.found
    assert "a_loop" in message.found


def test_a_loop_in_a_partition_may_be_none(node: Node) -> None:
    node.edit("part.v", "assign m_axis_0_tvalid = ", "assign m_axis_0_tvalid = !m_axis_0_tvalid && ")
    assert [message.verdict for message in node.judged("hdl-lint", hdl=True)] == [Verdict.NOT_MODELLED]


def test_without_verilator_it_says_so(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise ToolMissingError(Problem("simulate", "Verilator is not installed", "Install it"))

    monkeypatch.setattr("shellgen.simulate.lint.lint", missing)
    (message,) = node.judged("hdl-lint", hdl=True)
    assert message.verdict is Verdict.NOT_MODELLED
    assert message.found == "it is not linted: Verilator is not installed"
