# SPDX-License-Identifier: BSD-3-Clause
"""Scripts that keep commands from the check: never "right", and the line is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from vivado_check.coverage import Result
from vivado_check.run import Options, check
from vivado_check.tcl.patience import Patience

BUILDS = """\
create_project -part xc7z020clg484-1 p p
create_bd_design d
create_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant c0
create_bd_port -dir O -from 0 -to 0 x
connect_bd_net [get_bd_pins c0/dout] [get_bd_ports x]
validate_bd_design
save_bd_design
"""


def gap_of(text: str, folder: Path, **others: str) -> str:
    """Return why a script is not checked, empty if it is right."""
    for name, other in others.items():
        (folder / f"{name}.tcl").write_text(other)
    script = folder / "s.tcl"
    script.write_text(text)
    checked = check(script, Options())
    assert not [one for one in checked.messages if one.verdict.stops(strict=False)], checked.messages
    return checked.coverages["s.tcl"].gap


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("return\n" + BUILDS, "s.tcl:1: .* 7 commands of the file were not run"),
        (BUILDS + "if {1} {\n  return; puts x\n}\nset f [open x w]; close $f\n", "s.tcl:8: .* 2 commands"),
        (BUILDS + "puts [expr {1}]; exit 0; set a {b;c\n}\n", "s.tcl:8: .* 1 command of the file was"),
        (BUILDS + "proc f {} {\n  exit\n}\n# { no command\nf\nset x \\\n  1\n", "s.tcl:12: .* 1 command"),
        (BUILDS + "proc f {} { return -code return }\nf\r\nset x 1\r\n", "s.tcl:9: .* 1 command"),
        (BUILDS + "source inner.tcl\nset x 1\n", "inner.tcl:2: .* 1 command"),
        (BUILDS + "source leaves.tcl\nset x 1\n", "leaves.tcl:1: .* 2 commands.*; s.tcl:8: .* 1 command"),
        ("rename create_bd_cell mine\n" + BUILDS, "s.tcl:1: .*create_bd_cell"),
        (BUILDS + "proc create_bd_cell args {}\n", "s.tcl:8: .*create_bd_cell"),
        (BUILDS + "\ninterp alias {} ::ipx::package_project {} list\n", "s.tcl:9: .*ipx::package_project"),
        (BUILDS + "proc unknown args {}\n", "s.tcl:8: .*unknown"),
        (BUILDS + "namespace eval :: {namespace unknown list}\n", "s.tcl:8: .*traces unknown"),
        (BUILDS + "proc write_checkpoint args {}\n", "s.tcl:8: .*write_checkpoint"),
        (BUILDS + "proc foreach args {}\n", "s.tcl:8: .*foreach"),
        (BUILDS + "if 1 {::tcl::begun 8; ::tcl::begun 9; return}; set x 1\n", "s.tcl:8: .* 1 command"),
        (BUILDS + "trace add execution save_bd_design enter {error x}\n", "s.tcl:8: .*save_bd_design"),
        (BUILDS + "trace remove execution proc enter ::tcl::defined\n", "s.tcl:8: .*trace"),
        (BUILDS + "proc ::tcl::changed args {}\nproc save_bd_design args {}\n", "s.tcl:8: .*changed.*save"),
        (BUILDS + "rename ::tcl::lost {}\n", "s.tcl:8: .*tcl::lost"),
        (BUILDS + "namespace unknown list\nsave_it\nnamespace unknown {}\n", "s.tcl:8: .*unknown"),
        (BUILDS + "namespace eval q {namespace unknown list; save_it}\n", "s.tcl:8: .*unknown"),
        (BUILDS + "source -encoding utf-8 inner.tcl\n", "inner.tcl:2: .* 1 command"),
        (BUILDS + "source -encoding dingbats inner.tcl\n", "inner.tcl: .*not followed"),
        (BUILDS + "source -encoding unicode wide.tcl\n", "wide.tcl:1: .* 1 command"),
        (BUILDS + "catch {source fails.tcl}\n", "fails.tcl:1: .* 1 command"),
        (BUILDS + "exit 00\nset x 1\n", "s.tcl:8: .* 1 command"),
        (BUILDS + "exit 0x100\nset x 1\n", "s.tcl:8: .* 1 command"),
        ("create_project -part xc7z020clg484-1 p p\nupdate_ip_catalog\n", "no command that builds"),
        ("create_project -part xc7z020clg484-1 p p\n", "no command that builds"),
        ("create_project -part xc7z020clg484-1 p p\ncreate_bd_design d\nsave_bd_design\n", "no command that"),
    ],
)
def test_what_is_hidden_is_not_right(text: str, said: str, tmp_path: Path) -> None:
    inner = "set x 1\nif {1} return\nset y 1\n"
    leaves = "exit;set y 2\nset z 1 ;# ; no command\n"
    (tmp_path / "wide.tcl").write_bytes("return\nset y 1\n".encode("utf-16-le"))
    gap = gap_of(text, tmp_path, inner=inner, leaves=leaves, fails="error x\nset y 1\n")
    assert re.search(said, gap), gap


@pytest.mark.parametrize(
    "text",
    [
        BUILDS + "return\n# {\n\nputs x\n",
        BUILDS + "if {0} { return 1 }\nproc f {} { return 1; puts x }\nf; set x 1\nexit\n",
        "source guarded.tcl\nsource guarded.tcl\n" + BUILDS,
        "proc ad_cell {type args} { create_bd_cell -type ip {*}$args }\nproc unknown_part {} {}\n" + BUILDS,
        'set a a\\;b; set b "c;d"; set c [list e; list f] ;# ; g\n' + BUILDS,
    ],
)
def test_what_scripts_do_anyway(text: str, tmp_path: Path) -> None:
    guarded = "if {[info exists ::once]} {\n  return\n}\nset ::once 1\nproc q {} {}\n"
    assert gap_of(text, tmp_path, guarded=guarded) == ""


def test_a_name_in_a_namespace_is_told(tmp_path: Path) -> None:
    script = tmp_path / "s.tcl"
    aliased = "namespace eval w {}\ninterp alias {} ::w::get_bd_pins {} list\n"
    aliased += "interp create a\na eval {proc get_bd_nets args {}}\n"
    script.write_text(BUILDS + "namespace eval q {proc create_bd_cell args {}}\n" + aliased)
    found = [one for one in check(script, Options()).messages if one.rule == "namesake-command"]
    where = {one.where: one.origin.line for one in found}
    assert where.keys() == {"q::create_bd_cell", "w::get_bd_pins", "a::get_bd_nets"}
    assert where["q::create_bd_cell"] == 8


def test_errors_that_end_no_script(tmp_path: Path) -> None:
    """Errors of the event loop, and of leaving a loop that does not exist."""
    script = tmp_path / "s.tcl"
    for text, line, said in (
        ("after 0 {error nobody-sees}\nupdate\n", 9, "nobody-sees"),
        ("break\n", 8, 'invoked "break" outside of a loop'),
    ):
        script.write_text(BUILDS + "set x 1\n" * (line - 8) + text)
        checked = check(script, Options())
        assert checked.worst() is Result.WRONG
        assert [said in one.found for one in checked.messages] == [True]


def test_traces_of_a_script_stay_its_own(tmp_path: Path) -> None:
    """A trace of a variable or of a procedure is no trick, and those of the check are not seen."""
    text = (
        "proc f {} {set x 1; trace add variable x write {apply {args {}}}; set x 2}\nf\n"
        "trace add execution f enter {lappend ::log}\nf\ntrace variable y w list\ntrace vinfo y\n"
        "if {[trace info execution f] ne {{enter {lappend ::log}}}} {error a}\n"
        "if {[trace info command open] ne {} || [trace info execution proc] ne {}} {error b}\n"
        "if {[llength $::log] != 2} {error c}\n"
    )
    assert gap_of(BUILDS + text, tmp_path) == ""


def test_a_script_that_computes_does_not_wait() -> None:
    slow = Patience(20, 0)
    assert not any(slow.over(float(second), 0.1 * second) for second in range(1, 100))
    waiting = Patience(20, 0)
    assert not any(waiting.over(float(second), 0.001 * second) for second in range(1, 21))
    assert waiting.over(21.0, 0.02)
    waiting.heard(21.0)
    assert not waiting.over(40.0, 0.03)


def test_ports_named_from_a_hierarchy_are_in_doubt(tmp_path: Path) -> None:
    """A public design has both lines, and is right: so the first may not find the port."""
    text = BUILDS.replace("validate_bd_design\n", "") + (
        "create_bd_cell -type hier h\ncreate_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant h/c\n"
        "current_bd_instance h\nconnect_bd_net [get_bd_ports {}x] [get_bd_pins c/dout]\n"
    )
    script = tmp_path / "s.tcl"
    for place, rules in (("", {"not-modelled"}), ("/", {"several-drivers"})):
        script.write_text(text.format(place))
        assert {one.rule for one in check(script, Options()).messages} == rules


def test_the_definition_of_an_ip_that_is_there(tmp_path: Path) -> None:
    listed = "foreach ip [get_ips] {puts [get_property NAME [get_ipdefs -all [get_property IPDEF $ip]]]}\n"
    listed += "puts [get_property VLNV [get_ipdefs -of_objects [lindex [get_ips] 0]]]\n"
    assert gap_of(BUILDS + listed, tmp_path) == ""


def test_a_fragment_is_run_in_a_design_that_is_open(tmp_path: Path) -> None:
    cell = "create_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant c0\n"
    assert gap_of(cell + "set_property USER_COMMENTS.a b [get_bd_designs]\n", tmp_path) == ""
    script = tmp_path / "s.tcl"
    script.write_text("create_project -part xc7z020clg484-1 p p\n" + cell)  # one that is no fragment
    assert [one.found for one in check(script, Options()).messages] == ["no block design is open"]


def test_registers_of_silicon_lie_where_they_lie(tmp_path: Path) -> None:
    cells = "create_bd_cell -type ip -vlnv nobody.org:ip:{}:1.0 a\ncreate_bd_cell -type ip -vlnv {} b\n"
    cells += "assign_bd_address -offset 0xFF100000 -range 0x300000 -target_address_space a/D b/S_AXI/Reg\n"
    script = tmp_path / "s.tcl"
    for vlnv, rules in (("nobody.org:ip:thing:1.0", False), ("xilinx.com:ip:axi_gpio:2.0", True)):
        script.write_text("create_bd_design d\n" + cells.format("other", vlnv))
        assert ("address-size" in {one.rule for one in check(script, Options()).messages}) is rules
