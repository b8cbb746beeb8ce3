# SPDX-License-Identifier: BSD-3-Clause
"""Messages that are only warnings in Vivado stop generated scripts, by two independent ways each.

The session gets the warning as a setting; other tests show that the mistakes are seen at all.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from vivado_session import Outcome, Vivado, run_script
from zynq_project import node_plan, write_project

from shellgen.platforms.messages import DESIGN, DesignMessage

HOOK = r"^foreach shellgen_run [^}]*\}\n"


def node_of(folder: Path, double_clock: bool = False) -> Path:
    return write_project(*node_plan("zedboard", "1rx_1tx", double_clock), folder)


def edit(file: Path, pattern: str, new: str = "") -> None:
    """Replace every match, of which there must be one."""
    text, count = re.subn(pattern, new, file.read_text(), flags=re.MULTILINE)
    assert count, f"{file.name} has no {pattern}"
    file.write_text(text)


LOST = {"synth_1": (("Synth 8-4445", "could not open $readmem data file 'memblock.dat'"),)}


def build(node: Path, vivado: Vivado | None = None) -> Outcome:
    return run_script(vivado or Vivado("2022.2"), node / "vivado" / "build.tcl")


def test_weights_that_are_not_in_the_project_stop_the_synthesis(tmp_path: Path) -> None:
    """The run is a process of its own; its hook makes the message an error there."""
    node = node_of(tmp_path)
    outcome = build(node, Vivado("2022.2", log=LOST))
    assert outcome.code == 1
    assert "synth_1 failed" in outcome.printed[-2]
    assert "ERROR: [Synth 8-4445] could not open $readmem data file 'memblock.dat'" in outcome.printed[-1]
    assert not (node / "vivado" / "out").exists()


def test_the_log_is_read_where_the_hook_had_no_effect(tmp_path: Path) -> None:
    node = node_of(tmp_path)
    edit(node / "vivado" / "bd.tcl", HOOK)
    vivado = Vivado("2022.2", log=LOST)
    outcome = build(node, vivado)
    assert outcome.code == 1
    assert "synth_1: CRITICAL WARNING: [Synth 8-4445]" in outcome.printed[-1]
    assert vivado.current.runs["impl_1"].progress == "0%"  # hours before a bitstream
    assert not (node / "vivado" / "out").exists()


def test_without_both_there_is_a_bitstream_with_zeros(tmp_path: Path) -> None:
    """So a session does what Vivado does, and the two tests above show what stops it."""
    node = node_of(tmp_path)
    edit(node / "vivado" / "bd.tcl", HOOK)
    edit(node / "vivado" / "messages.tcl", r"^        \{Synth 8-4445\}.*\n")
    assert build(node, Vivado("2022.2", log=LOST)).code == 0
    assert (node / "vivado" / "out" / "n0.bit").exists()


def test_a_weight_file_that_is_not_on_disk(tmp_path: Path) -> None:
    node = node_of(tmp_path)
    (node / "partition" / "memblock.dat").unlink()
    outcome = build(node)
    assert outcome.code == 1
    assert "memblock.dat' does not exist" in outcome.error


def test_a_run_without_a_log_is_no_proof(tmp_path: Path) -> None:
    node = node_of(tmp_path)
    outcome = build(node, Vivado("2022.2", silent_runs=frozenset({"synth_1"})))
    assert outcome.code == 1
    assert "synth_1 left no log" in outcome.printed[-1]
    vivado = Vivado("2022.2")
    assert build(node, vivado).code == 0
    project = node / "vivado" / "project"
    vivado.remove(project / "n0.runs" / "synth_1" / "runme.log")
    outcome = run_script(vivado, node / "vivado" / "export.tcl", str(project / "n0.xpr"))
    assert outcome.code == 1
    assert "synth_1 left no log" in outcome.printed[-1]


# Where Vivado says what about a design.
REPORTED = {
    "create_bd_cell": "BD 41-1276",
    "connect_bd_net": "BD 41-737",
    "validate_bd_design": "BD 41-1356",
    "assign_bd_address": "BD 41-759",
    "generate_target": "BD 41-2383",
}


def reporting(command: str, identity: str, stops: bool = True) -> Vivado:
    return Vivado("2022.2", reports={command: (identity,)}, stops=stops)


@pytest.mark.parametrize("stops", [True, False])
@pytest.mark.parametrize("command", REPORTED)
def test_a_message_about_the_design_stops_the_script(command: str, stops: bool, tmp_path: Path) -> None:
    """Whether or not the command that it comes from fails."""
    identity = REPORTED[command]
    outcome = build(node_of(tmp_path), reporting(command, identity, stops))
    assert outcome.code == 1
    assert identity in outcome.error
    assert ("not what was asked for" in outcome.error) != stops


@pytest.mark.parametrize("command", REPORTED)
def test_vivado_itself_goes_on(command: str, tmp_path: Path) -> None:
    identity = REPORTED[command]
    node = node_of(tmp_path)
    edit(node / "vivado" / "messages.tcl", rf"^        \{{{identity}\}}.*\n")
    vivado = reporting(command, identity)
    assert build(node, vivado).code == 0
    assert vivado.reported[identity] == 1


def test_every_message_has_a_meaning() -> None:
    assert DESIGN.keys() == set(get_args(DesignMessage))


def test_what_is_accepted_does_not_stop(tmp_path: Path) -> None:
    node = write_project(*node_plan("zedboard", "1rx_1tx", vivado={"accept": ["BD 41-759"]}), tmp_path)
    vivado = reporting("validate_bd_design", "BD 41-759")
    assert build(node, vivado).code == 0
    assert vivado.reported["BD 41-759"] == 1
    assert build(node, Vivado("2022.2", log=LOST)).code == 1


def test_messages_of_an_earlier_project_do_not_count(tmp_path: Path) -> None:
    """One Vivado session may make two boards."""
    assert build(node_of(tmp_path), reporting("create_project", "BD 41-1276")).code == 0


def test_the_wizards_input_frequency_is_taken_out_of_vivados_hands(tmp_path: Path) -> None:
    node = node_of(tmp_path, double_clock=True)
    vivado = Vivado("2022.2")
    assert build(node, vivado).code == 0
    assert float(vivado.block.config("clk_wiz_0", "PRIM_IN_FREQ") or 0) == 100.0
    assert not vivado.said()
    assert vivado.block.config("clk_wiz_0", "PRIM_IN_FREQ.VALUE_SRC") == "USER"
