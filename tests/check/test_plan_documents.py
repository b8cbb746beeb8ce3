# SPDX-License-Identifier: BSD-3-Clause
"""Descriptions of a Zynq node for PYNQ and edalize, against the plan."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_design import SmallCatalogue
from zynq_project import node_plan, write_project

from shellgen.check.rules.base import RULES, Context, all_rules
from shellgen.emit.memory_map import memory_map
from shellgen.errors import InputError
from vivado_check.recording import Recording
from vivado_check.report import Message, Verdict

OF_DOCUMENTS = ("plan-registers-xml", "plan-edam")


def judge(out: Path, board: str, shape: str) -> list[Message]:
    all_rules()
    plan, _ = node_plan(board, shape)
    found = memory_map(plan)
    context = Context(Recording("2022.2", out), SmallCatalogue(), out, None, "n0", plan, found)
    return [message for name in OF_DOCUMENTS for message in RULES[name].judge(context)]


@pytest.mark.parametrize("board", ["zedboard", "kv260_som"])
@pytest.mark.parametrize("shape", ["1rx_3tx", "rx_only"])
def test_right_ones(board: str, shape: str, tmp_path: Path) -> None:
    write_project(*node_plan(board, shape), tmp_path)
    assert judge(tmp_path, board, shape) == []


# What is there, what somebody writes instead.
REGISTERS = {
    "name": ('NAME="CONTROL"', 'NAME="CONTROLS"'),
    "offset": ('"ADDRESS_OFFSET" VALUE="0x18"', '"ADDRESS_OFFSET" VALUE="0x1C"'),
    "access": ('VALUE="read-only"', 'VALUE="read-write"'),
    "size": ('"SIZE" VALUE="32"', '"SIZE" VALUE="16"'),
    "property": ('"ADDRESS_OFFSET" VALUE="0x18"', '"ADDRESS_OFSET" VALUE="0x18"'),
    "twice": ('<PROPERTY NAME="SIZE" VALUE="32"/>', '<PROPERTY NAME="SIZE" VALUE="32"/>' * 2),
    "element": ('<REGISTER NAME="CONTROL"', '<REGISTERS NAME="CONTROL"'),
    "XML": ("</REGISTERS>", ""),
}
PART = '"../../partition/part.v",\n   "file_type": "'
EDAM = {
    "name": ('"name": "n0"', '"name": "n1"'),
    "top": ("top_wrapper", "top"),
    "part": ("xc7z020clg484-1", "xc7z010clg400-1"),
    "mode": ('"All"', '"None"'),
    "file": ("axil_root.sv", "axil_roots.sv"),
    "type": (
        '"../../partition/part.v",\n   "file_type": "verilog',
        '"../../partition/part.v",\n   "file_type": "vhdl',
    ),
    "header": ('"is_include_file": true', '"is_include_file": false'),
    "twice": ("../../rtl/axil_root.sv", "../../rtl/axil_node.sv"),
    "script": ("../bd.tcl", "../build.tcl"),
    "hook": ("../export.tcl", "../messages.tcl"),
    "hook's program": ('"vivado",', '"vivado", "vivado",'),
    "project": ('"n0.xpr"', '"n1.xpr"'),
    "JSON": ("{", "["),
}
CASES = [("registers.xml", "plan-registers-xml", *pair) for pair in REGISTERS.values()]
CASES += [("n0.eda.json", "plan-edam", *pair) for pair in EDAM.values()]


@pytest.mark.parametrize(("file", "rule", "old", "new"), CASES, ids=[*REGISTERS, *EDAM])
def test_mistakes(file: str, rule: str, old: str, new: str, tmp_path: Path) -> None:
    path = write_project(*node_plan("zedboard", "1rx_1tx"), tmp_path) / "vivado" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    found = judge(tmp_path, "zedboard", "1rx_1tx")
    assert {message.rule for message in found} == {rule}
    assert all(message.verdict is Verdict.FINDING for message in found)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"hooks": 1, "files": 2, "flow_options": 3}', "{}", '{"files": [1]}']
)
def test_any_json_is_told_apart(text: str, tmp_path: Path) -> None:
    (write_project(*node_plan("zedboard", "1rx_1tx"), tmp_path) / "vivado/n0.eda.json").write_text(text)
    assert {message.rule for message in judge(tmp_path, "zedboard", "1rx_1tx")} == {"plan-edam"}


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    path = write_project(*node_plan("zedboard", "1rx_1tx"), tmp_path) / "vivado/registers.xml"
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match=r"registers\.xml"):
        judge(tmp_path, "zedboard", "1rx_1tx")
