# SPDX-License-Identifier: BSD-3-Clause
"""Commands of projects, files, IP and runs: what is recorded, what is answered, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivado_check.record.scenario import Scenario
from vivado_check.record.session import Session
from vivado_check.recording import Recording
from vivado_check.report import Verdict
from vivado_check.tcl.interpreter import Outcome, run_script
from vivado_check.tcl.sandbox import Sandbox


def run(
    folder: Path, text: str, scenario: Scenario | None = None, release: str = "2022.2"
) -> tuple[Session, Outcome]:
    """Run a script beside a Verilog file and a memory file."""
    (folder / "core.v").write_text("module core;\nendmodule\n")
    (folder / "w.dat").write_text("00\n")
    script = folder / "build.tcl"
    script.write_text(text)
    with Sandbox(folder) as sandbox:
        session = Session(Recording(release, folder), sandbox, scenario=scenario)
        return session, run_script(script, session)


PROJECT = "create_project p build -part xc7z020clg484-1\n"
SOURCES = PROJECT + "add_files {core.v w.dat}\nset_property top core [current_fileset]\n"
BUILD = SOURCES + "launch_runs impl_1 -to_step write_bitstream -jobs 4\nwait_on_run impl_1\n"


def test_a_project_is_recorded(tmp_path: Path) -> None:
    text = SOURCES + (
        "set_property board_part a.b:c:part0:1.0 [current_project]\n"
        "set_property file_type {Memory Initialization Files} [get_files *.dat]\n"
        "puts [get_property PART [current_project]]\nputs [get_property DIRECTORY [current_project]]\n"
        "puts [file exists build/p.xpr]\n"
        "puts [llength [get_files -filter {FILE_TYPE == Verilog}]]\n"
        "puts [get_property top [current_fileset]],[get_projects],[get_runs *]\n"
    )
    session, outcome = run(tmp_path, text)
    assert outcome.code == 0
    (project,) = session.recording.projects
    assert [(Path(file.name).name, file.properties["file_type"].value) for file in project.files] == [
        ("core.v", "Verilog"),
        ("w.dat", "Memory Initialization Files"),
    ]
    assert project.files[0].origin.line == 2
    assert outcome.printed == ["xc7z020clg484-1", str(tmp_path / "build"), "1", "1", "core,p,synth_1 impl_1"]
    assert not (tmp_path / "build").exists()
    assert not session.recording.messages


def test_runs_leave_what_vivado_leaves(tmp_path: Path) -> None:
    text = BUILD + (
        "puts [get_property PROGRESS [get_runs impl_1]]\n"
        "open_run impl_1\n"
        "report_utilization -file u.rpt\n"
        "file copy [get_property DIRECTORY [get_runs impl_1]]/core.bit x.bit\n"
        "write_hw_platform -fixed -include_bit -force x.xsa\n"
        "puts [lsort [glob *.rpt *.bit *.xsa build/p.runs/*/runme.log]]\n"
        "puts [get_property STATS.WNS [get_runs impl_1]]\n"
    )
    session, outcome = run(tmp_path, text, Scenario(slack={"WNS": "-1.5", "WHS": "0"}))
    assert outcome.code == 0, outcome.error
    assert outcome.printed[0] == "100%"
    assert outcome.printed[1].split() == [
        *("build/p.runs/impl_1/runme.log", "build/p.runs/synth_1/runme.log", "u.rpt", "x.bit", "x.xsa")
    ]
    assert outcome.printed[2] == "-1.5"
    runs = session.recording.projects[0].runs
    assert [len(runs[name].launched) for name in ("synth_1", "impl_1")] == [1, 1]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("add_files core.v\n", 1, "no project is open"),
        (PROJECT + "add_files nowhere.v\n", 2, "file 'nowhere.v' does not exist"),
        (PROJECT + "read_verilog -sv nowhere.sv\n", 2, "does not exist"),
        (PROJECT + "\nlaunch_runs synth_2\n", 3, "there is no run synth_2"),
        (PROJECT + "wait_on_run synth_1\n", 2, "was not launched"),
        (PROJECT + "open_run impl_1\n", 2, "is not complete"),
        (BUILD + "launch_runs impl_1\n", 6, "is already complete"),
        (BUILD + "report_power -file p.rpt\n", 6, "needs an open design"),
        (BUILD + "open_run impl_1\nreport_power -file no/p.rpt\n", 7, "there is no folder no"),
        (
            SOURCES + "launch_runs impl_1\nwait_on_run impl_1\nwrite_hw_platform -include_bit a.xsa\n",
            6,
            "no bitstream",
        ),
        (PROJECT + "set_property part xc7 [get_projects other]\n", 2, "set_property has no object"),
        (PROJECT + "set_property -dict {part} [current_project]\n", 2, "a name without a value"),
        (PROJECT + "add_files -fileset sim_9 core.v\n", 2, "there is no file set sim_9"),
        (PROJECT + "make_wrapper -fils x\n", 2, "unknown option -fils of make_wrapper"),
        (PROJECT * 2, 2, "there is a project build/p.xpr already"),
        ("open_project x/y.xpr\n", 1, "there is no project x/y.xpr"),
        ("set_msg_config -id {A 1} -new_severity FATAL\n", 1, "FATAL is no severity"),
        (
            PROJECT + "create_ip -name fifo -vendor me -library ip -version 1.0 -module_name f\n",
            2,
            "no repository",
        ),
        (PROJECT + "get_property PART nobody\n", 2, "there is no object 'nobody'"),
    ],
)
def test_what_vivado_refuses(text: str, line: int, said: str, tmp_path: Path) -> None:
    session, outcome = run(tmp_path, text)
    assert outcome.code == 1
    (message,) = session.recording.messages
    assert said in message.found
    assert (message.verdict, message.origin.line) == (Verdict.ERROR, line)


def test_quiet_commands_answer_with_nothing(tmp_path: Path) -> None:
    text = (
        "puts <[get_property -quiet PART nobody]>\nputs <[get_projects -quiet]>\nputs <[get_runs -quiet x]>\n"
    )
    session, outcome = run(tmp_path, text)
    assert outcome.printed == ["<>", "<>", "<>"]
    assert not session.recording.messages


def test_what_is_not_known_is_counted_and_goes_on(tmp_path: Path) -> None:
    text = PROJECT + "frobnicate a\nget_files -sideways core.v\nputs [get_property ODD [current_project]]\n"
    session, outcome = run(tmp_path, text)
    assert outcome.code == 0
    assert [(message.verdict, message.origin.line) for message in session.recording.messages] == [
        (Verdict.NOT_MODELLED, line) for line in (2, 3, 4)
    ]


def test_abbreviations(tmp_path: Path) -> None:
    """Vivado takes a beginning that only one command or option has."""
    session, outcome = run(
        tmp_path, SOURCES + "puts [get_propert NAME p]\nadd_files -file constrs_1 -nor w.dat\n"
    )
    assert outcome.printed == ["p"]
    assert session.recording.projects[0].files[-1].fileset == "constrs_1"
    assert not session.recording.messages


def test_a_later_session_opens_the_project_again(tmp_path: Path) -> None:
    (tmp_path / "core.v").write_text("module core;\nendmodule\n")
    first, second = tmp_path / "a.tcl", tmp_path / "b.tcl"
    first.write_text(PROJECT + "add_files core.v\n")
    second.write_text("open_project build/p.xpr\nputs [get_files]\nputs [get_projects]\n")
    recording = Recording("2022.2", tmp_path)
    with Sandbox(tmp_path) as sandbox:
        assert run_script(first, Session(recording, sandbox)).code == 0
        outcome = run_script(second, Session(recording, sandbox))
    assert outcome.printed == [str(tmp_path / "core.v"), "p"]


HOOK = "set_property STEPS.SYNTH_DESIGN.TCL.PRE [file normalize hook.tcl] [get_runs synth_1]\n"


@pytest.mark.parametrize(
    ("hook", "status", "logged"),
    [
        ("", "write_bitstream Complete!", "CRITICAL WARNING: [Synth 8-4445] no file"),
        (
            "set_msg_config -id {Synth 8-4445} -new_severity ERROR",
            "impl_1 was not run",
            "ERROR: [Synth 8-4445]",
        ),
        ("add_files core.v", "impl_1 was not run", "no project is open"),
        ("error oh", "impl_1 was not run", "oh"),
    ],
)
def test_a_hook_is_a_process_of_its_own(hook: str, status: str, logged: str, tmp_path: Path) -> None:
    (tmp_path / "hook.tcl").write_text(hook + "\n")
    text = SOURCES + HOOK + "launch_runs impl_1 -to_step write_bitstream\nwait_on_run impl_1\n"
    text += "puts [get_property STATUS [get_runs impl_1]]\n"
    text += "set f [open build/p.runs/synth_1/runme.log]\nputs [read $f]\n"
    session, outcome = run(tmp_path, text, Scenario(log={"synth_1": (("Synth 8-4445", "no file"),)}))
    assert outcome.code == 0, outcome.error
    assert outcome.printed[0] == status
    assert logged in outcome.printed[1]
    assert session.project is not None


def test_messages_of_the_script_itself(tmp_path: Path) -> None:
    text = 'common::send_gid_msg -ssname BD::TCL -id 1 -severity "INFO" "all is well"\n'
    text += 'catch {common::send_gid_msg -ssname BD::TCL -id 2 -severity "ERROR" "no board"}\nputs on\n'
    session, outcome = run(tmp_path, text)
    assert outcome.printed == ["on"]
    assert session.recording.printed == ["INFO: all is well", "ERROR: no board", "on"]
    (message,) = session.recording.messages
    assert (message.rule, message.verdict, message.found) == ("script", Verdict.FINDING, "no board")


def test_repositories_give_ip(tmp_path: Path) -> None:
    folder = tmp_path / "ip" / "fifo"
    folder.mkdir(parents=True)
    words = {"vendor": "me", "library": "ip", "name": "fifo", "version": "1.2"}
    (folder / "component.xml").write_text("".join(f"<spirit:{k}>{v}</spirit:{k}>" for k, v in words.items()))
    text = PROJECT + "set_property ip_repo_paths ip [current_project]\nupdate_ip_catalog\n"
    text += "create_ip -name fifo -vendor me -library ip -version 1.2 -module_name f0\n"
    text += "set_property -dict {CONFIG.D 4} [get_ips f0]\nputs [get_property CONFIG.D [get_ips f0]]\n"
    text += "puts [get_ipdefs -all me:ip:*]\n"
    session, outcome = run(tmp_path, text)
    assert outcome.printed == ["4", "me:ip:fifo:1.2"]
    assert session.recording.projects[0].ips["f0"][0] == "me:ip:fifo:1.2"


def test_a_design_that_nobody_here_has_drawn_is_opened_empty(tmp_path: Path) -> None:
    (tmp_path / "top.bd").write_text("{}")
    text = PROJECT + "add_files top.bd\nopen_bd_design top.bd\nputs [get_bd_designs]\n"
    session, outcome = run(tmp_path, text + "connect_bd_net [get_bd_pins a/b] [get_bd_pins c/d]\n")
    assert outcome.printed == ["top"]
    assert outcome.code == 0
    assert {message.verdict for message in session.recording.messages} == {Verdict.NOT_MODELLED}
    _, outcome = run(tmp_path, PROJECT + "open_bd_design other.bd\n")
    assert outcome.code == 1


def test_boards_that_are_not_named_are_not_known(tmp_path: Path) -> None:
    text = PROJECT + "puts [get_property PART_NAME [get_board_parts *zed*]]\n"
    session, _ = run(tmp_path, text)
    assert {message.verdict for message in session.recording.messages} == {Verdict.NOT_MODELLED}


def test_a_cache_of_ip_is_exported(tmp_path: Path) -> None:
    text = PROJECT + "create_ip -name axi_gpio -module_name g\n"
    text += "config_ip_cache -export -no_bom -dir . -new_name g -ip [get_ips g]\n"
    session, outcome = run(tmp_path, text)
    assert (outcome.code, session.recording.messages) == (0, [])


def test_a_wrapper_that_is_looked_for_beside_the_sources(tmp_path: Path) -> None:
    """Vivado 2020.2 and later look where they write it; no other file is looked for there."""
    text = PROJECT + "create_bd_design top\nsave_bd_design\nmake_wrapper -files [get_files top.bd] -top\n"
    named = "build/p.srcs/sources_1/bd/top/hdl/{}.v"
    _, outcome = run(tmp_path, text + f"import_files -norecurse {named.format('top_wrapper')}\n")
    assert outcome.code == 0
    session, outcome = run(tmp_path, text + f"import_files -norecurse {named.format('odd_wrapper')}\n")
    assert outcome.code == 1
    assert "does not exist" in session.recording.messages[-1].found


def test_a_project_of_an_earlier_run_is_noted_and_the_script_goes_on(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build/p.xpr").write_text("")
    session, outcome = run(tmp_path, PROJECT + "puts done\n")
    assert (outcome.code, outcome.printed) == (0, ["done"])
    (told,) = session.recording.messages
    assert "an earlier run has left build/p.xpr" in told.found
    assert not told.verdict.stops(strict=False)
