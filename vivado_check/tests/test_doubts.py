# SPDX-License-Identifier: BSD-3-Clause
"""A script that dies of an answer which we did not know is no error of the script."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivado_check.coverage import Result
from vivado_check.report import Verdict
from vivado_check.run import Options, check

HEAD = """
create_project one one -part xc7z020clg400-1
create_bd_design top
create_bd_cell -type ip -vlnv who.com:user:core:1.0 core
proc width {pin} {
    return [expr 2 ** [get_property CONFIG.ADDR_WIDTH [get_bd_intf_pins $pin]]]
}
"""


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("width core/S", Verdict.NOT_MODELLED),
        ("expr 1 + [get_property SPEED [get_parts]]", Verdict.NOT_MODELLED),
        ("expr 2 **", Verdict.ERROR),
        ("unheard_of; puts [", Verdict.ERROR),
        ("set_property CONFIG.A 1 [get_bd_cells nothere]", Verdict.ERROR),
    ],
)
def test_an_error_after_an_unknown_answer(tmp_path: Path, line: str, verdict: Verdict) -> None:
    script = tmp_path / "a.tcl"
    script.write_text(f"{HEAD}{line}\nvalidate_bd_design\n")
    checked = check(script, Options())
    (recording,) = checked.recordings.values()
    assert recording.ended == 1
    assert not recording.designs["top"].validated
    last = [m for m in checked.messages if m.rule in ("tcl", "refused")]
    assert [m.verdict for m in last] == [verdict]
    learn = "--learn" in last[0].remedy
    assert learn is (verdict is Verdict.NOT_MODELLED)


def test_a_package_of_tcl_that_is_not_here(tmp_path: Path) -> None:
    script = tmp_path / "a.tcl"
    script.write_text(
        "if {$::errorCode ne {NONE}} { error {errors before any} }\npackage require nobodys::own\n"
    )
    (message,) = check(script, Options()).messages
    assert (message.verdict, message.origin.line) == (Verdict.NOT_MODELLED, 2)
    assert "can't find package nobodys::own" in message.found


def test_a_getter_that_we_cannot_answer_stops_nothing(tmp_path: Path) -> None:
    script = tmp_path / "a.tcl"
    script.write_text(f"{HEAD}set_property core_revision 2 [nobodys_command]\nvalidate_bd_design\n")
    checked = check(script, Options())
    (recording,) = checked.recordings.values()
    assert recording.designs["top"].validated
    assert {m.verdict for m in checked.messages} == {Verdict.NOT_MODELLED}


def test_the_end_of_a_project_that_vivado_wrote(tmp_path: Path) -> None:
    script = tmp_path / "a.tcl"
    script.write_text(
        "create_project one one -part xc7z020clg400-1\n"
        "if {[string equal [get_report_configs -of_objects [get_runs synth_1] use_0] {}]} {\n"
        "  create_report_config -report_name use_0 -report_type report_utilization:1.0 -steps synth_design "
        "-runs synth_1\n}\n"
        "set obj [get_report_configs -of_objects [get_runs synth_1] use_0]\n"
        'if {$obj != ""} { set_property -name "display_name" -value "u" -objects $obj }\n'
        "delete_report_configs use_0\nif {[get_report_configs use_0] ne {}} { error {still there} }\n"
        "if {[string equal [get_dashboard_gadgets [list drc_1]] {}]} {\n"
        "  create_dashboard_gadget -name {drc_1} -type drc\n}\n"
        "set obj [get_dashboard_gadgets [list drc_1]]\n"
        'set_property -name "reports" -value "impl_1#r" -objects $obj\n'
        "delete_dashboard_gadgets $obj\n"
        "if {[get_dashboard_gadgets] ne {}} { error {still there} }\n"
    )
    assert check(script, Options()).messages == ()


def test_an_imported_file_keeps_the_folder_that_it_lay_in(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new/a.v").write_text("module a; endmodule\n")
    script = tmp_path / "a.tcl"
    script.write_text(
        "create_project one one -part xc7z020clg400-1\n"
        "import_files -fileset sources_1 new/a.v\n"
        'set file_obj [get_files -of_objects [get_filesets sources_1] [list "*new/a.v"]]\n'
        'set_property -name "is_enabled" -value "1" -objects $file_obj\n'
    )
    assert check(script, Options()).messages == ()


@pytest.mark.parametrize(("preset", "refused"), [("ZC706*", False), ("ZC706", False), ("ZC7O6", True)])
def test_a_preset_that_was_changed_has_a_star(tmp_path: Path, preset: str, refused: bool) -> None:
    script = tmp_path / "a.tcl"
    script.write_text(
        "create_project one one -part xc7z045ffg900-2\ncreate_bd_design top\n"
        "create_bd_cell -type ip -vlnv xilinx.com:ip:processing_system7:5.5 ps\n"
        f"set_property CONFIG.preset {{{preset}}} [get_bd_cells ps]\n"
    )
    found = [m.rule for m in check(script, Options()).messages if m.verdict is Verdict.ERROR]
    assert found == ["parameter-range"] * refused


PROJECT = "create_project one one -part xc7z020clg400-1\n"
DESIGN = f"{PROJECT}create_bd_design top\n"
LOOKED_UP = (
    DESIGN
    + """
set ip [get_ipdefs -all -filter "VLNV =~ *:who_knows:* && design_tool_contexts =~ *IPI*"]
if {$ip eq ""} {error "there is none"}
create_bd_cell -type ip -vlnv $ip core
create_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant:1.1 one
set_property CONFIG.ANY 3 [get_bd_cells core]
connect_bd_net [get_bd_pins one/dout] [get_bd_pins core/any]
set other [get_ipdefs -filter {NAME == nobody_knows}]
puts [get_property NAME $other]
"""
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{PROJECT}exec make -C lib\n", 2),
        (f"{PROJECT}set x [open |ls]\n", 2),
        (f"{PROJECT}source ../other/lib.tcl\n", 2),
        (f'{PROJECT}if {{[catch {{exec make}} said]}} {{puts "no: $said"; exit 2}}\n', 2),
        (f'{PROJECT}if {{[catch {{exec make}} said]}} {{\nerror "no: $said"}}\n', 2),
        (
            LOOKED_UP + "if {[get_bd_intf_pins -quiet core/clk] ne {}} {\nerror {a clock is no interface}}\n",
            None,
        ),
        (f"if {{0}} {{\n{PROJECT}}}\n", 0),
        (f"{DESIGN}if {{0}} {{\ncreate_bd_cell -type ip -vlnv xilinx.com:ip:axi_gpio:2.0 g\n}}\n", None),
    ],
)
def test_what_a_check_does_not_do_is_no_error_and_no_pass(
    tmp_path: Path, text: str, line: int | None
) -> None:
    script = tmp_path / "in" / "a.tcl"
    script.parent.mkdir()
    script.write_text(text)
    checked = check(script, Options())
    assert checked.worst() is Result.UNCHECKED
    assert {one.verdict for one in checked.messages} <= {Verdict.NOT_MODELLED}
    assert line is None or (f"a.tcl:{line}" if line else "a.tcl") in {
        str(one.origin) for one in checked.messages
    }


def test_an_ip_that_is_looked_up_and_not_known(tmp_path: Path) -> None:
    script = tmp_path / "a.tcl"
    script.write_text(LOOKED_UP)
    checked = check(script, Options())
    (recording,) = checked.recordings.values()
    assert (recording.ended, recording.printed) == (0, ["nobody_knows"])
    assert "/core" in recording.designs["top"].cells
    assert {one.verdict for one in checked.messages} == {Verdict.NOT_MODELLED}
    assert "unknown-ip" in {one.rule for one in checked.messages}


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("get_property NAME [current_board_part]", Verdict.NOT_MODELLED),
        ("set b [current_board_part]\nset n [get_property NAME $b]", Verdict.NOT_MODELLED),
        ("set p [get_parts -filter {SPEED == -1}]\nset_property ANY 1 $p", Verdict.NOT_MODELLED),
        ("set d [get_ipdefs]\nlist_property $d", Verdict.NOT_MODELLED),
        ("set b [get_projects nothing]\nset n [get_property NAME $b]", Verdict.ERROR),
    ],
)
def test_an_empty_answer_that_may_be_an_object(tmp_path: Path, text: str, verdict: Verdict) -> None:
    script = tmp_path / "a.tcl"
    script.write_text(f"{DESIGN}{text}\n")
    checked = check(script, Options())
    assert {one.verdict for one in checked.messages} == {verdict}
    assert checked.recordings["a.tcl"].ended == (0 if verdict is Verdict.NOT_MODELLED else 1)
