# SPDX-License-Identifier: BSD-3-Clause
"""Files that a build exports, as PYNQ loads them; and a build that fails."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from zynq_project import node_plan, write_project

from shellgen.check.expected import scripts_of
from shellgen.check.rules.base import RULES, Context, all_rules
from shellgen.check.rules.pynq import by_hand, by_pynq
from shellgen.emit.memory_map import memory_map
from shellgen.model import Plan
from vivado_check.ip.catalogue import catalogue_of
from vivado_check.recording import Recording
from vivado_check.report import Message, Verdict
from vivado_check.sessions import node_recorded


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Path]:
    plan, network = node_plan("zedboard", "2rx_1tx")
    return plan, write_project(plan, network, tmp_path_factory.mktemp("made")).parent


@pytest.fixture
def out(made: tuple[Plan, Path], tmp_path: Path) -> Path:
    shutil.copytree(made[1], tmp_path / "out")
    return tmp_path / "out"


def judged(plan: Plan, out: Path, *rules: str, hdl: bool = True) -> tuple[list[Message], Recording]:
    all_rules()
    node = plan.nodes[0]
    scripts = scripts_of(node)
    catalogue = catalogue_of(())
    told = memory_map(plan)
    with node_recorded(out, node.name, scripts, "2022.2", catalogue) as recording:
        context = Context(recording, catalogue, out, None, node.name, plan, told, hdl)
        return [message for name in rules for message in RULES[name].judge(context)], recording


def edit(file: Path, pattern: str, new: str) -> None:
    text, count = re.subn(pattern, new, file.read_text(), flags=re.MULTILINE)
    assert count, f"{file.name} has no {pattern}"
    file.write_text(text)


@pytest.fixture
def handoff(made: tuple[Plan, Path]) -> Iterator[Path]:
    """Yield the exported .hwh."""
    plan, folder = made
    node = plan.nodes[0]
    scripts = scripts_of(node)
    with node_recorded(folder, "n0", scripts, "2022.2", catalogue_of(())) as recording:
        yield recording.written["n0/vivado/out/n0.hwh"]


def test_pynqs_own_reader_finds_core_dmas_and_interrupts(handoff: Path) -> None:
    loaded = by_pynq(handoff)
    assert loaded is not None
    assert loaded.addresses["axi_dma_0"][0] == 0x6000_0000
    assert loaded.interrupts is not None
    assert loaded.interrupts["axi_dma_1/mm2s_introut"] == ("axi_intc_0", 2)
    assert "FRAMES_0" in loaded.registers["core_0"]
    alone = by_hand(handoff)
    assert alone.addresses == loaded.addresses
    assert alone.registers["core_0"] == loaded.registers["core_0"]


@pytest.mark.parametrize("hdl", [False, True])
def test_what_we_export_is_an_overlay(hdl: bool, made: tuple[Plan, Path]) -> None:
    found, recording = judged(*made, "pynq-overlay", hdl=hdl)
    assert recording.ended == 0
    assert found == []


# File, pattern, replacement, part of what is found.
OVERLAYS = {
    "an .xsa beside the .bit": (
        "export.tcl",
        r"\[file join \$export_out xsa \$export_name.xsa\]$",
        "[file join $export_out $export_name.xsa]",
        "refuses the .bit",
    ),
    "no .hwh": ("export.tcl", r"^export_hwh \$export_hwh .*$", "", "does not know the design"),
    "register moved": ("registers.xml", r'VALUE="0x1C"', 'VALUE="0x2C"', "register SCRATCH is at 0x2c"),
    "register lost": ("registers.xml", r'NAME="SCRATCH"', 'NAME="SCRATHC"', "register SCRATCH is not there"),
    "no registers": ("export.tcl", r'INTERFACE="s_axil"', 'INTERFACE="s_axi"', "no registers by name"),
    "broken": ("registers.xml", r"</REGISTERS>", "", "cannot be read"),
}


@pytest.mark.parametrize("name", OVERLAYS)
def test_an_overlay_that_pynq_does_not_load_so(name: str, made: tuple[Plan, Path], out: Path) -> None:
    file, pattern, new, found = OVERLAYS[name]
    edit(out / "n0" / "vivado" / file, pattern, new)
    messages, _ = judged(made[0], out, "pynq-overlay")
    assert any(found in message.found for message in messages), messages
    assert {message.verdict for message in messages} == {Verdict.FINDING}


def test_our_builds_notice_what_goes_wrong(made: tuple[Plan, Path]) -> None:
    assert judged(*made, "unnoticed-failure")[0] == []


def unnoticed(file: str, pattern: str, new: str, trial: str, *, sweep: bool = True) -> ParameterSet:
    marks = [pytest.mark.sweep] if sweep else []
    return pytest.param(file, pattern, new, trial, id=trial, marks=marks)


UNNOTICED = [
    unnoticed("export.tcl", r"\|\| \$export_value < 0", "", "timing is not met", sweep=False),
    unnoticed("export.tcl", r"export_slack \{WNS WHS\}", "export_slack WNS", "hold times are not met"),
    unnoticed("export.tcl", r"if \{\[llength \$export_late\]\} \{", "if {0} {", "timing is not met"),
    unnoticed("messages.tcl", r"if \{\$now > \$old\}", "if {$now > 1000}", "validation reports BD"),
    unnoticed("messages.tcl", r"return \[list \"synth_1 left no log.*$", "return {}", "leaves no log"),
]


@pytest.mark.parametrize(("file", "pattern", "new", "trial"), UNNOTICED)
def test_a_build_that_does_not_notice(
    file: str, pattern: str, new: str, trial: str, made: tuple[Plan, Path], out: Path
) -> None:
    edit(out / "n0" / "vivado" / file, pattern, new)
    messages, recording = judged(made[0], out, "unnoticed-failure")
    assert recording.ended == 0
    assert any(trial in message.found for message in messages), messages
