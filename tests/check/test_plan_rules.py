# SPDX-License-Identifier: BSD-3-Clause
"""Our block designs against the plan: right ones for every board and shape, and each mistake found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from planned_design import Judged, judged
from small_design import SmallIp, stream
from zynq_project import BOARDS, SHAPES, node_plan

from shellgen.check.rules.base import RULES
from vivado_check.design import Segment, Setting
from vivado_check.recording import Project
from vivado_check.report import Origin, Verdict

GIGA = 1 << 30
LINE = Origin("bd.tcl", 1)


def made(board: str = "zedboard", shape: str = "2rx_1tx", **more: Any) -> Judged:
    return judged(node_plan(board, shape, **more)[0])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("board", BOARDS)
def test_right_ones(board: str, shape: str) -> None:
    assert made(board, shape).judge() == []


@pytest.mark.parametrize("clocks", [{}, {"compute_mhz": 142.857}])
@pytest.mark.parametrize("way", ["intc", "direct", "none"])
@pytest.mark.parametrize("board", ["zedboard", "zcu104"])
def test_right_with_options(board: str, way: str, clocks: dict[str, Any]) -> None:
    one = made(board, vivado={"interrupts": way}, double_clock=True, **clocks)
    assert one.judge() == []


def test_right_with_coherent_memory() -> None:
    assert made("zcu104", vivado={"memory_port": "HPC0"}).judge() == []


def segment(one: Judged, space: str) -> Segment:
    return next(s for s in one.block.design.segments if s.space == f"/{space}")


def place(one: Judged, space: str, offset: int, size: int) -> None:
    found = segment(one, space)
    found.offset, found.range = offset, size


def drop(one: Judged, path: str) -> None:
    one.rewire(path, f"nowhere/{path}")


def unplace(one: Judged) -> None:
    one.block.design.segments[:] = [
        s for s in one.block.design.segments if "axi_dma_1/S_AXI" not in s.segment
    ]


MISTAKES: dict[str, tuple[str, Callable[[Judged], object]]] = {
    "streams crossed": ("plan-streams", lambda d: d.swap("axi_dma_0/M_AXIS_MM2S", "axi_dma_1/M_AXIS_MM2S")),
    "stream left out": ("plan-streams", lambda d: drop(d, "axi_dma_1/M_AXIS_MM2S")),
    "length": ("plan-dma", lambda d: d.set("axi_dma_0", c_sg_length_width="14")),
    "length left out": ("plan-dma", lambda d: d.cell("axi_dma_0").config.pop("c_sg_length_width")),
    "scatter-gather": ("plan-dma", lambda d: d.set("axi_dma_0", c_include_sg="1")),
    "scatter-gather left on": ("plan-dma", lambda d: d.cell("axi_dma_0").config.pop("c_include_sg")),
    "channel": ("plan-dma", lambda d: d.set("axi_dma_0", c_include_s2mm="0")),
    "width": ("plan-dma", lambda d: d.set("axi_dma_0", c_m_axis_mm2s_tdata_width="64")),
    "width of S2MM": ("plan-dma", lambda d: d.set("axi_dma_0", C_S_AXIS_S2MM_TDATA_WIDTH="64")),
    "memory moved": ("plan-memory", lambda d: place(d, "axi_dma_0/Data_S2MM", GIGA // 4, GIGA // 4)),
    "memory halved": ("plan-memory", lambda d: place(d, "axi_dma_0/Data_MM2S", 0, GIGA // 4)),
    "memory doubled": ("plan-memory", lambda d: place(d, "axi_dma_1/Data_MM2S", 0, GIGA)),
    "core moved": ("plan-registers", lambda d: place(d, "zynq_ps/Data", 0x4001_0000, 0x2000)),
    "core halved": ("plan-registers", lambda d: place(d, "zynq_ps/Data", 0x4000_0000, 0x1000)),
    "DMA without address": ("plan-registers", unplace),
    "clock": ("plan-clock", lambda d: d.set("zynq_ps", PCW_FPGA0_PERIPHERAL_FREQMHZ="200")),
    "clock of 1 % more": ("plan-clock", lambda d: d.set("zynq_ps", PCW_FPGA0_PERIPHERAL_FREQMHZ="101")),
    "interrupts crossed": ("plan-interrupts", lambda d: d.swap("xlconcat_0/In0", "xlconcat_0/In1")),
    "interrupt left out": ("plan-interrupts", lambda d: drop(d, "axi_dma_1/mm2s_introut")),
    "controller left out": ("plan-interrupts", lambda d: drop(d, "axi_intc_0/irq")),
    "wide first line": ("plan-interrupts", lambda d: d.set("xlconcat_0", IN0_WIDTH="2")),
    "reverse": ("plan-interrupt-order", lambda d: d.set("zynq_ps", PCW_IRQ_F2P_MODE="REVERSE")),
    "port width": ("plan-port-width", lambda d: d.set("zynq_ps", PCW_S_AXI_HP0_DATA_WIDTH="32")),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    rule, mistake = MISTAKES[name]
    one = made()
    mistake(one)
    found = one.judge()
    assert {message.rule for message in found} == {rule}
    assert all(message.verdict is Verdict.FINDING and message.remedy for message in found)


def test_dmas_at_each_others_addresses_are_crossed_streams() -> None:
    one = made()
    places = [s for s in one.block.design.segments if "S_AXI_LITE" in s.segment]
    places[0].offset, places[1].offset = places[1].offset, places[0].offset
    assert "plan-streams" in one.rules()


def test_interrupts_of_a_ps_that_has_two_inputs() -> None:
    one = made("zcu104")
    one.rewire("zynq_ps/pl_ps_irq0", "zynq_ps/pl_ps_irq1")
    (message,) = one.judge()
    assert message.rule == "plan-interrupts"
    assert "interrupt 136" in message.found
    assert "interrupt 121" in message.expected


DOUBLE: dict[str, Callable[[Judged], object]] = {
    "not double": lambda d: d.set("clk_wiz_0", CLKOUT2_REQUESTED_OUT_FREQ="100"),
    "the slow one": lambda d: d.rewire("clk_wiz_0/clk_out2", "clk_wiz_0/clk_out1"),
    "out of phase": lambda d: d.set("clk_wiz_0", CLKOUT2_REQUESTED_PHASE="90.0"),
    "left out": lambda d: drop(d, "core_0/aclk2x"),
}


@pytest.mark.parametrize("name", DOUBLE)
def test_a_double_clock_that_is_none(name: str) -> None:
    one = made(double_clock=True)
    DOUBLE[name](one)
    assert one.rules() == {"plan-double-clock"}


def test_a_double_clock_of_another_source() -> None:
    one = made(double_clock=True)
    one.block.cell("/other", one.cell("clk_wiz_0").vlnv, CLKOUT2_REQUESTED_OUT_FREQ="200")
    one.rewire("clk_wiz_0/clk_out2", "other/clk_out2")
    assert one.rules() == {"plan-double-clock"}


def test_no_core() -> None:
    one = made()
    one.cell("core_0").reference = "other_core"
    assert one.rules() == {"plan-core"}


def test_memory_past_the_caches() -> None:
    """The map of a coherent node beside the design of one that is not."""
    right, wrong = made("zcu104", vivado={"memory_port": "HPC0"}), made("zcu104")
    wrong.map = right.map
    assert right.map.nodes[0].dma[0].coherent
    assert wrong.rules() == {"plan-coherence"}


def test_another_device_and_board() -> None:
    one = made()
    context = one.context()
    project = Project("n0", context.folder, "xc7z010clg400-1", LINE)
    context.recording.projects.append(project)
    project.properties["board_part"] = Setting("www.digilentinc.com:pynq-z1:part0:1.0", LINE)
    for rule in ("plan-part", "plan-board-part"):
        (message,) = RULES[rule].judge(context)
        assert message.rule == rule


def test_addresses_that_vivado_chooses_cannot_be_compared() -> None:
    one = made()
    for found in one.block.design.segments:
        found.offset = None
    found_ = one.judge("plan-registers", "plan-memory")
    assert found_
    assert {message.verdict for message in found_} == {Verdict.NOT_MODELLED}


def test_a_fifo_on_the_way_changes_nothing() -> None:
    one = made()
    fifo = SmallIp(
        "xilinx.com:ip:axis_data_fifo:2.0", (stream("S_AXIS", "slave"), stream("M_AXIS", "master"))
    )
    one.block.catalogue.ips[fifo.vlnv] = fifo
    one.block.cell("/fifo", fifo.vlnv)
    one.rewire("axi_dma_0/M_AXIS_MM2S", "fifo/M_AXIS")
    one.block.bus("/axi_dma_0/M_AXIS_MM2S", "/fifo/S_AXIS")
    assert one.judge() == []


def test_a_foreign_script_has_no_plan() -> None:
    one = made()
    assert one.block.judge("plan-streams", "plan-dma", "plan-registers", "plan-memory", "plan-clock") == []
