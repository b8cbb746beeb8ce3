# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes that Vivado passes over in silence: hidden errors, unsaved designs, texts that are evaluated."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivado_check.coverage import Result
from vivado_check.errors import InputError
from vivado_check.run import Checked, Options, check

BEGIN = """\
create_project -part xc7z020clg484-1 p p
create_bd_design d
create_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant const_0
create_bd_port -dir O -from 0 -to 0 led_out
"""
JOIN = "connect_bd_net [get_bd_pins const_0/dout] [get_bd_ports led_out]\n"
END = "validate_bd_design\nsave_bd_design\n"


def checked(folder: Path, text: str, **others: str) -> Checked:
    for name, other in others.items():
        (folder / name.replace("_", ".")).write_text(other)
    (folder / "s.tcl").write_text(text)
    return check(folder / "s.tcl", Options())


def told(found: Checked) -> set[tuple[str, str, int]]:
    return {(one.rule, one.verdict.value, one.origin.line) for one in found.messages}


@pytest.mark.parametrize(
    ("line", "rule", "verdict"),
    [
        (
            "catch {conect_bd_net [get_bd_pins const_0/dout] [get_bd_ports led_out]}",
            "unknown-command",
            "finding",
        ),
        (
            "catch {connect_bd_net [get_bd_pins const_0/dout] [get_bd_prts led_out]}",
            "unknown-command",
            "finding",
        ),
        ("catch {report_utilization -fiel x}", "unknown-option", "finding"),
        (
            "connect_bd_net -quiet [get_bd_pins const0/dout] [get_bd_ports led_out]",
            "suppressed-error",
            "finding",
        ),
        (
            "catch {connect_bd_net [get_bd_pins const_0/dout] [get_bd_ports led_uot]}",
            "suppressed-error",
            "finding",
        ),
        (
            "set_property -quiet CONFIG.CONST_VAL 0 [get_bd_cells -quiet const0]",
            "suppressed-error",
            "finding",
        ),
        (
            "connect_bd_net -quiet [get_bd_pins -quiet b/o] [get_bd_ports led_out]",
            "suppressed-error",
            "not modelled",
        ),
        # Asked for what may not be there: no typo of what is.
        (
            "catch {connect_bd_net [get_bd_pins const_0/dout] [get_bd_ports led_in]}",
            "suppressed-error",
            "not modelled",
        ),
    ],
)
def test_an_error_that_is_hidden(line: str, rule: str, verdict: str, tmp_path: Path) -> None:
    assert told(checked(tmp_path, f"{BEGIN}{JOIN}{line}\n{END}")) == {(rule, verdict, 6)}


@pytest.mark.parametrize(
    "line",
    [
        "set_property -quiet CONFIG.CONST_VAL 0 [get_bd_cells -quiet other]",
        "delete_bd_objs -quiet [get_bd_nets -quiet unused]",
        "if {[catch {get_bd_pins nowhere} found]} {puts $found}",
    ],
)
def test_what_may_fail(line: str, tmp_path: Path) -> None:
    assert told(checked(tmp_path, f"{BEGIN}{JOIN}{line}\n{END}")) == set()


def test_options_of_a_quiet_command_are_judged(tmp_path: Path) -> None:
    """``-quiet`` traps errors inside a command, and none of its command line."""
    found = checked(
        tmp_path, f"{BEGIN}{JOIN}create_bd_cell -quiet -typ ip -vlv xilinx.com:ip:xlconstant c\n{END}"
    )
    assert told(found) == {("unknown-option", "error", 6)}


def test_a_design_that_is_closed_unsaved(tmp_path: Path) -> None:
    assert told(checked(tmp_path, f"{BEGIN}{JOIN}close_bd_design d\n")) == {("flow-unsaved", "finding", 6)}
    assert told(checked(tmp_path, f"{BEGIN}{JOIN}close_project\n")) == {("flow-unsaved", "not modelled", 6)}
    wrapped = "make_wrapper -files [get_files d.bd] -top\nclose_bd_design d\n"
    assert told(checked(tmp_path, f"{BEGIN}{JOIN}{wrapped}")) == set()


CELL = "create_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant const_{}\n"
READ = "set f [open inner.tcl]; set text [read $f]; close $f\n"


@pytest.mark.parametrize("run", ["eval $text", "namespace eval :: $text", "catch $text", "uplevel #0 $text"])
def test_a_text_that_ends_early(run: str, tmp_path: Path) -> None:
    inner = f"{CELL.format(1)}# [\nif {{1}} {{\n  return\n}}\n{CELL.format(2)}"
    found = checked(tmp_path, f"{BEGIN}{JOIN}{END}{READ}{run}\n", inner_tcl=inner)
    assert "inner.tcl:3" in found.coverages["s.tcl"].gap


@pytest.mark.parametrize("run", ["eval $text", "puts $text"])
def test_a_text_that_runs_or_holds_nothing_back(run: str, tmp_path: Path) -> None:
    inner = f"proc f {{}} {{\n  return\n}}\n{CELL.format(1)}if {{0}} {{return}}\nputs x\n"
    inner += CELL.format(2) if run == "eval $text" else ""
    found = checked(tmp_path, f"{BEGIN}{JOIN}{END}{READ}{run}\nsave_bd_design\n", inner_tcl=inner)
    assert found.worst() is Result.RIGHT


@pytest.mark.parametrize("word", ["continue", "break"])
def test_a_file_that_leaves_the_loop_that_sources_it(word: str, tmp_path: Path) -> None:
    inner = f"if {{$i == 1}} {word}\nputs $i\n"
    found = checked(
        tmp_path, f"{BEGIN}{JOIN}{END}foreach i {{0 1 2}} {{source inner.tcl}}\n", inner_tcl=inner
    )
    assert told(found) == set()


PROJECT = """add_files [make_wrapper -files [get_files d.bd] -top]
set_property top d_wrapper [current_fileset]
add_files -fileset constrs_1 pins.xdc
"""
PIN = "set_property PACKAGE_PIN A1 [get_ports {}"
XDC = {
    "loop": (PIN.format("led_out]") + "\nwhile 1 {}\n", "while is no command"),
    "bracket": (PIN.format("led_out") + "\n", "missing close-bracket"),
    "brace": ("set_property PACKAGE_PIN A1 {[get_ports led_out]\n", "missing close-brace"),
    "port": (PIN.format("led]") + "\n", "there are no such ports"),
}


@pytest.mark.parametrize("kind", XDC)
def test_constraints_of_a_script_that_is_named_from_its_folder(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, said = XDC[kind]
    (tmp_path / "pins.xdc").write_text(text)
    (tmp_path / "s.tcl").write_text(f"{BEGIN}{JOIN}{END}{PROJECT}")
    monkeypatch.chdir(tmp_path)
    (found,) = check("s.tcl", Options()).messages
    assert said in found.found


def test_constraints_that_a_script_writes(tmp_path: Path) -> None:
    made = f"set f [open pins.xdc w]; puts $f {{{XDC['port'][0]}}}; close $f\n"
    (found,) = checked(tmp_path, f"{BEGIN}{JOIN}{END}{made}{PROJECT}").messages
    assert (found.rule, found.origin.file) == ("constraints", "pins.xdc")


@pytest.mark.parametrize("release", ["2099.9", "2022.7", "2011.1", "1999.1"])
def test_a_release_that_does_not_exist(release: str, tmp_path: Path) -> None:
    (tmp_path / "s.tcl").write_text(BEGIN)
    with pytest.raises(InputError, match="is no release of Vivado"):
        check(tmp_path / "s.tcl", Options(release=release))
    found = checked(tmp_path, f"set scripts_vivado_version {release}\n{BEGIN}{JOIN}{END}")
    assert told(found) == ({("release", "not modelled", 1)} if release.startswith("20") else set())


def test_a_run_goes_on_to_its_bitstream(tmp_path: Path) -> None:
    """As public scripts do: implementation first, and the bitstream in a second launch."""
    project = (
        "create_project -part xc7z020clg484-1 p p\nadd_files top.v\nset_property top top [current_fileset]\n"
    )
    again = "launch_runs impl_1 -to_step write_bitstream\nwait_on_run impl_1\n"
    text = f"{project}launch_runs impl_1\nwait_on_run impl_1\n{again}"
    top = "module top(input a, output b); assign b = a; endmodule\n"
    assert told(checked(tmp_path, text, top_v=top)) == set()
    assert told(checked(tmp_path, text + again, top_v=top)) == {("refused", "error", 8)}


def test_facts_of_one_configuration_deny_no_other(tmp_path: Path) -> None:
    """axi_ethernet is known from an instance with RGMII; with GMII it has a bus that looks misspelt."""
    cell = "create_bd_cell -type ip -vlnv xilinx.com:ip:axi_ethernet:7.1 mac\n"
    cell += "set_property CONFIG.PHY_TYPE GMII [get_bd_cells mac]\n"
    cell += "create_bd_intf_port -mode Master -vlnv xilinx.com:interface:gmii_rtl:1.0 gmii\n"
    cell += "connect_bd_intf_net [get_bd_intf_pins mac/gmii] [get_bd_intf_ports gmii]\n"
    found = checked(tmp_path, f"{BEGIN}{JOIN}{cell}save_bd_design\n")
    assert {one.verdict.value for one in found.messages} == {"not modelled"}


def test_a_build_without_runs_has_its_bitstream(tmp_path: Path) -> None:
    """A public script, which also says `put`: Tcl's console takes it for `puts`."""
    text = "put a\nsynth_design -top top\nroute_design\nwrite_bitstream -force a.bit\n"
    text += "write_hw_platform -fixed -include_bit -force -file a.xsa\n"
    begin = (
        "create_project -part xc7z020clg484-1 p p\nadd_files top.v\nset_property top top [current_fileset]\n"
    )
    top = "module top(input a, output b); assign b = a; endmodule\n"
    found = checked(tmp_path, begin + text, top_v=top)
    assert told(found) == {("abbreviated-command", "not modelled", 4)}
