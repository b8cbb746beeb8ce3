# SPDX-License-Identifier: BSD-3-Clause
"""The port of the processing system for DMAs, coherence, and DDR beyond the first 2 GiB."""

from __future__ import annotations

from pathlib import Path

import pytest
from vivado_session import Outcome, Vivado, run_script, texts
from zynq_project import node_plan, with_facts, write_project

from shellgen.emit.memory_map import memory_map
from shellgen.errors import InputError, PlanError
from shellgen.model import Plan
from shellgen.model.map_movers import MapDma
from shellgen.platforms.zynq.check import zynq_problems
from shellgen.platforms.zynq.dma import port_name
from shellgen.platforms.zynq.facts import KIND, ZynqFacts

HIGH = 0x8_0000_0000
PS7 = [f"HP{index}" for index in range(4)]
PSU = [*PS7, "HPC0", "HPC1"]


def run(
    folder: Path, board: str, port: str, old: str = "", new: str = ""
) -> tuple[Vivado, Outcome, MapDma, Plan]:
    plan, network = node_plan(board, "2rx_1tx", vivado={"memory_port": port})
    node = write_project(plan, network, folder)
    script = node / "vivado" / "bd.tcl"
    assert old in script.read_text()
    script.write_text(script.read_text().replace(old, new))
    vivado = Vivado("2024.2")
    outcome = run_script(vivado, node / "vivado" / "build.tcl")
    return vivado, outcome, memory_map(plan).nodes[0].dma[0], plan


@pytest.mark.parametrize(
    ("board", "port"), [*(("pynq-z2", port) for port in PS7), *(("kv260_som", port) for port in PSU)]
)
def test_every_port_of_every_family(board: str, port: str, tmp_path: Path) -> None:
    vivado, outcome, dma, _ = run(tmp_path, board, port)
    assert outcome.code == 0, outcome.error
    design = vivado.block
    ends = [name for name in design.connected if name.startswith("zynq_ps/S_AXI")]
    assert ends == [f"zynq_ps/S_AXI_{port}" + ("_FPD" if board == "kv260_som" else "")]
    assert design.peer(ends[0]) == "memory_interconnect/M00_AXI"
    assert dma.coherent == port.startswith("HPC")
    reached = [(one.offset, one.size) for one in design.placed if one.space == "axi_dma_0/Data_MM2S"]
    assert reached == [(window.base, window.size) for window in dma.memory]
    assert {
        one.segment.rpartition("/")[2].partition("_")[0] for one in design.placed if "DDR" in one.segment
    } == {port}


def test_high_ddr_is_reached_where_the_board_has_it(tmp_path: Path) -> None:
    vivado, outcome, dma, _ = run(tmp_path / "kv260", "kv260_som", "HP0")
    assert outcome.code == 0, outcome.error
    assert [(window.base, window.size) for window in dma.memory] == [(0, 2 << 30), (HIGH, 2 << 30)]
    assert dma.address_bits == 40
    assert vivado.block.config("axi_dma_0", "c_addr_width") == "40"
    vivado, outcome, dma, _ = run(tmp_path / "zcu104", "zcu104", "HP0")
    assert outcome.code == 0, outcome.error
    assert dma.address_bits == 32
    assert vivado.block.config("axi_dma_0", "c_addr_width") in (None, "32")


@pytest.mark.parametrize(
    ("port", "old", "new", "said"),
    [
        ("HP0", "    CONFIG.c_addr_width 40\n", "", "plan-dma:  /axi_dma_0 c_addr_width: 32"),
        (
            "HP0",
            "CONFIG.PSU__DDR_HIGH_ADDRESS_GUI_ENABLE 1",
            "CONFIG.PSU__DDR_HIGH_ADDRESS_GUI_ENABLE 0",
            "CONFIG.PSU__DDR_HIGH_ADDRESS_GUI_ENABLE: it is 0",
        ),
        (
            "HP0",
            " 0x800000000 0x80000000",
            " 0x800000000 0x100000000",
            "it reaches 0x800000000 [4G]",
        ),
        ("HPC0", " zynq_ps/saxigp0_arcache}", "}", "coherent-port:  /zynq_ps/saxigp0_arcache"),
        (
            "HPC1",
            "    CONFIG.CONST_VAL 2\n",
            "    CONFIG.CONST_VAL 0\n",
            "saxigp1_awprot: it is 0",
        ),
        (
            "HPC0",
            "    CONFIG.CONST_VAL 15\n",
            "    CONFIG.CONST_VAL 3\n",
            "coherent-port:  /zynq_ps/saxigp0_awcache: it is 3",
        ),
        (
            "HPC0",
            "    CONFIG.CONST_WIDTH 3\n",
            "    CONFIG.CONST_WIDTH 4\n",
            "/coherent_prot: CONFIG.CONST_WIDTH: it is 4",
        ),
    ],
)
def test_mistakes_are_seen(port: str, old: str, new: str, said: str, tmp_path: Path) -> None:
    vivado, _, _, plan = run(tmp_path, "kv260_som", port, old, new)
    assert said in texts(vivado.said(plan))


@pytest.mark.parametrize(
    ("board", "field", "value", "said"),
    [
        ("zedboard", "ddr_bytes", 0x3000_0000, "zynq.ddr_bytes: 0x30000000 is not a power of two"),
        ("zedboard", "ddr_bytes", 0x8000_0000, "the family has 0x40000000 bytes there"),
        (
            "zedboard",
            "ddr_high_bytes",
            1 << 30,
            "zynq.ddr_high_bytes: 0x40000000; the family has no memory there",
        ),
        ("zcu104", "ddr_high_bytes", 3 << 30, "zynq.ddr_high_bytes: 0xc0000000 is not a power of two"),
        ("zcu104", "memory_port", "HP4", ""),
        ("zedboard", "memory_port", "HPC1", "zynq.memory_port: HPC1; zedboard has HP0, HP1, HP2, HP3"),
        ("zedboard", "dma_base", 0x5FFF_0000, "from 0x5fff0000 to 0x60010000 lie in the core's window"),
        ("zedboard", "dma_base", 0x6000_8000, "0x60008000 is not a multiple of 0x10000"),
        ("zedboard", "dma_base", 0x7FFF_0000, "from 0x7fff0000 to 0x80010000; M_AXI_GP0 has 0x40000000 to"),
        ("zcu104", "lite_base", 0x9000_0000, "zynq.lite_base: registers from 0x90000000"),
    ],
)
def test_what_a_board_file_says_of_the_family(board: str, field: str, value: object, said: str) -> None:
    plan, _ = node_plan(board, "1rx_1tx")
    node = plan.nodes[0]
    other = with_facts(node.board, **{field: value})
    if not said:
        with pytest.raises(InputError, match=rf"platform.zynq.{field}: got '{value}'"):
            other.facts(KIND, ZynqFacts)
        return
    found = zynq_problems(node.model_copy(update={"board": other}))
    assert any(said in str(problem) and f"boards/{board}.toml" in str(problem) for problem in found), found


def test_the_boards_port_is_taken_unless_the_node_says_another() -> None:
    plan, _ = node_plan("zcu104", "1rx_1tx")
    node = plan.nodes[0]
    node = node.model_copy(update={"board": with_facts(node.board, memory_port="HP3")})
    assert port_name(node) == "HP3"
    assert port_name(node.model_copy(update={"options": {"memory_port": "HPC0"}})) == "HPC0"


def test_a_port_that_the_family_does_not_have() -> None:
    with pytest.raises(
        PlanError, match=r"options.zynq.memory_port: node n0: HPC0; zedboard has HP0, HP1, HP2, HP3"
    ):
        node_plan("zedboard", "1rx_1tx", vivado={"memory_port": "HPC0"})
