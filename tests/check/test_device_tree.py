# SPDX-License-Identifier: BSD-3-Clause
"""The overlay for Linux: every number of it is held against the block design, and not against the plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from changed_card import Card, card, replaced
from zynq_project import node_plan

from shellgen.check.device_tree import DeviceTreeError, read_tree


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Card]]:
    with ExitStack() as stack:
        made = {}
        for name in ("zedboard", "zcu104"):
            plan, network = node_plan(name, "1rx_1tx")
            folder = tmp_path_factory.mktemp(name)
            opened = contextmanager(card)(plan, network.files, folder, ("device-tree",))
            made[name] = stack.enter_context(opened)
        yield made


@pytest.mark.parametrize("board", ["zedboard", "zcu104"])
def test_what_we_write_is_right(board: str, boards: dict[str, Card]) -> None:
    assert boards[board].judged() == []


TREE = "linux/n0.dtso"
MISTAKES = {
    "address": ("zedboard", "reg = <0x60000000 ", "reg = <0x60020000 ", "axi_dma_0: dma-controller"),
    "label of the board": ("zedboard", "\n&amba", "\n&amab", "&amab"),
    "label of the GIC": ("zedboard", "<&intc>", "<&itnc>", "&itnc"),
    "label of a bus": ("zcu104", "\n&amba", "\n&abma", "&abma"),
    "unit": ("zedboard", "controller@60000000", "controller@60000001", "dma-controller@60000001"),
    "size": ("zedboard", "<0x40000000 0x", "<0x40000000 0x8", "core@40000000: reg"),
    "cells": ("zedboard", "#address-cells = <1>", "#address-cells = <2>", "#address-cells"),
    "no size cells": ("zcu104", "    #size-cells = <2>;\n", "", "#size-cells"),
    "high half": ("zcu104", "reg = <0x0 0xa0000000", "reg = <0x1 0xa0000000", "core@a0000000: reg"),
    "label": ("zedboard", "axi_dma_0: dma", "axi_dma_1: dma", "dma-controller@60000000"),
    "clock": ("zedboard", "<&clkc 15>;", "<&clkc 5>;", "clocks"),
    "name of a clock": ("zedboard", '"m_axi_s2mm_aclk"', '"m_axi_s2m_aclk"', "clock-names"),
    "a clock too few": ("zcu104", "clocks = <&zynqmp_clk 71>, <&", "clocks = <&", "clocks"),
    "no clocks": ("zcu104", "clocks = <&zynqmp_clk 71>, <&", "clcks = <&zynqmp_clk 71>, <&", "clocks"),
    "a clock's name twice": ("zedboard", '"m_axi_s2mm_aclk"', '"m_axi_mm2s_aclk"', "clock-names"),
    "a clock of what it has not": ("zcu104", '"m_axi_s2mm_aclk"', '"m_axi_sg_aclk"', "clock-names"),
    "no driver": ("zcu104", 'compatible = "xlnx,axi-dma-1.00.a";', "", "compatible"),
    "another's driver": ("zedboard", '"xlnx,xps-intc-1.00.a"', '"xlnx,axi-dma-1.00.a"', "compatible"),
    "no controller": ("zedboard", "        interrupt-controller;\n", "", "interrupt-controller"),
    "line of the controller": ("zedboard", "interrupts = <1 4>", "interrupts = <0 4>", "interrupts"),
    "line of the GIC": ("zedboard", "interrupts = <0 29 4>", "interrupts = <0 30 4>", "interrupts"),
    "parent": ("zedboard", "parent = <&axi_intc_0>", "parent = <&intc>", "interrupt-parent"),
    "length": ("zedboard", "sg-length-width = <26>", "sg-length-width = <23>", "xlnx,sg-length-width"),
    "width": ("zedboard", "datawidth = <", "datawidth = <1", "xlnx,datawidth"),
    "scatter": (
        "zedboard",
        "#dma-cells = <1>;",
        "#dma-cells = <1>;\n        xlnx,include-sg;",
        "dma-controller",
    ),
    "channel": ("zedboard", "dma-channel-s2mm {", "dma-channel-mm2s {", "dma-controller"),
    "kind": ("zedboard", "axi-dma-s2mm-channel", "axi-dma-mm2s-channel", "compatible"),
    "semicolon": ("zedboard", "interrupt-controller;", "interrupt-controller", "n0.dtso"),
    "bracket": ("zedboard", "\n};\n", "\n", "n0.dtso"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake(case: str, boards: dict[str, Card]) -> None:
    board, old, new, where = MISTAKES[case]
    with boards[board].changed(TREE, replaced(old, new)) as found:
        assert found
        assert any(where.rpartition(" ")[2] in one.where for one in found), found


def test_a_reader_of_trees() -> None:
    root = read_tree('/dts-v1/;\n&a {\n  b: c@10 { reg = <1 2>, <3>; s = "x", "y"; flag; /* no */ };\n};\n')
    ((parent, node),) = [pair for pair in root.below() if pair[1].label]
    assert (parent.name, node.name, node.unit, node.line) == ("&a", "c@10", "10", 3)
    assert node.properties["reg"].numbers == (1, 2, 3)
    assert node.properties["s"].values == ("x", "y")
    for text in ("a { b = <1> }", "a { b; b; };", "};", "a {"):
        with pytest.raises(DeviceTreeError):
            read_tree(text)
