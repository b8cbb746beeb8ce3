# SPDX-License-Identifier: BSD-3-Clause
"""A weights stream has a cyclic DMA of its own in the block design, on every board and release."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_network import lite, partition, plan_of, spec
from test_zynq import SOME
from vivado_session import Vivado, run_script, texts
from zynq_project import WIDE, WORD, with_files, write_project

from shellgen.errors import PlanError
from shellgen.model import Network, Plan
from shellgen.platforms.zynq.design import block_design
from shellgen.platforms.zynq.dma import dmas


def node_plan(board: str, makes: int = 2, weights: int = 2) -> tuple[Plan, Network]:
    """One data input after the first of so many weights inputs, and so many outputs."""
    part, text = partition("part", (WIDE, WORD, *(WORD,) * (weights - 1)), (WORD,) * makes, (lite(0),))
    streams = tuple(
        port.model_copy(update={"role": "weights", "passes": 9})
        if port.direction == "in" and port.name != "s_axis_1"
        else port
        for port in part.streams
    )
    made, files = with_files((part.model_copy(update={"streams": streams}), text), double_clock=False)
    network = Network((made,), (), files, "build")
    return plan_of(network, spec([{"name": "n0", "board": board, "partitions": [0]}])), network


@pytest.mark.parametrize(("board", "release"), SOME)
def test_every_board_and_release(board: str, release: str, tmp_path: Path) -> None:
    plan, network = node_plan(board)
    vivado = Vivado(release)
    outcome = run_script(vivado, write_project(plan, network, tmp_path) / "vivado" / "build.tcl")
    assert outcome.code == 0, outcome.error or outcome.printed
    design = vivado.block
    engines = {name: cell for name, cell in design.cells.items() if name.startswith("axi_dma")}
    assert sorted(engines) == ["axi_dma_0", "axi_dma_1", "axi_dma_weights_1", "axi_dma_weights_2"]
    assert [path.port.port for path in plan.nodes[0].rx] == ["s_axis_1", "s_axis_0", "s_axis_2"]
    for name, cell in engines.items():
        cyclic = "weights" in name
        assert cell.config["c_include_sg"].value == str(int(cyclic))
        assert ("M_AXI_SG" in design.interfaces(name)) == cyclic
        assert ("S_AXIS_S2MM" in design.interfaces(name)) == (not cyclic)
        assert not {"M_AXIS_CNTRL", "S_AXIS_STS"} & design.interfaces(name)
        # Buffer and descriptors lie in the same DDR, at the same addresses.
        spaces = {
            entry.space.partition("/")[2]: entry
            for entry in design.placed
            if entry.space.startswith(f"{name}/")
        }
        assert ("Data_SG" in spaces) == cyclic
        assert len({(entry.segment, entry.offset, entry.size) for entry in spaces.values()}) == 1
    for index in (1, 2):
        assert design.peer(f"axi_dma_weights_{index}/M_AXIS_MM2S") == f"core_0/s_axis_{index}"
    assert design.peer("axi_dma_0/M_AXIS_MM2S") == "core_0/s_axis_0"
    assert design.peer("axi_dma_1/S_AXIS_S2MM") == "core_0/m_axis_1"


def test_registers_follow_those_of_the_pairs() -> None:
    plan, _ = node_plan("zedboard")
    placed = {dma.name: dma.address for dma in dmas(plan.nodes[0])}
    assert placed == {
        "axi_dma_0": 0x60000000,
        "axi_dma_1": 0x60010000,
        "axi_dma_weights_1": 0x60020000,
        "axi_dma_weights_2": 0x60030000,
    }
    cells = {cell.name: cell for cell in block_design(plan, plan.nodes[0]).cells}
    assert cells["memory_interconnect"].config["NUM_SI"] == "7"  # 1 + 2 channels, and twice 2 masters
    assert all(len(name) < 25 for name in cells)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "    axi_dma_weights_2/m_axi_sg_aclk\n",
            "",
            "BD 41-758 /axi_dma_weights_2/m_axi_sg_aclk",
        ),
        ("strm 0", "strm 1", "M_AXIS_CNTRL"),
        ("weights_1/M_AXI_SG", "weights_1/M_AXI_S2MM", "unknown-interface:  /axi_dma_weights_1/M_AXI_S2MM"),
        ("weights_1/Data_SG zynq_ps/S_AXI_HP0/HP0_DDR_LOWOCM", "weights_1/Data_SG core_0/s_axil/*", "BD 41-"),
    ],
)
def test_mistakes_are_seen(old: str, new: str, message: str, tmp_path: Path) -> None:
    """So a check knows what scatter-gather adds."""
    plan, network = node_plan("zedboard")
    node = write_project(plan, network, tmp_path)
    script = node / "vivado" / "bd.tcl"
    text = script.read_text()
    assert old in text
    script.write_text(text.replace(old, new))
    vivado = Vivado("2022.2")
    run_script(vivado, node / "vivado" / "build.tcl", "project")
    said = texts(vivado.said(plan))
    assert message in said, said


def test_weights_count_twice_at_the_memory_port() -> None:
    """Their DMAs fetch descriptors, too: 7 weights and 2 data streams fill 16 ports, one more is too many."""
    assert len(node_plan("zedboard", weights=7, makes=1)[0].nodes[0].rx) == 8
    with pytest.raises(PlanError) as caught:
        node_plan("zedboard", weights=7, makes=2)
    (problem,) = caught.value.problems
    said = "10 streams take 17 slots of dock 'dma', and platform zynq has 16 on zedboard"
    assert said in str(problem)
    assert "host_to_part_s_axis_0 (2)" in str(problem)
