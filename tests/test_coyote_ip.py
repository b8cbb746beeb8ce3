# SPDX-License-Identifier: BSD-3-Clause
"""The core of a card under Coyote v2 as an IP: package.tcl makes it, and init_ip.tcl opens it."""

from __future__ import annotations

from pathlib import Path

import pytest
from coyote_project import vfpga, write_vfpga
from vivado_session import Vivado, files_of, run_script

from shellgen.platforms.coyote.core import core_revision
from vivado_check.record.scenario import Packager

pytestmark = pytest.mark.xdist_group("coyote")


def packaged(folder: Path) -> Vivado:
    vivado = Vivado("2022.2")
    outcome = run_script(vivado, folder / "package.tcl")
    assert outcome.code == 0, outcome.error or outcome.printed
    return vivado


def test_the_core_is_packaged(tmp_path: Path) -> None:
    folder = write_vfpga(tmp_path, clock_mhz=200) / "coyote"
    for _ in range(2):  # the second run starts over
        vivado = packaged(folder)
    core = vivado.core
    assert (core.top, core.root) == ("card0_core", str(folder / "build" / "ip"))
    revision = core_revision(vfpga(clock_mhz=200)[0].nodes[0])
    assert core.properties["core_revision"].value == str(revision)
    assert core.properties["xpm_libraries"].value == "XPM_CDC XPM_MEMORY XPM_FIFO"
    clock = core.part("bus_interface", "aclk")
    assert clock
    assert [(one.name, one.properties["value"].value) for one in clock.of("bus_parameter")] == [
        ("FREQ_HZ", "200000000")
    ]
    names = {name.removeprefix("src/") for name in files_of(core)}
    assert {"card0_core.v", "partition/memblock.dat", "partition/defs.vh", "rtl/axil_slot.sv"} <= names
    assert files_of(core)["src/partition/memblock.dat"] == "mif"


def test_a_packager_that_leaves_nothing(tmp_path: Path) -> None:
    vivado = Vivado("2022.2", packager=Packager(writes=False))
    outcome = run_script(vivado, write_vfpga(tmp_path) / "coyote" / "package.tcl")
    assert outcome.code == 1
    assert any("has left no component.xml" in line for line in outcome.printed)


# What Coyote's cr_user.tcl does around init_ip.tcl.
OPENED = """
set i 0
set proj [create_project card0 user -part xcu55c-fsvh2892-2L-e -force]
set_property IP_REPO_PATHS [list {iprepo}] [current_fileset]
update_ip_catalog
if {{[catch {{
    set ip mine
    source {script}
}} errorstring]}} {{
    puts "** CERR: $errorstring"
    exit 1
}}
if {{$i ne "0" || $ip ne "mine" || [info exists xml] || [info exists channel]}} {{
    puts "the script has changed Coyote's variables"
    exit 3
}}
puts "paths [get_property ip_repo_paths [current_fileset]]"
"""


def opened(folder: Path, tmp_path: Path) -> tuple[Vivado, int | None, list[str]]:
    """Source init_ip.tcl as Coyote does."""
    vivado, script = Vivado("2022.2", readable=(tmp_path,)), tmp_path / "cr_user.tcl"
    iprepo = tmp_path / "iprepo"
    iprepo.mkdir(exist_ok=True)
    script.write_text(OPENED.format(iprepo=iprepo, script=folder / "hw" / "src" / "init_ip.tcl"))
    outcome = run_script(vivado, script)
    assert not outcome.error
    return vivado, outcome.code, outcome.printed


def test_the_core_comes_from_a_repository_of_its_own(tmp_path: Path) -> None:
    folder = write_vfpga(tmp_path / "out") / "coyote"
    packaged(folder)
    vivado, code, printed = opened(folder, tmp_path)
    assert code == 0, printed
    assert printed[-1] == f"paths {tmp_path / 'iprepo'} {folder / 'build' / 'ip'}", "Coyote's own come first"
    ips = {name: vlnv for name, (vlnv, _) in vivado.current.ips.items()}
    assert ips == {"card0_core_ip": "shellgen:core:card0_core:1.0"}
    assert "card0_core_ip_synth_1" in vivado.current.runs, "an out-of-context run, away from Coyote's modules"
    top = (folder / "hw" / "src" / "vfpga_top.svh").read_text()
    assert "`define SHELLGEN_CORE card0_core_ip" in top


def test_a_core_that_is_missing_or_another(tmp_path: Path) -> None:
    folder = write_vfpga(tmp_path / "out") / "coyote"
    _, code, printed = opened(folder, tmp_path)
    assert code == 1
    assert printed[-1].startswith(f"** CERR: there is no {folder}/build/ip/component.xml: run make")
    packaged(folder)
    write_vfpga(tmp_path / "out", tx=2)
    _, code, printed = opened(folder, tmp_path)
    assert code == 1
    assert "component.xml is of another core than this project" in printed[-1]
