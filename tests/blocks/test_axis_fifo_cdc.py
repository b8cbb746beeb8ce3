# SPDX-License-Identifier: BSD-3-Clause
"""axis_fifo_cdc: data, rate, levels, resets of either side at eight pairs of clocks; timing constraints."""

import re
import subprocess
from pathlib import Path

import pytest

from tools.blocks.block_bench import SIMULATORS, block_file, run_bench

SCRIPT = block_file("axis_fifo_cdc").with_suffix(".tcl")
# Vivado's commands, as far as the script needs them: names go through, constraints are printed.
STUBS = """
proc get_ports {name} { return $name }
proc get_clocks {args} { global clocks; return $clocks([lindex $args end]) }
proc get_property {args} { global periods; return $periods([lindex $args end]) }
proc get_cells {args} {
    global ram
    set name [lindex $args end]
    return [expr {$name eq "ram_q_reg*" ? $ram : $name}]
}
proc set_max_delay {args} { puts "set_max_delay $args" }
proc set_bus_skew {args} { puts "set_bus_skew $args" }
array set periods {s_clk 10.0 m_clk 4.0}
"""


def constraints(folder: Path, s_clock: str, m_clock: str, ram: str) -> tuple[int, list[str]]:
    """Run the script with these clocks; return its exit code and what it constrained."""
    script = folder / "run.tcl"
    settings = (
        f"set ram {{{ram}}}\narray set clocks {{s_axis_aclk {{{s_clock}}} m_axis_aclk {{{m_clock}}}}}\n"
    )
    script.write_text(STUBS + settings + f"source {{{SCRIPT}}}\n")
    result = subprocess.run(["tclsh", str(script)], capture_output=True, text=True, check=False, timeout=20)
    return result.returncode, (result.stdout + result.stderr).splitlines()


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_fifo_cdc(simulator: str) -> None:
    result = run_bench("axis_fifo_cdc", simulator)
    assert result.comparisons >= 10_000, result.text


def test_every_crossing_is_constrained(tmp_path: Path) -> None:
    code, lines = constraints(tmp_path, "s_clk", "m_clk", "ram_q_reg*")
    assert code == 0, lines
    assert lines == [
        "set_max_delay -datapath_only -from s_cross_q_reg* -to m_meta_q_reg* 10.0",
        "set_bus_skew -from s_cross_q_reg* -to m_meta_q_reg* 4.0",
        "set_max_delay -datapath_only -from m_cross_q_reg* -to s_meta_q_reg* 4.0",
        "set_bus_skew -from m_cross_q_reg* -to s_meta_q_reg* 4.0",
        "set_max_delay -datapath_only -from s_clk -to ram_q_reg* 4.0",
    ]
    rtl = block_file("axis_fifo_cdc").read_text()
    for register in re.findall(r"(\w+)_reg", "\n".join(lines)):
        assert re.search(rf"logic [^;]*\b{register}\b", rtl), register


def test_block_ram_and_one_clock_need_no_path_through_the_memory(tmp_path: Path) -> None:
    for clocks, ram in ((("s_clk", "m_clk"), ""), (("s_clk", "s_clk"), "ram_q_reg*")):
        code, lines = constraints(tmp_path, *clocks, ram)
        assert code == 0, lines
        assert len(lines) == 4
        assert not any("ram_q" in line for line in lines)


def test_constraints_without_clocks_are_refused(tmp_path: Path) -> None:
    code, lines = constraints(tmp_path, "s_clk", "", "ram_q_reg*")
    assert code != 0
    assert "create the clocks first" in "\n".join(lines)
