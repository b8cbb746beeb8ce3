# SPDX-License-Identifier: BSD-3-Clause
"""Boards: their part, memory and carrier, and scripts in a Vivado that has no files of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from vitis_project import cards
from zynq_project import node_plan

from shellgen.check.run import Options, check
from shellgen.disk.output import write
from shellgen.emit.whole import emit
from vivado_check.report import Verdict

OWN = ("board-part", "board-memory", "board-carrier", "card-part", "without-board-files")


def found(out: Path, board: str, file: str = "", old: str = "", new: str = "") -> set[str]:
    """Write a node, replace something, and return the rules of this page that have something to say."""
    plan, network = node_plan(board, "1rx_1tx") if "-" in board or board[0] in "zk" else cards(board)
    write(emit(plan, network.files), out)
    if file:
        path = out / plan.nodes[0].name / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
    messages = check(out, Options(nodes=(plan.nodes[0].name,))).messages
    bad = {one.rule for one in messages if one.verdict is not Verdict.NOT_MODELLED}
    assert bool(bad) == bool(file)
    return bad & set(OWN)


@pytest.mark.parametrize("board", ["zedboard", "kv260_som", "ultra96-v2", "u280"])
def test_what_we_write_is_right(board: str, tmp_path: Path) -> None:
    assert found(tmp_path / "out", board) == set()


BD = "vivado/bd.tcl"
MISTAKES = {
    "carrier": ("kv260_som", BD, ":kv260_carrier:", ":kr260_carrier:", "board-carrier"),
    "part": ("kv260_som", "vivado/build.tcl", "xck26-sfvc784-2LV-c", "xczu5ev-sfvc784-1-e", "board-part"),
    "more memory": ("pynq-z2", BD, " 0x20000000", " 0x40000000", "board-memory"),
    "less memory": ("zcu104", BD, " 0x80000000", " 0x40000000", "board-memory"),
    "card": ("u280", "vitis/package.tcl", "xcu280-fsvh2892-2L-e", "xcu250-figd2104-2L-e", "card-part"),
    "preset misspelt": ("zedboard", BD, "preset ZedBoard", "preset ZedBord", "without-board-files"),
    "preset of another": ("zedboard", BD, "preset ZedBoard", "preset ZC702", "without-board-files"),
    "no preset": (
        "zedboard",
        BD,
        "set_property CONFIG.preset ZedBoard $shellgen_ps",
        "",
        "without-board-files",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake(case: str, tmp_path: Path) -> None:
    board, file, old, new, rule = MISTAKES[case]
    assert rule in found(tmp_path / "out", board, file, old, new)


SCRIPT = """create_project p p -part xck26-sfvc784-2LV-c
set_property board_part xilinx.com:{}:part0:1.1 [current_project]
set_property board_connections {{a xilinx.com:{}:one:1.0 b xilinx.com:{}:two:1.0}} [current_project]
"""


@pytest.mark.parametrize(
    ("module", "carriers", "told"),
    [
        ("kr260_som", ("kr260_carrier", "kr260_carrier"), False),
        ("kr260_som", ("kr260_carrier", "kv260_carrier"), True),
        ("k26c", ("kv260_carrier", "kr260_carrier"), False),
        ("kv260_som", ("my_carrier", "my_carrier"), False),
    ],
)
def test_anyones_carrier(module: str, carriers: tuple[str, str], told: bool, tmp_path: Path) -> None:
    script = tmp_path / "make.tcl"
    script.write_text(SCRIPT.format(module, *carriers))
    assert ("board-carrier" in {one.rule for one in check(script, Options()).messages}) == told
