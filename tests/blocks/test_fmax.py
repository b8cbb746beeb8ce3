# SPDX-License-Identifier: BSD-3-Clause
"""Clock rates are recorded for every block, of the sources as they are now, and none is below its promise.

`make fmax` places and routes them all; here one small block is, and must come out as recorded.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tools.blocks import fmax
from tools.blocks.block_bench import IP, block_file, block_folder, mutant
from tools.blocks.budgets import hardware, load, load_trees
from tools.blocks.cost import Subject
from tools.blocks.fmax import digest, measured, recorded
from tools.blocks.placed import SEEDS, harness, place, promise

ALL = {(one.block, one.name): one for one in measured()}
KEPT: dict[tuple[str, str], Any] = {
    (block, name): entry for block, entries in recorded().items() for name, entry in entries.items()
}


def test_every_block_and_every_tree_has_a_record() -> None:
    missing = [key for key, one in ALL.items() if one.first and key not in KEPT]
    assert {block for block, _ in ALL} == set(hardware())
    assert {tree.slaves for tree in load_trees(IP / "axil_root" / "costs.toml")} >= {16, 64, 256}
    assert not missing, f"run make fmax: {missing}"


def test_the_record_is_of_the_present_sources() -> None:
    gone = sorted(set(KEPT) - set(ALL))
    stale = sorted(key for key in KEPT if key in ALL and fmax.stale(ALL[key], KEPT[key]))
    wrong = {"no longer stated": gone, "measured of other sources": stale}
    assert not any(wrong.values()), f"run make fmax: {wrong}"


def test_costs_say_what_was_recorded() -> None:
    said: dict[tuple[str, str], float] = {}
    for block in hardware():
        file = block_folder(block) / "costs.toml"
        said |= {(block, each.name): each.mhz for each in load(file) if each.mhz}
        said |= {(block, each.name): each.mhz for each in load_trees(file) if each.mhz}
    assert said == {key: median(entry["seeds"]) for key, entry in KEPT.items()}
    assert all(len(entry["seeds"]) == len(ALL[key].seeds) for key, entry in KEPT.items())


def test_none_is_slower_than_its_levels_promise() -> None:
    slow = {}
    for key, entry in KEPT.items():
        rate, least = median(entry["seeds"]), promise(entry["levels"], entry["fanout"], entry["memory"])
        if rate < least:
            slow[key] = f"{rate} MHz; {entry['levels']} levels promise {least:.0f}"
    assert not slow


@pytest.mark.sweep
def test_a_block_comes_out_as_recorded() -> None:
    one = ALL["axis_tlast", "64 bit, 196 beats"]
    found = vars(place(one.subject, SEEDS[:1]))
    entry = KEPT[one.block, one.name]
    assert found["seeds"][0] == entry["seeds"][0]
    assert {key: found[key] for key in ("levels", "fanout", "memory")}.items() <= entry.items()


# ---- the checks can fail ------------------------------------------------------------------------------
def test_the_digest_is_of_what_decides(tmp_path: Path) -> None:
    one = ALL["axis_tlast", "64 bit, 196 beats"]
    source = block_file(one.block)
    text = source.read_text()
    same, other = tmp_path / "same.sv", tmp_path / "other.sv"
    same.write_text(text.replace(" begin\n", "  begin // a remark\n\n"))
    other.write_text(text.replace("always_ff", "always"))
    about = {
        digest(replace(one, subject=replace(one.subject, **change)))
        for change in (
            {"sources": (source,)},
            {"sources": (same,)},
            {"sources": (other,)},
            {"parameters": {**one.subject.parameters, "DATA_W": 65}},
            {"frontend": "other"},
        )
    }
    assert text.count("always_ff")
    assert len(about) == 4


def test_more_levels_and_wider_signals_promise_less() -> None:
    assert promise(1, 8) > promise(2, 8) > promise(2, 800) > promise(2, 800, memory=True)
    # One LUT too many in a path of three is more than the allowance forgives.
    assert promise(3, 16) / promise(4, 16) > 1.15


@pytest.mark.sweep
def test_a_deep_path_is_below_a_promise_of_few_levels(tmp_path: Path) -> None:
    """A chain of XORs that no mapper can flatten is found to be as deep and as slow as it is."""
    file = tmp_path / "deep.sv"
    stages = "\n".join(
        f"assign x[{k + 1}] = ^d[{3 * k + 3}:{3 * k}] ? x[{k}] : d[{3 * k}];" for k in range(8)
    )
    file.write_text(
        "module deep (input wire aclk, input wire [31:0] d, output logic q);\nwire [8:0] x;\n"
        f"assign x[0] = d[31];\n{stages}\nalways_ff @(posedge aclk) q <= x[8];\nendmodule\n"
    )
    found = place(Subject("deep", (file,)), SEEDS[:1])
    assert found.levels >= 3
    assert found.mhz < promise(1, 4)


def test_the_harness_holds_every_port_once() -> None:
    ports = {
        "s_axis_aclk": ("input", 1),
        "m_axis_aclk": ("input", 1),
        "s_axis_tdata": ("input", 5),
        "s_axis_tready": ("output", 1),
        "m_axis_tdata": ("output", 17),
        "m_axis_tready": ("input", 1),
    }
    text = harness(ports)
    for name in ports:
        assert text.count(f".{name}(") == 1
    assert ".s_axis_tdata(s_axis_aclk_in[4:0])" in text
    assert ".m_axis_tdata(m_axis_aclk_out[16:0])" in text
    assert "reg [4:0] m_axis_aclk_x1;" in text
    assert "reg [1:0] m_axis_aclk_x2;" in text


def test_what_a_tool_refuses_is_said(tmp_path: Path) -> None:
    broken = mutant("axis_tlast", "endmodule", "end module", tmp_path)
    with pytest.raises(RuntimeError, match=r"(?s)axis_tlast .*: python.*syntax error"):
        place(Subject("axis_tlast", (broken,)))


def test_a_figure_is_noted_and_nothing_else_changes(tmp_path: Path) -> None:
    file = tmp_path / "costs.toml"
    head = '# about\n\n[[set]]\nname = "a"\nlut = 1\n\n# of b\n[[set]]\nname = "b"\nlut = 2\n'
    file.write_text(head)
    fmax.note(file, "a", 100.5)
    fmax.note(file, "b", 200.0)
    fmax.note(file, "a", 101.0)
    assert file.read_text() == head.replace("lut = 1\n", "lut = 1\nmhz = 101.0\n") + "mhz = 200.0\n"
