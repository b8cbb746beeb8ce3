# SPDX-License-Identifier: BSD-3-Clause
"""Timing constraints of the blocks that cross between clocks, in tclsh: they name what is in the block."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from waiting import PATIENCE

from tools.blocks.block_bench import IP, block_file

# Vivado's commands, as far as the scripts need them: names go through, constraints are printed.
STUBS = """
proc get_cells {args} {
    global instances absent block
    if {"-hierarchical" in $args} {
        if {[lindex $args end] ne "ORIG_REF_NAME == $block || REF_NAME == $block"} { error "filter: $args" }
        return $instances
    }
    foreach pattern $absent { if {[string match */$pattern [lindex $args end]]} { return {} } }
    return [lindex $args end]
}
proc get_pins {args} {
    if {[lindex $args 0] eq "-of_objects"} { return "D of [lindex $args 1]" }
    return [lindex $args end]
}
proc get_clocks {args} { global clocks; return $clocks([lindex [split [lindex $args end] /] end]) }
proc get_property {args} { global periods; return $periods([lindex $args end]) }
proc all_fanin {args} { return "what drives [lindex $args end]" }
proc set_max_delay {args} { puts "set_max_delay $args" }
proc set_bus_skew {args} { puts "set_bus_skew $args" }
array set periods {slow 10.0 fast 4.0}
"""


@dataclass(frozen=True)
class Crossing:
    """A block, its clock pins, and what must be constrained for one instance of it: (from, to, limit)."""

    block: str
    clocks: dict[str, str]
    delays: list[tuple[str, str, str]]
    skews: int = 0


CROSSINGS = [
    Crossing(
        "axis_fifo_cdc",
        {"s_axis_aclk": "slow", "m_axis_aclk": "fast"},
        [
            ("s_cross_q", "m_meta_q", "10.0"),
            ("m_cross_q", "s_meta_q", "4.0"),
            ("slow", "ram_q", "4.0"),
        ],
        skews=2,
    ),
    Crossing(
        "axil_cdc",
        {"s_axil_aclk": "slow", "m_axil_aclk": "fast"},
        [
            ("s_toggle_q", "m_meta_q", "4.0"),
            ("s_ask_q", "m_ask_q", "4.0"),
            ("m_toggle_q", "s_meta_q", "10.0"),
            ("m_answer_q", "s_axil_rdata", "10.0"),
            ("m_answer_q", "s_axil_rresp", "10.0"),
            ("m_answer_q", "s_axil_bresp", "10.0"),
            ("s_ask_q", "aw_q", "4.0"),
        ],
    ),
    Crossing("shell_sync", {"aclk": "slow"}, [("what drives", "meta_q", "10.0")]),
]


def run(crossing: Crossing, folder: Path, absent: str = "", **clocks: str) -> tuple[int, list[str]]:
    """Run the script for two instances; return its exit code and what it said."""
    given = {**crossing.clocks, **clocks}
    pairs = " ".join(f"{pin} {{{clock}}}" for pin, clock in given.items())
    script = folder / "run.tcl"
    script.write_text(
        f"{STUBS}set block {crossing.block}\nset instances {{u_a u_b/u_c}}\nset absent {{{absent}}}\n"
        f"array set clocks {{{pairs}}}\nsource {{{block_file(crossing.block).with_suffix('.tcl')}}}\n"
    )
    result = subprocess.run(
        ["tclsh", str(script)], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    return result.returncode, (result.stdout + result.stderr).splitlines()


@pytest.mark.parametrize("crossing", CROSSINGS, ids=lambda one: one.block)
def test_every_crossing_is_constrained(crossing: Crossing, tmp_path: Path) -> None:
    code, lines = run(crossing, tmp_path)
    assert code == 0, lines
    rtl = block_file(crossing.block).read_text()
    for cell in ("u_a", "u_b/u_c"):
        mine = [line for line in lines if f"-to {cell}/" in line or f"-to {{{cell}/" in line]
        delays = [line for line in mine if line.startswith("set_max_delay -datapath_only ")]
        for (source, target, limit), line in zip(crossing.delays, delays, strict=True):
            assert re.search(rf"-from .*{source}.* -to .*{target}_reg\S* .*{limit}$", line), line
        assert sum(line.startswith("set_bus_skew") for line in mine) == crossing.skews
    for register in set(re.findall(r"(\w+)_reg\b", "\n".join(lines))):
        assert re.search(rf"\b(logic|output logic)\b[^;]*\b{register}\b", rtl), register


@pytest.mark.parametrize("crossing", CROSSINGS, ids=lambda one: one.block)
def test_a_clock_that_is_missing_is_an_error(crossing: Crossing, tmp_path: Path) -> None:
    for pin in crossing.clocks:
        code, lines = run(crossing, tmp_path, **{pin: ""})
        assert code != 0
        assert "create the clocks first" in "\n".join(lines)


def test_block_ram_and_one_clock_need_no_path_through_the_memory(tmp_path: Path) -> None:
    fifo = CROSSINGS[0]
    for absent, clocks in (("ram_q_reg*", {}), ("", {"m_axis_aclk": "slow"})):
        code, lines = run(fifo, tmp_path, absent, **clocks)
        assert code == 0, lines
        assert lines
        assert not any("ram_q" in line for line in lines)


def test_every_block_with_two_clocks_has_constraints() -> None:
    """A synchroniser that nobody constrains is one that Vivado may spread over the chip."""
    crossing = {one.parent.name for one in IP.rglob("*.sv") if "ASYNC_REG" in one.read_text()}
    assert crossing == {one.block for one in CROSSINGS}
