# SPDX-License-Identifier: BSD-3-Clause
"""The packager: cores, their parts, and kernels made of them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from vivado_check.record.scenario import Packager, Scenario
from vivado_check.record.session import Session
from vivado_check.recording import Package, Recording
from vivado_check.tcl.interpreter import Outcome, run_script
from vivado_check.tcl.sandbox import Sandbox

AXIS = "xilinx.com:interface:axis:1.0"
AXIMM = "xilinx.com:interface:aximm:1.0"
TOP = f"""\
module core (
  input  wire        ap_clk,
  input  wire        ap_rst_n,
  input  wire        ap_clk_2,
  (* X_INTERFACE_INFO = "{AXIMM} ctrl AWADDR" *)
  input  wire [11:0] ctrl_awaddr,
  (* X_INTERFACE_INFO = "{AXIS} s TDATA" *)
  input  wire [31:0] s_tdata,
  (* X_INTERFACE_INFO = "{AXIS} s TVALID" *)
  input  wire        s_tvalid
);
endmodule
"""
PACKAGE = """\
create_project p build -part xcu280-fsvh2892-2L-e
add_files {ip/core.v ip/w.dat}
set_property top core [current_fileset]
ipx::package_project -root_dir ip -vendor me -library kernel -taxonomy /K -set_current true
set core [ipx::current_core]
"""


def run(folder: Path, text: str, packager: Packager | None = None) -> tuple[Package, Outcome, list[str]]:
    """Package a core of two files; return it, how the script ended, and the files of an archive."""
    (folder / "ip").mkdir(exist_ok=True)
    (folder / "ip" / "core.v").write_text(TOP)
    (folder / "ip" / "w.dat").write_text("00\n")
    script = folder / "package.tcl"
    script.write_text(PACKAGE + text)
    with Sandbox(folder) as sandbox:
        recording = Recording("2022.2", folder)
        scenario = Scenario(packager=packager or Packager())
        outcome = run_script(script, Session(recording, sandbox, scenario=scenario))
        found = sandbox.find(folder / "k.xo")
        names = zipfile.ZipFile(found).namelist() if found else []
        return recording.packages[0], outcome, names


def test_what_the_packager_finds(tmp_path: Path) -> None:
    text = "puts [llength [ipx::get_bus_interfaces -of_objects $core]]\n"
    text += "puts [ipx::get_bus_interfaces ap_clk_2 -quiet]\n"
    text += "puts [llength [ipx::get_bus_interfaces *clk*]]\n"
    text += "puts [get_property vlnv [ipx::get_bus_interfaces s]]\n"
    text += "puts [get_property slave_memory_map_ref [ipx::get_bus_interfaces ctrl]]\n"
    text += "set maps [ipx::get_port_maps TDATA -of_objects [ipx::get_bus_interfaces s]]\n"
    text += "puts [get_property physical_name $maps]\n"
    package, outcome, _ = run(tmp_path, text)
    assert outcome.printed == ["4", "", "1", AXIS, "ctrl", "s_tdata"]
    assert package.vlnv == "me:kernel:core:1.0"
    assert [part.name for part in package.of("file_group")[0].of("file")] == ["core.v", "w.dat"]


def test_clocks_registers_and_files(tmp_path: Path) -> None:
    text = """\
set_property core_revision 7 $core
ipx::infer_bus_interface ap_clk_2 xilinx.com:signal:clock_rtl:1.0 $core
ipx::associate_bus_interfaces -clock ap_clk -reset ap_rst_n $core
ipx::associate_bus_interfaces -busif s -clock ap_clk $core
set block [ipx::get_address_blocks reg0 -of_objects [ipx::get_memory_maps ctrl]]
set_property range 4096 $block
set file [ipx::get_files w.dat -of_objects [ipx::get_file_groups xilinx_anylanguagesynthesis]]
set_property type mif $file
set frequency [ipx::add_bus_parameter FREQ_HZ [ipx::get_bus_interfaces ap_clk]]
set_property value 100000000 $frequency
ipx::check_integrity -kernel $core
ipx::save_core $core
"""
    package, outcome, _ = run(tmp_path, text)
    assert outcome.code == 0, outcome.error
    assert (package.clocks, package.resets) == ({"s": "ap_clk"}, {"ap_clk": "ap_rst_n"})
    assert package.properties["core_revision"].value == "7"
    block = package.of("memory_map")[0].of("address_block")[0]
    assert block.properties["range"].value == "4096"
    files = package.of("file_group")[0]
    assert [part.properties.get("type") is not None for part in files.of("file")] == [False, True]
    clock = package.part("bus_interface", "ap_clk")
    assert clock
    assert clock.of("bus_parameter")[0].properties["value"].value == "100000000"
    assert package.saved
    assert package.saved.line == len((PACKAGE + text).splitlines())
    assert [kernel for _, kernel in package.checked] == [True]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ipx::infer_bus_interface clk9 xilinx.com:signal:clock_rtl:1.0 $core", "no port clk9"),
        ("ipx::associate_bus_interfaces -busif t -clock ap_clk $core", "t is no interface"),
        ("ipx::add_file no.v [ipx::get_file_groups xilinx_anylanguagesynthesis]", "no file no.v"),
        ("set_property range 1 [ipx::get_memory_maps -quiet nomap]", "no object"),
        ("package_xo -xo_path k.xo -kernel_name core -ip_directory other", "no saved core"),
        (
            "package_xo -xo_path k.xo -kernel_name core -ip_directory ip -kernel_xml k.xml",
            "there is no k.xml",
        ),
    ],
)
def test_what_it_refuses(text: str, said: str, tmp_path: Path) -> None:
    _, outcome, _ = run(tmp_path, text + "\n")
    assert outcome.code == 1
    assert outcome.message
    assert said in outcome.message.found
    assert outcome.message.origin.line == 6


def test_a_core_whose_top_cannot_be_read(tmp_path: Path) -> None:
    """Named files are taken to exist; others are unknown, and consequences of that are no errors."""
    text = "set_property top other [current_fileset]\n"
    text += "ipx::package_project -root_dir ip -vendor me -library kernel -set_current true\n"
    text += "puts [get_property name [ipx::get_bus_interfaces s_axi]]\n"
    text += "set bus [ipx::get_bus_interfaces -filter {name =~ nothing*}]\nget_property name $bus\n"
    _, outcome, _ = run(tmp_path, text)
    assert outcome.printed == ["s_axi"]
    assert outcome.message
    assert outcome.message.origin.line == 10


def test_a_change_after_saving_is_lost(tmp_path: Path) -> None:
    package, outcome, _ = run(tmp_path, "ipx::save_core $core\nset_property core_revision 2 $core\n")
    assert outcome.code == 0
    assert package.saved is None


def test_a_kernel_is_an_archive(tmp_path: Path) -> None:
    (tmp_path / "kernel.xml").write_text("<root/>\n")
    text = "ipx::save_core $core\n"
    text += "package_xo -force -xo_path k.xo -kernel_name core -ip_directory ip -kernel_xml kernel.xml\n"
    text += "puts [file isfile k.xo],[file isfile ip/component.xml]\n"
    package, outcome, names = run(tmp_path, text)
    assert outcome.printed == ["1,1"]
    assert names == ["kernel.xml"]
    assert package.archives == {str(tmp_path / "k.xo"): "<root/>\n"}
    blind = Packager(infers_maps=False, blind_to=frozenset({"s"}), writes=False, writes_xo=False)
    text += "puts <[ipx::get_bus_interfaces -quiet s][ipx::get_memory_maps -quiet ctrl]>\n"
    _, outcome, names = run(tmp_path, text, blind)
    assert outcome.printed == ["0,0", "<>"]
    assert not names


def test_cores_of_repositories_are_found_by_their_vlnv(tmp_path: Path) -> None:
    (tmp_path / "repo/own").mkdir(parents=True)
    names = {"vendor": "me.com", "library": "user", "name": "own", "version": "1.0"}
    text = "".join(f"<spirit:{key}>{value}</spirit:{key}>" for key, value in names.items())
    (tmp_path / "repo/own/component.xml").write_text(text)
    script = "set_property ip_repo_paths repo [current_project]\nupdate_ip_catalog\n"
    script += "puts [file tail [get_property XML_FILE_NAME [ipx::get_cores me.com:user:own:1.0]]]\n"
    script += "puts [llength [ipx::get_cores core]],[llength [ipx::get_cores]]\n"
    script += "puts [get_property XML_FILE_NAME [ipx::get_cores who.com:user:own:1.0]]\n"
    _, outcome, _ = run(tmp_path, script)
    assert outcome.printed == ["component.xml", "1,2", ""]
