# SPDX-License-Identifier: BSD-3-Clause
"""Files of an Alveo card: wrapper, kernel.xml, package.tcl, link.cfg, before_opt.tcl, Makefile."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from fake_network import chain, partition, plan_of, spec
from vitis_project import ALVEO, write_cards
from vivado_session import Vivado, files_of, run_script, texts

from shellgen.platforms.vitis.scripts import vitis_artifacts
from shellgen.simulate.tools import find_verilator
from vivado_check.record.scenario import Packager

pytestmark = pytest.mark.xdist_group("vitis")  # which share what is written once


# What the packages of VNx and of AMD's examples have; FINN and others add that FREQ_HZ is not known yet.
PROPERTIES = {
    "core_revision": "1",
    "sdx_kernel": "true",
    "sdx_kernel_type": "rtl",
    "ipi_drc": "ignore_freq_hz true",
    "vitis_drc": "ctrl_protocol ap_ctrl_none",
    "xpm_libraries": "XPM_CDC XPM_MEMORY XPM_FIFO",
    "supported_families": "",
    "auto_family_support_level": "level_2",
}


def config(folder: Path) -> dict[str, list[str]]:
    """Return the values of link.cfg by ``section.key``; keys repeat."""
    found: dict[str, list[str]] = {}
    section = ""
    for line in (folder / "link.cfg").read_text().splitlines():
        if head := re.fullmatch(r"\[(\w+)\]", line):
            section = head[1] + "."
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found.setdefault(section + key, []).append(value)
    return found


def kernel_xml(folder: Path) -> ElementTree.Element:
    found = ElementTree.parse(folder / "kernel.xml").getroot().find("kernel")  # noqa: S314 - our own
    assert found is not None
    return found


# ---- the kernel ---------------------------------------------------------------------------------------
def three(board: str) -> dict[str, Any]:
    """Some cards have a second clock."""
    return {"compute_mhz": 150} if board in ("u50", "u280") else {}


@pytest.mark.parametrize("board", ALVEO)
def test_every_card_is_packaged(board: str, tmp_path: Path) -> None:
    more = three(board)
    folder = write_cards(tmp_path, board, board, board, **more) / "vitis"
    vivado = Vivado("2022.2")
    outcome = run_script(vivado, folder / "package.tcl")
    assert outcome.code == 0, outcome.error or outcome.printed
    assert not vivado.said()
    core = vivado.core
    assert list(core.archives) == [str(folder / "build" / "card0_kernel.xo")]
    assert {name: setting.value for name, setting in core.properties.items()} == PROPERTIES
    assert core.saved
    assert vivado.calls["ipx::check_integrity"] == vivado.calls["ipx::update_checksums"] == 1
    assert ("ap_clk_2" in core.resets) == bool(more)
    names = {name.removeprefix("src/") for name in files_of(core)}
    assert {"card0_core.v", "vitis/card0_kernel.v", "partition/memblock.dat", "partition/defs.vh"} <= names
    assert run_script(Vivado("2022.2"), folder / "package.tcl").code == 0, "a second time"


def test_the_kernel_as_vitis_sees_it(tmp_path: Path) -> None:
    kernel = kernel_xml(write_cards(tmp_path, "u280", "u280", "u280", **three("u280")) / "vitis")
    assert kernel.attrib["hwControlProtocol"] == "ap_ctrl_none"
    assert kernel.attrib["vlnv"] == "shellgen:kernel:card0_kernel:1.0"
    ports = {port.attrib["name"]: port.attrib["mode"] for port in kernel.iter("port")}
    assert ports == {
        "s_axi_control": "slave",
        "s_axis_0": "read_only",
        "s_vnx0": "read_only",
        "m_vnx0": "write_only",
    }
    arguments = {arg.attrib["name"]: arg.attrib for arg in kernel.iter("arg")}
    assert arguments["status_scratch"]["offset"] == "0x1c"
    assert arguments["s_axis_0"]["type"] == "stream<ap_axiu<512,1,1,16>>&"
    assert arguments["m_vnx0"]["type"] == "stream<ap_axiu<512,0,0,16>>&"


def test_nothing_but_wires(tmp_path: Path) -> None:
    """Every port of the core is wired, and the wrapper warns of nothing."""
    card = write_cards(tmp_path, "u280", "u280", "u280", **three("u280"))
    core = (card / "card0_core.v").read_text()
    ports = core[: core.index(");")] + ");\nendmodule\n"
    stub = tmp_path / "card0_core.v"
    stub.write_text(ports)
    tool = find_verilator()
    (tmp_path / "core.vlt").write_text(f'`verilator_config\nlint_off -file "{stub}"\n')
    command = [str(tool.binary), "--lint-only", "-Wall", "--top-module", "card0_kernel"]
    files = [str(tmp_path / "core.vlt"), str(card / "vitis" / "card0_kernel.v"), str(stub)]

    def lint() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *files], capture_output=True, text=True, check=False, env=tool.environment()
        )

    assert lint().returncode == 0, lint().stderr
    wrapper = card / "vitis" / "card0_kernel.v"
    wrapper.write_text(re.sub(r"\n *\.m_vnx0_tlast\(.*\),", "", wrapper.read_text()))
    assert "m_vnx0_tlast" in lint().stderr


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"blind_to": frozenset({"m_vnx0"})}, "has not found interface m_vnx0"),
        ({"writes_xo": False}, "package_xo has made no"),
    ],
    ids=["interface", "xo"],
)
def test_a_kernel_that_is_not_whole(change: dict[str, Any], told: str, tmp_path: Path) -> None:
    folder = write_cards(tmp_path, "u50", "u50", "u50", **three("u50")) / "vitis"
    vivado = Vivado("2022.2", packager=Packager(**change))
    outcome = run_script(vivado, folder / "package.tcl")
    assert outcome.code == 1
    assert any(told in line for line in outcome.printed), outcome.printed


def test_a_vivado_that_infers_no_memory_map(tmp_path: Path) -> None:
    folder = write_cards(tmp_path, "u50", "u50", "u50", **three("u50")) / "vitis"
    vivado = Vivado("2022.2", packager=Packager(infers_maps=False))
    outcome = run_script(vivado, folder / "package.tcl")
    assert outcome.code == 0, outcome.error
    (control,) = (port for port in kernel_xml(folder).iter("port") if port.attrib["mode"] == "slave")
    map_of = vivado.core.part("memory_map", "s_axi_control")
    assert map_of
    (block,) = map_of.of("address_block")
    assert block.properties["range"].value == str(int(control.attrib["range"], 16))
    interface = vivado.core.part("bus_interface", "s_axi_control")
    assert interface
    assert interface.properties["slave_memory_map_ref"].value == "s_axi_control"


def test_a_vivado_that_leaves_out_what_memories_are_filled_from(tmp_path: Path) -> None:
    folder = write_cards(tmp_path, "u50", "u50", "u50", **three("u50")) / "vitis"
    vivado = Vivado("2022.2", packager=Packager(leaves_out=("Memory Initialization Files",)))
    outcome = run_script(vivado, folder / "package.tcl")
    assert outcome.code == 0, outcome.error
    assert files_of(vivado.core)["src/partition/memblock.dat"] == "mif"
    assert not vivado.said()
    script = folder / "package.tcl"
    script.write_text(script.read_text().replace("set_property type mif", "set_property type unknown"))
    vivado = Vivado("2022.2")
    run_script(vivado, script)
    assert "memblock.dat" in texts(vivado.said())


def test_package_takes_no_arguments(tmp_path: Path) -> None:
    folder = write_cards(tmp_path, "u50", "u50", "u50", **three("u50")) / "vitis"
    assert run_script(Vivado("2022.2"), folder / "package.tcl", "project").code == 2


# ---- what is linked -----------------------------------------------------------------------------------
@pytest.mark.parametrize("board", ALVEO)
def test_the_wiring_is_whole(board: str, tmp_path: Path) -> None:
    """Each stream of the kernel has one partner, each unit is declared, and names are those of VNx."""
    card = write_cards(tmp_path, board, board, board, **three(board))
    for name in ("card0", "card1", "card2"):
        folder = card.parent / name / "vitis"
        found, kernel = config(folder), kernel_xml(folder)
        units = {unit for entry in found["connectivity.nk"] for unit in entry.split(":")[2].split(".")}
        pairs = [tuple(entry.split(":")) for entry in found["connectivity.stream_connect"]]
        masters, slaves = [master for master, _ in pairs], [slave for _, slave in pairs]
        assert len(set(masters)) == len(masters)
        assert len(set(slaves)) == len(slaves)
        assert {end.partition(".")[0] for pair in pairs for end in pair} == units
        own = {port.attrib["name"]: port.attrib["mode"] for port in kernel.iter("port")}
        assert {f"core_0.{port}" for port, mode in own.items() if mode == "write_only"} == {
            master for master in masters if master.startswith("core_0.")
        }
        assert {f"core_0.{port}" for port, mode in own.items() if mode == "read_only"} == {
            slave for slave in slaves if slave.startswith("core_0.")
        }
        assert ("cmac_0.M_AXIS", "networklayer_0.S_AXIS_eth2nl") in pairs
        assert ("networklayer_0.M_AXIS_nl2eth", "cmac_0.S_AXIS") in pairs
        assert ("core_0.m_vnx0", "networklayer_0.S_AXIS_sk2nl") in pairs
        assert ("networklayer_0.M_AXIS_nl2sk", "core_0.s_vnx0") in pairs


def test_movers_of_the_first_and_the_last_card(tmp_path: Path) -> None:
    card = write_cards(tmp_path, "u280", "u200")
    first, last = config(card / "vitis"), config(card.parent / "card1" / "vitis")
    assert "krnl_mm2s_0.k2n:core_0.s_axis_0" in first["connectivity.stream_connect"]
    assert "core_0.m_axis_0:krnl_s2mm_0.n2k" in last["connectivity.stream_connect"]
    assert first["connectivity.sp"] == ["krnl_mm2s_0.m_axi_gmem:HBM[0]"]
    assert last["connectivity.sp"] == ["krnl_s2mm_0.m_axi_gmem:DDR[1]"]
    assert "krnl_mm2s:1:krnl_mm2s_0" in first["connectivity.nk"]


@pytest.mark.parametrize(
    ("cages", "units"),
    [
        ((0,), ["cmac_0:1:cmac_0", "networklayer:1:networklayer_0"]),
        ((1,), ["cmac_1:1:cmac_1", "networklayer:1:networklayer_1"]),
        ((0, 1), ["cmac_0:1:cmac_0", "cmac_1:1:cmac_1", "networklayer:2:networklayer_0.networklayer_1"]),
    ],
    ids=["if0", "if1", "if3"],
)
def test_the_cages_of_a_card(cages: tuple[int, ...], units: list[str], tmp_path: Path) -> None:
    """As VNx's connectivity_basic_if0.ini, if1 and if3 have it."""
    options = {"vnx_udp": {"from_qsfp": cages[-1], "to_qsfp": cages[0]}}
    card = write_cards(tmp_path, "u280", "u280", "u280", links=options)
    found = config(card.parent / "card1" / "vitis")
    assert found["connectivity.nk"][1:] == units
    assert set(found["connectivity.slr"]) == {
        f"{kernel}_{cage}:SLR2" for cage in cages for kernel in ("cmac", "networklayer")
    }
    pairs = found["connectivity.stream_connect"]
    for cage in cages:
        assert f"cmac_{cage}.M_AXIS:networklayer_{cage}.S_AXIS_eth2nl" in pairs
        assert f"networklayer_{cage}.M_AXIS_nl2eth:cmac_{cage}.S_AXIS" in pairs
    assert f"networklayer_{cages[0]}.M_AXIS_nl2sk:core_0.s_vnx{cages[0]}" in pairs
    assert f"core_0.m_vnx{cages[-1]}:networklayer_{cages[-1]}.S_AXIS_sk2nl" in pairs


def test_options_of_a_card(tmp_path: Path) -> None:
    options = {
        "strategy": "Performance_Explore",
        "slr": 1,
        "memory": ["HBM[3]"],
        "target": "my_target",
        "ila": True,
    }
    folder = write_cards(tmp_path, "u280", "u280", clock_mhz=300, compute_mhz=150, vitis=options) / "vitis"
    found = config(folder)
    assert found["kernel_frequency"] == ["0:300|1:150"]
    assert set(found["connectivity.slr"]) == {
        "core_0:SLR1",
        *(f"{unit}_0:SLR2" for unit in ("cmac", "networklayer", "krnl_mm2s")),
    }
    assert found["connectivity.sp"] == ["krnl_mm2s_0.m_axi_gmem:HBM[3]"]
    assert found["debug.chipscope"] == ["core_0:s_axis_0", "core_0:s_vnx0", "core_0:m_vnx0"]
    assert found["vivado.prop"] == ["run.impl_1.strategy=Performance_Explore"]
    assert "PLATFORM ?= my_target\n" in (folder / "Makefile").read_text()
    plain = {"strategy": "default"}
    assert "vivado.prop" not in config(write_cards(tmp_path / "b", "u280", "u280", vitis=plain) / "vitis")


# ---- constraints --------------------------------------------------------------------------------------
HOOK = """
proc get_cells {args} {
    if {"-hierarchical" in $args && [string match *absent* $args]} { return {} }
    if {"-hierarchical" in $args} { return top/i }
    return [lindex $args end]
}
proc get_pins {args} { return [lindex $args end] }
proc get_clocks {args} { return %s }
proc get_property {args} { return 4.0 }
proc all_fanin {args} { return all }
foreach name {set_max_delay set_bus_skew set_property} { proc $name {args} "puts \\"$name \\$args\\"" }
source before_opt.tcl
"""


@pytest.mark.parametrize(("clock", "fine"), [("clk", True), ("{}", False)])
def test_the_hook_tells_that_it_has_run(clock: str, fine: bool, tmp_path: Path) -> None:
    folder = write_cards(tmp_path, "u280", "u280", "u280", **three("u280")) / "vitis"
    (folder / "test.tcl").write_text(HOOK % clock)
    run = subprocess.run(["tclsh", "test.tcl"], cwd=folder, capture_output=True, text=True, check=False)
    assert (run.returncode == 0) == fine, run.stderr
    assert ("shellgen: constraints are set" in run.stdout.splitlines()) == fine
    assert ("set_max_delay" in run.stdout) == fine


def test_the_hook_places_partitions(tmp_path: Path) -> None:
    parts = [
        (partition(name)[0].model_copy(update={"slr": slr}), b"")
        for name, slr in (("first", 0), ("absent", 2))
    ]
    plan = plan_of(chain(*parts), spec([{"name": "card", "board": "u280", "partitions": [0, 1]}]))
    made = {one.path: one.content for one in vitis_artifacts(plan, plan.nodes[0], ())}
    (tmp_path / "before_opt.tcl").write_bytes(made["card/vitis/before_opt.tcl"])
    (tmp_path / "test.tcl").write_text(HOOK % "clk")
    run = subprocess.run(["tclsh", "test.tcl"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.stdout.splitlines() == [
        "set_property USER_SLR_ASSIGNMENT SLR0 top/i",
        "before_opt.tcl: there is no cell u_absent in core_0; Vivado places it as it likes",
        "shellgen: constraints are set",
    ]
