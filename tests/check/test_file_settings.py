# SPDX-License-Identifier: BSD-3-Clause
"""Properties of files, and those that a node cannot do without."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_node import HERE, Node

from vivado_check.design import Setting
from vivado_check.recording import File
from vivado_check.report import Message, Verdict

BLOCK = "axil_cdc"


def project(tmp_path: Path) -> tuple[Node, File, File]:
    """A node whose core has a crossing, with its constraints, and a block design."""
    node = Node(tmp_path)
    wrapper = node.node / "rtl" / f"{BLOCK}.sv"
    wrapper.write_text(f"module {BLOCK} (input wire a, output wire b);\n    assign b = a;\nendmodule\n")
    node.project.files.append(File(wrapper, str(wrapper), "sources_1", HERE))
    node.edit("n0_core.v", r"endmodule", f"    {BLOCK} crossing (.a(1'b0), .b());\nendmodule")
    constraints = node.node / "vivado" / f"{BLOCK}.tcl"
    constraints.write_text("")
    late = {"used_in_synthesis": Setting("false", HERE), "processing_order": Setting("LATE", HERE)}
    script = File(constraints, str(constraints), "constrs_1", HERE, late)
    design = File(tmp_path / "top.bd", "top.bd", "sources_1", HERE)
    design.properties["synth_checkpoint_mode"] = Setting("None", HERE)
    node.project.files += [script, design]
    return node, script, design


def test_what_we_write_is_right(tmp_path: Path) -> None:
    assert project(tmp_path)[0].judged("file-settings", "file-duties") == []


@pytest.mark.parametrize("mode", [None, "Hierarchical"])
def test_parts_see_no_memory_files(tmp_path: Path, mode: str | None) -> None:
    node, _, design = project(tmp_path)
    data = node.node / "rtl" / "w.dat"
    data.write_text("00\n")
    node.project.files.append(
        File(data, "w.dat", "sources_1", HERE, {"file_type": Setting("Memory File", HERE)})
    )
    assert node.judged("file-duties") == []
    del design.properties["synth_checkpoint_mode"]
    if mode:
        design.properties["synth_checkpoint_mode"] = Setting(mode, HERE)
    (found,) = node.judged("file-duties")
    assert (found.vivado, found.where, found.origin) == ("Synth 8-4445", "top.bd", HERE)
    node.ended = 1  # the script failed, and may have been about to set it
    assert node.judged("file-duties") == []


@pytest.mark.parametrize("gone", ["file", "used_in_synthesis", "processing_order"])
def test_a_crossing_has_its_constraints(tmp_path: Path, gone: str) -> None:
    node, script, _ = project(tmp_path)
    if gone == "file":
        node.project.files.remove(script)
    else:
        del script.properties[gone]
    (found,) = node.judged("file-duties")
    assert (found.where, found.verdict) == ("axil_cdc.tcl", Verdict.FINDING)
    assert node.judged("file-duties", plan=False) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("procesing_order", "LATE"), ("processing_order", "LAST"), ("synth_checkpoint_mode", "Files")],
)
def test_names_and_values(tmp_path: Path, name: str, value: str) -> None:
    node, script, _ = project(tmp_path)
    script.properties[name] = Setting(value, HERE)
    (ours,) = node.judged("file-settings")
    (theirs,) = node.judged("file-settings", plan=False)
    assert (ours.verdict, theirs.verdict) == (Verdict.ERROR, Verdict.NOT_MODELLED)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("boad_part", False),
        ("source_mgmt_moed", False),
        ("board_part", True),
        ("enable_core_container", True),
        ("somebody.own", True),
    ],
)
def test_names_of_a_project(tmp_path: Path, name: str, known: bool) -> None:
    node, _, _ = project(tmp_path)
    node.project.properties[name] = Setting("x", HERE)
    for plan in (True, False):
        assert [one.origin for one in node.judged("property-names", plan=plan)] == [] if known else [HERE]


@pytest.mark.parametrize(("name", "known"), [("IP_FILE", True), ("CONFIG.own", True), ("LOGIC", False)])
def test_names_that_ip_is_asked_for(tmp_path: Path, name: str, known: bool) -> None:
    node, _, _ = project(tmp_path)
    found = f"property {name} of an IP is not modelled"
    node.messages = [Message("not-modelled", Verdict.NOT_MODELLED, HERE, "core_ip", found, "", "")]
    assert [one.where for one in node.judged("property-names")] == ([] if known else ["core_ip"])
    assert node.judged("property-names", plan=False) == []  # nobody says that ours is all that Vivado has
