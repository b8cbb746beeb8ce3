# SPDX-License-Identifier: BSD-3-Clause
"""What Vivado only warns of stops our scripts, by two ways each, so that neither alone has to hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from tcl_model import Outcome, Vivado, run_script
from zynq_project import node_plan, write_project

from shellgen.platforms.messages import DESIGN
from shellgen.platforms.zynq_facts import DesignMessage

HOOK = r"^foreach shellgen_run [^}]*\}\n"


def node_of(folder: Path, double_clock: bool = False) -> Path:
    return write_project(*node_plan("zedboard", "1rx_1tx", double_clock), folder)


def edit(file: Path, pattern: str, new: str = "") -> None:
    """Replace every match, of which there must be one."""
    text, count = re.subn(pattern, new, file.read_text(), flags=re.MULTILINE)
    assert count, f"{file.name} has no {pattern}"
    file.write_text(text)


def forget_weights(node: Path) -> None:
    edit(node / "vivado" / "bd.tcl", r"^.*memblock\.dat.*\n")
    edit(node / "vivado" / "bd.tcl", r"^set_property file_type \{Memory[^]]*\]\]\n")


def build(node: Path, vivado: Vivado | None = None) -> Outcome:
    return run_script(vivado or Vivado("2022.2"), node / "vivado" / "build.tcl")


def test_weights_that_are_not_in_the_project_stop_the_synthesis(tmp_path: Path) -> None:
    """The run is a process of its own; its hook makes the message an error there."""
    node = node_of(tmp_path)
    forget_weights(node)
    outcome = build(node)
    assert outcome.code == 1
    assert "synth_1 failed" in outcome.printed[-2]
    assert "ERROR: [Synth 8-4445] could not open $readmem data file 'memblock.dat'" in outcome.printed[-1]
    assert not (node / "vivado" / "out").exists()


def test_the_log_is_read_where_the_hook_had_no_effect(tmp_path: Path) -> None:
    node = node_of(tmp_path)
    forget_weights(node)
    edit(node / "vivado" / "bd.tcl", HOOK)
    vivado = Vivado("2022.2")
    outcome = build(node, vivado)
    assert outcome.code == 1
    assert "synth_1: CRITICAL WARNING: [Synth 8-4445]" in outcome.printed[-1]
    assert vivado.current.runs["impl_1"].progress == "0%"  # hours before a bitstream
    assert not (node / "vivado" / "out").exists()


def test_without_both_there_is_a_bitstream_with_zeros(tmp_path: Path) -> None:
    """So the model does what Vivado does, and the two tests above show what stops it."""
    node = node_of(tmp_path)
    forget_weights(node)
    edit(node / "vivado" / "bd.tcl", HOOK)
    edit(node / "vivado" / "messages.tcl", r"^        \{Synth 8-4445\}.*\n")
    assert build(node).code == 0
    assert (node / "vivado" / "out" / "n0.bit").exists()


def test_a_weight_file_that_is_not_on_disk(tmp_path: Path) -> None:
    node = node_of(tmp_path)
    (node / "partition" / "memblock.dat").unlink()
    outcome = build(node)
    assert outcome.code == 1
    assert "memblock.dat' does not exist" in outcome.error


def test_a_run_without_a_log_is_no_proof(tmp_path: Path) -> None:
    node = node_of(tmp_path)
    vivado = Vivado("2022.2")
    assert build(node, vivado).code == 0
    vivado.quit()
    project = node / "vivado" / "project"
    (project / "n0.runs" / "synth_1" / "runme.log").unlink()
    outcome = run_script(vivado, node / "vivado" / "export.tcl", str(project / "n0.xpr"))
    assert outcome.code == 1
    assert "synth_1 left no log" in outcome.printed[-1]


MISTAKES = {
    "misspelt": ("CONFIG.c_sg_length_width", "CONFIG.c_sg_lenght_width", "BD 41-1276"),
    "read-only": ("CONFIG.c_sg_length_width 26", "CONFIG.c_prmry_is_aclk_async 1", "BD 41-737"),
    "not connected": ("shellgen::bus core_0/m_axis_0 axi_dma_0/S_AXIS_S2MM\n", "", "BD 41-759"),
    "no address": ("^shellgen::place zynq_ps/Data axi_dma_0/S_AXI_LITE.*\n", "", "BD 41-1356"),
}


@pytest.mark.parametrize("stops", [True, False])
@pytest.mark.parametrize("name", MISTAKES)
def test_a_message_about_the_design_stops_the_script(name: str, stops: bool, tmp_path: Path) -> None:
    """Whether or not the command that it comes from fails."""
    old, new, identity = MISTAKES[name]
    node = node_of(tmp_path)
    edit(node / "vivado" / "bd.tcl", old, new)
    vivado = Vivado("2022.2")
    vivado.messages.stops = stops
    outcome = build(node, vivado)
    assert outcome.code == 1
    assert identity in outcome.error
    assert ("not what was asked for" in outcome.error) != stops


@pytest.mark.parametrize("name", MISTAKES)
def test_vivado_itself_goes_on(name: str, tmp_path: Path) -> None:
    old, new, identity = MISTAKES[name]
    node = node_of(tmp_path)
    edit(node / "vivado" / "bd.tcl", old, new)
    edit(node / "vivado" / "messages.tcl", rf"^        \{{{identity}\}}.*\n")
    vivado = Vivado("2022.2")
    outcome = run_script(vivado, node / "vivado" / "build.tcl", "project")
    assert any(f"CRITICAL WARNING: [{identity}]" in line for line in vivado.messages.lines)
    assert identity not in outcome.error


def test_every_message_has_a_meaning() -> None:
    assert DESIGN.keys() == set(get_args(DesignMessage))


def test_what_is_accepted_does_not_stop(tmp_path: Path) -> None:
    old, new, identity = MISTAKES["not connected"]
    node = write_project(*node_plan("zedboard", "1rx_1tx", vivado={"accept": [identity]}), tmp_path)
    edit(node / "vivado" / "bd.tcl", old, new)
    vivado = Vivado("2022.2")
    assert build(node, vivado).code == 0
    assert any(f"CRITICAL WARNING: [{identity}]" in line for line in vivado.messages.lines)
    forget_weights(node)
    assert build(node).code == 1


def test_messages_of_an_earlier_project_do_not_count(tmp_path: Path) -> None:
    """One Vivado session may make two boards."""
    vivado = Vivado("2022.2")
    vivado.messages.critical("BD 41-1276", "in a project of somebody else's")
    assert build(node_of(tmp_path), vivado).code == 0


def test_the_wizards_input_frequency_is_taken_out_of_vivados_hands(tmp_path: Path) -> None:
    node = node_of(tmp_path, double_clock=True)
    vivado = Vivado("2022.2")
    assert build(node, vivado).code == 0
    assert float(vivado.block.cells["clk_wiz_0"].config["PRIM_IN_FREQ"]) == 100.0
    edit(node / "vivado" / "bd.tcl", r"^shellgen::own .* PRIM_IN_FREQ\n")
    assert "BD 41-737" in build(node).error
