# SPDX-License-Identifier: BSD-3-Clause
"""The Zynq project runs to its end in `shellgen check`, for every board, release and shape of node."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from fake_network import chain, partition, plan_of, spec
from vivado_session import Vivado, run_script
from zynq_project import BOARDS, SHAPES, WORD, node_plan, write_project

from shellgen.emit.memory_map import memory_map
from shellgen.errors import PlanError
from shellgen.model import SourceFile
from shellgen.model.source import FileKind
from shellgen.platforms import platform_registry
from shellgen.platforms.zynq.design import block_design
from shellgen.resources import rtl_file

KINDS: dict[str, FileKind] = {"v": "verilog", "sv": "systemverilog", "dat": "data"}
RELEASES = ("2020.1", "2022.2", "2024.2")
# The K26 SOM came after Vivado 2020.1.
CASES = [
    (board, release)
    for board in BOARDS
    for release in RELEASES
    if (board, release) != ("kv260_som", "2020.1")
]
# Each board and each release in the default run; all pairs in the sweep.
DEFAULT = [case for case in CASES if BOARDS.index(case[0]) % 3 == RELEASES.index(case[1])]
SOME = [pytest.param(*case, marks=[pytest.mark.sweep] * (case not in DEFAULT)) for case in CASES]


def build(folder: Path, vivado: Vivado, board: str, shape: str, **more: Any) -> Path:
    node = write_project(*node_plan(board, shape, **more), folder)
    outcome = run_script(vivado, node / "vivado" / "build.tcl")
    assert outcome.code == 0, outcome.error or outcome.printed
    return node


@pytest.mark.parametrize("shape", ["1rx_1tx", "2rx_1tx"])
@pytest.mark.parametrize(("board", "release"), SOME)
def test_every_board_and_release(board: str, release: str, shape: str, tmp_path: Path) -> None:
    node = build(tmp_path, Vivado(release), board, shape)
    made = {path.name for path in (node / "vivado" / "out").rglob("*") if path.is_file()}
    assert made == {"n0.bit", "n0.hwh", "n0.xsa", "utilization.rpt", "timing.rpt", "power.rpt"}


@pytest.mark.parametrize("double_clock", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("board", ["zedboard", "zcu104"])
def test_every_shape(board: str, shape: str, double_clock: bool, tmp_path: Path) -> None:
    vivado = Vivado("2024.2")
    build(tmp_path, vivado, board, shape, double_clock=double_clock)
    design = vivado.block
    assert not vivado.said()
    engines = sorted(cell for cell in design.cells if cell.startswith("axi_dma"))
    takes, makes = SHAPES[shape]
    assert engines == [f"axi_dma_{index}" for index in range(max(len(takes), len(makes)))]
    assert sum("M_AXIS_MM2S" in design.interfaces(name) for name in engines) == len(takes)
    assert sum("S_AXIS_S2MM" in design.interfaces(name) for name in engines) == len(makes)
    clock = design.driver("core_0/aclk")
    assert clock == ("clk_wiz_0/clk_out1" if double_clock else f"zynq_ps/{ps_clock(board)}")
    assert design.driver("core_0/aclk2x") == ("clk_wiz_0/clk_out2" if double_clock else None)


@pytest.mark.parametrize("double_clock", [False, True])
@pytest.mark.parametrize(("board", "pin"), [("zedboard", "FCLK_CLK1"), ("zcu104", "pl_clk1")])
def test_partitions_on_a_clock_of_their_own(board: str, pin: str, double_clock: bool, tmp_path: Path) -> None:
    vivado = Vivado("2024.2")
    node = build(tmp_path, vivado, board, "2rx_1tx", double_clock=double_clock, compute_mhz=142.857)
    driver = vivado.block.driver
    assert driver("core_0/aclk") == f"zynq_ps/{ps_clock(board)}"
    assert driver("core_0/compute_aclk") == ("clk_wiz_0/clk_out1" if double_clock else f"zynq_ps/{pin}")
    assert driver("core_0/aclk2x") == ("clk_wiz_0/clk_out2" if double_clock else None)
    # Each reset is in step with the clock that it goes with.
    for reset, clock in (("aresetn", "aclk"), ("compute_aresetn", "compute_aclk")):
        source = driver(f"core_0/{reset}")
        assert source
        cell = source.partition("/")[0]
        assert driver(f"{cell}/slowest_sync_clk") == driver(f"core_0/{clock}")
    scripts = ["axil_cdc.tcl", "axis_fifo_cdc.tcl", "shell_sync.tcl"]
    for name in scripts:
        assert (node / "vivado" / name).read_bytes() == rtl_file(name[:-4]).with_suffix(".tcl").read_bytes()
        assert vivado.files[name].get("used_in_synthesis") == "false"
        assert vivado.files[name].get("processing_order") == "LATE"


@pytest.mark.parametrize(("board", "mhz"), [("zedboard", 251.0), ("zcu104", 401.0)])
def test_a_second_clock_that_the_ps_cannot_give(board: str, mhz: float) -> None:
    with pytest.raises(PlanError, match=rf"compute_mhz: node n0: {mhz:g} MHz; the PS of {board} gives"):
        node_plan(board, "1rx_1tx", compute_mhz=mhz)


def test_a_netlist_is_added_and_is_no_memory_file(tmp_path: Path) -> None:
    plan, network = node_plan("zedboard", "1rx_1tx")
    content = b"a checkpoint"
    entry = SourceFile(name="core.dcp", kind="netlist", sha256=hashlib.sha256(content).hexdigest())
    part = plan.partitions[0].model_copy(update={"sources": (*plan.partitions[0].sources, entry)})
    network.files[entry.sha256] = content
    node = write_project(plan.model_copy(update={"partitions": (part,)}), network, tmp_path)
    vivado = Vivado("2022.2")
    assert run_script(vivado, node / "vivado" / "build.tcl").code == 0
    script = (node / "vivado" / "bd.tcl").read_text()
    assert "add_files -norecurse [list \\\n    [file join $shellgen_root partition/core.dcp] \\\n]" in script
    kinds = {name: properties.get("file_type", "") for name, properties in vivado.files.items()}
    assert kinds["memblock.dat"] == "Memory Initialization Files" != kinds["core.dcp"]


def test_many_files_of_any_name_in_a_few_commands(tmp_path: Path) -> None:
    """A call for each of a large network's files would take Vivado minutes."""
    plan, network = node_plan("zedboard", "1rx_1tx")
    (part,) = plan.partitions
    odd = ("a b.v", "c[1].v", "d$x.v", "e{f.v", "g}h.v", 'i"j.sv', "k;l.dat", "m[exec touch x].dat")
    entries = []
    for name in (*odd, *(f"w{k}.{kind}" for k in range(400) for kind in ("v", "sv", "dat"))):
        content = name.encode()
        kind = KINDS[name.rpartition(".")[2]]
        # Names have a grammar where they are read; the scripts quote them all the same.
        sha256 = hashlib.sha256(content).hexdigest()
        entries.append(SourceFile.model_construct(name=name, kind=kind, sha256=sha256, fixes=()))
        network.files[entries[-1].sha256] = content
    many = part.model_copy(update={"sources": (*part.sources, *entries)})
    node = write_project(plan.model_copy(update={"partitions": (many,)}), network, tmp_path)
    vivado = Vivado("2022.2")
    outcome = run_script(vivado, node / "vivado" / "build.tcl", "project")
    assert outcome.code == 0, outcome.error
    assert vivado.files.keys() >= {entry.name for entry in entries}
    assert sum(vivado.calls[name] for name in ("add_files", "read_verilog", "set_property")) < 30
    assert not (node / "vivado" / "x").exists()


def ps_clock(board: str) -> str:
    return "FCLK_CLK0" if board == "zedboard" else "pl_clk0"


@pytest.mark.parametrize(("release", "version"), [("2020.1", "3.3"), ("2024.2", "3.5")])
def test_newest_ip_is_taken(release: str, version: str, tmp_path: Path) -> None:
    vivado = Vivado(release)
    build(tmp_path, vivado, "zcu104", "1rx_1tx")
    assert vivado.block.cells["zynq_ps"].vlnv == f"xilinx.com:ip:zynq_ultra_ps_e:{version}"


def test_newest_board_file_of_the_first_pattern_is_taken(tmp_path: Path) -> None:
    parts = (
        "avnet.com:zedboard:part0:1.4",
        "digilentinc.com:zedboard:part0:1.0",
        "digilentinc.com:zedboard:part0:1.10",
        "digilentinc.com:zedboard:part0:1.9",
    )
    vivado = Vivado("2024.2", parts)
    build(tmp_path, vivado, "zedboard", "1rx_1tx")
    assert vivado.property("board_part") == "digilentinc.com:zedboard:part0:1.10"


def test_zedboard_needs_no_board_files(tmp_path: Path) -> None:
    vivado = Vivado("2024.2", ())
    build(tmp_path, vivado, "zedboard", "1rx_1tx")
    assert vivado.block.config("zynq_ps", "preset") == "ZedBoard"
    assert not vivado.property("board_part")


def test_missing_board_files_are_named(tmp_path: Path) -> None:
    node = write_project(*node_plan("kv260_som", "1rx_1tx"), tmp_path)
    outcome = run_script(Vivado("2020.1"), node / "vivado" / "build.tcl")
    assert outcome.code == 1
    assert "xilinx.com:kv260_som:part0:*" in outcome.error
    assert "-board_repo" in outcome.error


def test_newest_carrier_of_a_som(tmp_path: Path) -> None:
    node = write_project(*node_plan("kv260_som", "1rx_1tx"), tmp_path)
    carrier = "xilinx.com:kv260_carrier:som240_1_connector"

    def chosen(listed: bool, *versions: str) -> str:
        vivado = Vivado("2024.2")
        boards = tuple(f"xilinx.com:kv260_carrier:{version}" for version in versions)
        vivado.scenario["boards"] = boards if listed else ()
        vivado.scenario["connections"] = tuple(f"{carrier}:{version}" for version in versions)
        outcome = run_script(vivado, node / "vivado" / "build.tcl", "project")
        assert bool(outcome.code) == ("no board files for the carrier" in outcome.error) == (not versions)
        return vivado.property("board_connections") or ""

    assert chosen(True, "1.9", "1.10", "1.2") == f"som240_1_connector {carrier}:1.10"
    assert chosen(True, "7.0") == f"som240_1_connector {carrier}:7.0"
    assert chosen(False, "1.3") == f"som240_1_connector {carrier}:*"
    assert chosen(True) == ""


def test_dma_registers_are_where_the_host_is_told(tmp_path: Path) -> None:
    plan, network = node_plan("zedboard", "2rx_1tx")
    vivado = Vivado("2022.2")
    node = write_project(plan, network, tmp_path)
    assert run_script(vivado, node / "vivado" / "build.tcl").code == 0
    placed = {entry.segment: entry.offset for entry in vivado.block.placed if entry.space == "zynq_ps/Data"}
    (told,) = memory_map(plan).nodes
    expected = {f"{dma.name}/S_AXI_LITE/Reg": dma.base for dma in told.dma} | {
        "core_0/s_axil/reg0": told.base
    }
    assert told.interrupt_controller
    assert placed == {**expected, "axi_intc_0/S_AXI/Reg": told.interrupt_controller.base}


def test_a_folder_with_a_space_in_its_name(tmp_path: Path) -> None:
    build(tmp_path / "my boards [2]", Vivado("2022.2"), "zcu104", "1rx_1tx")


def test_only_the_project_when_asked(tmp_path: Path) -> None:
    node = write_project(*node_plan("zedboard", "1rx_1tx"), tmp_path)
    vivado = Vivado("2022.2")
    outcome = run_script(vivado, node / "vivado" / "build.tcl", "project", "-jobs", "4")
    assert outcome.code == 0
    assert vivado.current.runs["synth_1"].progress == "0%"
    assert vivado.property("top", "sources_1") == "top_wrapper"
    assert not (node / "vivado" / "out").exists()


@pytest.mark.parametrize("arguments", [("projekt",), ("-jobs", "many"), ("-jobs",)])
def test_bad_arguments_are_refused(arguments: tuple[str, ...], tmp_path: Path) -> None:
    node = write_project(*node_plan("zedboard", "1rx_1tx"), tmp_path)
    assert run_script(Vivado("2022.2"), node / "vivado" / "build.tcl", *arguments).code == 2


def test_board_repo_is_set_before_the_project(tmp_path: Path) -> None:
    node = write_project(*node_plan("zedboard", "1rx_1tx"), tmp_path)
    script = node / "vivado" / "build.tcl"
    assert (
        run_script(Vivado("2022.2"), script, "-board_repo", "files", "project").code == 2
    )  # a ZedBoard needs none
    (script.parent / "files").mkdir()
    assert run_script(Vivado("2022.2"), script, "-board_repo", "files", "project").code == 0


@pytest.mark.parametrize(("mhz", "code"), [(142.857143, 0), (150.0, 0), (450.0, 1)])
def test_a_clock_that_the_ps_cannot_give(mhz: float, code: int, tmp_path: Path) -> None:
    node = write_project(*node_plan("zedboard", "1rx_1tx", clock_mhz=mhz), tmp_path)
    outcome = run_script(Vivado("2022.2"), node / "vivado" / "build.tcl", "project")
    assert outcome.code == code
    assert any("the PS gives" in line for line in outcome.printed)


def test_output_does_not_depend_on_the_run(tmp_path: Path) -> None:
    plan, network = node_plan("zcu104", "1rx_1tx")
    folders = [write_project(plan, network, tmp_path / name) / "vivado" for name in ("a", "b")]
    first, second = ({path.name: path.read_text() for path in folder.iterdir()} for folder in folders)
    assert first == second
    assert not any(str(tmp_path) in text for text in first.values())


def test_names_stay_below_the_limit() -> None:
    plan, _ = node_plan("zedboard", "1rx_3tx")
    assert all(len(cell.name) < 25 for cell in block_design(plan, plan.nodes[0]).cells)


def test_check_reports_all_that_does_not_fit() -> None:
    plan, _ = node_plan("zedboard", "1rx_1tx")
    node = plan.nodes[0]
    rx = [node.rx[0].model_copy(update={"link_bits": 48, "stream": k}) for k in range(17)]
    dma = node.attachments[0].model_copy(update={"ends": (*rx, *node.tx)})
    bad = node.model_copy(update={"attachments": (dma,), "lite_addr_bits": 31})
    found = [str(problem) for problem in platform_registry()["zynq"].check(plan, bad)]
    for text in ("bytes of registers", "48 bits"):
        assert any(text in problem for problem in found), text


@pytest.mark.parametrize(("makes", "fits"), [(15, True), (16, False)])
def test_a_memory_port_serves_16_streams(makes: int, fits: bool) -> None:
    """The message names every stream, since the user has to choose which go."""
    network = chain(partition("part", (WORD,), (WORD,) * makes))
    cluster = spec([{"name": "n0", "board": "zedboard", "partitions": [0]}])
    if fits:
        assert len(plan_of(network, cluster).nodes[0].tx) == makes
        return
    with pytest.raises(PlanError) as caught:
        plan_of(network, cluster)
    (problem,) = caught.value.problems
    said = "17 streams take 17 slots of dock 'dma', and platform zynq has 16 on zedboard: host_to_part, "
    assert f"cluster.toml: node[0]: {said}" in str(problem)
    assert all(f"part_m_axis_{index}_to_host" in str(problem) for index in range(makes))
